#!/bin/sh
# cli_bench.sh BUILD_DIR: `wedge`, `devices`, `certify` and `bench` at the prompt: fixed forms, files that parse, refusals.
#
# Runs on the cpu device, with sizes that take no time. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
reads_results

# Any noise is good enough, so that measuring ends by the number of samples and not by the clock.
# One thread: more would wait for each other on a busy machine.
export WEDGE_NUM_THREADS=1
quick="--device cpu --no-ceilings --noise 1000000 --budget 3600"
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
"$wedge" certify --rows 10 --device cpu > "$dir/out"
holds "certify_says_how_far_utm_as_printed_holds" "$dir/out" '^utm-x +UTM as printed: wrong from 4098 points on$'
"$wedge" certify --dim 3 --rows 20 --device cpu > "$dir/out"
holds "certify_has_the_tiles_of_hmap" "$dir/out" '^wedge_hmap3_tile +[1-9][0-9]* +0$'
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
holds "a_table_with_a_verdict" "$dir/table" 'fastest|tie|no verdict'
check "no_line_of_the_table_is_wider_than_80_columns" python3 -c "
import sys
sys.exit(any(len(line.rstrip('\n')) > 80 for line in open(sys.argv[1], encoding='utf-8')))" "$dir/table"
check "bench_says_how_busy_the_machine_was" python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
assert r['cores'] >= 1 and r['load_before'] >= 0 and r['load_others'] >= 0 and isinstance(r['warning'], str), r
assert all(row['doubt'] in ('', 'few', 'spread', 'bound') for row in r['rows'])
assert bool(r['warning']) >= any(row['doubt'] for row in r['rows'])" "$dir/a.json"
check "bench_json_parses" json_parses "$dir/a.json"
check "bench_csv_has_a_line_a_row" sh -c "test \$(wc -l < '$dir/a.csv') = 31"
check "bench_csv_is_rectangular" python3 -c "
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
sys.exit(len({len(r) for r in rows}) != 1)" "$dir/a.csv"
check "bench_csv_names_each_column_once" python3 -c "
import csv, sys
names = next(csv.reader(open(sys.argv[1])))
sys.exit(len(set(names)) != len(names) or 'time_median' not in names or 'beside_median' not in names)" "$dir/a.csv"
holds "bench_html_has_figures" "$dir/a.html" '<svg'
# The same rows with planted times, so that a busy machine changes nothing: in the second run rb takes twice as long.
python3 - "$dir/a.json" "$dir/old.json" "$dir/slow.json" << 'P'
import json, sys
r = json.load(open(sys.argv[1]))
for file, slow in ((sys.argv[2], 1e-3), (sys.argv[3], 2e-3)):
    for row in r["rows"]:
        t = slow if row["map"] == "rb" else 1e-3
        row.update(status="ok", time={"median": t, "low": t, "high": t, "noise": 0, "samples": [t] * 9})
    json.dump(r, open(file, "w"))
