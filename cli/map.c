/* cli/map.c: `wedge map`, the maps at the prompt: from w to a cell and back, drawings, and the list of maps.
 *
 * Numbers in, numbers out, one line each, so that it works in a pipe; that form is fixed. The answers are those of
 * the exact 64-bit functions of map.h, which know no bad argument; so every argument is checked here, against the
 * range that the message then names.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/maps.h"
#include "map_view.h"
#include "wedge/map.h"

static const char intro[] =
    "examples:\n"
    "  wedge map 7                            3 1: cell 7 of the triangle i >= j\n"
    "  wedge map --inverse 3 1                7\n"
    "  wedge map --dim 3 19                   3 3 3: the tetrahedron i >= j >= k\n"
    "  wedge map --strict 7                   4 1: without the diagonal, i > j\n"
    "  wedge map --order condensed --n 5 7    2 3: SciPy's order of 5 points, i < j\n"
    "  seq 0 9 | wedge map -                  one index per line of standard input\n"
    "  wedge map --draw 6                     the numbered triangle\n"
    "  wedge map --draw 6 --map rb            the block that takes each tile\n"
    "  wedge map --draw 8 --map rec --svg=rec.svg\n"
    "  wedge map --list                       every map, its grid, where it is exact\n"
    "\n"
    "usage: wedge map [options] W... | - | --inverse I J [K]... | --draw N | --list\n"
    "\n"
    "options:\n";

static const char notes[] =
    "\n"
    "W is the index of a cell in packed order: row by row, counted from 0. In a\n"
    "drawing, dots mark the diagonal that --strict leaves out. With --map, a number\n"
    "is a block: blocks are numbered over all launches, x fastest, and a letter names\n"
    "the launch if there are several. - marks a tile that no block takes, 7+ a tile\n"
    "that block 7 and others take.\n";

enum { INVERSE, DIM, RANK, STRICT, ORDER, POINTS, DRAW, MAP, BLOCK, BLOCKS, SVG, FORCE, LIST, HELP, OPTIONS };

static const cli_option options[OPTIONS] = {
    [INVERSE] = {"--inverse", NULL, "convert coordinates to W; several cells may follow one another"},
    [DIM] = {"--dim", "D", "2: triangle (default), 3: tetrahedron"},
    [RANK] = {"--rank", "D", NULL},
    [STRICT] = {"--strict", NULL, "without the diagonals: i > j (> k)"},
    [ORDER] = {"--order", "ORDER", "packed (default), or condensed: SciPy's, i < j, needs --n"},
    [POINTS] = {"--n", "N", "points of the condensed order, 2 to 6,074,001,000"},
    [DRAW] = {"--draw", "N", "draw the domain of side N, each cell with its W"},
    [MAP] = {"--map", "NAME", "with --draw: N tiles per side, each with the block that takes it"},
    [BLOCK] = {"--block", "RHO", "with --map: threads per side of a block, default 1"},
    [BLOCKS] = {"--blocks", "G", "with --map walk, bb-resident or rows: resident blocks, default 4"},
    [SVG] = {"--svg", "FILE", "with --draw: write an SVG picture, with --map also of the launched grid; - is stdout"},
    [FORCE] = {"--force", NULL, "overwrite FILE"},
    [LIST] = {"--list", NULL, "list the maps; with --dim D those of one dimension"},
    [HELP] = {"--help", NULL, "this text"},
};

/* An order of cells. Where strict, its cells are those of the full domain moved by `shift`. */
typedef struct {
    int rank;
    bool strict;
    uint64_t shift[3];
    uint64_t last;    /* the last row or layer with a 64-bit w; 2^64 cuts it short */
    const char *rule; /* what coordinates must obey */
} order;

static const order orders[] = {
    {2, false, {0, 0, 0}, UINT64_C(6074000999), "i >= j"},
    {2, true, {1, 0, 0}, UINT64_C(6074001000), "i > j"},
    {3, false, {0, 0, 0}, UINT64_C(4801278), "i >= j >= k"},
    {3, true, {2, 1, 0}, UINT64_C(4801280), "i > j > k"},
};

