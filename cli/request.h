/* request.h: what the commands over pairs of points share: options, points, device, job, and what is said of them.
 *
 * A command is a table of options, a function that reads those of its own, and a function that does the work:
 * cli_command_run does everything before and after. Options are looked up by name, so a table has just those that the
 * command takes, in the order of its --help.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_REQUEST_H
#define WEDGE_CLI_REQUEST_H

#include "cli.h"
#include "engine/userop/facts.h"
#include "io/data/points.h"

enum { CLI_SETS = 2, CLI_OUTPUTS = 3, CLI_MOST_BOX = 64 };

/* What was typed. */
typedef struct {
    const char *command;
    const cli_option *options;
    int count;
    const char **values, **words; /* as cli_parse fills them */
    int word_count;
} cli_args;

/* The value of an option; NULL where it was not given, or the command has no such option. */
const char *cli_given(const cli_args *a, const char *name);

/* A finite number; `zero`: also 0. *value stays where the option was not given. Says what is wrong. */
int cli_positive(const cli_args *a, const char *option, bool zero, double *value);
int cli_number(const cli_args *a, const char *option, double *value); /* also below 0 */
int cli_whole(const cli_args *a, const char *option, uint64_t least, uint64_t most, uint64_t *value);

/* The file of a user's op, read (userop.c). */
typedef struct {
    const char *file;
    char *text, *name;
    op_def row;
    facts *facts;
} cli_userop;

/* Says what is wrong with it. Free it in any case. */
int cli_userop_read(const char *command, const char *file, cli_userop *own);
void cli_userop_free(cli_userop *own);

/* What a command over pairs was asked. */
typedef struct {
    const char *command;
    const char *in[CLI_SETS], *device;
    int sets;          /* files of points, one or two */
    const char *edges; /* a file beside them that is read; NULL: none */
    const char *out;   /* -o; NULL: none */
    struct {
        const char *option, *file;
        const char *what;   /* "distances": what goes there */
    } outputs[CLI_OUTPUTS]; /* all files that are written, -o first, but for --json */
    int output_count;
    points_options input;
    const cli_userop *userop; /* the user's op in place of a metric; NULL: none */
    cli_metric metric;
    wedge_job_spec pairs;     /* but for the points */
    double box[CLI_MOST_BOX]; /* --box as typed, or a length for each number of a point, from the cell of an input */
    int box_count;            /* 0: none */
    bool box_given;           /* --box, which may be none */
    bool takes_box;           /* without --box, the cell of an input (extended .xyz) is the box */
    const char *box_of;       /* the file whose cell it is, as messages call it; NULL: it was typed */
    uint64_t memory;          /* 0: the default */
    uint32_t shard, shards;
    bool force, resume, no_sync, dry_run;
    bool degrees;   /* points are latitudes and longitudes in degrees, and become radians as they are read */
    bool queries;   /* the first set is that of --queries, the second IN */
    bool diagonal;  /* of triplets: a point may come twice, or three times */
    bool at_end;    /* outputs are written at the end, in one go: --resume finds nothing in them */
    char separator; /* of an OUT that is text; 0: .npy */
    bool archive;   /* OUT is .npz */
    bool to_stdout; /* OUT is "-", as .npy or, with a separator, as text */
    FILE *json;     /* NULL: none */
} cli_request;

const op_def *cli_request_op(const cli_request *r); /* the metric, or the user's op */

const char *cli_request_out(const cli_request *r); /* OUT, for messages */

/* OUT is a text that a stopped run can go on with: binary first, see staged.h. */
bool cli_request_staged(const cli_request *r);

/* Adds a file that is written, unless it is NULL. Its ending must be .npy; with a separator it may be text, and *separator is
 * then that of the text, 0 for .npy. */
int cli_request_output(cli_request *r, const char *option, const char *file, const char *what, char *separator);

/* Points are records of this op, whose columns are found by their names. */
void cli_request_records(cli_request *r, const char *op);

/* A file of points. */
typedef struct {
    const char *file; /* as messages call it */
    uint64_t n;       /* its points, also when they are gone */
    points points;
    points_about about;
} cli_set;

/* Reads the files; they have equally many features and one kind of number. buffers: bytes of --memory that the points
 * leave. A failure is said; free the sets in any case. */
int cli_sets_read(cli *c, const cli_request *r, const wedge_device *dev, cli_set sets[CLI_SETS], uint64_t *buffers);
void cli_sets_free(cli_set sets[CLI_SETS]);

