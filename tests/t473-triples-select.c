/* t473-triples-select.c: lists of the triplets within a radius, against plain loops over what is stored, on every device: ranges, offsets,
 * streams, too little room, cutoffs, periodic boxes, NaN.
 *
 * SPDX-License-Identifier: MIT */
#include "triples_stored.h"

typedef struct {
    uint64_t count;
    int64_t *at;
    double *values;
    bool exact;
} triplets;

static void drop(triplets *t) {
    free(t->at);
    free(t->values);
}

/* Those of positions [begin, end): by what is stored, or where nothing is, by the oracle. */
static triplets within(const problem *p, const char *stored, double radius, uint64_t begin, uint64_t end) {
    triplets t = {.exact = stored};
    uint64_t room = end - begin + 1, w = 0;
    t.at = malloc(room * 3 * sizeof *t.at), t.values = malloc(room * sizeof *t.values);
    EACH_TRIPLET(p, i, j, k) {
        uint64_t at = w++;
        if (at < begin || at >= end) continue;
        double v = stored ? number_at(p, stored, at) : value_of(p, i, j, k);
        if (!(v <= radius) || !counts(p, i, j, k)) continue;
        memcpy(t.at + 3 * t.count, (const int64_t[]){(int64_t)i, (int64_t)j, (int64_t)k}, 3 * sizeof *t.at);
        t.values[t.count++] = v;
    }
    return t;
}

/* Entries [first, first + count) of the list. */
static void check_entries(const problem *p, const triplets *want, uint64_t first, uint64_t count, const int64_t *at,
                          const void *values) {
    assert_true(first + count <= want->count);
    if (at) assert_memory_equal(at, want->at + 3 * first, count * 3 * sizeof *at);
    for (uint64_t e = 0; e < count && values; ++e) {
        double v = number_at(p, values, e), w = want->values[first + e];
        if (want->exact ? v != w : !(fabs(v - w) <= (p->dtype == WEDGE_F64 ? 1e-12 : 1e-5) * 8))
            fail_msg("entry %d: %.17g, not %.17g", (int)(first + e), v, w);
    }
}

static wedge_job *select_job(wedge_device *dev, const problem *p, double radius) {
    const wedge_parameter set[] = {WEDGE_NUMBER("radius", radius), WEDGE_FLAG("values", true)};
    return job_of(dev, p, "select", set, 2);
}

/* `kinds`: 1 the points, 2 the values, 0 only how many. */
static void run_list(wedge_device *dev, wedge_job *job, const problem *p, const triplets *want, uint64_t begin,
                     uint64_t end, uint64_t room, int kinds) {
    uint64_t written = room < want->count ? room : want->count;
    size_t at_bytes = room * 3 * sizeof(int64_t), value_bytes = room * size_of(p);
    char *at = guarded(at_bytes), *values = guarded(value_bytes);
    wedge_result r = {.size = sizeof r, .room = room, .indices_offset = 8, .values_offset = 8};
    if (kinds & 1) r.indices = (int64_t *)(void *)at;
    if (kinds & 2) r.values = values;
    wedge_status status = wedge_job_run(job, begin, end, &r, NULL, NULL);
    assert_int_equal(status, kinds && room < want->count ? WEDGE_TOO_SMALL : WEDGE_OK);
    if (status) assert_non_null(strstr(wedge_device_message(dev), "triplets were found"));
    assert_int_equal(r.count, want->count);
    if (kinds & 1) check_entries(p, want, 0, written, (const int64_t *)(const void *)(at + 8), NULL);
    if (kinds & 2) check_entries(p, want, 0, written, NULL, values + 8);
    size_t at_used = kinds & 1 ? written * 3 * sizeof(int64_t) : 0, values_used = kinds & 2 ? written * size_of(p) : 0;
    assert_untouched(at, 8);
    assert_untouched(at + 8 + at_used, at_bytes + 2 * EDGE - 8 - at_used);
    assert_untouched(values, 8);
    assert_untouched(values + 8 + values_used, value_bytes + 2 * EDGE - 8 - values_used);
    free(at);
    free(values);
}

