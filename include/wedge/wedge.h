/* wedge/wedge.h: the host API of wedge, the only header a host program includes.
 *
 *     wedge_context *ctx;
 *     wedge_device *dev;
 *     if (wedge_context_create(&ctx)) return 1;
 *     if (wedge_device_open(ctx, "auto", &dev)) return puts(wedge_context_message(ctx)), 1;
 *
 *     wedge_pairs pairs = {.size = sizeof pairs};    // all pairs of n points with d features, in SciPy's order
 *     pairs.op = "euclidean", pairs.layout = WEDGE_CONDENSED, pairs.dtype = WEDGE_F32;
 *     pairs.n = n, pairs.d = d, pairs.points = points;
 *     wedge_job *job;
 *     wedge_result result = {.size = sizeof result};
 *
 *     // store: every distance
 *     if (wedge_job_create(dev, &pairs, &job)) return puts(wedge_device_message(dev)), 1;
 *     uint64_t cells = wedge_job_get_info(job)->cells;
 *     result.values = distances;    // cells floats
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     wedge_job_destroy(job);
 *
 *     // select: the pairs that are at most 0.5 apart. First how many, then which.
 *     wedge_parameter radius = {.name = "radius", .value = 0.5};
 *     pairs.sink = "select", pairs.sink_parameters = &radius, pairs.sink_parameter_count = 1;
 *     if (wedge_job_create(dev, &pairs, &job)) return puts(wedge_device_message(dev)), 1;
 *     result.values = NULL;
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     result.room = result.count, result.pairs = malloc(result.count * 2 * sizeof(int64_t));
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     wedge_job_destroy(job);
 *
 *     // summary: sum, smallest and largest distance
 *     wedge_summary summary;
 *     pairs.sink = "summary", pairs.sink_parameter_count = 0;
 *     if (wedge_job_create(dev, &pairs, &job)) return puts(wedge_device_message(dev)), 1;
 *     result.values = &summary;
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     wedge_job_destroy(job);
 *
 * Handles are opaque. Every call that can fail returns a wedge_status, 0 for success; what was wrong, where and what to
 * do is then the message of the handle (of the context where there is no handle yet). The library never prints,
 * exits or aborts and holds no global mutable state. Use a handle from one thread at a time; the devices of
 * one context may be used from different threads at once.
 *
 * A NULL handle or pointer where one is needed, a number that its enum does not have, a range that ends before it begins:
 * WEDGE_BAD_ARGUMENT, not a crash. Functions that return something else than a status then return NULL, "" or 0, and
 * those that destroy, close or free take NULL. A struct that the caller fills begins with its size, so that it can grow:
 * members that a program does not know are 0. After fork() the child makes handles of its own; closing those that it
 * inherited of the cpu device is safe, other devices' drivers allow less.
 *
 * Calls compute in the default floating-point environment on all threads: rounding to nearest, no traps, small numbers as they are.
 * The caller's environment, whatever it is, is as it was when they return: what they raise is in none of its flags. Callbacks run
 * in the default one. Numbers in texts and messages have a point in every locale.
 *
 * The maps themselves need no library: see map.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_WEDGE_H
#define WEDGE_WEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEDGE_API __attribute__((visibility("default")))
#else
#define WEDGE_API
#endif

#define WEDGE_VERSION_MAJOR 0
#define WEDGE_VERSION_MINOR 2
#define WEDGE_VERSION_PATCH 0

/* The version of the library at run time, "0.2.0". */
WEDGE_API const char *wedge_version(void);

/* ---- Status ---- */

typedef enum {
    WEDGE_OK = 0,
    WEDGE_FAILED,       /* something went wrong at run time; the message says what */
    WEDGE_BAD_ARGUMENT, /* a call with arguments that cannot be: an unknown map, n out of range */
    WEDGE_BAD_DATA,     /* input that cannot be used */
    WEDGE_NO_DEVICE,    /* no such device, or not reachable */
    WEDGE_UNSUPPORTED,  /* the device or its driver cannot do this */
    WEDGE_BUILD_FAILED, /* the device's compiler refused a kernel; the message carries its whole log */
    WEDGE_DEVICE_LOST,  /* the device stopped answering; close the handle */
    WEDGE_NO_MEMORY,    /* host or device memory ran out */
    WEDGE_NO_SPACE,     /* the disk is full */
    WEDGE_STOPPED,      /* the caller's progress callback asked to stop */
} wedge_status;

/* A short name, "out of memory". */
WEDGE_API const char *wedge_status_name(wedge_status status);