#define MOST_POINTS UINT64_C(6074001000)

typedef struct {
    const order *order;
    uint64_t points; /* of the condensed order; 0: packed */
    bool inverse;
    int code;       /* of a complaint: usage for the command line, data for standard input */
    char where[48]; /* "", or the line */
} query;

/* ---- Numbers ---- */

static int number_from(const query *q, const char *text, uint64_t *value) {
    if (cli_u64(text, value)) return EXIT_OK;
    return cli_error(q->code, "map: %s'%s' is not a whole number from 0 to 2^64 - 1 (18446744073709551615)", q->where,
                     text);
}

static int condensed_cell(const query *q, uint64_t p) {
    uint64_t pairs = wedge_tri64(q->points - 1);
    if (p >= pairs)
        return cli_error(q->code, "map: %s%" PRIu64 " is past the end: %" PRIu64 " points have pairs 0 to %" PRIu64,
                         q->where, p, q->points, pairs - 1);
    wedge_pair64 c = wedge_condensed_unrank64(q->points, p);
    printf("%" PRIu64 " %" PRIu64 "\n", (uint64_t)c.i, (uint64_t)c.j);
    return EXIT_OK;
}

static int condensed_place(const query *q, const uint64_t *c) {
    if (c[0] >= c[1] || c[1] >= q->points)
        return cli_error(q->code, "map: %s(%" PRIu64 ", %" PRIu64 "): condensed order needs i < j < %" PRIu64 "%s",
                         q->where, c[0], c[1], q->points, c[0] > c[1] && c[0] < q->points ? "; swap the two" : "");
    printf("%" PRIu64 "\n", (uint64_t)wedge_condensed_rank64(q->points, c[0], c[1]));
    return EXIT_OK;
}

static int packed_cell(const query *q, uint64_t w) {
    const uint64_t *shift = q->order->shift;
    if (q->order->rank == 2) {
        wedge_pair64 c = wedge_tri_unrank64(w);
        printf("%" PRIu64 " %" PRIu64 "\n", c.i + shift[0], c.j + shift[1]);
    } else {
        wedge_triple64 c = wedge_tet_unrank64(w);
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c.i + shift[0], c.j + shift[1], c.k + shift[2]);
    }
    return EXIT_OK;
}

static bool obeys(const order *o, const uint64_t *c) {
    for (int d = 1; d < o->rank; ++d)
        if (o->strict ? c[d - 1] <= c[d] : c[d - 1] < c[d]) return false;
    return true;
}

static int packed_place(const query *q, const uint64_t *c) {
    const order *o = q->order;
    char cell[80];
    int used = snprintf(cell, sizeof cell, "(%" PRIu64 ", %" PRIu64, c[0], c[1]);
    if (o->rank == 3) used += snprintf(cell + used, sizeof cell - (size_t)used, ", %" PRIu64, c[2]);
    snprintf(cell + used, sizeof cell - (size_t)used, ")");
    if (!obeys(o, c))
        return cli_error(q->code, "map: %s%s: coordinates must descend, %s%s", q->where, cell, o->rule,
                         o->strict ? " (--strict)" : "");
    uint64_t i = c[0] - o->shift[0], j = c[1] - o->shift[1], k = c[2] - o->shift[2];
    uint64_t first = o->rank == 2 ? wedge_tri64(i) : wedge_tet64(i);
    uint64_t rest = o->rank == 2 ? j : wedge_tri64(j) + k;
    if (c[0] > o->last || rest > UINT64_MAX - first)
        return cli_error(q->code, "map: %s%s: its index exceeds 64 bits; %s go to %" PRIu64 ", the last one in part",
                         q->where, cell, o->rank == 2 ? "rows" : "layers", o->last);
    printf("%" PRIu64 "\n", first + rest);
    return EXIT_OK;
}