static void check_select(wedge_device *dev, const problem *p, const char *stored, double radius) {
    uint64_t cells = cells_of(p);
    wedge_job *job = select_job(dev, p, radius);
    for (uint64_t k = 0; k < 5; ++k) {
        uint64_t begin = k < 2 ? 0 : cells * k / 9, end = k < 2 ? cells : cells - cells * (6 - k) / 7;
        if (begin > end) begin = end;
        triplets want = within(p, stored, radius, begin, end);
        run_list(dev, job, p, &want, begin, end, want.count, k % 4 == 3 ? 1 : 3);
        run_list(dev, job, p, &want, begin, end, want.count + 2, k % 2 ? 2 : 0);
        if (want.count) run_list(dev, job, p, &want, begin, end, want.count - 1 - want.count / 2, 3);
        drop(&want);
    }
    wedge_job_destroy(job);
}

static void what_is_within_is_listed_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 33, 66, 97};
    static const double radii[] = {0.01, 9, 15, 1000};
    for (uint32_t k = 0; k < 16; ++k) {
        problem p = some_points(dev, sizes[k % 8], k);
        p.packed = k >= 8;
        char *stored = store_all(dev, &p);
        for (int r = 0; r < 4; ++r)
            if (k % 8 > 4 || r % 2) check_select(dev, &p, stored, radii[r]);
        if (!compiles_slowly(dev)) check_select(dev, &p, stored, INFINITY);
        if (cells_of(&p)) check_select(dev, &p, stored, number_at(&p, stored, cells_of(&p) / 3)); /* at equality */
        free(stored);
    }
}

typedef struct {
    const problem *p;
    const triplets *want;
    uint64_t at, found;
    int pieces;
} list_reader;

static wedge_status read_list(void *user, const wedge_piece *piece) {
    list_reader *r = user;
    assert_int_equal(piece->begin, r->at);
    assert_true(piece->values && piece->end >= piece->begin);
    if (piece->total != UINT64_MAX) assert_int_equal(piece->total, r->want->count);
    check_entries(r->p, r->want, r->found, piece->count, piece->indices, piece->values);
    r->found += piece->count;
    r->at = piece->end;
    ++r->pieces;
    return WEDGE_OK;
}

/* With little memory: finds come in many batches, and batches in parts. */
static void check_stream(wedge_device *dev, const problem *p, const char *stored, double radius, uint64_t begin,
                         uint64_t end, int least) {
    triplets want = within(p, stored, radius, begin, end);
    wedge_job *job = select_job(dev, p, radius);
    list_reader r = {.p = p, .want = &want, .at = begin};
    assert_ok(dev, wedge_job_stream(job, begin, end, 1, read_list, &r, NULL, NULL));
    assert_int_equal(r.found, want.count);
    assert_int_equal(r.at, end);
    assert_true(r.pieces >= least);
    wedge_job_destroy(job);
    drop(&want);
}

static void lists_are_streamed_on(wedge_device *dev) {
    problem p = some_points(dev, 97, 6);
    p.packed = true;
    char *stored = store_all(dev, &p);
    check_stream(dev, &p, stored, 1000, 0, cells_of(&p), (int)(cells_of(&p) / 1024));
    check_stream(dev, &p, stored, 12, 777, cells_of(&p) - 1, 1);
    check_stream(dev, &p, stored, 0.01, 0, cells_of(&p), 1);
    free(stored);
}

/* More than a part of a list has, 2^20. */
static void long_lists_are_listed_on(wedge_device *dev) {
    problem p = some_points(dev, 190, 10);
    char *stored = store_all(dev, &p);
    triplets want = within(&p, stored, 1000, 0, cells_of(&p));
    wedge_job *job = select_job(dev, &p, 1000);
    run_list(dev, job, &p, &want, 0, cells_of(&p), want.count, 3);
    wedge_job_destroy(job);
    drop(&want);
    free(stored);
}

/* Positions that are found in several steps. Points at whole numbers on a line: a perimeter is twice the extent. */
static void long_ranges_are_listed_on(wedge_device *dev) {
    if (compiles_slowly(dev)) NOTHING_HERE("73 million triplets one by one");
    problem p = {.op = "perimeter", .n = MOST_N, .d = 1};
    uint64_t room = 1 << 20;
    triplets want = {.exact = true, .at = malloc(room * 24), .values = malloc(room * 8)};
    int x[MOST_N];
    for (uint64_t k = 0; k < MOST_N; ++k) set_number(&p, k, x[k] = (int)(k * 37 % MOST_N));
    for (int i = 2; i < MOST_N; ++i)
        for (int j = 1; j < i; ++j)
            for (int k = 0; k < j; ++k) {
                int low = x[i] < x[j] ? x[i] : x[j], high = x[i] < x[j] ? x[j] : x[i];
                int extent = (x[k] > high ? x[k] : high) - (x[k] < low ? x[k] : low);
                if (extent > 12) continue;
                memcpy(want.at + 3 * want.count, (const int64_t[]){i, j, k}, 24);
                want.values[want.count++] = 2 * extent;
            }
    wedge_job *job = select_job(dev, &p, 24);
    list_reader r = {.p = &p, .want = &want};
    run_list(dev, job, &p, &want, 0, cells_of(&p), want.count, 3);
    run_list(dev, job, &p, &want, 0, cells_of(&p), 0, 0);
    assert_ok(dev, wedge_job_stream(job, 0, cells_of(&p), 0, read_list, &r, NULL, NULL));
    assert_int_equal(r.found, want.count);
    assert_true(want.count > 10000 && r.pieces > 1);
    wedge_job_destroy(job);
    drop(&want);
}

