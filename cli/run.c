/* run.c: `wedge run`, a function of the user's own over all pairs or triplets.
 *
 * The file of the op comes first; what becomes of its values, --sink, is the work of the command that does the same with a metric: this is
 * that command, with its options and another name. It runs in a process of its own: code of the user's may crash, and then this one has a
 * word to say and an exit code.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "io/write/outfile.h"
#include "staged.h"

static const char intro[] =
    "examples:\n"
    "  wedge run examples/lj.h examples/atoms.xyz --sink summary  sum, extremes\n"
    "  wedge run lj.h atoms.npy -o e.npy                   all values, SciPy's order\n"
    "  wedge run lj.h atoms.npy --sink select --radius -0.5 -o bound.csv --values -\n"
    "  wedge run clark.h p.npy --sink nearest -k 3 -o i.npy\n"
    "  wedge run clark.h p.npy q.npy --sink histogram --max 2 --bins 20 -o h.npy\n"
    "  wedge run coulomb.h ions.csv --set k=14.4 --set soft=0.1 --sink summary\n"
    "\n"
    "usage: wedge run MYOP.h IN [IN2] [--sink S] [--set NAME=VALUE] [-o OUT]\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--sink", "S", "what to do with the values: store (default), summary, histogram, select or nearest; see below"},
    {"--set", "NAME=VALUE...", "a parameter of the op, such as sigma=0.5; may be repeated"},
    {"-o", "OUT", "output file: OUT.npy, OUT.csv or OUT.tsv; store needs it"},
    {"--layout", "L", "store: condensed (SciPy's, default), packed or square"},
    {"--diagonal", NULL, "op of three points: also triplets that have a point twice or three times"},
    {"--radius", "R", "select: pairs, or triplets, with a value of at most R"},
    {"--values", "V", "select: the values, too: V.npy beside OUT.npy; - beside the pairs in text"},
    {"--id", "COLUMN", "select, nearest: column with the points' names; text lists them instead of numbers"},
    {"--count", NULL, "select: print \"pairs: P\" (or \"triplets: P\"), and no list"},
    {"--brute", NULL, "select, histogram: compute every pair, also those that are surely too far apart"},
    {"-k", "K", "nearest: neighbours per point, 1 to 1024"},
    {"--distances", "D", "nearest: the values, too: D.npy beside OUT.npy; - in text"},
    {"--max", "R", "histogram: the last bin edge"},
    {"--bins", "B", "histogram: number of bins"},
    {"--min", "R0", "histogram: the first bin edge; default 0"},
    {"--log", NULL, "histogram: bins in geometric progression; needs --min above 0"},
    {"--edges", "FILE", "histogram: file of bin edges, instead of the options above"},
    OPTION_BOX,
    {"--degrees", NULL, "op of angles (OP_ANGLES): IN is in degrees, not radians"},
    OPTION_COLUMNS,
    OPTION_FORMAT,
    OPTION_MEMORY,
    OPTION_FORCE,
    OPTION_RESUME,
    OPTION_NAN,
    OPTION_DRY_RUN,
    OPTION_DEVICE,
    OPTION_RUN,
};

static void print_notes(void) {
    cli_note(
        "MYOP.h is C as docs/add-an-op.md describes it. It defines the value of a pair feature by feature (op_step, "
        "op_finish), of a pair of small records (op_pair), or of three points (op_side, op_triple). docs/run.md shows "
        "how.");
    cli_note(
        "store: all values; OUT as of wedge edm. summary: count, sum, mean, smallest and largest value with their "
        "points. "
        "histogram: how many values fall into each bin. select: the pairs with a value of at most R. nearest: the K "
        "smallest values of each row. If the op gives several values per pair, sinks that compare use the first.");
    cli_note(
        "An op of three points has a value for each triplet i > j > k. store puts it at i(i-1)(i-2)/6 + j(j-1)/2 + k; "
        "select lists i, j and k, in that order; nearest is for pairs only. With --diagonal there is a value for each "
        "i >= j >= k, at i(i+1)(i+2)/6 + j(j+1)/2 + k.");
    cli_note(
        "If the op names its columns (OP_COLUMNS) and IN has a header, columns are found by name. For the cpu, the op "
        "is compiled once for this processor, by CC or else cc, gcc or clang, and kept in the cache. If there is no C "
        "compiler, an OpenCL device on the cpu is used instead.");
}

/* ---- Sinks ---- */

