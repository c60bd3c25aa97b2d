#!/bin/sh
# cli_edm_refuses.sh BUILD_DIR: what `wedge edm` cannot do is refused clearly, and nothing is harmed: usage, outputs that are
# there, places that cannot be written, bad input.
#
# On the cpu device. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
# shellcheck source=tests/edm_files.sh
. "$(dirname "$0")/edm_files.sh"

# ---- Usage ----
printf '1\n2\n' > "$dir/line1.csv"
printf '1,1\n1,2\n' > "$dir/line2.csv"
printf '2,48\n-151.2,33.9\n' > "$dir/longitudes.csv"
use() { name=$1; word=$2; shift 2; fresh; refuses "$name" 2 "$word" edm "$dir/four.npy" -o "$d" --device cpu "$@"; }
refuses "nothing_given" 2 "wedge edm IN -o OUT.npy" edm
refuses "no_output" 2 "-o" edm "$dir/four.npy"
refuses "no_input" 2 "edm" edm -o "$d"
fresh
cp "$dir/four.npy" "$o/in.npy"
refuses "the_input_is_not_the_output" 2 "is the input" edm "$o/in.npy" -o "$o/in.npy" --force
cp "$dir/four.npy" "$d.part"
refuses "the_input_is_not_the_part" 2 "is the input" edm "$d.part" -o "$d" --resume
rm "$d.part"
refuses "the_json_is_not_the_output" 2 "is the file of the distances, too" edm "$o/in.npy" -o "$d" --json="$d"
refuses "the_json_is_not_the_input" 2 "is the input" edm "$o/in.npy" -o "$d" --json="$o/in.npy" --force
refuses "an_empty_output" 2 "-o OUT.npy" edm "$o/in.npy" -o ""
refuses "standard_output_twice" 2 "--json=FILE" edm "$o/in.npy" -o - --json
refuses "a_format_and_a_file" 2 "has its format in its ending" edm "$o/in.npy" -o "$d" --format csv
refuses "an_unknown_format" 2 "npy, csv or tsv" edm "$o/in.npy" --format npz
refuses "a_slice_to_a_pipe" 2 "--shard needs -o OUT.npy" edm "$o/in.npy" -o - --shard 1/2
refuses "a_resume_to_a_pipe" 2 "--resume needs -o OUT.npy" edm "$o/in.npy" --format csv --resume
check "the_input_is_as_it_was" cmp "$dir/four.npy" "$o/in.npy"
fresh
refuses "three_inputs" 2 "or two" edm "$dir/four.npy" "$dir/four.csv" "$dir/four.npy" -o "$d"
refuses "unknown_option_says_where_they_are" 2 "wedge help edm" edm --frobnicate
for typed in --s:"'--set' or '--shard'" --metr:"'--metric'" -layout:"'--layout'" --kolumns:"'--columns'"; do
    use "an_option_that_was_meant: ${typed%%:*}" "did you mean ${typed#*:}?" "${typed%%:*}" 3
done
refuses "a_short_word_is_no_other_one" 2 "no option '--x'; wedge help edm" edm "$dir/four.npy" -o "$d" --x 5
refuses "the_word_for_a_letter" 2 "no option '--output'; did you mean '-o'?" edm "$dir/four.npy" --output "$d"
refuses "a_letter_that_is_no_option" 2 "no option '-x5'" edm "$dir/four.npy" -o "$d" -x5
use "unknown_metric_lists_them" "sqeuclidean" --metric frobnicate
use "a_mistyped_other_name" "did you mean 'manhattan'?" --metric manhatan
use "a_metric_that_wedge_lacks_in_any_case" "no metric 'SEuclidean': divide" --metric SEuclidean
use "an_op_of_three_points_is_no_metric" "no metric" --metric perimeter
grep -q jaccard "$dir/err" && grep -q cityblock "$dir/err"; check "and_all_of_them" test $? -eq 0
for lacking in seuclidean:deviation mahalanobis:Cholesky rbf:gaussian dice:'wedge run'; do
    use "a_metric_that_wedge_lacks_is_named: $lacking" "no metric '${lacking%%:*}': " --metric "${lacking%%:*}"
    holds "and_what_to_do_instead" "$dir/err" "${lacking#*:}"
done
printf '48.85,2.35\n40.71,-74\n' > "$dir/degrees.csv"
place() { name=$1; code=$2; word=$3; shift 3; refuses "$name" "$code" "$word" "$@" --device cpu; }
for command in edm "within --radius 1" "knn -k 1" "histogram --max 1 --bins 2" summary; do
    # shellcheck disable=SC2086,SC2046 # a command and its options
    place "degrees_taken_for_radians: $command" 3 "degrees.csv: row 0 (from 0) has latitude 48.85: haversine takes radians" \
        $command "$dir/degrees.csv" --metric haversine $([ "$command" != edm ] || echo "-o $d")
    holds "the_remedy_is_told" "$dir/err" "--degrees takes degrees"
done
place "degrees_in_the_second_file" 3 "degrees.csv: row 0" within "$dir/line2.csv" "$dir/degrees.csv" --radius 1 --metric haversine
place "a_latitude_beyond_90_degrees" 3 "are the columns longitude and latitude?" within "$dir/longitudes.csv" --radius 1 \
    --metric haversine --degrees
