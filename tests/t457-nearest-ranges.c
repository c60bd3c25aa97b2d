/* t457-nearest-ranges.c: nearest in parts: ranges of whole rows, too little room, one of columns and values, pieces of
 * a stream, memory of the device, points with gaps, runs that are stopped.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest_problem.h"

enum { K = 5 };

/* Layouts, data sets (little, much and nothing to prune; NaN), pruned and not. One kernel each way. */
typedef void check_fn(wedge_device *dev, const ranking *r, uint32_t k);

static void check_everywhere(wedge_device *dev, check_fn *check) {
    static const unsigned sets[] = {0, 6, 3, 7};
    for (unsigned k = 0; k < 8; ++k) {
        bool two = k % 2;
        problem p = prune_problem("euclidean", NULL, two ? WEDGE_RECTANGLE : WEDGE_SQUARE, WEDGE_F32, two ? 71 : 150, 3,
                                  &data_sets[sets[k / 2]]);
        ranking r = rank_rows(dev, &p);
        for (int prune = WEDGE_PRUNE_NEVER; prune <= WEDGE_PRUNE_ALWAYS; ++prune) {
            p.pairs.prune = prune;
            check(dev, &r, k < 4 ? K : 40);
        }
        free_ranking(&r);
        free(p.points);
    }
}

/* ---- Ranges ---- */

/* Shares of all sizes in an order of their own, one row, and all rows again; empty ones have nothing. */
static void check_ranges(wedge_device *dev, const ranking *r, uint32_t k) {
    enum { PARTS = 7 };
    wedge_job *job = nearest_job(dev, r->p, k, 0);
    assert_int_equal(wedge_job_get_info(job)->cells, r->rows * r->columns);
    for (uint64_t part = 0; part < PARTS; ++part) {
        uint64_t at = 3 * part % PARTS, first = r->rows * at * at / (PARTS * PARTS);
        check_rows(dev, job, r, k, first, r->rows * (at + 1) * (at + 1) / (PARTS * PARTS), WANT_BOTH);
        check_rows(dev, job, r, k, first, first, WANT_BOTH);
    }
    check_rows(dev, job, r, k, r->rows / 3, r->rows / 3 + 1, WANT_BOTH);
    check_rows(dev, job, r, k, r->rows, r->rows, WANT_BOTH);
    check_rows(dev, job, r, k, r->rows - 1, r->rows, WANT_BOTH);
    check_rows(dev, job, r, k, 0, r->rows, WANT_BOTH);
    wedge_job_destroy(job);
}

static void ranges_of_rows_join_on(wedge_device *dev) { check_everywhere(dev, check_ranges); }

static void ranges_of_rows_join(void **state) {
    (void)state;
    on_every_device(ranges_of_rows_join_on);
}

static wedge_status take_nothing(void *user, const wedge_piece *piece) {
    (void)user, (void)piece;
    fail_msg("a piece of a range that cannot be");
    return WEDGE_FAILED;
}

static void check_cuts(wedge_device *dev, const ranking *r, uint32_t k) {
    wedge_job *job = nearest_job(dev, r->p, k, 0);
    uint64_t m = r->columns, cells = r->rows * m;
    const uint64_t cuts[][2] = {{1, cells}, {0, cells - 1}, {m, 2 * m + 1}, {m - 1, 2 * m}, {3, 3}, {0, 1}};
    neighbours to = room_for(r->rows * k, r->size);
    for (uint64_t row = 0; row < r->rows; ++row) {
        assert_int_equal(wedge_job_boundary(job, row * m), row * m);
        assert_int_equal(wedge_job_boundary(job, row * m + row % m), row * m);
        assert_int_equal(wedge_job_boundary(job, row * m + m - 1), row * m);
    }
    assert_int_equal(wedge_job_boundary(job, cells), cells);
    for (unsigned c = 0; c < 6; ++c) {
        wedge_result result = result_in(&to, WANT_BOTH);
        assert_int_equal(wedge_job_run(job, cuts[c][0], cuts[c][1], &result, NULL, NULL), WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(wedge_device_message(dev), "wedge_job_boundary"));
        assert_int_equal(wedge_job_stream(job, cuts[c][0], cuts[c][1], 0, take_nothing, NULL, NULL, NULL),
                         WEDGE_BAD_ARGUMENT);
    }
    assert_written(&to, 0, 0);
    free_neighbours(&to);
    wedge_job_destroy(job);
}

static void no_range_cuts_a_row_on(wedge_device *dev) { check_everywhere(dev, check_cuts); }

static void no_range_cuts_a_row(void **state) {
    (void)state;
    on_every_device(no_range_cuts_a_row_on);
}