/* Everything that a run holds. */
typedef struct {
    cli *c;
    const cli_request *r;
    wedge_device *dev;
    cli_set sets[CLI_SETS];
    wedge_op *own_op; /* compiled; NULL: there is none, or not yet */
    wedge_job *job;
    const wedge_job_info *info;
    uint64_t d;
    uint64_t buffers;  /* bytes of host memory for results on their way */
    size_t size, cell; /* bytes per number, and per pair with all its values */
    double box[CLI_MOST_BOX];
    int box_count; /* its lengths, one per coordinate; 0: no box */
    cli_progress progress;
    double start;
} cli_work;

/* The device of --device. Where a user's op needs a C compiler that is not there, OpenCL on the same cpu takes its place, and that is said. */
int cli_userop_device(cli *c, const cli_request *r, wedge_device **dev);

/* Compiles the user's op for the points that were read, once. */
int cli_userop_compile(cli_work *w);

const op_def *cli_work_op(const cli_work *w, const char *name); /* that op, or the one of this name */

/* Opens the device, reads the points, runs the command, and frees what it holds. */
int cli_work_run(cli *c, cli_request *r, int (*run)(cli_work *w, void *own), void *own);

/* Makes the job of these pairs with the points that were read. Once, or again in place of the one before. */
int cli_work_job(cli_work *w, const wedge_job_spec *pairs);
void cli_work_drop_points(cli_work *w); /* the job has its own */

/* Without --box: the periodic cell of the inputs, where they have one. Refuses one that is no box. */
int cli_box_of_inputs(const cli_work *w, cli_request *r);
void cli_box_say(const cli_work *w);            /* which cell is used, and which is not */
const char *cli_box_name(const cli_request *r); /* for messages: "--box", "Lattice" */

/* --box for the points at hand: a length for each number of a point, 0 for those that are no coordinates. *box: where
 * they are, NULL without --box. w->box gets those of coordinates. */
int cli_box_lengths(cli_work *w, const char *op, double lengths[CLI_MOST_BOX], const double **box);

/* The text with a line "box 1 2 0" where there is one; takes it over, and NULL is NULL. */
char *cli_box_text(const cli_work *w, const double lengths[CLI_MOST_BOX], char *text);

/* Refuses a box (pairs->box, NULL: none) less than twice the radius that was given, as the dtype has it. */
int cli_box_check(const cli_work *w, const wedge_job_spec *pairs, double given);

/* One set, two, or triplets, for sinks that add up. */
wedge_layout cli_work_layout(const cli_work *w);

/* Where slice k of K begins, k from 0: slices differ by one at most. */
uint64_t cli_slice_start(uint64_t all, uint64_t k, uint64_t slices);

/* The seconds that these pairs will take, with a sink that has so many entries for each row: w->job over all of its rows. */
typedef struct {
    double seconds, pairs; /* that are computed; those that pruning leaves out are not, where the device counts them */
} cli_estimate;
wedge_status cli_trial_rows(cli_work *w, const wedge_job_spec *pairs, uint64_t entries, cli_estimate *e);

/* For wedge_job_run and wedge_job_stream, with the work as user. */
bool cli_work_show(void *work, double done);

int cli_work_failed(const cli_work *w, wedge_status status, const char *message);
int cli_work_device_failed(const cli_work *w, wedge_status status); /* with the device's message */

const char *cli_work_dtype(const cli_work *w);
void cli_work_say_how(const cli_work *w, FILE *f);
void cli_work_say_inputs(const cli_work *w); /* to stderr: what was read */

/* "d.npy: 6 values, 176 bytes"; from a megabyte on also the time and the rate, which mean nothing for less. */
void cli_work_say_size(const cli_work *w, const char *file, uint64_t count, const char *one, uint64_t bytes,
                       double seconds);

/* The file of --json from its brace to the box; outcome: "done", or NULL where it is not known yet. Nothing without
 * --json. */
void cli_work_json(const cli_work *w, const char *outcome);

/* The lines of --dry-run: "size    6 pairs, 96 bytes" and what else is known. */
void cli_work_say_plan(const cli_work *w, uint64_t count, const char *one, uint64_t bytes, double seconds);

/* Lines that say what an output is computed from, to be freed; `more` are the command's own. NULL: no memory. */
char *cli_work_binding(const cli_work *w, const char *more);

