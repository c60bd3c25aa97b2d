/* t615-verdicts.c: what is no result is called so, the table ranks no wrong row, and compare finds what was planted.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/lab.h"
#include "bench/stats.h"
#include "result_rows.h"

static bool write_table(FILE *f, const bench_result *r) { return table_print(f, r, false), true; }

static void a_wrong_row_is_never_ranked_and_no_line_is_too_wide(void **state) {
    (void)state;
    bench_result a = example();
    bench_row *row = add(&a, "hmap", 65536, 1.001e-3);
    row->best = true;
    row = add(&a, "fifteen-letters", 65536, 1.2345e-3); /* with more to say than fits */
    row->improvement = 98.76, row->improvement_low = 97.11, row->improvement_high = 99.99, row->penalty = 12345.67;
    row->tiles = 5, row->bound = 5.98, row->threads = 270336000, row->cells = 1, row->wasted = 999, row->share = 0.999;
    strcpy(row->stop, "time");
    row = result_add(&a);
    *row = (bench_row){.rank = 3, .status = ROW_SKIPPED};
    for (int i = 0; i < 250; i += 5) strcpy(row->remark + i, "word ");
    char *text = as_text(write_table, &a);
    for (char *t = text, *end; (end = strchr(t, '\n')); t = end + 1) {
        int columns = 0;
        for (char *c = t; c < end; ++c) columns += (*c & 0xC0) != 0x80;
        assert_true(columns <= 80);
    }
    assert_non_null(strstr(text, "a tie: walk, hmap (within 0.1 %), 1.67 x bb\n"));
    assert_null(strstr(text, "* lambda-r"));
    assert_null(strchr(text, '\033'));
    free(text);
    result_free(&a);
}

/* Two block sides, and bb is faster with the other one; a wrong or untimed bb does not count, nor one of another n. */
static void the_verdict_names_the_best_bb_over_rho(void **state) {
    (void)state;
    bench_result a = {0};
    add(&a, "bb", 4096, 8e-3);
    bench_row *walk = add(&a, "walk", 4096, 1e-3);
    walk->best = true, walk->improvement = 8;
    assert_null(result_best_bb(&a, &a.rows[1])); /* one rho: there is no other */
    add(&a, "bb", 4096, 2e-3)->rho = 32;
    bench_row *failed = add(&a, "bb", 4096, 1e-9);
    failed->rho = 8, failed->status = ROW_FAILED;
    add(&a, "bb", 2048, 1e-9)->rho = 4;
    assert_ptr_equal(result_best_bb(&a, &a.rows[1]), &a.rows[2]);
    char *text = as_text(write_table, &a);
    assert_non_null(strstr(text, "walk is fastest, 8.00 x bb, 2.00 x the best bb (rho 32)\n"));
    free(text);
    result_free(&a);
}

/* ---- Sinks ---- */

static void add_sink(bench_result *r, const char *sink, uint64_t cells, double seconds, double of_store) {
    bench_row *row = add(r, "engine", 1000000, seconds);
    strcpy(row->experiment, "sinks");
    strcpy(row->variant, "d3");
    strcpy(row->sink, sink);
    strcpy(row->dtype, "f32");
    row->rho = 0, row->features = 3, row->cells = cells, row->of_store = of_store;
}

/* 10^8 cells in a tenth of a second, 4 * 10^11 in 0.2. */
static bench_result two_sinks(void) {
    bench_result r = {.budget = 60, .noise_target = 0.005};
    strcpy(r.device.id, "cuda:0");
    r.device.is_gpu = true;
    add_sink(&r, "store", 100000000, 0.1, 1);
    add_sink(&r, "histogram-log", 400000000000, 0.2, 0.5);
    return r;
}

static bool write_page(FILE *f, const bench_result *r) { return report_write_html(f, r, 1); }

