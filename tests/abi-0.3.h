/* abi-0.3.h: wedge.h as version 0.3.0 had it, in short: for programs that know less or more of a struct than the library does.
 *
 * ABI -1: the last members are not there yet, as in an older header. ABI 1: there are more, as in a newer one. A struct that grows is
 * left alone here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_ABI_0_3_H
#define WEDGE_TESTS_ABI_0_3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if ABI < 0
#define LAST(...)
#else
#define LAST(...) __VA_ARGS__
#endif
#if ABI > 0
#define NEWER uint64_t newer[3];
#else
#define NEWER
#endif

typedef int wedge_status;
enum { WEDGE_OK, WEDGE_BAD_ARGUMENT = 2, WEDGE_TOO_SMALL = 11 };

typedef struct {
    size_t size;
    char id[32], name[128], driver[160];
    uint64_t memory;
    uint32_t units, max_block, max_grid[3];
    LAST(bool has_double, is_gpu;) NEWER
} wedge_device_info;

typedef struct {
    size_t size;
    int rank;
    bool strict;
    LAST(uint64_t n;) NEWER
} wedge_domain;

typedef struct {
    uint64_t base;
    uint32_t m, x0, y0, z0, a, b, grid[3];
} wedge_launch;

typedef struct {
    size_t size;
    void *launches;
    size_t count;
    const void *map;
    int rank;
    bool strict;
    uint64_t n;
    uint32_t rho;
    uint64_t side, m, cells, blocks, tiles, launched, wasted;
    LAST(uint32_t table_words;) NEWER
} wedge_plan;

typedef struct {
    size_t size;
    uint32_t max_grid[3];
    uint32_t resident;
    LAST(uint64_t exact_rows;) NEWER
} wedge_limits;

typedef struct {
    size_t size;
    const char *name;
    double value;
    int64_t whole;
    bool flag;
    LAST(const double *values; size_t count;) NEWER
} wedge_parameter;

typedef struct {
    size_t size;
    const char *name;
    const char *file;
    LAST(const int *dtype;) NEWER
} wedge_op_options;

typedef struct {
    size_t size;
    const char *op;
    const wedge_parameter *parameters;
    size_t parameter_count;
    const char *sink;
    const wedge_parameter *sink_parameters;
    size_t sink_parameter_count;
    int layout, dtype;
    uint64_t n, d;
    const void *points;
    int place;
    size_t points_offset;
    uint64_t points_stride, m;
    const void *others;
    size_t others_offset;
    uint64_t others_stride;
    const char *map;
    uint32_t tile;
    void *stream;
    int prune;
    const double *box;
    double cutoff;
    LAST(const void *own_op; int overflow;) NEWER
} wedge_job_spec;

typedef struct {
    size_t size;
    uint64_t count, nan;
    double sum, min, max;
    uint64_t min_i, min_j, max_i, max_j;
    LAST(uint64_t min_k, max_k;) NEWER
} wedge_summary;

typedef struct {
    size_t size;
    void *values;
    int64_t *indices, *counts;
    int place;
    size_t values_offset, indices_offset, counts_offset;
    uint64_t room;
    void *state;
    LAST(uint64_t count;) NEWER
} wedge_result;

typedef struct {
    size_t size;
    int rank;
    uint64_t rows;
    bool no_double;
    LAST(bool (*progress)(void *user, double done); void *user;) NEWER
} wedge_certify_options;

typedef struct {
    const char *function;
    uint64_t tried, failures, first_row;
} wedge_certify_form;

typedef struct {
    size_t size;
    void *forms;
    int count;
    uint64_t rows, failures;
    LAST(double seconds;) NEWER
} wedge_certify_report;

wedge_status wedge_context_create(void **ctx);
void wedge_context_destroy(void *ctx);
const char *wedge_context_message(void *ctx);
wedge_status wedge_device_at(void *ctx, int index, wedge_device_info *info);
wedge_status wedge_device_open(void *ctx, const char *id, void **dev);
void wedge_device_close(void *dev);
const char *wedge_device_message(void *dev);
const void *wedge_map_find(const char *name, int rank);
wedge_status wedge_domain_unrank(const wedge_domain *domain, const uint64_t *w, size_t count, uint64_t *coordinates);
wedge_status wedge_plan_make(void *ctx, const void *map, const wedge_domain *domain, uint32_t rho,
                             const wedge_limits *limits, wedge_plan *plan);
void wedge_plan_free(wedge_plan *plan);
const wedge_launch *wedge_plan_launch(const wedge_plan *plan, size_t index);
wedge_status wedge_op_compile(void *dev, const char *text, const wedge_op_options *options, void **op);
void wedge_op_destroy(void *op);
wedge_status wedge_memory_create(void *dev, size_t bytes, void **memory);
void wedge_memory_destroy(void *dev, void *memory);
wedge_status wedge_memory_write(void *dev, void *memory, size_t offset, const void *from, size_t bytes);
wedge_status wedge_memory_read(void *dev, void *to, const void *memory, size_t offset, size_t bytes);
wedge_status wedge_job_create(void *dev, const wedge_job_spec *spec, void **job);
wedge_status wedge_job_run(void *job, uint64_t begin, uint64_t end, wedge_result *result, void *progress, void *user);
void wedge_job_destroy(void *job);
wedge_status wedge_certify(void *dev, const wedge_certify_options *options, wedge_certify_report *report);
void wedge_certify_report_free(wedge_certify_report *report);
const wedge_certify_form *wedge_certify_form_at(const wedge_certify_report *report, int index);

#endif
