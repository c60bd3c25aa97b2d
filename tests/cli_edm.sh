#!/bin/sh
# cli_edm.sh BUILD_DIR: `wedge edm` at the prompt, by someone who does not know how it works: right answers, and the same
# bytes however they are computed.
#
# On the cpu device, maps and tiles also on OpenCL where there is one; answers known or compared with another run. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
# shellcheck source=tests/edm_files.sh
. "$(dirname "$0")/edm_files.sh"

# ---- Good runs ----
npy "$dir/line3.npy" '<f8' '(3, 1)' 1 1 5
printf '0,0,0,2\n3,4,0,3\n3,4,12,10\n' > "$dir/spheres.csv"
printf '0,0,1,1\n1,1,2,2\n0.5,2,3,5\n' > "$dir/boxes.csv"
printf '0,0,0\n1,2,2\n0,3,4\n' > "$dir/bonds.csv"
printf '1.5707963267948966,0\n-1.5707963267948966,2\n' > "$dir/poles.csv"
printf '0\t0\n3\t4\n12\t16\n21\t28\n' > "$dir/four.tsv"
printf '# spaces\n0 0\n3 4\n\n12  16\n21 28' > "$dir/four.txt"
npy "$dir/four32.npy" '<f4' '(4, 2)' 0 0 3 4 12 16 21 28
npy "$dir/four_int.npy" '<i4' '(4, 2)' 0 0 3 4 12 16 21 28
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
yields "p_by_set" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric minkowski --set p=1
yields "minkowski_without_p_is_euclidean_as_in_scipy" "<f8 (6,)" "$apart" "$dir/four.npy" --metric minkowski
yields "minkowski_of_p_inf" "<f8 (6,)" "4 16 28 12 24 12" "$dir/four.npy" --metric minkowski --p inf
yields "gaussian" "<f8 (3,)" "1 0.1353352832366127 0.1353352832366127" "$dir/line3.npy" --metric gaussian --set sigma=2
yields "spheres_that_touch" "<f8 (3,)" "0 1 -1" "$dir/spheres.csv" --metric spheres
yields "boxes" "<f8 (3,)" "0 1 0" "$dir/boxes.csv" --metric boxes
yields "several_values_of_a_pair" "<f4 (3, 4)" "3 1 2 2 5 0 3 4 2.4494898 -1 1 2" "$dir/bonds.csv" \
    --metric displacement --dtype f32
head -n 2 "$dir/bonds.csv" > "$dir/bond.csv"
yields "several_values_in_a_square" "<f8 (2, 2, 4)" "0 0 0 0 3 1 2 2 3 -1 -2 -2 0 0 0 0" "$dir/bond.csv" \
    --metric displacement --layout square
yields "two_parameters" "<f8 (3,)" "inf 0 0" "$dir/line3.npy" --metric lennard_jones --set sigma=4 --set epsilon=3
yields "half_a_turn" "<f8 (1,)" "20015.086796020572" "$dir/poles.csv" --metric haversine --set radius=6371
printf '90,0\n-90,2\n' > "$dir/poles_in_degrees.csv"
npy "$dir/poles32.npy" '<f4' '(2, 2)' 90 0 -90 2
yields "half_a_turn_in_degrees" "<f8 (1,)" "20015.086796020572" "$dir/poles_in_degrees.csv" --metric haversine \
    --set radius=6371 --degrees
