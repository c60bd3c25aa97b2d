/* api.c: the C interface: a sequence of calls made of the bytes, on the cpu device.
 *
 * A job is described by the first bytes, sound or not: op, sink, layout, sizes, strides, box, cutoff. What is refused leaves a message
 * and no handle. What is made runs over ranges of its positions, whole and in two parts, and is streamed; results lie in memory of just
 * the size that they may take, which the sanitizer watches. Where parts may be joined, they make the whole.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "fuzz.h"
#include "wedge/wedge.h"

enum { MOST_N = 40, MOST_D = 6, MOST_STRIDE = 8, NUMBERS = MOST_N * MOST_STRIDE, FEW_BINS = 1000 };

/* With one thread, or now and then with two, which take longer to meet than most jobs. */
static wedge_device *device(bool two) {
    static wedge_device *devices[2];
    wedge_context *ctx;
    if (devices[two]) return devices[two];
    HOLDS(!wedge_context_create(&ctx));
    wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, two ? "2" : "1");
    wedge_context_set(ctx, WEDGE_SET_CACHE_DIR, "");
    HOLDS(!wedge_device_open(ctx, "cpu", &devices[two]));
    return devices[two];
}

typedef struct {
    wedge_device *dev;
    wedge_job_spec pairs;
    wedge_parameter parameters[3], sink_parameters[4];
    double edges[4], box[MOST_D];
    union {
        double f64[NUMBERS];
        float f32[NUMBERS];
    } points, others;
} problem;

static double number(fuzz_bytes *b) {
    static const double odd[] = {0,    -0.0,   1,     -1,       0.5,       3,   1e-320, 1e38,
                                 1e39, -1e308, 1e308, INFINITY, -INFINITY, NAN, 0.1,    7};
    uint8_t x = fuzz_byte(b);
    return x < 200 ? (x - 100) / 16.0 : odd[x % 16];
}

static void choose_parameters(fuzz_bytes *b, const wedge_parameter_info *const *info, int count, wedge_parameter *to,
                              size_t *given, size_t most, const double *edges) {
    for (*given = 0; *given < most && count && fuzz_byte(b) % 4; ++*given) {
        wedge_parameter *p = &to[*given];
        uint8_t odd = fuzz_byte(b);
        const wedge_parameter_info *of = info[odd % count];
        wedge_parameter_kind kind = odd >= 230 ? odd % 4 : of->kind;
        *p = (wedge_parameter){.size = odd == 253 ? fuzz_byte(b) : sizeof *p};
        p->name = odd == 255 ? "nothing" : odd == 254 ? NULL : of->name;
        if (kind == WEDGE_IS_NUMBER) p->value = number(b);
        if (kind == WEDGE_IS_WHOLE) p->whole = (int8_t)fuzz_byte(b) * (odd % 8 ? INT64_C(1) : INT64_C(1) << 20);
        if (kind == WEDGE_IS_FLAG) p->flag = fuzz_byte(b) & 1;
        if (kind == WEDGE_IS_LIST) p->values = edges, p->count = odd % 5;
    }
}

