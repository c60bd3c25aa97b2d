/* lab.h: how an experiment is run: what it is, what it needs, and the steps from a device to timed rows.
 *
 *   experiments.c  the table: one row an experiment
 *   engine.c       the engine as a row beside the maps
 *   sinks.c        the engine's sinks as rows beside each other (verify_sinks.c: against plain loops)
 *   tasks.c        what users ask for, from points on the device to the result there (verify_tasks.c, truth.h)
 *   native.c       the same experiments on the host's cores, tile by tile
 *   maps.c         the lab's own maps, beside those of the table
 *   verify.c       coverage and values, before anything is timed
 *   measure.c      rounds, repeats, stop rules
 *   ceilings.c     what the device can do at most (peaks.c: the cpu's arithmetic)
 *   resident.c     how many blocks it holds at once
 *   energy.c       what each row takes of the device's energy counter, where there is one
 *   lab.c          the loop over sizes, blocks and maps
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_LAB_H
#define WEDGE_BENCH_LAB_H

#include "backend/backend.h"
#include "bench/result.h"
#include "core/clock.h"
#include "core/maps.h"

typedef struct {
    float x, y, z, w;
} point4;

/* What kernels and native tiles work on. */
typedef struct {
    const uint32_t *table; /* lut's, host copy */
    const point4 *in;
    void *out;
    uint32_t side;
    bool check; /* the dummy writes to each cell's own place */
} native_data;

/* What the engine is asked for, as the row "engine" of an experiment. */
typedef struct {
    const char *op; /* of what verification knows: euclidean, cityblock, spheres, gravity */
    wedge_layout layout;
    wedge_dtype dtype;
    uint32_t d;
    bool native; /* on the cpu alone */
} engine_wish;

/* One row of a group of sinks or of tasks. A list of these ends with a NULL name; of sinks `store` comes first: they are
 * compared with it. */
typedef struct {
    const char *name; /* of the row: "histogram-log", "pruned" */
    const char *sink;
    bool within;                   /* takes a radius, chosen so that a point has some fifty neighbours */
    wedge_parameter parameters[4]; /* others, up to the first without a name */
    bool pruned;                   /* leaves out tiles that cannot matter; else every pair is computed */
    const engine_wish *engine;     /* a task's own op and layout; NULL: the experiment's */
    wedge_parameter of_op;         /* one of the op's parameters; no name: none */
    uint64_t most;                 /* points, with which it is still run; 0: any number */
    double cutoff;                 /* of triplets, as a share of the box; 0: none */
} sink_wish;

/* A map of the lab's own. */
typedef struct {
    map_row row;
    const char *settings; /* lines before an experiment's text */
    bool gpu;             /* the same as another one natively: left out there */
} lab_map;

enum { LAB_MAPS = 2 };
const char *lab_map_name(int index); /* NULL: no more */
lab_map lab_map_make(int index);

typedef struct experiment {
    const char *name, *variant;
    int rank;
    bool strict;
    const char *summary;
    const char *settings;                                       /* lines before the device text */
    const char *text;                                           /* device text, LAB_CELL and the like */
    void (*tile)(native_data *d, wedge_triple t, uint32_t rho); /* natively: the cells of a tile (rho 1: a cell) */
    double bytes, flops;                                        /* of useful work a cell */
    uint64_t (*out_bytes)(uint64_t side);
    bool distances, counts;  /* what verification compares */
    bool energies;           /* or these; points lie as many to a unit of volume as they are in a liquid */
    const char *const *maps; /* NULL: every map of the rank */
    const char *const *own;  /* maps of the lab's own beside them, by name; NULL: none */
    const engine_wish *engine;
    const sink_wish *sinks; /* NULL: the engine is one row, and stores */
    bool tasks;             /* each run is given the points anew, on the device, and leaves its result there */
    bool no_maps;           /* the engine's alone: its groups have rho 0, and no text or tile */
    uint64_t gpu_n, cpu_n;  /* how many points, where the user does not say; 0: as the command has it */
} experiment;

extern const experiment experiments[];
extern const int experiment_count;
extern const experiment cover2, cover3; /* verification's own */

/* One map of a group: its plan and its kernel; or the engine: its job. */
typedef struct {
    const wedge_map_info *map; /* NULL: the engine */
    wedge_plan plan;
    void *program, *kernel;
    buffer table;
    uint32_t *host_table;
    bench_row row;
    uint32_t resident; /* blocks of walk and its controls; 0: as many as this kernel fills the device with */
    bool runs;         /* to be timed */
    const engine_wish *engine;
    const sink_wish *sink; /* NULL: the engine stores all of its result */
    wedge_job *job;
    void *points;    /* that it was given */
    void *list;      /* select, nearest: device memory */
    uint64_t room;   /* for so many entries */
    void *there;     /* of a task: points on the device */
    void *values;    /* the same: its result there, but for the list */
    char digest[33]; /* the same: of its whole result, once it was run to be verified */
} runner;