/* ---- Context: settings, and the libraries of the devices ---- */

typedef struct wedge_context wedge_context;

WEDGE_API wedge_status wedge_context_create(wedge_context **ctx);
WEDGE_API void wedge_context_destroy(wedge_context *ctx); /* close its devices first */

/* Why the last call on the context failed; "" if none did. Kept until the next failure. */
WEDGE_API const char *wedge_context_message(const wedge_context *ctx);

/* Settings. Each has an environment variable that is read when the context is created; a setter wins over it. Set them
 * before the first call that lists or opens devices. NULL or 0 means the default. */
typedef enum {
    WEDGE_SET_DEVICE,      /* WEDGE_DEVICE       what "auto" stands for */
    WEDGE_SET_CACHE_DIR,   /* WEDGE_CACHE_DIR    compiled kernels, tunings; "": none; default ~/.cache/wedge. Not used
                            *                    where other users can write: see wedge_device_remark */
    WEDGE_SET_NUM_THREADS, /* WEDGE_NUM_THREADS  threads of the cpu device; default: all cores */
    WEDGE_SET_NVRTC,       /* WEDGE_NVRTC        path of libnvrtc.so */
    WEDGE_SET_LIBCUDA,     /* WEDGE_LIBCUDA      path of libcuda.so */
    WEDGE_SET_LIBOPENCL,   /* WEDGE_LIBOPENCL    path of libOpenCL.so */
    WEDGE_SET_ISA,         /* WEDGE_ISA          instruction set of the cpu device: base, v3, v4; default: the best */
    WEDGE_SET_CC,          /* CC                 the C compiler for ops of your own on the cpu device, with its options;
                            *                    default: cc, gcc or clang, whichever PATH has */
    WEDGE_SET_CACHE_SIZE, /* WEDGE_CACHE_SIZE   most bytes of all kernels in the cache, as in 100M; default: 256M. Those that
                            *                    were used longest ago are removed */
    WEDGE_SET_PROBE, /* WEDGE_PROBE        a `wedge` command that is run to list OpenCL's devices, so that a driver that
                            *                    aborts does not end this program; default: they are asked here */
    WEDGE_SETTINGS
} wedge_setting;

WEDGE_API wedge_status wedge_context_set(wedge_context *ctx, wedge_setting setting, const char *value);
WEDGE_API const char *wedge_context_get(const wedge_context *ctx, wedge_setting setting); /* NULL: the default */

/* ---- Devices ---- */

typedef struct wedge_device wedge_device;

typedef struct {
    char id[32];          /* "cpu", "cuda:0", "opencl:1.0": what wedge_device_open takes */
    char name[128];       /* the vendor's name of it */
    char driver[160];     /* driver, platform and compiler, with versions */
    uint64_t memory;      /* bytes */
    uint32_t units;       /* multiprocessors, compute units or cores */
    uint32_t max_block;   /* threads of a block at most; 0 on the cpu */
    uint32_t max_grid[3]; /* blocks of a launch at most, by dimension; 0 on the cpu */
    bool has_double;
    bool is_gpu;
} wedge_device_info;

/* The devices that are there, in the order cpu, cuda, opencl. A missing library is no error: its devices are not
 * there. */
WEDGE_API wedge_status wedge_device_count(wedge_context *ctx, int *count);
WEDGE_API wedge_status wedge_device_at(wedge_context *ctx, int index, wedge_device_info *info);

/* Why a backend shows no device ("libcuda.so.1 not found"), or "" if it has some. backend: "cuda", "opencl". */
WEDGE_API const char *wedge_backend_remark(wedge_context *ctx, const char *backend);

/* Opens a device by id; "cuda" and "opencl" mean the first of them, "auto" (or NULL) what WEDGE_DEVICE says, else the
 * first GPU, else the cpu. The context must outlive the device. */
WEDGE_API wedge_status wedge_device_open(wedge_context *ctx, const char *id, wedge_device **dev);
WEDGE_API void wedge_device_close(wedge_device *dev);
WEDGE_API const wedge_device_info *wedge_device_get_info(const wedge_device *dev);
WEDGE_API const char *wedge_device_message(const wedge_device *dev);

/* What the device's own API needs to make memory, queues and streams that wedge can use. OpenCL: its cl_context and
 * cl_device_id; CUDA: the CUcontext, which is the primary one, and the CUdevice cast to a pointer. Both are good until the
 * device is closed. WEDGE_UNSUPPORTED on the cpu device. */
WEDGE_API wedge_status wedge_device_native(wedge_device *dev, void **context, void **device);

