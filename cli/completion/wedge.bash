# wedge.bash: completion for bash. Commands, options, metrics and devices are what the program itself says.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# _wedge_list PROGRAM PART COMMAND: the first words of a part of the help, "options" or "metrics"; of "commands" without COMMAND.
_wedge_list() {
    # shellcheck disable=SC2086 # no COMMAND is no word
    "$1" help $3 2>/dev/null | sed -n "/^$2.*:\$/,/^\$/s/^  \(--*[a-z][-a-z]*\|[a-z][a-z_]*\).*/\1/p"
}

# What comes after "wedge bench", as its usage has it: "wedge bench roots|map|...".
_wedge_experiments() {
    "$1" help bench 2>/dev/null | sed -n '/^usage: wedge bench/,/^ *wedge bench compare/p' | tr -c 'a-z0-9-' '\n' |
        grep -vxE 'usage|wedge|bench|options|json|' | sort -u
}

_wedge_maps() { "$1" map --list 2>/dev/null | sed -n 's/^\([a-z][-a-z]*\)  *[23]  .*/\1/p' | sort -u; }

_wedge() {
    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=$2 words=''
    case $3 in
    --device) words=$("$program" devices 2>/dev/null | awk 'NR > 1 { print $1 }') ;;
    --metric) words=$(_wedge_list "$program" metrics "$command") ;;
    --sink) words='store summary histogram select nearest' ;;
    --map) words=$(_wedge_maps "$program") ;;
    --layout) words='condensed packed square' ;;
    --dtype) words='f32 f64 float32 float64' ;;
    --nan) words='error propagate' ;;
    --format) words='npy csv tsv' ;;
    *)
        if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
            words="$(_wedge_list "$program" commands) help --help --version"
        elif [[ $word == -* ]]; then
            words=$(_wedge_list "$program" options "$command")
        elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" = bench ]; then
            words=$(_wedge_experiments "$program")
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    # An id such as opencl:0.0 is three words to readline.
    if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$word"; fi
}
complete -o default -F _wedge wedge
