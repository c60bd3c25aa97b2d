#!/bin/sh
# cli_edm.sh BUILD_DIR: `wedge edm` at the prompt, by someone who does not know how it works: right answers, the same bytes
# however they are computed, clear refusals that harm nothing, and runs that survive being stopped or killed.
#
# On the cpu device (maps and tiles also on OpenCL where there is one), input made by python3 without NumPy, answers known or
# compared with another run. One line a check, then a count; exit 1 on failure. Needs about 1 GB in TMPDIR for the
# interrupted runs, and leaves them out, saying so, where there is less.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

chmod 755 "$dir"
o=$dir/o
d=$o/d.npy
fresh() { rm -rf "$o"; mkdir "$o"; }
left() { find "$o" -mindepth 1 -printf '%f ' | tr -d '\n'; }
edm() { "$wedge" edm --device cpu "$@" < "$dir/in"; }
skipped() { echo "skip  $1: $2"; }

# npy FILE DESCR SHAPE VALUES...: little-endian; any descr and shape go into the header, f4 and f8 decide the data
npy() {
    python3 - "$@" << 'EOF'
import struct, sys
file, descr, shape, *values = sys.argv[1:]
header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
kind = {"f4": "f", "f8": "d", "i4": "i", "b1": "b"}.get(descr[1:], "B")
values = [(float if kind in "fd" else int)(v) for v in values]
with open(file, "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
    f.write(struct.pack("<%d%s" % (len(values), kind), *values))
EOF
}

# random_points NAME N D f4|f8: NAME.npy, and the same points as text in NAME.txt
random_points() {
    python3 - "$@" << 'EOF'
import array, random, struct, sys
name, n, d, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
random.seed(n)
values = array.array("f" if kind == "f4" else "d", (random.gauss(0, 1) for _ in range(n * d)))
header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, n, d)
with open(name + ".npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
    f.write(values.tobytes())
if n * d < 100000:
    with open(name + ".txt", "w") as f:
        f.writelines(",".join(map(repr, values[i * d:i * d + d])) + "\n" for i in range(n))
EOF
}

about() { head -c 128 "$1" | tr -d '\000\223\001' | sed -n "s/.*'descr': '\([^']*\)'.*'shape': \(([^)]*)\).*/\1 \2/p"; }

numbers() { # FILE: the data as text
    case $(about "$1") in *f4*) format=f4 ;; *) format=f8 ;; esac
    start=$(($(od -An -tu2 -j8 -N2 "$1") + 10))
    tail -c +$((start + 1)) "$1" | od -An -v -t$format | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# yields NAME ABOUT NUMBERS ARGS...: exit 0, an OUT of this dtype and shape with these numbers, and nothing beside it
yields() {
    name=$1; want_about=$2; want=$3; shift 3
    fresh
    edm "$@" -o "$d" > "$dir/out" 2> "$dir/err"
    code=$?
    if [ $code -ne 0 ]; then report no "$name" "exit $code, $(head -c 300 "$dir/err" | tr '\n' '|')"
    elif [ "$(about "$d")" != "$want_about" ]; then report no "$name" "$(about "$d"), wanted $want_about"
    elif [ "$(numbers "$d")" != "$want" ]; then report no "$name" "$(numbers "$d"), wanted $want"
    elif [ "$(left)" != "d.npy " ]; then report no "$name" "left $(left)"
    else report ok "$name"; fi
}

# same NAME WANTED ARGS...: exit 0 and the bytes of the file WANTED, and nothing beside OUT
same() {
    name=$1; wanted=$2; shift 2
    fresh
    edm "$@" -o "$d" > "$dir/out" 2> "$dir/err"
    code=$?
    if [ $code -eq 0 ] && cmp -s "$wanted" "$d" && [ "$(left)" = "d.npy " ]; then report ok "$name"
    else report no "$name" "exit $code, left $(left), $(head -c 300 "$dir/err" | tr '\n' '|')"; fi
}

