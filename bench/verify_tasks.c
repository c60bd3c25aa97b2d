/* verify_tasks.c: the results of tasks, against plain loops over the same points in double precision.
 *
 * Lists within a radius and histograms are compared as a whole with all pairs that are near each other (truth.h). Of the
 * nearest, each one that is given must be as far away as it says, in order; that none was missed is seen at all rows, or
 * at some where all would take too long. Forces: verify_bodies.c. And pruned or not, results must be the same bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/truth.h"

enum { ROWS_CHECKED = 64, EVERY_ROW = 1 << 25 }; /* every row where there are no more features of cells than this */

static wedge_status check_list(lab *l, const arena *a, runner *r, const task_answer *answer) {
    truth t;
    between found;
    WEDGE_TRY(truth_within(l, r, a->n, &t));
    truth_check_list(r, a->n, answer->list, answer->count, &found);
    truth_check_between(&r->row, "pairs of the list surely within the radius", found.least,
                        (between){t.within.least, t.within.least});
    return WEDGE_OK;
}

static wedge_status check_histogram(lab *l, const arena *a, runner *r, const task_answer *answer) {
    truth t;
    WEDGE_TRY(truth_within(l, r, a->n, &t));
    truth_check_counts(r, &t, answer->values);
    return WEDGE_OK;
}

/* ---- The nearest ---- */

static double true_value(const runner *r, uint64_t i, uint64_t j) {
    const float *u = (const float *)r->points + i * r->engine->d, *v = (const float *)r->points + j * r->engine->d;
    double sum = 0;
    if (strcmp(r->engine->op, "cityblock")) return engine_true_distance(r, i, j);
    for (uint32_t f = 0; f < r->engine->d; ++f) sum += fabs((double)u[f] - (double)v[f]);
    return sum;
}

/* Neighbour k of row i: of another point, as far away as it is, and behind the one before it. */
static void check_neighbour(runner *r, uint64_t n, uint64_t i, const int64_t *list, const float *values, uint64_t k) {
    int64_t j = list[k];
    double got = (double)values[k];
    if (j < 0 || (uint64_t)j >= n || (uint64_t)j == i) {
        fail_row(&r->row, "neighbour %" PRIu64 " of point %" PRIu64 " is %" PRId64, k, i, j);
        return;
    }
    truth_check_value(r, "the distance of a neighbour", got, true_value(r, i, (uint64_t)j),
                      engine_tolerance(r->engine));
    if (!k || got > (double)values[k - 1] || (values[k] == values[k - 1] && j > list[k - 1])) return;
    if (r->row.status == ROW_OK)
        fail_row(&r->row, "neighbour %" PRIu64 " of point %" PRIu64 ", %" PRId64 ", is out of order", k, i, j);
}

/* Who is surely nearer than the last neighbour is one. */
static void check_none_missed(runner *r, uint64_t n, uint64_t i, const int64_t *list, const float *values, uint64_t k) {
    double reach = (double)values[k - 1] * (1 - 2 * engine_tolerance(r->engine));
    uint64_t nearer = 0, listed = 0;
    for (uint64_t j = 0; j < n; ++j) nearer += j != i && true_value(r, i, j) < reach;
    for (uint64_t m = 0; m < k; ++m) listed += true_value(r, i, (uint64_t)list[m]) < reach;
    if (r->row.status == ROW_OK && nearer != listed)
        fail_row(&r->row, "point %" PRIu64 " has %" PRIu64 " nearer neighbours, and %" PRIu64 " are listed", i, nearer,
                 listed);
}

static wedge_status check_nearest(lab *l, const arena *a, runner *r, const task_answer *answer) {
    const uint64_t n = a->n, k = (uint64_t)truth_parameter(r, "k", 0), found = k < n - 1 ? k : n - 1;
    const float *values = answer->values;
    bool every = (double)n * (double)n * r->engine->d <= EVERY_ROW;
    uint64_t rows = every ? n : ROWS_CHECKED;
    (void)l;
    for (uint64_t i = 0; i < n && r->row.status == ROW_OK; ++i)
        for (uint64_t m = 0; m < k && r->row.status == ROW_OK; ++m) {
            const int64_t *list = answer->list + i * k;
            if (m < found)
                check_neighbour(r, n, i, list, values + i * k, m);
            else if (list[m] != -1 || !isinf(values[i * k + m]))
                fail_row(&r->row, "point %" PRIu64 " has a neighbour too many", i);
        }
    for (uint64_t s = 0; s < rows && r->row.status == ROW_OK; ++s) {
        uint64_t i = every ? s : s * (n - 1) / (ROWS_CHECKED - 1);
        check_none_missed(r, n, i, answer->list + i * k, values + i * k, found);
    }
    return WEDGE_OK;
}

/* ---- All of them ---- */

static const struct {
    const char *sink;
    wedge_status (*check)(lab *l, const arena *a, runner *r, const task_answer *answer);
} checks[] = {{"select", check_list},
              {"histogram", check_histogram},
              {"nearest", check_nearest},
              {"scatter", bodies_check},
              {"summary", bodies_check}};

static bool is_of_atoms(const runner *r) { return r->engine->layout == WEDGE_TRIPLES; }

wedge_status tasks_check(lab *l, const arena *a, runner *r, const task_answer *answer) {
    if (is_of_atoms(r)) return atoms_check(l, a, r, answer);
    for (size_t k = 0; k < sizeof checks / sizeof *checks; ++k)
        if (!strcmp(checks[k].sink, r->sink->sink)) return checks[k].check(l, a, r, answer);
    return note_fail(&l->dev->note, WEDGE_UNSUPPORTED, "nothing verifies the sink %s", r->sink->sink);
}

static void take_digest(runner *r, const task_answer *answer) {
    hash h;
    hash_start(&h);
    hash_add(&h, &answer->count, sizeof answer->count);
    hash_add(&h, answer->list, answer->list_bytes);
    hash_add(&h, answer->values, answer->values_bytes);
    strcpy(r->digest, hash_end(&h).text);
}

wedge_status tasks_verify(lab *l, const arena *a, runner *r) {
    task_answer answer;
    wedge_status status = tasks_answer(l, a, r, &answer);
    if (!status) status = tasks_check(l, a, r, &answer);
    if (!status) take_digest(r, &answer);
    tasks_answer_free(&answer);
    r->row.verified = !status && r->row.status == ROW_OK;
    return status;
}

static bool same_result(const runner *a, const runner *b) {
    return a->row.verified && b->row.verified && !strcmp(a->sink->sink, b->sink->sink) && a->engine == b->engine &&
           !is_of_atoms(a);
}

void tasks_agree(runner *runners, int count) {
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < a; ++b) {
            runner *both[] = {&runners[a], &runners[b]};
            if (!same_result(both[0], both[1]) || !strcmp(both[0]->digest, both[1]->digest)) continue;
            for (int k = 0; k < 2; ++k) {
                fail_row(&both[k]->row, "%s and %s differ", row_name(&both[1]->row), row_name(&both[0]->row));
                both[k]->runs = both[k]->row.verified = false;
            }
        }
}
