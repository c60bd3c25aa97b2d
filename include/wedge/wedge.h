/* wedge/wedge.h: the host API of wedge, the only header a host program includes.
 *
 *     wedge_context *ctx;
 *     wedge_device *dev;
 *     if (wedge_context_create(&ctx)) return 1;
 *     if (wedge_device_open(ctx, "auto", &dev)) return puts(wedge_context_message(ctx)), 1;
 *
 *     wedge_job_spec spec = {.size = sizeof spec};    // all pairs of n points with d features, in SciPy's order
 *     spec.op = "euclidean", spec.layout = WEDGE_CONDENSED, spec.dtype = WEDGE_F32;
 *     spec.n = n, spec.d = d, spec.points = points;
 *     wedge_job *job;
 *     wedge_result result = {.size = sizeof result};
 *
 *     // store: every distance
 *     if (wedge_job_create(dev, &spec, &job)) return puts(wedge_device_message(dev)), 1;
 *     uint64_t cells = wedge_job_get_info(job)->cells;
 *     result.values = distances;    // cells floats
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     wedge_job_destroy(job);
 *
 *     // select: the pairs that are at most 0.5 apart. First how many, then which.
 *     const wedge_parameter radius = WEDGE_NUMBER("radius", 0.5);
 *     spec.sink = "select", spec.sink_parameters = &radius, spec.sink_parameter_count = 1;
 *     if (wedge_job_create(dev, &spec, &job)) return puts(wedge_device_message(dev)), 1;
 *     result.values = NULL;
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     result.room = result.count, result.indices = malloc(result.count * 2 * sizeof(int64_t));
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     wedge_job_destroy(job);
 *
 *     // summary: sum, smallest and largest distance
 *     wedge_summary summary = {.size = sizeof summary};
 *     spec.sink = "summary", spec.sink_parameter_count = 0;
 *     if (wedge_job_create(dev, &spec, &job)) return puts(wedge_device_message(dev)), 1;
 *     result.values = &summary;
 *     wedge_job_run(job, 0, cells, &result, NULL, NULL);
 *     wedge_job_destroy(job);
 *
 * Handles are opaque. Every call that can fail returns a wedge_status, 0 for success; otherwise the handle (or the
 * context, if there is no handle yet) has a message that says what was wrong, where, and what to do. The library never
 * prints, exits or aborts, and holds no global mutable state. Use a handle from one thread at a time; different devices
 * of one context may be used from different threads at once.
 *
 * A NULL handle or pointer where one is needed, a number that is not in its enum, or a range that ends before it begins
 * gives WEDGE_BAD_ARGUMENT, not a crash. Functions that do not return a status return NULL, "" or 0 in that case;
 * functions that destroy, close or free accept NULL. After fork() the child must make its own handles. It may close
 * inherited handles of the cpu device; drivers of other devices may not allow that.
 *
 * Structs can grow, so a program also runs with a newer or an older library. A struct that you fill, or that a call fills
 * for you, begins with its size: set it to sizeof before the call. Members that your wedge.h does not have count as 0 and
 * are not written. Members that the library does not have must be 0, or the call returns WEDGE_BAD_ARGUMENT; it sets them
 * to 0 where it fills the struct. In an array the size of the first entry holds for all. A struct that you read through a
 * pointer from the library can grow at its end; copies of it are fine. New statuses and other enum values may follow the
 * last one.
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
#define WEDGE_VERSION_MINOR 3
#define WEDGE_VERSION_PATCH 0

/* The version of the library at run time, "0.3.0". */
WEDGE_API const char *wedge_version(void);

/* ---- Status ---- */

typedef enum {
    WEDGE_OK = 0,
    WEDGE_FAILED,       /* something went wrong at run time; the message says what */
    WEDGE_BAD_ARGUMENT, /* the arguments of the call are not valid: an unknown map, n out of range */
    WEDGE_BAD_DATA,     /* input that cannot be used */
    WEDGE_NO_DEVICE,    /* no such device, or not reachable */
    WEDGE_UNSUPPORTED,  /* the device or its driver cannot do this */
    WEDGE_BUILD_FAILED, /* the device's compiler refused a kernel; the message carries its whole log */
    WEDGE_DEVICE_LOST,  /* the device stopped answering; close the handle */
    WEDGE_NO_MEMORY,    /* host or device memory ran out */
    WEDGE_NO_SPACE,     /* the disk is full */
    WEDGE_STOPPED,      /* the caller's progress callback asked to stop */
    WEDGE_TOO_SMALL,    /* the memory that the caller gave has too little room for the result */
} wedge_status;

/* A short name, "out of memory". */
WEDGE_API const char *wedge_status_name(wedge_status status);

/* ---- Context: settings, and the libraries of the devices ---- */

typedef struct wedge_context wedge_context;

WEDGE_API wedge_status wedge_context_create(wedge_context **ctx);
WEDGE_API void wedge_context_destroy(wedge_context *ctx); /* close its devices first */

/* Why the last failed call on the context failed; "" if none has. Kept until the next failure. */
WEDGE_API const char *wedge_context_message(const wedge_context *ctx);

