#!/bin/sh
# cli_scarce.sh BUILD_DIR: where stack or memory are short, `wedge` does its work or says so: never a crash, never another answer.
#
# Small stacks: with 160 kB, which all threads get then, too. Memory: libscarce.so (scarce.c) lets one allocation fail, or all from there on;
# the exit code is 5 with a message, or 0 with the same output as ever: some memory is not needed for the answer.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
scarce=$1/tests/libscarce.so
export WEDGE_DEVICE=cpu WEDGE_LIBCUDA=/nowhere WEDGE_LIBOPENCL=/nowhere WEDGE_CACHE_DIR="$dir/cache" WEDGE_NUM_THREADS=2
here=$(cd "$(dirname "$wedge")" && pwd)/wedge
case $scarce in /*) ;; *) scarce=$PWD/$scarce ;; esac
cd "$dir" || exit 2
awk 'BEGIN { print "x,y,z"; for (i = 0; i < 60; ++i) print i * 7 % 23 "," i * 5 % 17 "," i * 3 % 11 + i / 64 }' > a.csv
awk 'BEGIN { print "x,y,r"; for (i = 0; i < 9; ++i) print i "," i % 3 ",1" }' > s.csv
printf 'x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,0.001\n' > b.csv
printf '4\nwater\nO 0 0 0\nH 1 0 0\nH 0 1 0\nHe 0 0 3\n' > m.xyz
printf '#define OP_DIRECT 3\nWEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] - b[1]; }\n' > op.h
"$here" bench map --n 32 --map lambda --budget 3600 --noise 100000 --no-ceilings --json=run.json --quiet > out 2>&1 || cat out

# ---- A small stack ----
# shellcheck disable=SC3045 # dash and bash have it
on_a_small_stack() { (ulimit -s 160 && exec "$here" "$@" > out 2> err < in); }
small() { # NAME ARGS...
    name=$1; shift
    "$here" "$@" > want 2> err < in
    rm -f o.* o2.*
    if on_a_small_stack "$@" && cmp -s want out; then report ok "$name"; else report no "$name" "exit $?: $(head -c 200 err)"; fi
}
small "triplets_on_a_small_stack" triplets a.csv --nu 1
small "forces_on_a_small_stack" triplets a.csv --nu 1 --forces o.npy --force --dtype f64
small "lists_with_values_on_a_small_stack" within a.csv --radius 5 --values -
small "powers_on_a_small_stack" summary a.csv --metric minkowski --p 3
small "knn_on_a_small_stack" knn a.csv -k 3
small "an_op_of_ones_own_on_a_small_stack" run op.h a.csv --sink summary
small "bodies_on_a_small_stack" nbody b.csv --steps 2 --dt 0.1 -o o.npy --force
small "a_page_on_a_small_stack" report run.json -o o.html --quiet
small "a_lab_on_a_small_stack" bench compare run.json run.json

# ---- Little memory ----
if [ ! -e "$scarce" ] || ! LD_PRELOAD=$scarce SCARCE_COUNT=$dir/count "$here" map 7 > out 2>&1 || [ ! -s count ]; then
    echo "skipped: allocations cannot be made to fail here"
    finish; exit
fi

fails_at() { # NUMBER ARGS...: one attempt
    number=$1; shift
    rm -f o.* o2.*
    LD_PRELOAD=$scarce SCARCE_AT=$number "$here" "$@" > out 2> err < in
    code=$?
    if [ $code -eq 5 ] && [ -s err ]; then return 0; fi
    [ $code -eq 0 ] && cmp -s want out
}

short() { # NAME TRIES ARGS...: that many allocations, spread over all there are, fail one by one; then all from there on
    name=$1; tries=$2; shift 2
    LD_PRELOAD=$scarce SCARCE_COUNT=$dir/count "$here" "$@" > want 2> err < in
    all=$(cat count); step=$((all / tries + 1)); bad=
    unset SCARCE_FROM
    for number in $(seq 1 $step "$all"); do fails_at "$number" "$@" || bad="$bad $number ($code: $(head -c 100 err | tr '\n' '|'))"; done
    export SCARCE_FROM=1
    for number in $(seq 1 $((2 * step)) "$all"); do fails_at "$number" "$@" || bad="$bad from $number ($code: $(head -c 100 err | tr '\n' '|'))"; done
    unset SCARCE_FROM
    if [ -z "$bad" ]; then report ok "$name"; else report no "$name" "$bad"; fi
}
short "distances_with_little_memory" 20 edm a.csv -o o.npy
short "pairs_with_little_memory" 20 within a.csv --radius 5 --values o2.npy -o o.npy
short "neighbours_with_little_memory" 20 knn a.csv -k 2
short "atoms_with_little_memory" 60 triplets m.xyz --nu 1
short "spheres_with_little_memory" 20 collide s.csv
short "an_op_of_ones_own_with_little_memory" 30 run op.h a.csv --sink summary
short "a_map_with_little_memory" 20 map 7
# Times differ from run to run: 0 where rows were timed, else 5. Memory that ran out is never taken for another failure.
bench() { LD_PRELOAD=$scarce "$here" bench map --n 32 --map lambda --budget 3600 --noise 100000 --no-ceilings > out 2> err < in; }
benches_at() { # NUMBER: one attempt
    SCARCE_AT=$1 bench; code=$?
    case $code in 5) test -s err ;; 0) grep -q '^. bb ' out ;; *) false ;; esac
}
SCARCE_COUNT=$dir/count bench
all=$(cat count); bad=
for number in $(seq 1 $((all / 20 + 1)) "$all"); do
    benches_at "$number" || bad="$bad $number ($code: $(head -c 100 err))"
    SCARCE_FROM=1 benches_at "$number" || bad="$bad from $number ($code: $(head -c 100 err))"
done
if [ -z "$bad" ]; then report ok "a_bench_with_little_memory"; else report no "a_bench_with_little_memory" "$bad"; fi
short "a_page_with_little_memory" 15 report run.json -o o.html --quiet

finish