/* ---- Room ---- */

/* More room than needed stays as it is; with too little nothing is written. */
static void check_rooms(wedge_device *dev, const ranking *r, uint32_t k) {
    uint64_t all = r->rows * k, cells = r->rows * r->columns;
    const uint64_t rooms[] = {0, 1, all - 1, all, all + 9};
    wedge_job *job = nearest_job(dev, r->p, k, 0);
    for (unsigned x = 0; x < 5; ++x)
        for (int want = 0; want <= WANT_BOTH; ++want) {
            bool enough = rooms[x] >= all;
            neighbours to = room_for(rooms[x], r->size);
            wedge_result result = result_in(&to, want);
            wedge_status status = wedge_job_run(job, 0, cells, &result, NULL, NULL);
            assert_int_equal(status, !want ? WEDGE_BAD_ARGUMENT : enough ? WEDGE_OK : WEDGE_TOO_SMALL);
            if (want && !enough) assert_non_null(strstr(wedge_device_message(dev), "wedge_result.room is"));
            assert_written(&to, want, status ? 0 : all);
            if (!status) assert_nearest(r, k, 0, r->rows, result.indices, result.values);
            if (!status) assert_int_equal(result.count, all);
            free_neighbours(&to);
        }
    wedge_job_destroy(job);
}

static void too_little_room_is_told_on(wedge_device *dev) { check_everywhere(dev, check_rooms); }

static void too_little_room_is_told(void **state) {
    (void)state;
    on_every_device(too_little_room_is_told_on);
}

/* ---- Streams ---- */

typedef struct {
    const ranking *r;
    uint32_t k;
    uint64_t position, most; /* so far; entries of the largest piece */
    unsigned pieces, refused;
    bool values;
    double done, stop_at; /* progress: so far, and where it ends; 0: nowhere */
} reader;

/* Whole rows, in order. */
static wedge_status take(void *user, const wedge_piece *piece) {
    reader *s = user;
    uint64_t m = s->r->columns, rows = (piece->end - piece->begin) / m;
    assert_int_equal(piece->size, sizeof *piece);
    assert_int_equal(piece->begin, s->position);
    assert_true(piece->end > piece->begin && piece->end % m == 0);
    assert_int_equal(piece->count, rows * s->k);
    assert_true(piece->indices && (piece->values != NULL) == s->values);
    assert_nearest(s->r, s->k, piece->begin / m, rows, piece->indices, piece->values);
    s->position = piece->end;
    if (piece->count > s->most) s->most = piece->count;
    return ++s->pieces == s->refused ? WEDGE_NO_SPACE : WEDGE_OK;
}

static bool goes_forward(void *user, double done) {
    reader *s = user;
    assert_true(done >= s->done && done <= 1);
    s->done = done;
    return s->stop_at == 0 || done < s->stop_at;
}

/* As many rows at a time as there is memory for, at least one. */
static void check_streams(wedge_device *dev, const ranking *r, uint32_t k) {
    const uint64_t row = k * (8 + r->size), memory[] = {1, 10 * row, 0, 8 * row - 1, 20 * row, 0};
    for (unsigned x = compiles_slowly(dev) && k != K; x < 6;
         ++x) { /* there a run takes its time, however few its rows */
        uint64_t first = x > 2 ? r->rows / 5 : 0, past = x > 2 ? r->rows - 3 : r->rows;
        reader s = {.r = r, .k = k, .values = x % 2, .position = first * r->columns};
        uint64_t given = memory[x], each = 8 + (s.values ? r->size : 0), most = given < row ? k * each : given;
        wedge_job *job = nearest_job(dev, r->p, k, s.values);
        assert_ok(dev, wedge_job_stream(job, first * r->columns, past * r->columns, given, take, &s, goes_forward, &s));
        assert_int_equal(s.position, past * r->columns);
        assert_true(s.done == 1);
        if (given) assert_true(s.most * each <= most && s.pieces >= (past - first) * k * each / most);
        unsigned pieces = s.pieces;
        assert_ok(dev, wedge_job_stream(job, r->columns, r->columns, given, take, &s, NULL, NULL));
        assert_int_equal(s.pieces, pieces);
        wedge_job_destroy(job);
    }
}

static void pieces_of_streams_join_on(wedge_device *dev) { check_everywhere(dev, check_streams); }

static void pieces_of_streams_join(void **state) {
    (void)state;
    on_every_device(pieces_of_streams_join_on);
}