# ---- Good runs ----
check "help_starts_with_examples" sh -c "'$wedge' edm --help | head -n 1 | grep -q '^examples:'"
printf 'x,y\n0,0\n3,4\n12,16\n21,28\n' > "$dir/four.csv"
printf '0\t0\n3\t4\n12\t16\n21\t28\n' > "$dir/four.tsv"
printf '# spaces\n0 0\n3 4\n\n12  16\n21 28' > "$dir/four.txt"
npy "$dir/four.npy" '<f8' '(4, 2)' 0 0 3 4 12 16 21 28
npy "$dir/four32.npy" '<f4' '(4, 2)' 0 0 3 4 12 16 21 28
npy "$dir/four_int.npy" '<i4' '(4, 2)' 0 0 3 4 12 16 21 28
apart="5 20 35 15 30 15"
yields "comma_and_a_header" "<f8 (6,)" "$apart" "$dir/four.csv"
yields "tabs" "<f8 (6,)" "$apart" "$dir/four.tsv"
yields "spaces_comments_and_no_last_newline" "<f8 (6,)" "$apart" "$dir/four.txt"
yields "npy_f8" "<f8 (6,)" "$apart" "$dir/four.npy"
yields "npy_f4_stays_f4" "<f4 (6,)" "$apart" "$dir/four32.npy"
yields "integers_become_f8" "<f8 (6,)" "$apart" "$dir/four_int.npy"
yields "f8_as_f32" "<f4 (6,)" "$apart" "$dir/four.npy" --dtype f32
yields "f4_as_f64" "<f8 (6,)" "$apart" "$dir/four32.npy" --dtype f64
yields "text_as_f32" "<f4 (6,)" "$apart" "$dir/four.csv" --dtype=f32
yields "condensed_by_name" "<f8 (6,)" "$apart" "$dir/four.npy" --layout condensed
yields "packed" "<f8 (10,)" "0 5 0 20 15 0 35 30 15 0" "$dir/four.npy" --layout packed
yields "square" "<f8 (4, 4)" "0 5 20 35 5 0 15 30 20 15 0 15 35 30 15 0" "$dir/four.npy" --layout square
yields "cityblock" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric cityblock
yields "minkowski_of_p_1" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric minkowski --p 1
yields "minkowski_without_p_is_euclidean_as_in_scipy" "<f8 (6,)" "$apart" "$dir/four.npy" --metric minkowski
yields "minkowski_of_p_inf" "<f8 (6,)" "4 16 28 12 24 12" "$dir/four.npy" --metric minkowski --p inf
yields "dot_packed" "<f8 (10,)" "0 0 25 0 100 400 0 175 700 1225" "$dir/four.npy" --metric dot --layout packed
cp "$dir/four.csv" "$dir/in"
yields "text_from_standard_input" "<f8 (6,)" "$apart" -
cp "$dir/four32.npy" "$dir/in"
yields "npy_from_standard_input" "<f4 (6,)" "$apart" -
: > "$dir/in"

npy "$dir/one.npy" '<f8' '(1, 3)' 1 2 3
yields "one_point_condensed_is_empty" "<f8 (0,)" "" "$dir/one.npy"
yields "one_point_packed" "<f8 (1,)" "0" "$dir/one.npy" --layout packed
yields "one_point_square" "<f8 (1, 1)" "0" "$dir/one.npy" --layout square
npy "$dir/two.npy" '<f4' '(2, 1)' 1 3.5
yields "two_points" "<f4 (1,)" "2.5" "$dir/two.npy"
yields "two_points_square" "<f4 (2, 2)" "0 2.5 2.5 0" "$dir/two.npy" --layout square
npy "$dir/line.npy" '<f8' '(3,)' 1 3 7
yields "one_dimension_is_one_feature" "<f8 (3,)" "2 6 4" "$dir/line.npy"
npy "$dir/nan.npy" '<f8' '(3, 2)' 0 0 3 4 nan 1
yields "nan_propagates_where_asked" "<f8 (3,)" "5 nan nan" "$dir/nan.npy" --nan propagate

fresh
edm "$dir/four.npy" -o "$d" --quiet > "$dir/said" 2>&1
check "quiet_says_nothing" test ! -s "$dir/said"
fresh
edm "$dir/four.npy" -o "$d" --quiet --json > "$dir/said" 2> "$dir/err"
check "json_on_standard_output_parses" python3 -m json.tool "$dir/said"
fresh
edm "$dir/four.npy" -o "$d" --json="$dir/edm.json" --verbose > "$dir/out" 2> "$dir/err"
check "json_in_a_file_parses" python3 -m json.tool "$dir/edm.json"

# ---- A dry run ----
random_points "$dir/some" 1500 5 f8
fresh
edm "$dir/some.npy" -o "$d" --dry-run > "$dir/out" 2>&1
code=$?
tr '[:upper:]' '[:lower:]' < "$dir/out" > "$dir/dry"
check "a_dry_run_ends_well" test $code -eq 0
check "a_dry_run_writes_nothing" test -z "$(left)"
for word in size memory time device map tile; do holds "a_dry_run_tells_$word" "$dir/dry" "$word"; done
holds "a_dry_run_names_the_device" "$dir/dry" 'cpu'
holds "a_dry_run_tells_bytes" "$dir/dry" '[0-9] *([kmg]i?b|bytes)'
refuses "a_dry_run_reads_the_input" 3 "nan.npy" edm "$dir/nan.npy" -o "$d" --device cpu --dry-run

