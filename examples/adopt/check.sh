#!/bin/sh
# check.sh: every pair of programs gives the same integers, in every language that could be built and can run here.
#
#     check.sh BUILD LANGUAGE...     run by `make check`
#
# All languages are compared with one another, too, since they ask the same question. The sizes are one point, one full
# tile, one point more, and several that end inside a tile. Last, the diffs in README.md must be those of the programs.
#
# SPDX-License-Identifier: MIT
build=$1
shift
cd "$(dirname "$0")" || exit 1

passed=0 failed=0 skipped=0
wrong() { echo "FAILED $*" && failed=$((failed + 1)); }
skip() { echo "skipped $*" && skipped=$((skipped + 1)); }
known=

# compare LANGUAGE N; status 77 from a program means that it found no device.
compare() {
    bb=$("$build/pairs_bb_$1" "$2" 2>&1) && wedge=$("$build/pairs_wedge_$1" "$2" 2>&1)
    case $? in
    0) ;;
    77) skip "$1: built, but $bb" && return 1 ;;
    *) wrong "$1, n = $2: $bb $wedge" && return ;;
    esac
    answer=${bb%%
*}
    others=$(echo "$known" | grep "^n = $2:") || others=$answer
    known="$known
$answer"
    if [ "$answer" = "${wedge%%
*}" ] && [ "$answer" = "$(echo "$others" | head -n 1)" ]; then
        echo "ok $1, $answer; $(echo "$bb" | tail -n 1), with wedge $(echo "$wedge" | tail -n 1)"
        passed=$((passed + 1))
    else
        wrong "$1: box: $bb, wedge: $wedge, before: $others"
    fi
}

for language in cuda opencl openmp; do
    case " $* " in
    *" $language "*) ;;
    *) skip "$language: not built" && continue ;;
    esac
    if [ $language = cuda ] && ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
        skip "cuda: built, but no GPU answers nvidia-smi -L"
        continue
    fi
    for n in 1 16 17 1000 3001; do compare $language $n || break; done
done

if sh readme.sh | diff README.md - >/dev/null; then
    echo "ok README.md shows the diffs of the programs"
    passed=$((passed + 1))
else
    wrong "README.md shows other diffs than the programs have: run make readme"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
