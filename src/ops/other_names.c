/* other_names.c: the names that other programs have for an op of the table.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "ops/ops.h"

/* Those of SciPy and scikit-learn. */
static const struct {
    const char *name, *op;
} others[] = {
    {"manhattan", "cityblock"}, {"l1", "cityblock"},         {"cblock", "cityblock"},
    {"cb", "cityblock"},        {"c", "cityblock"},          {"l2", "euclidean"},
    {"euclid", "euclidean"},    {"eu", "euclidean"},         {"e", "euclidean"},
    {"sqe", "sqeuclidean"},     {"sqeuclid", "sqeuclidean"}, {"linf", "chebyshev"},
    {"infinity", "chebyshev"},  {"chebychev", "chebyshev"},  {"cheby", "chebyshev"},
    {"cheb", "chebyshev"},      {"ch", "chebyshev"},         {"mi", "minkowski"},
    {"pnorm", "minkowski"},     {"p", "minkowski"},          {"m", "minkowski"},
    {"cos", "cosine"},          {"co", "correlation"},       {"matching", "hamming"},
    {"hamm", "hamming"},        {"ha", "hamming"},           {"h", "hamming"},
    {"jacc", "jaccard"},        {"ja", "jaccard"},           {"j", "jaccard"},
};

#define COUNT(table) ((int)(sizeof table / sizeof *table))

const char *op_canonical_name(const char *name) {
    for (int k = 0; name && k < COUNT(others); ++k)
        if (!strcasecmp(name, others[k].name)) return others[k].op;
    return name;
}

const char *op_other_name(const char *op, int index) {
    for (int k = 0; k < COUNT(others); ++k)
        if (!strcmp(op, others[k].op) && !index--) return others[k].name;
    return NULL;
}
