/* bench_end.c: how `wedge bench` ends: two runs compared, and the exit code of one that failed or measured nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "bench_end.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lab.h"
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

/* What a stranger can type to see something: fewer points, or more time. */
static void remedy(const bench_result *r, const char *what, uint64_t n, const char *cause, char *text, size_t size) {
    uint64_t small = !strncmp(what, "tet-", 4) || !strcmp(what, "triplets") ? 256 : 4096;
    bool many = n > small, budget = !strcmp(cause, "budget");
    int length = snprintf(text, size, "; try ");
    if (budget) length += snprintf(text + length, size - (size_t)length, "--budget %.0f", result_next_budget(r));
    if (many)
        snprintf(text + length, size - (size_t)length, "%swedge bench %s --n %" PRIu64, budget ? " or " : "", what,
                 small);
    else if (!budget)
        snprintf(text + length, size - (size_t)length, "wedge bench %s with its default --n and --block", what);
}

/* A run of which nothing is a result must not look like one that measured: it fails, and says what to type. Memory that
 * was too little has the code of its own, where nothing else stood in the way. */
static int nothing_measured(const bench_result *r, const char *what) {
    const bench_row *skipped = NULL, *few = NULL;
    bool memory = true;
    char why[192], then[96];
    for (int k = r->count - 1; k >= 0; --k) {
        const bench_row *row = &r->rows[k];
        if (row_is_result(row)) return EXIT_OK;
        if (row_timed(row)) few = row;
        if (row->status != ROW_SKIPPED) continue;
        skipped = row;
        memory &= !strcmp(row->cause, "memory");
    }
    if (few) {
        doubt_reason(r, few, why, sizeof why);
        return cli_error(strcmp(few->stop, "memory") ? EXIT_RUN : EXIT_SPACE, "bench: no row is a result: %s", why);
    }
    if (!r->count) return cli_error(EXIT_SPACE, "bench: no memory for a result");
    if (!skipped) return EXIT_OK;
    remedy(r, what, skipped->n, skipped->cause, then, sizeof then);
    if (!strcmp(skipped->remark, LAB_SPENT))
        return cli_error(EXIT_RUN, "bench: nothing was measured: the budget of %.3g s is too short%s", r->budget, then);
    return cli_error(memory ? EXIT_SPACE : EXIT_RUN, "bench: nothing was measured: %s%s", skipped->remark, then);
}

/* A row that failed verification fails the command: a table alone could be overlooked. */
int bench_end(const bench_result *r, const char *what) {
    int failed = 0;
    for (int k = 0; k < r->count; ++k) failed += r->rows[k].status == ROW_FAILED;
    return failed ? cli_error(EXIT_RUN, "bench: %d row%s failed; see the remarks", failed, failed == 1 ? "" : "s")
                  : nothing_measured(r, what);
}
