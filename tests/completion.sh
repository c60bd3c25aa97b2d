#!/bin/sh
# completion.sh BUILD_DIR: what bash, zsh and fish offer at the prompt is what `wedge help` lists.
#
# A shell that is not installed is named and left out. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
scripts=$(cd "$(dirname "$0")/../cli/completion" && pwd)
PATH=$(cd "$(dirname "$wedge")" && pwd):$PATH
export PATH HOME="$dir" scripts

# What bash would offer for the words typed so far, the last of which is being typed.
in_bash() {
    bash -c '. "$scripts/wedge.bash"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _wedge wedge "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

# zsh completes in a terminal only: its functions that take the words are replaced by ones that print them.
in_zsh() {
    zsh -f -c '_describe() { local -a all; all=(${(P)@[-1]}); print -l -- ${all%%:*} }
        compadd() { shift; print -l -- $@ }
        _files() { print files }
        words=("$@") CURRENT=$#
        . "$scripts/_wedge"' zsh "$@" | awk -v word="$(eval echo "\${$#}")" 'index($0, word) == 1'
}

in_fish() { fish -c 'source $scripts/wedge.fish; complete -C "$argv"' -- "$@" | cut -f1; }

part() { # PART COMMAND: as the help has it
    # shellcheck disable=SC2086 # no COMMAND is no word
    wedge help $2 | awk -v part="$1" '$0 ~ "^" part ".*:$" { on = 1; next } /^$/ { on = 0 }
        on && /^  [-a-z]/ { sub(/\[.*/, "", $1); print $1 }'
}

for shell in bash zsh fish; do
    command -v $shell > "$dir/found" || { echo "SKIP  no $shell here" && continue; }
    for words in "commands::" "options:edm:--" "options:bench:--" "metrics:within:--metric "; do
        list=${words%%:*} rest=${words#*:}
        command=${rest%%:*} typed=${rest#*:}
        part "$list" "$command" | grep -e "^${typed%%--metric*}" | sort > "$dir/want"
        case $list in
        commands) in_$shell wedge "" ;;
        metrics) in_$shell wedge "$command" --metric "" ;;
        *) in_$shell wedge "$command" "$typed" ;;
        esac | grep -v -x -e help -e --help -e --version -e '' | sort > "$dir/got"
        grep -v -x -e --help "$dir/want" > "$dir/wanted"
        check "${shell}_offers_the_${list}_of_wedge_${command}" diff "$dir/wanted" "$dir/got"
        check "${shell}_has_some_$list" test -s "$dir/got"
    done
    if [ $shell = fish ]; then
        fish -c 'source $scripts/wedge.fish; complete -C "wedge edm --block"; complete -C "wedge edm --dry"' > "$dir/got"
        check "fish_says_what_an_option_is" grep -q "^--block	GPUs" "$dir/got"
        check "fish_says_what_an_option_without_a_value_is" grep -q "^--dry-run	print" "$dir/got"
    fi
    in_$shell wedge bench "" | sort > "$dir/got"
    for experiment in roots map edm sinks within triplets tet-map tet-collide paper compare; do
        check "${shell}_offers_bench_$experiment" grep -qx $experiment "$dir/got"
    done
    check "${shell}_offers_only_what_bench_knows" sh -c "grep . '$dir/got' | while read -r e; do
        [ \$e = compare ] || \"$wedge\" bench \$e --n x 2>&1 | grep -vq 'no experiment' || exit 1; done"
    in_$shell wedge map --map "" | sort > "$dir/got"
    wedge map --list | grep -E '^[a-z-]+ +[23]  ' | cut -d' ' -f1 | sort -u > "$dir/want"
    check "${shell}_offers_the_maps" diff "$dir/want" "$dir/got"
    in_$shell wedge run lj.h --sink "" > "$dir/got"
    check "${shell}_offers_the_sinks" grep -qx nearest "$dir/got"
    in_$shell wedge edm --device "" > "$dir/got"
    check "${shell}_offers_the_cpu" grep -qx cpu "$dir/got"
    in_$shell wedge edm --layout "pa" > "$dir/got"
    check "${shell}_completes_a_word" grep -qx packed "$dir/got"
done
finish
