/* options.c: parsing, numbers, exit codes and JSON strings, shared by the commands.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/alike.h"
#include "core/context.h"

/* LLVM, with which PoCL compiles, removes its files on a signal: then a build fails, and the signal is why. */
int cli_failed(const char *command, wedge_status status, const char *message) {
    if (status == WEDGE_BUILD_FAILED && cli_stop_asked())
        return cli_error(EXIT_STOPPED, "%s: stopped before the end, while a kernel was compiled", command);
    size_t length = strlen(command); /* a sink may have the command's name, and say it */
    bool named = !strncmp(message, command, length) && message[length] == ':';
    return named ? cli_error(cli_exit_code(status), "%s", message)
                 : cli_error(cli_exit_code(status), "%s: %s", command, message);
}

int cli_exit_code(wedge_status status) {
    static const int codes[] = {
        [WEDGE_OK] = EXIT_OK,
        [WEDGE_FAILED] = EXIT_RUN,
        [WEDGE_BAD_ARGUMENT] = EXIT_USAGE,
        [WEDGE_BAD_DATA] = EXIT_DATA,
        [WEDGE_NO_DEVICE] = EXIT_DEVICE,
        [WEDGE_UNSUPPORTED] = EXIT_DEVICE,
        [WEDGE_BUILD_FAILED] = EXIT_RUN,
        [WEDGE_DEVICE_LOST] = EXIT_RUN,
        [WEDGE_NO_MEMORY] = EXIT_SPACE,
        [WEDGE_NO_SPACE] = EXIT_SPACE,
        [WEDGE_STOPPED] = EXIT_STOPPED,
        [WEDGE_TOO_SMALL] = EXIT_RUN,
    };
    return (unsigned)status < sizeof codes / sizeof *codes ? codes[status] : EXIT_RUN;
}

static int find_option(const cli_option *options, int count, const char *word, size_t length) {
    for (int o = 0; o < count; ++o)
        if (strlen(options[o].name) == length && !strncmp(options[o].name, word, length)) return o;
    return -1;
}

static const char *letters(const char *word) { return word + strspn(word, "-"); }

/* "'--radius' or '--resume'": the options that begin with what was typed, else the closest; to be freed. NULL: none is close. */
static char *options_meant(const cli_option *options, int count, const char *typed) {
    char *text = NULL;
    size_t size = 0, length = strlen(letters(typed));
    bool any = false;
    alike meant = alike_to(letters(typed));
    FILE *f = open_memstream(&text, &size);
    for (int o = 0; o < count && f; ++o) {
        if (length && !strncmp(letters(options[o].name), letters(typed), length))
            fprintf(f, "%s'%s'", any ? " or " : "", options[o].name), any = true;
        alike_try(&meant, letters(options[o].name));
    }
    for (int o = 0; o < count && f && !any && meant.best; ++o)
        if (letters(options[o].name) == meant.best) fprintf(f, "'%s'", options[o].name), any = true;
    for (int o = 0; o < count && f && !any; ++o) /* --output is -o */
        if (length && options[o].name[1] == *letters(typed) && typed[1] == '-')
            fprintf(f, "'%s'", options[o].name), any = true;
    if (f) fclose(f);
    if (!any) free(text), text = NULL;
    return text;
}

static int unknown_option(const char *command, const cli_option *options, int count, const char *word) {
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    char *meant = options_meant(options, count, typed);
    int code = meant ? cli_error(EXIT_USAGE, "%s: no option '%s'; did you mean %s?", command, typed, meant)
                     : cli_error(EXIT_USAGE, "%s: no option '%s'; wedge help %s lists them", command, typed, command);
    free(meant);
    return code;
}

static bool is_option(const char *word) { return word[0] == '-' && word[1] && !isdigit((unsigned char)word[1]); }

/* The option that a word is, with a value that is joined to it: --name=V, -k=V or -kV. -1: there is no such one. */
static int option_of(const cli_option *options, int count, const char *word, const char **value) {
    const char *equals = strchr(word, '=');
    int o = find_option(options, count, word, equals ? (size_t)(equals - word) : strlen(word));
    if (o >= 0 && equals) *value = equals + 1;
    if (o >= 0 || word[1] == '-') return o;
    o = find_option(options, count, word, 2);
    if (o >= 0 && !options[o].value_name) return -1;
    *value = word + 2;
    return o;
}