# ---- The same bytes ----
random_points "$dir/some32" 1500 5 f4
fresh
edm "$dir/some.npy" -o "$d" && mv "$d" "$dir/want64.npy"
edm "$dir/some32.npy" -o "$d" --layout packed && mv "$d" "$dir/want32.npy"
square="--layout square --metric correlation"
# shellcheck disable=SC2086 # options
edm "$dir/some.npy" -o "$d" $square && mv "$d" "$dir/want_square.npy"
# shellcheck disable=SC2086 # options
for t in 1 2 3; do
    same "threads_$t" "$dir/want64.npy" "$dir/some.npy" --threads $t
    same "threads_${t}_packed_f32" "$dir/want32.npy" "$dir/some32.npy" --layout packed --threads $t
    same "threads_${t}_square_correlation" "$dir/want_square.npy" "$dir/some.npy" $square --threads $t
done
# The output has 9 MB, the points 60 kB. A limit below what any run needs is refused; the smallest that is not is `tight`.
tight=
# shellcheck disable=SC2086 # options
for memory in 64M 16M 8M 4M 2M; do
    fresh
    edm "$dir/some.npy" -o "$d" --memory $memory > "$dir/out" 2> "$dir/err"
    [ $? -ne 5 ] || ! grep -q '^wedge: .*--memory' "$dir/err" || break
    tight=$memory
    same "memory_$memory" "$dir/want64.npy" "$dir/some.npy" --memory $memory
    same "memory_${memory}_square" "$dir/want_square.npy" "$dir/some.npy" $square --memory $memory
done
check "a_small_memory_is_accepted" test -n "$tight"
tight=${tight:-64M}
same "text_and_npy_of_the_same_points" "$dir/want64.npy" "$dir/some.txt"
cp "$dir/some.txt" "$dir/in"
same "standard_input_and_a_file" "$dir/want64.npy" -
: > "$dir/in"
WEDGE_NUM_THREADS=2 same "threads_by_environment" "$dir/want64.npy" "$dir/some.npy"

# ---- Shards ----
# shards NAME WANTED IN COUNT "ORDER" OPTIONS...: one after the other; OUT appears with the last, and not before
shards() {
    name=$1; wanted=$2; in=$3; count=$4; order=$5; shift 5
    fresh; early=
    for k in $order; do
        [ ! -e "$d" ] || early="OUT before shard $k"
        edm "$in" -o "$d" --shard "$k/$count" "$@" > "$dir/out" 2> "$dir/err" || early="shard $k: $(head -c 300 "$dir/err")"
    done
    if [ -z "$early" ] && cmp -s "$wanted" "$d" && [ "$(left)" = "d.npy " ]; then report ok "$name"
    else report no "$name" "$early; left $(left)"; fi
}
shards "shards_in_order" "$dir/want64.npy" "$dir/some.npy" 3 "1 2 3"
shards "shards_backwards" "$dir/want64.npy" "$dir/some.npy" 3 "3 2 1"
shards "shards_packed_f32" "$dir/want32.npy" "$dir/some32.npy" 5 "2 5 1 4 3" --layout packed --memory "$tight"
# shellcheck disable=SC2086 # options
shards "shards_square" "$dir/want_square.npy" "$dir/some.npy" 3 "2 3 1" $square --threads 1
shards "shard_1_of_1" "$dir/want64.npy" "$dir/some.npy" 1 "1"
fresh; edm "$dir/two.npy" -o "$d" && mv "$d" "$dir/want_two.npy"
shards "more_shards_than_pairs" "$dir/want_two.npy" "$dir/two.npy" 3 "2 1 3"
fresh; edm "$dir/one.npy" -o "$d" && mv "$d" "$dir/want_one.npy"
shards "shards_of_nothing" "$dir/want_one.npy" "$dir/one.npy" 2 "1 2"

shards_at_once() { # WANTED IN COUNT
    fresh; pids=; bad=0
    for k in $(seq "$3"); do
        edm "$2" -o "$d" --shard "$k/$3" > /dev/null 2> "$dir/err.$k" &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || bad=$?; done
    [ $bad -eq 0 ] && cmp "$1" "$d" && [ "$(left)" = "d.npy " ] && return
    echo "exit $bad, left $(left)"; cat "$dir"/err.*
    return 1
}
for round in 1 2 3; do check "shards_at_once_$round" shards_at_once "$dir/want64.npy" "$dir/some.npy" 3; done
check "many_shards_of_one_pair_at_once" shards_at_once "$dir/want_two.npy" "$dir/two.npy" 4

