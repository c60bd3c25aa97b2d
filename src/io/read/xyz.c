/* xyz.c: atoms, line by line. Whatever is wrong is told with its line: the count in line 1 makes every line's meaning known.
 *
 * SPDX-License-Identifier: MIT */
#include "io/read/xyz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/data/about.h"
#include "io/data/header.h"
#include "io/data/ids.h"
#include "io/data/number.h"
#include "io/data/roles.h"
#include "io/read/xyz_comment.h"

enum { BLOCK = 1 << 16, LINE_MOST = 1 << 20, X = 1, AXES = 3, LEAST_FIELDS = 4, FIRST_ATOM = 3 };

typedef struct {
    points_source *in;
    const points_options *options;
    points *out;
    points_about *about; /* of out */
    note *n;
    locale_t c_locale;
    char *window;
    size_t capacity, at, end; /* lines that are still to be read lie in [at, end) */
    bool last;                /* the window has the end of the input */
    uint64_t line;            /* the one at hand, from 1 */
    field_list fields;        /* of it */
    uint64_t atoms;           /* as line 1 says */
    uint64_t values, room;    /* stored, and room for */
    field_list said;          /* the columns' names by line 2; none: it does not say */
    char *said_text;          /* what they lie in */
    bool unknown;             /* it says something that cannot be understood */
    uint64_t element;         /* its column; as many as there are columns: there is none */
    uint64_t id;              /* the column of names, where options have one */
    id_list elements, ids;
} reader;

/* ---- Is it one? ---- */

static bool is_whole(field f) {
    size_t k = f.length && *f.text == '+';
    for (; k < f.length && (unsigned char)(f.text[k] - '0') < 10; ++k) continue;
    return f.length && k == f.length && f.text[k - 1] != '+';
}

static bool is_named_xyz(const char *name) {
    const char *dot = strrchr(name, '.');
    if (dot && !strcasecmp(dot, ".gz")) /* which is unpacked already */
        while (dot > name && *--dot != '.') continue;
    return dot && (!strcasecmp(dot, ".xyz") || !strcasecmp(dot, ".xyz.gz"));
}

/* Fields of line `line` from 1 of a text that ends in a newline; 0: there are none, or no memory. */
static size_t cut_line(const char *text, int line, field_list *fields, bool *no_memory) {
    for (; line > 1 && *text; --line) text = strchr(text, '\n') + 1;
    fields_status status = *text ? fields_cut(text, ' ', fields) : FIELDS_OK;
    *no_memory |= status == FIELDS_NO_MEMORY;
    return *text && !status ? fields->count : 0;
}

static bool judge(const char *name, const char *text, bool all, field_list *fields, bool *no_memory) {
    size_t count = cut_line(text, 1, fields, no_memory);
    bool alone = count == 1 && fields->at[0].length, whole = count && is_whole(fields->at[0]);
    if (is_named_xyz(name)) return alone || (whole && field_is_name(fields->at[1]));
    if (!alone || !whole) return false;
    if (!all && cut_line(text, 2, fields, no_memory) > 1) return true; /* line 3 may be cut off */
    return cut_line(text, FIRST_ATOM, fields, no_memory) >= LEAST_FIELDS &&
           !memchr(fields->at[0].text, ',', fields->at[0].length);
}

bool xyz_starts(const char *name, const void *head, size_t size, bool all, bool *no_memory) {
    enum { MOST = XYZ_HEAD };
    char text[MOST + 2];
    field_list fields = {0};
    size_t skip = size >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0; /* a byte order mark */
    all = all && size <= MOST;
    size = size < MOST ? size : MOST;
    if (memchr(head, 0, size)) return false;
    memcpy(text, (const char *)head + skip, size - skip);
    strcpy(text + size - skip, "\n");
    bool lines = memchr(text, '\n', size - skip); /* else CR may end them */
    for (char *c = text; !lines && (c = strchr(c, '\r'));) *c = '\n';
    bool is = judge(name, text, all, &fields, no_memory);
    free(fields.at);
    return is;
}

/* ---- Lines ---- */