/* What the device went without and did its work all the same, with the remedy; "" if nothing. Today: compiled kernels and
 * tunings that were not loaded or kept. They are loaded only from files of the user's own in a folder that no one else can
 * write. */
WEDGE_API const char *wedge_device_remark(const wedge_device *dev);

/* ---- Maps: what a host must know to launch one ---- */

typedef enum { WEDGE_BLOCK_SPACE, WEDGE_THREAD_SPACE } wedge_space;

typedef struct {
    const char *name;
    int rank;              /* 2: triangle, 3: tetrahedron */
    wedge_space space;     /* a block finds its tile, or each thread its cell */
    bool exact;            /* everywhere up to largest_side; if not, it is one of the paper's maps as printed */
    bool ranges;           /* can take a part of the domain */
    uint64_t exact_rows;   /* of tiles (thread space: of cells), roots rounded correctly; largest_side if exact */
    uint64_t largest_side; /* tiles a side (thread space: cells a side) at most */
    const char *grid;      /* its grid, in words and formula */
    const char *launched;  /* threads launched, as a formula in m, rho and n */
    const char *summary;   /* one line */
} wedge_map_info;

/* Rows of the library's own table. A copy does as well: maps are known by name and rank. */
WEDGE_API int wedge_map_count(void);
WEDGE_API const wedge_map_info *wedge_map_at(int index);
WEDGE_API const wedge_map_info *wedge_map_find(const char *name, int rank); /* NULL: unknown */

/* A domain: the cells i >= j (>= k) of side n, or i > j (> k) where strict. */
typedef struct {
    int rank;
    bool strict;
    uint64_t n;
} wedge_domain;

/* Cells of a domain. WEDGE_BAD_ARGUMENT where they pass 2^64. */
WEDGE_API wedge_status wedge_domain_cells(const wedge_domain *domain, uint64_t *cells);

/* Positions w of cells, and cells of positions, `count` at a time: map.h's rank and unrank for bindings, which cannot
 * include a header. A cell is `rank` coordinates, the largest first. WEDGE_BAD_ARGUMENT for one outside of the domain. */
WEDGE_API wedge_status wedge_domain_rank(const wedge_domain *domain, const uint64_t *coordinates, size_t count,
                                         uint64_t *w);
WEDGE_API wedge_status wedge_domain_unrank(const wedge_domain *domain, const uint64_t *w, size_t count,
                                           uint64_t *coordinates);

/* One launch of a map: the grid to start, and what wedge's own device code needs to find a block's tile. In kernels of
 * your own call the map's function of map.h, with the block's index moved by base or x0, y0, z0. */
typedef struct {
    uint64_t base;       /* the first w of a one-dimensional grid */
    uint32_t m;          /* tiles a side (thread space: cells a side) */
    uint32_t x0, y0, z0; /* where this launch lies in the map's whole grid */
    uint32_t a, b;       /* the map's own */
    uint32_t grid[3];    /* blocks to launch */
} wedge_launch;

typedef struct {
    const wedge_map_info *map;
    wedge_domain domain;
    uint32_t rho;  /* a block has rho^rank threads */
    uint64_t side; /* of the full domain: strict(n) is full(n - rank + 1), moved by (1, 0) or (2, 1, 0) */
    uint64_t m;    /* tiles a side */
    uint64_t cells;
    uint64_t blocks;      /* of all launches */
    uint64_t tiles;       /* times a block takes a tile, or finds none: blocks, but for resident ones */
    uint64_t launched;    /* threads, by the map's formula */
    uint64_t wasted;      /* times a thread finds no cell, by formula */
    uint32_t table_words; /* of the lookup table that the map needs (lut), else 0 */
    size_t count;
    wedge_launch *launches;
} wedge_plan;

/* Limits of a device as a plan sees them; NULL or zeros mean CUDA's. */
typedef struct {
    uint32_t max_grid[3];
    uint32_t resident;   /* blocks for walk, bb-resident and rows; 0: 1,024 */
    uint64_t exact_rows; /* beyond it a map that is not exact is refused; 0: its own; UINT64_MAX: never, to measure */
} wedge_limits;

/* Plans the launches of a map over a domain in blocks of rho^rank threads; a grid beyond the limits is split. The
 * message for a refusal goes to ctx, which may be NULL. Free with wedge_plan_free. */
WEDGE_API wedge_status wedge_plan_make(wedge_context *ctx, const wedge_map_info *map, const wedge_domain *domain,
                                       uint32_t rho, const wedge_limits *limits, wedge_plan *plan);
WEDGE_API void wedge_plan_free(wedge_plan *plan); /* NULL is fine */