# ---- Maps and tiles, where a grid is launched ----
cl=$("$wedge" devices | awk '/^opencl/ { print $1; exit }')
if [ -z "$cl" ]; then skipped "maps_and_tiles" "no OpenCL device"; else
    random_points "$dir/few" 300 5 f4
    fresh
    "$wedge" edm "$dir/few.npy" -o "$d" --device "$cl" 2> "$dir/err" && mv "$d" "$dir/want_cl.npy"
    tiles=0
    for form in "--map lambda" "--map walk" "--block 16" "--block 32" "--block 64" "--block 32 --map lambda"; do
        fresh
        # shellcheck disable=SC2086 # options
        "$wedge" edm "$dir/few.npy" -o "$d" --device "$cl" $form > "$dir/out" 2> "$dir/err"
        code=$?
        case "$form" in --block*)
            [ $code -eq 2 ] && grep -q -- '--block' "$dir/err" && continue # no tile of this device
            tiles=$((tiles + 1)) ;;
        esac
        [ $code -eq 0 ] && cmp -s "$dir/want_cl.npy" "$d"
        check "same_bytes_on_${cl}_with: $form" test $? -eq 0
    done
    check "some_tile_can_be_chosen" test $tiles -gt 0
fi

# ---- Usage ----
use() { name=$1; word=$2; shift 2; fresh; refuses "$name" 2 "$word" edm "$dir/four.npy" -o "$d" --device cpu "$@"; }
refuses "nothing_given" 2 "--help" edm
refuses "no_output" 2 "-o" edm "$dir/four.npy"
refuses "no_input" 2 "edm" edm -o "$d"
fresh
cp "$dir/four.npy" "$o/in.npy"
refuses "the_input_is_not_the_output" 2 "is the input" edm "$o/in.npy" -o "$o/in.npy" --force
cp "$dir/four.npy" "$d.part"
refuses "the_input_is_not_the_part" 2 "is the input" edm "$d.part" -o "$d" --resume
rm "$d.part"
refuses "the_json_is_not_the_output" 2 "where the distances go" edm "$o/in.npy" -o "$d" --json="$d"
refuses "the_json_is_not_the_input" 2 "is the input" edm "$o/in.npy" -o "$d" --json="$o/in.npy" --force
refuses "output_to_a_pipe" 2 "-o OUT.npy" edm "$o/in.npy" -o -
check "the_input_is_as_it_was" cmp "$dir/four.npy" "$o/in.npy"
fresh
refuses "two_inputs" 2 "edm" edm "$dir/four.npy" "$dir/four.csv" -o "$d"
refuses "unknown_option_lists_the_known" 2 "--help" edm --frobnicate
use "unknown_metric_lists_them" "sqeuclidean" --metric euclid
grep -q jaccard "$dir/err" && grep -q euclid "$dir/err"; check "and_all_of_them" test $? -eq 0
use "p_that_is_no_number" "--p" --metric minkowski --p two
use "p_zero" "--p" --metric minkowski --p 0
use "p_negative" "--p" --metric minkowski --p -1
use "p_nan" "--p" --metric minkowski --p nan
use "p_without_minkowski" "minkowski" --p 3
use "p_with_another_metric" "minkowski" --metric cityblock --p 3
use "unknown_layout" "condensed" --layout full
use "unknown_dtype" "f64" --dtype f16
use "unknown_nan" "propagate" --nan ignore
for shard in 0/3 4/3 x 1 1/0 -1/3 1/3x /3 1/ 1.5/3; do use "shard_$shard" "--shard" --shard "$shard"; done
for memory in 0 x -1G 4X "" G; do use "memory_'$memory'" "--memory" --memory "$memory"; done
use "unknown_map" "lambda" --map lamda
use "a_map_that_takes_no_ranges" "lambda" --map hmap
use "threads_zero" "threads" --threads 0
use "threads_that_are_no_number" "threads" --threads many
refuses "no_such_device" 4 "cpu" edm "$dir/four.npy" -o "$d" --device cuda:99
refuses "an_unknown_kind_of_device" 4 "cpu" edm "$dir/four.npy" -o "$d" --device tpu
check "refusals_leave_nothing" test -z "$(left)"

