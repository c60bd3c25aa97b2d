#!/bin/sh
# cli_edm_csv.sh BUILD_DIR: `wedge edm` and tables as people have them: an index of pandas, quotes, semicolons, missing
# values, --columns, float16. What was taken and skipped is said; what is not clear is refused, never guessed.
#
# On the cpu device. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
# shellcheck source=tests/edm_files.sh
. "$(dirname "$0")/edm_files.sh"

# table FILE TEXT: printf's escapes
# shellcheck disable=SC2059 # a format on purpose
table() { printf -- "$2" > "$dir/$1"; }

# says NAME WORDS NUMBERS ARGS...: these distances, and these words about the input on stderr
says() {
    name=$1; words=$2; want=$3; shift 3
    yields "$name" "<f8 ($(echo "$want" | wc -w),)" "$want" "$@"
    if grep -qF -e "$words" "$dir/err"; then report ok "${name}_and_says_so"
    else report no "${name}_and_says_so" "$(head -c 300 "$dir/err" | tr '\n' '|')"; fi
}

# wrong NAME CODE WORD TEXT OPTIONS...: refused with this exit code and word (3: the file is named), and nothing is written
wrong() {
    case=$1; expected=$2; word=$3; fresh
    table wrong.csv "$4"; shift 4
    refuses "$case" "$expected" "$word" edm "$dir/wrong.csv" -o "$d" --device cpu "$@"
    [ "$expected" -eq 2 ] || check "${case}_names_the_file" grep -q 'wrong\.csv: ' "$dir/err"
    check "${case}_writes_nothing" test -z "$(left)"
}

# ---- What is read ----
skip="2 points, 2 features (x, y); header and column 1 (unnamed index) skipped"
table pandas.csv ',x,y\n0,0,0\n1,3,4\n'
says "a_pandas_index_is_left_out" "pandas.csv: $skip" 5 "$dir/pandas.csv"
table pandas.tsv '\tx\ty\n0\t0\t0\n1\t3\t4\n'
says "a_pandas_index_after_tabs" "$skip" 5 "$dir/pandas.tsv"
table semicolon.csv ';x;y\r\n0;0.0;0.0\r\n1;3.0;4.0\r\n'
says "semicolons_and_decimal_points" "$skip" 5 "$dir/semicolon.csv"
table r.csv '"","x","y"\n"1",0,0\n"2",3,4\n'
says "an_index_from_1_is_left_out_too" "$skip" 5 "$dir/r.csv"
says "and_can_be_taken" "2 points, 3 features (column 1, x, y); header skipped" 5.0990195135927845 "$dir/r.csv" --columns 1:3
table unnamed.csv ',x,y\n1,0,0\n3,3,4\n'
says "another_unnamed_column_is_kept" "2 points, 3 features (column 1, x, y); header skipped" 5.385164807134504 "$dir/unnamed.csv"
holds "and_there_is_a_warning" "$dir/err" '^wedge: warning: .*unnamed\.csv: column 1 has no name.*--columns 2:3$'
fresh; edm "$dir/unnamed.csv" -o "$d" --quiet > "$dir/said" 2>&1
check "quiet_does_not_warn" test ! -s "$dir/said"
table quoted.csv '"0","0"\n"3","4"\n'
says "quoted_numbers_are_data" "2 points, 2 features" 5 "$dir/quoted.csv"
table names.csv '"x","y"\n0,0\n3,4\n'
says "quoted_names_are_a_header" "2 points, 2 features (x, y); header skipped" 5 "$dir/names.csv"
says "npy_is_described" "four.npy: 4 points, 2 features" "$apart" "$dir/four.npy"
fresh; edm "$dir/four.npy" -o "$d" > "$dir/out" 2> "$dir/err"
holds "npy_has_nothing_skipped" "$dir/err" 'four\.npy: 4 points, 2 features$'

# 0, 3, 12, 21; then 0, 4, 16, 28; as float16, of either byte order
python3 -c "
import struct, sys
for order in '<>':
    header = \"{'descr': '%sf2', 'fortran_order': True, 'shape': (4, 2), }\" % order
    with open(sys.argv[1] + ('/half.npy' if order == '<' else '/half_big.npy'), 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + header.ljust(117).encode() + b'\n')
        f.write(struct.pack(order + '8e', 0, 3, 12, 21, 0, 4, 16, 28))" "$dir"
yields "float16_is_read_as_f32" "<f4 (6,)" "$apart" "$dir/half.npy"
yields "float16_of_the_other_byte_order" "<f4 (6,)" "$apart" "$dir/half_big.npy"
yields "float16_as_f64" "<f8 (6,)" "$apart" "$dir/half.npy" --dtype f64

# ---- Columns ----
table people.csv 'id,who,x,y,t\n7,"Smith, Ann",0,0,NA\n8,"say ""hi""",3,4,\n'
skip="header and columns 1 (id), 2 (who), 5 (t) skipped"
says "columns_by_name" "2 points, 2 features (x, y); $skip" 5 "$dir/people.csv" --columns x,y
says "columns_by_range" "2 points, 2 features (x, y); $skip" 5 "$dir/people.csv" --columns 3:4
says "columns_by_both_in_their_order" "2 points, 2 features (y, x); $skip" 5 "$dir/people.csv" --columns=y,3
says "columns_of_npy" "4 points, 1 feature (column 2); column 1 skipped" "4 16 28 12 24 12" "$dir/four.npy" --columns 2
cp "$dir/people.csv" "$dir/in"
says "columns_from_standard_input" "standard input: 2 points, 1 feature (x); header and columns 1 (id), " 3 - --columns x
: > "$dir/in"
people='id,who,x,y,t\n7,Ann,0,0,1\n8,Bob,3,4,2\n'
wrong "an_unknown_name_lists_them" 2 "there are id, who, x, y, t" "$people" --columns x,z
wrong "a_mistyped_name" 2 "did you mean 'who'?" "$people" --columns whp
wrong "a_column_twice" 2 "names column 3 (x) twice" "$people" --columns x,3
wrong "a_range_backwards" 2 "runs backwards" "$people" --columns 4:3
wrong "column_0" 2 "counted from 1" "$people" --columns 0
wrong "a_column_too_many" 2 "no column 6" "$people" --columns 3:6
wrong "names_without_a_header" 2 "choose by numbers, 1 to 2" '1,2\n3,4\n' --columns x
wrong "text_that_is_chosen" 3 "line 2, column 2: 'Ann' is not a number" "$people" --columns who
wrong "text_that_is_not_left_out" 3 "line 2, column 2: 'Ann' is not a number; numbers look like -1.5e3; choose columns of numbers with --columns" "$people"

