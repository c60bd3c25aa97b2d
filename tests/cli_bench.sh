#!/bin/sh
# cli_bench.sh BUILD_DIR: `wedge`, `devices`, `certify` and `bench` at the prompt: fixed forms, files that parse, refusals.
#
# Runs on the cpu device, with sizes that take no time. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

quick="--device cpu --no-ceilings --noise 50 --budget 2"
json_parses() { python3 -m json.tool "$1"; }

# ---- wedge itself, devices ----
check "help_says_in_a_line_what_it_is_then_examples" sh -c "'$wedge' --help | sed -n '1p;3p' | tr '\n' ' ' |
    grep -q '^wedge computes .* examples: '"
check "version" sh -c "'$wedge' --version | grep -Eq '^wedge [0-9]+\.[0-9]+\.[0-9]+$'"
refuses "unknown_command" 2 "certify" frobnicate
for c in devices map certify bench report tune edm; do
    check "${c}_help_says_in_a_line_what_it_does_then_examples" sh -c "'$wedge' $c --help | sed -n '1p;3p' |
        tr '\n' ' ' | grep -q '^wedge $c: .* examples: '"
    refuses "${c}_unknown_option_says_where_they_are" 2 "wedge help $c" "$c" --frobnicate
done
check "devices_list_the_cpu" sh -c "'$wedge' devices | grep -q '^cpu '"
"$wedge" devices --json="$dir/devices.json"
check "devices_json_parses" json_parses "$dir/devices.json"
check "no_drivers_is_no_error" env WEDGE_LIBCUDA=/nonexistent WEDGE_LIBOPENCL=/nonexistent "$wedge" devices

# ---- certify ----
check "last_line_of_certify" sh -c "'$wedge' certify --rows 300 --device cpu | tail -n 1 | grep -qx 'certified: 300 rows, 0 failures'"
check "certify_rank_3" sh -c "'$wedge' certify --rank 3 --rows 50 --device cpu | tail -n 1 | grep -qx 'certified: 50 rows, 0 failures'"
check "certify_quiet_is_one_line" sh -c "test \$('$wedge' certify --rows 10 --device cpu --quiet | wc -l) = 1"
"$wedge" certify --rows 300 --device cpu --json="$dir/certify.json" > /dev/null
check "certify_json_parses" json_parses "$dir/certify.json"
refuses "certify_rows_0" 2 "6074001000" certify --rows 0
refuses "certify_too_many_rows" 2 "6074001000" certify --rows 6074001001
refuses "certify_rank_4" 2 "2 (triangle)" certify --rank 4
refuses "certify_no_such_device" 4 "cpu" certify --device cuda:99
refuses "certify_a_word_too_many" 2 "unexpected argument" certify 7

# ---- The cache: not where others can write, and --verbose says so ----
if "$wedge" devices | grep -q '^opencl:0.0 '; then
    mkdir -m 700 "$dir/closed" "$dir/open"
    chmod 777 "$dir/open"
    for folder in open closed; do
        WEDGE_CACHE_DIR=$dir/$folder "$wedge" certify --rows 20 --device opencl:0.0 --verbose > "$dir/out" 2> "$dir/$folder.err"
        holds "certified_with_a_folder_that_is_$folder" "$dir/out" 'certified: 20 rows, 0 failures'
    done
    holds "verbose_says_that_the_cache_is_open_to_others" "$dir/open.err" "open can be written by others; type chmod go-w"
    check "nothing_is_kept_there" sh -c "test -z \"\$(ls '$dir/open')\""
    check "but_in_a_folder_of_ones_own" sh -c "test -n \"\$(ls '$dir/closed')\" && test ! -s '$dir/closed.err'"
    WEDGE_CACHE_DIR=$dir/open "$wedge" certify --rows 20 --device opencl:0.0 > "$dir/out" 2> "$dir/err"
    check "without_verbose_it_is_silent" test ! -s "$dir/err"
else
    echo "skipped: the cache at the prompt needs an OpenCL device"
fi

# ---- bench ----
# shellcheck disable=SC2086 # options
"$wedge" bench map --n 40,64 --block 4 $quick --json="$dir/a.json" --csv="$dir/a.csv" --html="$dir/a.html" > "$dir/table"
holds "a_table_with_a_verdict" "$dir/table" 'fastest|tie'
check "bench_json_parses" json_parses "$dir/a.json"
check "bench_csv_has_a_line_a_row" sh -c "test \$(wc -l < '$dir/a.csv') = 23"
check "bench_csv_is_rectangular" python3 -c "
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
sys.exit(len({len(r) for r in rows}) != 1)" "$dir/a.csv"
check "bench_csv_names_each_column_once" python3 -c "
import csv, sys
names = next(csv.reader(open(sys.argv[1])))
sys.exit(len(set(names)) != len(names) or 'time_median' not in names or 'beside_median' not in names)" "$dir/a.csv"
holds "bench_html_has_figures" "$dir/a.html" '<svg'
check "a_run_is_not_slower_than_itself" "$wedge" bench compare "$dir/a.json" "$dir/a.json"
python3 - "$dir/a.json" "$dir/slow.json" << 'P'
import json, sys
r = json.load(open(sys.argv[1]))
for row in r["rows"]:
    if row["map"] != "rb":
        continue
    t = row["time"]
    t["samples"] = [1e6 * s for s in t["samples"]]
    for k in ("median", "low", "high"):
        t[k] *= 1e6