/* Settings. Each has an environment variable, which is read when the context is created; wedge_context_set overrides it.
 * Set them before the first call that lists or opens devices. NULL means the default. */
typedef enum {
    WEDGE_SET_DEVICE,    /* WEDGE_DEVICE       what "auto" stands for */
    WEDGE_SET_CACHE_DIR, /* WEDGE_CACHE_DIR    folder of compiled kernels and tunings; "": none; default ~/.cache/wedge.
                            *                    Not used if other users can write to it: see wedge_device_remark */
    WEDGE_SET_NUM_THREADS, /* WEDGE_NUM_THREADS  threads of the cpu device; default: all cores */
    WEDGE_SET_NVRTC,       /* WEDGE_NVRTC        path of libnvrtc.so */
    WEDGE_SET_LIBCUDA,     /* WEDGE_LIBCUDA      path of libcuda.so */
    WEDGE_SET_LIBOPENCL,   /* WEDGE_LIBOPENCL    path of libOpenCL.so */
    WEDGE_SET_ISA,         /* WEDGE_ISA          instruction set of the cpu device: base, v3, v4; default: the best */
    WEDGE_SET_CC,          /* CC                 the C compiler for ops of your own on the cpu device, with its options;
                            *                    default: cc, gcc or clang, whichever PATH has */
    WEDGE_SET_CACHE_SIZE, /* WEDGE_CACHE_SIZE   size limit of the cache, such as 100M; default: 256M. The least recently
                            *                    used kernels are removed */
    WEDGE_SET_PROBE, /* WEDGE_PROBE        path of a `wedge` command, which is run to list OpenCL's devices, so that a
                            *                    driver that aborts does not end this program; default: list them here */
} wedge_setting;

WEDGE_API wedge_status wedge_context_set(wedge_context *ctx, wedge_setting setting, const char *value);
WEDGE_API const char *wedge_context_get(const wedge_context *ctx, wedge_setting setting); /* NULL: the default */

/* ---- Devices ---- */

typedef struct wedge_device wedge_device;

typedef struct {
    size_t size;          /* sizeof(wedge_device_info) */
    char id[32];          /* "cpu", "cuda:0", "opencl:1.0": what wedge_device_open takes */
    char name[128];       /* the vendor's name for it */
    char driver[160];     /* driver, platform and compiler, with versions */
    uint64_t memory;      /* bytes */
    uint32_t units;       /* multiprocessors, compute units or cores */
    uint32_t max_block;   /* largest number of threads per block; 0 on the cpu */
    uint32_t max_grid[3]; /* largest number of blocks per launch, by dimension; 0 on the cpu */
    bool has_double;
    bool is_gpu;
} wedge_device_info;

/* The devices of this machine, in the order cpu, cuda, opencl. A missing driver library is not an error: its devices are
 * not listed. */
WEDGE_API wedge_status wedge_device_count(wedge_context *ctx, int *count);
WEDGE_API wedge_status wedge_device_at(wedge_context *ctx, int index, wedge_device_info *info);

/* Why a backend has no devices ("libcuda.so.1 not found"), or "" if it has some. backend: "cuda", "opencl". */
WEDGE_API const char *wedge_backend_remark(wedge_context *ctx, const char *backend);

/* Opens a device by id; "cuda" and "opencl" mean the first of each, "auto" (or NULL) the one named by WEDGE_DEVICE, else
 * the first GPU, else the cpu. The context must outlive the device. */
WEDGE_API wedge_status wedge_device_open(wedge_context *ctx, const char *id, wedge_device **dev);
WEDGE_API void wedge_device_close(wedge_device *dev);
WEDGE_API const wedge_device_info *wedge_device_get_info(const wedge_device *dev);
WEDGE_API const char *wedge_device_message(const wedge_device *dev);

/* The handles of the device's own API, for making memory, queues and streams that wedge can use. OpenCL: the cl_context
 * and the cl_device_id; CUDA: the primary CUcontext, and the CUdevice cast to a pointer. Both are valid until the device
 * is closed. WEDGE_UNSUPPORTED on the cpu device. */
WEDGE_API wedge_status wedge_device_native(wedge_device *dev, void **context, void **device);

/* What the device had to do without, and the remedy; "" if nothing. Today this is about compiled kernels and tunings that
 * were not loaded or saved: they are loaded only from files that the user owns, in a folder that nobody else can write. */
WEDGE_API const char *wedge_device_remark(const wedge_device *dev);

/* ---- Maps: what a host must know to launch one ---- */

typedef enum { WEDGE_BLOCK_SPACE, WEDGE_THREAD_SPACE } wedge_space;

typedef struct {
    const char *name;
    int rank;            /* 2: triangle, 3: tetrahedron */
    wedge_space space;   /* each block finds its tile, or each thread its cell */
    bool exact;          /* everywhere up to largest_side; the paper's maps as printed are not */
    bool ranges;         /* can take a part of the domain */
    uint64_t exact_rows; /* rows of tiles (thread space: cells) up to which it is right, with correctly rounded roots */
    uint64_t largest_side; /* largest number of tiles per side (thread space: cells per side) */
    const char *grid;      /* its grid, in words and formula */
    const char *launched;  /* threads launched, as a formula in m, rho and n */
    const char *summary;   /* one line */
} wedge_map_info;

