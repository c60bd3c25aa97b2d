/* facts_text.c: from the text of an op to its macros: comments, continued lines, #define, and #if as far as it can be followed.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/userop/facts.h"

enum { MOST_IFS = 32, WITHIN = 1 /* stands for a line break that ends no line */ };

/* ---- Comments and continued lines ---- */

/* The end of what is in quotes, or of its line. */
static const char *skip_quoted(const char *at) {
    const char quote = *at++;
    while (*at && *at != '\n' && *at != quote) at += at[0] == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* Blanks for a comment, to its end; NULL: it has none. */
static const char *blank_comment(const char *at, char **to) {
    bool line = at[1] == '/';
    for (const char *end = at + 2; *end; ++end) {
        if (line && *end == '\n' && end[-1] != '\\') return end;
        if (!line && end[0] == '*' && end[1] == '/') return *(*to)++ = ' ', end + 2;
        if (*end == '\n') *(*to)++ = WITHIN;
    }
    return line ? at + strlen(at) : NULL;
}

char *clean_text(const char *text, unsigned *line) {
    char *code = malloc(strlen(text) + 2), *to = code;
    *line = code ? 1 : 0;
    for (const char *at = text; code && *at;) {
        const char *end = at + 1;
        bool quoted = *at == '"' || *at == '\'', comment = at[0] == '/' && (at[1] == '*' || at[1] == '/');
        if (comment) {
            end = blank_comment(at, &to);
            if (!end) return free(code), NULL;
        } else if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
            *to++ = WITHIN;
            end = strchr(at, '\n') + 1;
        } else {
            if (quoted) end = skip_quoted(at);
            memcpy(to, at, (size_t)(end - at));
            to += end - at;
        }
        for (; at < end; ++at) *line += *at == '\n';
    }
    if (code) *to = 0;
    return code;
}

/* ---- Directives ---- */

typedef enum { KEPT, LEFT_OUT, DEPENDS } branch; /* on what is compiled for */

typedef struct {
    facts *f;
    note *n;
    branch ifs[MOST_IFS];
    unsigned opened[MOST_IFS];
    int depth;
    unsigned line;
} directives;

static bool is_blank(char c) { return c == WITHIN || (c != '\n' && isspace((unsigned char)c)); }

static const char *skip(const char *at) {
    while (*at && is_blank(*at)) ++at;
    return at;
}

static size_t word_at(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') ++length;
    return length;
}

static bool is_word(const char *at, size_t length, const char *word) {
    return strlen(word) == length && !strncmp(at, word, length);
}

static branch where(const directives *d) {
    branch all = KEPT;
    for (int k = 0; k < d->depth; ++k)
        if (d->ifs[k] == LEFT_OUT || (d->ifs[k] == DEPENDS && all == KEPT)) all = d->ifs[k];
    return all;
}

/* Names that others than the file define. */
static bool is_foreign(const char *name) {
    static const char *const begins[] = {"WEDGE_",  "PAIRS_", "NATIVE_", "SINK_", "BANDS_",
                                         "OP_BASE", "OP_ROW", "_",       "cl_"};
    for (size_t k = 0; k < sizeof begins / sizeof *begins; ++k)
        if (!strncmp(name, begins[k], strlen(begins[k]))) return true;
    return false;
}

static branch other(branch b) { return b == KEPT ? LEFT_OUT : b == LEFT_OUT ? KEPT : DEPENDS; }

static branch condition(const directives *d, const char *word, size_t length, const char *rest) {
    size_t name = word_at(rest);
    if (is_word(word, length, "if")) {
        bool alone = name == 1 && !*skip(rest + 1);
        return alone && *rest == '0' ? LEFT_OUT : alone && *rest == '1' ? KEPT : DEPENDS;
    }
    branch defined = facts_macro(d->f, rest, name) ? KEPT : is_foreign(rest) ? DEPENDS : LEFT_OUT;
    return is_word(word, length, "ifdef") ? defined : other(defined);
}

static wedge_status take_if(directives *d, const char *word, size_t length, const char *rest) {
    if (is_word(word, length, "endif") || is_word(word, length, "else") || is_word(word, length, "elif")) {
        if (!d->depth) FACTS_REFUSE(d->f, d->line, d->n, "#%.*s without its #if", (int)length, word);
        branch *last = &d->ifs[d->depth - 1];
        if (is_word(word, length, "else")) *last = other(*last);
        if (is_word(word, length, "elif")) *last = *last == KEPT ? LEFT_OUT : DEPENDS;
        d->depth -= is_word(word, length, "endif");
        return WEDGE_OK;
    }
    if (d->depth == MOST_IFS) FACTS_REFUSE(d->f, d->line, d->n, "more than %d #if within each other", MOST_IFS);
    d->opened[d->depth] = d->line;
    d->ifs[d->depth] = condition(d, word, length, rest);
    ++d->depth;
    return WEDGE_OK;
}

