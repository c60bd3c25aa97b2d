/* api.h: the part of OpenCL 1.2 that wedge uses, in prototypes of our own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_OPENCL_API_H
#define WEDGE_BACKEND_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct cl_platform_id_ *cl_platform;
typedef struct cl_device_id_ *cl_device;
typedef struct cl_context_ *cl_context_;
typedef struct cl_queue_ *cl_queue;
typedef struct cl_mem_ *cl_memory;
typedef struct cl_program_ *cl_program_;
typedef struct cl_kernel_ *cl_kernel_;
typedef struct cl_event_ *cl_event_;

enum {
    CL_DEVICE_NOT_AVAILABLE = -2,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_INVALID_BUFFER_SIZE = -61,
};
enum {
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_PCI_BUS_ID_NV = 0x4008,
    CL_DEVICE_PCI_SLOT_ID_NV = 0x4009,
    CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_QUEUE_CONTEXT = 0x1090,
    CL_QUEUE_DEVICE = 0x1091,
    CL_QUEUE_PROPERTIES = 0x1093,
    CL_MEM_SIZE = 0x1102,
    CL_MEM_CONTEXT = 0x1106,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_PROFILING_COMMAND_END = 0x1283,
};
#define CL_DEVICE_TYPE_ALL UINT64_C(0xFFFFFFFF)
#define CL_DEVICE_TYPE_GPU UINT64_C(4)
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT UINT64_C(128)
#define CL_QUEUE_OUT_OF_ORDER UINT64_C(1)
#define CL_QUEUE_PROFILING_ENABLE UINT64_C(2)
#define CL_MEM_READ_WRITE UINT64_C(1)
#define CL_MEM_ALLOC_HOST_PTR UINT64_C(16)
#define CL_MAP_READ_WRITE UINT64_C(3)

typedef struct {
    int (*platforms)(uint32_t, cl_platform *, uint32_t *);
    int (*platform_info)(cl_platform, uint32_t, size_t, void *, size_t *);
    int (*devices)(cl_platform, uint64_t, uint32_t, cl_device *, uint32_t *);
    int (*device_info)(cl_device, uint32_t, size_t, void *, size_t *);
    cl_context_ (*context_new)(const intptr_t *, uint32_t, const cl_device *,
                               void (*)(const char *, const void *, size_t, void *), void *, int *);
    int (*context_free)(cl_context_);
    cl_queue (*queue_new)(cl_context_, cl_device, uint64_t, int *);
    int (*queue_free)(cl_queue);
    int (*flush)(cl_queue);
    int (*finish)(cl_queue);
    cl_memory (*memory_new)(cl_context_, uint64_t, size_t, void *, int *);
    int (*memory_free)(cl_memory);
    int (*memory_info)(cl_memory, uint32_t, size_t, void *, size_t *);
    int (*queue_info)(cl_queue, uint32_t, size_t, void *, size_t *);
    void *(*map)(cl_queue, cl_memory, uint32_t, uint64_t, size_t, size_t, uint32_t, const cl_event_ *, cl_event_ *,
                 int *);
    int (*unmap)(cl_queue, cl_memory, void *, uint32_t, const cl_event_ *, cl_event_ *);
    int (*read)(cl_queue, cl_memory, uint32_t, size_t, size_t, void *, uint32_t, const cl_event_ *, cl_event_ *);
    int (*write)(cl_queue, cl_memory, uint32_t, size_t, size_t, const void *, uint32_t, const cl_event_ *, cl_event_ *);
    int (*fill)(cl_queue, cl_memory, const void *, size_t, size_t, size_t, uint32_t, const cl_event_ *, cl_event_ *);
    int (*marker)(cl_queue, uint32_t, const cl_event_ *, cl_event_ *);
    int (*event_wait)(uint32_t, const cl_event_ *);
    int (*event_time)(cl_event_, uint32_t, size_t, void *, size_t *);
    int (*event_free)(cl_event_);
    cl_program_ (*program_source)(cl_context_, uint32_t, const char **, const size_t *, int *);
    cl_program_ (*program_binary)(cl_context_, uint32_t, const cl_device *, const size_t *, const unsigned char **,
                                  int *, int *);
    int (*program_build)(cl_program_, uint32_t, const cl_device *, const char *, void (*)(cl_program_, void *), void *);
    int (*program_info)(cl_program_, uint32_t, size_t, void *, size_t *);
    int (*build_info)(cl_program_, cl_device, uint32_t, size_t, void *, size_t *);
    int (*program_free)(cl_program_);
    cl_kernel_ (*kernel_new)(cl_program_, const char *, int *);
    int (*kernel_arg)(cl_kernel_, uint32_t, size_t, const void *);
    int (*kernel_free)(cl_kernel_);
    int (*launch)(cl_queue, cl_kernel_, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                  const cl_event_ *, cl_event_ *);
} cl_api;

#endif