/* More of the input into the window, behind what is still to be read. */
static wedge_status fill(reader *r) {
    size_t block = r->options->block ? r->options->block : BLOCK, kept = r->end - r->at, got;
    WEDGE_CHECK(kept <= LINE_MOST, r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 " is longer than %s; is this .xyz?",
                r->in->name, r->line + 1, size_in_words(LINE_MOST).text);
    if (r->at) memmove(r->window, r->window + r->at, kept);
    r->at = 0, r->end = kept;
    if (r->capacity < kept + block + 1) {
        char *window = realloc(r->window, 2 * kept + block + 1);
        WEDGE_CHECK(window, r->n, WEDGE_NO_MEMORY, "%s: no memory for line %" PRIu64, r->in->name, r->line + 1);
        r->window = window, r->capacity = 2 * kept + block + 1;
    }
    WEDGE_TRY(source_read(r->in, r->window + kept, block, &got, r->n));
    r->end += got;
    r->last = got < block;
    if (r->last && r->end && r->window[r->end - 1] != '\n') r->window[r->end++] = '\n';
    return WEDGE_OK;
}

/* The next line, which ends in a newline; *line is NULL where there is none. */
static wedge_status next_line(reader *r, const char **line) {
    const char *newline = NULL;
    while (!(r->end > r->at && (newline = memchr(r->window + r->at, '\n', r->end - r->at))) && !r->last)
        WEDGE_TRY(fill(r));
    *line = newline ? r->window + r->at : NULL;
    if (!newline) return WEDGE_OK;
    r->at = (size_t)(newline + 1 - r->window);
    ++r->line;
    return WEDGE_OK;
}

static wedge_status cut(reader *r, const char *line) {
    fields_status status = fields_cut(line, ' ', &r->fields);
    WEDGE_CHECK(status != FIELDS_NO_MEMORY, r->n, WEDGE_NO_MEMORY, "%s: no memory for the fields of line %" PRIu64,
                r->in->name, r->line);
    WEDGE_CHECK(status == FIELDS_OK, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 ": a quote does not end, or text follows it; atoms need no quotes", r->in->name,
                r->line);
    if (!r->fields.at[r->fields.count - 1].length) --r->fields.count; /* blanks at the end, or nothing else */
    return WEDGE_OK;
}

/* ---- The count and the comment ---- */

static wedge_status read_count(reader *r) {
    const char *line;
    WEDGE_TRY(next_line(r, &line));
    if (line && !strncmp(line, "\xef\xbb\xbf", 3)) line += 3;
    if (line) WEDGE_TRY(cut(r, line));
    field f = line && r->fields.count ? r->fields.at[0] : (field){.text = ""};
    WEDGE_CHECK(is_whole(f) && r->fields.count == 1, r->n, WEDGE_BAD_DATA,
                "%s: line 1 must be the number of atoms alone, but is %s", r->in->name,
                line ? quoted(line, strcspn(line, "\r\n")).text : "missing");
    for (size_t k = *f.text == '+'; k < f.length; ++k)
        WEDGE_CHECK(!__builtin_mul_overflow(r->atoms, 10, &r->atoms) &&
                        !__builtin_add_overflow(r->atoms, (uint64_t)(f.text[k] - '0'), &r->atoms),
                    r->n, WEDGE_BAD_DATA, "%s: line 1: %s atoms are too many", r->in->name,
                    quoted(f.text, f.length).text);
    WEDGE_CHECK(r->atoms, r->n, WEDGE_BAD_DATA, "%s: line 1 says that there are no atoms", r->in->name);
    return WEDGE_OK;
}

/* Any text will do. Extended .xyz says there what the columns are, and may have a periodic cell. */
static wedge_status read_comment(reader *r) {
    const char *line;
    field value;
    bool no_memory = false;
    WEDGE_TRY(next_line(r, &line));
    if (!line) return WEDGE_OK;
    WEDGE_CHECK(xyz_cell(line, r->c_locale, r->about), r->n, WEDGE_NO_MEMORY, "%s: no memory for its cell",
                r->in->name);
    if (!xyz_value(line, "Properties", &value)) return WEDGE_OK;
    bool understood = xyz_properties(value, &r->said, &r->said_text, &no_memory);
    r->unknown = !understood;
    WEDGE_CHECK(!no_memory, r->n, WEDGE_NO_MEMORY, "%s: no memory for its columns", r->in->name);
    WEDGE_CHECK(understood || r->options->columns, r->n, WEDGE_BAD_DATA,
                "%s: line 2: cannot understand Properties=%s; it should be as species:S:1:pos:R:3; choose columns "
                "by number with --columns",
                r->in->name, quoted(value.text, value.length).text);
    return WEDGE_OK;
}

/* ---- Atoms ---- */