static void sinks_show_their_rate_and_share_of_store(void **state) {
    (void)state;
    bench_result a = two_sinks();
    char *text = as_text(write_table, &a), *page = as_text(write_page, &a);
    assert_non_null(strstr(text, "sinks d3: rank 2, n 1000000 (400.00 G cells)\n"));
    assert_non_null(strstr(text, "sink "));
    assert_non_null(strstr(text, "1.00 G  100.0 %"));
    assert_non_null(strstr(text, "2.00 T   50.0 %"));
    assert_null(strstr(text, "verdict"));
    assert_null(strstr(text, "bound"));
    assert_non_null(strstr(page, "<strong>store</strong> 1.000 G, <strong>histogram-log</strong> 2.000 T"));
    assert_null(strstr(page, "fastest is"));
    free(text);
    free(page);
    strcpy(a.rows[1].doubt, "spread");
    text = as_text(write_table, &a);
    assert_non_null(strstr(text, "2.00 T ?"));
    free(text);
    result_free(&a);
}

static void sinks_are_compared_by_name(void **state) {
    (void)state;
    bench_result old = two_sinks(), new_ = two_sinks();
    new_.rows[1].time.median *= 2, new_.rows[1].time.low *= 2, new_.rows[1].time.high *= 2;
    FILE *f = tmpfile();
    assert_int_equal(compare_print(f, &old, &new_), 1);
    fclose(f);
    strcpy(new_.rows[1].sink, "count"); /* nothing that the old one had */
    f = tmpfile();
    assert_int_equal(compare_print(f, &old, &new_), 0);
    fclose(f);
    result_free(&old);
    result_free(&new_);
}

/* ---- What is no result ---- */

static bench_row doubtful_row(const char *map, double improvement, double low, double high) {
    bench_row row = {.rank = 2,
                     .n = 64,
                     .rho = 16,
                     .blocks = 10,
                     .tiles = 10,
                     .bound = 1.9,
                     .best = true,
                     .time = {.count = 9, .median = 1, .low = 0.9, .high = 1.1}};
    row.improvement = improvement, row.improvement_low = low, row.improvement_high = high;
    strcpy(row.map, map);
    return row;
}

static const char *doubt_of(bench_row row) {
    static char doubt[8];
    bench_result r = {.rows = &row, .count = 1};
    result_doubt(&r);
    strcpy(doubt, row.doubt);
    assert_int_equal(row_wins(&row), !*doubt && row_timed(&row) && row.status == ROW_OK);
    assert_int_equal(*doubt != 0, *r.warning != 0);
    free(r.warning);
    return doubt;
}

static void rows_without_a_figure_and_above_their_bound_are_no_result(void **state) {
    (void)state;
    assert_string_equal(doubt_of(doubtful_row("lambda", 1.8, 1.7, 1.85)), "");
    assert_string_equal(doubt_of(doubtful_row("lambda", 1.2, 0.8, 1.61)), "spread");
    assert_string_equal(doubt_of(doubtful_row("lambda", 1.2, 0.8, 1.6)), "");
    assert_string_equal(doubt_of(doubtful_row("lambda", 1.95, 1.91, 1.99)), "bound");
    assert_string_equal(doubt_of(doubtful_row("lambda", 1.95, 1.89, 1.99)), ""); /* the interval has the bound */
    assert_string_equal(doubt_of(doubtful_row("lambda", 14.02, 0.30, 17.32)), "bound");
    assert_string_equal(doubt_of(doubtful_row("lambda", 2.2, 1.7, 2.6)), "bound"); /* a tenth above any bound */
    bench_row row = doubtful_row("walk", 6.2, 6.1, 6.3);
    row.blocks = 3; /* many tiles per block: no bound */
    assert_string_equal(doubt_of(row), "");
    row.improvement_low = 3;
    assert_string_equal(doubt_of(row), "spread");
    row = doubtful_row("lambda", 5.9, 5.8, 5.95), row.rank = 3, row.bound = 5.98;
    assert_string_equal(doubt_of(row), "");
    row.improvement = 6.4, row.improvement_low = 6.3, row.improvement_high = 6.5;
    assert_string_equal(doubt_of(row), "bound");
    row = doubtful_row("bb", 1, 0.4, 2.5); /* of bb the time counts */
    assert_string_equal(doubt_of(row), "");
    row.time.high = 2;
    assert_string_equal(doubt_of(row), "spread");
    row = doubtful_row("lambda", 1.8, 1.8, 1.8), row.time.count = 2; /* no spread is known */
    assert_string_equal(doubt_of(row), "few");
    row.time.count = 3;
    assert_string_equal(doubt_of(row), "");
    row = doubtful_row("lambda", 14, 1, 20), row.status = ROW_SKIPPED, row.time.count = 0, row.time.median = 0;
    assert_string_equal(doubt_of(row), "");
}

