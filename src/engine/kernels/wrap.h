/* wrap.h: wraps coordinates far outside a periodic box back into it, before a difference is taken.
 *
 * A difference of numbers ten lengths away is rounded as numbers of that size are, and so is the multiple of the length that is
 * taken off it: what is left, less than a length, would have the errors of both. So points are wrapped while they are prepared;
 * nothing else sees the result. What lies in [-length / 2, length] stays as it is: boxes begin at 0 or have it in the middle, and
 * differences of such numbers have at most one length too many, which is taken off without rounding.
 *
 * Wrapping is exact. For |x| >= length, x and the length are both multiples of the length's last digit, and so is all that fmod and
 * the sum come to, which is smaller than the length. For x in (-length, -length / 2) the sum has at most the digits of x.
 *
 * C, CUDA C and OpenCL C. Comes after wedge/lang.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_KERNELS_WRAP_H
#define WEDGE_ENGINE_KERNELS_WRAP_H

/* Defines, for a kind of number, the coordinate x of a box of this length; 0: it is open, and x stays. So does what is not finite. */
#define WRAP(name, number)                                                              \
    WEDGE_FN number name(number x, number length) {                                     \
        if (!(length > 0) || (x >= -length / 2 && x <= length) || x - x != 0) return x; \
        const number rest = fmod(x, length);                                            \
        return rest < 0 ? rest + length : rest + 0; /* + 0 makes of -0 a 0 */           \
    }

#endif
