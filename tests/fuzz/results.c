/* results.c: saved results of the lab, as `wedge report` and `wedge bench compare` read them: refused with a message that names the
 * file, or drawn, written and read back as they were.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "bench/result.h"
#include "fuzz.h"

static char *written(const bench_result *r) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    HOLDS(f && result_write_json(f, r));
    fclose(f);
    return text;
}

static void draw(const bench_result *r) {
    FILE *out = fopen("/dev/null", "w");
    HOLDS(out);
    HOLDS(report_write_html(out, r, 1));
    for (int k = 0; k < r->count; ++k) report_write_svg(out, r, &r->rows[k], r->rows[k].rho);
    result_write_csv(out, r);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static char path[96];
    bench_result r, again;
    if (!*path) snprintf(path, sizeof path, "%s/result.json", fuzz_folder());
    fuzz_write(path, bytes, size);
    char *wrong = result_read_json(path, &r);
    if (wrong) {
        HOLDS(strstr(wrong, "result.json"));
        free(wrong);
        return 0;
    }
    draw(&r);
    char *text = written(&r);
    fuzz_write(path, text, strlen(text));
    char *refused = result_read_json(path, &again);
    if (refused) fprintf(stderr, "%s\n", refused);
    HOLDS(!refused);
    char *same = written(&again);
    HOLDS(!strcmp(text, same));
    result_free(&r);
    result_free(&again);
    free(text);
    free(same);
    return 0;
}