/* Writes an array that is at hand as .npy, in one go. */
int cli_npy_write(const cli_work *w, const char *file, const char *type, unsigned rank, const uint64_t *shape,
                  const void *data, size_t bytes);

/* A command. */
typedef struct {
    const char *name;
    bool own_op;       /* its first word is the file of a user's op */
    const char *usage; /* "IN -o OUT.npy" */
    const char *intro;
    const cli_option *options;
    int count;
    void (*notes)(void); /* after the options; NULL: none */
    int most_sets;
    const char *what;    /* goes to -o: "distances" */
    const char *missing; /* said where there is no -o; NULL: it is not needed */
    bool text, archive;  /* -o may be text; .npz */
    int (*parse_own)(cli *c, const cli_args *a, cli_request *r, void *own); /* its own options */
    int (*run)(cli_work *w, void *own);
} cli_command;

int cli_command_run(cli *c, const cli_command *command, void *own, int argc, char **argv);

/* Those whose work `wedge run` does with a user's op, with what they keep of their own options. */
extern const cli_command edm_command, within_command, knn_command, histogram_command, summary_command;

typedef struct {
    const char *layout; /* its name */
} edm_request;

typedef struct {
    double radius;
    bool count;         /* only how many */
    const char *values; /* a .npy file, "-": beside the pairs in text; NULL: none */
    bool brute;
} cli_pairlist;

typedef struct {
    uint64_t k;
    const char *distances;
} knn_request;

typedef struct {
    double min, max;
    uint64_t bins;
    bool log, rdf, brute;
    const char *edges;
} histogram_request;

typedef struct {
    const char *rows;
} summary_request;

/* Options that several commands have. */
#define OPTION_METRIC                                                                                \
    {"--metric", "M", "a metric listed below; default euclidean"},                                   \
        {"--set", "NAME=VALUE...", "a parameter of the metric, such as sigma=0.5; may be repeated"}, \
        {"--p", "P", "the same as --set p=P, for minkowski: a number or inf; default 2"}, OPTION_DEGREES
#define OPTION_DEGREES \
    { "--degrees", NULL, "haversine: IN is in degrees, not radians; distances are still arcs in radians times radius" }
#define OPTION_COLUMNS                                                                                  \
    {"--columns", "C", "columns of IN, by name or by number from 1: x,y or 2:4; default: all"}, {       \
        "--dtype", "T", "f32 or f64 (float32, float64); default: as IN (f16: f32; text, integers: f64)" \
    }
#define OPTION_MEMORY \
    { "--memory", "BYTES", "limit on host memory, such as 500M; default 4G, or half of what is free" }
#define OPTION_NAN \
    { "--nan", "RULE", "NaN or infinity in IN: error (default), or propagate" }
#define OPTION_DEVICE \
    { "--device", "D", "a device listed by wedge devices; default: the best one" }
#define OPTION_RUN                                                                                  \
    {"--threads", "T", "threads of the cpu device"}, {"--quiet", NULL, "print nothing but errors"}, \
        {"--verbose", NULL, "also print device, map and tile"},                                     \
        {"--json", "[=FILE]", "write what was done, and the time it took, as JSON"}, {              \
        "--help", NULL, "this text"                                                                 \
    }
#define OPTION_RESUME                                                                                \
    {"--resume", NULL, "continue a stopped run; text output: only if that run had --resume, too"},   \
        {"--no-sync", NULL, "do not wait for the disk: a power cut can then leave a damaged OUT"}, { \
        "--shard", "k/K", "compute slice k of K only; K processes together fill OUT"                 \
    }
#define OPTION_DRY_RUN \
    { "--dry-run", NULL, "print size, memory, time and device; write nothing" }
#define OPTION_FORMAT \
    { "--format", "F", "write the result to standard output, as -o - does: npy, csv or tsv" }
#define OPTION_FORCE \
    { "--force", NULL, "overwrite files that exist" }
#define OPTION_BOX                                                                                           \
    {                                                                                                        \
        "--box", "L[,L..]",                                                                                  \
            "periodic box: one length, or one per coordinate; 0: not periodic in this one; none: open space" \
    }
#define OPTION_BRUTE \
    { "--brute", NULL, "compute every pair, also those that are surely too far apart" }

#define OPTION_COUNT(options) ((int)(sizeof(options) / sizeof *(options)))

void cli_metric_notes(void); /* the metrics, for cli_command.notes */

#endif