static bool repeats(const cli_option *option) { return option->value_name && strstr(option->value_name, "..."); }

int cli_parse(const char *command, const cli_option *options, int count, int argc, char **argv, const char **values,
              const char **positionals, int *positional_count) {
    bool open = true;
    int repeated = 0;
    for (int o = 0; o < count; ++o) {
        values[o] = NULL;
        if (repeats(&options[o])) values[count] = NULL;
    }
    *positional_count = 0;
    for (int a = 1; a < argc; ++a) {
        const char *word = !strcmp(argv[a], "-h") ? "--help" : argv[a];
        if (open && !strcmp(word, "--")) {
            open = false;
            continue;
        }
        if (!open || !is_option(word)) {
            positionals[(*positional_count)++] = word;
            continue;
        }
        const char *value = NULL;
        int o = option_of(options, count, word, &value);
        if (o < 0) return unknown_option(command, options, count, word);
        const char *wants = options[o].value_name;
        if (!wants && value) return cli_error(EXIT_USAGE, "%s: %s takes no value", command, options[o].name);
        bool optional = wants && *wants == '[';
        if (wants && !optional && !value && a + 1 >= argc)
            return cli_error(EXIT_USAGE, "%s: %s needs a value: %s %s", command, options[o].name, options[o].name,
                             wants);
        values[o] = value ? value : wants && !optional ? argv[++a] : "";
        if (repeats(&options[o])) values[count + repeated++] = values[o], values[count + repeated] = NULL;
    }
    return EXIT_OK;
}

/* Digits, with _ between them allowed. Advances *text. */
static bool digits(const char **text, uint64_t *value) {
    const char *t = *text;
    if (!isdigit((unsigned char)*t)) return false;
    *value = 0;
    for (; isdigit((unsigned char)*t) || (*t == '_' && isdigit((unsigned char)t[1])); ++t) {
        if (*t == '_') continue;
        uint64_t digit = (uint64_t)(*t - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    *text = t;
    return true;
}

bool cli_u64(const char *text, uint64_t *value) {
    uint64_t base, power;
    if (!digits(&text, &base)) return false;
    if (*text == '^') {
        ++text;
        if (!digits(&text, &power)) return false;
        uint64_t result = 1;
        for (; power; --power) {
            if (base <= 1) {
                result = base;
                break;
            }
            if (result > UINT64_MAX / base) return false;
            result *= base;
        }
        base = result;
    }
    *value = base;
    return !*text;
}

bool cli_bytes(const char *text, uint64_t *value) {
    static const char units[] = "KMGT";
    char *end = NULL;
    if (!isdigit((unsigned char)*text)) return false;
    double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        number *= (double)(UINT64_C(1) << 10 * (unit - units + 1));
        ++end;
        if (!strcmp(end, "iB") || !strcmp(end, "B")) end += strlen(end);
    }
    if (*end || !(number < 0x1p63)) return false;
    *value = (uint64_t)number;
    return true;
}

int cli_dim(const char *command, const char *dim, const char *rank, int *value) {
    const char *text = dim ? dim : rank ? rank : "2";
    if (dim && rank && strcmp(dim, rank))
        return cli_error(EXIT_USAGE, "%s: --dim %s and --rank %s are two names of one option; give one of them",
                         command, dim, rank);
    if (strcmp(text, "2") && strcmp(text, "3"))
        return cli_error(EXIT_USAGE, "%s: %s %s: must be 2 (triangle) or 3 (tetrahedron)", command,
                         dim ? "--dim" : "--rank", text);
    *value = *text - '0';
    return EXIT_OK;
}

void cli_close_device(const cli *c, wedge_device *dev) {
    if (c->verbose && *wedge_device_remark(dev)) cli_say("wedge: %s\n", wedge_device_remark(dev));
    wedge_device_close(dev);
}

int cli_open_device(cli *c, const char *id, wedge_device **dev) {
    wedge_status status = wedge_device_open(c->ctx, id, dev);
    if (status) return cli_error(cli_exit_code(status), "%s", wedge_context_message(c->ctx));
    if (c->ctx->driver_died && !c->quiet)
        cli_say("wedge: opencl: %s; --device cpu skips it\n", wedge_backend_remark(c->ctx, "opencl"));
    return EXIT_OK;
}

void cli_json_number(FILE *f, const char *before, double value) {
    fputs(before, f);
    isfinite(value) ? fprintf(f, "%.17g", value) : fprintf(f, "null");
}