/* One w, or one cell, and its answer. */
static int answer(const query *q, char *const *words) {
    uint64_t v[3] = {0};
    int count = q->inverse ? q->order->rank : 1;
    for (int d = 0; d < count; ++d) {
        int code = number_from(q, words[d], &v[d]);
        if (code) return code;
    }
    if (q->points) return q->inverse ? condensed_place(q, v) : condensed_cell(q, v[0]);
    return q->inverse ? packed_place(q, v) : packed_cell(q, v[0]);
}

/* ---- Where numbers come from ---- */

static int answer_line(query *q, char *line) {
    char *words[4], *rest = NULL;
    int wanted = q->inverse ? q->order->rank : 1, count = 0;
    for (char *word = strtok_r(line, " \t\r\n", &rest); word && count < 4; word = strtok_r(NULL, " \t\r\n", &rest))
        words[count++] = word;
    if (!count) return EXIT_OK;
    if (count != wanted)
        return cli_error(q->code, "map: %s%s; give %s per line", q->where,
                         count < wanted ? "too few numbers" : "too many numbers",
                         wanted == 1           ? "one w"
                         : q->order->rank == 2 ? "i j"
                                               : "i j k");
    return answer(q, words);
}

static int answer_stdin(query *q) {
    char *line = NULL;
    size_t size = 0;
    int code = EXIT_OK;
    q->code = EXIT_DATA;
    for (uint64_t at = 1; !code && getline(&line, &size, stdin) >= 0; ++at) {
        snprintf(q->where, sizeof q->where, "line %" PRIu64 ": ", at);
        code = answer_line(q, line);
    }
    free(line);
    if (!code && ferror(stdin)) code = cli_error(EXIT_DATA, "map: standard input: %s", strerror(errno));
    return code;
}

static int answer_all(query *q, const char **words, int count) {
    int each = q->inverse ? q->order->rank : 1;
    if (count == 1 && !strcmp(words[0], "-")) return answer_stdin(q);
    if (!count)
        return cli_error(EXIT_USAGE,
                         "map: missing argument: an index (wedge map 7), a cell (--inverse 3 1), --draw N or --list");
    if (count % each)
        return cli_error(EXIT_USAGE, "map: --inverse takes %d numbers per cell, %s, but there %s %d", each,
                         q->order->rule, count == 1 ? "is" : "are", count);
    int code = EXIT_OK;
    for (int a = 0; a < count && !code; a += each) code = answer(q, (char *const *)&words[a]);
    return code;
}

/* ---- Drawing ---- */

/* The largest side, by form (text, SVG) and rank. */
static const uint32_t most_drawn[2][2] = {{200, 40}, {512, 64}};

static int write_picture(const map_view *view, const char *file, bool force) {
    if (!*file) return cli_error(EXIT_USAGE, "map: --svg needs a file; - is standard output");
    cli_output out;
    int code = cli_output_open(&out, file, force);
    if (code) return code;
    view_draw_svg(view, out.f);
    return cli_output_close(&out, true);
}

static int read_side(const char *text, const char *option, uint32_t least, uint32_t most, uint32_t *value) {
    uint64_t number;
    if (!cli_u64(text, &number) || number < least || number > most)
        return cli_error(EXIT_USAGE, "map: %s %s: must be a whole number from %u to %u", option, text, least, most);
    *value = (uint32_t)number;
    return EXIT_OK;
}

static const char *map_of_rank(const void *rank, int k) {
    for (int m = 0; m < wedge_map_count(); ++m)
        if (wedge_map_at(m)->rank == *(const int *)rank && !k--) return wedge_map_at(m)->name;
    return NULL;
}

static int read_map(const char *name, view_request *ask) {
    ask->map = wedge_map_find(name, ask->rank);
    if (ask->map) return EXIT_OK;
    return cli_unknown(ask->rank == 2 ? "map: triangles have no map" : "map: tetrahedra have no map", name, map_of_rank,
                       &ask->rank);
}

