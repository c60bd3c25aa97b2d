# manual.awk: the text of --help as a man page. -v name=wedge-edm -v version=0.3.0 -v commands="edm within ..."
#
# A help text has a first line that says what it is, then parts: "examples:", "usage: ...", "options:", "commands:", others that
# end in a colon ("metrics ...:"), and paragraphs. Options and commands become tagged paragraphs; examples and other lists stay
# as they are.
#
# SPDX-License-Identifier: MIT

# Text for roff: backslashes and hyphens as they are typed, no line that begins as a request.
function plain(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/±/, "\\[+-]", s)
    if (s ~ /^[.']/) s = "\\&" s
    return s
}

# "--box L[,L..]" has the option bold and its value slanted.
function tag(s,   at) {
    at = match(s, /[ [=]/)
    if (!at) return "\\fB" plain(s) "\\fR"
    return "\\fB" plain(substr(s, 1, at - 1)) "\\fR" substr(s, at, 1) "\\fI" plain(substr(s, at + 1)) "\\fR"
}

function verbatim(s) { return plain(s) "\n" }

BEGIN { part = "text" }

NR == 1 {
    summary = $0
    sub(/^wedge [a-z]+: /, "", summary)
    if (name == "wedge") {
        text = plain($0) "\n"
        sub(/^wedge computes over /, "", summary)
        sub(/\.$/, "", summary)
    }
    next
}
/^usage: / { part = "usage"; sub(/^usage: /, ""); usage = verbatim($0); next }
/^[a-z].*:$/ {
    part = $1
    sub(/:$/, "", part)
    if (part !~ /^(examples|options|commands)$/) {
        title = toupper(substr($0, 1, 1)) substr($0, 2)
        others = others ".SH " toupper(part) "\n" plain(title) "\n.PP\n.nf\n"
        part = "list"
    }
    next
}
/^$/ { if (part == "list") others = others ".fi\n"; part = "text"; text = text ".PP\n"; next }
part == "usage" { sub(/^       /, ""); usage = usage verbatim($0); next }
part == "examples" { sub(/^  /, ""); examples = examples verbatim($0); next }
part == "list" { sub(/^  /, ""); others = others verbatim($0); next }
part == "options" && /^  -/ {
    match($0, /[^ ]   *[^ ]/) # two blanks or more end the left side
    left = substr($0, 3, RSTART - 2)
    right = substr($0, RSTART + RLENGTH - 1)
    options = options ".TP\n" tag(left) "\n" plain(right) "\n"
    next
}
part == "options" { sub(/^ +/, ""); options = options plain($0) "\n"; next }
part == "commands" {
    command = $1
    sub(/^ *[a-z]+ +/, "")
    list = list ".TP\n\\fBwedge\\-" command "\\fR(1)\n" plain($0) "\n"
    next
}
/^environment: / { part = "environment"; sub(/^environment: /, "") }
part == "environment" { environment = environment plain($0) "\n"; next }
{ text = text plain($0) "\n" }

END {
    if (part == "list") others = others ".fi\n"
    printf ".TH %s 1 \"\" \"wedge %s\" \"wedge\"\n", toupper(plain(name)), version
    printf ".SH NAME\n%s \\- %s\n", plain(name), plain(summary)
    printf ".SH SYNOPSIS\n.nf\n%s.fi\n", usage
    gsub(/(\.PP\n)+/, ".PP\n", text)
    sub(/^(\.PP\n)+/, "", text)
    sub(/(\.PP\n)+$/, "", text)
    if (text != "") printf ".SH DESCRIPTION\n%s", text
    if (list) printf ".SH COMMANDS\n%s", list
    if (options) printf ".SH OPTIONS\n%s", options
    printf "%s", others
    if (examples) printf ".SH EXAMPLES\n.nf\n%s.fi\n", examples
    print ".SH EXIT STATUS"
    split("0|1|2|3|4|5|6", code, "|")
    split("success|failed at run time|wrong usage, or an output that exists and no \\-\\-force|input data that cannot be used, or is missing|" \
          "no such device, or not supported there|out of memory or disk space|stopped before the end; \\-\\-resume continues", says, "|")
    for (k = 1; k <= 7; ++k) printf ".TP\n%s\n%s\n", code[k], says[k]
    if (environment) printf ".SH ENVIRONMENT\n%s", environment
    print ".SH SEE ALSO"
    if (name != "wedge") printf "\\fBwedge\\fR(1), "
    print "\\fBlibwedge\\fR(3)"
}
