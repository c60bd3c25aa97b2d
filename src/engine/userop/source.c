/* source.c: puts the texts together as a preprocessor would, each under #line marks, so that a compiler's messages name the user's file.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/userop/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text_stream.h"
#include "engine/kernels/texts.h"

static const struct {
    const char *name, *text;
} included[] = {{"ops/native.h", text_native_op_builtins},
                {"ops/native_call.h", text_native_call},
                {"ops/native_triple.h", text_native_triple},
                {"ops/op_builtins.h", text_op_builtins},
                {"wedge/lang.h", text_lang}};

typedef struct {
    FILE *out;
    const op_def *op;
    const char *file;
} composer;

static void put_text(const composer *c, const char *name, const char *text);

/* What an #include line names, put in its place; false: it stays, as those of the system do. */
static bool put_included(const composer *c, const char *line, size_t length) {
    static const char begin[] = "#include ";
    const char *name = line + sizeof begin - 1;
    size_t left = length - (sizeof begin - 1);
    if (length < sizeof begin || strncmp(line, begin, sizeof begin - 1)) return false;
    if (!strncmp(name, "OP_FILE", left)) return put_text(c, c->file, c->op->text), true;
    for (size_t k = 0; k < sizeof included / sizeof *included; ++k) {
        size_t of = strlen(included[k].name);
        if (left < of + 2 || *name != '"' || strncmp(name + 1, included[k].name, of) || name[of + 1] != '"') continue;
        put_text(c, included[k].name, included[k].text);
        return true;
    }
    return false;
}

static void put_text(const composer *c, const char *name, const char *text) {
    bool own = text == c->op->text; /* nothing of wedge's is put into it */
    fprintf(c->out, "#line 1 \"%s\"\n", name);
    for (unsigned line = 1; *text; ++line) {
        size_t length = strcspn(text, "\n");
        if (!own && put_included(c, text, length))
            fprintf(c->out, "#line %u \"%s\"\n", line + 1, name);
        else
            fprintf(c->out, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

char *userop_source(const op_def *op, wedge_dtype dtype, native_isa isa) {
    char *source = NULL, *parameters = op_parameters_line(op), *file = op_file_name(op);
    size_t size;
    FILE *out = parameters && file ? open_memstream(&source, &size) : NULL;
    if (out) {
        const composer c = {out, op, file};
        fprintf(
            out,
            "%s#define OP userop\n#define NATIVE_F64 %d\n#define ISA %s\n#define OP_BASE 1\n#define WEDGE_LIBMVEC %d\n",
            parameters, dtype == WEDGE_F64, native_isa_name(isa), WEDGE_LIBMVEC);
        put_text(&c, "ops/native.c", text_native);
    }
    if (out && text_lost(out)) free(source), source = NULL;
    free(parameters);
    free(file);
    return source;
}

const char *userop_isa_option(native_isa isa) {
    static const char *const options[ISA_COUNT] = {NULL, "-march=x86-64-v3", "-march=x86-64-v4"};
    return isa < ISA_COUNT ? options[isa] : NULL;
}
