/* certify.c: tests on a device that rank and unrank are exact.
 *
 * A pass goes over the rows (rank 3: layers) in parts, natively or by a kernel, and returns a tally. The device
 * counts the cells that it tried, and the host compares that with the expected number: a kernel that did nothing fails as well.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/certify/certify.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/gpu/program.h"
#include "core/clock.h"
#include "core/float_env.h"
#include "core/maps.h"
#include "core/sized.h"
#include "engine/certify/native.h"
#include "engine/kernels/certify.h"
#include "engine/kernels/texts.h"

#define ROWS_32 UINT64_C(92682) /* rows that begin below 2^32, and their likes */
#define ROWS_64 UINT64_C(6074001000)
#define LAYERS_32 UINT64_C(2953)
#define LAYERS_64 UINT64_C(4801279)

static const char *const forms[2][2][6] = {
    {{"wedge_tri_unrank32", "wedge_tri_rank32", "wedge_tri_strict_unrank32", "wedge_tri_strict_rank32",
      "wedge_condensed_unrank32", "wedge_condensed_rank32"},
     {"wedge_tri_unrank64", "wedge_tri_rank64", "wedge_tri_strict_unrank64", "wedge_tri_strict_rank64",
      "wedge_condensed_unrank64", "wedge_condensed_rank64"}},
    {{"wedge_tet_unrank32", "wedge_tet_rank32", "wedge_tet_strict_unrank32", "wedge_tet_strict_rank32"},
     {"wedge_tet_unrank64", "wedge_tet_rank64", "wedge_tet_strict_unrank64", "wedge_tet_strict_rank64"}},
};

static const char *const tile_forms[] = {"wedge_hmap3_tile", "wedge_hmap3_cube", "wedge_hmap3_strip"};
enum { TILE_FORMS = sizeof tile_forms / sizeof *tile_forms, LARGEST_TILES = 512 };

enum { MOST_FORMS = 16 };

static wedge_certify_form *forms_of(const wedge_certify_report *report) { return report->forms; }

typedef struct {
    wedge_device *dev;
    const wedge_certify_options *options;
    void *program, *queue;
    buffer result;
    double done, share; /* progress: what earlier passes did, and this one's part of the whole */
} certifier;

enum { RESULT_WORDS = 1 + 2 * CERTIFY_BITS };

static void clear(certify_tally *t) {
    *t = (certify_tally){0};
    for (int b = 0; b < CERTIFY_BITS; ++b) t->first[b] = UINT64_MAX;
}

/* ---- On a GPU ---- */

static wedge_status gpu_start(certifier *c, const source_piece *pieces, int count) {
    const backend *b = c->dev->backend;
    WEDGE_TRY(gpu_build(c->dev, pieces, count, &c->program));
    WEDGE_TRY(b->queue_new(c->dev, &c->queue));
    return b->buffer_new(c->dev, RESULT_WORDS * sizeof(uint32_t), ON_DEVICE, &c->result);
}

static void gpu_stop(certifier *c) {
    const backend *b = c->dev->backend;
    if (c->result.handle) b->buffer_free(c->dev, &c->result);
    if (c->queue) b->queue_free(c->dev, c->queue);
    if (c->program) b->program_free(c->dev, c->program);
}

/* Launches one kernel, waits, and adds what it found to the tally. */
static wedge_status gpu_part(certifier *c, const char *name, const grid_launch *launch, uint64_t begin,
                             certify_tally *tally) {
    const backend *b = c->dev->backend;
    uint32_t result[RESULT_WORDS] = {0};
    void *kernel = NULL;
    memset(result + 1 + CERTIFY_BITS, 0xFF, CERTIFY_BITS * sizeof *result);
    WEDGE_TRY(b->kernel_new(c->dev, c->program, name, &kernel));
    wedge_status status = b->write(c->dev, c->queue, &c->result, 0, result, sizeof result);
    if (!status) status = b->launch(c->dev, c->queue, kernel, launch);
    if (!status) status = b->read(c->dev, c->queue, result, &c->result, 0, sizeof result);
    if (!status) status = b->wait(c->dev, c->queue);
    b->kernel_free(c->dev, kernel);
    if (status) return status;
    tally->tried += result[0];
    for (int i = 0; i < CERTIFY_BITS; ++i) {
        uint32_t first = result[1 + CERTIFY_BITS + i];
        tally->failures[i] += result[1 + i];
        if (first != UINT32_MAX && begin + first < tally->first[i]) tally->first[i] = begin + first;
    }
    return WEDGE_OK;
}

