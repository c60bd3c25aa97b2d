/* t330-nvrtc.c: NVRTC compiles every kernel of wedge without a word, every map for sm_80 and sm_90; no GPU is needed.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "backend/cuda/nvrtc.h"
#include "backend/gpu/program.h"
#include "bench/lab.h"
#include "bench/texts.h"
#include "core/maps.h"
#include "devices.h"
#include "engine/base/job.h"
#include "engine/kernels/texts.h"

extern const char text_cover[], text_syrk[];

static nvrtc *compiler;

static int find_compiler(void **state) {
    note remark = {0};
    (void)state;
    compiler = nvrtc_open(getenv("WEDGE_NVRTC"), &remark);
    if (!compiler)
        fprintf(stderr, "NVRTC IS MISSING (%s): CUDA KERNELS ARE NOT COMPILED IN THIS RUN\n", note_text(&remark));
    note_free(&remark);
    return 0;
}

static int drop_compiler(void **state) {
    (void)state;
    nvrtc_close(compiler);
    return 0;
}

enum { BOTH = -1, PTX = 2 };

static bool has_shared; /* the PTX that was compiled last declares shared memory */

/* For one of the two targets, for both, or to PTX. */
static void compile(const source_piece *pieces, int count, int target) {
    static const char *const targets[] = {"sm_80", "sm_90", [PTX] = "compute_90"};
    char *source = source_compose(pieces, count);
    for (int t = 0; t <= PTX; ++t) {
        if (target == BOTH ? t == PTX : t != target) continue;
        note why = {0};
        blob binary;
        char *log;
        if (nvrtc_compile(compiler, source, targets[t], &binary, &log, &why)) fail_msg("%s", note_text(&why));
        if (log && strlen(log) > 1) fail_msg("%s: %s", targets[t], log);
        has_shared = memmem(binary.bytes, binary.size, ".shared .align", strlen(".shared .align"));
        if (t != PTX) assert_memory_equal(binary.bytes, "\177ELF", 4);
        free(binary.bytes);
        free(log);
    }
    free(source);
}

static void certify_compiles(void **state) {
    (void)state;
    if (!compiler) skip();
    for (int no_double = 0; no_double < 2; ++no_double)
        compile((source_piece[]){{"settings", no_double ? "#define WEDGE_NO_DOUBLE 1" : ""},
                                 {"wedge/lang.h", text_lang},
                                 {"wedge/map.h", text_map},
                                 {"kernels/certify.h", text_certify}},
                4, BOTH);
}

/* examples/header/syrk.cu, which the header alone is for. */
static void the_example_with_the_header_alone_compiles(void **state) {
    (void)state;
    if (!compiler) skip();
    compile((source_piece[]){{"wedge/lang.h", text_lang}, {"wedge/map.h", text_map}, {"syrk.cu", text_syrk}}, 3, BOTH);
}

/* Each map in one shape, the wide one where t310 on OpenCL, which has the others, leaves it out. */
static void every_map_compiles(void **state) {
    static const map_shape shapes[] = {{.origin = true}, {.origin = true, .use64 = true}, {.power = true}};
    (void)state;
    if (!compiler) skip();
    for (int m = 0; m < wedge_map_count(); ++m)
        for (int shape = 0; shape < 3; ++shape) {
            if (!test_everything() && shape != (m % 3 ? 1 : m % 2 * 2)) continue;
            char *settings = map_device_text(wedge_map_at(m), shapes[shape]);
            compile((source_piece[]){{"wedge/lang.h", text_lang},
                                     {"wedge/map.h", text_map},
                                     {"settings", settings},
                                     {"launch.h", text_launch},
                                     {"kernels/certify.h", text_certify},
                                     {"cover.h", text_cover}},
                    6, test_everything() ? BOTH : m / 2 % 2);
            free(settings);
        }
}

static void compile_experiment(const experiment *e, const wedge_map_info *map, const char *more, int target) {
    char *settings = map_device_text(map, (map_shape){.origin = false});
    char *own = text_format("#define LAB_RHO 8u\n#define WEDGE_LEAVE 1\n#define LAB_CHECK 0\n%s%s", more, e->settings);
    compile((source_piece[]){{"wedge/lang.h", text_lang},
                             {"wedge/map.h", text_map},
                             {"settings", settings},
                             {"launch.h", text_launch},
                             {"own", own},
                             {"experiment", e->text},
                             {"cells.h", text_cells}},
            7, target);
    free(settings);
    free(own);
}

