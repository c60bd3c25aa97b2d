#!/bin/sh
# readme.sh: prints README.md with its diffs renewed, so that they are never older than the programs.
#
# A block that follows a line <!-- diff FILE... --> holds `diff -U0` of pairs_bb<FILE> and pairs_wedge<FILE>.
#
# SPDX-License-Identifier: MIT
cd "$(dirname "$0")" || exit 1
awk '
    /^<!-- diff / { count = split($0, word, " ") }
    /^```$/ { inside = 0 }
    !inside
    /^```diff$/ {
        inside = 1
        for (f = 3; f < count; ++f) {
            bb = "pairs_bb" word[f]
            wedge = "pairs_wedge" word[f]
            system("diff -U0 --label " bb " --label " wedge " " bb " " wedge)
        }
    }
' README.md
