#!/bin/sh
# cli_edm_safe.sh BUILD_DIR: `wedge edm` knows its own finished output, harms no file that it did not make, keeps
# permissions, and ends well on a disk that fills up beside it.
#
# On the cpu device. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
# shellcheck source=tests/edm_files.sh
. "$(dirname "$0")/edm_files.sh"

some=$dir/some.npy
is() { test "$1" = "$2"; }
quiet_about() { "$@" > "$dir/out" 2> "$dir/err" < "$dir/in" && [ ! -s "$dir/err" ]; }

# ---- A finished output ----
made() { fresh; edm "$some" -o "$d" > "$dir/out" 2>&1; }
made
edm "$some" -o "$d" --resume --json > "$dir/said" 2> "$dir/err"
check "resume_of_its_own_finished_output_is_exit_0" test $? -eq 0
holds "it_says_so" "$dir/err" 'd.npy was complete already$'
holds "json_says_complete" "$dir/said" '"outcome": "complete"'
check "quiet_says_nothing" quiet_about "$wedge" edm --device cpu "$some" -o "$d" --resume --quiet
check "another_thread_count_makes_the_same_file" edm "$some" -o "$d" --resume --threads 1
check "so_does_another_shard" edm "$some" -o "$d" --resume --shard 2/3
for options in "" --quiet --json; do
    # shellcheck disable=SC2086 # options
    refuses "another_metrics_output $options" 2 "metric is 'euclidean' there, but 'cosine' here" \
        edm "$some" -o "$d" --device cpu --metric cosine --resume $options
done
refuses "another_inputs_output" 2 "d.npy belongs to another job: the points of the input have changed; --force overwrites it" edm "$dir/four.npy" -o "$d" --device cpu --resume
check "what_was_refused_left_it" cmp "$d" "$dir/want64.npy"
check "and_nothing_beside_it" is "$(left)" "d.npy "
cat "$d" > "$dir/copy" && fresh && cp "$dir/copy" "$d"
refuses "an_output_copied_without_its_attributes" 2 "wedge cannot tell what it was computed from" \
    edm "$some" -o "$d" --device cpu --resume
refuses "quiet_refuses_it_too" 2 "--force overwrites it" edm "$some" -o "$d" --device cpu --resume --quiet
check "force_overwrites_it" edm "$some" -o "$d" --resume --force
check "and_then_it_is_known" edm "$some" -o "$d" --resume
same "without_sync_the_bytes_are_the_same" "$dir/want64.npy" "$some" --no-sync

# A file of someone else at OUT's place, while the last shard runs: kept, until the user says otherwise.
fresh; edm "$some" -o "$d" --shard 1/2 > "$dir/out" 2>&1; sleep 0.05; cp "$dir/four.csv" "$d"
refuses "an_output_that_appeared_is_kept" 2 "was created meanwhile; the new one is complete: --resume --force puts it there" \
    edm "$some" -o "$d" --device cpu --shard 2/2 --resume
check "it_is_unharmed" cmp "$d" "$dir/four.csv"
edm "$some" -o "$d" --shard 2/2 --resume --force > "$dir/out" 2> "$dir/err"
holds "force_puts_the_complete_one_there_and_says_so" "$dir/err" 'd.npy: everything was computed already; the file is complete now$'
check "with_the_right_bytes" cmp "$d" "$dir/want64.npy"
check "and_nothing_is_left" is "$(left)" "d.npy "

