# check.sh: what the shell tests share; sourced with the build folder as first argument. Gives $wedge, a temporary
# folder $dir that goes away, report, check, refuses, holds and reads_results; a test ends with `finish`.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=sh
wedge=${1:?usage: $0 BUILD_DIR}/wedge
[ -x "$wedge" ] || { echo "$0: no program $wedge; build first" >&2; exit 2; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export XDG_STATE_HOME="$dir/state" # what runs keep of their own goes with the folder
passed=0
failed=0
: > "$dir/in"

report() { # ok|no NAME DETAIL
    if [ "$1" = ok ]; then
        passed=$((passed + 1)); echo "ok    $2"
    else
        failed=$((failed + 1)); echo "FAIL  $2: $3"
    fi
}

check() { # NAME COMMAND...: the command succeeds
    name=$1; shift
    if "$@" > "$dir/out" 2>&1; then report ok "$name"; else report no "$name" "$(head -c 300 "$dir/out" | tr '\n' '|')"; fi
}

# refuses NAME CODE WORD ARGS...: `wedge ARGS` with this exit code, a message "wedge: ..." that holds the word, and
# nothing on standard output
refuses() {
    name=$1; want=$2; word=$3; shift 3
    "$wedge" "$@" > "$dir/out" 2> "$dir/err" < "$dir/in"
    code=$?
    if [ $code -eq "$want" ] && grep -q '^wedge: ' "$dir/err" && grep -qF -e "$word" "$dir/err" &&
        [ ! -s "$dir/out" ]; then
        report ok "$name"
    else report no "$name" "exit $code, $(head -c 300 "$dir/err" | tr '\n' '|')"; fi
}

holds() { # NAME FILE PATTERN: an extended regular expression
    if grep -Eq -e "$3" "$2"; then report ok "$1"; else report no "$1" "no $3 in it"; fi
}

# reads_results: ends the test as skipped where the build has no jansson, and so cannot read what a bench saved.
reads_results() {
    "$wedge" bench compare "$dir/in" "$dir/in" 2>&1 | grep -q 'built without jansson' || return 0
    echo "skipped: $wedge was built without jansson"
    exit 77
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
