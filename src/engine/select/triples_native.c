/* triples_native.c: hits of triplets on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/dtype.h"
#include "engine/select/triples.h"
#include "engine/triples/native.h"
#include "wedge/map.h"

enum { MOST_COLUMNS = 2 * NATIVE_COLS };

static size_t bytes_of(const wedge_job *job) {
    (void)job;
    return sizeof(sort_item);
}

/* ---- Finding ---- */

/* The caller's position of three points, whichever order they are in. */
static uint64_t position_of(const domain *d, const uint32_t *order, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = order ? order[a] : a, y = order ? order[b] : b, z = order ? order[c] : c;
    uint64_t high = x > y ? x : y, low = x > y ? y : x, most = high > z ? high : z, rest = high > z ? z : high;
    return domain_triple_position(d, most, low > rest ? low : rest, low > rest ? rest : low);
}

static void take_found(void *user, const uint64_t at[3], const uint32_t *marks, int words, const void *values) {
    triples_hits *f = user;
    const wedge_job *job = f->job;
    const uint32_t *order = job->curve.ordered ? job->curve.order[0].host : NULL;
    sort_item own[MOST_COLUMNS];
    uint64_t count = 0;
    for (int w = 0; w < words; ++w)
        for (uint32_t bits = marks[w]; bits; bits &= bits - 1) {
            uint64_t c = (uint64_t)w * LEAF + (uint64_t)__builtin_ctz(bits);
            uint64_t position = position_of(&job->domain, order, at[0], at[1], at[2] + c);
            if (position < f->from || position >= f->to) continue;
            own[count++] = (sort_item){.key = position, .value = dtype_get(values, c, job->pairs.dtype)};
        }
    if (!count) return;
    uint64_t slot = __atomic_fetch_add(&f->count, count, __ATOMIC_RELAXED);
    if (slot + count <= f->room.room) memcpy((sort_item *)f->kept->found.host + slot, own, count * sizeof *own);
}

static wedge_status find(triples_hits *f, pace *p) {
    wedge_job *job = f->job;
    triples_range g = {.job = job,
                       .begin = job->curve.ordered ? 0 : f->from,
                       .end = job->curve.ordered ? job->info.cells : f->to,
                       .take = job->sink.def->take[job->pairs.dtype][job->native.isa],
                       .sink = {.limits = job->limits.host},
                       .found = take_found,
                       .user = f};
    f->count = 0;
    WEDGE_TRY(triples_native_run(&g, p));
    if (job->info.pruned) job->info.computed += g.computed;
    return WEDGE_OK;
}

/* ---- The list ---- */

/* Positions at hand are from f->from on: what they have in common need not be sorted. */
static wedge_status sort(triples_hits *f) {
    wedge_job *job = f->job;
    uint64_t differ = f->from ^ (f->to - 1);
    uint32_t bits = differ ? 64 - (uint32_t)__builtin_clzll(differ) : 0;
    buffer *sorting = &((list_held *)job->held)->sorting;
    WEDGE_TRY(job_reserve(job, sorting, f->count * sizeof(sort_item)));
    return sort_native(job->dev, f->kept->found.host, sorting->host, f->count, bits, &f->list);
}

typedef struct {
    const triples_hits *f;
    const select_target *to;
} listing;

static void list_some(void *user, uint64_t begin, uint64_t end) {
    const listing *l = user;
    const select_target *to = l->to;
    for (uint64_t e = begin; e < end; ++e) {
        const sort_item *hit = &l->f->list[e];
        if (to->pairs.handle) {
            wedge_triple64 t = domain_triple(&l->f->job->domain, hit->key);
            int64_t *entry = (int64_t *)to->pairs.host + to->pair_shift + 3 * (e - to->least);
            entry[0] = (int64_t)t.i, entry[1] = (int64_t)t.j, entry[2] = (int64_t)t.k;
        }
        if (to->values.handle)
            dtype_put(to->values.host, to->value_shift + (e - to->least), hit->value, l->f->job->pairs.dtype);
    }
}

static wedge_status list(triples_hits *f, const select_target *to) {
    listing l = {f, to};
    return f->job->dev->backend->run(f->job->dev, list_some, &l, to->least, to->most, 1 << 14);
}

const triples_hits_path triples_hits_native = {0, bytes_of, sizeof(sort_item), find, sort, list};
