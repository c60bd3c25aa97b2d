/* pairlist.h: the pairs with a value up to a radius, for commands that list them: counted, as .npy, as text or as JSON.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_PAIRLIST_H
#define WEDGE_CLI_PAIRLIST_H

#include "request.h"

/* --count, --values, --brute. */
int cli_pairlist_parse(const cli_args *a, cli_request *r, cli_pairlist *p);

/* r->pairs has the op; everything else is done here. */
int cli_pairlist_run(cli_work *w, const cli_pairlist *p);

#endif