static bool busy(uint32_t cores, double before, double others, bool gpu, uint32_t units) {
    bench_result r = {.cores = cores, .load_before = before, .load_others = others};
    r.device.is_gpu = gpu, r.device.units = units;
    result_doubt(&r);
    bool said = strstr(r.warning, "busy") != NULL;
    free(r.warning);
    return said;
}

static void a_machine_is_busy_where_load_and_need_pass_its_cores(void **state) {
    (void)state;
    assert_false(busy(2, 1.9, 0.1, false, 2));
    assert_true(busy(2, 2.1, 0, false, 2));  /* before */
    assert_true(busy(2, 0, 0.5, false, 2));  /* on the cpu any work of others takes from ours */
    assert_false(busy(2, 0, 0.9, false, 1)); /* one thread on two cores */
    assert_true(busy(2, 0, 1.5, false, 1));
    assert_false(busy(16, 2, 10, true, 132)); /* beside a GPU one core is enough */
    assert_true(busy(16, 2, 16.9, true, 132));
    assert_false(busy(0, 50, 50, false, 2)); /* a file of before */
}

static void a_doubtful_group_has_no_verdict_and_no_figure(void **state) {
    (void)state;
    bench_result r = {.noise_target = 0.005};
    bench_row *row = add(&r, "bb", 64, 1e-3);
    row->best = true;
    row->improvement = row->improvement_low = row->improvement_high = 1;
    row = add(&r, "lambda", 64, 1e-4);
    row->improvement = 14.02, row->improvement_low = 0.3, row->improvement_high = 17.32;
    row->tiles = 5, row->blocks = 3, row->best = true;
    result_doubt(&r);
    char *text = as_text(write_table, &r);
    assert_non_null(strstr(text, "warning: 1 of 2 rows is no result"));
    assert_null(strstr(text, "14.0"));
    assert_non_null(strstr(text, "0.3 to 17.3 ?"));
    assert_non_null(strstr(text, "no verdict: times vary too much, though no other"));
    assert_null(strstr(text, "* lambda"));
    assert_null(strstr(text, "* bb"));  /* nor is that the fastest, then */
    assert_null(strstr(text, "share")); /* nobody has one: the column goes */
    assert_null(strstr(text, "bound "));
    free(text);
    result_free(&r);
}

/* bb and lambda with this many samples each, of which the fastest is in doubt. */
static bench_result doubtful(int samples, double spread, const char *stop) {
    bench_result r = {.noise_target = 0.005, .budget = 20, .cores = 4};
    static const char *const maps[] = {"bb", "lambda"};
    for (int k = 0; k < 2; ++k) {
        bench_row *row = add(&r, maps[k], 64, 2e-3 / (k + 1));
        free(row->time.samples);
        row->time = made(2e-3 / (k + 1), samples > 1 ? spread : 0, samples > 1 ? samples : 2);
        row->time.count = samples;
        timing_finish(&row->time);
        strcpy(row->stop, stop);
        row->best = true;
    }
    r.rows[0].best = false;
    stats_ratio(&r.rows[0].time, &r.rows[1].time, &r.rows[1].improvement, &r.rows[1].improvement_low,
                &r.rows[1].improvement_high);
    return r;
}

static bool said_of(bench_result *r, const char *words, bool page) {
    result_doubt(r);
    char *text = as_text(page ? write_page : write_table, r);
    for (char *c = text; (c = strstr(c, "\n    ")); ++c) memmove(c, c + 4, strlen(c + 4) + 1); /* lines are wrapped */
    bool said = strstr(text, words) != NULL;
    free(text);
    return said;
}

static void one_sample_has_neither_noise_nor_interval(void **state) {
    (void)state;
    for (int samples = 1; samples <= 3; ++samples) {
        bench_result r = doubtful(samples, 0.001, "time");
        bool few = samples < 3;
        assert_false(said_of(&r, " 0.00 ", false));
        assert_int_equal(said_of(&r, "ms <small>±", true), !few);
        assert_int_equal(said_of(&r, " to 2.0", true), !few);
        assert_int_equal(said_of(&r, "2.00 [", false), !few);
        assert_int_equal(said_of(&r, "2.00 ?", false), few);
        assert_int_equal(said_of(&r, "too few samples", true), few);
        result_free(&r);
    }
}