static void check_stops(wedge_device *dev, const ranking *r, uint32_t k) {
    uint64_t cells = r->rows * r->columns, row = k * (8 + r->size);
    reader full = {.r = r, .k = k, .refused = 3}, half = {.r = r, .k = k, .stop_at = 0.5}, all = {.r = r, .k = k};
    wedge_job *job = nearest_job(dev, r->p, k, 0);
    assert_int_equal(wedge_job_stream(job, 0, cells, 1, take, &full, NULL, NULL), WEDGE_NO_SPACE);
    assert_int_equal(full.pieces, 3);
    assert_int_equal(wedge_job_stream(job, 0, cells, 4 * row, take, &half, goes_forward, &half), WEDGE_STOPPED);
    assert_true(half.position > 0 && half.position < cells);
    assert_ok(dev, wedge_job_stream(job, 0, cells, 7 * row, take, &all, NULL, NULL));
    assert_int_equal(all.position, cells);
    wedge_job_destroy(job);
}

static void streams_can_be_stopped_on(wedge_device *dev) { check_everywhere(dev, check_stops); }

static void streams_can_be_stopped(void **state) {
    (void)state;
    on_every_device(streams_can_be_stopped_on);
}

/* ---- Progress ---- */

static bool stop_at_once(void *user, double done) {
    (void)done;
    ++*(unsigned *)user;
    return false;
}

/* Stopped early and late; then the same job gives all, and progress ends at 1. */
static void check_progress(wedge_device *dev, const ranking *r, uint32_t k) {
    uint64_t all = r->rows * k, cells = r->rows * r->columns;
    unsigned asked = 0;
    reader s = {.stop_at = 0.5};
    wedge_job *job = nearest_job(dev, r->p, k, 0);
    neighbours to = room_for(all, r->size);
    wedge_result result = result_in(&to, WANT_BOTH);
    assert_int_equal(wedge_job_run(job, 0, cells, &result, stop_at_once, &asked), WEDGE_STOPPED);
    assert_int_equal(asked, 1);
    wedge_status late = wedge_job_run(job, 0, cells, &result, goes_forward, &s);
    assert_true(late == WEDGE_STOPPED || (late == WEDGE_OK && s.done == 1)); /* who is done is not stopped any more */
    assert_written(&to, WANT_BOTH, all);
    memset(to.columns, GUARD, all * 8), memset(to.values, GUARD, all * r->size);
    s = (reader){.done = 0};
    assert_ok(dev, wedge_job_run(job, 0, cells, &result, goes_forward, &s));
    assert_true(s.done == 1);
    assert_int_equal(result.count, all);
    assert_nearest(r, k, 0, r->rows, result.indices, result.values);
    assert_written(&to, WANT_BOTH, all);
    free_neighbours(&to);
    wedge_job_destroy(job);
}

static void a_stopped_run_can_be_run_again_on(wedge_device *dev) { check_everywhere(dev, check_progress); }

static void a_stopped_run_can_be_run_again(void **state) {
    (void)state;
    on_every_device(a_stopped_run_can_be_run_again_on);
}

/* ---- Memory of the device ---- */

enum { COLUMNS_AT = 48, VALUES_AT = 12 };

/* Rows [first, past) into memory of the device, columns and values each at an offset; the bytes around them stay. */
static void check_device_rows(wedge_device *dev, wedge_job *job, const ranking *r, uint32_t k, uint64_t first,
                              uint64_t past, int want) {
    uint64_t entries = (past - first) * k;
    const size_t at[] = {COLUMNS_AT, VALUES_AT}, bytes[] = {entries * 8, entries * r->size};
    char *host[2];
    void *memory[2];
    for (int w = 0; w < 2; ++w) {
        host[w] = malloc(at[w] + bytes[w] + MARGIN);
        memset(host[w], GUARD, at[w] + bytes[w] + MARGIN);
        assert_ok(dev, wedge_memory_create(dev, at[w] + bytes[w] + MARGIN, &memory[w]));
        assert_ok(dev, wedge_memory_write(dev, memory[w], 0, host[w], at[w] + bytes[w] + MARGIN));
    }
    wedge_result result = {.size = sizeof result, .place = WEDGE_ON_DEVICE, .room = entries};
    if (want & WANT_COLUMNS) result.indices = memory[0], result.indices_offset = COLUMNS_AT;
    if (want & WANT_VALUES) result.values = memory[1], result.values_offset = VALUES_AT;
    assert_ok(dev, wedge_job_run(job, first * r->columns, past * r->columns, &result, NULL, NULL));
    assert_int_equal(result.count, entries);
    for (int w = 0; w < 2; ++w) {
        bool wanted = want & (w ? WANT_VALUES : WANT_COLUMNS);
        assert_ok(dev, wedge_memory_read(dev, host[w], memory[w], 0, at[w] + bytes[w] + MARGIN));
        assert_untouched(host[w], at[w] + (wanted ? 0 : bytes[w]));
        assert_untouched(host[w] + at[w] + bytes[w], MARGIN);
        const char *got = wanted ? host[w] + at[w] : NULL;
        assert_nearest(r, k, first, past - first, w ? NULL : (const int64_t *)(const void *)got, w ? got : NULL);
        wedge_memory_destroy(dev, memory[w]);
        free(host[w]);
    }
}

