/* sinks_problem.h: the values of all cells, and what every sink must make of them, by plain loops.
 *
 * Values come from a `store` run of the same device, so that decisions (value <= radius, bins) are compared bit for bit; the
 * cells of a layout, and all that is done with their values, are written again here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_SINKS_PROBLEM_H
#define WEDGE_TESTS_SINKS_PROBLEM_H

#include <float.h>

#include "pairs_problem.h"

/* All cells of a problem in order of position. */
typedef struct {
    const problem *p;
    uint64_t count;
    uint32_t *i, *j;
    double *v;         /* the value, or the first; floats are exact in it */
    void *raw;         /* all values as they were stored, one after another */
    size_t size, cell; /* of a number, and of all values of a cell */
} cell_list;

static inline bool is_a_cell(wedge_layout layout, uint64_t i, uint64_t j) {
    return layout == WEDGE_CONDENSED ? i < j : layout == WEDGE_PACKED || layout == WEDGE_LOWER ? j <= i : true;
}

/* What `store` gives for every position; WEDGE_LOWER is kept on the device, and its other half is not written. */
static inline char *stored_values(wedge_device *dev, const wedge_job_spec *pairs) {
    wedge_job_spec q = *pairs;
    wedge_job *job;
    void *memory;
    q.sink = NULL, q.sink_parameter_count = 0, q.prune = WEDGE_PRUNE_NEVER;
    if (q.tile > 256) q.tile = 0; /* store has none as large */
    assert_ok(dev, wedge_job_create(dev, &q, &job));
    uint64_t cells = wedge_job_get_info(job)->cells, bytes = wedge_job_get_info(job)->bytes;
    char *out = calloc(bytes + 1, 1);
    assert_ok(dev, wedge_memory_create(dev, bytes + 1, &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, out, bytes));
    assert_ok(dev, run_values(job, 0, cells, memory, WEDGE_ON_DEVICE, NULL, NULL));
    assert_ok(dev, wedge_memory_read(dev, out, memory, 0, bytes));
    wedge_memory_destroy(dev, memory);
    wedge_job_destroy(job);
    return out;
}

static inline cell_list list_cells(wedge_device *dev, const problem *p) {
    const wedge_job_spec *q = &p->pairs;
    uint64_t columns = q->layout == WEDGE_RECTANGLE ? q->m : q->n, most = q->n * columns, position = 0;
    cell_list c = {.p = p, .size = q->dtype == WEDGE_F64 ? 8 : 4};
    c.cell = c.size * values_each(p);
    char *values = stored_values(dev, q);
    c.i = malloc(most * 4 + 1), c.j = malloc(most * 4 + 1), c.v = malloc(most * 8 + 1),
    c.raw = malloc(most * c.cell + 1);
    for (uint64_t i = 0; i < q->n; ++i)
        for (uint64_t j = 0; j < columns; ++j) {
            if (is_a_cell(q->layout, i, j)) {
                const char *at = values + (q->layout == WEDGE_LOWER ? i * columns + j : position++) * c.cell;
                c.i[c.count] = (uint32_t)i, c.j[c.count] = (uint32_t)j;
                float f;
                memcpy(&f, at, sizeof f);
                c.v[c.count] = (double)f;
                if (c.size == 8) memcpy(&c.v[c.count], at, sizeof *c.v);
                memcpy((char *)c.raw + c.count++ * c.cell, at, c.cell);
            }
        }
    free(values);
    return c;
}

static inline void free_cells(cell_list *c) {
    free(c->i);
    free(c->j);
    free(c->v);
    free(c->raw);
}

#define SAY_CASE(c)                                                                                                    \
    (c)->p->pairs.op, (int)(c)->p->pairs.layout, (int)(c)->p->pairs.dtype, (int)(c)->p->pairs.n, (int)(c)->p->pairs.d, \
        (int)(c)->p->pairs.prune, (c)->p->data ? (c)->p->data : "plain"
#define CASE "%s layout %d dtype %d n %d d %d prune %d %s: "