/* The lab's kernels: every experiment with maps of resident blocks, which t310 does not have, and one other; half of them
 * where not everything is tested. */
static void every_experiment_compiles_in_segments(void **state) {
    (void)state;
    if (!compiler) skip();
    for (int e = 0; e < experiment_count; ++e)
        for (int m = 0; m < wedge_map_count() && !experiments[e].no_maps; ++m) {
            const wedge_map_info *map = wedge_map_at(m);
            if (map->rank != experiments[e].rank || (!map_row_of(map)->next && strcmp(map->name, "bb"))) continue;
            if (test_everything() || (e + m) % 2 == 0)
                compile_experiment(&experiments[e], map, "", test_everything() ? BOTH : e % 2);
        }
}

static void the_labs_own_maps_compile(void **state) {
    (void)state;
    if (!compiler) skip();
    for (int e = 0; e < experiment_count; ++e)
        for (int k = 0; lab_map_name(k); ++k) {
            lab_map own = lab_map_make(k);
            for (const char *const *name = experiments[e].own; name && *name; ++name)
                if (!strcmp(*name, lab_map_name(k))) {
                    compile_experiment(&experiments[e], &own.row.info, own.settings, test_everything() ? BOTH : e % 2);
                    compile_experiment(&experiments[e], &own.row.info, own.settings, PTX);
                    assert_true(has_shared == !strcmp(*name, "rb-tiles")); /* all that it differs from rb-thread in */
                }
        }
}

/* A device that compiles and does nothing else: what the engine composes for it is what a GPU would get. */
static int compiled;

/* The tools that order points are a program of each pruned job, and the same one mostly: compiled once. */
static bool was_compiled(const char *source) {
    static char *texts[64];
    static int count;
    if (!strstr(source, "found_fill") || strstr(source, "pairs_kernel")) return false;
    for (int k = 0; k < count; ++k)
        if (!strcmp(texts[k], source)) return true;
    if (count < 64) texts[count++] = strdup(source);
    return false;
}

static wedge_status only_compile(wedge_device *dev, const char *source, blob *binary) {
    char *log = NULL;
    if (was_compiled(source)) {
        *binary = (blob){calloc(1, 1), 1};
        ++compiled;
        return WEDGE_OK;
    }
    wedge_status status = nvrtc_compile(compiler, source, "sm_90", binary, &log, &dev->note);
    if (!status && log && strlen(log) > 1) status = note_fail(&dev->note, WEDGE_BUILD_FAILED, "%s", log);
    free(log);
    ++compiled;
    return status;
}

static wedge_status load(wedge_device *dev, const blob *binary, void **program) {
    (void)dev, (void)binary;
    *program = &compiled;
    return WEDGE_OK;
}

static wedge_status kernel_new(wedge_device *dev, void *program, const char *name, void **kernel) {
    (void)dev, (void)program, (void)name;
    *kernel = &compiled;
    return WEDGE_OK;
}

static wedge_status resident(wedge_device *dev, void *kernel, uint32_t threads, uint32_t *blocks) {
    (void)dev, (void)kernel, (void)threads;
    *blocks = 1;
    return WEDGE_OK;
}

static wedge_status launch(wedge_device *dev, void *queue, void *kernel, const grid_launch *l) {
    (void)dev, (void)queue, (void)kernel, (void)l;
    return WEDGE_OK;
}

static wedge_status buffer_new(wedge_device *dev, size_t bytes, memory_kind where, buffer *out) {
    (void)dev, (void)where;
    *out = (buffer){.bytes = bytes};
    return WEDGE_OK;
}

static wedge_status write_nothing(wedge_device *dev, void *queue, const buffer *to, size_t offset, const void *from,
                                  size_t bytes) {
    (void)dev, (void)queue, (void)to, (void)offset, (void)from, (void)bytes;
    return WEDGE_OK;
}

static wedge_status read_nothing(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset,
                                 size_t bytes) {
    (void)dev, (void)queue, (void)from, (void)offset;
    memset(to, 0, bytes);
    return WEDGE_OK;
}

static wedge_status queue_new(wedge_device *dev, void **queue) {
    (void)dev;
    *queue = &compiled;
    return WEDGE_OK;
}

