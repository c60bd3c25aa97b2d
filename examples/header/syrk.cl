/* syrk.cl: the kernel of syrk.h in OpenCL C; syrk_opencl.c runs it. SPDX-License-Identifier: MIT */
#include "map.h"
#define KERNEL __kernel
#define GLOBAL __global
#define SHARED __local
#define BLOCK ((unsigned)get_group_id(0))
#define THREAD_X ((unsigned)get_local_id(0))
#define THREAD_Y ((unsigned)get_local_id(1))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#include "syrk.h"
