/* userop.c: turns the text of a user's op into a definition like those of the table.
 *
 * What it says comes from the text itself (facts.h). What it runs: on GPUs the text goes into kernels as the table's do, and is compiled
 * once alone, so that its mistakes are known before there is a job; on the cpu the C compiler of the machine makes a shared
 * object of it, for one kind of number and one instruction set at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/userop/userop.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/compiler.h"
#include "backend/cpu/shared.h"
#include "backend/gpu/cache.h"
#include "backend/gpu/program.h"
#include "core/float_env.h"
#include "engine/kernels/texts.h"
#include "engine/userop/facts.h"
#include "engine/userop/source.h"

struct wedge_op {
    wedge_device *dev;
    char *text;
    op_def def;
    facts *facts;
    shared shared[2][ISA_COUNT];
};

const op_def *userop_def(const wedge_op *op) { return &op->def; }
const wedge_op_info *wedge_op_get_info(const wedge_op *op) { return op ? &op->def.info : NULL; }

/* Is an error of the log in this file? Compilers write "mine.h:4:" or "mine.h(4):". */
static bool blames(const char *log, const char *file) {
    size_t length = strlen(file);
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *end = line + strcspn(line, "\n"), *error = strstr(line, "error");
        if (!error || error > end) continue;
        for (const char *at = line; (at = strstr(at, file)) && at < end; at += length)
            if (at[length] == ':' || at[length] == '(') return true;
    }
    return false;
}