static wedge_status wait_for_nothing(wedge_device *dev, void *queue) {
    (void)dev, (void)queue;
    return WEDGE_OK;
}

static void drop(wedge_device *dev, void *thing) { (void)dev, (void)thing; }
static void drop_buffer(wedge_device *dev, buffer *b) { (void)dev, (void)b; }

static const backend compiling = {.name = "compiling",
                                  .compile = only_compile,
                                  .load = load,
                                  .program_free = drop,
                                  .kernel_new = kernel_new,
                                  .kernel_free = drop,
                                  .resident = resident,
                                  .launch = launch,
                                  .buffer_new = buffer_new,
                                  .buffer_free = drop_buffer,
                                  .write = write_nothing,
                                  .read = read_nothing,
                                  .queue_new = queue_new,
                                  .queue_free = drop,
                                  .wait = wait_for_nothing};

/* Calls the test with such a device; skipped where there is no compiler. */
static void on_compiling_device(void (*test)(wedge_device *dev)) {
    if (!compiler) skip();
    wedge_context *ctx;
    char key[] = "none";
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_CACHE_DIR, "");
    wedge_device dev = {.backend = &compiling, .ctx = ctx, .build_key = key};
    dev.info.has_double = dev.info.is_gpu = true;
    test(&dev);
    note_free(&dev.note);
    wedge_context_destroy(ctx);
}

static void compile_pairs(wedge_device *dev, wedge_job_spec pairs) {
    static const double points[MOST_RECORD];
    wedge_job *job;
    const wedge_parameter given = WEDGE_NUMBER("p", 1.5); /* other values of minkowski's are other ops */
    static const wedge_parameter limits[] = {WEDGE_NUMBER("radius", 1), WEDGE_NUMBER("max", 1), WEDGE_WHOLE("k", 1)};
    const wedge_sink_info *sink = wedge_sink_find(pairs.sink ? pairs.sink : "store");
    pairs.size = sizeof pairs, pairs.n = 1, pairs.points = points;
    if (pairs.layout == WEDGE_RECTANGLE) pairs.m = 1, pairs.others = points;
    for (int k = 0; k < sink->parameter_count; ++k)
        for (int l = 0; l < 3; ++l)
            if (!strcmp(sink->parameters[k]->name, limits[l].name) && strcmp(sink->name, "scatter"))
                pairs.sink_parameters = &limits[l], pairs.sink_parameter_count = 1;
    if (!strcmp(pairs.op, "minkowski")) pairs.parameters = &given, pairs.parameter_count = 1;
    if (wedge_job_create(dev, &pairs, &job)) fail_msg("%s: %s", pairs.op, wedge_device_message(dev));
    wedge_job_destroy(job);
}

/* Of a fold, few features or five; of a direct op the largest record that it takes up to so many, or its smallest. */
static uint64_t record_of(const wedge_op_info *op, uint64_t d) {
    uint32_t records = op_find(op->name)->records;
    uint64_t fit = d;
    if (!records) return d > 4 ? 5 : d;
    while (fit && !(records >> fit & 1)) --fit;
    while (!(records >> fit & 1)) ++fit;
    return fit;
}

/* Counters and a tile's points share what a block has of shared memory: with the most of both, the assembler takes it. */
static void histograms_fit_shared_memory_on(wedge_device *dev) {
    static const double bins[] = {10, 64, 65, 128, 200, 201, 1 << 20};
    static const double points[1];
    for (int k = 0; k < 7 * 3; ++k) {
        bool most = bins[k / 3] == 64 || bins[k / 3] == 128 || bins[k / 3] == 200; /* that a way of counting takes */
        if (!most && k % 3 != k / 3 % 3 && !test_everything()) continue;
        const wedge_parameter set[] = {WEDGE_NUMBER("max", 1), WEDGE_WHOLE("bins", bins[k / 3])};
        wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .sink = "histogram", .n = 1, .points = points};
        wedge_job *job;
        pairs.sink_parameters = set, pairs.sink_parameter_count = 2;
        pairs.dtype = k % 3 == 0 ? WEDGE_F32 : WEDGE_F64, pairs.d = k % 3 == 2 ? 4 : 5;
        pairs.tile = k % 3 == 0 ? 128 : k % 3 == 1 ? 64 : 512;
        if (wedge_job_create(dev, &pairs, &job)) fail_msg("%g bins: %s", bins[k / 3], wedge_device_message(dev));
        wedge_job_destroy(job);
    }
}