/* ---- Parameters of ops and sinks, by name ---- */

typedef struct {
    const char *name;
    double initial;        /* its value where none is given */
    const char *condition; /* what must hold, "p > 0"; "" where every number will do */
} wedge_parameter_info;

/* A value, or, for those that take a list (the edges of a histogram), `count` values. */
typedef struct {
    const char *name;
    double value;
    const double *values; /* NULL: one value */
    size_t count;
} wedge_parameter;

/* ---- Ops: what is computed for a pair of points ---- */

typedef enum { WEDGE_F32, WEDGE_F64 } wedge_dtype; /* of points and values */

typedef struct {
    const char *name; /* SciPy's, where it has one */
    const char *formula;
    bool zero_for_equals; /* equal points give exactly 0 */
    uint32_t record;      /* numbers of a point, where the op takes no other; 0: any number of features */
    uint32_t points;      /* of a cell: 2, or 3 for triplets (WEDGE_TRIPLES) */
    uint32_t values;      /* of a pair; where there are several, sinks that compare or count take the first */
    bool bounded;         /* it has a lower bound over boxes of points: jobs can leave out tiles (wedge_prune) */
    int parameter_count;
    const wedge_parameter_info *parameters;
    bool forces; /* of three points: scatter also gives forces */
    const char
        *columns; /* names of a point's numbers, "x,y?,z?,r|radius": ? may be missing, | another name; NULL: none */
} wedge_op_info;

/* Rows of the library's own table: those of two points. */
WEDGE_API int wedge_op_count(void);
WEDGE_API const wedge_op_info *wedge_op_at(int index);
WEDGE_API int wedge_triple_op_count(void); /* those of three points */
WEDGE_API const wedge_op_info *wedge_triple_op_at(int index);

/* Of two or three points, also by names that others have for it: "manhattan" is cityblock, "l2" euclidean. NULL: unknown. */
WEDGE_API const wedge_op_info *wedge_op_find(const char *name);

/* What to do in place of a metric that others have and wedge lacks, such as "mahalanobis". NULL: any other name. */
WEDGE_API const char *wedge_op_instead(const char *name);

/* ---- Ops of your own ---- */

typedef struct wedge_op wedge_op;

typedef struct {
    size_t size;              /* sizeof(wedge_op_options) */
    const char *name;         /* what messages and results call it; NULL: "own" */
    const char *file;         /* what compilers' messages call the text; NULL: "NAME.h" */
    const wedge_dtype *dtype; /* compile for this one alone; NULL: for all that the device has */
} wedge_op_options;

/* Compiles the text of an op, which is written as docs/add-an-op.md says, for this device: a fold or a direct op, of pairs or of
 * triplets. Jobs take it as wedge_pairs.own_op, and it must outlive them; the device must outlive it. What was compiled is
 * kept in the cache (WEDGE_SET_CACHE_DIR). options may be NULL; the text is copied.
 *
 * The cpu device needs a C compiler (WEDGE_SET_CC): WEDGE_UNSUPPORTED where there is none; a device of OpenCL on the same cpu, if there
 * is one, compiles by itself. WEDGE_BAD_DATA: the text says of itself what cannot be; WEDGE_BUILD_FAILED: a compiler refused it. Both
 * messages name file and line. The op runs in this process, with all that it may do. */
WEDGE_API wedge_status wedge_op_compile(wedge_device *dev, const char *text, const wedge_op_options *options,
                                        wedge_op **op);
WEDGE_API void wedge_op_destroy(wedge_op *op); /* NULL is fine */
WEDGE_API const wedge_op_info *wedge_op_get_info(const wedge_op *op);

/* ---- Sinks: what becomes of the values ---- */

typedef struct {
    const char *name;
    const char *summary; /* one line */
    int parameter_count;
    const wedge_parameter_info *parameters;
} wedge_sink_info;

/* Rows of the library's own table. */
WEDGE_API int wedge_sink_count(void);
WEDGE_API const wedge_sink_info *wedge_sink_at(int index);
WEDGE_API const wedge_sink_info *wedge_sink_find(const char *name); /* NULL: unknown */

/* ---- Jobs: an op over all pairs of n points ---- */

