/* request.c: from the words of a command over pairs to what it is asked: files, metric, choices, numbers, outputs.
 *
 * What a user can get wrong is said before any file is read or made.
 *
 * SPDX-License-Identifier: MIT */
#include "request.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/write/outfile.h"
#include "io/write/part.h"

const char *cli_given(const cli_args *a, const char *name) {
    for (int k = 0; k < a->count; ++k)
        if (!strcmp(a->options[k].name, name)) return a->values[k];
    return NULL;
}

/* ---- Numbers ---- */

int cli_positive(const cli_args *a, const char *option, bool zero, double *value) {
    const char *text = cli_given(a, option);
    if (!text) return EXIT_OK;
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || number < 0 || (number == 0 && !zero))
        return cli_error(EXIT_USAGE, "%s: %s %s: must be a number%s", a->command, option, text,
                         zero ? ", 0 or above" : " above 0");
    *value = number;
    return EXIT_OK;
}

int cli_number(const cli_args *a, const char *option, double *value) {
    const char *text = cli_given(a, option);
    char *end = NULL;
    double number = text ? strtod(text, &end) : *value;
    if (text && (end == text || *end || !isfinite(number)))
        return cli_error(EXIT_USAGE, "%s: %s %s: must be a number", a->command, option, text);
    *value = number;
    return EXIT_OK;
}

int cli_whole(const cli_args *a, const char *option, uint64_t least, uint64_t most, uint64_t *value) {
    const char *text = cli_given(a, option);
    if (!text) return EXIT_OK;
    if (!cli_u64(text, value) || *value < least || *value > most)
        return cli_error(EXIT_USAGE, "%s: %s %s: must be a whole number from %" PRIu64 " to %" PRIu64, a->command,
                         option, text, least, most);
    return EXIT_OK;
}

static int parse_box(const cli_args *a, cli_request *r) {
    const char *text = cli_given(a, "--box"), *at = text;
    for (int k = 0; k < a->count; ++k) r->takes_box |= !strcmp(a->options[k].name, "--box");
    r->box_given = text;
    if (text && !strcmp(text, "none")) at = NULL;
    while (at) {
        char *end = NULL;
        double length = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(length) || length < 0)
            return cli_error(EXIT_USAGE,
                             "%s: --box %s: must be lengths above 0 (0: not periodic), such as 10,10,0; or none",
                             a->command, text);
        if (r->box_count == CLI_MOST_BOX)
            return cli_error(EXIT_USAGE, "%s: --box %s: too many lengths; at most %d", a->command, text, CLI_MOST_BOX);
        r->box[r->box_count++] = length;
        at = *end ? end + 1 : NULL;
    }
    return EXIT_OK;
}

enum { MOST_SHARDS = 1000000 };

static int parse_shard(const cli_args *a, cli_request *r) {
    const char *text = cli_given(a, "--shard");
    uint64_t k = 1, all = 1;
    char copy[64];
    char *slash = NULL;
    if (text && strlen(text) < sizeof copy) {
        strcpy(copy, text);
        if ((slash = strchr(copy, '/'))) *slash = 0;
    }
    if (text && (!slash || !cli_u64(copy, &k) || !cli_u64(slash + 1, &all) || k < 1 || k > all || all > MOST_SHARDS))
        return cli_error(EXIT_USAGE, "%s: --shard %s: must be k/K with 1 <= k <= K <= %d, such as 2/8", a->command,
                         text, MOST_SHARDS);
    r->shard = (uint32_t)k, r->shards = (uint32_t)all;
    return EXIT_OK;
}

/* ---- Choices ---- */

/* Which of `count` words a value is; the first where it was not given; -1: none of them. */
static int choice(const char *value, const char *const *words, int count) {
    for (int k = 0; k < count; ++k)
        if (!value || !strcmp(value, words[k])) return k;
    return -1;
}

static int parse_input(const cli_args *a, cli_request *r) {
    static const char *const rules[] = {"error", "propagate"}, *const dtypes[] = {"f32", "f64", "float32", "float64"};
    const char *nan = cli_given(a, "--nan"), *kind = cli_given(a, "--dtype");
    int rule = choice(nan, rules, 2), dtype = kind ? choice(kind, dtypes, 4) : 4;
    if (rule < 0) return cli_error(EXIT_USAGE, "%s: --nan %s: must be error or propagate", a->command, nan);
    if (dtype < 0)
        return cli_error(EXIT_USAGE, "%s: --dtype %s: must be f32 or f64 (or float32, float64)", a->command, kind);
    r->input.columns = cli_given(a, "--columns");
    r->input.id = cli_given(a, "--id");
    r->input.named = r->metric.op ? r->metric.op->columns : NULL;
    r->input.named_all = r->metric.op && r->metric.op->record;
    r->input.nan_propagate = rule == 1;
    r->pairs.overflow = rule == 1 ? WEDGE_OVERFLOW_ACCEPTED : WEDGE_OVERFLOW_REFUSED;
    r->input.dtype = (points_dtype[]){POINTS_F32, POINTS_F64, POINTS_F32, POINTS_F64, POINTS_AS_IS}[dtype];
    return EXIT_OK;
}