static void histograms_fit_shared_memory(void **state) {
    (void)state;
    on_compiling_device(histograms_fit_shared_memory_on);
}

/* Points that need them: numbers whose squares and powers are none. */
static void scaled_forms_compile_on(wedge_device *dev) {
    static const struct {
        const char *op, *sink;
        wedge_dtype dtype;
        uint64_t d;
    } cases[] = {{"euclidean", "store", WEDGE_F32, 3},    {"euclidean", "count", WEDGE_F64, 3},
                 {"minkowski", "store", WEDGE_F64, 40},   {"minkowski", "nearest", WEDGE_F32, 40},
                 {"gaussian", "summary", WEDGE_F32, 3},   {"gaussian", "store", WEDGE_F64, 2},
                 {"euclidean", "nearest", WEDGE_F32, 40}, {"minkowski", "histogram", WEDGE_F32, 3}};
    static const wedge_parameter limits[] = {WEDGE_NUMBER("radius", 1), WEDGE_WHOLE("k", 1), WEDGE_NUMBER("max", 1)};
    float narrow[40];
    double wide[40];
    for (int f = 0; f < 40; ++f) narrow[f] = 1e-40f, wide[f] = 1e-310;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        bool f64 = cases[k].dtype == WEDGE_F64, nearest = !strcmp(cases[k].sink, "nearest");
        const bool power = !strcmp(cases[k].op, "minkowski");
        const wedge_parameter of_op = WEDGE_NUMBER(power ? "p" : "sigma", power ? 20 : f64 ? 1e-300 : 1e-30);
        wedge_job_spec pairs = {
            .size = sizeof pairs, .op = cases[k].op, .sink = cases[k].sink, .n = 1, .d = cases[k].d};
        wedge_job *job;
        pairs.dtype = cases[k].dtype, pairs.points = f64 ? (const void *)wide : narrow;
        pairs.layout = nearest ? WEDGE_SQUARE : WEDGE_PACKED;
        pairs.parameters = &of_op, pairs.parameter_count = strcmp(cases[k].op, "euclidean") ? 1 : 0;
        pairs.sink_parameters = &limits[nearest ? 1 : !strcmp(cases[k].sink, "count") ? 0 : 2];
        pairs.sink_parameter_count = strcmp(cases[k].sink, "store") && strcmp(cases[k].sink, "summary") ? 1 : 0;
        if (wedge_job_create(dev, &pairs, &job)) fail_msg("%s: %s", pairs.op, wedge_device_message(dev));
        assert_true(wedge_job_get_info(job)->scaled);
        wedge_job_destroy(job);
    }
}

static void scaled_forms_compile(void **state) {
    (void)state;
    on_compiling_device(scaled_forms_compile_on);
}

/* A user's op is compiled alone before there is a job; its mistakes have file and line. Every op in both kinds of numbers. */
static void users_ops_compile_on(wedge_device *dev) {
    static const char wrong[] =
        "#define OP_DIRECT 1\n"
        "WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return nowhere; }\n";
    wedge_dtype dtype;
    wedge_op_options options = {.size = sizeof options, .name = "mine", .dtype = &dtype};
    wedge_op *op;
    for (int k = 0; k < wedge_op_count(0); ++k) {
        const wedge_op_info *info = wedge_op_at(0, k);
        for (dtype = WEDGE_F32; dtype <= WEDGE_F64; ++dtype) {
            if (wedge_op_compile(dev, op_find(info->name)->text, &options, &op))
                fail_msg("%s: %s", info->name, wedge_device_message(dev));
            wedge_op_destroy(op);
        }
    }
    dtype = WEDGE_F32;
    assert_int_equal(wedge_op_compile(dev, wrong, &options, &op), WEDGE_BUILD_FAILED);
    assert_non_null(strstr(wedge_device_message(dev), "mine.h(2)"));
    assert_null(strstr(wedge_device_message(dev), "wedge's own text"));
}

static void a_users_op_compiles(void **state) {
    (void)state;
    on_compiling_device(users_ops_compile_on);
}

/* Every op, of few features or of many, in one kind of numbers or the other (a_users_op_compiles has both); in all four ways, and
 * sinks in every layout with more than one of them, only where everything is tested. */