# ---- Outputs that are there already ----
fresh
echo old > "$d"; cp "$d" "$dir/old"
refuses "an_output_that_exists" 2 "--force" edm "$dir/four.npy" -o "$d" --device cpu
check "it_is_unharmed" cmp "$d" "$dir/old"
edm "$dir/four.npy" -o "$d" --force > "$dir/out" 2>&1
check "force_replaces_it" test "$(numbers "$d")" = "$apart"
check "force_leaves_only_it" test "$(left)" = "d.npy "
fresh
echo junk > "$d.part"; cp "$d.part" "$dir/junk"
refuses "a_stale_part" 2 "--resume" edm "$dir/some.npy" -o "$d" --device cpu
check "it_is_unharmed_too" cmp "$d.part" "$dir/junk"
check "nothing_came_beside_it" test "$(left)" = "d.npy.part "
edm "$dir/some.npy" -o "$d" --force > "$dir/out" 2>&1
check "force_starts_afresh" cmp "$d" "$dir/want64.npy"
check "force_leaves_no_part" test "$(left)" = "d.npy "
same "resume_of_nothing_is_a_fresh_run" "$dir/want64.npy" "$dir/some.npy" --resume
edm "$dir/some.npy" -o "$d" --resume > "$dir/out" 2>&1
check "resume_of_a_complete_output_ends_well" test $? -eq 0
check "resume_of_a_complete_output_leaves_it" cmp "$d" "$dir/want64.npy"
refuses "an_output_that_is_a_folder" 2 "$o" edm "$dir/four.npy" -o "$o" --device cpu --force

# ---- Places that cannot be written ----
refuses "a_folder_that_is_not_there" 1 "nowhere" edm "$dir/four.npy" -o "$dir/nowhere/d.npy" --device cpu
mkdir "$dir/locked" && chmod 555 "$dir/locked"
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ "$(id -u)" -ne 0 ]; then
    refuses "an_unwritable_folder" 1 "locked" edm "$dir/four.npy" -o "$dir/locked/d.npy" --device cpu
elif $as_nobody test -x "$wedge" 2> /dev/null; then
    $as_nobody "$wedge" edm "$dir/four.npy" -o "$dir/locked/d.npy" --device cpu > "$dir/out" 2> "$dir/err"
    code=$?
    [ $code -eq 1 ] && grep -q '^wedge: .*locked' "$dir/err"
    check "an_unwritable_folder" test $? -eq 0
    check "nothing_was_written_there" test -z "$(ls -A "$dir/locked")"
else skipped "an_unwritable_folder" "root may write anywhere, and nobody cannot run $wedge"; fi

# On a disk of 1 MB that holds an older OUT: 9 MB do not fit.
mkdir "$dir/small"
cat > "$dir/full_disk" << 'EOF'
mount -t tmpfs -o size=1m tmpfs "$1/small" || exit 99
cp "$1/old" "$1/small/old.npy"
"$2" edm "$1/some.npy" -o "$1/small/new.npy" --device cpu > "$1/out" 2> "$1/err.new"; new=$?
"$2" edm "$1/some.npy" -o "$1/small/old.npy" --device cpu --force > "$1/out" 2> "$1/err.old"; old=$?
ls -A "$1/small" | tr '\n' ' ' > "$1/left"
cmp -s "$1/old" "$1/small/old.npy"
echo "$new $old $?" > "$1/full"
EOF
rm -f "$dir/full"
for spaces in -rm -m; do
    [ -e "$dir/full" ] || unshare $spaces sh "$dir/full_disk" "$dir" "$wedge" 2> /dev/null
done
if [ -e "$dir/full" ]; then
    check "a_full_disk_is_exit_5_and_an_older_output_unharmed" test "$(cat "$dir/full")" = "5 5 0"
    check "a_full_disk_leaves_nothing" test "$(cat "$dir/left")" = "old.npy "
    holds "a_full_disk_is_named" "$dir/err.new" '^wedge: .*new\.npy'
else skipped "a_full_disk" "no tmpfs can be mounted here"; fi
fresh
(trap '' XFSZ; ulimit -f 1000; edm "$dir/some.npy" -o "$d" > "$dir/out" 2> "$dir/err"; echo $? > "$dir/limited")
case $(cat "$dir/limited") in 1 | 5) true ;; *) false ;; esac
check "a_limit_on_file_size_is_told" test $? -eq 0
check "a_limit_on_file_size_leaves_nothing" test -z "$(left)"

