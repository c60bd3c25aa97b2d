#!/bin/sh
# report.sh BUILD_DIR: the page of `wedge report`: made from a small run, refused where it must be, and opened.
#
# A headless Chromium opens it: no word on the console, the figures in the DOM and drawn, and no sideways scrolling at
# the width of a phone. Where there is no Chromium that part is said to be skipped. Exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

lacks() { # NAME FILE PATTERN
    if grep -Eq -e "$3" "$2"; then report no "$1" "$(grep -Eo -e ".{0,40}($3).{0,40}" "$2" | head -1)"
    else report ok "$1"; fi
}

# ---- The command ----
WEDGE_NUM_THREADS=1 "$wedge" bench map --n 64,128 --device cpu --noise 1000000 --budget 3600 --json="$dir/run.json" --quiet > /dev/null 2> "$dir/err" ||
    { echo "report.sh: wedge bench failed: $(head -c 300 "$dir/err")" >&2; exit 1; }
page=$dir/page.html
check "a_result_makes_a_page" "$wedge" report "$dir/run.json" -o "$page"
check "nothing_else_is_left" test ! -e "$page.part"
refuses "figures_of_one_name" 2 "one name" report a/r.json b/r.json --figures "$dir"
refuses "a_page_that_exists_is_kept" 2 "--force" report "$dir/run.json" -o "$page"
check "unless_forced" "$wedge" report --force "$dir/run.json" -o "$page"
refuses "no_results_is_a_usage_error" 2 "results" report -o "$dir/none.html"
refuses "no_page_is_a_usage_error" 2 "-o" report "$dir/run.json"
refuses "a_missing_file_is_bad_data" 3 "absent.json" report "$dir/absent.json" -o "$dir/none.html"
echo 'n = 3, no JSON' > "$dir/bad.json"
refuses "what_is_not_json_is_bad_data" 3 "bad.json" report "$dir/run.json" "$dir/bad.json" -o "$dir/none.html"
echo '{"hello": [1, 2]}' > "$dir/bad.json"
refuses "what_is_not_ours_is_bad_data" 3 "bad.json" report "$dir/bad.json" -o "$dir/none.html"
refuses "a_place_that_is_not_there_is_said" 1 "nowhere" report "$dir/run.json" -o "$dir/nowhere/page.html"
check "no_page_of_bad_data" test ! -e "$dir/none.html" -a ! -e "$dir/none.html.part"
sed 's|"name": *"[^"]*"|"name": "</title></script><b>\&\\"<i"|' "$dir/run.json" > "$dir/odd.json"
check "two_results_make_one_page" "$wedge" report "$dir/run.json" "$dir/odd.json" -o "$dir/two.html"

# ---- The page ----
for file in page two; do
    lacks "${file}_loads_nothing" "$dir/$file.html" '<script|<iframe|<img|@import|src=|https?://|url\('
    lacks "${file}_has_no_odd_number" "$dir/$file.html" '[^a-z](nan|inf)[^a-z]'
done
lacks "names_are_escaped" "$dir/two.html" '</script|<b>&"|<i"'
holds "the_odd_name_is_shown" "$dir/two.html" '&lt;/title&gt;&lt;/script&gt;&lt;b&gt;&amp;&quot;&lt;i'
holds "devices_stand_side_by_side" "$dir/two.html" 'Best maps by device'
holds "tables_have_row_heads" "$dir/page.html" '<th scope="row">lambda'
holds "the_command_is_there" "$dir/page.html" 'bench map --n 64,128'

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
    open_page "$page"
    lacks "the_console_is_silent" "$dir/words" 'CONSOLE'
    holds "the_dom_has_the_figure" "$dir/dom" '<svg class="chart" role="img"'
    holds "the_figure_has_a_title" "$dir/dom" '<title>Dummy kernel, rho [0-9]+</title>'
    for map in lambda rb walk; do holds "${map}_is_labelled" "$dir/dom" "<text x[^>]*>$map<tspan"; done
    # A copy that measures itself, in a frame as wide as a phone.
    probe='const d = document.documentElement, seen = [...document.querySelectorAll("figure .line")].filter(p =>
        p.getTotalLength() > 20 && getComputedStyle(p).stroke != "none" && p.getBoundingClientRect().width > 20);
        parent.postMessage(`${d.scrollWidth <= d.clientWidth ? "fits" : "too wide"}, ${seen.length} lines`, "*")'
    { sed '/<\/body>/d;/<\/html>/d' "$dir/two.html"; echo "<script>$probe</script></body></html>"; } > "$dir/inner.html"
    echo '<body><script>onmessage = e => document.body.append("probe: " + e.data)</script>
        <iframe src="inner.html" width="390" height="800"></iframe>' > "$dir/outer.html"
    open_page "$dir/outer.html"
    holds "a_phone_shows_no_sideways_scroll" "$dir/dom" 'probe: fits'
    holds "lines_are_drawn" "$dir/dom" 'probe: .*, [1-9][0-9]* lines'
fi

finish