static void lists_go_to_device_memory_on(wedge_device *dev) {
    problem p = some_points(dev, 66, 8);
    char *stored = store_all(dev, &p);
    triplets want = within(&p, stored, 12, 0, cells_of(&p));
    wedge_job *job = select_job(dev, &p, 12);
    size_t at_bytes = want.count * 24, value_bytes = want.count * size_of(&p);
    char *at = guarded(at_bytes), *values = guarded(value_bytes);
    void *at_memory, *value_memory;
    assert_ok(dev, wedge_memory_create(dev, at_bytes + 2 * EDGE, &at_memory));
    assert_ok(dev, wedge_memory_create(dev, value_bytes + 2 * EDGE, &value_memory));
    assert_ok(dev, wedge_memory_write(dev, at_memory, 0, at, at_bytes + 2 * EDGE));
    assert_ok(dev, wedge_memory_write(dev, value_memory, 0, values, value_bytes + 2 * EDGE));
    wedge_result r = {.size = sizeof r, .values = value_memory, .indices = at_memory, .place = WEDGE_ON_DEVICE};
    r.values_offset = 16, r.indices_offset = 24, r.room = want.count;
    assert_ok(dev, wedge_job_run(job, 0, cells_of(&p), &r, NULL, NULL));
    assert_ok(dev, wedge_memory_read(dev, at, at_memory, 0, at_bytes + 2 * EDGE));
    assert_ok(dev, wedge_memory_read(dev, values, value_memory, 0, value_bytes + 2 * EDGE));
    assert_true(want.count > 1000);
    check_entries(&p, &want, 0, want.count, (const int64_t *)(const void *)(at + 24), values + 16);
    assert_untouched(at, 24);
    assert_untouched(at + 24 + at_bytes, 2 * EDGE - 24);
    assert_untouched(values, 16);
    assert_untouched(values + 16 + value_bytes, 2 * EDGE - 16);
    wedge_memory_destroy(dev, at_memory);
    wedge_memory_destroy(dev, value_memory);
    wedge_job_destroy(job);
    free(at), free(values), free(stored);
    drop(&want);
}

/* A value that is NaN is stored, and within no radius. */
static void nan_is_stored_and_not_listed_on(wedge_device *dev) {
    problem p = some_points(dev, 40, 4);
    set_number(&p, 3 * 17 + 1, NAN);
    char *stored = store_all(dev, &p);
    uint64_t nan = 0;
    for (uint64_t w = 0; w < cells_of(&p); ++w) nan += isnan(number_at(&p, stored, w));
    assert_int_equal(nan, 39 * 38 / 2);
    check_select(dev, &p, stored, 1000);
    if (!compiles_slowly(dev)) check_select(dev, &p, stored, INFINITY);
    free(stored);
}

/* ---- With a cutoff ---- */

/* In the middle of a gap between the values of the oracle, so that rounding decides nothing. */
static double gap_after(const problem *p, double radius) {
    double below = 0, above = INFINITY;
    EACH_TRIPLET(p, i, j, k) {
        double v = value_of(p, i, j, k);
        if (v <= radius && v > below) below = v;
        if (v > radius && v < above) above = v;
    }
    return isinf(above) ? radius : (below + above) / 2;
}

static problem near_points(wedge_device *dev, int k, uint64_t n) {
    problem p = some_points(dev, n, (uint32_t)(20 + k));
    p.cutoff = k % 3 ? 2 : 1.25;
    p.periodic = k % 2 == 0, p.box[0] = 6.5, p.box[1] = 7, p.box[2] = 0;
    return p;
}

