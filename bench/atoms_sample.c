/* atoms_sample.c: the energy of more atoms than plain loops have time for.
 *
 *     0          p1   q1            p2   q2                N       positions of triplets, in packed order
 *     |----------|####|-------------|####|-----------------|
 *
 * The device computes the sum once more, cut into parts: one sampled part in each of PARTS equal strata, and what lies
 * between them. Each sampled part must be what plain loops say, and all parts together what the whole run said. So a fault
 * that is in a share f of all such parts is missed by chance (1 - f)^PARTS: 7 % of them, 1 time in 100.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>

#include "bench/atoms.h"
#include "bench/truth.h"
#include "core/random.h"

enum { PARTS = 64, FAULTY = 7, SURE = 99 }; /* (1 - 0.07)^64 = 0.0096 */

static const uint64_t every_triplet = UINT64_C(1) << 28, largest_part = UINT64_C(1) << 20;

static uint64_t pairs_of(uint64_t n) { return n * (n - (n > 0)) / 2; }
static uint64_t triplets_of(uint64_t n) { return n < 3 ? 0 : pairs_of(n) * (n - 2) / 3; }
static uint64_t most_triplets(const lab *l) { return l->every_triplet ? l->every_triplet : every_triplet; }

bool atoms_are_many(const lab *l, uint64_t n) { return triplets_of(n) > most_triplets(l); }

uint64_t atoms_few(const lab *l) {
    uint64_t n = 3;
    while (n < 512 && !atoms_are_many(l, n + 1)) ++n;
    return n;
}

/* A row is a pair (i, j), numbered in packed order; its triplets (i, j, k) follow each other. */
typedef struct {
    uint64_t i, j;
} row;

static uint64_t row_start(row r) { return triplets_of(r.i) + pairs_of(r.j); }
static uint64_t row_number(row r) { return pairs_of(r.i) + r.j; }

/* The largest m up to n with of(m) <= value. */
static uint64_t largest(uint64_t (*of)(uint64_t), uint64_t n, uint64_t value) {
    uint64_t low = 0;
    while (low < n) {
        uint64_t middle = low + (n - low + 1) / 2;
        if (of(middle) <= value)
            low = middle;
        else
            n = middle - 1;
    }
    return low;
}

/* Where the row begins that has this position. */
static row row_at(uint64_t n, uint64_t position) {
    uint64_t i = largest(triplets_of, n, position);
    return (row){i, i ? largest(pairs_of, i - 1, position - triplets_of(i)) : 0};
}

static row next_row(row r) { return r.j + 1 < r.i ? (row){r.i, r.j + 1} : (row){r.i + 1, 0}; }

typedef struct {
    const double *x;
    row first;
    energy_sum sum;
} part;

static void sum_rows(void *user, uint64_t begin, uint64_t end) {
    part *p = user;
    energy_sum sum = {0};
    uint64_t number = row_number(p->first) + begin, i = largest(pairs_of, p->first.i + end + 1, number);
    row r = {i, number - pairs_of(i)};
    for (uint64_t k = begin; k < end; ++k, r = next_row(r)) energy_of_row(p->x, r.i, r.j, &sum);
    energy_merge(&p->sum, &sum);
}

/* A range of the whole: what the device says of it is added to `sum` and `count`. */
static wedge_status run_part(runner *r, uint64_t begin, uint64_t end, double *sum, uint64_t *count) {
    sink_answer answer = {0};
    if (begin == end) return WEDGE_OK;
    WEDGE_TRY(sinks_run(r, begin, end, &answer));
    *sum = answer.summary.sum;
    *count = answer.summary.count;
    return WEDGE_OK;
}

static wedge_status check_part(lab *l, runner *r, part *p, row last, double *sum, uint64_t *count) {
    uint64_t rows = row_number(last) - row_number(p->first);
    WEDGE_TRY(run_part(r, row_start(p->first), row_start(last), sum, count));
    WEDGE_TRY(lab_on_cores(l, sum_rows, p, rows, rows / 64 + 1));
    truth_check_between(&r->row, "triplets of a part", *count, (between){p->sum.count, p->sum.count});
    if (r->row.status == ROW_OK && !(fabs(*sum - p->sum.sum) <= atoms_allowed[r->engine->dtype] * p->sum.size))
        fail_row(&r->row, "the energy is %.9g, should be %.9g, of the triplets from (%" PRIu64 ", %" PRIu64 ", 0) on",
                 *sum, p->sum.sum, p->first.i, p->first.j);
    return WEDGE_OK;
}

/* The rows of the sampled part of a stratum. */
static void choose(uint64_t n, int stratum, row *first, row *last) {
    uint64_t all = triplets_of(n), wide = all / PARTS, size = wide / 16 < largest_part ? wide / 16 : largest_part;
    wedge_random4 random = wedge_philox((wedge_random4){{(uint32_t)stratum, 0, 0, 5}}, (uint32_t)n, 0);
    uint64_t from =
        (uint64_t)stratum * wide + (uint64_t)((double)(wide - size) * (double)wedge_random_float(random.v[0]));
    *first = row_at(n, from), *last = row_at(n, from + size);
    if (row_number(*first) == row_number(*last)) *last = next_row(*last);
}

wedge_status atoms_sample(lab *l, runner *r, const double *x, uint64_t n, const wedge_summary *whole) {
    uint64_t all = triplets_of(n), done = 0, count = 0;
    double sum = 0;
    energy_sum sampled = {0};
    for (int k = 0; k <= PARTS && r->row.status == ROW_OK; ++k) {
        row first = {n, 0}, last = first;
        double between_them = 0, own = 0;
        uint64_t counts[2] = {0};
        if (k < PARTS) choose(n, k, &first, &last);
        if (row_start(first) < done) continue; /* few triplets: the part before has this row */
        part p = {.x = x, .first = first};
        WEDGE_TRY(run_part(r, done, row_start(first), &between_them, &counts[0]));
        if (k < PARTS) WEDGE_TRY(check_part(l, r, &p, last, &own, &counts[1]));
        energy_merge(&sampled, &p.sum);
        sum += between_them + own, count += counts[0] + counts[1], done = row_start(last);
    }
    if (r->row.status != ROW_OK) return WEDGE_OK;
    double size = sampled.size * (double)all / (double)sampled.count;
    truth_check_between(&r->row, "triplets of all parts", count, (between){all, all});
    truth_check_between(&r->row, "triplets", whole->count, (between){all, all});
    if (r->row.status == ROW_OK && !(fabs(sum - whole->sum) <= atoms_allowed[r->engine->dtype] * size))
        fail_row(&r->row, "the energy is %.9g, and that of all parts %.9g", whole->sum, sum);
    if (r->row.status == ROW_OK)
        snprintf(
            r->row.remark, sizeof r->row.remark,
            "verified by a sample: %d parts, %.2g %% of the sum; a fault in %d %% of all parts would show with %d %% "
            "probability",
            PARTS, 100 * (double)sampled.count / (double)all, FAULTY, SURE);
    return WEDGE_OK;
}