# ---- Bad input ----
# spoils NAME CODE WORD IN OPTIONS...: this exit code (3|5: either), a message with the word and the name of the file; no OUT
# and no part is left, and with --force an older OUT is as it was
spoils() {
    name=$1; want=$2; word=$3; in=$4; shift 4
    named=${in##*/}; [ "$in" != - ] || named="standard input"
    fresh
    timeout 60 "$wedge" edm "$in" -o "$d" --device cpu "$@" > "$dir/out" 2> "$dir/err" < "$dir/in"
    code=$?; first=$(left)
    cp "$dir/old" "$d"
    timeout 60 "$wedge" edm "$in" -o "$d" --device cpu --force "$@" > "$dir/out2" 2>&1 < "$dir/in"
    again=$?
    case "|$want|" in *"|$code|"*) told=yes ;; *) told=no ;; esac
    if [ $told = yes ] && [ $again -eq $code ] && grep -q '^wedge: ' "$dir/err" && grep -qF -e "$word" "$dir/err" &&
        grep -qF -e "$named" "$dir/err" && [ ! -s "$dir/out" ] && [ -z "$first" ] && [ "$(left)" = "d.npy " ] &&
        cmp -s "$d" "$dir/old"; then report ok "$name"
    else report no "$name" "exit $code then $again, left '$first' then '$(left)', $(head -c 300 "$dir/err" | tr '\n' '|')"; fi
}
spoils "nan_in_npy" 3 "row 2, column 0" "$dir/nan.npy"
npy "$dir/inf.npy" '<f4' '(2, 3)' 1 2 3 4 5 inf
spoils "inf_in_npy" 3 "row 1, column 2" "$dir/inf.npy"
npy "$dir/huge.npy" '<f8' '(2, 2)' 1 2 1e300 4
spoils "a_value_beyond_f32" 3 "row 1, column 0" "$dir/huge.npy" --dtype f32
printf '1,2\n3,nan\n' > "$dir/nan.csv"
spoils "nan_in_text" 3 "line 2, column 1" "$dir/nan.csv"
printf 'a b\n1 2\n-inf 4\n' > "$dir/inf.txt"
spoils "inf_in_text" 3 "line 3, column 0" "$dir/inf.txt"
printf '1,2\n3,4\n5\n' > "$dir/ragged.csv"
spoils "ragged_text" 3 "line 3" "$dir/ragged.csv"
printf '1,2\n3,four\n' > "$dir/word.csv"
spoils "text_that_is_no_number" 3 "line 2, column 1: 'four'" "$dir/word.csv"
printf '1,2\n3,\n' > "$dir/hole.csv"
spoils "an_empty_field" 3 "line 2, column 1" "$dir/hole.csv"
: > "$dir/empty"
spoils "an_empty_file" 3 "empty" "$dir/empty"
spoils "empty_standard_input" 3 "empty" -
printf 'x,y\n' > "$dir/header.csv"
spoils "a_header_and_no_numbers" 3 "line 1" "$dir/header.csv"
npy "$dir/features.npy" '<f8' '(3, 0)'
spoils "zero_features" 3 "(3, 0)" "$dir/features.npy"
npy "$dir/points.npy" '<f8' '(0, 3)'
spoils "zero_points" 3 "(0, 3)" "$dir/points.npy"
head -c 160 "$dir/four.npy" > "$dir/cut.npy"
spoils "npy_cut_in_its_data" 3 "row 2" "$dir/cut.npy"
cp "$dir/cut.npy" "$dir/in"
spoils "npy_cut_on_standard_input" 3 "row 2" -
: > "$dir/in"
head -c 60 "$dir/four.npy" > "$dir/cut_header.npy"
spoils "npy_cut_in_its_header" 3 "header" "$dir/cut_header.npy"
head -c 6 "$dir/four.npy" > "$dir/cut_magic.npy"
spoils "npy_cut_after_its_magic" 3 "header" "$dir/cut_magic.npy"
(cat "$dir/four.npy"; echo more) > "$dir/long.npy"
spoils "npy_with_bytes_after_it" 3 "5 bytes" "$dir/long.npy"
npy "$dir/negative.npy" '<f8' '(-2, 2)' 1 2 3 4
spoils "npy_of_negative_shape" 3 "negative" "$dir/negative.npy"
npy "$dir/wide.npy" '<f8' '(99999999999999999999, 2)' 1 2
spoils "npy_of_a_shape_beyond_64_bits" 3 "64 bits" "$dir/wide.npy"
npy "$dir/product.npy" '<f8' '(4611686018427387904, 8)' 1 2
spoils "npy_of_a_product_beyond_64_bits" 3 "64-bit" "$dir/product.npy"
npy "$dir/claims.npy" '<f8' '(1000000000000, 4)' 1 2 3 4
spoils "npy_that_claims_terabytes" 3 "1000000000000" "$dir/claims.npy"
npy "$dir/cube.npy" '<f8' '(2, 2, 1)' 1 2 3 4
spoils "npy_of_three_dimensions" 3 "3 dimensions" "$dir/cube.npy"
npy "$dir/object.npy" '|O' '(2,)'
spoils "npy_of_objects" 3 "'|O'" "$dir/object.npy"
npy "$dir/complex.npy" '<c16' '(2,)'
spoils "npy_of_complex_numbers" 3 "'<c16'" "$dir/complex.npy"
python3 -c "import pickle, sys; pickle.dump([[1.0, 2.0]], open(sys.argv[1], 'wb'), 4)" "$dir/pickle.npy"
spoils "a_pickle" 3 "pickle" "$dir/pickle.npy"
printf 'PK\003\004rest' > "$dir/archive.npz"
spoils "an_archive" 3 "zip" "$dir/archive.npz"
printf '\223NUMPY\011\000' > "$dir/version.npy"
spoils "npy_of_version_9" 3 "9.0" "$dir/version.npy"
spoils "a_file_that_is_not_there" 3 "nothing.npy" "$dir/nothing.npy"
spoils "an_input_that_is_a_folder" 3 "folder" "$dir/small"
spoils "points_that_take_more_than_the_memory" 5 "--memory" "$dir/some.npy" --memory 10K