static inline wedge_job *sink_job(wedge_device *dev, const wedge_job_spec *pairs, const char *sink,
                                  const wedge_parameter *set, size_t count) {
    wedge_job_spec q = *pairs;
    wedge_job *job;
    q.sink = sink, q.sink_parameters = set, q.sink_parameter_count = count;
    assert_ok(dev, wedge_job_create(dev, &q, &job));
    if (q.prune != WEDGE_PRUNE_AUTO) assert_int_equal(wedge_job_get_info(job)->pruned, q.prune == WEDGE_PRUNE_ALWAYS);
    return job;
}

/* The whole job into `values`, and ends it. Returns the count. */
static inline uint64_t run_sink(wedge_device *dev, wedge_job *job, void *values) {
    wedge_result r = {.size = sizeof r, .values = values};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    wedge_job_destroy(job);
    return r.count;
}

/* ---- count ---- */

/* A radius as values are compared with it: rounded to the dtype, and what is finite stays so. */
static inline double radius_of(const cell_list *c, double radius) {
    if (c->size == 8 || !isfinite(radius)) return radius;
    return fabs(radius) > (double)FLT_MAX ? copysign((double)FLT_MAX, radius) : (double)(float)radius;
}

/* Of the cells [begin, end). */
static inline uint64_t within_range(const cell_list *c, double radius, uint64_t begin, uint64_t end) {
    uint64_t count = 0;
    for (uint64_t k = begin; k < end; ++k) count += c->v[k] <= radius_of(c, radius);
    return count;
}

static inline uint64_t within(const cell_list *c, double radius) { return within_range(c, radius, 0, c->count); }

static inline void check_count(wedge_device *dev, const cell_list *c, double radius) {
    const wedge_parameter set = WEDGE_NUMBER("radius", radius);
    uint64_t got = 77, want = within(c, radius);
    uint64_t count = run_sink(dev, sink_job(dev, &c->p->pairs, "count", &set, 1), &got);
    if (got != want || count != want)
        fail_msg(CASE "%llu and %llu values within %.17g, not %llu", SAY_CASE(c), (unsigned long long)got,
                 (unsigned long long)count, radius, (unsigned long long)want);
}

/* ---- select ---- */

enum { GUARD = 0x5A };

static inline void assert_untouched(const void *from, size_t bytes) {
    for (size_t k = 0; k < bytes; ++k) assert_int_equal(((const unsigned char *)from)[k], GUARD);
}

/* `count` pairs, and values where they are not NULL, are those within the radius, from the `skip`-th on. */
static inline void assert_selected(const cell_list *c, double radius, uint64_t skip, uint64_t count,
                                   const int64_t *pairs, const void *values) {
    uint64_t found = 0;
    for (uint64_t k = 0; k < c->count; ++k) {
        if (!(c->v[k] <= radius_of(c, radius)) || found++ < skip) continue;
        uint64_t at = found - 1 - skip;
        if (at >= count) return;
        if (pairs && (pairs[2 * at] != c->i[k] || pairs[2 * at + 1] != c->j[k]))
            fail_msg(CASE "pair %d within %.17g is (%d, %d), not (%d, %d)", SAY_CASE(c), (int)(found - 1), radius,
                     (int)pairs[2 * at], (int)pairs[2 * at + 1], (int)c->i[k], (int)c->j[k]);
        if (values) assert_memory_equal((const char *)values + at * c->cell, (char *)c->raw + k * c->cell, c->cell);
    }
    assert_int_equal(found, skip + count);
}

