# wedge.fish: completion for fish. Commands, options, metrics and devices are what the program itself says.
#
# SPDX-License-Identifier: MIT

# __wedge_list PART COMMAND: "word<TAB>what it is" for each line of a part of the help.
function __wedge_list
    wedge help $argv[2] 2>/dev/null | sed -n "/^$argv[1].*:\$/,/^\$/p" |
        string replace -rf '^  (-+[a-z][-a-z]*|[a-z][a-z_]*)\S*(?: \S+(?=  ))? +(.*)$' '$1\t$2'
end

function __wedge_command
    set -l typed (commandline -opc)
    echo $typed[2]
end

function __wedge_after
    set -l typed (commandline -opc)
    contains -- $typed[-1] $argv
end

function __wedge_first
    set -l typed (commandline -opc)
    test (count $typed) -eq 1; or begin
        test (count $typed) -eq 2; and test $typed[2] = help
    end
end

function __wedge_is_bench
    set -l typed (commandline -opc)
    test (count $typed) -eq 2; and test $typed[2] = bench
end

# What comes after "wedge bench", as its usage has it: "wedge bench roots|map|...".
function __wedge_experiments
    wedge help bench 2>/dev/null | sed -n '/^usage: wedge bench/,/^ *wedge bench compare/p' | tr -c a-z0-9- '\n' |
        grep -vxE 'usage|wedge|bench|options|json|' | sort -u
end

complete -c wedge -f -n __wedge_first -a '(__wedge_list commands)'
complete -c wedge -f -n __wedge_first -a help -d 'the options of a command'
complete -c wedge -n 'not __wedge_first' -a '(string match -q -- "-*" (commandline -ct); and __wedge_list options (__wedge_command))'
complete -c wedge -f -n '__wedge_after --metric' -a '(__wedge_list metrics (__wedge_command))'
complete -c wedge -f -n '__wedge_after --device' -a '(wedge devices 2>/dev/null | awk "NR > 1 { print \$1 }")'
complete -c wedge -f -n '__wedge_after --layout' -a 'condensed packed square'
complete -c wedge -f -n '__wedge_after --dtype' -a 'f32 f64 float32 float64'
complete -c wedge -f -n '__wedge_after --format' -a 'npy csv tsv'
complete -c wedge -f -n '__wedge_after --nan' -a 'error propagate'
complete -c wedge -f -n '__wedge_after --sink' -a 'store summary histogram select nearest'
complete -c wedge -f -n '__wedge_after --map' -a '(wedge map --list 2>/dev/null | sed -n "s/^\([a-z][-a-z]*\)  *[23]  .*/\1/p" | sort -u)'
complete -c wedge -f -n __wedge_is_bench -a '(__wedge_experiments)' -d experiment