static void a_cutoff_leaves_what_is_near_on(wedge_device *dev) {
    for (int k = 0; k < 6; ++k) {
        problem p = near_points(dev, k, k < 4 ? 130 : 5);
        if (compiles_slowly(dev) && !p.periodic) continue;
        p.packed = k == 2 || k == 3 || k == 4;
        double radius = gap_after(&p, 4.5);
        check_select(dev, &p, NULL, radius);
        p.prune = WEDGE_PRUNE_NEVER;
        check_select(dev, &p, NULL, radius);
        check_select(dev, &p, NULL, 1000);
    }
}

/* The same bytes with tiles left out and without, also where memory is little; and tiles are left out. */
static void far_tiles_are_left_out_on(wedge_device *dev) {
    for (int never = 0; never < 2; ++never) {
        problem p = clusters(WEDGE_F32);
        p.op = "perimeter", p.cutoff = 9;
        p.prune = never ? WEDGE_PRUNE_NEVER : WEDGE_PRUNE_AUTO;
        p.periodic = compiles_slowly(dev), p.box[0] = 10000; /* the kernel that is there already */
        check_stream(dev, &p, NULL, 1000, 0, cells_of(&p), 20);
        triplets want = within(&p, NULL, 1000, 1000, cells_of(&p) / 2);
        wedge_job *job = select_job(dev, &p, 1000);
        assert_true(wedge_job_get_info(job)->pruned == !never);
        run_list(dev, job, &p, &want, 1000, cells_of(&p) / 2, want.count, 3);
        uint64_t computed = wedge_job_get_info(job)->computed;
        assert_true(never ? computed == 0 : computed > want.count && computed < cells_of(&p));
        wedge_job_destroy(job);
        drop(&want);
    }
}

/* ---- Threads, refusals ---- */

static char *first_list;

static void keep_list(wedge_device *dev) {
    for (int k = 0; k < 2; ++k) {
        problem p = random_points("axilrod_teller", WEDGE_F32, 140, 3, 5);
        p.cutoff = k ? 3 : 0;
        wedge_job *job = select_job(dev, &p, 1e-3);
        size_t room = cells_of(&p), bytes = 2 * room * 32;
        char *list = calloc(1, bytes);
        wedge_result r = {
            .size = sizeof r, .room = room, .indices = (int64_t *)(void *)list, .values = list + room * 24};
        assert_ok(dev, wedge_job_run(job, 0, room, &r, NULL, NULL));
        assert_true(r.count > 100);
        if (first_list && k) assert_memory_equal(first_list, list, bytes);
        if (!first_list && k)
            first_list = list;
        else
            free(list);
        wedge_job_destroy(job);
    }
}

static void any_number_of_threads_gives_the_same_list(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", keep_list);
    on_cpu(NULL, "2", keep_list);
    on_cpu(NULL, "5", keep_list);
    free(first_list);
    first_list = NULL;
}

static void odd_jobs_are_refused_on(wedge_device *dev) {
    const double box[] = {9, 9, 9};
    const wedge_parameter radius = WEDGE_NUMBER("radius", 1);
    refuse(dev, (wedge_job_spec){.sink = "select"}, WEDGE_BAD_ARGUMENT, "radius");
    refuse(dev, (wedge_job_spec){.sink = "select", .box = box, .sink_parameters = &radius, .sink_parameter_count = 1},
           WEDGE_BAD_ARGUMENT, "need a cutoff");
}

ON_EVERY_DEVICE(what_is_within_is_listed)
ON_EVERY_DEVICE(lists_are_streamed)
ON_EVERY_DEVICE(long_lists_are_listed)
ON_EVERY_DEVICE(long_ranges_are_listed)
ON_EVERY_DEVICE(lists_go_to_device_memory)
ON_EVERY_DEVICE(nan_is_stored_and_not_listed)
ON_EVERY_DEVICE(a_cutoff_leaves_what_is_near)
ON_EVERY_DEVICE(far_tiles_are_left_out)
ON_EVERY_DEVICE(odd_jobs_are_refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_within_is_listed),
        cmocka_unit_test(lists_are_streamed),
        cmocka_unit_test(long_lists_are_listed),
        cmocka_unit_test(long_ranges_are_listed),
        cmocka_unit_test(lists_go_to_device_memory),
        cmocka_unit_test(nan_is_stored_and_not_listed),
        cmocka_unit_test(a_cutoff_leaves_what_is_near),
        cmocka_unit_test(far_tiles_are_left_out),
        cmocka_unit_test(any_number_of_threads_gives_the_same_list),
        cmocka_unit_test(odd_jobs_are_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
