#!/bin/sh
# report.sh BUILD_DIR: the page of `wedge report`: made from a small run, refused where it must be, and opened.
#
# A headless Chromium opens it: no word on the console, the figures in the DOM and drawn, and no sideways scrolling at
# the width of a phone. Where there is no Chromium that part is said to be skipped. Exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
reads_results

lacks() { # NAME FILE PATTERN
    if grep -Eq -e "$3" "$2"; then report no "$1" "$(grep -Eo -e ".{0,40}($3).{0,40}" "$2" | head -1)"
    else report ok "$1"; fi
}

# ---- The command ----
WEDGE_NUM_THREADS=1 "$wedge" bench map --n 64,128 --device cpu --noise 1000000 --budget 3600 --no-ceilings --json="$dir/run.json" --quiet > /dev/null 2> "$dir/err" ||
    { echo "report.sh: wedge bench failed: $(head -c 300 "$dir/err")" >&2; exit 1; }
page=$dir/page.html
check "a_result_makes_a_page" "$wedge" report "$dir/run.json" -o "$page"
check "nothing_else_is_left" test ! -e "$page.part"
refuses "figures_of_one_name" 2 "the same names" report a/r.json b/r.json --figures "$dir"
refuses "a_page_that_exists_is_kept" 2 "--force" report "$dir/run.json" -o "$page"
check "unless_forced" "$wedge" report --force "$dir/run.json" -o "$page"
refuses "no_results_is_a_usage_error" 2 "results" report -o "$dir/none.html"
refuses "no_page_is_a_usage_error" 2 "-o" report "$dir/run.json"
refuses "a_missing_file_is_bad_data" 3 "absent.json" report "$dir/absent.json" -o "$dir/none.html"
echo 'n = 3, no JSON' > "$dir/bad.json"
refuses "what_is_not_json_is_bad_data" 3 "bad.json" report "$dir/run.json" "$dir/bad.json" -o "$dir/none.html"
echo '{"hello": [1, 2]}' > "$dir/bad.json"
refuses "what_is_not_ours_is_bad_data" 3 "bad.json" report "$dir/bad.json" -o "$dir/none.html"
cp "$dir/bad.json" "$dir/worse.json"
refuses "every_file_that_is_no_result_is_named" 3 "worse.json: schema" report "$dir"/[brw]*.json -o "$dir/none.html"
holds "the_first_of_them_too" "$dir/err" 'bad\.json: schema'
holds "and_that_they_are_to_be_left_out" "$dir/err" '^wedge: report: leave these files out; the rest can be reported$'
refuses "one_file_that_is_no_result" 3 "leave this file out; the rest can" report "$dir/run.json" "$dir/bad.json" -o "$dir/none.html"
refuses "a_place_that_is_not_there_is_said" 1 "nowhere" report "$dir/run.json" -o "$dir/nowhere/page.html"
check "no_page_of_bad_data" test ! -e "$dir/none.html" -a ! -e "$dir/none.html.part"
# Results with known times, without noise, at n = 16384 and 32768: bb 2 ms, lambda and rb half of that, walk a quarter;
# and of a busy machine, where lambda and rb are twice as fast as they can be, and walk alone, nearly as fast, is no winner.
python3 - "$dir/run.json" "$dir/quiet.json" "$dir/busy.json" "$dir/rhos.json" "$dir/part.json" "$dir/one.json" << 'P'
import json, sys
r = json.load(open(sys.argv[1]))
rows = {row["map"]: row for row in r["rows"]}
def row(name, n, seconds):
    time = {"median": seconds, "low": seconds, "high": seconds, "noise": 0, "samples": [seconds] * 9}
    ratio = 2e-3 / seconds
    tiles = 4 if name == "bb" else 2
    return dict(rows[name], n=n, time=time, improvement=ratio, improvement_low=ratio, improvement_high=ratio, doubt="",
                penalty=1, bound=4 / tiles, tiles=tiles, blocks=1 if name == "walk" else tiles, best=seconds < 0.6e-3,
                share=0, remark="", status="ok", verified=True, wrong_from=0)