/* What the host must know, whatever is compiled for. */
static bool is_fact(const char *name) {
    static const char *const all[] = {
        "OP_FORMULA",      "OP_PARAMETERS", "OP_TAKES_P",       "OP_COLUMNS",  "OP_DIRECT",
        "OP_RECORDS",      "OP_SIDE",       "OP_VALUES",        "OP_PREPARES", "OP_ZERO_FOR_EQUALS",
        "OP_SAME_AS",      "OP_MAGNITUDE",  "OP_MAGNITUDE_END", "OP_HEAVY",    "OP_BOUND",
        "OP_BOUND_MARGIN", "OP_ANGLES",     "OP_SUMS",          "OP_JOINS"};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        if (!strcmp(name, all[k])) return true;
    return false;
}

/* The names that facts had before version 0.3. */
static const char *new_name(const char *name) {
    static const char *const all[][2] = {{"OP_REACH", "OP_MAGNITUDE"},
                                         {"OP_REACH_END", "OP_MAGNITUDE_END"},
                                         {"OP_REACH_ALL", "OP_MAGNITUDE_ALL"},
                                         {"OP_NEAR", "OP_APPROX"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        if (!strcmp(name, all[k][0])) return all[k][1];
    return NULL;
}

static const char *take_arguments(directives *d, const char *at, macro *m) {
    for (m->argument_count = 0, ++at; *(at = skip(at)) && *at != ')';) {
        size_t length = word_at(at);
        if (!length || m->argument_count == 4) return NULL;
        m->arguments[m->argument_count++] = facts_keep(d->f, at, length);
        at = skip(at + length);
        if (*at == ',') ++at;
    }
    return *at == ')' ? at + 1 : NULL;
}

static wedge_status define(directives *d, const char *rest) {
    macro m = {.argument_count = -1, .line = d->line};
    size_t length = word_at(rest);
    facts *f = d->f;
    if (!length || where(d) == LEFT_OUT) return WEDGE_OK; /* the compiler will say what is wrong with it */
    m.name = facts_keep(f, rest, length);
    if (new_name(m.name)) FACTS_REFUSE(f, d->line, d->n, "%s is now called %s", m.name, new_name(m.name));
    if (where(d) == DEPENDS && is_fact(m.name))
        FACTS_REFUSE(f, d->line, d->n, "%s depends on an #if: it must be the same on every device", m.name);
    if (where(d) == DEPENDS) return WEDGE_OK;
    const char *body = rest + length;
    if (*body == '(') body = take_arguments(d, body, &m);
    if (!body) {
        if (is_fact(m.name)) FACTS_REFUSE(f, d->line, d->n, "%s: its arguments cannot be read", m.name);
        return WEDGE_OK;
    }
    m.body = facts_keep(f, body, strlen(body));
    const macro *before = facts_macro(f, m.name, length);
    if (before && is_fact(m.name) && strcmp(before->body, m.body))
        FACTS_REFUSE(f, d->line, d->n, "%s is defined in line %u already", m.name, before->line);
    if (before) {
        f->macros[before - f->macros] = m;
        return WEDGE_OK;
    }
    if (f->macro_count == MOST_MACROS) FACTS_REFUSE(f, d->line, d->n, "more than %d macros", MOST_MACROS);
    f->macros[f->macro_count++] = m;
    return WEDGE_OK;
}

/* line: without its end, at its #. */
static wedge_status directive(directives *d, const char *line) {
    const char *word = skip(line + 1);
    size_t length = word_at(word);
    const char *rest = skip(word + length);
    if (is_word(word, length, "define")) return define(d, rest);
    if (is_word(word, length, "include"))
        FACTS_REFUSE(d->f, d->line, d->n, "#include: the file of an op stands alone; put what it needs into it");
    if (is_word(word, length, "undef") && is_fact(rest))
        FACTS_REFUSE(d->f, d->line, d->n, "#undef %s: leave out its #define", rest);
    if (!strncmp(word, "if", 2) || (length && *word == 'e' && !is_word(word, length, "error")))
        return take_if(d, word, length, rest);
    return WEDGE_OK;
}

wedge_status facts_take_macros(facts *f, note *n) {
    directives d = {.f = f, .n = n, .line = 1};
    for (const char *at = f->code; *at;) {
        size_t length = strcspn(at, "\n");
        const char *first = skip(at);
        unsigned begins = d.line;
        for (const char *c = at; c < first; ++c) begins += *c == WITHIN;
        for (size_t k = 0; k < length; ++k) d.line += at[k] == WITHIN;
        if (*first == '#') {
            unsigned next = d.line;
            char *line = strndup(first, length - (size_t)(first - at));
            d.line = begins;
            wedge_status status = line ? directive(&d, line) : note_fail(n, WEDGE_NO_MEMORY, "no memory for an op");
            free(line);
            if (status) return status;
            d.line = next;
        }
        at += length + (at[length] == '\n');
        ++d.line;
    }
    if (d.depth) FACTS_REFUSE(f, d.opened[d.depth - 1], n, "this #if has no #endif");
    return WEDGE_OK;
}
