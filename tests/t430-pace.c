/* Long work in steps of bounded time: all of it once, a stop heard between two steps, and pieces that fit the speed.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "engine/base/pace.h"
#include "pairs_problem.h"

/* ---- Steps alone, on a device that only counts ---- */

enum { UNITS = 3, MOST_STEPS = 1000 };

typedef struct {
    uint64_t begin[MOST_STEPS], end[MOST_STEPS];
    int steps, asked, stop_at; /* stop_at: the question that is answered with no; 0: none */
    useconds_t each;           /* time of an item */
} work;

static wedge_status no_wait(wedge_device *dev, void *queue) {
    (void)dev, (void)queue;
    return WEDGE_OK;
}

static wedge_status no_compile(wedge_device *dev, const char *source, blob *binary) {
    (void)dev, (void)source, (void)binary;
    return WEDGE_FAILED;
}

static wedge_status take_step(void *user, uint64_t begin, uint64_t end) {
    work *w = user;
    assert_true(w->steps < MOST_STEPS && begin < end);
    w->begin[w->steps] = begin;
    w->end[w->steps++] = end;
    if (w->each) usleep(w->each * (useconds_t)(end - begin));
    return WEDGE_OK;
}

static bool ask(void *user) {
    work *w = user;
    return ++w->asked != w->stop_at;
}

static wedge_status run_work(work *w, pace *p, uint64_t cells, uint64_t count, bool native) {
    static const backend counting = {.wait = no_wait}, compiling = {.wait = no_wait, .compile = no_compile};
    wedge_device dev = {.backend = native ? &counting : &compiling, .info = {.units = UNITS}};
    wedge_status status = pace_run(p, &dev, NULL, (pace_items){count, (double)cells, UNITS}, take_step, w);
    note_free(&dev.note);
    for (int s = 0; s < w->steps; ++s) assert_int_equal(w->begin[s], s ? w->end[s - 1] : 0);
    return status;
}

static void without_a_pace_all_is_started_at_once(void **state) {
    (void)state;
    work w = {0};
    assert_int_equal(run_work(&w, NULL, 10, 1000000, true), WEDGE_OK);
    assert_int_equal(w.steps, 1);
    assert_int_equal(w.end[0], 1000000);
}

static void the_first_step_is_one_item_for_each_unit(void **state) {
    (void)state;
    work w = {0};
    pace p = {.goes_on = ask, .user = &w};
    assert_int_equal(run_work(&w, &p, 10, 100, false), WEDGE_OK);
    assert_int_equal(w.end[0], UNITS);
    assert_int_equal(w.end[w.steps - 1], 100);
    assert_true(p.per_cell > 0);
}

/* However busy the machine is, an item takes at least as long as it sleeps: a step never has more of them than fit. */
static void a_step_has_no_more_items_than_its_time_allows(void **state) {
    (void)state;
    work w = {.each = 20000};
    pace p = {.goes_on = ask, .user = &w};
    assert_int_equal(run_work(&w, &p, 7, 60, false), WEDGE_OK);
    assert_true(w.steps > 2);
    for (int s = 1; s < w.steps; ++s) assert_true(w.end[s] - w.begin[s] <= 12);
    assert_int_equal(w.asked, w.steps - 1); /* between two steps, and not when all is done */
    assert_true(pace_cells(&p) <= 7 * 12);
}

static void a_stop_is_heard_between_two_steps(void **state) {
    (void)state;
    work w = {.each = 10000, .stop_at = 2};
    pace p = {.goes_on = ask, .user = &w};
    assert_int_equal(run_work(&w, &p, 1, 1000, true), WEDGE_STOPPED);
    assert_int_equal(w.steps, 2);
    assert_true(w.end[1] < 1000);
}

/* A step that happened to have nothing to do says little about the next. */
static void one_quick_step_is_not_believed(void **state) {
    (void)state;
    work w = {0};
    pace p = {.goes_on = ask, .user = &w, .per_cell = 1.0};
    assert_int_equal(run_work(&w, &p, 1, UNITS, true), WEDGE_OK);
    assert_true(p.per_cell >= 0.25);
    assert_true(pace_cells(&p) <= 1);
}

/* ---- Jobs on every device ---- */

typedef struct {
    int asked, taken;
    double most;
} witness;

static bool stop_at_the_second_question(void *user, double done) {
    witness *w = user;
    if (done > w->most) w->most = done;
    return ++w->asked < 2;
}

static wedge_status count_taken(void *user, const wedge_piece *piece) {
    uint64_t position = piece->begin, count = piece->count;
    const void *values = piece->values;
    (void)position, (void)values, (void)count;
    ++((witness *)user)->taken;
    return WEDGE_OK;
}

/* More tiles, and more units, than a device has units: the first piece takes several steps, and the second question comes
 * between them. Before, it came only when the piece was complete. */
static void stop_within_a_piece(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 1400, 9000);
    uint64_t cells;
    wedge_job *job;
    witness streamed = {0}, direct = {0};
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    cells = wedge_job_get_info(job)->cells;
    void *out = malloc(cells * 4);
    assert_non_null(out);
    assert_int_equal(wedge_job_stream(job, 0, cells, 0, count_taken, &streamed, stop_at_the_second_question, &streamed),
                     WEDGE_STOPPED);
    assert_true(streamed.asked >= 2 && streamed.most < 1);
    assert_int_equal(streamed.taken, 0);
    if (!dev->backend->compile) {
        assert_int_equal(run_values(job, 0, cells, out, WEDGE_ON_HOST, stop_at_the_second_question, &direct),
                         WEDGE_STOPPED);
        assert_int_equal(direct.asked, 2);
        assert_true(direct.most < 1);
    }
    wedge_job_destroy(job);
    free(out);
    free(p.points);
}