/* Where the value of a pair lies. Its position p is the one cursor of ranges. */
typedef enum {
    WEDGE_CONDENSED,      /* SciPy's: pairs a < b by rows, n(n-1)/2 of them */
    WEDGE_PACKED,         /* cells i >= j at i(i+1)/2 + j, n(n+1)/2 of them */
    WEDGE_SQUARE,         /* n rows of n, symmetric */
    WEDGE_LOWER,          /* n rows of n, of which only cells i >= j are computed and touched */
    WEDGE_RECTANGLE,      /* n rows of m: every point with every one of `others` */
    WEDGE_TRIPLES,        /* triplets a > b > c at C(a, 3) + C(b, 2) + c, C(n, 3) of them: for ops of three points */
    WEDGE_TRIPLES_PACKED, /* the same with diagonals: a >= b >= c at a(a+1)(a+2)/6 + b(b+1)/2 + c */
} wedge_layout;

/* Where memory is: a plain pointer; or memory of the device, from wedge_memory_create or the caller's own: a CUdeviceptr
 * of the device's primary context cast to a pointer, or a cl_mem of the context of wedge_device_native (on the cpu device
 * a plain pointer as well). Memory of another device or context, and a cl_mem that is too small, are refused. */
typedef enum { WEDGE_ON_HOST, WEDGE_ON_DEVICE } wedge_place;

/* Tiles whose pairs all lie beyond what the sink looks at (the radius of count, select and scatter, the last edge of a
 * histogram, what nearest has found already) are never run, if the op is bounded (wedge_op_info). The result is the same bytes. A job that does so (wedge_job_info.pruned)
 * puts the points in an order of its own: to count and histogram, and of triplets with a cutoff to summary, positions count in
 * that order, so a range is a share of the pairs, but not the same ones as without. Where shares are merged, ask for ALWAYS or
 * NEVER: AUTO depends on the device. */
typedef enum {
    WEDGE_PRUNE_AUTO,   /* where it is likely to pay */
    WEDGE_PRUNE_NEVER,  /* every pair is computed */
    WEDGE_PRUNE_ALWAYS, /* WEDGE_UNSUPPORTED where the op or the sink has no bound */
} wedge_prune;

/* Points are looked at when a job gets them. Could values, or what leads to them, pass the largest number of the dtype, then the job
 * is refused: WEDGE_BAD_DATA, and the message says how far they reach and what to do. A point's own NaN or infinity passes. */
typedef enum {
    WEDGE_OVERFLOW_REFUSED,
    WEDGE_OVERFLOW_ACCEPTED, /* such values become infinite, or NaN */
    WEDGE_OVERFLOW_UNSEEN,   /* accepted, and points in a device's memory are not even looked at: nothing waits for them */
} wedge_overflow;

/* A job as it is asked for.
 *
 * stream: on CUDA a CUstream of the primary context ((CUstream)1 is the default stream), on OpenCL a cl_command_queue that
 * runs commands in order, of the context of wedge_device_native; NULL on the cpu device. The job's work comes after what is
 * in the stream already, so points may still be on their way. Creating and renewing a
 * job whose points are in device memory with WEDGE_OVERFLOW_UNSEEN, and a run that stores into device memory and has no progress to tell, return as soon
 * as their work is in the stream: wait for the stream before using the values or changing the points elsewhere. Other calls
 * wait, as creating and renewing does where tiles are left out. The stream must outlive the job; wedge_job_destroy waits for it. */
typedef struct {
    size_t size;    /* sizeof(wedge_pairs) */
    const char *op; /* its name, "euclidean"; or see own_op */
    const wedge_parameter *parameters;
    size_t parameter_count;
    const char *sink; /* its name; NULL: "store" */
    const wedge_parameter *sink_parameters;
    size_t sink_parameter_count;
    wedge_layout layout;
    wedge_dtype dtype;      /* of points and values */
    uint64_t n, d;          /* points, features of a point */
    const void *points;     /* n rows of d numbers */
    wedge_place place;      /* of points and others */
    size_t points_offset;   /* bytes from `points` to the first number: OpenCL memory cannot be pointed into */
    uint64_t points_stride; /* numbers from one row to the next, d or more; 0: d. What lies between is not read */
    uint64_t m;             /* WEDGE_RECTANGLE: the columns' points */
    const void *others;     /* and where they are: m rows of d numbers */
    size_t others_offset;
    uint64_t others_stride;
    const char *map; /* "lambda" or "walk"; NULL: the fastest on this device. wedge_job_info.map: what runs */
    uint32_t tile;   /* cells per side; 0: likewise. Refused where the job cannot have it; the cpu device has none */
    void *stream;    /* the caller's, for all of the job's work; NULL: one of the job's own */
    wedge_prune prune;
    const double *box; /* d lengths of a periodic box, 0 where it is open: a difference t counts as the shortest of all
                        * t - k length. For the numbers of a bounded op that are coordinates, d up to 64. NULL: open */
    double cutoff;     /* of triplets: those with a side longer than this are left out; 0: none is. In a periodic box
                        * it must be given, and be less than a third of every length, both as the dtype has them. A side that is NaN is
                        * within none */
    const wedge_op *own_op; /* of wedge_op_compile and this device, in place of `op`, which is then NULL */
    wedge_overflow overflow;
} wedge_pairs;