typedef union {
    edm_request store;
    cli_pairlist select;
    knn_request nearest;
    histogram_request histogram;
    summary_request summary;
} sink_request;

/* what: the options that only this sink has. */
static const struct {
    const char *name;
    const cli_command *command;
    const char *what[8];
    bool triples, resumes;
} sinks[] = {
    {"store", &edm_command, {"--layout"}, true, true},
    {"summary", &summary_command, {NULL}, true, false},
    {"histogram", &histogram_command, {"--max", "--bins", "--min", "--log", "--edges", "--brute"}, true, false},
    {"select", &within_command, {"--radius", "--values", "--id", "--count", "--brute"}, true, true},
    {"nearest", &knn_command, {"-k", "--distances", "--id"}, false, true},
};
enum { SINKS = sizeof sinks / sizeof *sinks };

static const char *sink_name(const void *none, int k) {
    (void)none;
    return k < SINKS ? sinks[k].name : NULL;
}

static bool has(int sink, const char *option) {
    for (int k = 0; k < 8 && sinks[sink].what[k]; ++k)
        if (!strcmp(sinks[sink].what[k], option)) return true;
    return false;
}

/* Refuses options that belong to other sinks. */
static int check_options(const cli_args *a, int sink) {
    static const char *const large[] = {"--resume", "--no-sync", "--shard", "--dry-run"};
    for (int s = 0; s < SINKS; ++s)
        for (int k = 0; k < 8 && sinks[s].what[k]; ++k)
            if (cli_given(a, sinks[s].what[k]) && !has(sink, sinks[s].what[k]))
                return cli_error(EXIT_USAGE, "run: %s is for --sink %s", sinks[s].what[k], sinks[s].name);
    for (int k = 0; k < 4 && !sinks[sink].resumes; ++k)
        if (cli_given(a, large[k]))
            return cli_error(EXIT_USAGE, "run: %s is for --sink store, select or nearest", large[k]);
    return EXIT_OK;
}

static int sink_asked(const cli_args *a) {
    const char *name = cli_given(a, "--sink");
    int sink = 0;
    while (sink < SINKS && name && strcmp(name, sinks[sink].name)) ++sink;
    return sink;
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    int sink = sink_asked(a);
    bool triples = r->userop->row.info.points == 3;
    if (triples && !sinks[sink].triples)
        return cli_error(EXIT_USAGE,
                         "run: %s is an op of three points: use --sink store, select, summary or histogram, not %s",
                         r->userop->file, sinks[sink].name);
    r->diagonal = cli_given(a, "--diagonal") != NULL;
    r->takes_box = !triples;
    if (!triples && r->diagonal)
        return cli_error(EXIT_USAGE,
                         "run: --diagonal is for ops of three points; for pairs, use --sink store --layout packed");
    if (triples && r->box_count)
        return cli_error(EXIT_USAGE, "run: %s is an op of three points: leave out --box, which is for pairs",
                         r->userop->file);
    if (triples && r->sets > 1)
        return cli_error(EXIT_USAGE, "run: %s is an op of three points, which takes one file of points: leave out IN2",
                         r->userop->file);
    return sinks[sink].command->parse_own(c, a, r, own);
}

static int work(cli *c, const cli_args *a, int argc, char **argv) {
    int code, sink = sink_asked(a);
    if (sink == SINKS) return cli_unknown("run: no sink", cli_given(a, "--sink"), sink_name, NULL);
    if (!cli_given(a, "--help") && (code = check_options(a, sink))) return code;
    cli_command command = *sinks[sink].command;
    command.name = "run", command.usage = "MYOP.h IN -o OUT.npy", command.intro = intro, command.notes = print_notes;
    command.options = options, command.count = OPTION_COUNT(options);
    command.own_op = true, command.most_sets = 2, command.text = true;
    command.parse_own = parse_own;
    sink_request own;
    memset(&own, 0, sizeof own);
    return cli_command_run(c, &command, &own, argc, argv);
}

/* ---- A process of its own ---- */

enum {
    PATIENCE = 5,               /* seconds that an op has to come back in once it was asked to stop */
    CLOSED_PIPE = 128 + SIGPIPE /* as shells say it */
};

static volatile sig_atomic_t worker, gave_up;

/* Set by the worker when its work is done: an op may end the process, with any code. */
typedef volatile bool done_flag;

