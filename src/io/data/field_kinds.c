/* field_kinds.c: tells names, missing values and common mistakes apart.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/fields.h"

#include <stdint.h>
#include <string.h>

#include "core/printable.h"
#include "io/data/number.h"

/* Missing values as programs and people write them, letter by letter: Na may be sodium. nan is a number. */
/* clang-format off */
static const char *const missing[] = {
    "NA", "<NA>", "N/A", "n/a", "na", "NaT", "None", "none", "NONE", "null", "NULL", "Null", "nil", /* pandas, R, SQL */
    "#N/A", "#NA", "#N/A N/A", "#VALUE!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NULL!",          /* spreadsheets */
    "-", "--", "---", ".", "..", "...", "?", "*", "\\N",                                            /* Stata, SAS, MySQL */
    "N.A.", "n.a.", "missing", "Missing", "MISSING", "(null)",
    "\u2212", "\u2013", "\u2014", "\u2026", /* minus, dashes, ellipsis */
};
/* clang-format on */

bool field_is_missing(field f) {
    for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i)
        if (strlen(missing[i]) == f.length && !memcmp(missing[i], f.text, f.length)) return true;
    return false;
}

static bool in_ranges(uint32_t c, const uint32_t (*ranges)[2], size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
    return false;
}

/* Beyond ASCII everything counts as a letter but what stands before or within numbers: signs, dashes, blanks,
 * currencies, and the digits of other scripts. */
static bool is_letter(uint32_t c) {
    static const uint32_t others[][2] = {
        {0x80, 0xb4},   {0xb6, 0xbf},     {0xd7, 0xd7},     {0xf7, 0xf7},     {0x660, 0x669},   {0x6f0, 0x6f9},
        {0x966, 0x96f}, {0x2000, 0x2bff}, {0x3000, 0x303f}, {0xfe10, 0xfe6f}, {0xfeff, 0xff20}, {0xfffd, 0xfffd},
    };
    if (c < 0x80) return (c | 32) - 'a' < 26 || c == '_';
    return !in_ranges(c, others, sizeof others / sizeof *others);
}

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static bool is_number_word(field f) {
    double value;
    return scan_word(f.text, &value) == f.text + f.length;
}

bool field_is_name(field f) {
    if (field_is_missing(f) || is_number_word(f)) return false;
    for (size_t i = 0, size; i < f.length; i += size) {
        if (is_digit(f.text[i])) return false;
        if (is_letter(utf8_next(f.text + i, f.length - i, &size))) return true;
    }
    return false;
}

size_t field_name(field f, char *to) {
    size_t used = 0;
    for (size_t i = 0, size; i < f.length; i += size) {
        uint32_t c = utf8_next(f.text + i, f.length - i, &size);
        if (utf8_controls(c) || (c == UTF8_INVALID && size == 1)) {
            to[used++] = '?';
            continue;
        }
        memcpy(to + used, f.text + i, size);
        used += size;
        if (f.quoted && c == '"') ++i; /* the second of two */
    }
    to[used] = 0;
    return used;
}

/* Minus signs and dashes that are not ASCII's. */
static bool is_dash(uint32_t c) {
    static const uint32_t dashes[][2] = {{0xad, 0xad},     {0x2010, 0x2015}, {0x207b, 0x207b}, {0x208b, 0x208b},
                                         {0x2212, 0x2212}, {0xfe58, 0xfe58}, {0xfe63, 0xfe63}, {0xff0d, 0xff0d}};
    return in_ranges(c, dashes, sizeof dashes / sizeof *dashes);
}

/* One of the characters stands between digits (commas: or signs and points), blanks around it allowed. */
static bool has_between(field f, const char *characters) {
    for (size_t i = 1; i + 1 < f.length; ++i) {
        if (!strchr(characters, f.text[i])) continue;
        size_t before = i, after = i + 1;
        while (before && (f.text[before - 1] == ' ' || f.text[before - 1] == '\t')) --before;
        while (after < f.length && (f.text[after] == ' ' || f.text[after] == '\t')) ++after;
        bool right = after < f.length && (is_digit(f.text[after]) || strchr("+-.", f.text[after]));
        if (before && (is_digit(f.text[before - 1]) || f.text[before - 1] == '.') && right) return true;
    }
    return false;
}