# 6.1e9 points: more pairs than 64 bits count. Most of the file is a hole. The points alone pass the memory: either is right.
npy "$dir/many.npy" '|b1' '(6100000000, 1)'
if truncate -s 6100000128 "$dir/many.npy" 2> /dev/null; then
    spoils "pairs_beyond_64_bits" "3|5" "6100000000" "$dir/many.npy" --memory 1G
    rm "$dir/many.npy"
else skipped "pairs_beyond_64_bits" "no sparse file of 6 GB here"; fi

# ---- Stopped and killed ----
now() { date +%s.%N; }
reckon() { awk "BEGIN { printf \"%.3f\", ($1) }"; }
at_random() { # LOW HIGH: a number between them
    awk -v r="$(od -An -N3 -tu4 /dev/urandom)" "BEGIN { printf \"%.3f\", $1 + ($2 - $1) * r / 16777216 }"
}
begin() { # ARGS...: in the background, with the signals a terminal would give it (sh ignores SIGINT there); sets pid
    env --default-signal=INT,TERM "$wedge" edm --device cpu -o "$d" "$@" > "$dir/out" 2> "$dir/err" < /dev/null &
    pid=$!
}
part_is_there() { # waits for it, or for the end of the run
    for _ in $(seq 500); do
        [ -e "$d.part" ] && return
        kill -0 "$pid" 2> /dev/null || return
        sleep 0.01
    done
}

# A small run killed at any moment from its start on: reading, reserving, writing the journal, computing, renaming.
killed_anywhere() {
    fresh; begun=$(now)
    edm "$dir/some.npy" -o "$d" --memory "$tight"
    whole=$(reckon "$(now) - $begun")
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        fresh
        begin "$dir/some.npy" --resume --memory "$tight"
        sleep "$(at_random 0 "$whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        [ ! -e "$d.part" ] || echo >> "$dir/parts"
        edm "$dir/some.npy" -o "$d" --resume --memory "$tight" || return 1
        cmp "$dir/want64.npy" "$d" || return 1
        find "$o" -mindepth 1 ! -path "$d" >> "$dir/beside"
    done
}
: > "$dir/parts"
: > "$dir/beside"
check "a_small_run_killed_at_any_moment_resumes_to_the_same_bytes" killed_anywhere
echo "      ($(wc -l < "$dir/parts") of 12 left a part)"

# A run of about two seconds on this machine: slow to compute, n from a measured smaller one.
slow="--metric minkowski --p 1.5 --threads 1 --memory 16M"
random_points "$dir/gauge" 1500 16 f8
fresh; begun=$(now)
# shellcheck disable=SC2086 # options
edm "$dir/two.npy" -o "$d" $slow > "$dir/out" 2>&1
started=$(now)
# shellcheck disable=SC2086 # options
edm "$dir/gauge.npy" -o "$d" $slow --force > "$dir/out" 2>&1
n=$(awk "BEGIN { t = $(now) - 2 * $started + $begun; if (t < .02) t = .02; n = 1500 * sqrt(2 / t)
    print int(n < 3000 ? 3000 : n > 11000 ? 11000 : n) }")
need=$((n * n / 128 + 200000)) # KiB, two outputs
if ! env --default-signal=INT,TERM true 2> /dev/null; then skipped "stopped_and_killed" "env has no --default-signal"
elif [ "$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')" -lt $need ]; then
    skipped "stopped_and_killed" "$need KiB are not free in $dir"