static void no_verdict_gives_the_reason_that_holds(void **state) {
    (void)state;
    bench_result r = doubtful(1, 0, "time");
    for (int page = 0; page < 2; ++page)
        assert_true(
            said_of(&r, "1 sample per row is too few, and the budget of 20 s is spent; try --budget 200", page));
    strcpy(r.rows[1].stop, "stopped");
    assert_true(said_of(&r, "no verdict: 1 sample per row is too few: the run was stopped", false));
    result_free(&r);
    r = doubtful(4, 0.5, "time");
    assert_true(said_of(&r, "times vary too much for 4 samples per row, and the budget of 20 s is spent", false));
    r.load_before = 9;
    for (int page = 0; page < 2; ++page)
        assert_true(said_of(&r, "times vary too much, for the machine was busy with other work", page));
    result_free(&r);
    r = doubtful(21, 0.5, "time");
    assert_true(said_of(&r, "though no other process is known to have kept the machine busy", false));
    result_free(&r);
}

/* Where walk is the fastest, what a plain loop over rows takes stands beside it. */
static void walk_is_not_named_without_rows(void **state) {
    (void)state;
    bench_result r = {.noise_target = 0.005};
    add(&r, "bb", 4096, 8e-3);
    bench_row *walk = add(&r, "walk", 4096, 1e-3);
    walk->best = true, walk->improvement = walk->improvement_low = walk->improvement_high = 8;
    assert_false(said_of(&r, "rows", false));
    add(&r, "rows", 4096, 1.5e-3);
    assert_true(said_of(&r, "walk is fastest, 8.00 x bb, 1.50 x rows, which needs no map", false));
    assert_true(said_of(&r, "<code>rows</code>, which needs no map, takes 1.500 ms, <strong>1.50 times", true));
    r.rows[2].status = ROW_FAILED;
    assert_false(said_of(&r, "which needs no map", false));
    result_free(&r);
}

static int times_said(const char *text, const char *word) {
    int times = 0;
    for (; text && (text = strstr(text, word)); ++text) ++times;
    return times;
}

static void groups_of_which_nothing_ran_are_one_line(void **state) {
    (void)state;
    bench_result r = {.noise_target = 0.005};
    add(&r, "bb", 64, 1e-3);
    for (int k = 0; k < 40; ++k) {
        bench_row *row = add(&r, k % 2 ? "lambda" : "bb", 128 << k / 2, 1);
        free(row->time.samples);
        row->time = (timing){0}, row->status = ROW_SKIPPED;
        strcpy(row->cause, k < 30 ? "budget" : "memory");
        snprintf(row->remark, sizeof row->remark, "needs %d", k);
    }
    assert_true(said_of(&r,
                        "skipped: 40 of 41 rows, 20 of 21 groups whole: 30 for lack of budget (--budget raises it), "
                        "10 for lack of memory",
                        false));
    char *text = as_text(write_table, &r), *page = as_text(write_page, &r);
    assert_int_equal(times_said(text, "skipped"), 1);
    assert_int_equal(times_said(strstr(page, "Not measured"), "<tr><th scope=\"row\">"), 2); /* a line per cause */
    free(text);
    free(page);
    result_free(&r);
}

static void a_page_of_what_did_not_run_says_why_and_no_more(void **state) {
    (void)state;
    bench_result r = {.noise_target = 0.005, .budget = 3};
    for (int k = 0; k < 6; ++k) {
        bench_row *row = add(&r, "bb", 64 << k, 1e-3);
        free(row->time.samples);
        row->time = (timing){0}, row->status = ROW_SKIPPED;
        strcpy(row->cause, "budget"), strcpy(row->remark, "the budget is spent");
    }
    char *page = as_text(write_page, &r);
    assert_non_null(strstr(page, "nothing was measured: the budget of 3 s is too short; try --budget 60."));
    assert_int_equal(times_said(page, "<table"), 1); /* of what was not measured */
    assert_int_equal(times_said(page, "the budget is spent"), 1);
    free(page);
    r.rows[3].status = ROW_OK, r.rows[3].time = made(1e-3, 0.002, 21);
    page = as_text(write_page, &r);
    assert_int_equal(times_said(page, "scope=\"rowgroup\""), 1); /* the one n that ran has its table */
    free(page);
    result_free(&r);
}

