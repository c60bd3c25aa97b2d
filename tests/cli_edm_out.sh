#!/bin/sh
# cli_edm_out.sh BUILD_DIR: what `wedge edm` writes: .npy, CSV and TSV by the ending of OUT; and numbers that would overflow.
#
# On the cpu device. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
# shellcheck source=tests/edm_files.sh
. "$(dirname "$0")/edm_files.sh"

# writes NAME FILE TEXT ARGS...: exit 0 and exactly this text (printf's escapes) in FILE, and nothing beside it
writes() {
    name=$1; file=$o/$2; want=$3; shift 3
    fresh
    edm "$@" -o "$file" > "$dir/out" 2> "$dir/err"
    code=$?
    # shellcheck disable=SC2059 # escapes are meant
    printf "$want" > "$dir/want"
    if [ $code -eq 0 ] && cmp -s "$file" "$dir/want" && [ "$(left)" = "${file##*/} " ]; then report ok "$name"
    else report no "$name" "exit $code, $(head -c 200 "$dir/err") $(head -c 300 "$file" | tr '\n' '|')"; fi
}

echo 7 > "$dir/one.txt"
printf '0\n0.1\n' > "$dir/tenth.txt"
pairs='i,j,value\n0,1,5\n0,2,20\n0,3,35\n1,2,15\n1,3,30\n2,3,15\n'
writes csv_is_one_line_per_pair d.csv "$pairs" "$dir/four.csv"
writes an_ending_in_capitals_counts d.CSV "$pairs" "$dir/four.csv"
writes tsv_has_tabs d.tsv "$(printf '%s' "$pairs" | sed 's/,/\\t/g')" "$dir/four.csv"
writes packed_has_the_diagonal d.csv 'i,j,value\n0,0,0\n1,0,2.5\n1,1,0\n' "$dir/two.npy" --layout packed
writes a_square_is_a_table d.csv '0,5,20,35\n5,0,15,30\n20,15,0,15\n35,30,15,0\n' "$dir/four.npy" --layout square
writes one_point_has_no_pairs d.csv 'i,j,value\n' "$dir/one.txt"
writes numbers_are_as_short_as_they_can_be d.csv 'i,j,value\n0,1,0.1\n' "$dir/tenth.txt" --dtype f32
writes nan_is_written_so d.csv 'i,j,value\n0,1,5\n0,2,nan\n1,2,nan\n' "$dir/nan.npy" --nan propagate

# Every bit comes back: 1,124,250 values read from the text are those of the .npy.
text_is_exact() {
    fresh
    edm "$dir/some.npy" -o "$o/d.csv" || return 1
    python3 - "$o/d.csv" "$dir/want64.npy" << 'EOF'
import array, sys
values = array.array("d")
with open(sys.argv[2], "rb") as f:
    f.seek(128)
    values.frombytes(f.read())
n, k = 1500, 0
with open(sys.argv[1]) as f:
    assert next(f) == "i,j,value\n"
    for i in range(n):
        for j in range(i + 1, n):
            a, b, v = next(f).split(",")
            assert int(a) == i and int(b) == j and float(v) == values[k], (i, j, v)
            k += 1
    assert not f.read()
EOF
}
check every_bit_of_a_number_comes_back text_is_exact

# edm_refuses NAME CODE WORD OUT ARGS...: as refuses, and nothing is made
edm_refuses() {
    name=$1; code=$2; word=$3; out=$o/$4; shift 4
    fresh
    refuses "$name" "$code" "$word" edm --device cpu -o "$out" "$@"
    [ -z "$(left)" ] || report no "$name" "left $(left)"
}
for out in d.txt d d.npz d.npy.bak .npy/d d.; do
    edm_refuses "an_output_named_${out}_is_refused" 2 'must end in .npy, .csv or .tsv' "$out" "$dir/four.npy"
done
edm_refuses text_has_no_shards 2 '--shard needs -o OUT.npy' d.csv "$dir/four.npy" --shard 1/2
random_points "$dir/large" 4474 1 f4
edm_refuses ten_million_values_are_the_most_for_text 2 'use -o OUT.npy' d.csv "$dir/large.npy"
fresh
echo mine > "$o/d.csv"
refuses text_is_not_written_over_a_file 2 '--force overwrites' edm --device cpu "$dir/four.npy" -o "$o/d.csv"
check which_stays_as_it_was grep -qx mine "$o/d.csv"
refuses text_is_not_resumed_over_a_file 2 '--force overwrites' edm --device cpu "$dir/four.npy" -o "$o/d.csv" --resume
check which_stays_as_it_was_too grep -qx mine "$o/d.csv"

keeps_permissions() {
    chmod "$1" "$o/d.csv" && edm "$dir/four.npy" -o "$o/d.csv" --force && [ "$(stat -c %a "$o/d.csv")" = "$1" ]
}
for mode in 600 640 604; do check "force_keeps_permissions_$mode" keeps_permissions $mode; done

# ---- Overflow ----

random_points "$dir/ordinary" 50 3 f4
python3 - "$dir/ordinary.txt" > "$dir/scaled.csv" << 'EOF'
import sys
for line in open(sys.argv[1]): print(",".join(repr(1e20 * float(v)) for v in line.split(",")))
EOF
edm_refuses an_overflow_of_f32_is_foreseen 3 'use f64 (--dtype f64)' d.npy "$dir/scaled.csv" --metric sqeuclidean --dtype f32
printf '1e200\n-1e200\n' > "$dir/huge.txt"
edm_refuses an_overflow_of_f64_too 3 'scale the points' d.npy "$dir/huge.txt" --metric sqeuclidean
yields what_ends_in_the_range_is_not_refused '<f8 (1,)' '2e+200' "$dir/huge.txt"
yields what_only_adds_is_not_refused '<f8 (1,)' '2e+200' "$dir/huge.txt" --metric cityblock
fresh
check f64_takes_what_f32_cannot edm "$dir/scaled.csv" -o "$d" --metric sqeuclidean
check and_none_of_its_values_is_infinite sh -c '! od -An -v -tf8 -j128 "$1" | grep -q inf' - "$d"
check propagate_accepts_infinities edm "$dir/scaled.csv" -o "$d" --metric sqeuclidean --dtype f32 --nan propagate --force
check of_which_there_are_some sh -c 'od -An -v -tf4 -j128 "$1" | grep -q inf' - "$d"

finish
