#!/bin/sh
# cli_map.sh BUILD_DIR: `wedge map` at the prompt: its fixed forms byte for byte, its refusals with their exit codes.
#
# Scripts rely on these forms. Small answers are compared with counting by brute force (awk), the ends of the 64-bit
# range with constants from exact integer arithmetic elsewhere. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# prints NAME EXPECTED ARGS...: exit 0, these bytes (and a last newline) on standard output, nothing on standard error
prints() {
    name=$1; printf '%s\n' "$2" > "$dir/want"; shift 2
    "$wedge" map "$@" > "$dir/out" 2> "$dir/err" < "$dir/in"
    code=$?
    if [ $code -eq 0 ] && cmp -s "$dir/want" "$dir/out" && [ ! -s "$dir/err" ]; then report ok "$name"
    else report no "$name" "exit $code, $(head -c 200 "$dir/out" "$dir/err" | tr '\n' '|')"; fi
}

check() { # NAME COMMAND...: the command succeeds
    name=$1; shift
    if "$@" > /dev/null 2>&1; then report ok "$name"; else report no "$name" "$*"; fi
}

: > "$dir/in"

# ---- w to cell ----
prints "w_7_is_3_1" "3 1" 7
prints "several_w_are_several_lines" "0 0
1 0
3 1" 0 1 7
prints "strict_w_7_is_4_1" "4 1" --strict 7
prints "rank_3_w_19_is_the_corner_of_layer_3" "3 3 3" --rank 3 19
prints "rank_is_another_name_of_dim" "3 3 3" --dim 3 19
prints "rank_3_strict" "5 4 3" --rank 3 --strict 19
prints "condensed_prints_i_below_j" "2 3" --order condensed --n 5 7
prints "condensed_takes_strict_as_said" "2 3" --strict --order condensed --n 5 7
prints "packed_order_has_a_name" "3 1" --order packed 7
prints "the_last_64_bit_w" "6074000999 2746052115" 18446744073709551615
prints "the_last_64_bit_w_strict" "6074001000 2746052115" --strict 18446744073709551615
prints "the_last_64_bit_w_of_rank_3" "4801278 3483487 663727" --rank 3 18446744073709551615
prints "the_last_pair_of_the_largest_condensed" "6074000998 6074000999" \
    --order condensed --n 6074001000 18446744070963499499

# ---- cell to w ----
prints "inverse_3_1_is_7" "7" --inverse 3 1
prints "inverse_of_several_cells" "7
0" --inverse 3 1 0 0
prints "inverse_strict" "7" --inverse --strict 4 1
prints "inverse_rank_3" "19" --inverse --rank 3 3 3 3
prints "inverse_rank_3_strict" "19" --rank 3 --strict --inverse 5 4 3
prints "inverse_condensed" "7" --inverse --order condensed --n 5 2 3
prints "inverse_of_the_last" "18446744073709551615" --inverse 6074000999 2746052115
prints "inverse_of_the_last_of_rank_3" "18446744073709551615" --inverse --rank 3 4801278 3483487 663727

# ---- standard input ----
printf '7\n\n 0 \n' > "$dir/in"
prints "w_from_standard_input" "3 1
0 0" -
printf '3 1\n2\t2\n' > "$dir/in"
prints "cells_from_standard_input" "7
5" --inverse -
: > "$dir/in"
prints_nothing() { [ "$("$wedge" map - < /dev/null | wc -c)" -eq 0 ]; }
check "no_input_no_output" prints_nothing

# Brute force: all cells of the first rows, in order; and the way back.
brute() { # NAME ARGS OF MAP; the awk program is on standard input
    awk -f - > "$dir/cells" < /dev/stdin
    name=$1; shift
    seq 0 $(($(wc -l < "$dir/cells") - 1)) > "$dir/w"
    "$wedge" map "$@" - < "$dir/w" > "$dir/got"
    check "${name}_counts_like_nested_loops" cmp "$dir/cells" "$dir/got"
    "$wedge" map --inverse "$@" - < "$dir/cells" > "$dir/got"
    check "${name}_and_back" cmp "$dir/w" "$dir/got"
}
brute triangle << 'AWK'
BEGIN { for (i = 0; i < 90; i++) for (j = 0; j <= i; j++) print i, j }
AWK
brute strict_triangle --strict << 'AWK'
BEGIN { for (i = 0; i < 90; i++) for (j = 0; j < i; j++) print i, j }
AWK
brute tetrahedron --rank 3 << 'AWK'
BEGIN { for (i = 0; i < 25; i++) for (j = 0; j <= i; j++) for (k = 0; k <= j; k++) print i, j, k }
AWK
brute strict_tetrahedron --rank 3 --strict << 'AWK'
BEGIN { for (i = 0; i < 25; i++) for (j = 0; j < i; j++) for (k = 0; k < j; k++) print i, j, k }
AWK
brute condensed --order condensed --n 61 << 'AWK'
BEGIN { for (i = 0; i < 61; i++) for (j = i + 1; j < 61; j++) print i, j }
AWK