/* What the terminal sends reaches both processes; what another process sends, only this one. */
static void pass_on(int signal, siginfo_t *about, void *context) {
    int before = errno;
    (void)context;
    if (about->si_code <= 0 && worker > 0) kill((pid_t)worker, signal);
    alarm(PATIENCE);
    errno = before;
}

/* An op that loops for ever never looks whether it is to stop. */
static void give_up(int signal) {
    int before = errno;
    (void)signal;
    gave_up = 1;
    if (worker > 0) kill((pid_t)worker, SIGKILL);
    errno = before;
}

static void pass_signals(pid_t child) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, was;
    worker = child;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = give_up, .sa_flags = SA_RESTART}, NULL);
    for (int k = 0; k < 3; ++k)
        if (!sigaction(signals[k], NULL, &was) && was.sa_handler != SIG_IGN) sigaction(signals[k], &action, NULL);
}

/* *crashed: the op's doing; *cut: it ended before it could tidy up. */
static int end_of(pid_t child, const done_flag *done, bool *crashed, bool *cut) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cli_error(EXIT_RUN, "run: cannot find out how the op ended: %s", strerror(errno));
    worker = 0;
    if (WIFEXITED(status) && *done) return WEXITSTATUS(status);
    *cut = *crashed = true;
    if (WIFEXITED(status))
        return cli_error(EXIT_RUN, "run: the op ended the program, with exit code %d; no output was written",
                         WEXITSTATUS(status));
    int end = WTERMSIG(status);
    *crashed = end != SIGINT && end != SIGTERM && end != SIGHUP && end != SIGKILL && end != SIGPIPE;
    if (end == SIGPIPE) return CLOSED_PIPE;
    if (end == SIGKILL && gave_up)
        return cli_error(EXIT_STOPPED,
                         "run: stopped before the end: the op did not return within %d s; does it loop forever?",
                         PATIENCE);
    if (end == SIGINT || end == SIGTERM || end == SIGHUP) return cli_error(EXIT_STOPPED, "run: stopped before the end");
    if (end == SIGKILL)
        return cli_error(EXIT_RUN, "run: killed before the end; did memory run out? No output was written");
    return cli_error(EXIT_RUN,
                     "run: the op crashed (%s); no output was written. Does it read or write beyond a[q.numbers - 1], "
                     "row[d - 1] or v[OP_VALUES - 1], or divide a whole number by 0?",
                     strsignal(end));
}

/* What the worker left beside its outputs. Where the op crashed, no other run goes on from what it had done: the next one has
 * another op. */
static void tidy_up(const cli_args *a, bool crashed) {
    static const char *const outputs[] = {"-o", "--values", "--distances", "--rows", "--json"};
    const char *shard = cli_given(a, "--shard");
    unsigned k = 1, all = 1;
    if (shard && sscanf(shard, "%u/%u", &k, &all) != 2) return;
    for (int o = 0; o < 5; ++o) {
        const char *file = cli_given(a, outputs[o]);
        if (!file || !*file || !strcmp(file, "-")) continue;
        outfile_clear(file, k, all, crashed);
        cli_part_clear(file);
        if (!o) cli_staged_clear(file, crashed);
    }
}

static int watch(pid_t child, const done_flag *done, const cli_args *a) {
    bool crashed = false, cut = false;
    pass_signals(child);
    int code = end_of(child, done, &crashed, &cut);
    if (cut) tidy_up(a, crashed);
    if (code == CLOSED_PIPE) raise(SIGPIPE); /* ends without a word, as commands without a worker do */
    return code;
}

int cmd_run(cli *c, int argc, char **argv) {
    const char *values[OPTION_COUNT(options) + argc + 1], *words[argc];
    cli_args a = {"run", options, OPTION_COUNT(options), values, words, 0};
    int code = cli_parse(a.command, a.options, a.count, argc, argv, values, words, &a.word_count);
    if (code) return code;
    done_flag *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (done == MAP_FAILED) return cli_error(EXIT_SPACE, "run: no memory to watch a process with");
    pid_t parent = getpid(), child = fork();
    if (child < 0) return cli_error(EXIT_RUN, "run: cannot start a process: %s", strerror(errno));
    if (child) return watch(child, done, &a);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_STOPPED);
#else
    (void)parent;
#endif
    code = work(c, &a, argc, argv);
    *done = true;
    munmap((void *)done, sizeof *done);
    return code;
}