P
check "a_run_is_not_slower_than_itself" "$wedge" bench compare "$dir/old.json" "$dir/old.json"
"$wedge" bench compare "$dir/old.json" "$dir/slow.json" > "$dir/compared"
if [ $? -eq 1 ]; then report ok "a_slower_run_exits_with_1"; else report no "a_slower_run_exits_with_1" "it did not"; fi
holds "a_slower_run_says_so" "$dir/compared" 'rb.*SLOWER'
# shellcheck disable=SC2086 # options
"$wedge" bench map --n 48 --block 4 $quick --json="$dir/apart.json" > "$dir/out"
refuses "runs_with_nothing_in_common_are_a_usage_error" 2 "no timed row in common" bench compare "$dir/a.json" "$dir/apart.json"
"$wedge" bench edm --n 4000000 --block 8 --device cpu --no-ceilings --budget 2 > "$dir/table" 2> "$dir/err"
if [ $? -eq 5 ]; then report ok "a_run_that_fits_no_memory_exits_with_5"; else report no "a_run_that_fits_no_memory_exits_with_5" "it did not"; fi
holds "and_says_what_to_type" "$dir/err" 'nothing was measured: needs .*; try wedge bench edm --n 4096'
holds "one_line_for_all_that_was_skipped" "$dir/table" '^skipped: 34 of 34 rows, all 5 groups: for lack of memory$'
check "and_no_other" test "$(grep -c skipped "$dir/table")" -eq 1
"$wedge" bench paper --device cpu --budget 0.001 --json="$dir/short.json" > "$dir/table" 2> "$dir/err"
if [ $? -eq 1 ]; then report ok "a_budget_too_short_to_measure_exits_with_1"; else report no "a_budget_too_short_to_measure_exits_with_1" "it did not"; fi
holds "which_is_told_as_that" "$dir/err" 'nothing was measured: the budget of 0.001 s is too short; try --budget 60$'
check "in_one_line_for_all_groups" test "$(grep -c skipped "$dir/table")" -eq 1
check "and_no_peak_rate_is_made_up" python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(any(r[c]['rate'] or r[c]['time']['samples'] for c in ('fill', 'copy', 'fma', 'step', 'root')))" "$dir/short.json"
"$wedge" bench map --device cpu --threads 1 --n 30000 --no-ceilings --budget 2 > "$dir/table" 2> "$dir/err"
check "a_budget_that_is_advised_is_enough" python3 -c "
import re, sys
said = re.search(r'bb alone needs about (\d+) s; .* --budget (\d+) or wedge bench map --n 4096', open(sys.argv[1]).read())
sys.exit(not said or int(said[2]) < 2 * int(said[1]))" "$dir/err"
"$wedge" bench map --n 40 --block 32 --device cpu --no-ceilings --noise 1000000 --budget 3600 > /dev/null 2> "$dir/err"
if [ -s "$dir/err" ]; then report no "what_works_says_nothing_on_stderr" "$(head -c 200 "$dir/err")"
else report ok "what_works_says_nothing_on_stderr"; fi
for c in bench report; do
    check "${c}_help_fits_80_columns" sh -c "'$wedge' $c --help | python3 -c '
import sys
sys.exit(any(len(line.rstrip()) > 80 for line in sys.stdin))'"
done
# shellcheck disable=SC2086 # options
refuses "bench_output_exists" 2 "--force" bench map --n 8 $quick --json="$dir/a.json"
# shellcheck disable=SC2086 # options
check "bench_force" "$wedge" bench map --n 8 --block 2 $quick --json="$dir/a.json" --force
# shellcheck disable=SC2086 # options
"$wedge" bench edm --n 90 --block 8 --map lambda,engine --device cpu --noise 1000000 --budget 3600 --json="$dir/e.json" \
    --csv="$dir/e.csv" --html="$dir/e.html" > "$dir/table"
check "edm_has_the_engine_verified_and_with_shares" python3 - "$dir/e.json" << 'P'
import json, sys
r = json.load(open(sys.argv[1]))
rows = {row["variant"]: row for row in r["rows"] if row["map"] == "engine"}
assert set(rows) == {"square", "packed", "condensed", "condensed-d64", "condensed-f64"}, rows
for name, row in rows.items():
    assert row["status"] == "ok" and row["verified"] and not row["best"] and row["time"]["median"] > 0, row
    assert 1e-6 < row["share_fill"] <= row["share"] < 1e3 and row["how"], row
    assert (row["improvement"] > 0) == (name in ("square", "packed")), row
    assert row["features"] == (64 if "d64" in name else 4) and row["dtype"] == ("f64" if "f64" in name else "f32"), row