static void skipped_maps_share_a_line(void **state) {
    (void)state;
    bench_result r = {.noise_target = 0.005};
    static const char *const maps[] = {"utm", "rec", "hmap", "walk"};
    add(&r, "bb", 64, 1e-3);
    for (int k = 0; k < 4; ++k) {
        bench_row *row = add(&r, maps[k], 64, 1);
        free(row->time.samples);
        row->time = (timing){0}, row->status = ROW_SKIPPED;
        strcpy(row->remark, "too slow");
    }
    char *text = as_text(write_table, &r);
    assert_non_null(strstr(text, "\n  skipped: utm, rec, hmap, walk: too slow\n"));
    assert_non_null(strstr(text, "\nskipped: 4 of 5 rows: too slow\n"));
    free(text);
    result_free(&r);
}

static int compared;
static const bench_result *compared_with;
static bool write_compare(FILE *f, const bench_result *r) {
    return compared = compare_print(f, r, compared_with), true;
}

static bench_result planted(const double *factors, int count) {
    static const char *const maps[] = {"bb", "lambda", "rb", "hmap", "walk"};
    bench_result r = {0};
    for (int i = 0; i < count; ++i) add(&r, maps[i], 4096, 1e-3 * factors[i]);
    return r;
}

static char *compare_with(const bench_result *old, const bench_result *new_) {
    compared_with = new_;
    return as_text(write_compare, old);
}

static void compare_finds_what_was_planted(void **state) {
    (void)state;
    bench_result old = planted((double[]){1, 1, 1, 1, 1}, 5), new_ = planted((double[]){1, 1.1, 0.8, 1.01, 1.2}, 4);
    char *text = compare_with(&old, &new_);
    assert_int_equal(compared, 1);
    assert_non_null(strstr(text, "1 SAME, 1 FASTER, 1 SLOWER, 1 UNCLEAR\n1 only in the old, 0 only in the new\n"));
    for (char *t = text, *end; (end = strchr(t, '\n')); t = end + 1) assert_true(end - t <= 80);
    assert_null(strstr(text, "moved alike"));
    assert_null(strstr(text, "devices differ"));
    free(text);
    strcpy(new_.device.name, "another");
    new_.rows[0].status = ROW_FAILED;
    text = compare_with(&old, &new_);
    assert_int_equal(compared, 2);
    assert_non_null(strstr(text, "ok -> failed"));
    assert_non_null(strstr(text, "warning: the devices differ"));
    free(text);
    result_free(&new_);
    new_ = planted((double[]){1.05, 1.052, 1.049, 1.05, 1.051}, 5);
    text = compare_with(&old, &new_);
    assert_int_equal(compared, 5);
    assert_non_null(strstr(text, "note: all rows moved alike, by 1.050"));
    free(text);
    result_free(&old);
    result_free(&new_);
}

static void nothing_in_common_is_said_and_nothing_printed(void **state) {
    (void)state;
    bench_result old = planted((double[]){1, 1, 1}, 3), new_ = planted((double[]){1, 1, 1}, 3), none = {0};
    for (int k = 0; k < 3; ++k) new_.rows[k].n = 8192;
    char *text = compare_with(&old, &new_);
    assert_true(compared < 0 && !*text);
    free(text);
    text = compare_with(&none, &none);
    assert_true(compared < 0 && !*text);
    free(text);
    new_.rows[2].n = 4096; /* one row is enough */
    text = compare_with(&old, &new_);
    assert_true(compared == 0 && strstr(text, "1 SAME"));
    free(text);
    new_.rows[2].time.median = 0; /* but it must have been timed in both */
    new_.rows[2].status = ROW_SKIPPED;
    text = compare_with(&old, &new_);
    assert_true(compared < 0 && !*text);
    free(text);
    result_free(&old);
    result_free(&new_);
}

/* ---- The judge ---- */