# ---- Files of others ----
for theirs in d.npy.part d.npy.part.job d.npy.part.1-of-1.journal; do
    for options in "" --resume --force "--resume --force"; do
        fresh; cp "$dir/four.csv" "$o/$theirs"
        # shellcheck disable=SC2086 # options
        refuses "$theirs of a user $options" 2 "$theirs exists, and wedge did not make it" edm "$some" -o "$d" --device cpu $options
        check "is unharmed" cmp "$o/$theirs" "$dir/four.csv"
        check "and alone" is "$(left)" "$theirs "
        # shellcheck disable=SC2086 # options
        refuses "$theirs as input $options" 2 "is the input and would be overwritten" \
            edm "$o/$theirs" -o "$d" --device cpu $options
        ln -s "$o/$theirs" "$dir/link.csv"
        # shellcheck disable=SC2086 # options
        refuses "through a symbolic link $options" 2 "is the input" edm "$dir/link.csv" -o "$d" --device cpu $options
        rm "$dir/link.csv"; ln "$o/$theirs" "$dir/hard.csv"
        # shellcheck disable=SC2086 # options
        refuses "through a hard link $options" 2 "is the input" edm "$dir/hard.csv" -o "$d" --device cpu $options
        rm "$dir/hard.csv"
        check "is unharmed still" cmp "$o/$theirs" "$dir/four.csv"
    done
done
fresh; head -c 8994128 /dev/zero > "$d.part" # the length of the part of this job
cp "$d.part" "$dir/zeros"
refuses "a_users_part_of_the_right_length" 2 "exists, and wedge did not make it" edm "$some" -o "$d" --device cpu --resume
check "it_is_unharmed" cmp "$d.part" "$dir/zeros"
fresh; cp "$dir/four.csv" "$d.part.2-of-5.journal"
edm "$some" -o "$d" > "$dir/out" 2>&1
check "a_file_that_only_looks_like_a_journal_stays" cmp "$d.part.2-of-5.journal" "$dir/four.csv"

fresh; cp "$dir/four.npy" "$d"
refuses "the_input_as_output" 2 "is the input" edm "$d" -o "$d" --device cpu --force
refuses "by_another_name" 2 "is the input" edm "$d" -o "$o/./d.npy" --device cpu --force
ln "$d" "$dir/hard.npy"; ln -s "$d" "$dir/link.npy"
refuses "by_a_hard_link" 2 "is the input" edm "$dir/hard.npy" -o "$d" --device cpu --force
refuses "by_a_symbolic_link" 2 "is the input" edm "$dir/link.npy" -o "$d" --device cpu --force
refuses "as_the_output_through_a_link" 2 "is the input" edm "$d" -o "$dir/link.npy" --device cpu --force
refuses "as_the_report" 2 "is the input" edm "$d" -o "$o/e.npy" --device cpu --force --json="$dir/link.npy"
mv "$dir/in" "$dir/no_in"; cp "$dir/four.csv" "$o/e.npy"; ln "$o/e.npy" "$dir/in"
refuses "on_standard_input" 2 "is the input" edm - -o "$o/e.npy" --device cpu --force
rm "$dir/in"; mv "$dir/no_in" "$dir/in"
check "all_of_that_left_it" cmp "$d" "$dir/four.npy"
for report in d.npy ./d.npy d.npy.part d.npy.part.job d.npy.part.1-of-1.journal; do
    fresh
    refuses "the_report_as_$report" 2 "is the file of the distances, too" edm "$some" -o "$d" --device cpu --json="$o/$report"
done

# ---- Permissions ----
mode() { stat -c %a "$1"; }
for want in 600 640 444; do
    made; chmod $want "$d"
    edm "$some" -o "$d" --force > "$dir/out" 2>&1
    check "force_keeps_$want" is "$(mode "$d")" $want
done
echo old > "$dir/r.json"; chmod 600 "$dir/r.json"
edm "$some" -o "$d" --force --json="$dir/r.json" > "$dir/out" 2>&1
check "force_keeps_the_permissions_of_a_report" is "$(mode "$dir/r.json")" 600
holds "which_is_new" "$dir/r.json" '"outcome": "done"'

