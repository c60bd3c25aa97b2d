/* xyz_comment.c: the second line of an extended .xyz.
 *
 * SPDX-License-Identifier: MIT */
#include "io/read/xyz_comment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/note.h"
#include "core/text_stream.h"
#include "io/data/header.h"

enum { AXES = 3, MOST_COLUMNS = 10000 };

/* ---- Keys ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static const char *after_blanks(const char *p) {
    while (is_blank(*p)) ++p;
    return p;
}

/* After a value that begins at p. */
static const char *read_value(const char *p, field *value) {
    static const char open[] = "\"'{[", closing[] = "\"'}]";
    const char *bracket = *p ? strchr(open, *p) : NULL, *end = p + (bracket != NULL);
    char close = bracket ? closing[bracket - open] : 0;
    for (int deep = 0; !at_line_end(end) && (close ? deep || *end != close : !is_blank(*end)); ++end)
        if (close && close != *bracket) deep += (*end == *bracket) - (*end == close); /* [[9, 0, 0], [0, 9, 0]] */
    *value = (field){.text = p + (bracket != NULL), .length = (size_t)(end - p) - (bracket != NULL)};
    return end + (close && *end == close);
}

bool xyz_value(const char *line, const char *key, field *value) {
    size_t length = strlen(key);
    for (const char *p = line; !at_line_end(p);) {
        const char *word = p;
        while (!at_line_end(p) && !is_blank(*p) && *p != '=' && *p != '"') ++p;
        bool wanted = (size_t)(p - word) == length && !strncasecmp(word, key, length);
        field skipped;
        p = after_blanks(p);
        if (*p == '=')
            p = read_value(after_blanks(p + 1), wanted ? value : &skipped);
        else if (*p == '"')
            wanted = false, p = read_value(p, &skipped);
        else
            wanted = false;
        if (wanted) return true;
        p = after_blanks(p);
    }
    return false;
}

/* ---- Columns ---- */

/* What a property's columns are called, one by one; others have their own name, with _1, _2 where there are several. */
static const struct {
    const char *property, *columns[AXES];
} known[] = {
    {"species", {"element"}},      {"pos", {"x", "y", "z"}},       {"positions", {"x", "y", "z"}},
    {"velo", {"vx", "vy", "vz"}},  {"vel", {"vx", "vy", "vz"}},    {"velocities", {"vx", "vy", "vz"}},
    {"force", {"fx", "fy", "fz"}}, {"forces", {"fx", "fy", "fz"}}, {"momenta", {"px", "py", "pz"}},
    {"masses", {"mass"}},
};

static void print_name(FILE *f, field property, uint64_t k, uint64_t count) {
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        bool is = strlen(known[i].property) == property.length &&
                  !strncasecmp(known[i].property, property.text, property.length);
        if (is && k < AXES && known[i].columns[k] && (count == 1) == !known[i].columns[1]) {
            fprintf(f, "%s", known[i].columns[k]);
            return;
        }
    }
    fprintf(f, "%.*s", (int)property.length, property.text);
    if (count > 1) fprintf(f, "_%" PRIu64, k + 1);
}

/* The part up to the next colon, which is passed. False: there is none. */
static bool next_part(field *rest, field *part) {
    const char *colon = memchr(rest->text, ':', rest->length);
    *part = *rest;
    if (!rest->length) return false;
    if (colon) part->length = (size_t)(colon - rest->text);
    size_t used = part->length + (colon != NULL);
    rest->text += used, rest->length -= used;
    return part->length;
}

static bool read_count(field f, uint64_t *count) {
    for (size_t k = *count = 0; k < f.length; ++k) {
        if ((unsigned char)(f.text[k] - '0') > 9) return false;
        *count = 10 * *count + (uint64_t)(f.text[k] - '0');
        if (*count > MOST_COLUMNS) return false;
    }
    return *count;
}

/* One name after the other, each with its zero; how many. */
static bool print_names(FILE *f, field value, size_t *names) {
    for (*names = 0; value.length;) {
        field property, type, number;
        uint64_t count;
        if (!next_part(&value, &property) || !next_part(&value, &type) || !next_part(&value, &number)) return false;
        if (type.length != 1 || !strchr("SRILsril", *type.text) || !read_count(number, &count)) return false;
        if ((*names += count) > MOST_COLUMNS) return false;
        for (uint64_t k = 0; k < count; ++k) print_name(f, property, k, count), fputc(0, f);
    }
    return *names;
}

