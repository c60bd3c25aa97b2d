/* userop/userop.h: what a job needs of a user's op.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_USEROP_USEROP_H
#define WEDGE_ENGINE_USEROP_USEROP_H

#include "backend/backend.h"
#include "ops/ops.h"

/* The definition in pairs->own_op, compiled for the dtype and the instruction set that the job will have. */
wedge_status userop_take(wedge_device *dev, const wedge_job_spec *pairs, const op_def **def);

/* What a status of a job with this op means: where a compiler refused it, the message says whose text that is about. */
wedge_status userop_explain(const wedge_op *op, wedge_status status);

const op_def *userop_def(const wedge_op *op);

/* Does the cpu device have a compiler for it? WEDGE_UNSUPPORTED, with the remedy: no. WEDGE_OK on devices that compile themselves. */
wedge_status userop_can_compile(wedge_device *dev);

#endif