# ---- What is refused ----
wrong "na_is_no_header" 3 "line 1, column 1: 'NA' is not a number but a missing value" 'NA,NA\n1,2\n3,4\n'
wrong "dashes_are_no_header" 3 "line 1, column 1: '-' is not a number but a missing value" '-,-\n1,2\n'
wrong "points_are_no_header" 3 "line 1, column 1: '.' is not a number but a missing value" '.,.\n1,2\n3,4\n'
wrong "a_unicode_minus_is_no_header" 3 "line 1, column 1" '\342\210\2221,\342\210\2222\n3,4\n'
wrong "a_unicode_minus_later" 3 "line 2, column 1" '3,4\n\342\210\2221,2\n'
wrong "nan_is_no_header" 3 "line 1, column 1 is 'nan'" 'nan,nan\n1,2\n'
wrong "a_missing_value" 3 "line 3, column 2: 'NA'" 'x,y\n1,2\n3,NA\n'
wrong "an_empty_value" 3 "line 3, column 1 is empty" 'x,y\n1,2\n,4\n'
wrong "an_empty_value_between_tabs" 3 "line 2, column 2 is empty" '1\t2\t3\n4\t\t6\n'
wrong "a_dash" 3 "line 2, column 2: '-'" '1,2\n3,-\n'
wrong "a_point" 3 "line 2, column 2: '.'" '1,2\n3,.\n'
wrong "an_error_of_a_spreadsheet_is_no_comment" 3 "line 2, column 1: '#N/A'" '1,2\n#N/A,4\n'
wrong "grouped_digits" 3 "line 1, column 1: '1 000' is not a number" '1 000,2\n3,4\n'
wrong "a_decimal_comma" 3 "'1,5' is not a number: it has a decimal comma" '1,5;2,5\n3,5;4,5\n'
wrong "two_separators" 3 "line 2, column 1: '3;4' is not a number" '1,2\n3;4\n'
table years.csv 'id,2020,2021\n7,0,0\n8,3,4\n'
says "years_are_a_header" "2 points, 2 features (2020, 2021); header and column 1 (id) skipped" 5 "$dir/years.csv" --columns 2:3
table names.csv 'who,2020,2021\nAnn,0,0\nBob,3,4\n'
says "years_above_names" "2 points, 2 features (2020, 2021); header and column 1 (who) skipped" 5 "$dir/names.csv" --columns 2020,2021
says "years_by_position" "2 points, 2 features (2020, 2021); header and column 1 (who) skipped" 5 "$dir/names.csv" --columns 2:3
wrong "a_header_or_a_point" 3 "a header or a point?" 'who,20,21\nAnn,0,0\nBob,3,4\n' --columns 2:3
wrong "a_percent_sign" 3 "'10%' is not a number: it has a percent sign" 'x,y\n1,10%%\n'
wrong "a_currency_sign" 3 "is not a number: it has a currency sign" 'x,y\n1,\342\202\25410\n'
wrong "a_no_break_space" 3 "is not a number: it has a no-break space" 'x,y\n1,1\302\240000\n'
wrong "a_header_of_numbers" 3 "--columns 2:3" ',0,1\n0,5,6\n1,7,8\n'

# ---- JSON and the dry run ----
fresh; edm "$dir/pandas.csv" -o "$d" --json > "$dir/said" 2> "$dir/err"
check "json_tells_what_was_taken" python3 -c "
import json, sys
j = json.load(open(sys.argv[1]))
assert (j['points'], j['features'], j['names']) == (2, 2, ['x', 'y']), j
assert j['skipped'] == {'header_line': 1, 'index': True, 'columns': [1]}, j" "$dir/said"
fresh; edm "$dir/four.npy" -o "$d" --json --columns 2 > "$dir/said" 2> "$dir/err"
check "json_of_npy" python3 -c "
import json, sys
j = json.load(open(sys.argv[1]))
assert (j['points'], j['features'], j['names']) == (4, 1, None), j
assert j['skipped'] == {'header_line': None, 'index': False, 'columns': [1]}, j" "$dir/said"
table odd.csv '"a""b\\",e\351,,"c\td"\n1,2,3,4\n'
fresh; edm "$dir/odd.csv" -o "$d" --json > "$dir/said" 2> "$dir/err"
check "json_of_odd_names_parses" python3 -c "
import json, sys
assert json.load(open(sys.argv[1]))['names'] == ['a\"b' + chr(92), 'e?', None, 'c?d']" "$dir/said"
fresh; edm "$dir/pandas.csv" -o "$d" --dry-run > "$dir/said" 2> "$dir/err"
holds "the_dry_run_tells_what_was_taken" "$dir/said" '^input +2 points, 2 features \(x, y\); header and column 1 \(unnamed index\) skipped$'

finish
