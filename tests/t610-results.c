/* t610-results.c: a saved result comes back as it was, a damaged file is refused by its name and field, what is no
 * result is called so, the table ranks no wrong row, and compare finds what was planted.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/result.h"
#include "bench/stats.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-8 * fabs(b))

static timing made(double middle, double spread, int count) {
    timing t = {.samples = malloc((size_t)count * sizeof *t.samples), .count = count};
    for (int i = 0; i < count; ++i) t.samples[i] = middle * (1 + spread * (2.0 * i / (count - 1) - 1));
    timing_settle(&t);
    return t;
}

static bench_row *add(bench_result *r, const char *map, uint64_t n, double seconds) {
    bench_row *row = result_add(r);
    *row = (bench_row){.rank = 2, .n = n, .rho = 16, .time = made(seconds, 0.002, 21), .verified = true};
    strcpy(row->experiment, "edm");
    strcpy(row->variant, "packed");
    strcpy(row->map, map);
    strcpy(row->stop, "noise");
    return row;
}

static bench_result example(void) {
    bench_result r = {.budget = 120, .spent = 33.25, .noise_target = 0.005, .command = strdup("wedge bench \"edm\"")};
    strcpy(r.wedge, "0.1.0");
    strcpy(r.commit, "unknown");
    strcpy(r.date, "2026-11-15T03:00:00Z");
    strcpy(r.host, "a, \"b\"");
    strcpy(r.device.id, "cuda:0");
    strcpy(r.device.name, "Model \"X\", 2\tµ\\");
    strcpy(r.device.driver, "1.2");
    r.device.memory = (uint64_t)1 << 40;
    r.device.max_grid[2] = 65535;
    r.device.is_gpu = true;
    r.fill = (ceiling){made(1e-4, 0.01, 9), 1e12 / 3};
    r.cores = 4, r.load_before = 9.5, r.load_others = 2.25;
    bench_row *row = add(&r, "bb", 1024, 3e-3);
    *row = (bench_row){.rank = 2, .n = 1024, .rho = 16, .time = row->time, .threads = 1 << 20, .cells = 524800};
    strcpy(row->experiment, "map");
    strcpy(row->map, "bb");
    row = add(&r, "walk", 65536, 1e-3);
    row->best = true;
    row->improvement = 5.0 / 3;
    row = add(&r, "lambda-r", 65536, 1e-3);
    row->status = ROW_WRONG;
    row->best = true; /* must not be believed */
    row->wrong_from = 4607;
    strcpy(row->remark, "wrong from row 4607, \"quoted\"\nand a second line");
    result_doubt(&r);
    return r;
}

static char path[] = "/tmp/t610-XXXXXX";

static int make_file(void **state) {
    int file = mkstemp(path);
    (void)state;
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static char *as_text(bool (*write)(FILE *, const bench_result *), const bench_result *r) {
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_true(write(f, r));
    fclose(f);
    return text;
}

#ifdef WEDGE_HAVE_JANSSON

static void same_timing(const timing *a, const timing *b) {
    assert_true(a->median == b->median && a->low == b->low && a->high == b->high && a->noise == b->noise);
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; ++i) NEAR(a->samples[i], b->samples[i]);
}

static void save(const char *text, size_t size) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void a_saved_result_comes_back(void **state) {
    (void)state;
    bench_result a = example(), b;
    char *text = as_text(result_write_json, &a);
    save(text, strlen(text));
    assert_null(result_read_json(path, &b));
    assert_int_equal(b.count, 3);
    for (int i = 0; i < 3; ++i) {
        bench_row x = a.rows[i], y = b.rows[i];
        same_timing(&x.time, &y.time);
        assert_string_equal(x.remark, y.remark);
        assert_true(x.improvement == y.improvement && x.status == y.status && x.wrong_from == y.wrong_from);
        assert_true(row_same_group(&x, &y) && !strcmp(x.map, y.map) && x.best == y.best && x.threads == y.threads);
    }
    assert_memory_equal(&a.device, &b.device, sizeof a.device);
    assert_string_equal(a.command, b.command);
    assert_string_equal(a.host, b.host);
    assert_true(a.fill.rate == b.fill.rate && a.spent == b.spent && a.noise_target == b.noise_target);
    assert_true(b.cores == 4 && b.load_before == 9.5 && b.load_others == 2.25);
    assert_non_null(strstr(b.warning, "a load of 9.5 on 4 cores"));
    assert_string_equal(a.warning, b.warning);
    same_timing(&a.fill.time, &b.fill.time);
    char *again = as_text(result_write_json, &b);
    assert_string_equal(text, again);
    free(again);
    free(text);
    result_free(&a);
    result_free(&b);
}