assert all(sum(row["best"] for row in r["rows"] if row["variant"] == v) for v in ("square", "packed"))
assert r["root"]["rate"] > 0 and r["step"]["rate"] > 0
P
check "the_table_names_tile_and_ceiling" sh -c "tr -s '\n ' ' ' < '$dir/table' | grep -Eq 'features, .*tile [0-9]+.*; ceiling: '"
if grep -q 'no verdict' "$dir/table"; then echo "SKIP  the machine is too busy for a verdict"
else check "the_verdict_has_the_engine_apart" sh -c "tr -s '\n ' ' ' < '$dir/table' | grep -Eq '(fastest|tie).*; the engine: [0-9.]+ x bb'"; fi
holds "the_page_marks_the_engine" "$dir/e.html" 'engine<small class="dim"> not ranked'
check "the_engine_compares_with_itself" "$wedge" bench compare "$dir/e.json" "$dir/e.json"
# shellcheck disable=SC2086 # options
"$wedge" bench edm --n 20 --block 4 --map lambda $quick > "$dir/table"
if grep -q engine "$dir/table"; then report no "the_engine_can_be_left_out" "it is there"; else report ok "the_engine_can_be_left_out"; fi
refuses "bench_map_has_no_engine" 2 "walk" bench map --map engine
# shellcheck disable=SC2086 # options
"$wedge" bench sinks --n 90 --device cpu --noise 1000000 --budget 3600 --json="$dir/s.json" --html="$dir/s.html" > "$dir/table"
check "every_sink_is_verified_and_compared_with_store" python3 - "$dir/s.json" << 'P'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
names = ["store", "count", "select", "summary", "histogram", "histogram-log"]
assert [(r["variant"], r["sink"]) for r in rows] == [(v, s) for v in ("d3", "d4") for s in names], rows
for row in rows:
    assert row["status"] == "ok" and row["verified"] and row["map"] == "engine" and row["rho"] == 0, row
    assert row["cells"] == 90 * 89 / 2 and row["features"] == int(row["variant"][1]) and row["of_store"] > 0, row
    assert row["limit"] in ("issue", "root") and 1e-6 < row["share"] < 1e3 and row["share_fill"] == 0, row
P
check "no_line_of_the_sinks_is_wider_than_80_columns" python3 -c "
import sys
sys.exit(any(len(line.rstrip('\n')) > 80 for line in open(sys.argv[1], encoding='utf-8')))" "$dir/table"
holds "the_table_of_sinks_names_rates" "$dir/table" '^  sink .* cells/s +of store'
holds "the_page_of_sinks_names_rates" "$dir/s.html" 'cells/s <small>.* of store</small>'
check "sinks_compare_with_themselves" "$wedge" bench compare "$dir/s.json" "$dir/s.json"
# shellcheck disable=SC2086 # options
"$wedge" bench sinks --n 50 --map count $quick --json="$dir/c.json" --quiet
check "one_sink_runs_beside_store" python3 -c "
import json, sys
sys.exit([r['sink'] for r in json.load(open(sys.argv[1]))['rows']] != ['store', 'count'] * 2)" "$dir/c.json"
refuses "an_unknown_sink" 2 "did you mean 'histogram'" bench sinks --map histgram
refuses "sinks_have_no_maps" 2 "count" bench sinks --map lambda
refuses "the_paper_has_no_sinks" 2 "engine" bench paper --map count
for e in within histogram knn collide nbody; do
    # shellcheck disable=SC2086 # options
    "$wedge" bench $e --n 600 $quick --json="$dir/$e.json" --html="$dir/$e.html" > "$dir/$e.table"
    holds "the_table_of_${e}_names_tasks" "$dir/$e.table" '^  task .* cells/s'
done
check "every_task_is_verified_and_says_how" python3 - "$dir" << 'P'
import json, sys
want = {("within", "d3"): ["pruned", "all-pairs"], ("histogram", "d3"): ["pruned", "all-pairs"],
        ("knn", "d3"): ["pruned", "all-pairs"], ("knn", "d64"): ["euclidean", "cityblock"],
        ("collide", "d3"): ["pruned", "all-pairs"], ("nbody", ""): ["forces", "energy-square", "energy-triangle"]}