static inline void check_select(wedge_device *dev, const cell_list *c, double radius) {
    const wedge_parameter set = WEDGE_NUMBER("radius", radius);
    wedge_job *job = sink_job(dev, &c->p->pairs, "select", &set, 1);
    wedge_result r = {.size = sizeof r};
    uint64_t cells = wedge_job_get_info(job)->cells, want = within(c, radius);
    assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    if (r.count != want)
        fail_msg(CASE "%llu pairs within %.17g, not %llu", SAY_CASE(c), (unsigned long long)r.count, radius,
                 (unsigned long long)want);
    size_t pair_bytes = want * 16, value_bytes = want * c->cell;
    char *pairs = malloc(pair_bytes + 64), *values = malloc(value_bytes + 64);
    memset(pairs, GUARD, pair_bytes + 64), memset(values, GUARD, value_bytes + 64);
    r.room = want, r.indices = (int64_t *)(void *)pairs, r.values = values;
    assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    assert_int_equal(r.count, want);
    assert_selected(c, radius, 0, want, r.indices, values);
    assert_untouched(pairs + pair_bytes, 64);
    assert_untouched(values + value_bytes, 64);
    wedge_job_destroy(job);
    free(pairs);
    free(values);
}

/* ---- summary ---- */

/* The first of the smallest (sign 1) or largest (-1) values; count where there is none. */
static inline uint64_t first_extreme(const cell_list *c, double sign) {
    uint64_t best = c->count;
    for (uint64_t k = 0; k < c->count; ++k)
        if (!isnan(c->v[k]) && (best == c->count || sign * c->v[k] < sign * c->v[best])) best = k;
    return best;
}

/* The sum of all that is finite, far better than a double holds it: high + low, by Neumaier; and that of magnitudes. */
static inline void sum_cells(const cell_list *c, double *high, double *low, double *magnitude) {
    *high = *low = *magnitude = 0;
    for (uint64_t k = 0; k < c->count; ++k) {
        volatile double x = c->v[k], sum = *high + x, a = *high - sum, b = x - sum;
        if (isnan(x) || isinf(x)) continue;
        *low += fabs(*high) >= fabs(x) ? a + x : b + *high;
        *high = sum;
        *magnitude += fabs(x);
    }
}

/* Each leaf may round by up to ten units of its magnitude, as wedge.h says; sums of integers, where the op makes such, are exact. */
static inline void check_sum(const cell_list *c, const wedge_summary *s, bool exact) {
    uint64_t above = 0, below = 0;
    double high, low, magnitude, unit = c->size == 8 ? 0x1p-53 : 0x1p-24;
    for (uint64_t k = 0; k < c->count; ++k)
        above += isinf(c->v[k]) && c->v[k] > 0, below += isinf(c->v[k]) && c->v[k] < 0;
    if (s->nan || (above && below)) {
        assert_true(isnan(s->sum));
        return;
    }
    if (above || below) {
        assert_true(s->sum == (above ? (double)INFINITY : -(double)INFINITY));
        return;
    }
    sum_cells(c, &high, &low, &magnitude);
    double off = fabs((s->sum - high) - low), bound = exact ? 0 : (10 * unit + 0x1p-52) * magnitude;
    if (!(off <= bound))
        fail_msg(CASE "the sum is %.17g, not %.17g: off by %g of %g", SAY_CASE(c), s->sum, high + low, off, bound);
}

static inline void check_extreme(const cell_list *c, double sign, double value, uint64_t i, uint64_t j) {
    uint64_t k = first_extreme(c, sign);
    if (k == c->count) {
        assert_true(isnan(value) && i == 0 && j == 0);
        return;
    }
    if (memcmp(&value, &c->v[k], sizeof value) || i != c->i[k] || j != c->j[k])
        fail_msg(CASE "%s is %.17g at (%d, %d), not %.17g at (%d, %d)", SAY_CASE(c), sign > 0 ? "smallest" : "largest",
                 value, (int)i, (int)j, c->v[k], (int)c->i[k], (int)c->j[k]);
}

static inline void check_summary(wedge_device *dev, const cell_list *c, bool exact) {
    wedge_summary s = {.size = sizeof s};
    uint64_t count = run_sink(dev, sink_job(dev, &c->p->pairs, "summary", NULL, 0), &s), nan = 0;
    for (uint64_t k = 0; k < c->count; ++k) nan += isnan(c->v[k]);
    if (s.nan != nan || s.count != c->count - nan || count != s.count)
        fail_msg(CASE "%d values and %d NaN, not %d and %d", SAY_CASE(c), (int)s.count, (int)s.nan,
                 (int)(c->count - nan), (int)nan);
    check_extreme(c, 1, s.min, s.min_i, s.min_j);
    check_extreme(c, -1, s.max, s.max_i, s.max_j);
    check_sum(c, &s, exact);
}