enum { WEDGE_MOST_FEATURES = 1 << 20 }; /* of a point */

typedef struct wedge_job wedge_job;

typedef struct {
    uint64_t cells; /* positions, WEDGE_LOWER's untouched ones included */
    uint64_t bytes; /* of the whole result; 0 for select: it depends on the points */
    const char *op; /* what runs: minkowski with p = 2 is euclidean */
    const char *sink;
    const char *map;       /* "lambda", "walk"; "rows" where there is no triangle to map */
    uint32_t tile;         /* cells a side */
    const char *tuning;    /* where map and tile come from: "asked for", "measured here" (wedge_tune), "known device",
                            * "default"; the last of these that holds for one of the two. "native" on the cpu */
    const char *isa;       /* the cpu's instruction set, "" on other devices */
    uint64_t device_bytes; /* what the job holds on the device: points, and buffers that its runs made */
    uint64_t state_bytes;  /* of wedge_result.state; 0: the sink keeps none */
    const double *parameters;     /* of op, all of them, in its order */
    uint32_t values;              /* of a position, side by side: wedge_op_info.values of op */
    bool pruned;                  /* leaves out tiles that cannot matter (wedge_prune) */
    uint64_t computed;            /* pruned: cells of the tiles that runs have computed so far */
    const wedge_op_info *op_info; /* of what runs */
    bool scaled; /* in a form of the op that no sum on the way to a value takes out of the dtype's range; slower */
} wedge_job_info;

/* How many positions a layout has; m counts for WEDGE_RECTANGLE alone. WEDGE_BAD_ARGUMENT where its bytes pass 64 bits, or
 * n or m what the engine takes (2^29 - 1024); the message goes to ctx, which may be NULL. */
WEDGE_API wedge_status wedge_layout_cells(wedge_context *ctx, wedge_layout layout, uint64_t n, uint64_t m,
                                          wedge_dtype dtype, uint64_t *cells);

/* Copies the points to the device and prepares them. The device must outlive the job; what fails is told by
 * wedge_device_message. Numbers may be anything, NaN too, but for latitudes (haversine): one in host memory that lies beyond a pole,
 * as degrees do, is WEDGE_BAD_DATA. */
WEDGE_API wedge_status wedge_job_create(wedge_device *dev, const wedge_pairs *pairs, wedge_job **job);
WEDGE_API void wedge_job_destroy(wedge_job *job); /* NULL is fine */

/* Gives the job other points in place of those it has, for points that move: a new job would build its kernels again. There are as
 * many as before, with the same place, offsets and strides. others: for a rectangle, else NULL. After WEDGE_BAD_ARGUMENT, or
 * WEDGE_BAD_DATA, the job still has its points; after another failure it has none until it is renewed. */
WEDGE_API wedge_status wedge_job_renew(wedge_job *job, const void *points, const void *others);
WEDGE_API const wedge_job_info *wedge_job_get_info(const wedge_job *job);

/* Memory of a device, as wedge_pairs.points and wedge_job_run take it, for callers without an allocator of their own. Copies wait
 * until they are done. */
WEDGE_API wedge_status wedge_memory_create(wedge_device *dev, size_t bytes, void **memory);
WEDGE_API void wedge_memory_destroy(wedge_device *dev, void *memory); /* NULL is fine */
WEDGE_API wedge_status wedge_memory_write(wedge_device *dev, void *memory, size_t offset, const void *from,
                                          size_t bytes);
WEDGE_API wedge_status wedge_memory_read(wedge_device *dev, void *to, const void *memory, size_t offset, size_t bytes);

/* Called now and then with the share done (0..1); return false to stop. */
typedef bool (*wedge_progress)(void *user, double done);

/* The result of the sink `summary`. Without a single value, or with the parameter extremes = 0 (sums then cost less), min and
 * max are NaN. */
typedef struct {
    uint64_t count; /* values, NaN not counted */
    uint64_t nan;   /* values that are NaN */
    double sum;     /* see "Sums" above; NaN where nan > 0 */
    double min, max;
    uint64_t min_i, min_j, max_i, max_j; /* points of the first such cell, in order of position */
    uint64_t min_k, max_k;               /* and of triplets the third point */
} wedge_summary;