void cli_request_records(cli_request *r, const char *op) {
    const wedge_op_info *info = wedge_op_find(op);
    r->pairs.op = op;
    r->input.named = info->columns;
    r->input.named_all = info->record;
}

const op_def *cli_request_op(const cli_request *r) { return r->userop ? &r->userop->row : op_find(r->pairs.op); }

static int parse_metric(const cli_args *a, cli_request *r) {
    static const char *const none[] = {NULL};
    const char *const *sets = cli_given(a, "--set") ? a->values + a->count : none;
    int code = r->userop
                   ? cli_metric_set(a->command, &r->userop->row, NULL, sets, &r->metric)
                   : cli_metric_parse(a->command, cli_given(a, "--metric"), cli_given(a, "--p"), sets, &r->metric);
    r->pairs.size = sizeof r->pairs, r->pairs.op = r->metric.op && !r->userop ? r->metric.op->name : NULL;
    r->pairs.parameters = r->metric.parameters, r->pairs.parameter_count = r->metric.count;
    r->degrees = cli_given(a, "--degrees") != NULL;
    if (!code && r->degrees && !cli_request_op(r)->angles)
        return cli_error(EXIT_USAGE, "%s: --degrees is for metrics of angles, such as haversine; %s has none",
                         a->command, cli_request_op(r)->info.name);
    return code;
}

static int parse_limits(cli *c, const cli_args *a, cli_request *r) {
    const char *memory = cli_given(a, "--memory"), *threads = cli_given(a, "--threads");
    if (memory && (!cli_bytes(memory, &r->memory) || !r->memory))
        return cli_error(EXIT_USAGE, "%s: --memory %s: must be a number of bytes, such as 500M or 4G", a->command,
                         memory);
    if (threads && wedge_context_set(c->ctx, WEDGE_SET_NUM_THREADS, threads))
        return cli_error(EXIT_SPACE, "%s", wedge_context_message(c->ctx));
    return parse_box(a, r);
}

/* ---- Files ---- */

static bool ends_in(const char *file, const char *ending) {
    const char *dot = strrchr(file, '.');
    return dot && !strcasecmp(dot, ending);
}

static int add_output(cli_request *r, const char *option, const char *file, const char *what) {
    r->outputs[r->output_count].option = option;
    r->outputs[r->output_count].what = what;
    r->outputs[r->output_count++].file = file;
    return EXIT_OK;
}

/* The ending says what is written: .npy, or text. */
static int parse_ending(const cli_request *r, const char *option, const char *file, bool text, const char *more,
                        char *separator) {
    static const struct {
        const char *ending;
        char separator;
    } kinds[] = {{".npy", 0}, {".csv", ','}, {".tsv", '\t'}};
    int k = 0, count = text ? 3 : 1;
    while (k < count && !ends_in(file, kinds[k].ending)) ++k;
    if (k == count)
        return cli_error(EXIT_USAGE, "%s: %s %s: must end in .npy%s%s", r->command, option, file, more,
                         text ? ", .csv or .tsv" : "");
    *separator = kinds[k].separator;
    return EXIT_OK;
}

int cli_request_output(cli_request *r, const char *option, const char *file, const char *what, char *separator) {
    char none;
    if (!file) return EXIT_OK;
    int code = parse_ending(r, option, file, separator != NULL, "", separator ? separator : &none);
    return code ? code : add_output(r, option, file, what);
}

const char *cli_request_out(const cli_request *r) { return r->to_stdout ? "standard output" : r->out; }

bool cli_request_staged(const cli_request *r) { return r->separator && r->resume && !r->to_stdout; }

static bool has_option(const cli_args *a, const char *name) {
    for (int k = 0; k < a->count; ++k)
        if (!strcmp(a->options[k].name, name)) return true;
    return false;
}