/* ---- histogram ---- */

/* As numpy.histogram has it: [edge, next edge), the last one closed; then below, above, NaN. */
static inline void bin_cells(const cell_list *c, const double *edge, uint64_t bins, uint64_t *count) {
    memset(count, 0, (bins + 3) * sizeof *count);
    for (uint64_t k = 0; k < c->count; ++k) {
        double v = c->v[k];
        uint64_t b = bins + 2;
        if (v < edge[0]) b = bins;
        if (v > edge[bins]) b = bins + 1;
        if (v >= edge[0] && v <= edge[bins]) { /* from a guess to the last edge that is not above */
            b = edge[0] < edge[bins] ? (uint64_t)((v - edge[0]) / (edge[bins] - edge[0]) * (double)(bins - 1)) : 0;
            while (b && v < edge[b]) --b;
            while (b < bins - 1 && v >= edge[b + 1]) ++b;
        }
        ++count[b];
    }
}

/* As a number of `size` bytes holds it. By way of memory: gcc 12 at -O3 loses (double)(float)x in the tail of a loop. */
static inline double as_held(double x, size_t size) {
    volatile float narrow = (float)x;
    return size == 8 ? x : (double)narrow;
}

/* edges: those that the parameters mean, in f64; the library rounds them to the dtype. */
static inline void check_histogram(wedge_device *dev, const cell_list *c, const wedge_parameter *set, size_t set_count,
                                   double *edge, uint64_t bins) {
    uint64_t *got = malloc((bins + 3) * 8), *want = malloc((bins + 3) * 8), inside = 0;
    for (uint64_t e = 0; e <= bins; ++e) edge[e] = as_held(edge[e], c->size);
    bin_cells(c, edge, bins, want);
    uint64_t count = run_sink(dev, sink_job(dev, &c->p->pairs, "histogram", set, set_count), got);
    for (uint64_t b = 0; b < bins + 3; ++b) {
        inside += b < bins ? want[b] : 0;
        if (got[b] != want[b])
            fail_msg(CASE "counter %d of %d bins from %.17g to %.17g is %lld, not %lld", SAY_CASE(c), (int)b, (int)bins,
                     edge[0], edge[bins], (long long)got[b], (long long)want[b]);
    }
    assert_int_equal(count, inside);
    free(got);
    free(want);
}

static inline void check_even_bins(wedge_device *dev, const cell_list *c, double low, double high, uint32_t bins) {
    const wedge_parameter set[] = {WEDGE_NUMBER("min", low), WEDGE_NUMBER("max", high), WEDGE_WHOLE("bins", bins)};
    double *edge = malloc((bins + 1) * sizeof *edge), step = (high - low) / bins;
    for (uint32_t e = 0; e <= bins; ++e) edge[e] = e == bins ? high : low + e * step;
    check_histogram(dev, c, set, 3, edge, bins);
    free(edge);
}

static inline void check_log_bins(wedge_device *dev, const cell_list *c, double low, double high, uint32_t bins) {
    const wedge_parameter set[] = {WEDGE_FLAG("log", 1), WEDGE_NUMBER("max", high), WEDGE_WHOLE("bins", bins),
                                   WEDGE_NUMBER("min", low)};
    double *edge = malloc((bins + 1) * sizeof *edge), step = (log10(high) - log10(low)) / bins;
    for (uint32_t e = 0; e <= bins; ++e) edge[e] = pow(10, log10(low) + e * step);
    edge[0] = low, edge[bins] = high;
    check_histogram(dev, c, set, 4, edge, bins);
    free(edge);
}

static inline void check_given_bins(wedge_device *dev, const cell_list *c, double *edge, uint32_t bins) {
    const wedge_parameter set = WEDGE_LIST("edges", edge, bins + 1);
    double *own = malloc((bins + 1) * sizeof *own);
    memcpy(own, edge, (bins + 1) * sizeof *own);
    check_histogram(dev, c, &set, 1, own, bins);
    free(own);
}