r.update(load_before=0, load_others=0, cores=4, warning="")
r["rows"] = [row(m, n, t) for n in (16384, 32768)
             for m, t in (("bb", 2e-3), ("lambda", 1e-3), ("rb", 1e-3), ("walk", 0.5e-3))]
json.dump(r, open(sys.argv[2], "w"))
with_rhos = dict(r, rows=r["rows"] + [dict(row("bb", n, 1e-3), rho=2 * r["rows"][0]["rho"]) for n in (16384, 32768)])
json.dump(with_rhos, open(sys.argv[4], "w"))
# Of lambda-x nothing was timed; in the second file nothing but at the first n.
none = {"median": 0, "low": 0, "high": 0, "noise": 0, "samples": []}
def skipped(m, n): return dict(row(m, n, 1), time=none, improvement=0, improvement_low=0, improvement_high=0, status="skipped", best=False)
json.dump(dict(r, rows=r["rows"] + [skipped("lambda-x", n) for n in (16384, 32768)]), open(sys.argv[5], "w"))
json.dump(dict(r, rows=[k if k["n"] == 16384 else skipped(k["map"], k["n"]) for k in r["rows"]]), open(sys.argv[6], "w"))
r["load_before"] = 99
r["rows"] = [row(m, n, t) for n in (16384, 32768)
             for m, t in (("bb", 2e-3), ("lambda", 0.5e-3), ("rb", 0.5e-3), ("walk", 0.55e-3))]
r["rows"] += [dict(row("rb", n, 1e-3), map="utm-x", best=False, status="wrong", wrong_from=4096, remark="wrong from n = 4098")
              for n in (16384, 32768)]
json.dump(r, open(sys.argv[3], "w"))
P
for file in quiet busy rhos part one; do check "a_page_of_the_${file}_run" "$wedge" report "$dir/$file.json" -o "$dir/$file.html"; done

sed 's|"name": *"[^"]*"|"name": "</title></script><b>\&\\"<i"|' "$dir/quiet.json" > "$dir/odd.json"
check "two_results_make_one_page" "$wedge" report "$dir/quiet.json" "$dir/odd.json" -o "$dir/two.html"

# ---- The page ----
for file in page two quiet busy; do
    lacks "${file}_loads_nothing" "$dir/$file.html" '<script|<iframe|<img|@import|src=|https?://|url\('
    lacks "${file}_has_no_odd_number" "$dir/$file.html" '[^a-z](nan|inf)[^a-z]'
done
lacks "names_are_escaped" "$dir/two.html" '</script|<b>&"|<i"'
holds "the_odd_name_is_shown" "$dir/two.html" '&lt;/title&gt;&lt;/script&gt;&lt;b&gt;&amp;&quot;&lt;i'
holds "devices_stand_side_by_side" "$dir/two.html" 'Best maps by device'
holds "the_verdict_has_the_best_bounding_box_over_rho" "$dir/rhos.html" 'class="verdict".*at its best.*takes 1\.000 ms, 2\.00 times as long'
lacks "but_not_of_a_single_rho" "$dir/quiet.html" 'class="verdict".*at its best'
holds "tables_have_row_heads" "$dir/quiet.html" '<th scope="row">lambda'
holds "the_command_is_there" "$dir/page.html" 'bench map --n 64,128'

# The legend has what the chart has.
legend() { sed -n '/<ul class="legend"/,/<\/ul>/p' "$1"; }
legend "$dir/part.html" > "$dir/legend"
holds "what_was_timed_is_in_the_legend" "$dir/legend" 'walk'
lacks "what_was_not_is_not" "$dir/legend" 'lambda-x'
legend "$dir/one.html" > "$dir/legend"
lacks "bars_need_no_legend" "$dir/legend" 'walk|bounding box'
lacks "nor_what_lies_beyond_all_that_was_timed" "$dir/legend" 'grey marks'
check "few_bars_make_a_low_chart" sh -c "test \"\$(sed -n 's/.*class=\"chart\" role=\"img\" viewBox=\"0 0 660 \([0-9]*\)\".*/\1/p' '$dir/one.html' | head -1)\" -lt 200"