/* Rows of the library's table of maps. Calls also accept a copy: they look a map up by name and rank. */
WEDGE_API int wedge_map_count(void);
WEDGE_API const wedge_map_info *wedge_map_at(int index);
WEDGE_API const wedge_map_info *wedge_map_find(const char *name, int rank); /* NULL: unknown */

/* A domain: the cells i >= j (>= k) of side n, or i > j (> k) where strict. */
typedef struct {
    size_t size; /* sizeof(wedge_domain) */
    int rank;
    bool strict;
    uint64_t n;
} wedge_domain;

/* The number of cells of a domain. WEDGE_BAD_ARGUMENT if it exceeds 64 bits. */
WEDGE_API wedge_status wedge_domain_cells(const wedge_domain *domain, uint64_t *cells);

/* Convert cells to their positions w, and positions to cells, `count` at a time: rank and unrank of map.h, for bindings
 * that cannot include a header. A cell is `rank` coordinates, the largest first. WEDGE_BAD_ARGUMENT for a cell or position
 * outside the domain. */
WEDGE_API wedge_status wedge_domain_rank(const wedge_domain *domain, const uint64_t *coordinates, size_t count,
                                         uint64_t *w);
WEDGE_API wedge_status wedge_domain_unrank(const wedge_domain *domain, const uint64_t *w, size_t count,
                                           uint64_t *coordinates);

/* One launch of a map: the grid to start, and what wedge's own kernels need to find the tile of a block. In your own
 * kernels, call the map's function in map.h with the block index plus base, or plus x0, y0, z0. */
typedef struct {
    uint64_t base;       /* the first w of a one-dimensional grid */
    uint32_t m;          /* tiles per side (thread space: cells per side) */
    uint32_t x0, y0, z0; /* offset of this launch in the whole grid of the map */
    uint32_t a, b;       /* parameters of the map */
    uint32_t grid[3];    /* blocks to launch */
} wedge_launch;

typedef struct {
    size_t size;    /* sizeof(wedge_plan) */
    void *launches; /* see wedge_plan_launch */
    size_t count;   /* number of launches */
    const wedge_map_info *map;
    int rank; /* rank, strict, n: the domain */
    bool strict;
    uint64_t n;
    uint32_t rho;  /* a block has rho^rank threads */
    uint64_t side; /* of the full domain: strict(n) is full(n - rank + 1), shifted by (1, 0) or (2, 1, 0) */
    uint64_t m;    /* tiles per side */
    uint64_t cells;
    uint64_t blocks;      /* of all launches */
    uint64_t tiles;       /* visits to tiles, those that find none included; blocks, unless these are resident */
    uint64_t launched;    /* threads, by the map's formula */
    uint64_t wasted;      /* visits of threads that find no cell, by the map's formula */
    uint32_t table_words; /* words of the lookup table that the map needs (lut), else 0 */
} wedge_plan;

/* The limits of a device that a plan keeps to; NULL or zeros mean CUDA's. */
typedef struct {
    size_t size; /* sizeof(wedge_limits) */
    uint32_t max_grid[3];
    uint32_t resident;   /* number of resident blocks, for walk, bb-resident and rows; 0: 1,024 */
    uint64_t exact_rows; /* beyond it maps that are not exact are refused; 0: as the map says; UINT64_MAX: never */
} wedge_limits;

/* Plans the launches of a map over a domain in blocks of rho^rank threads; a grid beyond the limits is split. If
 * the map is refused, the message goes to ctx, which may be NULL. Free with wedge_plan_free. */
WEDGE_API wedge_status wedge_plan_make(wedge_context *ctx, const wedge_map_info *map, const wedge_domain *domain,
                                       uint32_t rho, const wedge_limits *limits, wedge_plan *plan);
WEDGE_API void wedge_plan_free(wedge_plan *plan); /* NULL is fine */

/* A launch of a plan, until the plan is freed. NULL: index is not below plan->count. */
WEDGE_API const wedge_launch *wedge_plan_launch(const wedge_plan *plan, size_t index);

/* ---- Parameters of ops and sinks, by name ---- */

typedef enum {
    WEDGE_IS_NUMBER, /* wedge_parameter.value; all parameters of ops are numbers */
    WEDGE_IS_WHOLE,  /* wedge_parameter.whole */
    WEDGE_IS_FLAG,   /* wedge_parameter.flag */
    WEDGE_IS_LIST,   /* wedge_parameter.values and count */
} wedge_parameter_kind;

typedef struct {
    const char *name;
    wedge_parameter_kind kind;
    bool required;         /* it has no default */
    double value;          /* the default of a number; NaN: none */
    int64_t whole;         /* the default of a whole number */
    bool flag;             /* the default of a flag */
    const char *condition; /* what must hold, "p > 0"; "" if any value is valid */
} wedge_parameter_info;

