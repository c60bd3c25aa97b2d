/* native_no_double.c: certify/native.c again, on the path for devices without double precision.
 *
 * SPDX-License-Identifier: MIT */
#define WEDGE_NO_DOUBLE 1
#define CERTIFY_NAME certify_native_no_double
#include "engine/certify/native.c"
