/* t208-abi.c: a program that was built with an older wedge.h still runs: its structs are smaller, and end where memory ends.
 *
 * Nothing of today's header is included. The structs are those of the first version that had sizes, before streams, pruning
 * and boxes; each lies at the end of a page, and the next one cannot be touched: a library that reads or writes more than the
 * program knows of crashes here. It runs with libwedge.so, as such a program would.
 *
 * Where a struct has grown and this fails, mend the library: the program cannot be.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    const char *name;
    double value;
    const double *values;
    size_t count;
} old_parameter;

typedef struct {
    size_t size;
    const char *op;
    const old_parameter *parameters;
    size_t parameter_count;
    const char *sink;
    const old_parameter *sink_parameters;
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
} old_pairs;

typedef struct {
    size_t size;
    void *values;
    int64_t *pairs;
    int place;
    size_t values_offset, indices_offset;
    uint64_t room;
    void *state;
    uint64_t count;
} old_result;

typedef struct {
    uint64_t count, nan;
    double sum, min, max;
    uint64_t min_i, min_j, max_i, max_j, min_k, max_k;
} old_summary;

typedef struct {
    char id[32], name[128], driver[160];
    uint64_t memory;
    uint32_t units, max_block, max_grid[3];
    bool has_double, is_gpu;
} old_device_info;

typedef struct {
    int rank;
    bool strict;
    uint64_t n;
} old_domain;

int wedge_context_create(void **ctx);
void wedge_context_destroy(void *ctx);
int wedge_device_at(void *ctx, int index, old_device_info *info);
int wedge_device_open(void *ctx, const char *id, void **dev);
void wedge_device_close(void *dev);
const char *wedge_device_message(void *dev);
int wedge_job_create(void *dev, const old_pairs *pairs, void **job);
int wedge_job_run(void *job, uint64_t begin, uint64_t end, old_result *result, void *progress, void *user);
void wedge_job_destroy(void *job);
int wedge_domain_unrank(const old_domain *domain, const uint64_t *w, size_t count, uint64_t *coordinates);

/* The last `size` bytes before memory that no one can touch, filled with `byte`. */
static void *at_the_end(size_t size, int byte) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(two != MAP_FAILED && size <= page);
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    return memset(two + page - size, byte, size);
}

static const float points[] = {0, 0, 3, 4, 6, 8};

static old_pairs *pairs_of(const char *sink, const old_parameter *set, size_t count) {
    old_pairs *p = at_the_end(sizeof *p, 0);
    p->size = sizeof *p, p->op = "euclidean", p->sink = sink, p->sink_parameters = set, p->sink_parameter_count = count;
    p->n = 3, p->d = 2, p->points = points;
    return p;
}

static uint64_t run(void *dev, const old_pairs *pairs, void *values, int64_t *list, uint64_t room) {
    void *job;
    old_result *result = at_the_end(sizeof *result, 0);
    result->size = sizeof *result, result->values = values, result->indices = list, result->room = room;
    if (wedge_job_create(dev, pairs, &job) || wedge_job_run(job, 0, 3, result, NULL, NULL))
        fail_msg("%s", wedge_device_message(dev));
    wedge_job_destroy(job);
    return result->count;
}

static void an_older_program_runs(void **state) {
    void *ctx, *dev;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), 0);
    old_device_info *info = at_the_end(sizeof *info, 0xff);
    assert_int_equal(wedge_device_at(ctx, 0, info), 0);
    assert_string_equal(info->id, "cpu");
    assert_true(info->has_double && !info->is_gpu && info->units > 0);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), 0);

    float *distances = at_the_end(3 * sizeof *distances, 0xff);
    assert_int_equal(run(dev, pairs_of(NULL, NULL, 0), distances, NULL, 0), 3);
    assert_true(distances[0] == 5 && distances[1] == 10 && distances[2] == 5);

    old_summary *summary = at_the_end(sizeof *summary, 0xff);
    assert_int_equal(run(dev, pairs_of("summary", NULL, 0), summary, NULL, 0), 3);
    assert_true(summary->sum == 20 && summary->max == 10 && summary->max_i == 0 && summary->max_j == 2);

    old_parameter *radius = at_the_end(sizeof *radius, 0);
    radius->name = "radius", radius->value = 6;
    int64_t *list = at_the_end(4 * sizeof *list, 0xff);
    assert_int_equal(run(dev, pairs_of("select", radius, 1), NULL, list, 2), 2);
    assert_true(list[0] == 0 && list[1] == 1 && list[2] == 1 && list[3] == 2);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* Bindings have no map.h. */
static void rank_and_unrank_are_functions(void **state) {
    (void)state;
    old_domain *domain = at_the_end(sizeof *domain, 0);
    uint64_t *cell = at_the_end(2 * sizeof *cell, 0xff), w = 7;
    domain->rank = 2, domain->n = 10;
    assert_int_equal(wedge_domain_unrank(domain, &w, 1, cell), 0);
    assert_true(cell[0] == 3 && cell[1] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_program_runs),
        cmocka_unit_test(rank_and_unrank_are_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