/* The value of a parameter, in the member for its kind; members for other kinds must be 0. */
typedef struct {
    size_t size; /* sizeof(wedge_parameter) */
    const char *name;
    double value;
    int64_t whole;
    bool flag;
    const double *values; /* `count` numbers, such as the edges of a histogram */
    size_t count;
} wedge_parameter;

/* Initialisers, in C and C++:
 *
 *     const wedge_parameter set[] = {WEDGE_WHOLE("k", 5), WEDGE_FLAG("values", true)}; */
#define WEDGE_NUMBER(name, value) \
    { sizeof(wedge_parameter), name, (double)(value), 0, false, NULL, 0 }
#define WEDGE_WHOLE(name, whole) \
    { sizeof(wedge_parameter), name, 0, (int64_t)(whole), false, NULL, 0 }
#define WEDGE_FLAG(name, flag) \
    { sizeof(wedge_parameter), name, 0, 0, (bool)(flag), NULL, 0 }
#define WEDGE_LIST(name, values, count) \
    { sizeof(wedge_parameter), name, 0, 0, false, values, (size_t)(count) }

/* ---- Ops: what is computed for a pair of points ---- */

typedef enum { WEDGE_F32, WEDGE_F64 } wedge_dtype; /* of points and values */

typedef struct {
    const char *name; /* SciPy's name, if it has this one */
    const char *formula;
    bool zero_for_equals; /* equal points give exactly 0 */
    uint32_t record;      /* numbers per point, if the op needs a fixed number; 0: any number of features */
    uint32_t points;      /* points per cell: 2, or 3 for triplets (WEDGE_TRIPLES) */
    uint32_t values;      /* values per pair; of several values, sinks that compare or count use the first */
    bool bounded;         /* has a lower bound over boxes of points, so that jobs can leave out tiles (wedge_prune) */
    int parameter_count;
    const wedge_parameter_info *const *parameters;
    bool forces; /* an op of three points with which scatter also gives forces */
    const char
        *columns; /* names of a point's numbers, "x,y?,z?,r|radius": ? may be missing, | another name; NULL: none */
} wedge_op_info;

/* Rows of the library's table of ops. points: 2 or 3 lists only ops of so many points; 0 lists all, pairs first. */
WEDGE_API int wedge_op_count(int points);
WEDGE_API const wedge_op_info *wedge_op_at(int points, int index);

/* An op of two or three points by its name, or by another common name: "manhattan" is cityblock, "l2" euclidean. NULL:
 * unknown. */
WEDGE_API const wedge_op_info *wedge_op_find(const char *name);

/* Advice for a metric that other libraries have and wedge lacks, such as "mahalanobis". NULL for any other name. */
WEDGE_API const char *wedge_op_instead(const char *name);

/* ---- Ops of your own ---- */

typedef struct wedge_op wedge_op;

typedef struct {
    size_t size;              /* sizeof(wedge_op_options) */
    const char *name;         /* its name in messages and results; NULL: "own" */
    const char *file;         /* file name in the compiler's messages; NULL: "NAME.h" */
    const wedge_dtype *dtype; /* compile for this dtype alone; NULL: for all that the device supports */
} wedge_op_options;

/* Compiles the text of an op, written as docs/add-an-op.md describes, for this device: a fold or a direct op, of pairs or
 * of triplets. Pass it to jobs as wedge_job_spec.own_op. It must outlive these jobs, and the device must outlive it. Compiled
 * ops are kept in the cache (WEDGE_SET_CACHE_DIR). options may be NULL; the text is copied.
 *
 * The cpu device needs a C compiler (WEDGE_SET_CC), or returns WEDGE_UNSUPPORTED; an OpenCL device on the same cpu needs
 * none. WEDGE_BAD_DATA: the text contradicts itself or lacks a part; WEDGE_BUILD_FAILED: the compiler reports errors. Both
 * messages name file and line. The op runs in this process, with all its rights. */
WEDGE_API wedge_status wedge_op_compile(wedge_device *dev, const char *text, const wedge_op_options *options,
                                        wedge_op **op);
WEDGE_API void wedge_op_destroy(wedge_op *op); /* NULL is fine */
WEDGE_API const wedge_op_info *wedge_op_get_info(const wedge_op *op);

/* ---- Sinks: what becomes of the values ---- */

typedef enum {
    WEDGE_TYPE_DTYPE,   /* float or double, as wedge_job_spec.dtype says */
    WEDGE_TYPE_INT64,   /* int64_t */
    WEDGE_TYPE_UINT64,  /* uint64_t */
    WEDGE_TYPE_SUMMARY, /* wedge_summary */
} wedge_output_type;

/* An array that a sink gives. Its shape is a list such as "count, points", with the fastest last, of: cells (end - begin
 * of the range), rows (of the range; triplets: points), count (wedge_result.count), points (wedge_op_info.points),
 * values (wedge_job_info.values), a parameter's name, and numbers. */
typedef struct {
    const char *member; /* of wedge_result and wedge_piece: "values", "indices", "counts" */
    wedge_output_type type;
    const char *shape;
} wedge_output_info;

typedef struct {
    const char *name;
    const char *summary; /* one line */
    int parameter_count;
    const wedge_parameter_info *const *parameters;
    int output_count;
    const wedge_output_info *const *outputs;
} wedge_sink_info;