static void choose(fuzz_bytes *b, problem *p) {
    static const uint64_t sizes[] = {0, 1, 2, 3, UINT64_C(1) << 29, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_MAX};
    wedge_job_spec *w = &p->pairs;
    uint8_t odd = fuzz_byte(b);
    *p = (problem){.dev = device(odd % 16 == 14), .pairs.size = odd == 1 ? fuzz_byte(b) : sizeof *w};
    w->layout = (wedge_layout)fuzz_below(b, odd == 2 ? 256 : 7);
    bool triples = w->layout == WEDGE_TRIPLES || w->layout == WEDGE_TRIPLES_PACKED;
    int which = fuzz_byte(b), points = triples ? 3 : 2;
    const wedge_op_info *op = wedge_op_at(points, which % wedge_op_count(points));
    if (odd == 3) op = wedge_op_at(2, which % wedge_op_count(2));
    const wedge_sink_info *sink = wedge_sink_at((int)fuzz_below(b, (uint64_t)wedge_sink_count()));
    for (int k = 0; k < 4; ++k) p->edges[k] = fuzz_byte(b) < 250 ? k + fuzz_byte(b) / 256.0 : number(b);
    w->op = odd == 4 ? "nothing" : odd == 5 ? NULL : op->name;
    w->sink = odd == 6 ? "nothing" : odd == 7 ? NULL : sink->name;
    w->parameters = p->parameters, w->sink_parameters = p->sink_parameters;
    choose_parameters(b, op->parameters, op->parameter_count, p->parameters, &w->parameter_count, 3, p->edges);
    choose_parameters(b, sink->parameters, sink->parameter_count, p->sink_parameters, &w->sink_parameter_count, 4,
                      p->edges);
    w->dtype = (wedge_dtype)fuzz_below(b, odd == 8 ? 256 : 2);
    w->n = fuzz_below(b, MOST_N + 1), w->m = w->layout == WEDGE_RECTANGLE ? fuzz_below(b, MOST_N + 1) : 0;
    w->d = op->record && fuzz_byte(b) % 8 ? op->record : fuzz_below(b, MOST_D + 1);
    if (w->d > MOST_STRIDE) w->d = MOST_STRIDE;
    if (fuzz_byte(b) > 240) w->points_stride = w->d + fuzz_below(b, MOST_STRIDE + 1 - w->d);
    if (odd == 9) w->n = sizes[fuzz_below(b, 8)], w->points = NULL;
    w->prune = (wedge_prune)fuzz_below(b, odd == 10 ? 256 : 3);
    if (odd == 11) w->map = "walk", w->tile = fuzz_byte(b);
    if (odd > 200 || (odd > 150 && triples)) w->cutoff = number(b);
    for (int k = 0; k < MOST_D; ++k) p->box[k] = number(b);
    if (odd % 8 == 7 && w->d <= MOST_D) w->box = p->box;
    for (int k = 0; k < NUMBERS; ++k) {
        double x = b->left ? number(b) : (k * 7 % 23) / 8.0, y = k * 5 % 17 / 4.0;
        if (w->dtype == WEDGE_F32)
            p->points.f32[k] = (float)x, p->others.f32[k] = (float)y;
        else
            p->points.f64[k] = x, p->others.f64[k] = y;
    }
    if (odd != 9) w->points = odd == 12 ? NULL : &p->points;
    if (w->layout == WEDGE_RECTANGLE) w->others = odd == 13 ? NULL : &p->others;
}

/* ---- Running it ---- */

/* Bytes of all that a run may write, by the table of wedge_result. */
typedef struct {
    void *values;
    int64_t *pairs;
    size_t value_bytes, pair_bytes;
    uint64_t room;
} target;

static uint64_t parameter_of(const problem *p, const char *name, uint64_t most, uint64_t absent) {
    for (size_t k = p->pairs.sink_parameter_count; k-- > 0;) {
        const wedge_parameter *s = &p->sink_parameters[k];
        if (s->name && !strcmp(s->name, name))
            return s->whole >= 0 && (uint64_t)s->whole <= most ? (uint64_t)s->whole : most;
    }
    return absent;
}

static target make_target(const problem *p, const wedge_job_info *info, uint64_t positions) {
    target t = {0};
    size_t number = p->pairs.dtype == WEDGE_F64 ? sizeof(double) : sizeof(float);
    bool triples = info->op_info->points == 3;
    if (!strcmp(info->sink, "store")) {
        t.value_bytes = positions * info->values * number;
    } else if (!strcmp(info->sink, "count")) {
        t.value_bytes = sizeof(uint64_t);
    } else if (!strcmp(info->sink, "summary")) {
        t.value_bytes = sizeof(wedge_summary);
    } else if (!strcmp(info->sink, "histogram")) {
        t.value_bytes = (FEW_BINS + 3) * sizeof(uint64_t); /* see fits */
    } else {
        bool scatter = !strcmp(info->sink, "scatter"), select = !strcmp(info->sink, "select");
        t.room = select ? positions : scatter ? p->pairs.n : p->pairs.n * parameter_of(p, "k", 1024, 1);
        uint64_t values = select || scatter ? (scatter && triples && info->op_info->forces ? 4 : info->values) : 1;
        t.value_bytes = t.room * (values < 8 ? 8 : values) * number;
        t.pair_bytes = t.room * (select ? triples ? 3 : 2 : 1) * sizeof(int64_t);
    }
    t.values = malloc(t.value_bytes ? t.value_bytes : 1), t.pairs = malloc(t.pair_bytes ? t.pair_bytes : 1);
    HOLDS(t.values && t.pairs);
    if (!strcmp(info->sink, "store")) memset(t.values, 0, t.value_bytes);
    return t;
}

static void free_target(target *t) { free(t->values), free(t->pairs); }

