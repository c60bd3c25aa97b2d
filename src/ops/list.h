/* list.h: the ops. One line each; the build compiles and embeds src/ops/NAME.h for every line. docs/add-an-op.md.
 *
 * SPDX-License-Identifier: MIT */
OP(euclidean)
OP(sqeuclidean)
OP(cityblock)
OP(chebyshev)
OP(minkowski)
OP(canberra)
OP(braycurtis)
OP(cosine)
OP(correlation)
OP(hamming)
OP(jaccard)
OP(dot)