/* A copy of the text without `"name": value, ` wherever it is; frees the text. */
static char *without(char *text, const char *name) {
    char key[40], *left = calloc(strlen(text) + 1, 1);
    size_t used = 0, length = (size_t)snprintf(key, sizeof key, "\"%s\": ", name);
    for (const char *t = text; *t;) {
        if (strncmp(t, key, length)) {
            left[used++] = *t++;
            continue;
        }
        t += length;
        if (*t == '"') t = strchr(t + 1, '"');
        t = strchr(t, ',') + 1;
        t += strspn(t, " \n");
    }
    free(text);
    return left;
}

static void a_file_of_before_is_read_and_judged(void **state) {
    (void)state;
    bench_result a = example(), b;
    bench_row *row = &a.rows[1]; /* walk, here as one that has a tile per block: an I above its bound */
    row->tiles = row->blocks = 10;
    row->bound = 1.5;
    row->improvement_low = 1.6, row->improvement_high = 1.7;
    result_doubt(&a);
    char *text = as_text(result_write_json, &a);
    assert_non_null(strstr(text, "\"doubt\": \"bound\""));
    assert_non_null(strstr(text, "\"warning\": \"The machine was busy"));
    static const char *const newer[] = {"doubt", "cores", "load_before", "load_others", "warning"};
    for (int k = 0; k < 5; ++k) {
        char key[24];
        snprintf(key, sizeof key, "\"%s\"", newer[k]);
        text = without(text, newer[k]);
        assert_null(strstr(text, key));
    }
    save(text, strlen(text));
    char *message = result_read_json(path, &b);
    if (message) fail_msg("%s", message);
    assert_true(b.cores == 0 && b.load_before == 0 && b.load_others == 0);
    assert_string_equal(b.rows[1].doubt, "bound");
    assert_string_equal(b.rows[2].doubt, "");
    assert_null(strstr(b.warning, "busy"));
    assert_non_null(strstr(b.warning, "1 of 3 rows"));
    free(text);
    result_free(&a);
    result_free(&b);
}

static void what_json_cannot_say_is_left_out(void **state) {
    (void)state;
    bench_result a = example(), b;
    strcpy(a.device.name, "bad \xff\xc3 bytes \033[1m");
    a.rows[0].improvement = NAN;
    a.rows[0].time.samples[3] = INFINITY;
    char *text = as_text(result_write_json, &a);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    save(text, strlen(text));
    assert_null(result_read_json(path, &b));
    assert_string_equal(b.device.name, "bad ?? bytes ?[1m");
    assert_true(b.rows[0].improvement == 0);
    assert_int_equal(b.rows[0].time.count, 20);
    free(text);
    result_free(&a);
    result_free(&b);
}

/* Replaces the first `old` and expects the message to end in `said`. */
static void refused(const char *text, const char *old, const char *with, const char *said) {
    bench_result r;
    char *changed = malloc(strlen(text) + strlen(with) + 1), *at;
    strcpy(changed, text);
    at = strstr(changed, old);
    assert_non_null(at);
    strcpy(at, with);
    strcat(at, strstr(text, old) + strlen(old));
    save(changed, strlen(changed));
    char *message = result_read_json(path, &r);
    assert_non_null(message);
    assert_non_null(strstr(message, path));
    if (!strstr(message, said)) fail_msg("'%s' does not say '%s'", message, said);
    assert_true(r.count == 0 && !r.rows && !r.command);
    free(message);
    free(changed);
}