# ---- drawings ----
prints "draw_4" "0
1 2
3 4 5
6 7 8 9" --draw 4
prints "draw_aligns_columns" " 0
 1  2
 3  4  5
 6  7  8  9
10 11 12 13 14" --draw 5
prints "draw_strict_has_dots_on_the_diagonal" ".
0 .
1 2 .
3 4 5 ." --draw 4 --strict
prints "draw_rank_3_is_layer_by_layer" "i = 0
0

i = 1
1
2 3" --draw 2 --rank 3
prints "draw_rank_3_strict" "i = 2
.
0 .
. . ." --draw 3 --rank 3 --strict
prints "draw_bb_counts_idle_blocks" " 0
 4  5
 8  9 10
12 13 14 15

16 blocks, 6 idle" --draw 4 --map bb
prints "draw_rb_folds" "2
4 5
6 7 3
8 9 1 0

10 blocks, 0 idle" --draw 4 --map rb
prints "draw_walk_shows_runs" "0
0 0
1 1 1
2 2 3 3

4 blocks, 0 idle" --draw 4 --map walk
prints "draw_walk_with_more_blocks_than_tiles" "0
1 2

3 blocks, 0 idle" --draw 2 --map walk --blocks 9
prints "draw_rows_deals_out_rows" "0
1 1
2 2 2
3 3 3 3
0 0 0 0 0

4 blocks, 0 idle" --draw 5 --map rows
prints "draw_bb_resident_runs_through_the_box" "0
1 1
2 2 2
3 3 3 3

4 blocks, 0 idle" --draw 4 --map bb-resident
prints "draw_bb_resident_with_a_block_for_each_tile_of_the_box" "0
3 4
6 7 8

9 blocks, 3 idle" --draw 3 --map bb-resident --blocks 20
prints "draw_hmap_of_a_power_of_two_as_printed" "0
2 3
4 5 1
6 7 8 9

10 blocks, 0 idle" --draw 4 --map hmap
prints "draw_hmap_of_any_side_is_one_launch" "2
4 5
6 7 0

10 blocks, 4 idle" --draw 3 --map hmap
named_launches() { "$wedge" map --draw 17 --map rec | tail -n 2 | tr '\n' '|' | grep -qx 'a: grid 9 x 9 x 2|b: grid 9 x 9 x 1|'; }
check "draw_names_launches_where_there_are_several" named_launches
prints "draw_utm_goes_by_columns" "0
1 3
2 4 5

6 blocks, 0 idle" --draw 3 --map utm
prints "draw_with_larger_blocks_counts_threads" "0
1 2

3 blocks, 0 idle
12 threads, 2 without a cell" --draw 2 --map lambda --block 2
prints "draw_rec_shows_its_recursion" "a0
b4 a1
c6 c7 a2
c8 c9 b5 a3

10 blocks, 0 idle
a: grid 1 x 1 x 4
b: grid 1 x 1 x 2
c: grid 2 x 2 x 1" --draw 4 --map rec
prints "draw_hmap_of_a_tetrahedron_is_cubes_tops_and_strips" "i = 0
a0

i = 1
a4
a2 a1

i = 2
a7
a6 a5
b8 a3 b9

10 blocks, 0 idle
a: grid 2 x 2 x 2
b: grid 1 x 1 x 2" --draw 3 --dim 3 --map hmap
hmap_of_a_power() { "$wedge" map --draw 8 --dim 3 --map hmap | tail -n 3 | tr '\n' '|' | grep -qx '132 blocks, 12 idle|a: grid 4 x 4 x 6|b: grid 4 x 9 x 1|'; }
check "draw_hmap_of_a_power_of_two_has_the_authors_grid" hmap_of_a_power
printed_root() { "$wedge" map --draw 5 --rank 3 --map lambda-x | grep -q '1 tile missed'; }
check "draw_shows_where_a_printed_root_is_wrong" printed_root