static bool is_tried(int number, int kind) { return test_everything() || kind == number % 4; }

static void every_op_compiles_in_both_skeletons_on(wedge_device *dev) {
    int jobs = test_everything() ? 16 : 8;
    for (int op = 0; op < wedge_op_count(2); ++op)
        for (int kind = 0; kind < 4; ++kind) {
            if (!is_tried(op, kind)) continue;
            ++jobs;
            compile_pairs(dev,
                          (wedge_job_spec){.op = wedge_op_at(2, op)->name,
                                           .layout = (wedge_layout)(op % 4),
                                           .dtype = kind % 2 ? WEDGE_F64 : WEDGE_F32,
                                           .d = record_of(wedge_op_at(2, op), kind / 2 ? 16 : 1 + (uint64_t)op % 4)});
        }
    for (int layout = 0; layout < 4; ++layout)
        for (int walk = 0; walk < 2; ++walk)
            for (int many = 0; many < 2; ++many)
                if (test_everything() || (layout + walk) % 2 == many)
                    compile_pairs(dev, (wedge_job_spec){.op = "euclidean",
                                                        .layout = (wedge_layout)layout,
                                                        .d = many ? 5 : 4,
                                                        .map = walk ? "walk" : "lambda",
                                                        .tile = walk ? 32 : 64});
    for (int k = 1; k < wedge_sink_count(); ++k) /* the first one stores */
        for (int kind = 0; kind < 4; ++kind)
            for (int layout = 0; layout < 4 && sink_find(wedge_sink_at(k)->name)->way != WAY_ROWS; ++layout) {
                if (!test_everything() && kind != (k + layout) % 4) continue;
                ++jobs;
                compile_pairs(dev, (wedge_job_spec){.op = layout ? "euclidean" : "cityblock",
                                                    .sink = wedge_sink_at(k)->name,
                                                    .layout = (wedge_layout)layout,
                                                    .dtype = kind % 2 ? WEDGE_F64 : WEDGE_F32,
                                                    .d = kind / 2 ? 5 : 3});
            }
    assert_int_equal(compiled, jobs);
}

static void every_op_compiles_in_both_skeletons(void **state) {
    (void)state;
    on_compiling_device(every_op_compiles_in_both_skeletons_on);
}

/* Lists of tiles, and the sinks that take them: each bounded op with one sink or another. */
static void pruned_jobs_compile_on(wedge_device *dev) {
    static const char *const sinks[] = {"count", "select", "histogram"};
    int before = compiled, jobs = 0;
    for (int op = 0; op < wedge_op_count(2); ++op)
        for (int k = op % 3; k <= op % 3 + (op < 2) && wedge_op_at(2, op)->bounded; ++k, ++jobs)
            compile_pairs(dev, (wedge_job_spec){.op = wedge_op_at(2, op)->name,
                                                .sink = sinks[k],
                                                .layout = (wedge_layout)(jobs % 4),
                                                .dtype = jobs % 5 < 3 ? WEDGE_F32 : WEDGE_F64,
                                                .d = record_of(wedge_op_at(2, op), k == 1 ? 3 : 5),
                                                .prune = WEDGE_PRUNE_ALWAYS});
    assert_int_equal(compiled - before, 2 * jobs); /* with the tools that order points */
}

static void pruned_jobs_compile(void **state) {
    (void)state;
    on_compiling_device(pruned_jobs_compile_on);
}

static void triples_compile_on(wedge_device *dev) {
    static const char *const sinks[] = {"summary", "store", "select", "count", "histogram"};
    static const char *const near[] = {"store", "summary", "select"};
    int before = compiled, jobs = 0;
    for (int op = 0; op < wedge_op_count(3); ++op)
        for (int kind = op % 2; kind <= (test_everything() ? 1 : op % 2); ++kind, ++jobs)
            compile_pairs(dev, (wedge_job_spec){.op = wedge_op_at(3, op)->name,
                                                .sink = sinks[jobs % 5],
                                                .layout = op % 2 ? WEDGE_TRIPLES_PACKED : WEDGE_TRIPLES,
                                                .dtype = kind ? WEDGE_F64 : WEDGE_F32,
                                                .d = 3});
    assert_int_equal(compiled - before, jobs);
    before = compiled, jobs = 0;
    for (int kind = 0; kind < 6; ++kind, ++jobs) /* with a cutoff, periodic, and forces */
        compile_pairs(dev, (wedge_job_spec){.op = kind % 3 ? "axilrod_teller" : "perimeter",
                                            .sink = kind % 2 ? "scatter" : near[kind / 2],
                                            .layout = kind == 1 || kind == 4 ? WEDGE_TRIPLES_PACKED : WEDGE_TRIPLES,
                                            .dtype = kind % 4 < 2 ? WEDGE_F32 : WEDGE_F64,
                                            .d = 3,
                                            .box = kind > 3 ? (const double[]){8, 0, 9} : NULL,
                                            .cutoff = kind > 1 ? 2 : 0});
    assert_int_equal(compiled - before, jobs + 4); /* with the tools that order points */
}