/* Rows of the library's table of sinks. */
WEDGE_API int wedge_sink_count(void);
WEDGE_API const wedge_sink_info *wedge_sink_at(int index);
WEDGE_API const wedge_sink_info *wedge_sink_find(const char *name); /* NULL: unknown */

/* ---- Jobs: an op over all pairs of n points ---- */

/* The order of the values in the result. The position p in this order is what ranges of a job count in. */
typedef enum {
    WEDGE_CONDENSED,      /* SciPy's order: pairs a < b, row by row, n(n-1)/2 of them */
    WEDGE_PACKED,         /* cells i >= j at i(i+1)/2 + j, n(n+1)/2 of them */
    WEDGE_SQUARE,         /* n rows of n, symmetric */
    WEDGE_LOWER,          /* n rows of n, of which only cells i >= j are computed and written */
    WEDGE_RECTANGLE,      /* n rows of m: each of `points` with each of `others` */
    WEDGE_TRIPLES,        /* for ops of three points: a > b > c at C(a, 3) + C(b, 2) + c, C(n, 3) of them */
    WEDGE_TRIPLES_PACKED, /* the same with diagonals: a >= b >= c at a(a+1)(a+2)/6 + b(b+1)/2 + c */
} wedge_layout;

/* Where memory is. On the host: an ordinary pointer. On the device: memory from wedge_memory_create, or the caller's own,
 * that is a CUdeviceptr of the device's primary context cast to a pointer, or a cl_mem of the context that
 * wedge_device_native gives; on the cpu device an ordinary pointer. Memory of another device or context, and a cl_mem that
 * is too small, are refused. */
typedef enum { WEDGE_ON_HOST, WEDGE_ON_DEVICE } wedge_place;

/* Whether a job leaves out tiles that cannot matter: those whose pairs all lie beyond the radius of count, select or
 * scatter, beyond the last edge of histogram, or beyond what nearest has found already. The op must be bounded
 * (wedge_op_info). The result is the same bytes.
 *
 * A job that leaves out tiles (wedge_job_info.pruned) sorts the points into an order of its own. For count and histogram,
 * and for summary of triplets with a cutoff, positions then refer to that order: a range is still a share of the pairs, but
 * not of the same pairs. If you merge results of ranges, ask for ALWAYS or NEVER: AUTO depends on the device. */
typedef enum {
    WEDGE_PRUNE_AUTO,   /* if it is likely to be faster */
    WEDGE_PRUNE_NEVER,  /* every pair is computed */
    WEDGE_PRUNE_ALWAYS, /* WEDGE_UNSUPPORTED if the op or the sink has no bound */
} wedge_prune;

/* What to do with points so large that values, or intermediate results, could exceed the largest number of the dtype. Points
 * are checked when a job gets them; NaN and infinity among the points themselves are always accepted. */
typedef enum {
    WEDGE_OVERFLOW_REFUSED,  /* WEDGE_BAD_DATA; the message says how far the values reach and what to do */
    WEDGE_OVERFLOW_ACCEPTED, /* such values become infinite, or NaN */
    WEDGE_OVERFLOW_UNSEEN,   /* accepted, and points in device memory are not checked, so that no call waits for them */
} wedge_overflow;

/* The request for a job.
 *
 * stream: on CUDA a CUstream of the primary context ((CUstream)1 is the default stream); on OpenCL an in-order
 * cl_command_queue of the context that wedge_device_native gives; on the cpu device NULL. The job's work is queued behind
 * what is in the stream already, so the points may still be in flight. These calls return once their work is queued:
 * creating or renewing a job whose points are in device memory with WEDGE_OVERFLOW_UNSEEN (unless tiles are left out), and
 * a run of store into device memory without a progress callback. Synchronise the stream before you use the values or change
 * the points elsewhere. All other calls wait. The stream must outlive the job; wedge_job_destroy waits for it. */
typedef struct {
    size_t size;    /* sizeof(wedge_job_spec) */
    const char *op; /* its name, "euclidean"; NULL with own_op */
    const wedge_parameter *parameters;
    size_t parameter_count;
    const char *sink; /* its name; NULL: "store" */
    const wedge_parameter *sink_parameters;
    size_t sink_parameter_count;
    wedge_layout layout;
    wedge_dtype dtype;      /* of points and values */
    uint64_t n, d;          /* number of points, features per point */
    const void *points;     /* n rows of d numbers */
    wedge_place place;      /* of points and others */
    size_t points_offset;   /* bytes from `points` to the first number: OpenCL memory cannot be pointed into */
    uint64_t points_stride; /* numbers from one row to the next, d or more; 0: d. The gap is not read */
    uint64_t m;             /* WEDGE_RECTANGLE: number of points in `others` */
    const void *others;     /* WEDGE_RECTANGLE: m rows of d numbers */
    size_t others_offset;
    uint64_t others_stride;
    const char *map; /* "lambda" or "walk"; NULL: the fastest on this device. wedge_job_info.map says which one runs */
    uint32_t tile;   /* cells per side; 0: the fastest on this device. Refused if the job cannot use it; cpu: 0 */
    void *stream;    /* a stream of the caller for all work of the job, see above; NULL: the job makes its own */
    wedge_prune prune;
    const double *box; /* d lengths of a periodic box, 0 for coordinates that are not periodic; NULL: none. A difference
                        * t counts as the shortest of all t - k length. Needs a bounded op and d <= 64; lengths of
                        * numbers that are not coordinates must be 0 */
    double cutoff;     /* triplets with a side longer than this, or NaN, are left out; 0: none is. In a periodic box it
                        * is required, and must be less than a third of every length, both rounded to the dtype */
    const wedge_op *own_op; /* from wedge_op_compile for this device; `op` must then be NULL */
    wedge_overflow overflow;
} wedge_job_spec;