/* Where the result of a run goes.
 *
 *     sink        values                                             pairs                    count
 *     store       the values, position begin first                   -                        values
 *     count       uint64_t: cells with a value <= radius             -                        the same
 *     select      the values of the pairs, where wanted              int64_t (i, j) of each   pairs
 *       triplets  the values of the triplets, where wanted           int64_t (i, j, k)        triplets
 *     summary     a wedge_summary                                    -                        values
 *     histogram   uint64_t counts: bins, then below, above, NaN      -                        values within the edges
 *     nearest     the k smallest values of each row, in order        int64_t j of each        rows times k
 *     scatter     the sum of each row's values                       int64_t cells added up   rows
 *
 * A radius and edges are compared as the dtype has them, rounded to nearest; a radius and the outer edges stay finite where they are.
 * So a value that prints as 0.1 is within 0.1.
 *
 * Where the op has several values for a pair, store and select give all of them, side by side, and scatter adds up each of
 * them; the others take the first.
 *
 * select: pairs come sorted by i, then j. Where more are found than there is room for, the first `room` are written and the run
 * returns WEDGE_NO_MEMORY; with pairs and values NULL it only counts, and returns WEDGE_OK.
 *
 * select of triplets: three numbers a triplet, the largest first, in order of position, which is that of i, then j, then k. With a
 * cutoff only triplets that it leaves are listed; positions are still those of the caller's points. store has a value for every
 * triplet, and refuses a cutoff.
 *
 * nearest and scatter have a result for each row. They take the layouts WEDGE_SQUARE, in which a point is not paired with itself,
 * and WEDGE_RECTANGLE. Ranges are whole rows (wedge_job_boundary); where `room` is too small for them nothing is written, and
 * the run returns WEDGE_NO_MEMORY with the count that is needed.
 *
 * nearest: the smallest value first, of equal ones the smaller j. NaN is left out. Where a row has fewer than k, j is -1 and
 * the value infinity.
 *
 * scatter of triplets: each point gets the sum of its triplets' values, and of ops that say how their value changes with
 * the sides (wedge_op_info.forces) also the force on it, minus the gradient of that sum: 4 values a point, the last of
 * them 0 where points have fewer coordinates than three. count: triplets that it is in; one that has it twice or three times
 * counts once. The whole range of positions, no part of it.
 *
 * scatter: the force on each body (op gravity), or how many points are within a radius. Cells whose first value is above the
 * parameter radius are left out; NaN is not above it, and makes the sum NaN. Sums have the dtype.
 *
 * Sums, of summary and scatter: 32 values at a time (a leaf: columns of one row, the first of them a multiple of 32) are added in
 * the dtype. Leaves are added exactly for summary, in twice the precision for scatter, and the result is rounded once. A leaf is
 * off by at most 10 u times the sum of its magnitudes, u = 2^-24 (f32) or 2^-53 (f64), and so is the whole, but for its last
 * rounding. Where values cancel within a leaf that may be all of it: 1e17, -1e17 and 30 ones may sum to 0 in f64.
 *
 * state: host memory of wedge_job_info.state_bytes, zeros before the first run. The range is added to what the state holds,
 * and the result is that of both: so runs go on where others ended, and states of several machines can be merged. */
typedef struct {
    size_t size; /* sizeof(wedge_result) */
    void *values;
    int64_t *pairs;
    wedge_place place;                  /* of values and pairs */
    size_t values_offset, pairs_offset; /* bytes from there to the first */
    uint64_t room;                      /* select, nearest, scatter: entries that values and pairs have room for */
    void *state;                        /* of a sink that keeps one, or NULL */
    uint64_t count;                     /* out */
} wedge_result;

/* Computes positions [begin, end). The result is the same bytes for every map, tile and number of threads, and for every
 * way to cut the positions into ranges. progress may be NULL. */
WEDGE_API wedge_status wedge_job_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *result,
                                     wedge_progress progress, void *user);

/* The last position up to `position` where a range of this job may begin or end. Sums are added up in leaves of 32
 * columns, which no range may cut; nearest and scatter take whole rows; other sinks can be cut anywhere. */
WEDGE_API uint64_t wedge_job_boundary(const wedge_job *job, uint64_t position);

/* Adds the state `from` to the state `into`, both of jobs that are alike but for their ranges. */
WEDGE_API wedge_status wedge_job_merge(wedge_job *job, void *into, const void *from);