/* --format, or -o - of a command that has no lines of its own. */
static int parse_stdout(const cli_command *command, const cli_args *a, cli_request *r) {
    static const char *const formats[] = {"npy", "csv", "tsv"};
    static const char separators[] = {0, ',', '\t'};
    const char *format = cli_given(a, "--format"), *json = cli_given(a, "--json"),
               *parted = r->resume                 ? "--resume"
                         : cli_given(a, "--shard") ? "--shard"
                                                   : NULL;
    int k = choice(format, formats, command->text ? 3 : 1);
    if (k < 0) return cli_error(EXIT_USAGE, "%s: --format %s: must be npy, csv or tsv", a->command, format);
    if (r->out && strcmp(r->out, "-"))
        return cli_error(EXIT_USAGE, "%s: --format is for standard output; -o %s has its format in its ending",
                         a->command, r->out);
    if (parted) return cli_error(EXIT_USAGE, "%s: %s needs -o OUT.npy, not standard output", a->command, parted);
    if (json && (!*json || !strcmp(json, "-")))
        return cli_error(EXIT_USAGE, "%s: --json goes to standard output, too: use --json=FILE", a->command);
    r->separator = separators[k], r->out = "-", r->to_stdout = true;
    if (!r->separator && !r->dry_run && isatty(STDOUT_FILENO))
        return cli_error(EXIT_USAGE,
                         "%s: a .npy is binary, and this is a terminal: add > FILE, | COMMAND or --format csv",
                         a->command);
    return EXIT_OK;
}

static int parse_out(const cli_command *command, const cli_args *a, cli_request *r) {
    r->out = cli_given(a, "-o");
    bool dash = r->out && !strcmp(r->out, "-"), formats = has_option(a, "--format");
    if (cli_given(a, "--format") || (dash && formats && command->missing)) return parse_stdout(command, a, r);
    if (command->missing && ((!r->out && !r->dry_run) || (r->out && !*r->out) || dash))
        return cli_error(EXIT_USAGE, "%s: missing %s", a->command, command->missing);
    if (r->out && !strcmp(r->out, "-")) r->out = NULL; /* standard output, as without -o */
    if (!r->out) return EXIT_OK;
    const char *more = command->archive ? ", .npz" : "";
    r->archive = command->archive && ends_in(r->out, ".npz");
    int code = r->archive ? EXIT_OK : parse_ending(r, "-o", r->out, command->text, more, &r->separator);
    if (code) return code;
    add_output(r, "-o", r->out, command->what);
    if (r->separator && cli_given(a, "--shard"))
        return cli_error(EXIT_USAGE, "%s: -o %s: shards cannot share a text file; --shard needs -o OUT.npy", a->command,
                         r->out);
    return EXIT_OK;
}

static int parse(cli *c, const cli_command *command, const cli_args *a, cli_request *r) {
    int code;
    c->quiet = cli_given(a, "--quiet") != NULL;
    c->verbose = cli_given(a, "--verbose") != NULL;
    r->device = cli_given(a, "--device");
    r->force = cli_given(a, "--force") != NULL;
    r->resume = cli_given(a, "--resume") != NULL;
    r->no_sync = cli_given(a, "--no-sync") != NULL;
    r->dry_run = cli_given(a, "--dry-run") != NULL;
    if ((code = parse_out(command, a, r)) || (code = parse_metric(a, r)) || (code = parse_input(a, r)) ||
        (code = parse_limits(c, a, r)))
        return code;
    return parse_shard(a, r);
}

/* What is read must not be what is written, nor one result another; and standard input is read once. */
static int check_files(const cli_request *r, const char *json) {
    const char *report = json && strcmp(json, "-") ? json : "";
    int from_stdin = 0;
    const char *const beside[] = {r->userop ? r->userop->file : r->edges, r->edges};
    for (int k = 0; k < r->sets + (r->edges != NULL) + (r->userop != NULL); ++k) {
        const char *name = k < r->sets ? r->in[k] : beside[k - r->sets], *in = strcmp(name, "-") ? name : "/dev/stdin";
        if (!strcmp(name, "-") && from_stdin++)
            return cli_error(EXIT_USAGE, "%s: only one of the two inputs can be standard input", r->command);
        bool touched = *report && names_one_file(report, in);
        for (int o = 0; o < r->output_count; ++o) touched |= outfile_touches(r->outputs[o].file, in);
        if (touched)
            return cli_error(EXIT_USAGE, "%s: %s is the input and would be overwritten; name another file", r->command,
                             name);
    }
    for (int o = 0; o < r->output_count; ++o) {
        if (*report && outfile_touches(r->outputs[o].file, report))
            return cli_error(EXIT_USAGE, "%s: --json=%s is the file of the %s, too; name another one", r->command, json,
                             r->outputs[o].what);
        for (int p = 0; p < o; ++p)
            if (outfile_touches(r->outputs[p].file, r->outputs[o].file))
                return cli_error(EXIT_USAGE, "%s: %s %s is the file of %s, too; name another one", r->command,
                                 r->outputs[o].option, r->outputs[o].file, r->outputs[p].option);
    }
    return EXIT_OK;
}

