/* state.c: what a run leaves for a later one: journals, records of jobs, OUT.part itself, and states of sums. Where a file was altered,
 * a resume starts again, goes on from a place within its slice, or refuses with a message; nothing of another job is taken over.
 *
 * The first byte says which of these the others are. Most of what is random fails its seal, so bytes become the body of a text that is
 * sealed here, or an edit of one that was written soundly.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/data/hash.h"
#include "io/write/journal.h"
#include "wedge/wedge.h"

enum { DATA = 64 };
static const part_identity part = {"0123456789abcdef0123456789abcdef"};
static const outfile_spec spec = {.head = "head",
                                  .head_bytes = 4,
                                  .data_bytes = DATA,
                                  .end = DATA,
                                  .shard = 1,
                                  .shards = 1,
                                  .binding = "metric euclidean\n"};

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    return path;
}

/* The job's lines, then the bytes, sealed: at the place of a slot, and once more at that of the other. */
static char *sealed(const char *job, const uint8_t *bytes, size_t size, bool two, size_t *length) {
    enum { SLOT = 4096 };
    char *text = fuzz_text(bytes, size), *body = text_format("%s%s", job, text), *all = calloc(2, SLOT);
    HOLDS(body && all);
    snprintf(all, SLOT, "%ssum %s\n", body, hash_of(body, strlen(body)).text);
    *length = two ? 2 * SLOT : strlen(all);
    if (two) snprintf(all + SLOT, SLOT, "%ssum %s\n", body, hash_of(body, strlen(body)).text);
    free(text);
    free(body);
    return all;
}

static void look_at(const char *path, const char *job) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    HOLDS(fd >= 0);
    record r = job_read(fd, job), j = journal_read(path, job, &part, 1);
    HOLDS(j.kind != RECORD_SAME || (j.begin <= j.done && j.done <= j.end));
    HOLDS((r.difference != NULL) <= (r.kind == RECORD_OTHER));
    record_is_ours(fd);
    journal_vouches(path);
    record_free(&r);
    record_free(&j);
    close(fd);
}

static void try_texts(const uint8_t *bytes, size_t size, int kind) {
    char *job = job_text(&spec), *all = NULL;
    size_t length = size;
    const char *path = path_of("journal");
    HOLDS(job);
    if (kind) all = sealed(kind == 3 ? "wedge-part 3\n" : job, bytes, size, kind == 2, &length);
    fuzz_write(path, all ? all : (const char *)bytes, length);
    look_at(path, job);
    free(all);
    free(job);
}

/* A run that stopped after 40 bytes; one of its files is edited; a resume. */
static void edit(const char *path, fuzz_bytes *b) {
    char text[8192];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t size = fd >= 0 ? pread(fd, text, sizeof text, 0) : 0;
    while (size > 0 && b->left > 2) {
        size_t at = (fuzz_byte(b) << 8 | fuzz_byte(b)) % (size_t)size;
        char c = (char)(text[at] ^ fuzz_byte(b));
        HOLDS(pwrite(fd, &c, 1, (off_t)at) == 1);
    }
    if (b->left && size > 0) HOLDS(!ftruncate(fd, fuzz_byte(b) % (size + 1)));
    if (fd >= 0) close(fd);
}

static void try_resume(fuzz_bytes *b) {
    static const char *const names[] = {"OUT.part", "OUT.part.job", "OUT.part.1-of-1.journal"};
    char out[128], data[DATA], path[160];
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = spec;
    snprintf(out, sizeof out, "%s", path_of("OUT"));
    s.file = out, s.no_sync = true, s.journal_ms = 1;
    for (int k = 0; k < DATA; ++k) data[k] = (char)(k * 7);
    s.force = true;
    HOLDS(!outfile_open(&s, &o, &n) && !outfile_write(o, data, 40, &n) && !outfile_pause(o, &n));
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), names[fuzz_below(b, 3)]);
    edit(path, b);
    s.force = fuzz_below(b, 2), s.resume = true;
    wedge_status status = outfile_open(&s, &o, &n);
    HOLDS(status ? !o && *note_text(&n) : o != NULL);
    if (!status) {
        uint64_t at = outfile_position(o);
        HOLDS(at <= DATA);
        HOLDS(!outfile_write(o, data + at, DATA - at, &n) && !outfile_finish(o, &whole, &n) && whole);
    }
    for (int k = 0; k < 3; ++k) snprintf(path, sizeof path, "%s/%s", fuzz_folder(), names[k]), unlink(path);
    unlink(out);
    note_free(&n);
}

/* Sums of others: added to, merged, and made into a result. */
static void try_sums(fuzz_bytes *b) {
    static const char *const sinks[] = {"summary", "histogram"};
    static const float points[] = {0, 1, 3, 7, 2};
    static const double edges[] = {0, 1, 5};
    static wedge_device *dev;
    wedge_context *ctx;
    wedge_job *job;
    uint64_t result[64];
    if (!dev) {
        HOLDS(!wedge_context_create(&ctx) && !wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "1"));
        HOLDS(!wedge_device_open(ctx, "cpu", &dev));
    }
    const wedge_parameter parameter = WEDGE_LIST("edges", edges, 3);
    size_t which = fuzz_below(b, 2);
    wedge_job_spec pairs = {
        .size = sizeof pairs, .op = "euclidean", .n = 5, .d = 1, .points = points, .sink = sinks[which]};
    pairs.sink_parameters = which ? &parameter : NULL, pairs.sink_parameter_count = which;
    HOLDS(!wedge_job_create(dev, &pairs, &job));
    size_t size = wedge_job_get_info(job)->state_bytes;
    char *states[2] = {calloc(1, size), calloc(1, size)};
    HOLDS(states[0] && states[1]);
    for (size_t k = 0; k < size; ++k)
        for (int s = 0; s < 2; ++s) states[s][k] = (char)fuzz_byte(b);
    result[0] = sizeof(wedge_summary);
    wedge_result r = {.size = sizeof r, .values = result, .state = states[0]};
    wedge_job_merge(job, states[0], states[1]);
    wedge_job_run(job, 0, 10, &r, NULL, NULL);
    wedge_job_run(job, 10, 10, &r, NULL, NULL);
    wedge_job_destroy(job);
    free(states[0]);
    free(states[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_bytes b = {bytes, size};
    int kind = (int)fuzz_below(&b, 6);
    if (kind < 4)
        try_texts(b.at, b.left, kind);
    else if (kind == 4)
        try_resume(&b);
    else
        try_sums(&b);
    return 0;
}