# ---- pictures ----
xml() {
    if command -v python3 > /dev/null; then
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$1"
    else
        grep -q '</svg>' "$1"
    fi
}
for form in "--draw 1" "--draw 8" "--draw 8 --strict" "--draw 200" "--draw 512 --map hmap" "--draw 6 --rank 3" \
    "--draw 64 --rank 3 --map walk" "--draw 6 --rank 3 --strict" "--draw 6 --rank 3 --map lambda-x" "--draw 8 --rank 3 --map hmap" \
    "--draw 9 --map utm --block 4"; do
    "$wedge" map $form --svg=- > "$dir/p.svg" 2> /dev/null
    check "svg_is_well_formed: $form" xml "$dir/p.svg"
done
svg_numbers() { [ "$("$wedge" map --draw 8 --svg=- | grep -c 'class="n on-')" -eq 36 ]; }
check "svg_numbers_every_cell" svg_numbers
# marks MAP CLASS COUNT OPTIONS...: so many squares of a class in the picture of a map
marks() {
    map=$1; class=$2; want=$3; shift 3
    [ "$("$wedge" map --map "$map" --svg=- "$@" | grep -c "class=\"$class")" -eq "$want" ]
}
check "svg_shows_the_idle_half_of_the_bounding_box" marks bb idle 15 --draw 6
check "svg_shows_five_sixths_idle_in_a_box" marks bb idle 44 --draw 4 --dim 3
check "svg_of_lambda_has_no_idle_block" marks lambda idle 0 --draw 6
check "svg_numbers_blocks_and_tiles" marks lambda 'n on-' 42 --draw 6
check "svg_of_walk_shows_its_resident_blocks" marks walk 'n on-' 25 --draw 6
check "svg_of_rec_shows_idle_blocks_of_its_triangles" marks rec idle 4 --draw 8
launches() { "$wedge" map --draw 8 --map rec --svg=- | grep -c '>launch [abc]: ' | grep -qx 3; }
check "svg_of_rec_shows_its_launches" launches
captioned() { "$wedge" map --draw 6 --map "$1" --svg=- | grep -q ">$2<"; } # MAP CAPTION
check "svg_says_the_shape_of_a_grid" captioned bb "launched grid: 6 × 6 (grey: without a tile)"
check "svg_says_that_a_grid_in_several_lines_has_one_dimension" captioned lambda "launched grid: 21 blocks in one dimension"
docs=$(dirname "$0")/../docs/figures
for map in bb lambda walk; do
    "$wedge" map --draw 6 --map $map --svg=- > "$dir/now.svg"
    check "the_drawing_in_the_readme_is_current: $map (tools/figures renews it)" cmp "$docs/map-$map.svg" "$dir/now.svg"
done
"$wedge" map --draw 8 --dim 3 --map hmap --svg="$dir/now.svg" --force > /dev/null
check "the_drawing_of_hmap_in_maps_md_is_current (tools/figures renews it)" cmp "$docs/map-hmap-tetrahedron.svg" "$dir/now.svg"
pictures_are_current() {
    mkdir "$dir/pictures" && WEDGE=$wedge "$docs/../../tools/pair-pictures" "$dir/pictures" &&
        cmp "$dir/pictures/rdf.svg" "$docs/rdf.svg" && cmp "$dir/pictures/neighbours.svg" "$docs/neighbours.svg"
}
check "the_pictures_of_pairs_are_current (tools/figures renews them)" pictures_are_current
prints_to_file() { "$wedge" map --draw 4 --svg="$dir/a.svg" && [ -s "$dir/a.svg" ] && [ ! -e "$dir/a.svg.part" ]; }
check "svg_to_a_file_leaves_no_part" prints_to_file
cp "$dir/a.svg" "$dir/before.svg"
refuses "svg_keeps_a_file_that_exists" 2 "--force" map --draw 5 --svg="$dir/a.svg"
check "svg_left_it_as_it_was" cmp "$dir/a.svg" "$dir/before.svg"
check "svg_force_overwrites" "$wedge" map --draw 5 --svg="$dir/a.svg" --force
check "svg_changed" sh -c "! cmp -s '$dir/a.svg' '$dir/before.svg'"
refuses "svg_into_a_missing_folder" 1 "No such file" map --draw 4 --svg="$dir/none/a.svg"
refuses "svg_without_a_name" 2 "needs a" map --draw 4 --svg=
refuses "svg_onto_a_folder" 2 "not a plain file" map --draw 4 --svg="$dir" --force

full_disk() { "$wedge" map 7 > /dev/full; [ $? -eq 5 ]; }
[ ! -c /dev/full ] || check "a_full_disk_is_exit_5" full_disk

# ---- list and help ----
fits() { "$wedge" map --list | awk 'length > 80 { wide = 1 } END { exit wide }'; }
check "list_fits_80_columns" fits
listed() { "$wedge" map --list | grep -q '^lut  *3 '; }
check "list_names_the_maps" listed
one_rank() { ! "$wedge" map --list --rank 2 | grep -q '^lut'; }
check "list_of_one_rank" one_rank

# ---- refusals ----
refuses "nothing_given" 2 "wedge map 7" map
refuses "not_a_number" 2 "'seven'" map seven
refuses "a_negative_number" 2 "-1" map -1
refuses "a_fraction" 2 "'7.5'" map 7.5
refuses "past_64_bits" 2 "2^64" map 18446744073709551616
refuses "unknown_option" 2 "--invers" map --invers 3 1
refuses "unknown_rank" 2 "2 (triangle) or 3" map --rank 4 1
refuses "dim_and_rank_that_differ" 2 "one option" map --dim 3 --rank 2 1
refuses "unknown_order" 2 "packed or condensed" map --order scipy 1
refuses "condensed_without_n" 2 "--n" map --order condensed 1
refuses "n_without_condensed" 2 "--order" map --n 5 1
refuses "condensed_of_rank_3" 2 "--dim 3" map --order condensed --n 5 --rank 3 1
refuses "condensed_with_one_point" 2 "from 2 to 6074001000" map --order condensed --n 1 0
refuses "condensed_with_too_many_points" 2 "6074001000" map --order condensed --n 6074001001 0
refuses "condensed_past_the_last_pair" 2 "0 to 9" map --order condensed --n 5 10
refuses "inverse_with_an_odd_count" 2 "2 numbers" map --inverse 3 1 4
refuses "inverse_of_rank_3_with_two" 2 "3 numbers" map --inverse --rank 3 3 1
refuses "inverse_with_j_above_i" 2 "i >= j" map --inverse 1 3
refuses "inverse_strict_on_the_diagonal" 2 "i > j" map --inverse --strict 3 3
refuses "inverse_rank_3_out_of_order" 2 "i >= j >= k" map --inverse --rank 3 3 1 2
refuses "inverse_rank_3_strict_out_of_order" 2 "i > j > k" map --inverse --strict --rank 3 3 2 2
refuses "inverse_condensed_out_of_order" 2 "swap" map --inverse --order condensed --n 5 3 2
refuses "inverse_condensed_past_n" 2 "i < j < 5" map --inverse --order condensed --n 5 3 5
refuses "inverse_past_the_last_row" 2 "6074000999" map --inverse 6074001000 0
refuses "inverse_past_the_cut_of_the_last_row" 2 "6074000999" map --inverse 6074000999 2746052116
refuses "inverse_strict_past_the_last_row" 2 "6074001000" map --strict --inverse 6074001001 0
refuses "inverse_past_the_last_layer" 2 "4801278" map --rank 3 --inverse 4801279 0 0
refuses "inverse_past_the_cut_of_the_last_layer" 2 "4801278" map --rank 3 --inverse 4801278 3483487 663728
refuses "inverse_strict_past_the_last_layer" 2 "4801280" map --rank 3 --strict --inverse 4801281 1 0
refuses "unknown_map_lists_the_known" 2 "bb, lambda, lambda-x" map --draw 4 --map frobnicate
refuses "a_map_of_the_other_rank" 2 "lut" map --draw 4 --rank 3 --map rec
refuses "map_without_draw" 2 "--draw" map --map rb 7
refuses "svg_without_draw" 2 "--draw" map --svg=x.svg 7
refuses "draw_with_numbers" 2 "--draw" map --draw 4 7
refuses "draw_zero" 2 "1 to 200" map --draw 0
refuses "draw_too_large" 2 "1 to 200" map --draw 201
refuses "svg_too_large" 2 "1 to 512" map --draw 513 --svg=-
refuses "svg_too_large_of_rank_3" 2 "1 to 64" map --draw 65 --rank 3 --svg=-
refuses "draw_strict_with_no_cell" 2 "--draw 2" map --draw 1 --strict
refuses "block_out_of_range" 2 "1 to 32" map --draw 4 --map bb --block 33
refuses "blocks_zero" 2 "--blocks" map --draw 4 --map walk --blocks 0
printf 'x\n' > "$dir/in"
refuses "bad_line_of_input_is_bad_data" 3 "line 1" map -
printf '1 2\n' > "$dir/in"
refuses "too_many_numbers_a_line" 3 "line 1" map -
: > "$dir/in"

finish