/* One of the characters is in the field. A byte that is no UTF-8 counts as Windows-1252 has it. */
static bool has_any(field f, const uint32_t (*ranges)[2], size_t count) {
    for (size_t i = 0, size; i < f.length; i += size) {
        uint32_t c = utf8_next(f.text + i, f.length - i, &size);
        unsigned char byte = (unsigned char)f.text[i];
        if (c == UTF8_INVALID && size == 1) c = byte == 0x80 ? 0x20ac : byte;
        if (in_ranges(c, ranges, count)) return true;
    }
    return false;
}

static bool has_currency(field f) {
    static const uint32_t signs[][2] = {{'$', '$'}, {0xa2, 0xa5}, {0x20a0, 0x20cf}};
    return has_any(f, signs, sizeof signs / sizeof *signs);
}

static bool has_wide_blank(field f) { /* no-break and thin spaces */
    static const uint32_t blanks[][2] = {{0xa0, 0xa0}, {0x2000, 0x200b}, {0x202f, 0x202f}, {0x205f, 0x205f}};
    return has_any(f, blanks, sizeof blanks / sizeof *blanks);
}

static bool has_digit(field f) {
    for (size_t i = 0; i < f.length; ++i)
        if (is_digit(f.text[i])) return true;
    return false;
}

/* What follows the number that the field begins with, without blanks; empty: nothing, or more digits. */
static field tail_of(field f) {
    decimal x;
    const char *p = scan_decimal(f.text, &x), *end = f.text + f.length;
    while (p && p < end && *p == ' ') ++p;
    field tail = {p, p && p < end ? (size_t)(end - p) : 0, f.quoted};
    if (has_digit(tail)) tail.length = 0;
    return tail;
}

/* A number with something about it that is for people. */
static const char *dressed(field f) {
    size_t size;
    field tail = tail_of(f);
    if (!has_digit(f)) return NULL;
    if (has_currency(f)) return ": it has a currency sign; write the number alone, as 1234.5";
    if (has_wide_blank(f)) return ": it has a no-break space; write digits without groups, as 1234.5";
    if (has_between(f, "'_")) return ": its digits are in groups; write them without, as 1234.5";
    if (!tail.length) return NULL;
    if (*tail.text == '%') return ": it has a percent sign; write the number alone, as 12.5";
    uint32_t c = utf8_next(tail.text, tail.length, &size);
    if (is_letter(c) || c == '"' || c == '\'' || c >= 0x80) /* degrees, micro, per mille */
        return ": text follows the number, such as a unit; write the number alone, or leave the column out with "
               "--columns";
    return NULL;
}

bool field_is_several(field f, char separator) {
    return !f.quoted && (has_between(f, ",;") || (separator != ' ' && has_between(f, " \t")));
}

const char *field_mistake(field f, char separator) {
    size_t size = 1;
    if (field_is_missing(f))
        return " but a missing value; fill it in, delete its line, or leave its column out with --columns";
    if (f.length && is_dash(utf8_next(f.text, f.length, &size)))
        return ": its minus sign is a Unicode dash; replace it by an ASCII -";
    const char *dress = dressed(f);
    if (dress) return dress;
    if (has_between(f, ",") && separator != ',')
        return separator == ' '
                   ? ": it has a decimal comma, or commas separate here and blanks in the first line; write "
                     "numbers with a decimal point, and keep to one separator"
                   : ": it has a decimal comma; write numbers with a decimal point, as 1.5";
    if (has_between(f, ","))
        return ": it has a comma; write numbers with a decimal point, as 1234.5, and digits without groups";
    if (has_between(f, ";")) return ": semicolons separate here, but not in the first line; keep to one separator";
    if (has_between(f, " \t"))
        return ": it has a blank; separate all values in the same way (comma, semicolon, tab or blanks), and write "
               "digits without groups, as 1234.5";
    return NULL;
}