typedef struct {
    wedge_device *dev;
    void *queue;
    bench_result *result;
    double deadline;                           /* by clock_now */
    bool (*say)(void *user, const char *what); /* a group begins; NULL: goes on; false: stop */
    void *user;
    const char *map; /* at work, for `say`; NULL: none yet */
    double share;    /* of the groups that are done */
    lab_map own[LAB_MAPS];
    void *checks;               /* program of checks.h on a GPU */
    struct energy_meter *meter; /* NULL: nobody asked for energy */
    bool counting;              /* energy, in this group */
    struct covered {
        const wedge_map_info *map;
        uint64_t n;
        uint32_t rho;
        bool good;
    } * covered; /* what is known of coverage */
    int covered_count;
    uint64_t wrong_rows[32];   /* first wrong row by map index, 0: not asked yet */
    const experiment *hits_of; /* the last reference count, of this experiment and n */
    uint64_t hits_n, hits;
    bool hits_dense;
    struct cutoff_truth *within; /* truth.h: the last ones, of all pairs that are near each other */
    struct body_truth *bodies;   /* verify_bodies.c: and of bodies */
    struct atom_truth *atoms;    /* verify_atoms.c: and of atoms */
    uint64_t every_triplet;      /* so many are all verified; 0: as many as a host has time for */
    uint64_t cells_n;            /* the last n of which a map's energy of more triplets is known */
    double cells_energy;
} lab;

/* Buffers of one group. */
typedef struct {
    const experiment *experiment;
    uint64_t n;
    uint32_t rho;
    buffer in, out;
    point4 *points;
    bool check; /* verification's: the dummy kernel writes to each cell's own place */
} arena;

enum { MOST_SAMPLES = 60 }; /* of a row */

/* lab.c. Runs the groups of an experiment: adds rows to the result. ns and rhos: 0-terminated; maps: NULL for all,
 * else 0-terminated names. WEDGE_STOPPED when `say` said so. */
/* I, k, bound, share and who is best, for the rows of a group, bb first. */
void judge_group(const bench_result *result, bench_row *const *rows, int count);

#define LAB_SPENT "the budget is spent"
void skip_runner(runner *r, const char *cause, const char *why); /* the row is not run; cause: bench_row's */

/* Whether the caller wants to go on, and whether there is budget left. */
bool lab_wanted(const lab *l);
bool lab_in_budget(const lab *l);

wedge_status lab_open(lab *l, wedge_device *dev, bench_result *result, double budget);
void lab_close(lab *l);
typedef struct {
    const experiment *experiment;
    uint64_t n;
    uint32_t rho;
} group_wish;
wedge_status lab_run(lab *l, const group_wish *groups, int count, const char *const *maps);

/* measure.c */
wedge_status runner_prepare(lab *l, const arena *a, runner *r); /* plan is made; builds the kernel */
void runner_free(lab *l, runner *r);
wedge_status runner_launch(lab *l, const arena *a, runner *r); /* all launches of the map, once */
/* Seconds by the device's clock that the work takes, from when it is put into the queue until it is done. */
wedge_status lab_time(lab *l, wedge_status (*work)(lab *l, void *user), void *user, double *seconds);
wedge_status measure_group(lab *l, const arena *a, runner *runners, int count, double until);

/* What each row of a group takes, after it was timed: LAB_ENERGY seconds and more per row. */
#define LAB_ENERGY 0.5
wedge_status measure_energy(lab *l, const arena *a, runner *runners, int count);

/* verify.c. Sets row.verified, or row.status and row.remark. */
wedge_status verify_runner(lab *l, const arena *a, runner *r);

/* Runs `work` over [0, count) on all cores of the host, in parts of `grain`. */
wedge_status lab_on_cores(lab *l, native_task work, void *user, uint64_t count, uint64_t grain);

