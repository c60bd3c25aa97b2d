#!/bin/sh
# header_alone.sh: lang.h and map.h, copied into an empty folder, serve a user's program in every language they promise.
#
#     tests/header_alone.sh SOURCE_DIR
#
# The program is tests/alone/: it walks triangles and tetrahedra and compares every map with counting. It is compiled
# with all warnings as errors, with and without double precision (CUDA and OpenCL in turn with the versions), and run wherever
# it can run. One line a compiler:
# ok, FAILED (with its output) or skipped (with the reason). Exit 1 if anything failed.
#
# SPDX-License-Identifier: MIT
set -u

if [ $# -ne 1 ] || [ ! -f "$1/include/wedge/map.h" ]; then
    echo "usage: $0 SOURCE_DIR (the root of wedge's sources)" >&2
    exit 2
fi
source_dir=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cp "$source_dir/include/wedge/lang.h" "$source_dir/include/wedge/map.h" "$source_dir"/tests/alone/* "$work" || exit 2
cd "$work" || exit 2

passed=0 failed=0 skipped=0
log=$work/log

# check NAME COMMAND...: the status of the command decides; 77 means that nothing here could take part.
check() {
    name=$1
    shift
    "$@" >"$log" 2>&1
    case $? in
    0) echo "ok $name" && passed=$((passed + 1)) ;;
    77) skip "$name" "$(tail -n 1 "$log")" ;;
    *) echo "FAILED $name: $*" && head -n 40 "$log" | sed 's/^/    /' && failed=$((failed + 1)) ;;
    esac
}

skip() { echo "skipped $1: $2" && skipped=$((skipped + 1)); }

have() { command -v "$1" >/dev/null 2>&1; }

# ---- C and C++: compile, link from two files, run ----

build_and_run() {
    "$@" -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror \
        -I. on_cpu.c second_unit.c -o on_cpu -lm && ./on_cpu
}

# on_cpu COMPILER STANDARD LANGUAGE
on_cpu() {
    have "$1" || { skip "$1 $2" "not found"; return; }
    check "$1 $2" build_and_run "$1" -x "$3" -std="$2" -O1
    check "$1 $2, no double" build_and_run "$1" -x "$3" -std="$2" -O1 -DWEDGE_NO_DOUBLE
    check "$1 $2, fast-math" build_and_run "$1" -x "$3" -std="$2" -O3 -ffast-math
}

on_cpu gcc c99 c
on_cpu gcc c11 c
on_cpu g++ c++17 c++
on_cpu clang c11 c
on_cpu clang++ c++17 c++

# ---- CUDA: compile for two architectures; run where a GPU answers ----

cuda_compile() { nvcc -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -I. "$@"; }

cuda_run() { cuda_compile -arch=native on_cuda.cu -o on_cuda "$@" && ./on_cuda; }

if ! have nvcc; then
    skip nvcc "not found"
else
    for how in "sm_80" "sm_90 -DWEDGE_NO_DOUBLE"; do
        arch=${how%% *}
        if nvcc --list-gpu-code 2>/dev/null | grep -qx "$arch"; then
            # shellcheck disable=SC2086 # an option, or none
            check "nvcc $how" cuda_compile -c on_cuda.cu -o on_cuda.o -arch=$how
        else
            skip "nvcc $arch" "this nvcc does not know it"
        fi
    done
    if have nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
        check "cuda run" cuda_run
        check "cuda run, no double" cuda_run -DWEDGE_NO_DOUBLE
        check "cuda run, fast-math" cuda_run -use_fast_math -DROOTS_ARE_ROUNDED=0
    else
        skip "cuda run" "no GPU answers nvidia-smi -L"
    fi
fi

# clang alone, without a toolkit: both halves, and the kernel must be in the device's.
clang_cuda() {
    arch=$1
    shift
    for half in --cuda-host-only --cuda-device-only; do
        clang++ -x cuda -std=c++17 -nocudainc -nocudalib -Wno-unknown-cuda-version -include cuda_stubs.h "--cuda-gpu-arch=$arch" \
            $half -O1 -S -Wall -Wextra -Werror -Wno-unused-function -I. "$@" checks.h -o cuda.s || return 1
    done
    grep 'entry check_all' cuda.s
}

if ! have clang++; then
    skip "clang cuda" "clang++ not found"
elif ! clang++ --print-targets 2>/dev/null | grep -q nvptx; then
    skip "clang cuda" "this clang has no nvptx"
else
    check "clang cuda sm_70" clang_cuda sm_70
    check "clang cuda sm_80, no double" clang_cuda sm_80 -DWEDGE_NO_DOUBLE
fi

# ---- OpenCL C: the compiler alone, then whatever runtime is there ----

cl_compile() {
    clang -x cl -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror -I. checks.h "$@"
}

if ! have clang; then
    skip "clang cl" "clang not found"
else
    for std in CL1.2 CL3.0; do
        check "clang cl $std" cl_compile -cl-std=$std
        check "clang cl $std, no double" cl_compile -cl-std=$std -DWEDGE_NO_DOUBLE
        # A device without doubles: lang.h must notice by itself, for the type itself is an error here.
        check "clang cl $std, device without double" cl_compile -cl-std=$std -Xclang \
            -cl-ext=-cl_khr_fp64,-__opencl_c_fp64
    done
fi

cl_link() { cc -std=c11 -O1 -Wall -Wextra -Werror -I. on_opencl.c -o on_opencl -lm "$@"; }

# cl_run MAJOR OPTIONS: see on_opencl.c. The kernel cache of PoCL stays inside the temporary folder.
cl_run() {
    POCL_CACHE_DIR=$work ./on_opencl "$@"
    status=$?
    [ $status -ne 77 ] || echo "no OpenCL device of version $1 or later"
    return $status
}

if ! have cc || ! echo '#include <CL/cl.h>' | cc -E - >/dev/null 2>&1; then
    skip "opencl run" "no C compiler or no CL/cl.h"
elif ! cl_link -lOpenCL >"$log" 2>&1 && ! cl_link -l:libOpenCL.so.1 >"$log" 2>&1; then
    if grep -q 'cannot find -l' "$log"; then
        skip "opencl run" "no libOpenCL"
    else
        check "opencl host" cl_link -l:libOpenCL.so.1
    fi
else
    check "opencl run CL1.2" cl_run 1 "-cl-std=CL1.2 -I."
    check "opencl run CL3.0, no double" cl_run 3 "-cl-std=CL3.0 -I. -DWEDGE_NO_DOUBLE"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