/* Does the log name a text that is not the op's? */
static bool names_wedge(const char *log) {
    static const char *const texts[] = {"ops/native.c", "ops/native.h", "ops/op_builtins.h", "kernels/userop.h",
                                        "lang.h"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
        if (strstr(log, texts[k])) return true;
    return false;
}

/* Names of the engine's own texts, which come after the op's: user ops must not reuse them, and that must not look like a mistake of wedge's. */
wedge_status userop_explain(const wedge_op *op, wedge_status status) {
    note *n = &op->dev->note;
    if (status != WEDGE_BUILD_FAILED) return status;
    const char *hint = blames(note_text(n), op->def.file) && !names_wedge(note_text(n))
                           ? ""
                           : " (if messages point into wedge's own text: does the op use a name that wedge uses, or is "
                             "a bracket missing?)";
    return note_fail(n, status, "%s does not compile for %s%s: %s", op->def.file, op->dev->info.id, hint, note_text(n));
}

/* ---- The cpu ---- */

/* Free what it found with compiler_free, whatever it returns. */
static wedge_status find_compiler(wedge_device *dev, compiler *c) {
    if (compiler_find(dev->ctx->settings[WEDGE_SET_CC], c)) return WEDGE_OK;
    if (c->no_memory) return note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory to look for a C compiler");
    return note_fail(&dev->note, WEDGE_UNSUPPORTED,
                     "an op of your own needs a C compiler on the cpu: %s; install one, set CC, or use another device "
                     "(wedge devices)",
                     c->why);
}

wedge_status userop_can_compile(wedge_device *dev) {
    compiler c;
    if (dev->backend->compile) return WEDGE_OK;
    wedge_status status = find_compiler(dev, &c);
    compiler_free(&c);
    return status;
}

static wedge_status choose_isa(wedge_device *dev, native_isa *isa) {
    const char *wanted = dev->ctx->settings[WEDGE_SET_ISA];
    *isa = native_isa_choose(wanted);
    WEDGE_CHECK(*isa < ISA_COUNT, &dev->note, WEDGE_BAD_ARGUMENT,
                "WEDGE_ISA is '%s': must be base, v3 or v4, and one that this processor has", wanted);
    return WEDGE_OK;
}

/* A function of the shared object into *to, a pointer to such functions; NULL where it has none. */
static void take(void *to, const shared *s, const char *what, wedge_dtype dtype, const char *isa) {
    char name[64];
    snprintf(name, sizeof name, "%s_userop_%s_%s", what, dtype == WEDGE_F64 ? "f64" : "f32", isa);
    void *found = dlsym(s->library, name);
    memcpy(to, &found, sizeof found);
}

static void take_functions(op_def *def, const shared *s, wedge_dtype dtype, native_isa isa) {
    const char *level = native_isa_name(isa);
    take(&def->tile[dtype][isa], s, "tile", dtype, level);
    take(&def->streaming[dtype][isa], s, "streaming", dtype, level);
    take(&def->sides[dtype][isa], s, "side", dtype, level);
    take(&def->triple[dtype][isa], s, "triple", dtype, level);
    take(&def->prepare[dtype], s, "prepare", dtype, "base");
}

/* From the cache, or compiled and kept there. */
static wedge_status build_shared(wedge_op *op, const compiler *c, const char *const *options, const char *source,
                                 shared *s) {
    wedge_device *dev = op->dev;
    const char *folder = dev->ctx->settings[WEDGE_SET_CACHE_DIR];
    char *joined = compiler_describe(c, options);
    char *key = joined ? text_format("wedge %s\n%s\n%s", wedge_version(), joined, source) : NULL;
    blob binary = {0};
    free(joined);
    WEDGE_CHECK(key, &dev->note, WEDGE_NO_MEMORY, "no memory for the source of an op");
    wedge_status status = WEDGE_FAILED;
    if (cache_get(folder, key, &binary, &dev->remark)) status = shared_open(&binary, s, &dev->note);
    if (status) {
        free(binary.bytes);
        status = compiler_run(c, options, source, &binary, &dev->note);
        if (!status) cache_put(folder, dev->ctx->settings[WEDGE_SET_CACHE_SIZE], key, &binary, &dev->remark);
        if (!status) status = shared_open(&binary, s, &dev->note);
    }
    free(binary.bytes);
    free(key);
    return status;
}

static wedge_status compile_native(wedge_op *op, wedge_dtype dtype) {
    wedge_device *dev = op->dev;
    native_isa isa;
    WEDGE_TRY(choose_isa(dev, &isa));
    shared *s = &op->shared[dtype][isa];
    if (s->library) return WEDGE_OK;
    compiler c;
    wedge_status status = find_compiler(dev, &c);
    char *source = status ? NULL : userop_source(&op->def, dtype, isa);
    const char *const options[] = {userop_isa_option(isa), NULL};
    if (!status)
        status = source ? build_shared(op, &c, options, source, s)
                        : note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for the source of an op");
    free(source);
    compiler_free(&c);
    if (status) return userop_explain(op, status);
    take_functions(&op->def, s, dtype, isa);
    return WEDGE_OK;
}

/* ---- Devices that compile ---- */

/* Alone, with a kernel that calls all of it. What is in the cache did compile. program: NULL: it is not needed yet. */
static wedge_status compile_alone(wedge_op *op, wedge_dtype dtype, void **program) {
    wedge_device *dev = op->dev;
    const int count = 6;
    bool f64 = dtype == WEDGE_F64;
    char *parameters = op_parameters_line(&op->def);
    const source_piece pieces[] = {
        {"lang.h", text_lang},
        {"own", f64 ? "typedef double number;\n#define PAIRS_F64 1\n#define PAIRS_PERIODIC 0"
                    : "typedef float number;\n#define PAIRS_F64 0\n#define PAIRS_PERIODIC 0"},
        {op->def.file, parameters ? parameters : ""},
        {"ops/op_builtins.h", text_op_builtins},
        {op->def.file, op->text},
        {"kernels/userop.h", text_userop}};
    wedge_status status = !parameters ? note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel")
                          : program   ? gpu_build(dev, pieces, count, program)
                                      : gpu_try(dev, pieces, count);
    free(parameters);
    return userop_explain(op, status);
}

/* One number to the kernel userop_key and back. */
static wedge_status ask_key(wedge_device *dev, void *queue, void *kernel, const buffer *number, size_t size,
                            void *key) {
    const kernel_arg args[] = {ARG_BUFFER(number)};
    const grid_launch once = {{1, 1, 1}, {1, 1, 1}, args, 1};
    WEDGE_TRY(dev->backend->write(dev, queue, number, 0, key, size));
    WEDGE_TRY(dev->backend->launch(dev, queue, kernel, &once));
    WEDGE_TRY(dev->backend->read(dev, queue, key, number, 0, size));
    return dev->backend->wait(dev, queue);
}

static wedge_status find_key(const op_def *def, wedge_dtype dtype, double most, double *key) {
    wedge_op *op = (wedge_op *)((char *)def - offsetof(wedge_op, def));
    wedge_device *dev = op->dev;
    const backend *b = dev->backend;
    void *program = NULL, *kernel = NULL, *queue = NULL;
    buffer number = {0};
    double wide = most;
    float narrow = (float)most;
    bool f64 = dtype == WEDGE_F64;
    size_t size = f64 ? sizeof wide : sizeof narrow;
    WEDGE_TRY(compile_alone(op, dtype, &program));
    wedge_status status = b->kernel_new(dev, program, "userop_key", &kernel);
    if (!status) status = b->queue_new(dev, &queue);
    if (!status) status = b->buffer_new(dev, size, ON_DEVICE, &number);
    if (!status) status = ask_key(dev, queue, kernel, &number, size, f64 ? (void *)&wide : (void *)&narrow);
    if (!status) *key = f64 ? wide : (double)narrow;
    b->buffer_free(dev, &number);
    if (queue) b->queue_free(dev, queue);
    if (kernel) b->kernel_free(dev, kernel);
    b->program_free(dev, program);
    return status;
}

static wedge_status compile(wedge_op *op, wedge_dtype dtype) {
    return op->dev->backend->compile ? compile_alone(op, dtype, NULL) : compile_native(op, dtype);
}

static wedge_status compile_all(wedge_op *op, const wedge_dtype *only) {
    if (only) return compile(op, *only);
    WEDGE_TRY(compile(op, WEDGE_F32));
    return op->dev->info.has_double ? compile(op, WEDGE_F64) : WEDGE_OK;
}

/* ---- Handles ---- */

/* A name fit for #line. */
static char *line_name(const char *file, const char *ending) {
    char *name = text_format("%s%s", file, ending);
    for (char *c = name; c && *c; ++c)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = '_';
    return name;
}

static wedge_status read_text(wedge_op *op, const char *text, const wedge_op_options *options) {
    note *n = &op->dev->note;
    const char *name = options->name && *options->name ? options->name : "own";
    char *file = options->file ? line_name(options->file, "") : line_name(name, ".h");
    op->text = strdup(text);
    wedge_status status = op->text && file ? facts_read(op->text, name, file, &op->def, &op->facts, n)
                                           : note_fail(n, WEDGE_NO_MEMORY, "no memory for an op");
    free(file);
    if (!status && op->dev->backend->compile && strstr(text, "OP_KEY")) op->def.find_key = find_key;
    return status;
}

static wedge_status read_options(wedge_device *dev, const wedge_op_options *given, wedge_op_options *own) {
    *own = (wedge_op_options){0};
    if (!given) return WEDGE_OK;
    WEDGE_TRY(SIZED_READ(&dev->note, wedge_op_options, given, own));
    WEDGE_CHECK(!own->dtype || *own->dtype == WEDGE_F32 || *own->dtype == WEDGE_F64, &dev->note, WEDGE_BAD_ARGUMENT,
                "dtype must be f32 or f64");
    return WEDGE_OK;
}

wedge_status wedge_op_compile(wedge_device *dev, const char *text, const wedge_op_options *options, wedge_op **out) {
    DEFAULT_FLOATS;
    wedge_op_options own;
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(out, &dev->note);
    *out = NULL;
    WEDGE_GIVEN(text, &dev->note);
    WEDGE_TRY(read_options(dev, options, &own));
    wedge_op *op = calloc(1, sizeof *op);
    WEDGE_CHECK(op, &dev->note, WEDGE_NO_MEMORY, "no memory for an op");
    op->dev = dev;
    wedge_status status = read_text(op, text, &own);
    if (!status) status = compile_all(op, own.dtype);
    if (status)
        wedge_op_destroy(op);
    else
        *out = op;
    return status;
}

void wedge_op_destroy(wedge_op *op) {
    if (!op) return;
    for (int dtype = 0; dtype < 2; ++dtype)
        for (int isa = 0; isa < ISA_COUNT; ++isa) shared_close(&op->shared[dtype][isa]);
    facts_free(op->facts);
    free(op->text);
    free(op);
}

wedge_status userop_take(wedge_device *dev, const wedge_job_spec *pairs, const op_def **def) {
    wedge_op *op =
        (wedge_op *)pairs->own_op; /* what it gains, a function for another dtype, changes nothing that it was */
    WEDGE_CHECK(!pairs->op, &dev->note, WEDGE_BAD_ARGUMENT, "both op '%s' and own_op are set: set one of them",
                pairs->op);
    WEDGE_CHECK(op->dev == dev, &dev->note, WEDGE_BAD_ARGUMENT,
                "own_op was compiled for %s: compile it for this handle of %s as well", op->dev->info.id, dev->info.id);
    if (!dev->backend->compile) WEDGE_TRY(compile_native(op, pairs->dtype));
    *def = &op->def;
    return WEDGE_OK;
}
