/* kernel.c: composes the source of a job's kernel on a GPU from the embedded texts.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/program.h"
#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/kernels/texts.h"
#include "wedge/map.h"

/* Are there more blocks than bands.h counts with 32 bits? */
static bool uses_64_bits(const wedge_job *job) {
    uint64_t m = ceil_div(job->pairs.n, job->shape.tile);
    if (job->domain.kind->triples) return true;
    uint64_t tiles = gpu_domain(job)->full_rows ? m * gpu_full_columns(job) : wedge_tri64(m);
    return tiles * gpu_pieces_of(job) > INT32_MAX;
}

static char *shape_text(const wedge_job *job) {
    const wedge_job_spec *p = &job->pairs;
    const pairs_shape *s = &job->shape;
    return text_format(
        "typedef %s number;\n#define PAIRS_F64 %d\n#define PAIRS_TILE %uu\n#define PAIRS_LINES %uu\n"
        "#define PAIRS_WARPS %uu\n#define PAIRS_ROWS %uu\n#define PAIRS_PER_STORE %u\n#define PAIRS_RESIDENT %u\n"
        "#define PAIRS_D %d\n#define PAIRS_WALK %d\n#define PAIRS_NO_SHARED %d\n#define PAIRS_LISTED %d\n"
        "#define SINK_ROW_LIMITS %d\n#define SINK_MIRRORED %d\n#define PAIRS_PERIODIC %d\n#define PAIRS_IMAGES "
        "%uu\n#define "
        "PAIRS_STATE %u\n#define PAIRS_CUT %d\n#define "
        "BANDS_PIECES %uu\n%s%s",
        p->dtype == WEDGE_F64 ? "double" : "float", p->dtype == WEDGE_F64, s->tile, s->lines, s->warps, s->rows,
        s->per_store, s->resident, s->few ? (int)p->d : 0, s->walk, job->dev->no_shared, job->curve.ordered,
        job->sink.smallest > 0, gpu_is_mirrored(job), job->period.periodic, (uint32_t)p->d,
        gpu_is_sliced(job) ? job->op->state : 0, p->d > PART_FEATURES, gpu_pieces_of(job),
        gpu_domain(job)->device_definitions, job->sink.definitions ? job->sink.definitions : "");
}

static int triples_pieces(const wedge_job *job, source_piece *pieces) {
    const sink_def *sink = job->sink.def;
    int count = 0;
    if (sink->text) pieces[count++] = (source_piece){"sinks/digits.h", text_digits};
    pieces[count++] = (source_piece){"sinks/leaves.h", text_leaves};
    if (job->curve.ordered) pieces[count++] = (source_piece){"kernels/prune.h", text_prune};
    pieces[count++] = (source_piece){"triples_sides.h", text_triples_sides};
    if (sink->text) pieces[count++] = (source_piece){sink->info.name, sink->text};
    pieces[count++] = sink_adds_rows(&job->sink) ? (source_piece){"triples_pull.h", text_triples_pull}
                      : sink_stores(&job->sink)  ? (source_piece){"triples_store.h", text_triples_store}
                                                 : (source_piece){"kernels/triples.h", text_triples};
    if (sink_lists(&job->sink)) pieces[count++] = (source_piece){"triples_found.h", text_triples_found};
    return count;
}

/* The texts of a kernel, in order; returns how many. */
static int pieces_for(const wedge_job *job, const char *map, const char *shape, const char *parameters,
                      const char *op_file, source_piece *pieces) {
    const sink_def *sink = job->sink.def;
    const source_piece head[] = {{"lang.h", text_lang},
                                 {"map.h", text_map},
                                 {"map", map},
                                 {"launch.h", text_launch},
                                 {"kernels/args.h", text_args},
                                 {"pairs", shape},
                                 {op_file, parameters},
                                 {"ops/op_builtins.h", text_op_builtins},
                                 {op_file, job->op->text},
                                 {"wrap.h", text_wrap},
                                 {"kernels/pairs.h", text_pairs},
                                 {"domains", gpu_domain(job)->device_rows}};
    const source_piece many = {"pairs_many.h", text_pairs_many};
    const source_piece store[] = {{"sinks/store.h", text_store},
                                  {"bands.h", text_bands},
                                  job->shape.few ? (source_piece){"pairs_few.h", text_pairs_few} : many};
    const source_piece leaves[] = {{"sinks/digits.h", text_digits},
                                   {"sinks/leaves.h", text_leaves},
                                   {sink->info.name, sink->text},
                                   job->dev->no_shared ? (source_piece){"pairs_no_shared.h", text_pairs_no_shared}
                                   : job->shape.few    ? (source_piece){"pairs_rows.h", text_pairs_rows}
                                                       : many};
    size_t heads = sizeof head / sizeof *head, tails = sink_stores(&job->sink) ? sizeof store : sizeof leaves;
    memcpy(pieces, head, sizeof head);
    if (job->domain.kind->triples) return (int)heads + triples_pieces(job, pieces + heads);
    if (sink_adds_rows(&job->sink)) {
        int count = (int)heads;
        pieces[count++] = (source_piece){"sinks/leaves.h", text_leaves};
        if (job->curve.ordered) pieces[count++] = (source_piece){"kernels/prune.h", text_prune};
        pieces[count++] = (source_piece){"kernels/scatter.h", text_scatter};
        return count;
    }
    memcpy(pieces + heads, sink_stores(&job->sink) ? store : leaves, tails);
    int count = (int)(heads + tails / sizeof *pieces);
    if (job->info.pruned)
        pieces[count++] = (source_piece){"kernels/prune.h", text_prune};
    else if (sink_lists(&job->sink))
        pieces[count++] = (source_piece){"kernels/select.h", text_select};
    if (job->sink.smallest) pieces[count++] = (source_piece){"knn.h", text_knn};
    return count;
}

wedge_status gpu_build_job(wedge_job *job) {
    wedge_device *dev = job->dev;
    map_shape general = {.use64 = uses_64_bits(job), .origin = true};
    char *map = map_device_text(job->shape.map, general), *shape = shape_text(job);
    char *file = op_file_name(job->op), *parameters = op_parameters_line(job->op);
    source_piece pieces[19];
    wedge_status status =
        map && shape && file && parameters
            ? gpu_build(dev, pieces, pieces_for(job, map, shape, parameters, file, pieces), &job->gpu.program)
            : note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    free(map);
    free(shape);
    free(file);
    free(parameters);
    if (!status) status = dev->backend->kernel_new(dev, job->gpu.program, "pairs_kernel", &job->gpu.kernel);
    if (!status) status = dev->backend->resident(dev, job->gpu.kernel, LANES * job->shape.warps, &job->gpu.resident);
    return status;
}

/* A kernel lives on until its launches are done. */
wedge_status gpu_launch(const wedge_job *job, void *program, const char *name, grid_launch l) {
    wedge_device *dev = job->dev;
    void *kernel = NULL;
    if (!l.grid[0]) return WEDGE_OK;
    WEDGE_TRY(dev->backend->kernel_new(dev, program, name, &kernel));
    wedge_status status = dev->backend->launch(dev, job->queue, kernel, &l);
    dev->backend->kernel_free(dev, kernel);
    return status;
}
