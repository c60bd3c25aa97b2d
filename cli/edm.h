/* edm.h: what `wedge edm` is asked beyond what all commands over pairs are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_EDM_H
#define WEDGE_CLI_EDM_H

#include "request.h"

typedef struct {
    const char *layout; /* its name */
} edm_request;

int edm_run(cli_work *w, void *request);

#endif