rows = [r for e in ("within", "histogram", "knn", "collide", "nbody") for r in json.load(open(f"{sys.argv[1]}/{e}.json"))["rows"]]
assert [(r["experiment"], r["variant"], r["sink"]) for r in rows] == [(*k, s) for k in want for s in want[k]], rows
for r in rows:
    square = r["experiment"] == "knn" or r["sink"] in ("forces", "energy-square")
    assert r["status"] == "ok" and r["verified"] and r["time"]["median"] > 0 and r["map"] == "engine" and not r["rho"], r
    assert ("of the cells computed" in r["how"]) == (r["sink"] == "pruned") and "tile" in r["how"], r
    assert ("radius 0.271" in r["how"]) == (r["experiment"] == "within") and r["of_store"] == 0, r
    assert ("radii up to 0.117" in r["how"]) == (r["experiment"] == "collide"), r
    assert r["cells"] == (600 * 600 if square else 600 * 599 // 2), r
P
check "no_line_of_the_tasks_is_wider_than_80_columns" python3 -c "
import sys
sys.exit(any(len(line.rstrip('\n')) > 80 for f in sys.argv[1:] for line in open(f, encoding='utf-8')))" "$dir"/*.table
# Of a result that is kept: on a busy machine a row of ours may be in doubt, and is then no result.
"$wedge" report "$(dirname "$0")/../results/within-cpu.json" -o "$dir/kept.html" > "$dir/log"
holds "the_page_of_tasks_has_times" "$dir/kept.html" '<strong>pruned</strong> [^ ]+, <strong>all-pairs</strong> [^ ]+ <'
holds "a_page_without_maps_is_not_called_by_them" "$dir/within.html" '<h1>All pairs on '
holds "the_head_of_tasks_is_their_own" "$dir/within.html" '<th scope="col">task</th>.*<th scope="col" colspan="3">rate</th>'
check "tasks_compare_with_themselves" "$wedge" bench compare "$dir/knn.json" "$dir/knn.json"
# shellcheck disable=SC2086 # options
"$wedge" bench knn --n 50 --map cityblock $quick --json="$dir/one.json" --quiet
check "one_task_runs_alone" python3 -c "
import json, sys
sys.exit([(r['variant'], r['sink']) for r in json.load(open(sys.argv[1]))['rows']] != [('d64', 'cityblock')])" "$dir/one.json"
refuses "an_unknown_task" 2 "did you mean 'pruned'" bench within --map prune
refuses "an_unknown_experiment_of_tasks" 2 "did you mean 'histogram'" bench histgram
old=$(dirname "$0")/../results/paper-cpu.json
check "results_of_before_are_read" "$wedge" bench compare "$old" "$old"
"$wedge" bench map --n 20 --block 4 --map lambda --device cpu --budget 3600 --noise 1000000 --json="$dir/long.json" > /dev/null 2>&1
check "peak_rates_have_enough_samples_or_none" python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(any(r[c]['rate'] <= 0 or len(r[c]['time']['samples']) < 3 for c in ('fill', 'copy', 'fma', 'step', 'root')))" "$dir/long.json"
refuses "bench_no_experiment" 2 "paper" bench
refuses "bench_of_nothing_there_is" 2 "there are" bench zzz
for experiment in roots map edm sinks within histogram knn collide nbody collide1d collide3d triplets tet-map tet-collide paper compare; do
    holds "the_list_has_$experiment" "$dir/err" "(are|,|^ ) $experiment(,|\$)"
done
refuses "bench_unknown_experiment" 2 "did you mean 'map'" bench maps
refuses "bench_unknown_map" 2 "lambda" bench map --map lamda
refuses "bench_bad_sizes" 2 "1024:65536:x2" bench map --n 10:5:x2
refuses "bench_bad_block" 2 "1 to 32" bench map --block 33
refuses "bench_bad_budget" 2 "above 0" bench map --budget -1
refuses "bench_compare_one_file" 2 "OLD.json" bench compare "$dir/a.json"
refuses "bench_compare_no_file" 3 "nothing.json" bench compare "$dir/a.json" "$dir/nothing.json"
echo '{}' > "$dir/other.json"
refuses "bench_compare_other_json" 3 "other.json" bench compare "$dir/a.json" "$dir/other.json"
# shellcheck disable=SC2086 # options
refuses "bench_folder_that_is_not_there" 1 "nowhere" bench map --n 8 --block 2 $quick --quiet --json="$dir/nowhere/x.json"

finish