# ---- Killed in the last moments ----
now() { date +%s.%N; }
at_random() { # LOW HIGH: a number between them
    awk -v r="$(od -An -N3 -tu4 /dev/urandom)" "BEGIN { printf \"%.3f\", $1 + ($2 - $1) * r / 16777216 }"
}
killed_at_the_end() {
    fresh; begun=$(now)
    edm "$some" -o "$d" --memory 2M
    whole=$(awk "BEGIN { print $(now) - $begun }")
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        fresh
        "$wedge" edm --device cpu "$some" -o "$d" --resume --memory 2M > "$dir/out" 2>&1 < "$dir/in" &
        pid=$!
        sleep "$(at_random "0.6 * $whole" "1.1 * $whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        if [ -e "$d" ]; then cmp "$dir/want64.npy" "$d" || return 1; fi
        edm "$some" -o "$d" --resume --memory 2M || return 1
        cmp "$dir/want64.npy" "$d" || return 1
        is "$(left)" "d.npy " || return 1
    done
}
check "a_run_killed_in_its_last_moments_resumes_to_the_same_bytes" killed_at_the_end

# ---- Other file systems ----
# mounted TYPE OPTIONS COMMAND: the command in a namespace with a file system of its own at $o. 77 where there can be no
# namespace, as in a chroot: what root mounted then would stay.
if unshare -m true 2> /dev/null; then alone="unshare -m"; elif unshare -rm true 2> /dev/null; then alone="unshare -rm"
else alone=; fi
mounted() {
    [ -n "$alone" ] || return 77
    # shellcheck disable=SC2086,SC2016 # $alone is a command; the rest is the inner shell's
    $alone sh -c 'mount -t "$1" $2 none "$3" || exit 77; eval "$4"' sh "$1" "$2" "$o" "$3" < "$dir/in"
}
export wedge some d dir o

(alone=; mounted tmpfs "" true)
check "without_a_namespace_nothing_is_mounted" is "$? $(grep -c "$dir" /proc/mounts)" "77 0"

fresh
# shellcheck disable=SC2016 # expanded inside
mounted ramfs "" ': > "$d.try"; ! setfattr -n user.try -v 1 "$d.try"' > "$dir/out" 2>&1
case $? in
0)
    # shellcheck disable=SC2016 # expanded inside
    mounted ramfs "" '"$wedge" edm --device cpu "$some" -o "$d" 2> "$dir/err1"; echo $? > "$dir/code1"
        "$wedge" edm --device cpu "$some" -o "$d" --resume 2> "$dir/err2"; echo $? > "$dir/code2"
        "$wedge" edm --device cpu "$some" -o "$d" --force --quiet 2> "$dir/err3"; echo $? > "$dir/code3"'
    check "without_attributes_a_run_ends_well" is "$(cat "$dir/code1") $(cat "$dir/code3")" "0 0"
    check "and_says_once_what_is_missing" is "$(grep -c -- '--resume will not recognise the finished file' "$dir/err1")" 1
    check "but_not_with_quiet" test ! -s "$dir/err3"
    check "its_output_is_not_known_to_resume" is "$(cat "$dir/code2")" 2
    holds "and_that_is_said" "$dir/err2" 'keeps no extended attributes; --force overwrites it'
    ;;
*) skipped "without_attributes" "no file system without them can be mounted here" ;;
esac

# 12 MB: the output takes 9, another file the rest while it is written.
fresh
# shellcheck disable=SC2016 # expanded inside
mounted tmpfs "-osize=12m" '"$wedge" edm --device cpu "$some" -o "$d" --metric minkowski --p 1.5 --threads 1 --memory 2M \
    2> "$dir/err" & pid=$!
    for _ in $(seq 500); do [ -e "$d.part.1-of-1.journal" ] && break; sleep 0.01; done
    dd if=/dev/zero of="$o/fill" bs=4k 2> /dev/null
    wait $pid; echo $? > "$dir/code"; df -k "$o" | tail -1 > "$dir/full"; cat "$d" > "$dir/got"'
if [ $? -eq 77 ]; then skipped "a_disk_that_fills_up" "no small disk can be mounted here"
else
    check "a_disk_that_fills_up_beside_a_run_does_not_end_it" is "$(cat "$dir/code")" 0
    fresh; edm "$some" -o "$d" --metric minkowski --p 1.5 > "$dir/out" 2>&1
    check "its_bytes_are_right" cmp "$dir/got" "$d"
    holds "the_disk_was_full" "$dir/full" '100%'
fi

finish
