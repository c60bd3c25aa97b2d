/* names.c: names of metrics that wedge does not have, with what to do instead; for the command, Python and C.
 *
 * SPDX-License-Identifier: MIT */
#include <strings.h>

#include "core/alike.h"
#include "ops/ops.h"

#define OF_BITS "write it with wedge run, in ten lines of C over 0 and 1"

static const struct {
    const char *name, *instead;
} lacking[] = {
    {"seuclidean", "divide each column by its standard deviation, then use euclidean"},
    {"se", "divide each column by its standard deviation, then use euclidean"},
    {"mahalanobis", "multiply the points by the Cholesky factor of the inverse covariance, then use euclidean"},
    {"mahal", "multiply the points by the Cholesky factor of the inverse covariance, then use euclidean"},
    {"wminkowski", "multiply column k by w[k]^(1/p), then use minkowski"},
    {"jensenshannon", "write it with wedge run, in ten lines of C"},
    {"js", "write it with wedge run, in ten lines of C"},
    {"tanimoto", "use jaccard, which is the same for 0 and 1"},
    {"rbf", "use gaussian with sigma = sqrt(1 / (2 gamma))"},
    {"pearson", "use correlation"},
    {"nan_euclidean", "fill in what is missing, then use euclidean"},
    {"dice", OF_BITS},
    {"kulczynski1", OF_BITS},
    {"kulsinski", OF_BITS},
    {"rogerstanimoto", OF_BITS},
    {"russellrao", OF_BITS},
    {"sokalmichener", OF_BITS},
    {"sokalsneath", OF_BITS},
    {"yule", OF_BITS},
};

#define COUNT(table) ((int)(sizeof table / sizeof *table))

const char *wedge_op_instead(const char *name) {
    for (int k = 0; name && k < COUNT(lacking); ++k)
        if (!strcasecmp(name, lacking[k].name)) return lacking[k].instead;
    return NULL;
}

wedge_status op_unknown(const char *name, note *n) {
    const char *instead = wedge_op_instead(name);
    alike meant = alike_to(name);
    for (int k = 0; k < wedge_op_count(0); ++k) alike_try(&meant, wedge_op_at(0, k)->name);
    if (instead) return note_fail(n, WEDGE_BAD_ARGUMENT, "no op '%s': %s", name, instead);
    if (meant.best) return note_fail(n, WEDGE_BAD_ARGUMENT, "no op '%s'; did you mean '%s'?", name, meant.best);
    return note_fail(n, WEDGE_BAD_ARGUMENT, "no op '%s'; wedge_op_at lists them", name);
}
