/* t610-results.c: a saved result comes back as it was, and a damaged file is refused by its name and field.
 *
 * SPDX-License-Identifier: MIT */
#include "result_rows.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-8 * fabs(b))

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
    assert_string_equal(b.device.name, "bad \xef\xbf\xbd\xef\xbf\xbd bytes ?[1m");
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
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