json.dump(r, open(sys.argv[2], "w"))
P
"$wedge" bench compare "$dir/a.json" "$dir/slow.json" > "$dir/compared"
if [ $? -eq 1 ]; then report ok "a_slower_run_exits_with_1"; else report no "a_slower_run_exits_with_1" "it did not"; fi
holds "a_slower_run_says_so" "$dir/compared" 'rb.*SLOWER'
# shellcheck disable=SC2086 # options
refuses "bench_output_exists" 2 "--force" bench map --n 8 $quick --json="$dir/a.json"
# shellcheck disable=SC2086 # options
check "bench_force" "$wedge" bench map --n 8 --block 2 $quick --json="$dir/a.json" --force
# shellcheck disable=SC2086 # options
"$wedge" bench edm --n 90 --block 8 --map lambda,engine --device cpu --noise 50 --budget 60 --json="$dir/e.json" \
    --csv="$dir/e.csv" --html="$dir/e.html" > "$dir/table"
check "edm_has_the_engine_verified_and_with_shares" python3 - "$dir/e.json" << 'P'
import json, sys
r = json.load(open(sys.argv[1]))
rows = {row["variant"]: row for row in r["rows"] if row["map"] == "engine"}
assert set(rows) == {"square", "packed", "condensed", "condensed-d64", "condensed-f64"}, rows
for name, row in rows.items():
    assert row["status"] == "ok" and row["verified"] and not row["best"] and row["time"]["median"] > 0, row
    assert 0 < row["share"] < 1.3 and 0 < row["share_fill"] <= row["share"] and row["how"], row
    assert (row["improvement"] > 0) == (name in ("square", "packed")), row
    assert row["features"] == (64 if "d64" in name else 4) and row["dtype"] == ("f64" if "f64" in name else "f32"), row
assert all(sum(row["best"] for row in r["rows"] if row["variant"] == v) for v in ("square", "packed"))
assert r["root"]["rate"] > 0 and r["step"]["rate"] > 0
P
holds "the_table_names_tile_and_ceiling" "$dir/table" 'features, .*tile [0-9]+.*; ceiling: '
holds "the_verdict_has_the_engine_apart" "$dir/table" '(fastest|tie).*; the engine: [0-9.]+ x bb'
holds "the_page_marks_the_engine" "$dir/e.html" 'engine<small class="dim"> not ranked'
check "the_engine_compares_with_itself" "$wedge" bench compare "$dir/e.json" "$dir/e.json"
# shellcheck disable=SC2086 # options
"$wedge" bench edm --n 20 --block 4 --map lambda $quick > "$dir/table"
if grep -q engine "$dir/table"; then report no "the_engine_can_be_left_out" "it is there"; else report ok "the_engine_can_be_left_out"; fi
refuses "bench_map_has_no_engine" 2 "walk" bench map --map engine
old=$(dirname "$0")/../results/paper-cpu.json
check "results_of_before_are_read" "$wedge" bench compare "$old" "$old"
refuses "bench_no_experiment" 2 "paper" bench
refuses "bench_unknown_experiment" 2 "did you mean 'map'" bench maps
refuses "bench_unknown_map" 2 "lambda" bench map --map lamda
refuses "bench_bad_sizes" 2 "1024:65536:x2" bench map --n 10:5:x2
refuses "bench_bad_block" 2 "1 to 32" bench map --block 33
refuses "bench_bad_budget" 2 "above 0" bench map --budget -1
refuses "bench_compare_one_file" 2 "OLD.json" bench compare "$dir/a.json"
refuses "bench_compare_no_file" 3 "nothing.json" bench compare "$dir/a.json" "$dir/nothing.json"
echo '{}' > "$dir/other.json"
refuses "bench_compare_other_json" 3 "other.json" bench compare "$dir/a.json" "$dir/other.json"
refuses "bench_folder_that_is_not_there" 1 "nowhere" bench map --n 8 --block 2 --device cpu --no-ceilings --quiet --json="$dir/nowhere/x.json"

finish