/* ---- All of them ---- */

enum { CHECK_COUNT = 1, CHECK_SELECT = 2, CHECK_SUMMARY = 4, CHECK_HISTOGRAM = 8, CHECK_ALL = 15 };

static inline int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The finite values, ascending. */
static inline double *sorted_values(const cell_list *c, uint64_t *count) {
    double *v = malloc(c->count * sizeof *v + 1);
    *count = 0;
    for (uint64_t k = 0; k < c->count; ++k)
        if (isfinite(c->v[k])) v[(*count)++] = c->v[k];
    qsort(v, *count, sizeof *v, by_value);
    return v;
}

/* Radii at, just below and just above values, and where nothing or everything is within. */
static inline double radius_at(const double *v, uint64_t count, unsigned k) {
    static const double fixed[] = {0, INFINITY, -1, 1e300, -INFINITY, 1.0 / 3};
    if (k % 2 || !count) return fixed[k / 2 % 6];
    double value = v[count * (k / 2 % 5) / 5];
    return k % 3 == 0 ? value : nextafter(value, k % 3 == 1 ? -INFINITY : INFINITY);
}

/* Edges that are values, with equals among them; evenly and geometrically spaced ones from value to value, and ones that
 * leave values on both sides. */
static inline void check_histograms(wedge_device *dev, const cell_list *c, const double *v, uint64_t count,
                                    unsigned turn, unsigned turns) {
    enum { BINS = 10 };
    double edges[BINS + 1], low = count ? v[0] : 0, high = count ? v[count - 1] : 1, middle = count ? v[count / 2] : 0;
    for (uint64_t e = 0; e <= BINS; ++e) edges[e] = count ? v[(count - 1) * e / BINS] : (double)e;
    if (!(low < high)) low -= 1, high += 1;
    uint64_t above = 0;
    while (above < count && v[above] <= 0) ++above;
    double least = above < count ? v[above] : 0.5, most = above < count ? v[count - 1] : 8;
    for (unsigned k = turn; k < turn + turns; ++k) {
        if (k % 4 == 0) check_even_bins(dev, c, low, high, BINS);
        if (k % 4 == 1) check_given_bins(dev, c, edges, BINS);
        if (k % 4 == 2) check_even_bins(dev, c, middle - (high - low) / 7, middle + (high - low) / 5, BINS);
        if (k % 4 == 3) check_log_bins(dev, c, least, most > least ? most : 2 * least, BINS);
    }
}

/* Points are multiples of 1/64 below 8 (pairs_problem.h): 32 such values together are a float. */
static inline bool sums_exactly(const wedge_job_spec *p) {
    return !strcmp(p->op, "cityblock") || !strcmp(p->op, "chebyshev") || (!strcmp(p->op, "dot") && p->d == 1);
}

/* `turns`: how many radii and kinds of edges are tried, from the `turn`-th on. */
static inline void check_sinks(wedge_device *dev, const problem *p, int sinks, unsigned turn, unsigned turns) {
    cell_list c = list_cells(dev, p);
    uint64_t count;
    double *v = sorted_values(&c, &count);
    if (p->pairs.layout == WEDGE_LOWER) sinks &= ~CHECK_SELECT; /* refused: t441 */
    for (unsigned k = 3 * turn; k < 3 * turn + turns && sinks & CHECK_COUNT; ++k)
        check_count(dev, &c, radius_at(v, count, k));
    for (unsigned k = turn; k < turn + turns && sinks & CHECK_SELECT; ++k)
        check_select(dev, &c, radius_at(v, count, 5 * k));
    if (sinks & CHECK_SUMMARY) check_summary(dev, &c, sums_exactly(&p->pairs));
    if (sinks & CHECK_HISTOGRAM) check_histograms(dev, &c, v, count, turn, turns);
    free(v);
    free_cells(&c);
}

#endif