else
    random_points "$dir/big" "$n" 16 f8
    fresh; begun=$(now)
    # shellcheck disable=SC2086 # options
    edm "$dir/big.npy" -o "$d" $slow > "$dir/out" 2>&1 && mv "$d" "$dir/want_big.npy"
    whole=$(reckon "$(now) - $begun")
    echo "      (n = $n, $whole s undisturbed)"

    resumes() { # to the same bytes; notes what else is left
        # shellcheck disable=SC2086 # options
        edm "$dir/big.npy" -o "$d" $slow --resume "$@" && cmp "$dir/want_big.npy" "$d" || return
        find "$o" -mindepth 1 ! -path "$d" >> "$dir/beside"
    }
    stopped() { # SIGNAL AFTER: what is left of a run stopped so many seconds after its part was there
        fresh
        # shellcheck disable=SC2086 # options
        begin "$dir/big.npy" $slow
        part_is_there
        sleep "$2"
        kill "-$1" $pid 2> /dev/null; wait $pid
        code=$?
        if [ $code -eq 0 ]; then
            echo "      (it had ended before SIG$1)"
        else
            check "SIG$1_is_exit_6" test $code -eq 6
            check "SIG$1_leaves_a_part_and_no_output" test -e "$d.part" -a ! -e "$d"
            holds "SIG$1_tells_how_to_go_on" "$dir/err" '^wedge: .*--resume'
        fi
    }
    stopped INT "$(at_random "0.05 * $whole" "0.5 * $whole")"
    check "a_run_stopped_by_SIGINT_resumes_to_the_same_bytes" resumes
    stopped TERM "$(reckon "0.75 * $whole")"
    begun=$(now)
    check "a_run_stopped_by_SIGTERM_resumes_to_the_same_bytes" resumes
    rest=$(reckon "$(now) - $begun")
    check "it_did_not_compute_again_what_was_there ($rest of $whole s)" test "$(reckon "$rest < 0.8 * $whole")" = 1.000

    # Killed while it goes on from a journal, which a stop leaves whatever the time between two of them is.
    fresh; kills=0
    # shellcheck disable=SC2086 # options
    begin "$dir/big.npy" $slow
    part_is_there
    sleep "$(reckon "0.25 * $whole")"
    kill -INT $pid 2> /dev/null; wait $pid
    # shellcheck disable=SC2086 # options
    for round in 1 2 3 4 5; do
        begin "$dir/big.npy" $slow --resume
        part_is_there
        sleep "$(at_random "0.02 * $whole" "0.3 * $whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        [ ! -e "$d" ] || break
        kills=$((kills + 1))
        [ $round -eq 2 ] || continue
        refuses "a_killed_run_is_not_begun_again_unasked" 2 "--resume" edm "$dir/big.npy" -o "$d" --device cpu $slow
        refuses "resume_with_another_metric" 2 "metric" edm "$dir/big.npy" -o "$d" --device cpu --metric cityblock --resume
        refuses "resume_with_another_p" 2 "--force" edm "$dir/big.npy" -o "$d" --device cpu --metric minkowski --p 3 --resume
        refuses "resume_with_another_layout" 2 "--force" edm "$dir/big.npy" -o "$d" --device cpu $slow --resume \
            --layout packed
        refuses "resume_with_another_dtype" 2 "--force" edm "$dir/big.npy" -o "$d" --device cpu $slow --dtype f32 --resume
        refuses "resume_with_another_input" 2 "--force" edm "$dir/gauge.npy" -o "$d" --device cpu $slow --resume
        check "what_was_refused_left_the_part" test -e "$d.part" -a ! -e "$d"
    done
    check "a_run_killed_again_and_again_resumes_to_the_same_bytes" resumes --threads 2
    echo "      ($kills kills before it was whole)"

    shard_killed() {
        fresh
        # shellcheck disable=SC2086 # options
        begin "$dir/big.npy" $slow --shard 2/3
        part_is_there
        sleep "$(at_random "0.02 * $whole" "0.2 * $whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        # shellcheck disable=SC2086 # options
        edm "$dir/big.npy" -o "$d" $slow --shard 3/3 || return
        # shellcheck disable=SC2086 # options
        edm "$dir/big.npy" -o "$d" $slow --shard 1/3 --threads 2 || return
        [ ! -e "$d.part" ] || resumes --shard 2/3
    }
    check "a_shard_that_was_killed_resumes_to_the_same_bytes" shard_killed
fi
nothing_beside() { cat "$dir/beside"; [ ! -s "$dir/beside" ]; }
check "resumed_runs_leave_nothing_beside_their_output" nothing_beside

finish