static uint32_t threads_of(const wedge_device *dev) { return dev->info.max_block < 256 ? dev->info.max_block : 256; }

static wedge_status gpu_rows(certifier *c, const certify_pass *p, uint64_t begin, uint64_t end) {
    uint32_t rows = (uint32_t)(end - begin), from = (uint32_t)begin, n = (uint32_t)p->n, rank = (uint32_t)p->rank;
    uint32_t threads = threads_of(c->dev), blocks = 32 * c->dev->info.units, needed = (rows - 1) / threads + 1;
    const kernel_arg tri32[] = {ARG_BUFFER(&c->result), ARG_VALUE(from), ARG_VALUE(n)};
    const kernel_arg tet32[] = {ARG_BUFFER(&c->result), ARG_VALUE(from)};
    if (p->width == CERTIFY_TILES)
        return gpu_part(c, "certify_hmap3",
                        &(grid_launch){{rows, wedge_hmap3_side((uint32_t)end - 1), 1}, {threads, 1, 1}, tet32, 2},
                        begin, p->tally);
    const kernel_arg both64[] = {ARG_BUFFER(&c->result), ARG_VALUE(begin), ARG_VALUE(rows), ARG_VALUE(p->n),
                                 ARG_VALUE(rank)};
    if (p->width == 64)
        return gpu_part(c, "certify_64",
                        &(grid_launch){{blocks < needed ? blocks : needed, 1, 1}, {threads, 1, 1}, both64, 5}, begin,
                        p->tally);
    if (p->rank == 2)
        return gpu_part(c, "certify_tri32", &(grid_launch){{rows, 1, 1}, {threads, 1, 1}, tri32, 3}, begin, p->tally);
    return gpu_part(c, "certify_tet32", &(grid_launch){{(uint32_t)end, rows, 1}, {threads, 1, 1}, tet32, 2}, begin,
                    p->tally);
}

/* ---- A pass ---- */

/* Most rows at a time: few enough that 32-bit counters hold. */
static uint64_t most_rows(const certifier *c, const certify_pass *p) {
    if (p->width == 64) return c->dev->info.is_gpu ? UINT64_C(1) << 28 : UINT64_C(1) << 22;
    return p->rank == 2 ? 4096 : 64; /* of tiles as well: a side at a time */
}

/* Rows of the next part, so that one takes some tenths of a second: progress is told, and a stop asked for, between two. */
static uint64_t next_rows(uint64_t rows, double seconds, uint64_t most) {
    if (seconds > 0.4 && rows > 1) return rows / 2;
    return seconds < 0.1 && rows <= most / 2 ? rows * 2 : rows;
}

/* A part is worth what it has of the whole: 32-bit passes grow with the row. */
static double work_share(const certify_pass *p, uint64_t row, uint64_t rows) {
    double x = (double)row / (double)rows;
    return p->width == 64 ? x : p->width == CERTIFY_TILES ? exp2(8 * (x - 1)) : p->rank == 2 ? x * x : x * x * x;
}

