# reference.awk: wedge.h as a man page (-v form=man) or in Markdown (-v form=md); -v version=0.3.0.
#
# The header is sections, "/* ---- Name: what ---- */", of blocks between blank lines: a comment, then declarations. Functions
# that no comment tells of, and comments that do not end, are errors: what is generated has no gaps.
#
# SPDX-License-Identifier: MIT

function man(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    return s ~ /^[.']/ ? "\\&" s : s
}

function fail(why) {
    print FILENAME ": " why > "/dev/stderr"
    failed = 1
}

function head(title) { print form == "man" ? ".SH " toupper(man(title)) : "\n## " title "\n" }

# Lines that are indented stay as they are; the others are paragraphs.
function comment(s,   lines, count, k, code, line) {
    count = split(s, lines, "\n")
    for (k = 1; k <= count; ++k) {
        line = lines[k]
        if (line ~ /^    / && !code) code = opens()
        else if (code && line !~ /^    / && line != "") code = closes()
        if (code) sub(/^    /, "", line)
        if (form == "man") print line == "" && !code ? ".PP" : man(line)
        else print line
    }
    if (code) closes()
}

function opens() { print form == "man" ? ".PP\n.nf" : "\n```c"; return 1 }
function closes() { print form == "man" ? ".fi\n.PP" : "```\n"; return 0 }

function code(s,   lines, count, k) {
    if (sub(/WEDGE_API /, "", s)) gsub(/\n          /, "\n", s) # the rest of long declarations stays below its bracket
    gsub(/WEDGE_API /, "", s)
    opens()
    count = split(s, lines, "\n")
    for (k = 1; k <= count; ++k) print form == "man" ? man(lines[k]) : lines[k]
    closes()
}

# A block is over: its comment, then its declarations.
function flush_block(   name, rest) {
    if (declared ~ /WEDGE_API/ && said == "" && declared !~ /\/\*/) fail("no word about " declared)
    if (form == "md")
        for (rest = declared; match(rest, /wedge_[a-z0-9_]+\(/); rest = substr(rest, RSTART + RLENGTH)) {
            name = substr(rest, RSTART, RLENGTH - 1)
            printf "<a id=\"%s\"></a>", name
        }
    if (said != "") comment(said)
    if (declared != "") code(declared)
    said = declared = ""
}

function add(old, line) { return old == "" ? line : old "\n" line }

BEGIN {
    if (form == "man") printf ".TH LIBWEDGE 3 \"\" \"wedge %s\" \"wedge\"\n.SH NAME\nlibwedge \\- something for every pair or triplet of points, on GPUs and CPUs\n.SH SYNOPSIS\n.nf\n#include <wedge/wedge.h>\n\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs wedge)\n.fi\n", version
    else printf "# The API of wedge %s\n\nMade of `wedge.h` by `tools/reference.awk`.\n", version
}

NR == 1 { head("Overview"); sub(/^\/\* /, ""); sub(/: /, " is "); said = $0; inside = 1; next }
inside {
    over = sub(/ *\*\/$/, "")
    line = $0
    sub(/^ \*?/, "", line)
    sub(/^ /, "", line)
    if (line !~ /^SPDX/) said = add(said, line)
    if (over) { inside = 0; gsub(/\n+$/, "", said) }
    next
}
/^\/\* ---- .* ---- \*\/$/ {
    flush_block()
    sub(/^\/\* ---- /, "")
    sub(/ ---- \*\/$/, "")
    head($0)
    next
}
/^$/ { flush_block(); next }
/^#define WEDGE_(VERSION|[A-Z]+\()/ { declared = add(declared, $0); next }
/^#/ || /^extern "C" \{$/ || (/^}$/ && declared == "") { next }
/^\/\*/ && declared == "" {
    line = $0
    sub(/^\/\* /, "", line)
    inside = !sub(/ *\*\/$/, "", line)
    said = add(said, line)
    next
}
{ declared = add(declared, $0) }

END {
    flush_block()
    if (inside) fail("a comment does not end")
    if (form == "man") print ".SH SEE ALSO\n\\fBwedge\\fR(1)"
    exit failed
}
