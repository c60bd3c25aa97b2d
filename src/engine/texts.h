/* texts.h: device source that the build embeds, byte for byte the files of the repository.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TEXTS_H
#define WEDGE_ENGINE_TEXTS_H

extern const char text_lang[];          /* include/wedge/lang.h */
extern const char text_map[];           /* include/wedge/map.h */
extern const char text_launch[];        /* src/core/launch.h */
extern const char text_certify[];       /* src/engine/certify_device.h */
extern const char text_words[];         /* src/ops/words.h */
extern const char text_store[];         /* src/sinks/store.h */
extern const char text_pairs[];         /* src/engine/pairs_device.h */
extern const char text_bands[];         /* src/engine/bands.h */
extern const char text_pairs_few[];     /* src/engine/pairs_few.h */
extern const char text_pairs_many[];    /* src/engine/pairs_many.h */
extern const char text_digits[];        /* src/sinks/digits.h */
extern const char text_leaves[];        /* src/sinks/leaves.h */
extern const char text_pairs_rows[];    /* src/engine/pairs_rows.h */
extern const char text_pairs_plain[];   /* src/engine/pairs_plain.h */
extern const char text_select[];        /* src/engine/select_device.h */
extern const char text_prune[];         /* src/engine/prune_device.h */
extern const char text_found[];         /* src/engine/found_device.h */
extern const char text_near[];          /* src/engine/near_device.h */
extern const char text_scatter[];       /* src/engine/scatter_device.h */
extern const char text_triples[];       /* src/engine/triples_device.h */
extern const char text_triples_sides[]; /* src/engine/triples_sides.h */
extern const char text_triples_store[]; /* src/engine/triples_store.h */
extern const char text_triples_found[]; /* src/engine/triples_found.h */
extern const char text_triples_pull[];  /* src/engine/triples_pull.h */
extern const char text_curve[];         /* src/engine/curve.h */
extern const char text_scan[];          /* src/engine/scan_device.h */
extern const char text_order[];         /* src/engine/order_device.h */
extern const char text_same[];          /* src/engine/same_device.h */
extern const char text_own[];           /* src/engine/own_device.h */

/* And source for the cpu, for the C compiler of the machine that runs it. */
extern const char text_native[];        /* src/ops/native.c */
extern const char text_native_words[];  /* src/ops/native.h */
extern const char text_native_call[];   /* src/ops/native_call.h */
extern const char text_native_triple[]; /* src/ops/native_triple.h */

#endif
