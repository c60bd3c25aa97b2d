/* failed.c: the meaning of OpenCL's errors, and the first lines of every kernel's source.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/opencl/opencl.h"

const char opencl_prologue[] = "#pragma OPENCL FP_CONTRACT OFF\n";

wedge_status opencl_failed(wedge_device *dev, int error, const char *what) {
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY || error == CL_INVALID_BUFFER_SIZE)
        return note_fail(&dev->note, WEDGE_NO_MEMORY,
                         "%s: the device is out of memory (OpenCL error %d); use a smaller range", what, error);
    if (error == CL_DEVICE_NOT_AVAILABLE)
        return note_fail(&dev->note, WEDGE_DEVICE_LOST,
                         "%s: the device is not available any more; close it and open it again", what);
    if (error == CL_OUT_OF_RESOURCES)
        return note_fail(&dev->note, WEDGE_FAILED,
                         "%s: out of resources (OpenCL error %d): too large a block, or an earlier kernel failed", what,
                         error);
    return note_fail(&dev->note, WEDGE_FAILED,
                     "%s: OpenCL error %d (see the names in CL/cl.h); an older driver may lack it", what, error);
}
