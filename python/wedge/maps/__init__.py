"""wedge.maps: the exact maps of map.h for kernels written in Python.

    wedge.maps.triton    functions to call in a Triton kernel
    wedge.maps.numba     the same for Numba, on the cpu and on CUDA

Both are imported by name, since each needs its compiler; nothing here needs the library. This module has what the host
asks before a launch: how many tiles there are, and how a resident grid shares them. Names are those of map.h without
wedge_.

SPDX-License-Identifier: MIT"""

import operator

__all__ = ["tri_count", "tet_count", "walk_grid"]


def _count(name: str, value: int) -> int:
    number = operator.index(value)
    if number < 0:
        raise ValueError(f"{name} is {number}: it must be 0 or more")
    return number


def tri_count(m: int) -> int:
    """Tiles i >= j of a triangle with m tiles per side, m(m+1)/2: the grid of a kernel that calls tri_unrank32.

    For cells, tri_count(n) counts the pairs i >= j of n points and tri_count(n - 1) those with i > j."""
    m = _count("m", m)
    return m * (m + 1) // 2


def tet_count(m: int) -> int:
    """Tiles i >= j >= k of a tetrahedron with m tiles per side, m(m+1)(m+2)/6: the grid for tet_unrank32.

    For cells, tet_count(n - 2) counts the triplets i > j > k of n points."""
    m = _count("m", m)
    return m * (m + 1) * (m + 2) // 6


def walk_grid(tiles: int, resident: int) -> tuple[int, int, int]:
    """(programs, run, extra) of a walk: `resident` programs, or fewer where there are fewer tiles.

    Launch that many programs (blocks) and hand run and extra to walk_first: program b takes run tiles, one more if b <
    extra. At least one program is launched, since neither Triton nor CUDA launches an empty grid; with no tile it does
    nothing."""
    tiles, resident = _count("tiles", tiles), _count("resident", resident)
    if resident == 0:
        raise ValueError("resident is 0: pass the multiprocessors times the programs that one of them holds")
    programs = max(1, min(tiles, resident))
    return programs, tiles // programs, tiles % programs
