/* driver.h: the part of the CUDA driver API that wedge uses, in prototypes of our own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_CUDA_DRIVER_H
#define WEDGE_BACKEND_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t cu_pointer;
typedef struct cu_context *cu_context;
typedef struct cu_stream *cu_stream;
typedef struct cu_event *cu_event;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function;

enum { CU_OUT_OF_MEMORY = 2, CU_NO_DEVICE = 100, CU_NOT_READY = 600, CU_LAUNCH_RESOURCES = 701 };
enum { CU_POINTER_DEVICE = 9 };
enum {
    CU_MAX_BLOCK = 1,
    CU_MAX_GRID_X = 5,
    CU_MAX_GRID_Y = 6,
    CU_MAX_GRID_Z = 7,
    CU_UNITS = 16,
    CU_MAJOR = 75,
    CU_MINOR = 76
};

typedef struct {
    int (*init)(unsigned);
    int (*driver_version)(int *);
    int (*error_name)(int, const char **);
    int (*error_string)(int, const char **);
    int (*device_count)(int *);
    int (*device_get)(int *, int);
    int (*device_name)(char *, int, int);
    int (*device_attribute)(int *, int, int);
    int (*device_memory)(size_t *, int);
    int (*device_bus)(char *, int, int);
    int (*context_retain)(cu_context *, int);
    int (*context_release)(int);
    int (*context_push)(cu_context);
    int (*context_pop)(cu_context *);
    int (*memory_info)(size_t *, size_t *);
    int (*memory_new)(cu_pointer *, size_t);
    int (*memory_free)(cu_pointer);
    int (*pointer_attribute)(void *, int, cu_pointer);
    int (*host_new)(void **, size_t, unsigned);
    int (*host_free)(void *);
    int (*to_device)(cu_pointer, const void *, size_t, cu_stream);
    int (*to_host)(void *, cu_pointer, size_t, cu_stream);
    int (*fill)(cu_pointer, unsigned char, size_t, cu_stream);
    int (*stream_new)(cu_stream *, unsigned);
    int (*stream_free)(cu_stream);
    int (*stream_wait)(cu_stream);
    int (*stream_query)(cu_stream);
    int (*event_new)(cu_event *, unsigned);
    int (*event_free)(cu_event);
    int (*event_record)(cu_event, cu_stream);
    int (*event_wait)(cu_event);
    int (*event_elapsed)(float *, cu_event, cu_event);
    int (*module_load)(cu_module *, const void *);
    int (*module_free)(cu_module);
    int (*module_function)(cu_function *, cu_module, const char *);
    int (*occupancy)(int *, cu_function, int, size_t);
    int (*launch)(cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream, void **,
                  void **);
} cu_driver;

#endif