/* A part of a result, as wedge_job_stream hands it out. */
typedef struct {
    size_t size;          /* of this struct, as the library knows it */
    uint64_t begin, end;  /* the positions that it is of */
    uint64_t count;       /* store: end - begin; select: those found there; nearest: rows times k; scatter: rows */
    const void *values;   /* store, scatter; select and nearest with the parameter values = 1 */
    const int64_t *pairs; /* select: i, j (and k) of each; nearest: j; scatter: cells added up */
    uint64_t total;       /* select, where it is known with the first piece: those of all pieces; else UINT64_MAX */
} wedge_piece;

/* Takes pieces in order of position; a status other than WEDGE_OK ends the job with it, and what it means is the taker's
 * to say: the device has no message for it. Called from a thread of the library's own, or the caller's, one call at a time. */
typedef wedge_status (*wedge_taker)(void *user, const wedge_piece *piece);

/* Computes positions [begin, end) and hands them to `take`, piece by piece: those of store while the next ones are being
 * computed, those of select, nearest and scatter in turn with computing them; other sinks have one result at the end.
 * memory: most bytes of host buffers, which the job keeps for its next run; 0: a default. progress is told what has been
 * taken; it is called from the caller's thread while `take` may be running in the other, with the same `user`. */
WEDGE_API wedge_status wedge_job_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                                        wedge_progress progress, void *user);

/* ---- Tuning: map and tile, measured on the device at hand and kept ---- */

/* One way to run a kind of job. Kinds are told apart by dtype and by whether d is few (up to 4) or many. */
typedef struct {
    wedge_dtype dtype;
    uint64_t n, d; /* points and features of the measurement */
    const char *map;
    uint32_t tile;
    double seconds;  /* median of five */
    double rate;     /* values a second */
    bool is_default; /* what jobs take where nothing was measured */
    bool chosen;     /* the fastest, or the default where that is within 2 % of it */
} wedge_tune_row;

enum { WEDGE_TUNE_ROWS = 32 }; /* there are no more than these */

/* Measures lambda and walk with every tile (less on devices that are no GPU) on random points, and keeps the choice in
 * the table that jobs of this user look into from then on. Every candidate is checked first to give the same bytes;
 * WEDGE_FAILED where one does not. count: rows measured, of which the first `room` are written; 0 on the cpu device,
 * which has nothing to tune. Rows are there also where only the keeping failed. progress may be NULL; nothing is kept
 * where it stops. */
WEDGE_API wedge_status wedge_tune(wedge_device *dev, wedge_tune_row *rows, int room, int *count,
                                  wedge_progress progress, void *user);

/* The file of that table: writes up to room bytes, the ending 0 included, and returns the length of the whole path; 0
 * where none is kept, as on the cpu device or with WEDGE_SET_CACHE_DIR set to "". */
WEDGE_API size_t wedge_tune_file(const wedge_device *dev, char *path, size_t room);

/* ---- Certify: the exactness of the maps, tried on the device at hand ---- */

typedef struct {
    int rank;       /* 2 or 3 */
    uint64_t rows;  /* rows or layers; 0 means all that 64 bits hold */
    bool no_double; /* force the path for devices without double precision */
    wedge_progress progress;
    void *user;
} wedge_certify_options;

typedef struct {
    const char *function; /* "wedge_tri_unrank32" ... */
    uint64_t tried;
    uint64_t failures;
    uint64_t first_row; /* the first row (layer; of a tile map: side) with a failure, if there is one */
} wedge_certify_form;

typedef struct {
    uint64_t rows;
    uint64_t failures;
    double seconds;
    int count;
    wedge_certify_form forms[16];
} wedge_certify_report;

/* Tries every form of rank and unrank of map.h: the 32-bit ones for all of their arguments in the rows given, the
 * 64-bit ones on the first, the last and a middle cell of each row; in rank 3 also all tiles of hmap for sides up to
 * those rows, every one to 64 and powers of two to 512. WEDGE_OK also where failures were found. */
WEDGE_API wedge_status wedge_certify(wedge_device *dev, const wedge_certify_options *options,
                                     wedge_certify_report *report);

/* The first row (layer) of tiles that a map gets wrong on this device, or UINT64_MAX where none of the rows below
 * `rows` is wrong (at most 2^16 rows, 2,951 layers): domains of that side are still right, the next one is not. For
 * the paper's maps as printed, utm-x among them: their exact range depends on the device's roots. */
WEDGE_API wedge_status wedge_map_first_wrong_row(wedge_device *dev, const wedge_map_info *map, uint64_t rows,
                                                 uint64_t *row);

#ifdef __cplusplus
}
#endif
#endif