enum { WEDGE_MOST_FEATURES = 1 << 20 }; /* per point */

typedef struct wedge_job wedge_job;

typedef struct {
    uint64_t cells; /* number of positions; with WEDGE_LOWER those that are not written count too */
    uint64_t bytes; /* of the whole result; 0 for select: it depends on the points */
    const char *op; /* the op that runs: minkowski with p = 2 becomes euclidean */
    const char *sink;
    const char *map;              /* "lambda", "walk"; "rows" if there is no triangle to map */
    uint32_t tile;                /* cells per side of a tile */
    const char *tuning;           /* where map and tile come from: "asked for", "measured here" (wedge_tune),
                            * "default"; if they differ, the less specific of the two. "native" on the cpu */
    const char *isa;              /* the cpu's instruction set, "" on other devices */
    uint64_t device_bytes;        /* what the job holds on the device: points, and buffers that its runs made */
    uint64_t state_bytes;         /* size of wedge_result.state; 0: the sink has no state */
    const double *parameters;     /* the values of all parameters of op, in the order of its table */
    uint32_t values;              /* values per position, side by side: wedge_op_info.values of op */
    bool pruned;                  /* the job leaves out tiles that cannot matter (wedge_prune) */
    uint64_t computed;            /* if pruned: cells of the tiles that runs have computed so far */
    const wedge_op_info *op_info; /* the op that runs */
    bool scaled; /* runs a slower form of the op, in which no intermediate sum leaves the range of the dtype */
} wedge_job_info;

/* The number of positions of a layout; m is used for WEDGE_RECTANGLE alone. WEDGE_BAD_ARGUMENT if n or m exceeds the limit
 * of the engine (2^29 - 1024), or the size in bytes 64 bits; the message goes to ctx, which may be NULL. */
WEDGE_API wedge_status wedge_layout_cells(wedge_context *ctx, wedge_layout layout, uint64_t n, uint64_t m,
                                          wedge_dtype dtype, uint64_t *cells);

/* Copies the points to the device and prepares them. The device must outlive the job; if a call fails,
 * wedge_device_message says why. Points may have any numbers, also NaN, with one exception: a latitude (haversine) in host
 * memory that lies beyond a pole, which suggests degrees, is WEDGE_BAD_DATA. */
WEDGE_API wedge_status wedge_job_create(wedge_device *dev, const wedge_job_spec *spec, wedge_job **job);
WEDGE_API void wedge_job_destroy(wedge_job *job); /* NULL is fine */

/* Replaces the points of the job, for points that move: a new job would build its kernels again. There must be as many as
 * before, with the same place, offsets and strides. others: for a rectangle, else NULL. After WEDGE_BAD_ARGUMENT or
 * WEDGE_BAD_DATA the job still has its old points; after another failure it has none until it is renewed. */
WEDGE_API wedge_status wedge_job_renew(wedge_job *job, const void *points, const void *others);
WEDGE_API const wedge_job_info *wedge_job_get_info(const wedge_job *job);

/* Memory of a device, for callers without an allocator of their own; wedge_job_spec.points and wedge_job_run accept it. Copies
 * return when they are done. */
WEDGE_API wedge_status wedge_memory_create(wedge_device *dev, size_t bytes, void **memory);
WEDGE_API void wedge_memory_destroy(wedge_device *dev, void *memory); /* NULL is fine */
WEDGE_API wedge_status wedge_memory_write(wedge_device *dev, void *memory, size_t offset, const void *from,
                                          size_t bytes);
WEDGE_API wedge_status wedge_memory_read(wedge_device *dev, void *to, const void *memory, size_t offset, size_t bytes);

/* Called now and then with the fraction done, 0 to 1; return false to stop. */
typedef bool (*wedge_progress)(void *user, double done);

/* The result of the sink `summary`. min and max are NaN if there is no value, or with the flag extremes false, which
 * makes sums cheaper. */
typedef struct {
    size_t size;    /* sizeof(wedge_summary); set it in device memory, too */
    uint64_t count; /* number of values, without NaN */
    uint64_t nan;   /* number of values that are NaN */
    double sum;     /* see "Sums" at wedge_result; NaN if nan > 0 */
    double min, max;
    uint64_t min_i, min_j, max_i, max_j; /* the points of the first cell with that value, in order of position */
    uint64_t min_k, max_k;               /* triplets: the third point */
} wedge_summary;

