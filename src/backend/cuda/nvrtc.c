/* nvrtc.c: prototypes of our own for libnvrtc, and compiling with it.
 *
 * Contraction is off: results must not depend on what a compiler likes to fuse; fma is written where it is meant.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/cuda/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/library.h"

typedef struct nvrtc_program *program;

struct nvrtc {
    void *library;
    const char *(*error_string)(int);
    int (*version)(int *, int *);
    int (*arch_count)(int *);
    int (*archs)(int *);
    int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *);
    int (*destroy)(program *);
    int (*compile)(program, int, const char *const *);
    int (*log_size)(program, size_t *);
    int (*log)(program, char *);
    int (*cubin_size)(program, size_t *);
    int (*cubin)(program, char *);
    int (*ptx_size)(program, size_t *);
    int (*ptx)(program, char *);
};

static const library_symbol symbols[] = {
    {"nvrtcGetErrorString", offsetof(nvrtc, error_string)},
    {"nvrtcVersion", offsetof(nvrtc, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(nvrtc, arch_count)},
    {"nvrtcGetSupportedArchs", offsetof(nvrtc, archs)},
    {"nvrtcCreateProgram", offsetof(nvrtc, create)},
    {"nvrtcDestroyProgram", offsetof(nvrtc, destroy)},
    {"nvrtcCompileProgram", offsetof(nvrtc, compile)},
    {"nvrtcGetProgramLogSize", offsetof(nvrtc, log_size)},
    {"nvrtcGetProgramLog", offsetof(nvrtc, log)},
    {"nvrtcGetCUBINSize", offsetof(nvrtc, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(nvrtc, cubin)},
    {"nvrtcGetPTXSize", offsetof(nvrtc, ptx_size)},
    {"nvrtcGetPTX", offsetof(nvrtc, ptx)},
};

static const char *const names[] = {
    "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so", NULL,
};

nvrtc *nvrtc_open(const char *path, note *remark) {
    nvrtc *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->library = library_open(path, names, symbols, sizeof symbols / sizeof *symbols, n, remark);
    if (n->library) return n;
    free(n);
    return NULL;
}

void nvrtc_close(nvrtc *n) {
    if (!n) return;
    dlclose(n->library);
    free(n);
}

void nvrtc_version(const nvrtc *n, int *major, int *minor) {
    *major = *minor = 0;
    n->version(major, minor);
}

void nvrtc_target(const nvrtc *n, int cc, char *target, size_t size) {
    int count = 0, best = 0, *archs;
    snprintf(target, size, "sm_%d", cc);
    if (n->arch_count(&count) || count <= 0 || !(archs = calloc((size_t)count, sizeof *archs))) return;
    if (!n->archs(archs)) {
        for (int a = 0; a < count; ++a)
            if (archs[a] <= cc && archs[a] > best) best = archs[a];
        if (best && best != cc) snprintf(target, size, "compute_%d", best);
    }
    free(archs);
}

static char *program_log(const nvrtc *n, program p) {
    size_t size = 0;
    char *log = NULL;
    if (!n->log_size(p, &size) && size && (log = calloc(size + 1, 1))) n->log(p, log);
    return log;
}

static wedge_status take_binary(const nvrtc *n, program p, bool cubin, blob *binary, note *note) {
    int error = cubin ? n->cubin_size(p, &binary->size) : n->ptx_size(p, &binary->size);
    WEDGE_CHECK(!error && binary->size, note, WEDGE_BUILD_FAILED, "NVRTC gave no binary: %s", n->error_string(error));
    binary->bytes = malloc(binary->size);
    WEDGE_CHECK(binary->bytes, note, WEDGE_NO_MEMORY, "no memory for a compiled kernel");
    error = cubin ? n->cubin(p, (char *)binary->bytes) : n->ptx(p, (char *)binary->bytes);
    WEDGE_CHECK(!error, note, WEDGE_BUILD_FAILED, "NVRTC gave no binary: %s", n->error_string(error));
    return WEDGE_OK;
}

#define OPTIONS(o) o("--std=c++17") o("--fmad=false") o("--prec-div=true") o("--prec-sqrt=true") o("-lineinfo")
#define ITEM(text) text,
#define WORD(text) " " text

const char nvrtc_options[] = OPTIONS(WORD);

wedge_status nvrtc_compile(const nvrtc *n, const char *source, const char *target, blob *binary, char **log,
                           note *note) {
    char arch[64];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", target);
    const char *options[] = {arch, OPTIONS(ITEM)};
    program p = NULL;
    *binary = (blob){0};
    *log = NULL;
    int error = n->create(&p, source, "wedge.cu", 0, NULL, NULL);
    WEDGE_CHECK(!error, note, WEDGE_BUILD_FAILED, "NVRTC: %s", n->error_string(error));
    error = n->compile(p, (int)(sizeof options / sizeof *options), options);
    *log = program_log(n, p);
    wedge_status status = error ? note_fail(note, WEDGE_BUILD_FAILED, "NVRTC refused a kernel for %s: %s\n%s", target,
                                            n->error_string(error), *log ? *log : "")
                                : take_binary(n, p, !strncmp(target, "sm_", 3), binary, note);
    n->destroy(&p);
    return status;
}
