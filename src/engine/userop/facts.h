/* facts.h: what the file of an op says of itself, read on the host without a compiler.
 *
 * The ops of the table get their definitions from the C compiler (native_def.h). A user's op comes at run time, on a machine that may have no C
 * compiler, so its #define lines are read here: comments and continued lines are put aside, #ifdef of the file's own names is followed,
 * and the expressions of OP_MAGNITUDE, OP_RECORDS and others are evaluated as C would (expression.h). What cannot be read is refused, with
 * file and line. tests/t480-facts.c compares this with what the compiler says of every op of the table.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_USEROP_FACTS_H
#define WEDGE_ENGINE_USEROP_FACTS_H

#include "ops/ops.h"

typedef struct {
    const char *name;
    const char *arguments[4]; /* names of its arguments */
    int argument_count;       /* -1: a macro without brackets */
    const char *body;
    unsigned line; /* its line in the file, from 1 */
} macro;

enum {
    MOST_MACROS = 256,
    MOST_OP_TEXT = 1 << 20,  /* bytes of a file */
    MOST_FILE_STEPS = 500000 /* of all its expressions, OP_BOUND's 2,080 included: 240 for each of them */
};

typedef struct facts {
    const char *file;
    const char *code; /* the file without comments; see clean_text */
    macro macros[MOST_MACROS];
    int macro_count;
    wedge_parameter_info parameters[MOST_PARAMETERS];
    const wedge_parameter_info *listed[MOST_PARAMETERS]; /* the same, for wedge_op_info */
    int parameter_count;
    unsigned char bounds[MOST_BOX + 1][MOST_BOX]; /* OP_BOUND of number f of d, at [d][f]: boxes ask for it a lot */
    const char *parameters_line; /* "#define OP_PARAMETERS(P) ...", for op_builtins.h; "": the file has none */
    int64_t budget;              /* steps that are left for reading its expressions */
    char *strings;               /* memory of all strings */
    size_t used, room;
} facts;

/* Reads the file. def: all that is known without a compiler; its functions are good as long as the facts. `text` must outlive both;
 * name, file: what messages call the op and its file. WEDGE_BAD_DATA where the file says what cannot be. */
wedge_status facts_read(const char *text, const char *name, const char *file, op_def *def, facts **out, note *n);
void facts_free(facts *f); /* NULL is fine */

const macro *facts_macro(const facts *f, const char *name, size_t length); /* NULL: not defined */

/* ---- Between facts.c and its parts ---- */

/* A copy of the text in which comments are blanks; a line break within a comment, or after a backslash, is the byte 1. NULL: a comment
 * does not end (*line: where it begins), or no memory (*line is 0). */
char *clean_text(const char *text, unsigned *line);

/* The macros that the code defines where they can be known: neither left out by #if 0 or #ifdef, nor behind a condition that depends on
 * the device. */
wedge_status facts_take_macros(facts *f, note *n);

/* Bytes kept with the facts, with a 0 after them and blanks off both ends. */
const char *facts_keep(facts *f, const char *from, size_t length);

wedge_status facts_take_def(facts *f, op_def *def, note *n);

#define FACTS_REFUSE(f, line, n, ...) return facts_refuse(f, line, n, __VA_ARGS__)
wedge_status facts_refuse(const facts *f, unsigned line, note *n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