static int draw(cli *c, const order *o, const char **values) {
    view_request ask = {.rank = o->rank, .strict = o->strict, .rho = 1, .resident = 4};
    uint32_t most = most_drawn[values[SVG] != NULL][o->rank - 2];
    int code = read_side(values[DRAW], "--draw", 1, most, &ask.n);
    if (!code && values[MAP]) code = read_map(values[MAP], &ask);
    if (!code && values[BLOCK]) code = read_side(values[BLOCK], "--block", 1, o->rank == 2 ? 32 : 10, &ask.rho);
    if (!code && values[BLOCKS]) code = read_side(values[BLOCKS], "--blocks", 1, 1u << 20, &ask.resident);
    if (code) return code;
    map_view view;
    code = view_make(c, &ask, &view);
    if (!code && !values[SVG])
        view_draw_text(&view, stdout);
    else if (!code && !strcmp(values[SVG], "-"))
        view_draw_svg(&view, stdout);
    else if (!code)
        code = write_picture(&view, values[SVG], values[FORCE] != NULL);
    view_free(&view);
    return code;
}

/* ---- The command ---- */

/* Options that mean something only beside another one. */
static int check_together(const char **values, int words) {
    static const struct {
        int option, needs;
    } rules[] = {{MAP, DRAW}, {SVG, DRAW}, {BLOCK, MAP}, {BLOCKS, MAP}, {FORCE, SVG}, {POINTS, ORDER}};
    for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
        if (values[rules[r].option] && !values[rules[r].needs])
            return cli_error(EXIT_USAGE, "map: %s needs %s", options[rules[r].option].name,
                             options[rules[r].needs].name);
    const char *whole = values[DRAW] ? "--draw" : values[LIST] ? "--list" : NULL;
    if (whole && (words || values[INVERSE] || values[ORDER] || (values[DRAW] && values[LIST])))
        return cli_error(EXIT_USAGE, "map: %s takes no numbers, and neither --inverse nor --order", whole);
    return EXIT_OK;
}

static int read_order(const char **values, query *q) {
    const char *text = values[ORDER] ? values[ORDER] : "packed";
    bool condensed = !strcmp(text, "condensed");
    int dim, code = cli_dim("map", values[DIM], values[RANK], &dim);
    if (code) return code;
    if (!condensed && strcmp(text, "packed"))
        return cli_error(EXIT_USAGE, "map: --order %s: must be packed or condensed", text);
    if (condensed && dim == 3)
        return cli_error(EXIT_USAGE, "map: condensed order is for pairs; leave out --dim 3, or use --order packed");
    if (condensed != (values[POINTS] != NULL))
        return cli_error(EXIT_USAGE, "map: --order condensed and --n N, the number of points, go together");
    if (condensed && (!cli_u64(values[POINTS], &q->points) || q->points < 2 || q->points > MOST_POINTS))
        return cli_error(EXIT_USAGE, "map: --n %s: must be a whole number from 2 to %" PRIu64, values[POINTS],
                         MOST_POINTS);
    q->order = &orders[(dim == 3 ? 2 : 0) + (values[STRICT] ? 1 : 0)];
    q->inverse = values[INVERSE] != NULL;
    return EXIT_OK;
}

int cmd_map(cli *c, int argc, char **argv) {
    const char *values[OPTIONS] = {0};
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    int count = 0;
    query q = {.code = EXIT_USAGE};
    if (!words) return cli_error(EXIT_SPACE, "map: no memory");
    int code = cli_parse("map", options, OPTIONS, argc, argv, values, words, &count);
    if (!code && values[HELP])
        cli_help("map", intro, options, OPTIONS, notes);
    else if (!code) {
        code = check_together(values, count);
        if (!code) code = read_order(values, &q);
        if (!code && values[LIST])
            map_list(values[DIM] || values[RANK] ? q.order->rank : 0);
        else if (!code)
            code = values[DRAW] ? draw(c, q.order, values) : answer_all(&q, words, count);
    }
    free(words);
    if (!fflush(stdout) && !ferror(stdout)) return code;
    return cli_error(errno == ENOSPC ? EXIT_SPACE : EXIT_RUN, "map: standard output: %s", strerror(errno));
}