bool xyz_properties(field value, field_list *names, char **text, bool *no_memory) {
    size_t size, count = 0;
    FILE *f = open_memstream(text, &size);
    bool good = f && print_names(f, value, &count);
    *no_memory = !f || text_lost(f);
    *names = (field_list){.at = good && !*no_memory ? malloc(count * sizeof *names->at) : NULL, .count = count};
    *no_memory |= good && !names->at;
    if (!names->at) {
        if (f) free(*text);
        *text = NULL;
        return false;
    }
    const char *at = *text;
    for (size_t k = 0; k < count; ++k, at += strlen(at) + 1) names->at[k] = (field){.text = at, .length = strlen(at)};
    return true;
}

/* ---- The cell ---- */

static bool separates(char c) { return is_blank(c) || strchr(",[]{}", c); }

/* The next word of a value: blanks, commas or brackets separate. */
static bool next_word(field *rest, field *word) {
    while (rest->length && separates(*rest->text)) ++rest->text, --rest->length;
    *word = (field){.text = rest->text};
    while (rest->length && !separates(*rest->text)) ++rest->text, --rest->length, ++word->length;
    return word->length;
}

static bool is_word(field word, const char *text) {
    return strlen(text) == word.length && !strncasecmp(text, word.text, word.length);
}

/* Which axes are periodic; false: it cannot be understood. One word is for all. */
static bool read_pbc(field value, bool periodic[AXES]) {
    size_t count = 0;
    field word;
    for (; next_word(&value, &word); ++count) {
        bool yes = is_word(word, "T") || is_word(word, "true") || is_word(word, "1");
        bool no = is_word(word, "F") || is_word(word, "false") || is_word(word, "0");
        if (count == AXES || (!yes && !no)) return false;
        periodic[count] = yes;
    }
    if (count == 1) periodic[1] = periodic[2] = periodic[0];
    return count == 1 || count == AXES;
}

static bool read_lattice(field value, locale_t c_locale, double a[AXES][AXES]) {
    size_t count = 0;
    field word;
    for (; next_word(&value, &word); ++count)
        if (count == AXES * AXES || !field_number(word, c_locale, &a[count / AXES][count % AXES]) ||
            !isfinite(a[count / AXES][count % AXES]))
            return false;
    return count == AXES * AXES;
}

/* A periodic vector lies along its axis, but for what a conversion leaves of a zero. */
static const char *take_lengths(double a[AXES][AXES], const bool periodic[AXES], double cell[AXES]) {
    const double slack = 1e-9;
    for (int k = 0; k < AXES; ++k) {
        if (!periodic[k]) continue;
        double length = fabs(a[k][k]);
        for (int f = 0; f < AXES; ++f)
            if (f != k && fabs(a[k][f]) > slack * length) return "is not orthogonal";
        if (!(length > 0)) return "has a length of 0 along a periodic axis";
        cell[k] = length;
    }
    return NULL;
}

bool xyz_cell(const char *line, locale_t c_locale, points_about *about) {
    field lattice, pbc;
    bool has_lattice = xyz_value(line, "Lattice", &lattice), has_pbc = xyz_value(line, "pbc", &pbc);
    bool periodic[AXES] = {true, true, true};
    double a[AXES][AXES], cell[AXES] = {0};
    const char *key = has_lattice ? "Lattice" : "pbc", *problem = NULL;
    if (!has_lattice && !has_pbc) return true;
    if (has_pbc && !read_pbc(pbc, periodic))
        key = "pbc", problem = "is not three of T and F";
    else if (!periodic[0] && !periodic[1] && !periodic[2])
        return true;
    else if (!has_lattice)
        problem = "says that space is periodic, but there is no Lattice";
    else if (!read_lattice(lattice, c_locale, a))
        problem = "is not nine numbers";
    else
        problem = take_lengths(a, periodic, cell);
    field of = has_lattice && strcmp(key, "pbc") ? lattice : pbc;
    about->periodic = true;
    memcpy(about->cell, cell, sizeof cell);
    if (problem) about->cell_problem = text_format("%s=%s %s", key, quoted(of.text, of.length).text, problem);
    return !problem || about->cell_problem;
}