yields "degrees_as_f32" "<f4 (1,)" "3.1415927" "$dir/poles_in_degrees.csv" --metric haversine --degrees --dtype float32
yields "degrees_of_f32" "<f4 (1,)" "3.1415927" "$dir/poles32.npy" --metric haversine --degrees
haversine=$(dirname "$0")/../src/ops/metrics/haversine.h
"$wedge" run "$haversine" "$dir/poles_in_degrees.csv" --degrees -o - --device cpu --quiet > "$dir/piped"
check "an_op_of_angles_takes_degrees" test "$(numbers "$dir/piped")" = "3.141592653589793"
npy "$dir/shares.npy" '<f8' '(3, 4)' 1 2 0 0 3 0 5 0 0 0 0 0
yields "jaccard_of_numbers_is_that_of_truth" "<f8 (3,)" "0.6666666666666666 1 1" "$dir/shares.npy" --metric jaccard
yields "manhattan" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric manhattan
yields "a_metric_in_any_case" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric CityBlock
yields "another_name_in_any_case" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric L1
yields "l1" "<f8 (6,)" "7 28 49 21 42 21" "$dir/four.npy" --metric l1
yields "l2_by_a_long_dtype" "<f4 (6,)" "$apart" "$dir/four.npy" --metric=l2 --dtype=float32
yields "float64" "<f8 (6,)" "$apart" "$dir/four32.npy" --dtype float64
# The bytes of a file come on standard output, too.
to_stdout() { # NAME ENDING COMMAND IN OPTIONS...
    name=$1; ending=$2; shift 2
    rm -f "$dir/file.$ending" "$dir/piped" "$dir/named"
    "$wedge" "$@" -o "$dir/file.$ending" --device cpu --quiet --no-sync 2> "$dir/err" ||
        "$wedge" "$@" -o "$dir/file.$ending" --device cpu --quiet
    "$wedge" "$@" --format "$ending" --device cpu --quiet > "$dir/piped" 2> "$dir/err"
    "$wedge" "$@" -o - --format="$ending" --device cpu --quiet > "$dir/named" 2>> "$dir/err"
    cmp "$dir/file.$ending" "$dir/piped" && cmp "$dir/piped" "$dir/named" && [ ! -s "$dir/err" ]
    check "$name.${ending}_on_standard_output" test $? -eq 0
}
for ending in npy csv tsv; do
    to_stdout edm $ending edm "$dir/four.npy"
    to_stdout edm_packed $ending edm "$dir/four.npy" --layout packed --dtype f32
    to_stdout edm_of_two $ending edm "$dir/four.npy" "$dir/four_int.npy"
    to_stdout within $ending within "$dir/four.npy" --radius 20
    to_stdout knn $ending knn "$dir/four.npy" -k2
    to_stdout histogram $ending histogram "$dir/four.npy" --max 40 --bins 4
    to_stdout collide $ending collide "$dir/spheres.csv"
    to_stdout a_sink_of_run $ending run "$(dirname "$0")/../src/ops/metrics/cityblock.h" "$dir/four.npy" --sink nearest -k1
done
"$wedge" edm "$dir/four.npy" -o - --device cpu --quiet > "$dir/piped"
check "edm_to_a_pipe_is_npy" test "$(numbers "$dir/piped")" = "$apart"
"$wedge" within "$dir/four.npy" --radius 20 --format npy --values "$dir/values.npy" --device cpu --quiet > "$dir/piped"
check "values_in_a_file_beside_pairs_in_a_pipe" test "$(numbers "$dir/values.npy")" = "5 20 15 15"
fresh
"$wedge" edm "$dir/four.npy" "-o$d" --device cpu --quiet > "$dir/out" 2>&1
check "a_letter_and_its_value_in_one_word" test "$(numbers "$d")" = "$apart"
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
yields "two_points" "<f4 (1,)" "2.5" "$dir/two.npy"
yields "two_points_square" "<f4 (2, 2)" "0 2.5 2.5 0" "$dir/two.npy" --layout square
npy "$dir/line.npy" '<f8' '(3,)' 1 3 7
yields "one_dimension_is_one_feature" "<f8 (3,)" "2 6 4" "$dir/line.npy"
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
fresh
edm "$dir/four.npy" -o "$d" --metric minkowski --p 1.5 --quiet --json > "$dir/said"
holds "json_names_the_parameters" "$dir/said" '"metric": "minkowski", "parameters": \{"p": 1.5\}'
check "and_parses" python3 -m json.tool "$dir/said"
refuses "another_p_is_another_output" 2 "p is '1.5' there, but '3' here" \
    edm "$dir/four.npy" -o "$d" --device cpu --metric minkowski --set p=3 --resume

# ---- A dry run ----
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

# ---- Maps and tiles that cannot be had are said; the answer is the same ----
for option in "--block 64" "--map walk"; do
    fresh
    # shellcheck disable=SC2086 # an option and its value
    edm "$dir/four.npy" -o "$d" $option > "$dir/out" 2> "$dir/said"
    check "on_the_cpu_without_effect: $option" test $? -eq 0
    holds "and_that_is_said: $option" "$dir/said" "^wedge: warning: ${option% *} has no effect"
    fresh
    # shellcheck disable=SC2086 # likewise
    edm "$dir/four.npy" -o "$d" $option --quiet > "$dir/said" 2>&1
    check "but_not_if_quiet: $option" test ! -s "$dir/said"
done

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

finish