check "a_page_of_a_budget_too_short" "$wedge" report "$(dirname "$0")/../results/paper-cpu.json" -o "$dir/short.html"
holds "options_stay_in_one_piece" "$dir/short.html" 'is spent; try <span class="option">--budget</span> [0-9]'

# Tasks: results of one device, saved one by one, make one list; only ways to the same result are compared.
saved=$(dirname "$0")/../results
check "saved_tasks_make_a_page" "$wedge" report "$saved/within-h200-cuda.json" "$saved/knn-h200-cuda.json" \
    "$saved/nbody-h200-cuda.json" -o "$dir/tasks.html"
holds "a_device_is_named_once" "$dir/tasks.html" '<h1>All pairs on NVIDIA H200</h1>'
check "and_has_one_heading" test "$(grep -c '<h2 id="r[0-9]' "$dir/tasks.html")" = 1
lacks "devices_are_not_beside_themselves" "$dir/tasks.html" 'Devices side by side'
check "every_task_has_a_line_and_bars_as_long_as_its_times" python3 - "$dir/tasks.html" "$saved" << 'P'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
rows = {(r["experiment"], r["variant"], r["sink"]): r["time"]["median"] for e in ("within", "knn", "nbody")
        for r in json.load(open(f"{sys.argv[2]}/{e}-h200-cuda.json"))["rows"] if r["time"]["samples"]}
bars = re.findall(r'<dt>([^<]+)</dt><dd><span style="width:([0-9.]+)%"></span></dd><dd>([0-9.]+) ms(?:, <strong>([0-9.]+)</strong>)?', page)
assert [b[0] for b in bars] == [k[2] for k in rows], bars
for (experiment, variant, sink), bar in zip(rows, bars):
    group = {k[2]: t for k, t in rows.items() if k[:2] == (experiment, variant)}
    time = group[sink]
    assert abs(float(bar[2]) / 1e3 / time - 1) < 1e-3 and abs(float(bar[1]) - 100 * time / max(group.values())) < 0.01, bar
    ratio = time / group["pruned"] if sink == "all-pairs" and "pruned" in group else None
    assert (bar[3] == "") == (ratio is None) and (ratio is None or abs(float(bar[3]) / ratio - 1) < 5e-3), bar
lines = re.findall(r'<tr><th scope="row"><a href="#(r[0-9-]+)">([^<]+)</a>', page[page.index('id="tasks"'):page.index('<h2 id="r0"')])
assert len(lines) == 7 and all(f'id="{at}"' in page for at, _ in lines), lines
P
lacks "a_page_of_maps_has_no_tasks" "$dir/quiet.html" 'id="tasks"'

# What a reader looks for comes first: the verdict and its figure, then how to read it, then what was run.
check "verdict_and_figure_come_before_provenance" python3 -c "
import sys
page = open(sys.argv[1], encoding='utf-8').read()
order = [page.index(p) for p in ('<h1>', 'class=\"verdict\"', '<svg class=\"chart\" role', 'id=\"read\"', 'id=\"runs\"', '<dt>command')]
sys.exit(order != sorted(order))" "$page"
holds "the_load_is_among_the_facts" "$page" '<dt>load</dt><dd>load average [0-9.]+ before the run; other processes used [0-9.]+ of [0-9]+ cores'
lacks "no_warning_without_a_cause" "$dir/quiet.html" 'class="warning"'
holds "a_busy_machine_is_said_at_the_top" "$dir/busy.html" 'class="warning" role="alert"><b>Careful:</b> The machine was busy.*a load of 99.0'
check "before_the_verdict" python3 -c "
import sys
page = open(sys.argv[1], encoding='utf-8').read()
sys.exit(page.index('class=\"warning\"') > page.index('class=\"verdict\"'))" "$dir/busy.html"
holds "a_row_above_its_bound_is_marked" "$dir/busy.html" 'lambda</th><td class="t bad">above its bound'
holds "and_is_not_ranked" "$dir/busy.html" 'no map can be called the fastest'
holds "lines_that_end_together_share_a_label" "$dir/quiet.html" 'class="tie".*>lambda,</tspan> <tspan[^>]*>rb</tspan>'
holds "time_stands_beside_the_ratio" "$dir/quiet.html" '<tspan[^>]*>2\.00 · 1\.000 ms'
holds "the_papers_values_are_marked" "$dir/quiet.html" '>RB 1.33, GTX 765M<'
holds "the_legend_says_from_where_a_map_is_wrong_in_the_words_of_its_row" "$dir/busy.html" '>utm-x <i>wrong from n = 4098</i>'
lacks "but_not_where_its_n_is_not_reached" "$page" '>RB 1.33, GTX 765M<'

