/* certify/certify.h: certify with an additional piece of source, for the test that breaks maps on purpose.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_CERTIFY_CERTIFY_H
#define WEDGE_ENGINE_CERTIFY_CERTIFY_H

#include "wedge/wedge.h"

/* patch: device source put between the maps and the checks; NULL: none. Devices without a compiler refuse one. */
wedge_status certify_patched(wedge_device *dev, const wedge_certify_options *options, const char *patch,
                             wedge_certify_report *report);

#endif
