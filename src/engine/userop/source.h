/* source.h: the C source of a user's op for the cpu: native.c and what it includes, with the user's text where OP_FILE stands.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_USEROP_SOURCE_H
#define WEDGE_ENGINE_USEROP_SOURCE_H

#include "ops/ops.h"

/* Its functions end in _userop_f32_v3, by dtype and instruction set. Free it; NULL: no memory. */
char *userop_source(const op_def *op, wedge_dtype dtype, native_isa isa);

/* The compiler's option for an instruction set; NULL: none. */
const char *userop_isa_option(native_isa isa);

#endif