holds "it_is_told_in_degrees" "$dir/err" "has latitude -151.2: haversine takes degrees from -90 to 90"
cp "$dir/degrees.csv" "$dir/in"
place "degrees_of_standard_input" 3 "standard input: row 0 (from 0) has latitude 48.85" edm - -o "$d" --metric haversine
: > "$dir/in"
use "degrees_of_another_metric" "--degrees is for metrics of angles" --degrees
printf 'nan,0\n1,1\n' > "$dir/lost.csv"
refuses "a_latitude_that_is_nan" 3 "line 1, column 1" edm "$dir/lost.csv" -o "$d" --metric haversine --device cpu
check "nan_propagate_takes_it" "$wedge" edm "$dir/lost.csv" -o "$d" --metric haversine --nan propagate --device cpu --quiet
use "p_that_is_no_number" "--p" --metric minkowski --p two
use "p_zero" "p > 0" --metric minkowski --p 0
use "p_negative" "p = -1: must be p > 0" --metric minkowski --p -1
use "p_nan" "p = nan" --metric minkowski --p nan
use "a_set_without_a_value" "NAME=VALUE" --metric minkowski --set p
use "a_set_without_a_name" "NAME=VALUE" --metric minkowski --set =3
use "a_set_that_is_no_number" "must be a number" --metric minkowski --set p=3x
use "a_set_that_is_empty" "must be a number" --metric minkowski --set p=
use "a_set_out_of_range" "p = 0: must be p > 0" --metric minkowski --set p=0
use "a_set_twice" "given twice" --metric minkowski --set p=3 --set p=4
use "p_and_set" "given twice" --metric minkowski --p 3 --set p=3
use "a_parameter_that_is_not_there" "there are p" --metric minkowski --set exponent=3
use "a_parameter_of_a_metric_without" "it has none" --set p=3
use "a_sigma_of_0" "sigma > 0" --metric gaussian --set sigma=0
use "one_of_two_parameters_mistyped" "did you mean 'epsilon'?" --metric lennard_jones --set sigma=2 --set epsilom=1
refuses "a_record_of_another_size" 2 "haversine takes points of 2 numbers, not 1" \
    edm "$dir/line1.csv" -o "$d" --device cpu --metric haversine
use "a_value_that_f32_has_not" "as f32" --metric minkowski --dtype f32 --set p=1e-60
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
refuses "a_part_that_wedge_did_not_make" 2 "exists, and wedge did not make it" edm "$dir/some.npy" -o "$d" --device cpu
refuses "force_does_not_overwrite_it" 2 "exists, and wedge did not make it" edm "$dir/some.npy" -o "$d" --device cpu --force
check "it_is_unharmed_too" cmp "$d.part" "$dir/junk"
check "nothing_came_beside_it" test "$(left)" = "d.npy.part "
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
spoils "nan_in_text" 3 "line 2, column 2" "$dir/nan.csv"
printf 'a b\n1 2\n-inf 4\n' > "$dir/inf.txt"
spoils "inf_in_text" 3 "line 3, column 1" "$dir/inf.txt"
printf '1,2\n3,4\n5\n' > "$dir/ragged.csv"
spoils "ragged_text" 3 "line 3" "$dir/ragged.csv"
printf '1,2\n3,four\n' > "$dir/word.csv"
spoils "text_that_is_no_number" 3 "line 2, column 2: 'four'" "$dir/word.csv"
printf '1,2\n3,\n' > "$dir/hole.csv"
spoils "an_empty_field" 3 "line 2, column 2" "$dir/hole.csv"
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

# ---- Text of others ----
# obeyed NAME FILE: no byte of it is one that a terminal obeys, or no UTF-8
obeyed() {
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$2" || ! iconv -f UTF-8 -t UTF-8 "$2" > /dev/null 2>&1; then
        report no "$1" "$(od -c "$2" | head -5 | tr '\n' '|')"
    else report ok "$1"; fi
}
evil=$(printf '\033[31m\377\302\233.csv')
printf '\033]0;x\007,y\n1,2\n3,4\n' > "$dir/$evil"
cp "$dir/$evil" "$dir/in"
for words in "edm $dir/$evil.none -o $d" "edm $dir/$evil -o $d --columns z" "edm $dir/$evil -o $dir/$evil" \
    "within $dir/$evil --radius 9" "$evil" "edm --$evil" "edm $dir/$evil -o $d --metric $evil" "summary $dir/$evil"; do
    # shellcheck disable=SC2086 # words are words
    "$wedge" $words > "$dir/out" 2> "$dir/err" < "$dir/in"
    obeyed "nothing_is_obeyed_in_messages_of_${words%% *}" "$dir/err"
done
rm -f "$d"

# 6.1e9 points: more pairs than 64 bits count. Most of the file is a hole. The points alone pass the memory: either is right.
npy "$dir/many.npy" '|b1' '(6100000000, 1)'
if truncate -s 6100000128 "$dir/many.npy" 2> /dev/null; then
    spoils "pairs_beyond_64_bits" "3|5" "6100000000" "$dir/many.npy" --memory 1G
    rm "$dir/many.npy"
else skipped "pairs_beyond_64_bits" "no sparse file of 6 GB here"; fi

finish