static wedge_status run_pass(certifier *c, certify_pass *p, uint64_t rows) {
    native_task task = c->options->no_double ? certify_native_no_double : certify_native;
    uint64_t most = most_rows(c, p), step = most / 64;
    for (uint64_t begin = 0, end; begin < rows; begin = end) {
        double start = clock_now();
        end = rows - begin < step ? rows : begin + step;
        if (c->program)
            WEDGE_TRY(gpu_rows(c, p, begin, end));
        else
            WEDGE_TRY(c->dev->backend->run(c->dev, task, p, begin, end, p->width == 64 ? 4096 : 8));
        double done = c->done + c->share * work_share(p, end, rows);
        WEDGE_CHECK(!c->options->progress || c->options->progress(c->options->user, done), &c->dev->note, WEDGE_STOPPED,
                    "stopped by the caller");
        step = next_rows(step, clock_now() - start, most);
    }
    c->done += c->share;
    return WEDGE_OK;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Cells of a pass: all places below 2^32, or the samples of each row. */
static uint64_t expected_cells(int rank, int width, uint64_t rows) {
    if (width == 64) return rows * (rank == 2 ? 3 : 4);
    return rank == 2 ? (rows == ROWS_32 ? UINT64_C(1) << 32 : wedge_tri64(rows))
                     : (rows == LAYERS_32 ? UINT64_C(1) << 32 : wedge_tet64(rows));
}

static wedge_status check_tried(certifier *c, const certify_tally *tally, uint64_t expected) {
    WEDGE_CHECK(tally->tried == expected, &c->dev->note, WEDGE_FAILED,
                "the device tried %" PRIu64 " cells instead of %" PRIu64 ": its results are worthless", tally->tried,
                expected);
    return WEDGE_OK;
}

static wedge_status one_width(certifier *c, int width, uint64_t wanted, wedge_certify_report *report) {
    int rank = c->options->rank, count = rank == 2 ? 6 : 4;
    uint64_t all = rank == 2 ? (width == 32 ? ROWS_32 : ROWS_64) : (width == 32 ? LAYERS_32 : LAYERS_64);
    uint64_t rows = least(wanted, all), whole = least(wanted, all - 1); /* whole: without a last row cut by 2^width */
    certify_tally tally;
    certify_pass pass = {.rank = rank, .width = width, .n = whole + 1, .tally = &tally};
    clear(&tally);
    WEDGE_TRY(run_pass(c, &pass, rows));
    uint64_t expected = expected_cells(rank, width, rows);
    WEDGE_TRY(check_tried(c, &tally, expected));
    for (int f = 0; f < count; ++f) {
        forms_of(report)[report->count++] =
            (wedge_certify_form){.function = forms[rank - 2][width == 64][f],
                                 .tried = f < 4 ? expected : expected_cells(rank, width, whole),
                                 .failures = tally.failures[f],
                                 .first_row = tally.first[f]};
        report->failures += tally.failures[f];
    }
    return WEDGE_OK;
}

/* ---- Tiles of hmap, rank 3 ---- */

/* Of side m: tiles in strips, by the sides of odd corners; blocks of the grid of a power of two. */
static uint64_t strip_tiles(uint64_t m) {
    uint64_t tiles = 0;
    for (uint32_t l = 0; (m + 1) >> l > 1; ++l)
        if ((m + 1) >> l & 1) tiles += wedge_tri64(((m + 1) >> l) - 1) << l;
    return tiles;
}
static uint64_t grid_blocks(uint64_t m) { return m / 2 * (m / 2) * (m / 2 + m / 4); }

/* Sides up to the layers asked for, and to LARGEST_TILES at most. */
static wedge_status all_tiles(certifier *c, uint64_t wanted, wedge_certify_report *report) {
    uint64_t rows = 0, tried[TILE_FORMS] = {0}, blocks = 0;
    certify_tally tally;
    certify_pass pass = {.rank = 3, .width = CERTIFY_TILES, .tally = &tally};
    for (uint64_t m = 1; m <= least(wanted, LARGEST_TILES); m = wedge_hmap3_side((uint32_t)++rows)) {
        tried[1] += wedge_tet64(m) - strip_tiles(m), tried[2] += strip_tiles(m);
        if (wedge_is_power((uint32_t)m)) tried[0] += wedge_tet64(m - 1), blocks += grid_blocks(m);
    }
    clear(&tally);
    WEDGE_TRY(run_pass(c, &pass, rows));
    WEDGE_TRY(
        check_tried(c, &tally, tried[1] + tried[2] + blocks)); /* what a grid has is tried with cubes and strips */
    for (int f = 0; f < TILE_FORMS; ++f) {
        uint64_t first = tally.failures[f] ? wedge_hmap3_side((uint32_t)tally.first[f]) : UINT64_MAX;
        forms_of(report)[report->count++] = (wedge_certify_form){tile_forms[f], tried[f], tally.failures[f], first};
        report->failures += tally.failures[f];
    }
    return WEDGE_OK;
}

wedge_status certify_patched(wedge_device *dev, const wedge_certify_options *options, const char *patch,
                             wedge_certify_report *report) {
    uint64_t all = options->rank == 2 ? ROWS_64 : LAYERS_64, rows = options->rows ? options->rows : all;
    certifier c = {.dev = dev, .options = options};
    *report = (wedge_certify_report){.size = sizeof *report};
    WEDGE_CHECK(options->rank == 2 || options->rank == 3, &dev->note, WEDGE_BAD_ARGUMENT, "rank %d: must be 2 or 3",
                options->rank);
    WEDGE_CHECK(rows <= all, &dev->note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " rows: rank %d has %" PRIu64 " with 64-bit indices", rows, options->rank, all);
    WEDGE_CHECK(!patch || dev->backend->compile, &dev->note, WEDGE_UNSUPPORTED, "this device cannot compile kernels");
    const source_piece pieces[] = {{"settings", options->no_double ? "#define WEDGE_NO_DOUBLE 1" : ""},
                                   {"wedge/lang.h", text_lang},
                                   {"wedge/map.h", text_map},
                                   {"patch", patch ? patch : ""},
                                   {"kernels/certify.h", text_certify}};
    report->forms = calloc(MOST_FORMS, sizeof(wedge_certify_form));
    WEDGE_CHECK(report->forms, &dev->note, WEDGE_NO_MEMORY, "no memory for a report");
    double start = clock_now();
    wedge_status status = dev->backend->compile ? gpu_start(&c, pieces, 5) : WEDGE_OK;
    c.share = options->rank == 2 ? 0.5 : 0.45;
    if (!status) status = one_width(&c, 32, rows, report);
    if (!status) status = one_width(&c, 64, rows, report);
    c.share = 0.1;
    if (!status && options->rank == 3) status = all_tiles(&c, rows, report);
    if (dev->backend->compile) gpu_stop(&c);
    report->rows = rows;
    report->seconds = clock_now() - start;
    if (status) wedge_certify_report_free(report);
    return status;
}

wedge_status wedge_certify(wedge_device *dev, const wedge_certify_options *options, wedge_certify_report *report) {
    DEFAULT_FLOATS;
    wedge_certify_options o;
    wedge_certify_report made = {0};
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(report, &dev->note);
    WEDGE_TRY(SIZED_CHECK(&dev->note, wedge_certify_report, report));
    SIZED_WRITE(wedge_certify_report, report, &made);
    WEDGE_GIVEN(options, &dev->note);
    WEDGE_TRY(SIZED_READ(&dev->note, wedge_certify_options, options, &o));
    WEDGE_TRY(certify_patched(dev, &o, NULL, &made));
    SIZED_WRITE(wedge_certify_report, report, &made);
    return WEDGE_OK;
}

void wedge_certify_report_free(wedge_certify_report *report) {
    wedge_certify_report none = {0};
    if (!report || !report->size) return;
    free(report->forms);
    SIZED_WRITE(wedge_certify_report, report, &none);
}

const wedge_certify_form *wedge_certify_form_at(const wedge_certify_report *report, int index) {
    return report && index >= 0 && index < report->count ? forms_of(report) + index : NULL;
}

/* ---- The paper's maps as printed ---- */

typedef struct {
    const wedge_map_info *map;
    wedge_launch launch;
    certify_tally *tally;
} root_job;

static void found_wrong(const root_job *job, uint64_t row) {
    uint64_t old = __atomic_load_n(&job->tally->first[0], __ATOMIC_RELAXED);
    while (row < old &&
           !__atomic_compare_exchange_n(&job->tally->first[0], &old, row, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* In thread space row i stands for the side i + 1. */
static void native_first_wrong_side(void *user, uint64_t begin, uint64_t end) {
    const root_job *job = user;
    wedge_launch g = job->launch;
    for (uint64_t i = begin; i < end; ++i) {
        bool wrong = false;
        g.m = (uint32_t)i + 1;
        for (uint32_t a = 0, q = 0, c; a < g.m && !wrong; q = (q + 1) % 3, a += !q) {
            uint32_t place = wedge_utm_place(g.m + 1, a, q, &c);
            wedge_segment t = map_begin(job->map, &g, place, 0, 0, NULL);
            wrong = t.i != a + c || t.j != a;
        }
        if (wrong) found_wrong(job, i);
    }
}

static void native_first_wrong(void *user, uint64_t begin, uint64_t end) {
    const root_job *job = user;
    uint32_t a = job->launch.a;
    for (uint64_t i = begin; i < end; ++i) {
        bool wrong = false;
        uint32_t rows = job->map->rank == 2 ? 1 : (uint32_t)i + 1;
        for (uint32_t j = 0; j < rows && !wrong; ++j) {
            uint32_t row = job->map->rank == 2 ? (uint32_t)i : j;
            uint64_t first = job->map->rank == 2 ? wedge_tri64(i) : wedge_tet64(i) + wedge_tri64(j);
            for (uint32_t k = 0; k <= row && !wrong; ++k) {
                uint32_t w = (uint32_t)first + k, q = w / a;
                wedge_segment t = job->map->rank == 2 ? map_begin(job->map, &job->launch, w % a, q, 0, NULL)
                                                      : map_begin(job->map, &job->launch, w % a, q % a, q / a, NULL);
                wrong = t.i != i || (job->map->rank == 2 ? t.j != k : t.j != j || t.k != k);
            }
        }
        if (wrong) found_wrong(job, i);
    }
}

static wedge_status scan_rows(certifier *c, root_job *job, uint64_t rows) {
    uint64_t step = job->map->rank == 2 ? 4096 : 64;
    uint32_t threads = c->dev->backend->compile ? threads_of(c->dev) : 0;
    native_task task = job->map->space == WEDGE_THREAD_SPACE ? native_first_wrong_side : native_first_wrong;
    for (uint64_t begin = 0; begin < rows && job->tally->first[0] == UINT64_MAX; begin += step) {
        uint64_t end = least(rows, begin + step);
        uint32_t from = (uint32_t)begin, count = (uint32_t)(end - begin);
        const kernel_arg args[] = {ARG_BUFFER(&c->result), ARG_VALUE(job->launch), ARG_VALUE(from)};
        grid_launch launch = {{count, 1, 1}, {threads, 1, 1}, args, 3};
        if (job->map->rank == 3) launch.grid[0] = (uint32_t)end, launch.grid[1] = count;
        WEDGE_TRY(c->program ? gpu_part(c, "first_wrong", &launch, begin, job->tally)
                             : c->dev->backend->run(c->dev, task, job, begin, end, 16));
    }
    return WEDGE_OK;
}

wedge_status wedge_map_first_wrong_row(wedge_device *dev, const wedge_map_info *map, uint64_t rows, uint64_t *row) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(row, &dev->note);
    *row = UINT64_MAX;
    WEDGE_TRY(map_resolve(&dev->note, &map));
    if (map->exact) return WEDGE_OK; /* certify is for those */
    certify_tally tally;
    certifier c = {.dev = dev};
    root_job job = {.map = map, .tally = &tally};
    clear(&tally);
    /* Any side does whose power holds every w: the maps see y * side + x only. */
    job.launch.a = map->rank == 2 ? 65536 : 1626;
    job.launch.m = (uint32_t)map->largest_side;
    char *settings = map_device_text(map, (map_shape){.origin = true});
    WEDGE_CHECK(settings, &dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"wedge/map.h", text_map},
                                   {"settings", settings},
                                   {"launch.h", text_launch},
                                   {"kernels/certify.h", text_certify}};
    wedge_status status = dev->backend->compile ? gpu_start(&c, pieces, 5) : WEDGE_OK;
    if (!status) status = scan_rows(&c, &job, least(rows, least(map->largest_side, 65536)));
    if (dev->backend->compile) gpu_stop(&c);
    free(settings);
    *row = tally.first[0];
    return status;
}