/* What is complete when the caller stops is taken first. On the cpu, where a question comes before each piece and one after;
 * a piece of 1,024 values here is one step. */
typedef struct {
    int asked, stop_at;
    uint64_t taken;
} pieces;

static bool stop_at_question(void *user, double done) {
    pieces *p = user;
    (void)done;
    return ++p->asked != p->stop_at;
}

static wedge_status add_taken(void *user, const wedge_piece *piece) {
    uint64_t position = piece->begin, count = piece->count;
    const void *values = piece->values;
    pieces *p = user;
    (void)values;
    if (position != p->taken) return WEDGE_FAILED;
    p->taken += count;
    return WEDGE_OK;
}

static void take_what_is_complete(wedge_device *dev) {
    problem p = make_problem("cityblock", WEDGE_SQUARE, WEDGE_F32, 2000, 1);
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    for (int complete = 0; complete < 4 && !dev->backend->compile; ++complete) {
        pieces q = {.stop_at = 2 * complete + 1};
        assert_int_equal(wedge_job_stream(job, 0, 2000 * 2000, 3 * 4096, add_taken, &q, stop_at_question, &q),
                         WEDGE_STOPPED);
        assert_int_equal(q.taken, 1024 * complete);
    }
    wedge_job_destroy(job);
    free(p.points);
}

/* ---- Launches that end within the features ---- */

/* However fast the device was, it is taken for one that needs a second per cell: the smallest steps there are. */
typedef struct {
    pace pace;
    int asked, stop_at;
} snail;

static bool ask_snail(void *user) {
    snail *s = user;
    s->pace.per_cell = 1;
    return ++s->asked != s->stop_at;
}

/* The whole job into `values`, by the smallest steps. */
static wedge_status crawl(wedge_device *dev, wedge_job *job, snail *s, void *values) {
    const wedge_job_info *info = wedge_job_get_info(job);
    void *memory;
    assert_ok(dev, wedge_memory_create(dev, info->bytes, &memory));
    buffer out = foreign_buffer(dev, memory, info->bytes);
    s->pace = (pace){.goes_on = ask_snail, .user = s, .per_cell = 1};
    wedge_status status = job_range(job, job->queue, 0, info->cells, &out, 0, &s->pace);
    if (!status) status = dev->backend->wait(dev, job->queue);
    if (!status) assert_ok(dev, wedge_memory_read(dev, values, memory, 0, info->bytes));
    wedge_memory_destroy(dev, memory);
    return status;
}

/* Of states of one and of two numbers; triangles, whose diagonal tiles take two passes, and a box; both maps. */
static void crawl_over_features(wedge_device *dev) {
    static const struct {
        const char *op, *map;
        wedge_layout layout;
        wedge_dtype dtype;
        int slices; /* of 256 bytes, on what is no GPU */
    } jobs[] = {{"minkowski", "lambda", WEDGE_CONDENSED, WEDGE_F64, 11},
                {"braycurtis", "walk", WEDGE_PACKED, WEDGE_F32, 6},
                {"jaccard", "lambda", WEDGE_RECTANGLE, WEDGE_F64, 11},
                {"correlation", "lambda", WEDGE_SQUARE, WEDGE_F32, 6}};
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; ++k) {
        problem p = make_problem(jobs[k].op, jobs[k].layout, jobs[k].dtype, 101, 333);
        uint64_t bytes;
        p.pairs.map = jobs[k].map;
        void *whole = run_whole(dev, &p.pairs, &bytes), *values = malloc(bytes);
        wedge_job *job;
        snail s = {.stop_at = 0};
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        assert_ok(dev, crawl(dev, job, &s, values));
        check_values(&p, values);
        assert_memory_equal(whole, values, bytes);
        if (dev->backend->compile && !dev->info.is_gpu)
            assert_int_equal((s.asked + 1) % jobs[k].slices, 0); /* rounds of tiles, each in slices */
        wedge_job_destroy(job);
        free(whole);
        free(values);
        free(p.points);
    }
}

static void launches_that_end_within_the_features_give_the_same_bytes(void **state) {
    (void)state;
    on_every_device(crawl_over_features);
}

static void stop_within_a_tile(wedge_device *dev) {
    if (!dev->backend->compile || dev->info.is_gpu) NOTHING_HERE("a tile is done in one step");
    problem p = make_problem("minkowski", WEDGE_CONDENSED, WEDGE_F64, 20, 900);
    wedge_job *job;
    snail s = {.stop_at = 2};
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    assert_int_equal(crawl(dev, job, &s, NULL), WEDGE_STOPPED);
    assert_int_equal(s.asked, 2);
    wedge_job_destroy(job);
    free(p.points);
}

static void a_stop_is_heard_within_a_tile(void **state) {
    (void)state;
    on_every_device(stop_within_a_tile);
}

static void what_is_complete_at_a_stop_is_taken(void **state) {
    (void)state;
    on_every_device(take_what_is_complete);
}

static void a_stop_is_heard_within_a_piece(void **state) {
    (void)state;
    on_every_device(stop_within_a_piece);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_pace_all_is_started_at_once),
        cmocka_unit_test(the_first_step_is_one_item_for_each_unit),
        cmocka_unit_test(a_step_has_no_more_items_than_its_time_allows),
        cmocka_unit_test(a_stop_is_heard_between_two_steps),
        cmocka_unit_test(one_quick_step_is_not_believed),
        cmocka_unit_test(what_is_complete_at_a_stop_is_taken),
        cmocka_unit_test(a_stop_is_heard_within_a_piece),
        cmocka_unit_test(launches_that_end_within_the_features_give_the_same_bytes),
        cmocka_unit_test(a_stop_is_heard_within_a_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
