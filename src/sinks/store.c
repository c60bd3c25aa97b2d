/* store.c: the host half of store: every value is kept.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks/sinks.h"

extern const sink_def sink_store_def;
const sink_def sink_store_def = {.info = {.name = "store",
                                          .summary = "keeps every value",
                                          SINK_OUTPUTS(SINK_OUTPUT("values", WEDGE_TYPE_DTYPE, "cells, values"))},
                                 .way = WAY_STORE,
                                 .triples = true};