/* Known before any work is done. */
static int check_fresh(const cli_args *a, const cli_request *r) {
    bool resumes = false;
    for (int k = 0; k < a->count && !r->at_end; ++k) resumes |= !strcmp(a->options[k].name, "--resume");
    if (r->force || (r->resume && !r->at_end && !r->separator) || r->dry_run) return EXIT_OK;
    for (int o = 0; o < r->output_count; ++o)
        if (!access(r->outputs[o].file, F_OK))
            return cli_error(EXIT_USAGE, "%s: %s exists; --force overwrites it%s", r->command, r->outputs[o].file,
                             resumes && !r->separator ? ", --resume keeps it if this run made it" : "");
    return EXIT_OK;
}

/* What is opened once all is computed is tried before. */
static int try_outputs(const cli_request *r) {
    cli_output out;
    int code = EXIT_OK;
    for (int o = 0; o < r->output_count && r->at_end && !r->dry_run && !code; ++o)
        if (!(code = cli_output_open(&out, r->outputs[o].file, r->force))) cli_output_drop(&out);
    return code;
}

/* The file of the op comes first, before those of points. */
static int take_own(const cli_command *command, cli_args *a, cli_request *r, cli_userop *own) {
    if (!command->own_op) return EXIT_OK;
    if (!a->word_count)
        return cli_error(EXIT_USAGE, "%s: missing the file of an op; type wedge %s %s", a->command, a->command,
                         command->usage);
    int code = cli_userop_read(a->command, a->words[0], own);
    ++a->words, --a->word_count;
    r->userop = own;
    return code;
}

static int take_inputs(const cli_command *command, const cli_args *a, cli_request *r) {
    if (!a->word_count)
        return cli_error(EXIT_USAGE, "%s: missing input file; type wedge %s %s", a->command, a->command,
                         command->usage);
    if (a->word_count > 1 && !command->own_op && command->missing && !cli_given(a, "-o") && !cli_given(a, "--format") &&
        !cli_given(a, "--dry-run"))
        return cli_error(EXIT_USAGE, "%s: missing -o before the output; type wedge %s %s -o %s", a->command, a->command,
                         a->words[0], a->words[a->word_count - 1]);
    if (a->word_count > command->most_sets)
        return cli_error(EXIT_USAGE, "%s: unexpected argument '%s': this command takes one file of points%s",
                         a->command, a->words[command->most_sets], command->most_sets > 1 ? ", or two" : "");
    r->sets = a->word_count;
    for (int k = 0; k < r->sets; ++k) r->in[k] = a->words[k];
    return EXIT_OK;
}

/* ---- The command ---- */

void cli_metric_notes(void) {
    printf("\nmetrics (a, b: features of two points) and their parameters:\n");
    cli_metric_help();
}

static int with_json(cli *c, const cli_command *command, cli_request *r, const char *file, void *own) {
    cli_output json = {0};
    int code = file ? cli_output_open(&json, file, r->force) : EXIT_OK;
    if (code) return code;
    r->json = json.f;
    code = cli_work_run(c, r, command->run, own);
    int closed = code ? EXIT_OK : cli_output_close(&json, true);
    cli_output_drop(&json);
    return code ? code : closed;
}

int cli_command_run(cli *c, const cli_command *command, void *own, int argc, char **argv) {
    const char *values[command->count + argc + 1], *words[argc];
    cli_args a = {command->name, command->options, command->count, values, words, 0};
    cli_request r = {.command = command->name};
    int code = cli_parse(a.command, a.options, a.count, argc, argv, values, words, &a.word_count);
    if (code) return code;
    if (cli_given(&a, "--help")) {
        cli_help(a.command, command->intro, a.options, a.count, "");
        if (command->notes) command->notes();
        return EXIT_OK;
    }
    cli_userop op = {0};
    if (!(code = take_own(command, &a, &r, &op)) && !(code = take_inputs(command, &a, &r)) &&
        !(code = parse(c, command, &a, &r)) && !(code = command->parse_own(c, &a, &r, own)) &&
        !(code = check_files(&r, cli_given(&a, "--json"))) && !(code = check_fresh(&a, &r)) &&
        !(code = try_outputs(&r)))
        code = with_json(c, command, &r, cli_given(&a, "--json"), own);
    cli_userop_free(&op);
    return code;
}
