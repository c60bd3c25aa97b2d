/* help.c: --help in 80 columns, and what is said of a word that is none of those there are.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/alike.h"
#include "core/printable.h"
#include "core/text_stream.h"

void cli_note(const char *text) {
    putchar('\n');
    cli_wrap(stdout, text, 0, 0);
}

static int left_side(const cli_option *option, char *text, size_t size) {
    const char *value = option->value_name ? option->value_name : "";
    return snprintf(text, size, "%s%s%s", option->name, *value && *value != '[' ? " " : "", value);
}

void cli_help(const char *command, const char *intro, const cli_option *options, int count, const char *notes) {
    enum { MARGIN = 2, GAP = 2 };
    int width = 0;
    char left[64];
    for (int o = 0; o < count; ++o) {
        int length = options[o].help ? left_side(&options[o], left, sizeof left) : 0;
        if (length > width) width = length;
    }
    printf("wedge %s: %s\n\n%s", command, cli_summary(command), intro);
    for (int o = 0; o < count; ++o) {
        if (!options[o].help) continue;
        left_side(&options[o], left, sizeof left);
        printf("%*s%-*s", MARGIN, "", width + GAP, left);
        cli_wrap(stdout, options[o].help, MARGIN + width + GAP, MARGIN + width + GAP);
    }
    printf("%s", notes);
}

int cli_unknown(const char *what, const char *typed, const char *(*word)(const void *from, int k), const void *from) {
    alike meant = alike_to(typed);
    char *text = NULL;
    size_t size = 0;
    for (int k = 0; word(from, k); ++k) alike_try(&meant, word(from, k));
    if (meant.best) return cli_error(EXIT_USAGE, "%s '%s'; did you mean '%s'?", what, typed, meant.best);
    FILE *f = open_memstream(&text, &size);
    if (f) {
        fprintf(f, "wedge: %s '%s'; there are", what, typed);
        for (int k = 0; word(from, k); ++k) fprintf(f, "%s %s", k ? "," : "", word(from, k));
        if (text_lost(f)) free(text), text = NULL;
    }
    fflush(stdout);
    char *shown = text ? text_printable(text) : NULL;
    cli_wrap(stderr, shown ? shown : "wedge: no memory", 0, 2);
    free(shown);
    free(text);
    return EXIT_USAGE;
}