static uint64_t run(wedge_device *dev, wedge_job *job, const target *t, uint64_t begin, uint64_t end, uint64_t skip,
                    void *state, wedge_status *status) {
    wedge_result r = {.size = sizeof r, .values = (char *)t->values + skip, .room = t->room, .state = state};
    const char *sink = wedge_job_get_info(job)->sink;
    if (!strcmp(sink, "summary")) ((wedge_summary *)t->values)->size = sizeof(wedge_summary);
    *(strcmp(sink, "scatter") ? &r.indices : &r.counts) = t->pairs;
    *status = wedge_job_run(job, begin, end, &r, NULL, NULL);
    HOLDS(!*status || *wedge_device_message(dev));
    return r.count;
}

typedef struct {
    uint64_t next, count;
} taken;

static wedge_status take(void *user, const wedge_piece *piece) {
    taken *t = user;
    HOLDS(piece->begin == t->next && piece->end >= piece->begin);
    t->next = piece->end, t->count += piece->count;
    return WEDGE_OK;
}

/* Bit for bit, but for which NaN a value is: IEEE 754 leaves that to the processor, and the order of its operands tells. */
static bool same_numbers(const target *a, const target *b, wedge_dtype dtype) {
    size_t size = dtype == WEDGE_F64 ? sizeof(double) : sizeof(float);
    const double *x = a->values, *y = b->values;
    const float *s = a->values, *t = b->values;
    const char *left = a->values, *right = b->values;
    for (size_t k = 0; k < a->value_bytes / size; ++k) {
        bool none = dtype == WEDGE_F64 ? isnan(x[k]) && isnan(y[k]) : isnan(s[k]) && isnan(t[k]);
        if (!none && memcmp(left + k * size, right + k * size, size)) return false;
    }
    return true;
}

static void try_ranges(const problem *p, wedge_job *job, fuzz_bytes *b) {
    const wedge_job_info *info = wedge_job_get_info(job);
    uint64_t cells = info->cells, middle = cells ? wedge_job_boundary(job, fuzz_u64(b) % (cells + 1)) : 0;
    HOLDS(middle <= cells);
    target whole = make_target(p, info, cells), parts = make_target(p, info, cells);
    wedge_status status, other;
    bool joins = !strcmp(info->sink, "store") || !strcmp(info->sink, "count");
    uint64_t all = run(p->dev, job, &whole, 0, cells, 0, NULL, &status);
    size_t cell = !strcmp(info->sink, "store") && cells ? whole.value_bytes / cells : 0;
    uint64_t first = run(p->dev, job, &parts, 0, middle, 0, NULL, &other), rest = 0;
    if (!status && !other) rest = run(p->dev, job, &parts, middle, cells, cell * middle, NULL, &other);
    if (!status && !other && joins) HOLDS(first + rest == all);
    if (!status && !other && cell) HOLDS(same_numbers(&whole, &parts, p->pairs.dtype));
    if (!strcmp(info->sink, "count") && !status) HOLDS(all <= cells);
    taken t = {0};
    if (!wedge_job_stream(job, 0, cells, fuzz_byte(b) * UINT64_C(64), take, &t, NULL, NULL)) {
        HOLDS(!cells || strcmp(info->sink, "store") || (t.next == cells && t.count == all));
    }
    free_target(&whole);
    free_target(&parts);
}

/* A histogram is made with few bins, or its counts would take more than the test has. */
static bool fits(const problem *p) {
    return parameter_of(p, "bins", UINT64_C(1) << 40, 10) <= FEW_BINS && p->pairs.n <= MOST_N;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static problem p;
    fuzz_bytes b = {bytes, size};
    wedge_job *job;
    choose(&b, &p);
    wedge_status status = wedge_job_create(p.dev, &p.pairs, &job);
    HOLDS(status ? !job && *wedge_device_message(p.dev) : job != NULL);
    if (status) return 0;
    uint64_t cells;
    if (!wedge_layout_cells(NULL, p.pairs.layout, p.pairs.n, p.pairs.m, p.pairs.dtype, &cells))
        HOLDS(cells == wedge_job_get_info(job)->cells);
    if (fits(&p)) try_ranges(&p, job, &b);
    if (fuzz_byte(&b) & 1) status = wedge_job_renew(job, p.pairs.points, p.pairs.others);
    if (!status && fits(&p)) try_ranges(&p, job, &b);
    wedge_job_destroy(job);
    return 0;
}
