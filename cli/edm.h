/* edm.h: the work of `wedge edm`.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_EDM_H
#define WEDGE_CLI_EDM_H

#include "request.h"

int edm_run(cli_work *w, void *request);

#endif
