/* expression.h: the values of C expressions, as the #define lines of an op have them: numbers, whole or real, and names.
 *
 * Operators, ?: and brackets are C's, with C's rules for whole numbers (5 / 2 is 2). Names are those of the scope, macros of the file,
 * functions of math.h and WEDGE_GAP and its kind. Text in quotes is a value as well, for OP_SAME_AS.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_USEROP_EXPRESSION_H
#define WEDGE_ENGINE_USEROP_EXPRESSION_H

#include "engine/userop/facts.h"

typedef struct {
    enum { WHOLE, REAL, TEXT } kind;
    int64_t whole;
    double real;
    const char *text; /* its first byte; NULL: the pointer NULL */
    size_t length;
} value;

enum { MOST_NAMES = MOST_PARAMETERS + 4 };

/* What names stand for, the later before the earlier. */
typedef struct {
    const facts *facts;
    int64_t *
        budget; /* steps for all expressions of a file while it is read, counted down; NULL: each has its own limit alone */
    const char *names[MOST_NAMES];
    value values[MOST_NAMES];
    int count;
} scope;

value whole_value(int64_t x);
value real_value(double x);
double as_real(value v);
int64_t as_whole(value v);
bool is_true(value v);

void scope_add(scope *s, const char *name, value v);

/* False: `why` is what is wrong with it. */
bool evaluate(const char *expression, const scope *s, value *out, char why[128]);

/* A macro of the file with these arguments, and the names of the scope. */
bool evaluate_macro(const macro *m, const value *arguments, const scope *s, value *out, char why[128]);

#endif
