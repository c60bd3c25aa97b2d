/* cli.h: what every command of `wedge` shares: its options, its errors, its exit codes.
 *
 * Data goes to stdout, everything else to stderr. A command is one function in one file and one row in main.c's table.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_H
#define WEDGE_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/printable.h"
#include "io/data/points.h"
#include "ops/ops.h"
#include "wedge/wedge.h"

typedef struct {
    wedge_context *ctx;
    bool quiet, verbose;
} cli; /* what every command gets */

/* Not the C library's EXIT_SUCCESS and EXIT_FAILURE: scripts tell these apart. */
enum { EXIT_OK = 0, EXIT_RUN = 1, EXIT_USAGE = 2, EXIT_DATA = 3, EXIT_DEVICE = 4, EXIT_SPACE = 5, EXIT_STOPPED = 6 };

typedef struct {
    const char *name; /* "--strict" */
    const char
        *value_name;  /* NULL: a flag; "[=FILE]": a value that may be left out, joined by "="; "V...": the option may be
                             * given several times, at most one such option per command */
    const char *help; /* NULL: another name of an option, which --help leaves out */
} cli_option;

/* Parses argv[1..]: options of the table in any order, "--name value" or "--name=value", of one letter also "-k5"; "--" ends them; the rest are
 * positionals (room for argc of them). values[k] is NULL where option k is absent, "" for a flag. A number may begin
 * with "-". Where an option repeats, values has room for count + argc of them, and all that were given for it lie at
 * values[count] and on, in order, NULL after the last. Returns EXIT_OK, or EXIT_USAGE after saying what is wrong and which
 * option was probably meant. */
int cli_parse(const char *command, const cli_option *options, int count, int argc, char **argv, const char **values,
              const char **positionals, int *positional_count);

/* Prints --help: what the command does, in one line; the intro, which starts with examples; the options, wrapped to 80
 * columns; the notes. */
void cli_help(const char *command, const char *intro, const cli_option *options, int count, const char *notes);
const char *cli_summary(const char *command); /* that line */

/* The words of a text, from column `at` on, in lines of 80 columns; each line after the first is indented. */
void cli_wrap(FILE *out, const char *text, int at, int indent);

/* A paragraph of --help, after an empty line. */
void cli_note(const char *text);

/* A word that is none of those there are: "wedge: WHAT 'typed'; did you mean 'word'?", or a list of them where none is
 * close. word(from, k) is the k-th, NULL after the last. Returns EXIT_USAGE. */
int cli_unknown(const char *what, const char *typed, const char *(*word)(const void *from, int k), const void *from);

/* To stderr, with what a terminal would obey as \xNN: for all messages that hold text of others, such as names of files. On
 * a terminal a line ends between words, within 80 columns; elsewhere a message is one line, for those who search it. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says "wedge: ..." and a newline, and returns code. */
int cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole number: 65536, 1_000_000, 2^24. False if it is not one or passes 64 bits. */
bool cli_u64(const char *text, uint64_t *value);

/* A number of bytes: 500M, 1.5G, 4GiB; K, M, G, T are powers of 1024. */
bool cli_bytes(const char *text, uint64_t *value);

/* --dim, also called --rank: 2 (the default, NULL) or 3. Returns an exit code, after saying what is wrong. */
int cli_dim(const char *command, const char *dim, const char *rank, int *value);

/* A metric and the parameters given for it, to be checked by the library once more. */
typedef struct {
    const wedge_op_info *op;
    wedge_parameter parameters[16]; /* MOST_PARAMETERS */
    size_t count;
} cli_metric;

/* metric, p: values of --metric and --p, NULL where absent; sets: those of --set, NULL after the last. Returns an exit code,
 * after saying what is wrong. cli_metric_set: the same of an op that is known. */
int cli_metric_parse(const char *command, const char *metric, const char *p, const char *const *sets, cli_metric *m);
int cli_metric_set(const char *command, const op_def *op, const char *p, const char *const *sets, cli_metric *m);
void cli_metric_help(void); /* all metrics with formula and parameters, one per line */

int cli_exit_code(wedge_status status);