# ---- Figures alone, for papers ----
# Whatever a result calls its experiments, figures lie in the folder that was named.
mkdir "$dir/inner" "$dir/inner/quiet-x"
sed 's|"experiment": "map"|"experiment": "x/../../y"|' "$dir/quiet.json" > "$dir/inner/quiet.json"
check "an_experiment_may_be_named_as_a_path" "$wedge" report "$dir/inner/quiet.json" --figures "$dir/inner"
check "its_figure_lies_in_the_folder" test -s "$dir/inner/quiet-x_______y-rho16.svg"
check "and_nowhere_else" test -z "$(find "$dir" -name 'y-rho*')"
check "figures_come_into_a_folder_that_is_made" "$wedge" report "$dir/quiet.json" --figures "$dir/new/figures"
for figure in "$dir"/new/figures/*.svg "$(dirname "$0")"/../docs/figures/*.svg; do
    python3 - "$figure" << 'P' || report no "figures_have_their_colours_outside_of_browsers" "$figure"
# What rsvg-convert, Inkscape or an office program sees: attributes and plain rules, no variables. Nothing is black for want of a colour.
import re, sys, xml.etree.ElementTree as xml
root, bad = xml.parse(sys.argv[1]).getroot(), []
style = "".join(e.text or "" for e in root.iter() if e.tag.endswith("}style"))
light = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^}]*\})*[^}]*\}", "", style)
if "var(" in light: bad.append("var() in what light pages read")
classes = {c: dict(re.findall(r"(fill|stroke):([^;}]+)", body)) for names, body in re.findall(r"([^{}]+)\{([^}]*)\}", light)
           for c in re.findall(r"(?:^|,)\s*\.?([\w-]+)\s*(?=,|$)", names)}
def look(e, have):
    tag = e.tag.split("}")[1]
    own = {k: v for c in [tag, *e.get("class", "").split()] for k, v in classes.get(c, {}).items()}
    have = {**have, **{k: e.get(k) for k in ("fill", "stroke", "color") if e.get(k)}, **own}
    if tag in ("path", "rect", "circle", "line", "text", "polyline") and "fill" not in have and "stroke" not in have:
        bad.append(f"{tag} {e.attrib} has no colour")
    if "currentColor" in have.values() and "color" not in have: bad.append(f"{tag} {e.attrib}: currentColor of nothing")
    for c in e: look(c, have)
look(root, {})
sys.exit("\n".join(bad[:3]) or 0)
P
done
report ok "figures_have_their_colours_outside_of_browsers: $(find "$dir/new/figures" -name '*.svg' | wc -l) new ones"
pictures_are_current() {
    PATH=/nonexistent "$wedge" report "$saved/paper-h200-cuda.json" --figures "$dir/documents" --quiet &&
        for f in "$(dirname "$0")"/../docs/figures/paper-h200-cuda-*.svg; do cmp "$f" "$dir/documents/${f##*/}" || return 1; done
}
check "figures_in_documents_are_those_of_the_results (tools/figures renews them)" pictures_are_current
if command -v rsvg-convert > /dev/null; then
    check "pdf_and_png_beside_each_svg" sh -c 'for f; do head -c 5 "${f%.svg}.pdf" | grep -q %PDF- && head -c 4 "${f%.svg}.png" | grep -q PNG || exit 1; done' \
        - "$dir"/new/figures/*.svg
else
    echo "SKIP  no rsvg-convert found: no figure as PDF and PNG"
fi

# ---- In a browser ----
browser=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -z "$browser" ] && command -v "$name" > /dev/null && browser=$name
done

open_page() { # FILE: the DOM to $dir/dom, the browser's words to $dir/words
    timeout 600 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$dir/profile" \
        --enable-logging=stderr --virtual-time-budget=10000 --dump-dom "file://$1" > "$dir/dom" 2> "$dir/words"
}

if [ -z "$browser" ]; then
    echo "SKIP  no Chromium found: the page was not opened"
else
    echo '<p>x<script>console.error("planted")</script>' > "$dir/planted.html"
    open_page "$dir/planted.html"
    holds "a_planted_error_would_be_seen" "$dir/words" 'CONSOLE.*planted'
    open_page "$dir/quiet.html"
    lacks "the_console_is_silent" "$dir/words" 'CONSOLE'
    holds "the_dom_has_the_figure" "$dir/dom" '<svg class="chart" role="img"'
    holds "the_figure_has_a_title" "$dir/dom" '<title>Dummy kernel, rho [0-9]+</title>'
    for map in lambda rb walk; do holds "${map}_is_labelled" "$dir/dom" "<text [^>]*>.*<tspan[^>]*>$map,?</tspan>"; done
    # A copy that measures itself, in a frame as wide as a phone.
    probe='const d = document.documentElement, seen = [...document.querySelectorAll("figure g.s > path[stroke-dasharray]")].filter(p =>
        p.getTotalLength() > 20 && getComputedStyle(p).stroke != "none" && p.getBoundingClientRect().width > 20);
        const letters = [...document.querySelectorAll("figure text")].filter(t => t.getBoundingClientRect().width > 0),
        small = letters.filter(t => t.getBoundingClientRect().height < 9), box = s => s.getBoundingClientRect(),
        out = letters.filter(t => box(t).right > d.clientWidth + 1);
        parent.postMessage(`${d.scrollWidth <= d.clientWidth ? "fits" : "too wide"}, ${seen.length} lines, ` +
            `${small.length} of ${letters.length} texts too small, ${out.length} outside`, "*")'
    { sed '/<\/body>/d;/<\/html>/d' "$dir/two.html"; echo "<script>$probe</script></body></html>"; } > "$dir/inner.html"
    echo '<body><script>onmessage = e => document.body.append("probe: " + e.data)</script>
        <iframe src="inner.html" width="380" height="800"></iframe>' > "$dir/outer.html"
    open_page "$dir/outer.html"
    holds "a_phone_shows_no_sideways_scroll" "$dir/dom" 'probe: fits'
    holds "lines_are_drawn" "$dir/dom" 'probe: .*, [1-9][0-9]* lines'
    check "the_paper_makes_a_page" "$wedge" report "$saved/paper-h200-cuda.json" -o "$dir/paper.html"
    probe='const wide = [...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth + 1);
        parent.postMessage(`${wide.length} tables wider than the page`, "*")'
    { sed 's/<details>/<details open>/g;/<\/body>/d;/<\/html>/d' "$dir/paper.html"; echo "<script>$probe</script></body></html>"; } > "$dir/inner.html"
    sed 's/width="380"/width="1200"/' "$dir/outer.html" > "$dir/screen.html"
    cp "$dir/dom" "$dir/phone"
    open_page "$dir/screen.html"
    holds "tables_show_their_remarks_on_a_screen" "$dir/dom" 'probe: 0 tables wider'
    mv "$dir/phone" "$dir/dom"
    holds "texts_of_figures_can_be_read_on_a_phone" "$dir/dom" 'probe: .*, 0 of [1-9][0-9]* texts too small, 0 outside'
fi

finish
