/* texts.h: device source that the build embeds, byte for byte the files of the repository.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_KERNELS_TEXTS_H
#define WEDGE_ENGINE_KERNELS_TEXTS_H

extern const char text_lang[];            /* include/wedge/lang.h */
extern const char text_map[];             /* include/wedge/map.h */
extern const char text_launch[];          /* src/core/launch.h */
extern const char text_certify[];         /* src/engine/kernels/certify.h */
extern const char text_op_builtins[];     /* src/ops/op_builtins.h */
extern const char text_store[];           /* src/sinks/store.h */
extern const char text_pairs[];           /* src/engine/kernels/pairs.h */
extern const char text_args[];            /* src/engine/kernels/args.h */
extern const char text_bands[];           /* src/engine/kernels/bands.h */
extern const char text_pairs_few[];       /* src/engine/kernels/pairs_few.h */
extern const char text_pairs_many[];      /* src/engine/kernels/pairs_many.h */
extern const char text_digits[];          /* src/sinks/digits.h */
extern const char text_leaves[];          /* src/sinks/leaves.h */
extern const char text_pairs_rows[];      /* src/engine/kernels/pairs_rows.h */
extern const char text_pairs_no_shared[]; /* src/engine/kernels/pairs_no_shared.h */
extern const char text_select[];          /* src/engine/kernels/select.h */
extern const char text_prune[];           /* src/engine/kernels/prune.h */
extern const char text_found[];           /* src/engine/kernels/found.h */
extern const char text_knn[];             /* src/engine/kernels/knn.h */
extern const char text_scatter[];         /* src/engine/kernels/scatter.h */
extern const char text_triples[];         /* src/engine/kernels/triples.h */
extern const char text_triples_sides[];   /* src/engine/kernels/triples_sides.h */
extern const char text_triples_store[];   /* src/engine/kernels/triples_store.h */
extern const char text_triples_found[];   /* src/engine/kernels/triples_found.h */
extern const char text_triples_pull[];    /* src/engine/kernels/triples_pull.h */
extern const char text_curve[];           /* src/engine/kernels/curve.h */
extern const char text_wrap[];            /* src/engine/kernels/wrap.h */
extern const char text_scan[];            /* src/engine/kernels/scan.h */
extern const char text_extent[];          /* src/engine/kernels/extent.h */
extern const char text_order[];           /* src/engine/kernels/order.h */
extern const char text_same[];            /* src/engine/kernels/same.h */
extern const char text_userop[];          /* src/engine/kernels/userop.h */

/* And source for the cpu, for the C compiler of the machine that runs it. */
extern const char text_native[];             /* src/ops/native.c */
extern const char text_native_op_builtins[]; /* src/ops/native.h */
extern const char text_native_call[];        /* src/ops/native_call.h */
extern const char text_native_triple[];      /* src/ops/native_triple.h */

#endif