static void triples_compile(void **state) {
    (void)state;
    on_compiling_device(triples_compile_on);
}

/* nearest: few features and many, with a list of tiles and without; keys of doubles too. The tools are of every such job. */
static void nearest_compiles_on(wedge_device *dev) {
    static const int kinds[] = {0, 3, 5, 6, 1, 2, 4, 7};
    int before = compiled, count = test_everything() ? 8 : 4; /* four have each of two, twice */
    for (int k = 0; k < count; ++k) {
        int kind = kinds[k];
        bool heavy = kind == 0 || (kind % 3 == 0 && test_everything()); /* powers of doubles compile for many seconds */
        compile_pairs(dev, (wedge_job_spec){.op = heavy ? "minkowski" : "euclidean",
                                            .sink = "nearest",
                                            .layout = kind % 4 < 2 ? WEDGE_RECTANGLE : WEDGE_SQUARE,
                                            .dtype = kind & 4 ? WEDGE_F64 : WEDGE_F32,
                                            .d = kind & 2 ? 5 : 3,
                                            .prune = kind & 1 ? WEDGE_PRUNE_ALWAYS : WEDGE_PRUNE_NEVER});
    }
    assert_int_equal(compiled - before, 2 * count);
}

static void nearest_compiles(void **state) {
    (void)state;
    on_compiling_device(nearest_compiles_on);
}

/* scatter: of all cells, or of those within a radius. */
static void scatter_compiles_on(wedge_device *dev) {
    const wedge_parameter radius = WEDGE_NUMBER("radius", 1);
    int before = compiled;
    for (int kind = 0; kind < 4; ++kind)
        compile_pairs(dev, (wedge_job_spec){.op = kind & 2 ? "cityblock" : "gravity",
                                            .sink = "scatter",
                                            .sink_parameters = &radius,
                                            .sink_parameter_count = kind & 2 ? 1 : 0,
                                            .layout = kind % 3 ? WEDGE_RECTANGLE : WEDGE_SQUARE,
                                            .dtype = kind & 1 ? WEDGE_F64 : WEDGE_F32,
                                            .d = kind & 2 ? 5 : 4});
    assert_int_equal(compiled - before, 4 + 2); /* within a radius points lie along a curve: the tools, too */
}

static void scatter_compiles(void **state) {
    (void)state;
    on_compiling_device(scatter_compiles_on);
}

static void a_device_newer_than_the_compiler_gets_ptx(void **state) {
    char target[32];
    (void)state;
    if (!compiler) skip();
    nvrtc_target(compiler, 90, target, sizeof target);
    assert_string_equal(target, "sm_90");
    nvrtc_target(compiler, 999, target, sizeof target);
    assert_memory_equal(target, "compute_", 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certify_compiles),
        cmocka_unit_test(the_example_with_the_header_alone_compiles),
        cmocka_unit_test(every_map_compiles),
        cmocka_unit_test(every_experiment_compiles_in_segments),
        cmocka_unit_test(the_labs_own_maps_compile),
        cmocka_unit_test(every_op_compiles_in_both_skeletons),
        cmocka_unit_test(histograms_fit_shared_memory),
        cmocka_unit_test(scaled_forms_compile),
        cmocka_unit_test(a_users_op_compiles),
        cmocka_unit_test(pruned_jobs_compile),
        cmocka_unit_test(nearest_compiles),
        cmocka_unit_test(triples_compile),
        cmocka_unit_test(scatter_compiles),
        cmocka_unit_test(a_device_newer_than_the_compiler_gets_ptx),
    };
    return cmocka_run_group_tests(tests, find_compiler, drop_compiler);
}