static void the_judge_holds_the_engine_against_its_ceilings(void **state) {
    double one[3] = {1, 1, 1};
    bench_result result = {.fill = {.rate = 1000}, .fma = {.rate = 4000}, .step = {.rate = 0}, .root = {.rate = 400}};
    bench_row few = {.map = "engine", .dtype = "f32", .features = 4, .cells = 200, .bytes = 400, .flops = 1e9};
    bench_row many = {.map = "engine", .dtype = "f32", .features = 64, .cells = 10, .bytes = 40, .flops = 1920};
    bench_row wide = {.map = "engine", .dtype = "f64", .features = 4, .cells = 200, .bytes = 800, .flops = 1e9};
    bench_row *all[3] = {&few, &many, &wide};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        all[k]->time = (timing){.samples = one, .count = 3};
        timing_finish(&all[k]->time);
    }
    judge_group(&result, all, 3);
    assert_true(few.share == 0.5 && few.share_fill == 0.4 && !strcmp(few.limit, "root"));
    assert_true(many.share == 0.64 && !strcmp(many.limit, "issue")); /* 10 cells, 128 slots each, of 2000 */
    assert_true(wide.share == 0.8 && !strcmp(wide.limit, "fill"));
    assert_true(!few.best && !many.best && !wide.best && !few.improvement);
    result.step.rate = 1280; /* where it is measured it counts */
    judge_group(&result, all, 3);
    assert_true(many.share == 0.5);
    double beside[3] = {0.25, 0.75, 0.75}; /* and fill beside each sample before that of the run */
    few.beside = (timing){.samples = beside, .count = 3};
    judge_group(&result, all, 3);
    assert_true(few.share == 0.75 && few.share_fill == 0.75 && !strcmp(few.limit, "fill"));
    beside[1] = 0.25;
    judge_group(&result, all, 3);
    assert_true(few.share == 0.5 && few.share_fill == 0.25 && !strcmp(few.limit, "root"));
}

static void the_judge_knows_ratios_ties_and_who_may_not_win(void **state) {
    double times[5][3] = {{4, 4, 4}, {2, 2, 2.02}, {2.01, 2.01, 2.01}, {1, 1, 1}, {0.5, 0.5, 0.5}};
    bench_row rows[5] = {{.tiles = 100},
                         {.tiles = 50},
                         {.tiles = 50},
                         {.tiles = 50, .status = ROW_WRONG},
                         {.map = "engine"}},
              *all[5];
    bench_result result = {.fill = {.rate = 1000}};
    (void)state;
    for (int k = 0; k < 5; ++k) {
        rows[k].time = (timing){.samples = times[k], .count = 3};
        timing_finish(&rows[k].time);
        rows[k].bytes = 1000;
        all[k] = &rows[k];
    }
    judge_group(&result, all, 5);
    assert_true(rows[0].improvement == 1 && rows[0].bound == 1 && rows[0].penalty == 1 && !rows[0].best);
    assert_true(rows[1].improvement == 2 && rows[1].bound == 2 && rows[1].penalty == 1 && rows[1].best);
    assert_true(rows[2].best); /* within the interval of the first */
    assert_true(rows[3].improvement == 4 && rows[3].penalty == 0.5 && !rows[3].best);
    assert_true(rows[1].share == 0.5);
    assert_true(rows[4].improvement == 8 && !rows[4].bound && !rows[4].penalty && !rows[4].best);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_row_is_never_ranked_and_no_line_is_too_wide),
        cmocka_unit_test(sinks_show_their_rate_and_share_of_store),
        cmocka_unit_test(sinks_are_compared_by_name),
        cmocka_unit_test(the_verdict_names_the_best_bb_over_rho),
        cmocka_unit_test(rows_without_a_figure_and_above_their_bound_are_no_result),
        cmocka_unit_test(a_machine_is_busy_where_load_and_need_pass_its_cores),
        cmocka_unit_test(a_doubtful_group_has_no_verdict_and_no_figure),
        cmocka_unit_test(one_sample_has_neither_noise_nor_interval),
        cmocka_unit_test(no_verdict_gives_the_reason_that_holds),
        cmocka_unit_test(walk_is_not_named_without_rows),
        cmocka_unit_test(groups_of_which_nothing_ran_are_one_line),
        cmocka_unit_test(a_page_of_what_did_not_run_says_why_and_no_more),
        cmocka_unit_test(skipped_maps_share_a_line),
        cmocka_unit_test(compare_finds_what_was_planted),
        cmocka_unit_test(nothing_in_common_is_said_and_nothing_printed),
        cmocka_unit_test(the_judge_holds_the_engine_against_its_ceilings),
        cmocka_unit_test(the_judge_knows_ratios_ties_and_who_may_not_win),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