/* Says why a command ends; its exit code. */
int cli_failed(const char *command, wedge_status status, const char *message);

/* Opens --device (NULL: auto); says why where it cannot, and then *dev is NULL. */
int cli_open_device(cli *c, const char *id, wedge_device **dev);

/* Closes it; with --verbose says what it went without. */
void cli_close_device(const cli *c, wedge_device *dev);

/* From here on Ctrl-C, SIGTERM and SIGHUP only ask: a long command looks at cli_stop_asked and ends in order. */
void cli_catch_stops(void);
bool cli_stop_asked(void);

/* A bar with rate and time left on a terminal; elsewhere a line every ten seconds. Pass cli_progress_show as wedge_progress with a cli_progress as
 * user; it stops the work once a signal has asked for that. End it with cli_progress_end. */
typedef struct {
    const char *what;
    double start, shown;
    double bytes;  /* that are all of it; 0: no rate is shown */
    double budget; /* seconds that the work may take at most; 0: the time left is worked out from what is done */
    double plain;  /* seconds between plain lines; 0: there are none */
    bool on;
} cli_progress;

void cli_progress_begin(cli_progress *p, const cli *c, const char *what);
bool cli_progress_show(void *p, double done);        /* five times per second at most */
void cli_progress_say(cli_progress *p, double done); /* at once: something new begins */
void cli_progress_end(cli_progress *p);

/* JSON by hand; strings are text_write_json's (core/printable.h). */
void cli_json_number(FILE *f, const char *before, double value); /* null for what JSON has no number for */

/* What was taken of an input (columns are counted from 1): a warning to stderr if there is one; the words of
 * points_describe and a newline; members of a JSON object, without braces. */
void cli_input_warn(const cli *c, const points_about *a);
void cli_input_say(FILE *f, const points_about *a);
void cli_input_json(FILE *f, const points_about *a);

/* A file that a command writes. It is opened beside its place, as FILE.XXXXXX.part, so that what cannot be written is known
 * before the work, and renamed to FILE when complete; "" and "-" are standard output. An existing FILE is refused without
 * force (EXIT_USAGE). What killed commands left is removed at the next open: parts that carry our mark and that no
 * process holds. close says what went wrong, also where the writer was not `good`; drop leaves no trace. Both may be
 * called on a zeroed one. */
typedef struct {
    FILE *f;
    const char *file;
    char *place; /* where it goes in the end: file, or what it links to */
    char *part;  /* NULL: standard output */
    bool force;
} cli_output;

/* Says that `what` ("standard output") cannot be written, why (an errno) and what to do; its exit code. */
int cli_write_failed(const char *what, int error);
int cli_write_error(FILE *f); /* what went wrong, if a write did; 0: nothing */

/* The parts themselves. open: a fresh file beside `place`, of this user alone, locked and marked; *part is its name, to be
 * freed. -1: errno. done: it is in its place. clear: removes what killed commands left beside `place`. */
int cli_part_open(const char *place, char **part);
void cli_part_done(int fd);
void cli_part_clear(const char *place);

int cli_output_open(cli_output *o, const char *file, bool force);
int cli_output_close(cli_output *o, bool good);
void cli_output_drop(cli_output *o);

int cmd_devices(cli *c, int argc, char **argv);
int cmd_map(cli *c, int argc, char **argv);
int cmd_certify(cli *c, int argc, char **argv);
int cmd_bench(cli *c, int argc, char **argv);
int cmd_report(cli *c, int argc, char **argv);
int cmd_tune(cli *c, int argc, char **argv);
int cmd_edm(cli *c, int argc, char **argv);
int cmd_within(cli *c, int argc, char **argv);
int cmd_knn(cli *c, int argc, char **argv);
int cmd_histogram(cli *c, int argc, char **argv);
int cmd_summary(cli *c, int argc, char **argv);
int cmd_collide(cli *c, int argc, char **argv);
int cmd_nbody(cli *c, int argc, char **argv);
int cmd_triplets(cli *c, int argc, char **argv);
int cmd_run(cli *c, int argc, char **argv);

#endif