static void check_on_device(wedge_device *dev, const ranking *r, uint32_t k) {
    wedge_job *job = nearest_job(dev, r->p, k, 0);
    for (int want = WANT_COLUMNS; want <= WANT_BOTH; ++want) check_device_rows(dev, job, r, k, 0, r->rows, want);
    check_device_rows(dev, job, r, k, r->rows / 4, r->rows - 5, WANT_BOTH);
    check_rows(dev, job, r, k, 0, r->rows, WANT_BOTH);
    wedge_job_destroy(job);
}

static void results_may_stay_on_the_device_on(wedge_device *dev) { check_everywhere(dev, check_on_device); }

static void results_may_stay_on_the_device(void **state) {
    (void)state;
    on_every_device(results_may_stay_on_the_device_on);
}

static void odd_offsets_are_refused_on(wedge_device *dev) {
    problem p = prune_problem("euclidean", NULL, WEDGE_SQUARE, WEDGE_F32, 10, 3, &data_sets[0]);
    wedge_job *job = nearest_job(dev, &p, K, 0);
    void *memory;
    assert_ok(dev, wedge_memory_create(dev, 1000, &memory));
    wedge_result r = {
        .size = sizeof r, .place = WEDGE_ON_DEVICE, .room = 10 * K, .indices = memory, .indices_offset = 4};
    assert_int_equal(wedge_job_run(job, 0, 100, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    r.indices = NULL, r.values = memory, r.values_offset = 2;
    assert_int_equal(wedge_job_run(job, 0, 100, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    wedge_memory_destroy(dev, memory);
    wedge_job_destroy(job);
    free(p.points);
}

static void odd_offsets_are_refused(void **state) {
    (void)state;
    on_every_device(odd_offsets_are_refused_on);
}

/* ---- Points with gaps ---- */

/* From an offset on, on the host or the device: the job's order is its own, they stay as they are. */
static void check_gaps(wedge_device *dev, const ranking *r, uint32_t k) {
    for (uint64_t gap = 0; gap < 4; ++gap) {
        wedge_job_spec *q = &r->p->pairs, before = *q;
        uint64_t front = 4 * (gap / 2), stride = q->d + gap;
        size_t bytes;
        void *all = spread(r->p->points, q->n + q->m, q->d, stride, front, r->size, &bytes), *memory;
        char *after = malloc(bytes);
        memcpy(after, all, bytes);
        assert_ok(dev, wedge_memory_create(dev, bytes, &memory));
        assert_ok(dev, wedge_memory_write(dev, memory, 0, all, bytes));
        q->place = gap % 2 ? WEDGE_ON_DEVICE : WEDGE_ON_HOST;
        q->points = q->others = gap % 2 ? memory : all;
        q->points_stride = q->others_stride = stride;
        q->points_offset = front * r->size, q->others_offset = (front + q->n * stride) * r->size;
        wedge_job *job = nearest_job(dev, r->p, k, 0);
        check_rows(dev, job, r, k, 0, r->rows, WANT_BOTH);
        wedge_job_destroy(job);
        if (gap % 2) assert_ok(dev, wedge_memory_read(dev, all, memory, 0, bytes));
        assert_memory_equal(all, after, bytes);
        wedge_memory_destroy(dev, memory);
        *q = before;
        free(after);
        free(all);
    }
}

static void points_stay_where_they_are_on(wedge_device *dev) { check_everywhere(dev, check_gaps); }

static void points_stay_where_they_are(void **state) {
    (void)state;
    on_every_device(points_stay_where_they_are_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_rows_join),
        cmocka_unit_test(no_range_cuts_a_row),
        cmocka_unit_test(too_little_room_is_told),
        cmocka_unit_test(pieces_of_streams_join),
        cmocka_unit_test(streams_can_be_stopped),
        cmocka_unit_test(a_stopped_run_can_be_run_again),
        cmocka_unit_test(results_may_stay_on_the_device),
        cmocka_unit_test(odd_offsets_are_refused),
        cmocka_unit_test(points_stay_where_they_are),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