/* Where the result of a run goes.
 *
 *     sink        values                                             indices            counts           count
 *     store       the values, position begin first                   -                  -                values
 *     count       uint64_t: cells with a value <= radius             -                  -                the same
 *     select      the values of the pairs                            (i, j) of each     -                pairs
 *       triplets  the values of the triplets                         (i, j, k) of each  -                triplets
 *     summary     a wedge_summary                                    -                  -                values
 *     histogram   uint64_t: bins, then below, above, NaN             -                  -                values within the edges
 *     nearest     the k smallest values of each row, in order        j of each          -                rows times k
 *     scatter     the sum of each row's values                       -                  cells added up   rows
 *
 * wedge_sink_info.outputs says the same of each sink. What is not wanted is NULL: any but the values of store, and one of
 * those of nearest and of scatter.
 *
 * A radius and edges are rounded to the nearest number of the dtype before values are compared with them, so that a value
 * that prints as 0.1 is within 0.1; a finite radius and finite outer edges stay finite.
 *
 * If the op has several values per pair, store and select give all of them, side by side, and scatter adds up each of
 * them; the other sinks use the first.
 *
 * select: pairs are sorted by i, then j. If there are more than `room`, the first `room` are written and the run returns
 * WEDGE_TOO_SMALL. With indices and values NULL it only counts, and returns WEDGE_OK.
 *
 * select of triplets: three numbers per triplet, the largest first, sorted by i, then j, then k, which is the order of
 * positions. A cutoff leaves triplets out, but does not change the positions of the others. store needs a value for every
 * triplet, so it refuses a cutoff.
 *
 * nearest and scatter have a result for each row. Their layouts are WEDGE_SQUARE, in which a point is not paired with
 * itself, and WEDGE_RECTANGLE. Ranges are whole rows (wedge_job_boundary). If `room` is too small for the range, nothing is
 * written, and the run returns WEDGE_TOO_SMALL with the needed number in count.
 *
 * nearest: the smallest value first; ties go to the smaller j. NaN is left out. If a row has fewer than k values, the rest
 * have j = -1 and the value infinity.
 *
 * scatter of triplets: each point gets the sum of its triplets' values. If the op has forces (wedge_op_info.forces) it also
 * gets the force on it, minus the gradient of that sum: 4 values per point, the last ones 0 if points have fewer than three
 * coordinates. counts: the number of triplets that the point is in; a triplet that has it twice or three times counts once.
 * A run must take the whole range of positions.
 *
 * scatter: for instance the force on each body (op gravity), or the number of points within a radius. Cells whose first
 * value is above the parameter radius are left out; NaN is not left out, and makes the sum NaN. Sums have the job's dtype.
 *
 * Sums, of summary and scatter: 32 values at a time (a leaf: columns of one row, the first of them a multiple of 32) are
 * added in the dtype. Leaves are added exactly for summary, in twice the precision for scatter, and the result is rounded
 * once. A leaf is off by at most 10 u times the sum of its magnitudes, u = 2^-24 (f32) or 2^-53 (f64), and so is the whole
 * sum, apart from its last rounding. If values cancel within a leaf, that can be all of it: 1e17, -1e17 and 30 ones may sum
 * to 0 in f64.
 *
 * state: host memory of wedge_job_info.state_bytes, zeroed before the first run. A run adds its range to the state, and its
 * result is that of everything in the state: so a run can continue where another one ended, and states of several machines
 * can be merged. */
typedef struct {
    size_t size; /* sizeof(wedge_result) */
    void *values;
    int64_t *indices;
    int64_t *counts;
    wedge_place place;                                   /* of values, indices and counts */
    size_t values_offset, indices_offset, counts_offset; /* bytes from each pointer to the first entry */
    uint64_t room;  /* select, nearest, scatter: capacity of values, indices and counts, in entries */
    void *state;    /* for sinks that have a state (wedge_job_info.state_bytes), or NULL */
    uint64_t count; /* set by the run: see the table above */
} wedge_result;

/* Computes positions [begin, end). The result is the same bytes for every map, tile and number of threads, and for every
 * way to cut the positions into ranges. progress may be NULL. */
WEDGE_API wedge_status wedge_job_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *result,
                                     wedge_progress progress, void *user);

/* The last position not above `position` where a range of this job may begin or end. summary adds values in leaves of 32
 * columns, which a range must not cut; nearest and scatter need whole rows; other sinks can be cut anywhere. */
WEDGE_API uint64_t wedge_job_boundary(const wedge_job *job, uint64_t position);

/* Adds the state `from` to the state `into`. Both must come from equal jobs that ran different ranges. */
WEDGE_API wedge_status wedge_job_merge(wedge_job *job, void *into, const void *from);

/* A part of a result, as wedge_job_stream passes it on. */
typedef struct {
    size_t size;            /* of this struct, as the library knows it */
    uint64_t begin, end;    /* its range of positions */
    uint64_t count;         /* store: end - begin; select: entries found there; nearest: rows times k; scatter: rows */
    const void *values;     /* store, scatter; select and nearest with the flag values */
    const int64_t *indices; /* select: i, j (and k) of each; nearest: j of each */
    const int64_t *counts;  /* scatter: cells added up */
    uint64_t total;         /* select: entries of all pieces, if known from the first piece on; else UINT64_MAX */
} wedge_piece;

