/* bench_end.c: how `wedge bench` ends: two runs compared, and the exit code of one that failed or measured nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "bench_end.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int bench_compare(const char *const *words, int count) {
    bench_result both[2] = {0};
    int code = EXIT_OK;
    if (count != 2) return cli_error(EXIT_USAGE, "bench compare: give two files, OLD.json and NEW.json");
    for (int k = 0; k < 2 && !code; ++k) {
        char *wrong = result_read_json(words[k], &both[k]);
        if (wrong) code = cli_error(EXIT_DATA, "%s", wrong);
        free(wrong);
    }
    int worse = code ? 0 : compare_print(stdout, &both[0], &both[1]);
    if (worse < 0)
        code = cli_error(EXIT_USAGE,
                         "bench compare: %s and %s have no timed row in common; measure both with the same experiment, "
                         "--n and --block",
                         words[0], words[1]);
    else if (worse)
        code = EXIT_RUN;
    result_free(&both[0]);
    result_free(&both[1]);
    return code;
}

static void count_rows(const bench_result *r, int *timed, const bench_row **skipped) {
    *timed = 0, *skipped = NULL;
    for (int k = 0; k < r->count; ++k) {
        *timed += row_timed(&r->rows[k]);
        if (!*skipped && r->rows[k].status == ROW_SKIPPED) *skipped = &r->rows[k];
    }
}

/* A run that measured nothing must not look like one that did: it fails, and says what to type. */
static int nothing_measured(const bench_result *r, const char *what) {
    const bench_row *skipped;
    int timed;
    count_rows(r, &timed, &skipped);
    if (timed || !skipped) return EXIT_OK;
    uint64_t small = !strcmp(what, "tet-map") ? 256 : 4096;
    if (skipped->n > small)
        return cli_error(EXIT_RUN, "bench: nothing was measured: %s; try wedge bench %s --n %" PRIu64, skipped->remark,
                         what, small);
    if (r->spent > 0.9 * r->budget)
        return cli_error(EXIT_RUN, "bench: nothing was measured: %s; try --budget %.0f", skipped->remark,
                         fmax(60, 10 * r->budget));
    return cli_error(EXIT_RUN, "bench: nothing was measured: %s; try wedge bench %s with its default --n and --block",
                     skipped->remark, what);
}

/* A row that failed verification fails the command: a table alone could be overlooked. */
int bench_end(const bench_result *r, const char *what) {
    int failed = 0;
    for (int k = 0; k < r->count; ++k) failed += r->rows[k].status == ROW_FAILED;
    return failed ? cli_error(EXIT_RUN, "bench: %d row%s failed; see the remarks", failed, failed == 1 ? "" : "s")
                  : nothing_measured(r, what);
}