/* The names that line 2 says, or those of a plain .xyz: element, x, y, z, and more without a name. */
static wedge_status name_columns(reader *r) {
    points_about *a = r->about;
    static const char *const usual[] = {"element", "x", "y", "z"};
    a->columns = r->element = r->fields.count;
    for (int f = 0; f < AXES; ++f) a->cell_columns[f] = UINT64_MAX;
    if (r->unknown) return WEDGE_OK;
    field_list plain = {.at = malloc(r->fields.count * sizeof *plain.at), .count = r->fields.count};
    for (size_t k = 0; plain.at && k < plain.count; ++k)
        plain.at[k] =
            (field){.text = k < LEAST_FIELDS ? usual[k] : "", .length = k < LEAST_FIELDS ? strlen(usual[k]) : 0};
    a->names = plain.at ? about_names(r->said.count ? &r->said : &plain) : NULL;
    free(plain.at);
    WEDGE_CHECK(a->names, r->n, WEDGE_NO_MEMORY, "%s: no memory for its columns", r->in->name);
    for (uint64_t k = a->columns; k-- > 0;) {
        if (!strcmp(a->names[k], "element")) r->element = k;
        for (int f = 0; f < AXES; ++f)
            if (!strcmp(a->names[k], usual[X + f])) a->cell_columns[f] = k;
    }
    return WEDGE_OK;
}

/* The first atom says how many columns there are. */
static wedge_status choose_columns(reader *r) {
    points_about *a = r->about;
    WEDGE_TRY(name_columns(r));
    if (r->options->id) WEDGE_TRY(about_choose_id(a, r->options->id, r->in->name, &r->id, r->n));
    free(a->taken);
    a->taken = NULL;
    const char *wanted = r->options->named ? r->options->named : "x,y,z";
    if (r->options->columns) WEDGE_TRY(about_choose(a, "--columns", r->options->columns, r->in->name, r->n));
    if (r->options->columns && r->options->named) WEDGE_TRY(roles_arrange(a, r->options->named, r->in->name, r->n));
    if (!r->options->columns)
        WEDGE_TRY(roles_choose(a, wanted, !r->options->named || r->options->named_all, r->in->name, r->n));
    r->out->d = a->features, a->line = r->line;
    return WEDGE_OK;
}

/* Fortran writes 1.0D+00. */
static bool number_of(const reader *r, field f, double *v) {
    char copy[64];
    if (field_number(f, r->c_locale, v)) return true;
    if (f.length >= sizeof copy - 1) return false;
    for (size_t k = 0; k < f.length; ++k) copy[k] = (f.text[k] | 32) == 'd' ? 'e' : f.text[k];
    copy[f.length] = '\n';
    return field_number((field){.text = copy, .length = f.length}, r->c_locale, v);
}

static wedge_status grow(reader *r) {
    const size_t size = points_value_size(r->out);
    const uint64_t limit = r->options->memory, most = limit ? limit / size : INT64_MAX / 16;
    uint64_t room = r->room ? r->room + r->room / 2 : 1024;
    if (room > most) room = most;
    WEDGE_CHECK(room > r->values, r->n, WEDGE_NO_MEMORY,
                "%s: its %" PRIu64 " atoms take more than the limit of %s; raise it with --memory", r->in->name,
                r->atoms, size_in_words(limit).text);
    WEDGE_CHECK(points_resize(r->out, room * size), r->n, WEDGE_NO_MEMORY, "%s: no memory for its %" PRIu64 " atoms",
                r->in->name, r->atoms);
    r->room = room;
    return WEDGE_OK;
}

static wedge_status read_value(reader *r, uint64_t column) {
    field f = r->fields.at[column];
    double v;
    WEDGE_CHECK(number_of(r, f, &v), r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 ", column %" PRIu64 ": %s is not a number; an atom is a line as O 0.0 0.0 0.117",
                r->in->name, r->line, column + 1, quoted(f.text, f.length).text);
    if (r->values == r->room) WEDGE_TRY(grow(r));
    bool finite = r->out->is_f64 ? isfinite(v) : isfinite((float)v);
    WEDGE_CHECK(finite || r->options->nan_propagate, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 ", column %" PRIu64 " is %s%s; fix the data, or accept it with --nan propagate",
                r->in->name, r->line, column + 1, quoted(f.text, f.length).text,
                isfinite(v) ? ", too large for f32 (--dtype f64 holds it)" : "");
    WEDGE_CHECK(!field_is_rounded(f, r->out->is_f64 ? v : (double)(float)v), r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 ", column %" PRIu64
                " is %s, which %s cannot hold: different integers would become equal; write it with a decimal point",
                r->in->name, r->line, column + 1, quoted(f.text, f.length).text, r->out->is_f64 ? "f64" : "f32");
    if (r->out->is_f64)
        ((double *)r->out->data)[r->values++] = v;
    else
        ((float *)r->out->data)[r->values++] = (float)v;
    return WEDGE_OK;
}

