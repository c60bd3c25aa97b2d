"""The default floating-point environment for what Python and NumPy compute here, as the library has it for its own.

A program may round upward, trap, or have loaded a library that flushes small numbers to zero (-ffast-math).

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c
import functools

from . import _library as w

_DEFAULT = c.c_void_p(-1)  # FE_DFL_ENV of glibc and musl
_Environment = c.c_uint64 * 8  # fenv_t has 32 bytes at most
_keep, _set = w.lib.fegetenv, w.lib.fesetenv  # of the C library, through what libwedge is linked with
_keep.argtypes = _set.argtypes = [c.c_void_p]


def in_default_floats(function):
    """Runs the function in the default environment; the caller's comes back. It takes a microsecond."""

    @functools.wraps(function)
    def call(*args, **given):
        kept = _Environment()
        _keep(kept)
        _set(_DEFAULT)
        try:
            return function(*args, **given)
        finally:
            _set(kept)

    return call