static void a_damaged_file_is_refused_by_field(void **state) {
    (void)state;
    bench_result a = example(), r;
    char *text = as_text(result_write_json, &a), *message;
    refused(text, "wedge-bench-1", "wedge-bench-9", "schema is not \"wedge-bench-1\"");
    refused(text, "{", "[{}, {", "not JSON");
    refused(text, "\"commit\"", "\"comet\"", "commit is missing");
    refused(text, "\"rho\": 16", "\"rho\": 4294967296", "rows[0].rho is out of range");
    refused(text, "\"rho\": 16", "\"rho\": -1", "rows[0].rho is out of range");
    refused(text, "\"n\": 65536", "\"n\": 1e9", "rows[1].n is not a whole number");
    refused(text, "\"n\": 65536", "\"n\": 99999999999999999999", "not JSON");
    refused(text, "\"ok\"", "\"fine\"", "rows[0].status is none of ok");
    refused(text, "\"wrong\"", "7", "rows[2].status is none of ok");
    refused(text, "\"verified\": true", "\"verified\": 1", "rows[1].verified is not true or false");
    refused(text, "\"samples\": [", "\"samples\": [\"x\", ", "fill.time.samples[0] is not a number");
    refused(text, "\"samples\": [", "\"samples\": {}, \"y\": [", "fill.time.samples is not an array");
    refused(text, "\"rows\": [", "\"rows\": [3, ", "rows[0] is not an object");
    refused(text, "\"map\": \"bb\"", "\"map\": \"bbbbbbbbbbbbbbbb\"", "rows[0].map is too long");
    refused(text, "\"spent\": 33.25", "\"spent\": -33.25", "spent is negative");
    refused(text, "\"device\": {", "\"device\": 1, \"other\": {", "device is not an object");
    for (size_t length = 0; length + 2 < strlen(text); length += 97) {
        save(text, length);
        message = result_read_json(path, &r);
        assert_non_null(strstr(message, path));
        free(message);
    }
    message = result_read_json("/nonexistent/x.json", &r);
    assert_non_null(strstr(message, "/nonexistent/x.json"));
    free(message);
    free(text);
    result_free(&a);
}

#else

static void without_jansson_reading_says_so(void **state) {
    (void)state;
    bench_result r;
    char *message = result_read_json(path, &r);
    assert_string_equal(message, "this build cannot read saved results: it was built without jansson");
    free(message);
}

#endif

static void every_csv_line_has_the_fields_of_its_header(void **state) {
    (void)state;
    bench_result a = example();
    char *text = as_text(result_write_csv, &a);
    int fields[8] = {0}, line = 0;
    bool quoted = false;
    for (const char *t = text; *t; ++t) {
        if (*t == '"') quoted = !quoted;
        if (!quoted && *t == ',') ++fields[line];
        if (!quoted && *t == '\n') ++line;
    }
    assert_false(quoted);
    assert_int_equal(line, 4);
    for (int i = 1; i < 4; ++i) assert_int_equal(fields[i], fields[0]);
    assert_non_null(strstr(text, "\"wrong from row 4607, \"\"quoted\"\"\nand a second line\""));
    assert_non_null(strstr(text, ",time_median,"));
    free(text);
    result_free(&a);
}

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
    assert_string_equal(doubt_of(row), "spread");
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
    assert_non_null(strstr(text, "warning: 1 of 2 rows are no result"));
    assert_null(strstr(text, "14.0"));
    assert_non_null(strstr(text, "0.3 to 17.3 ?"));
    assert_non_null(strstr(text, "no verdict: times vary too much"));
    assert_null(strstr(text, "* lambda"));
    assert_null(strstr(text, "* bb"));  /* nor is that the fastest, then */
    assert_null(strstr(text, "share")); /* nobody has one: the column goes */
    assert_null(strstr(text, "bound "));
    free(text);
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

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef WEDGE_HAVE_JANSSON
        cmocka_unit_test(a_saved_result_comes_back),
        cmocka_unit_test(a_file_of_before_is_read_and_judged),
        cmocka_unit_test(what_json_cannot_say_is_left_out),
        cmocka_unit_test(a_damaged_file_is_refused_by_field),
#else
        cmocka_unit_test(without_jansson_reading_says_so),
#endif
        cmocka_unit_test(every_csv_line_has_the_fields_of_its_header),
        cmocka_unit_test(a_wrong_row_is_never_ranked_and_no_line_is_too_wide),
        cmocka_unit_test(the_verdict_names_the_best_bb_over_rho),
        cmocka_unit_test(rows_without_a_figure_and_above_their_bound_are_no_result),
        cmocka_unit_test(a_machine_is_busy_where_load_and_need_pass_its_cores),
        cmocka_unit_test(a_doubtful_group_has_no_verdict_and_no_figure),
        cmocka_unit_test(skipped_maps_share_a_line),
        cmocka_unit_test(compare_finds_what_was_planted),
        cmocka_unit_test(nothing_in_common_is_said_and_nothing_printed),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
