/* triplets_check.c: atoms that have no energy are named before anything is computed.
 *
 * Atoms at one place are neighbours once they are sorted by x, y and z: n log n steps where pairs would take n^2.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "triplets.h"

static double number_at(const cli_work *w, uint64_t i, uint64_t f) {
    const void *data = w->sets[0].points.data;
    return w->size == 8 ? ((const double *)data)[i * w->d + f] : (double)((const float *)data)[i * w->d + f];
}

/* "line 5 (O)" of text, "row 3" of .npy, which counts from 0. */
typedef struct {
    char text[80];
} atom_text;

static atom_text name_of(const cli_work *w, uint64_t i) {
    const points_about *a = &w->sets[0].about;
    atom_text t;
    if (a->line && a->elements)
        snprintf(t.text, sizeof t.text, "line %" PRIu64 " (%.40s)", a->line + i, a->elements[i]);
    else
        snprintf(t.text, sizeof t.text, a->line ? "line %" PRIu64 : "row %" PRIu64 " (from 0)", a->line + i);
    return t;
}

static int check_columns(const cli_work *w) {
    if (w->d == 3 || w->d == 4) return EXIT_OK;
    return cli_error(EXIT_DATA,
                     "triplets: %s has %" PRIu64 " columns; atoms have x,y,z or x,y,z,nu; choose them with --columns",
                     w->r->in[0], w->d);
}

static int check_nu(const cli_work *w) {
    for (uint64_t i = 0; i < w->sets[0].n && w->d == 4; ++i)
        if (number_at(w, i, 3) < 0)
            return cli_error(EXIT_DATA, "triplets: %s: the atom of %s has nu = %g: must be 0 or above", w->r->in[0],
                             name_of(w, i).text, number_at(w, i, 3));
    return EXIT_OK;
}

typedef struct {
    double x[TRIPLETS_AXES];
    uint64_t i;
} place;

static bool coincide(const place *a, const place *b) {
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

static int by_place(const void *left, const void *right) {
    const place *a = left, *b = right;
    for (int f = 0; f < TRIPLETS_AXES; ++f)
        if (a->x[f] != b->x[f]) return a->x[f] < b->x[f] ? -1 : 1;
    return a->i < b->i ? -1 : 1;
}

static int check_places(const cli_work *w) {
    uint64_t n = w->sets[0].n, found = n;
    place *all = malloc(n * sizeof *all);
    if (!all) return cli_error(EXIT_SPACE, "triplets: no memory to compare %" PRIu64 " atoms", n);
    for (uint64_t i = 0; i < n; ++i) all[i] = (place){{number_at(w, i, 0), number_at(w, i, 1), number_at(w, i, 2)}, i};
    qsort(all, n, sizeof *all, by_place);
    for (uint64_t k = 1; k < n; ++k) /* the first of the file, of several */
        if (coincide(&all[k - 1], &all[k]) && (found == n || all[k - 1].i < all[found - 1].i)) found = k;
    atom_text a = name_of(w, found < n ? all[found - 1].i : 0), b = name_of(w, found < n ? all[found].i : 0);
    free(all);
    if (found == n) return EXIT_OK;
    return cli_error(EXIT_DATA,
                     "triplets: %s: the atoms of %s and %s are at the same position, so their energy is not finite; "
                     "remove one of them, or use --nan propagate",
                     w->r->in[0], a.text, b.text);
}

int triplets_check(const triplets *t) {
    const cli_work *w = t->w;
    uint64_t cells;
    wedge_dtype dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    if (wedge_layout_cells(w->c->ctx, WEDGE_TRIPLES, w->sets[0].n, 0, dtype, &cells))
        return cli_error(EXIT_DATA, "triplets: %s: %s", w->r->in[0], wedge_context_message(w->c->ctx));
    int code = check_columns(w);
    if (!code) code = check_nu(w);
    return code || w->r->input.nan_propagate ? code : check_places(w);
}

int triplets_not_finite(const triplets *t) {
    const cli_work *w = t->w;
    wedge_job *job = NULL;
    wedge_summary s = {.size = sizeof s};
    wedge_result result = {.size = sizeof result, .values = &s};
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .sink = "summary"};
    pairs.dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32, pairs.n = w->sets[0].n, pairs.d = TRIPLETS_AXES;
    pairs.points = w->sets[0].points.data, pairs.points_stride = w->d, pairs.box = t->q->periodic ? t->q->box : NULL;
    pairs.overflow = WEDGE_OVERFLOW_ACCEPTED;
    wedge_status status = wedge_job_create(w->dev, &pairs, &job);
    if (!status) status = wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &result, NULL, NULL);
    wedge_job_destroy(job);
    if (status) return cli_work_device_failed(w, status);
    return cli_error(
        EXIT_DATA,
        "triplets: %s: the energy is not finite in %s; the closest atoms, those of %s and %s, are %g apart; "
        "%s, or use --nan propagate",
        w->r->in[0], cli_work_dtype(w), name_of(w, s.min_i).text, name_of(w, s.min_j).text, s.min,
        w->size == 8 ? "scale the coordinates or move them" : "use --dtype f64");
}