/* Receives pieces in order of position. If it returns a status other than WEDGE_OK, the stream ends with that status; the
 * device has no message for it, so keep the reason yourself. It is called from the caller's thread or one of the library's
 * threads, one call at a time. */
typedef wedge_status (*wedge_taker)(void *user, const wedge_piece *piece);

/* Computes positions [begin, end) and passes them to `take`, piece by piece. With store, the next pieces are computed
 * meanwhile; with select, nearest and scatter, computing waits for `take`. Other sinks have one result at the end: use
 * wedge_job_run. memory: limit in bytes for host buffers, which the job keeps for its next run; 0: a default. progress
 * counts what has been taken. It is called from the caller's thread, possibly while `take` runs in another one. */
WEDGE_API wedge_status wedge_job_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                                        void *take_user, wedge_progress progress, void *progress_user);

/* ---- Tuning: map and tile, measured on the device at hand and kept ---- */

/* One way to run a kind of job. A kind is a dtype with few (d up to 4) or many features. */
typedef struct {
    size_t size; /* sizeof(wedge_tune_row) */
    wedge_dtype dtype;
    uint64_t n, d; /* points and features of the measurement */
    const char *map;
    uint32_t tile;
    double seconds;  /* median of five */
    double rate;     /* values per second */
    bool is_default; /* what jobs use if nothing was measured */
    bool chosen;     /* the fastest, or the default if that is within 2 % of it */
} wedge_tune_row;

enum { WEDGE_TUNE_ROWS = 32 }; /* this version measures no more rows; a newer one may, and says how many */

/* Measures lambda and walk with every tile size (fewer on devices that are not GPUs) on random points, and saves the choice
 * in a table, which this user's jobs use from then on. First it checks that every candidate gives the same bytes;
 * WEDGE_FAILED if one does not. count: rows measured, of which the first `room` are written; 0 on the cpu device, which has
 * nothing to tune. If only saving fails, the rows are still written. progress may be NULL; if it stops the call, nothing is
 * saved. */
WEDGE_API wedge_status wedge_tune(wedge_device *dev, wedge_tune_row *rows, int room, int *count,
                                  wedge_progress progress, void *user);

/* The path of that table: writes up to room bytes, the final zero included, and returns the length of the whole path; 0 if
 * there is no table, as on the cpu device or with WEDGE_SET_CACHE_DIR set to "". */
WEDGE_API size_t wedge_tune_file(const wedge_device *dev, char *path, size_t room);

/* ---- Certify: the exactness of the maps, tried on the device at hand ---- */

typedef struct {
    size_t size;    /* sizeof(wedge_certify_options) */
    int rank;       /* 2 or 3 */
    uint64_t rows;  /* rows or layers to try; 0: all with 64-bit positions */
    bool no_double; /* test the functions for devices without double precision */
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
    size_t size; /* sizeof(wedge_certify_report) */
    void *forms; /* see wedge_certify_form_at */
    int count;   /* number of forms */
    uint64_t rows;
    uint64_t failures;
    double seconds;
} wedge_certify_report;

/* Tries every form of rank and unrank of map.h: the 32-bit ones for all arguments in the given rows, the 64-bit ones for the
 * first, the last and a middle cell of each row. In rank 3 also all tiles of hmap for sides up to the given rows: every side
 * up to 64, and powers of two up to 512. WEDGE_OK even if failures were found: see the report, and free it. */
WEDGE_API wedge_status wedge_certify(wedge_device *dev, const wedge_certify_options *options,
                                     wedge_certify_report *report);
WEDGE_API void wedge_certify_report_free(wedge_certify_report *report); /* NULL is fine */

/* A form of a report, until the report is freed. NULL: index is not from 0 to report->count - 1. */
WEDGE_API const wedge_certify_form *wedge_certify_form_at(const wedge_certify_report *report, int index);

/* The first row (layer) of tiles that a map gets wrong on this device, or UINT64_MAX if none of the rows below `rows` is
 * wrong (at most 2^16 rows, 2,951 layers): it is right for domains of that side, and wrong for larger ones. Meant for the
 * paper's maps as printed, utm-x among them: how far they are exact depends on the roots of the device. */
WEDGE_API wedge_status wedge_map_first_wrong_row(wedge_device *dev, const wedge_map_info *map, uint64_t rows,
                                                 uint64_t *row);

/* Names of wedge 0.2 are compile errors that say the new name. */
#define wedge_pairs wedge_pairs_is_now_wedge_job_spec
#define wedge_triple_op_count (wedge_triple_op_count_is_now_wedge_op_count)
#define wedge_triple_op_at (wedge_triple_op_at_is_now_wedge_op_at)
#define WEDGE_SETTINGS (WEDGE_SETTINGS_is_gone_wedge_context_set_refuses_what_is_no_setting)

#ifdef __cplusplus
}
#endif
#endif