static wedge_status read_atom(reader *r) {
    const points_about *a = r->about;
    const char *line;
    uint64_t need = r->said.count ? r->said.count : LEAST_FIELDS;
    WEDGE_TRY(next_line(r, &line));
    if (line) WEDGE_TRY(cut(r, line));
    WEDGE_CHECK(line, r->n, WEDGE_BAD_DATA,
                "%s: line 1 says %" PRIu64 " atom%s, but the file ends after %" PRIu64 ", with line %" PRIu64,
                r->in->name, r->atoms, r->atoms == 1 ? "" : "s", r->out->n, r->line);
    WEDGE_CHECK(r->fields.count, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 " is blank, but should be atom %" PRIu64 " of %" PRIu64, r->in->name, r->line,
                r->out->n + 1, r->atoms);
    WEDGE_CHECK(!r->said.count || r->fields.count == r->said.count, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 " has %zu value%s, but Properties in line 2 says %zu", r->in->name, r->line,
                r->fields.count, r->fields.count == 1 ? "" : "s", r->said.count);
    if (r->fields.count >= need && !r->out->n) WEDGE_TRY(choose_columns(r));
    for (uint64_t k = 0; r->out->d && k < a->features; ++k)
        if (a->taken[k] >= need) need = a->taken[k] + 1;
    if (r->options->id && r->id >= need) need = r->id + 1;
    WEDGE_CHECK(r->fields.count >= need, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 " has %zu value%s: an atom has %" PRIu64 ", the element and x y z%s", r->in->name,
                r->line, r->fields.count, r->fields.count == 1 ? "" : "s", need,
                need > LEAST_FIELDS ? " and more" : "");
    for (uint64_t k = 0; k < a->features; ++k) WEDGE_TRY(read_value(r, a->taken[k]));
    bool known = r->element < a->columns;
    WEDGE_CHECK((!known || ids_add(&r->elements, r->fields.at[r->element])) &&
                    (!r->options->id || ids_add(&r->ids, r->fields.at[r->id])),
                r->n, WEDGE_NO_MEMORY, "%s: no memory for the name in line %" PRIu64, r->in->name, r->line);
    ++r->out->n;
    return WEDGE_OK;
}

/* Blank lines may follow, and more frames. */
static wedge_status read_end(reader *r) {
    const char *line;
    for (;;) {
        WEDGE_TRY(next_line(r, &line));
        if (!line) return WEDGE_OK;
        WEDGE_TRY(cut(r, line));
        if (!r->fields.count) continue;
        WEDGE_CHECK(r->fields.count == 1 && is_whole(r->fields.at[0]), r->n, WEDGE_BAD_DATA,
                    "%s: line 1 says %" PRIu64 " atom%s, but line %" PRIu64 " continues: %s; fix the number in line 1",
                    r->in->name, r->atoms, r->atoms == 1 ? "" : "s", r->line, quoted(line, strcspn(line, "\r\n")).text);
        r->about->warning = text_format("%s: has several frames; the first is read, lines 1 to %" PRIu64, r->in->name,
                                        r->atoms + FIRST_ATOM - 1);
        return WEDGE_OK;
    }
}

static wedge_status read_all(reader *r) {
    WEDGE_TRY(read_count(r));
    WEDGE_TRY(read_comment(r));
    while (r->out->n < r->atoms) WEDGE_TRY(read_atom(r));
    WEDGE_TRY(read_end(r));
    points_resize(r->out, r->values * points_value_size(r->out)); /* gives back; may fail */
    bool known = r->element < r->about->columns;
    if (known) r->about->elements = ids_array(&r->elements);
    if (r->options->id) r->about->ids = ids_array(&r->ids);
    WEDGE_CHECK((r->about->elements || !known) && (r->about->ids || !r->options->id), r->n, WEDGE_NO_MEMORY,
                "%s: no memory for names of its atoms", r->in->name);
    return WEDGE_OK;
}

wedge_status xyz_read(points_source *in, const points_options *options, points *out, note *n) {
    reader r = {.in = in, .options = options, .out = out, .about = &out->about, .n = n};
    *out = (points){.is_f64 = options->dtype != POINTS_F32};
    r.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    WEDGE_CHECK(r.c_locale, n, WEDGE_NO_MEMORY, "%s: no memory to read it", in->name);
    wedge_status status = read_all(&r);
    free(r.window);
    free(r.fields.at);
    ids_free(&r.elements);
    ids_free(&r.ids);
    free(r.said.at);
    free(r.said_text);
    freelocale(r.c_locale);
    return status;
}