void fail_row(bench_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Words of the lower triangle of a side that still hold 0xFFFFFFFF, packed or in a square. */
wedge_status lab_unwritten(lab *l, const buffer *out, uint32_t side, uint32_t packed, uint64_t *left);

/* engine.c: what runner_prepare, runner_launch, runner_free and verify_runner do for the engine. */
wedge_status engine_prepare(lab *l, const arena *a, runner *r);
wedge_status engine_launch(lab *l, const arena *a, runner *r);
void engine_free(lab *l, runner *r);
wedge_status engine_verify(lab *l, const arena *a, runner *r);

void *engine_points(const engine_wish *w, uint64_t n); /* uniform in the unit box; malloc'd */
bool engine_spheres(const engine_wish *w);             /* the last feature is a radius, up to engine_largest */
double engine_largest(uint64_t n);                     /* so that a sphere touches some six others */

/* What verifies the engine has in common: values and how far they may be from the truth, relative. */
double engine_number(const void *numbers, wedge_dtype dtype, uint64_t k);
double engine_true_distance(const runner *r, uint64_t i, uint64_t j);
double engine_tolerance(const engine_wish *w);

/* sinks.c: the same for a group of sinks. */
double sinks_radius(uint64_t n, uint32_t d);                   /* so that a point has some fifty neighbours */
uint64_t sinks_bytes(const wedge_device *dev, uint64_t pairs); /* of the memory that `store` writes to */
void sinks_ask(const sink_wish *wish, wedge_parameter parameters[5], wedge_job_spec *pairs);
wedge_status sinks_ready(lab *l, const arena *a, runner *r); /* after the job was made */
wedge_status sinks_make_list(lab *l, runner *r);             /* select: room for exactly the pairs that there are */
wedge_status sinks_launch(lab *l, const arena *a, runner *r);
void sinks_free(lab *l, runner *r);
void sinks_add_how(bench_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool sinks_wait(const runner *r); /* a launch ends when its result is there: it is timed by the host's clock */

enum { LAB_BINS = 64, MOST_BODIES = 1 << 17, MOST_ATOMS = 10000 }; /* that can still be verified */
enum { LAB_UNIT = 20, LAB_SUMS = 65536 };                          /* of energies, as bench/device/atm.h has them */

/* What a run over some positions found. */
typedef struct {
    uint64_t count;                /* as wedge_result.count */
    uint64_t counts[LAB_BINS + 3]; /* histogram: bins, then below, above, NaN */
    wedge_summary summary;
} sink_answer;
wedge_status sinks_run(runner *r, uint64_t begin, uint64_t end, sink_answer *answer);

/* verify_sinks.c */
wedge_status sinks_verify(lab *l, const arena *a, runner *r);

/* tasks.c: the same for a group of tasks. */
wedge_status tasks_put_points(lab *l, const arena *a, runner *r); /* before the job is made */
wedge_status tasks_ready(lab *l, const arena *a, runner *r);      /* after that */
wedge_status tasks_run(runner *r, uint64_t *count);
void tasks_free(lab *l, runner *r);
double tasks_seconds(const lab *l, const runner *r, uint64_t n); /* that a run may take, where nothing is known of it */

/* A task's whole result, on the host: malloc'd. */
typedef struct {
    uint64_t count; /* as wedge_result.count */
    size_t list_bytes, values_bytes;
    int64_t *list;
    void *values;
} task_answer;
wedge_status tasks_answer(lab *l, const arena *a, runner *r,
                          task_answer *answer); /* of a run, into memory that was poisoned */
void tasks_answer_free(task_answer *answer);

/* verify_tasks.c. What is wrong with an answer is the row's remark. */
wedge_status tasks_verify(lab *l, const arena *a, runner *r);
wedge_status tasks_check(lab *l, const arena *a, runner *r, const task_answer *answer);
void tasks_agree(runner *runners, int count); /* pruned or not, results are the same bytes: else neither is right */

/* verify_bodies.c: op gravity, against double precision; sinks scatter and summary. */
wedge_status bodies_check(lab *l, const arena *a, runner *r, const task_answer *answer);
void bodies_free(lab *l);

/* verify_atoms.c (and atoms.h): op axilrod_teller, and the lab's kernel of it, against double precision. */
wedge_status atoms_check(lab *l, const arena *a, runner *r, const task_answer *answer);
wedge_status atoms_verify(lab *l, const arena *a, runner *r);
void atoms_free(lab *l);
double atoms_box(uint64_t n); /* the side of the box that they lie in */

/* native.c */
void native_launch(wedge_device *dev, const experiment *e, const wedge_plan *plan, native_data *data);

/* resident.c: blocks of rho x rho threads per unit; 0 where the driver does not tell. */
wedge_status lab_resident(wedge_device *dev, uint32_t rho, uint32_t *blocks);

/* ceilings.c */
wedge_status measure_ceilings(lab *l);
wedge_status fill_beside(lab *l, buffer *out, double *seconds); /* one fill of a buffer, natively */

/* Reads a buffer and waits; builds the checks program once. */
wedge_status lab_read(lab *l, void *to, const buffer *from, size_t offset, size_t bytes);
wedge_status lab_sums(lab *l, const buffer *sums, uint64_t *total); /* of 65,536 counters */
wedge_status lab_checks(lab *l);

#endif
