#!/bin/sh
# cli_edm_stops.sh BUILD_DIR: runs of `wedge edm` that are stopped or killed go on to the same bytes.
#
# On the cpu device. Needs about 1 GB in TMPDIR, and leaves out, saying so, what there is no room for. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
# shellcheck source=tests/edm_files.sh
. "$(dirname "$0")/edm_files.sh"

# ---- Stopped and killed ----
now() { date +%s.%N; }
reckon() { awk "BEGIN { printf \"%.3f\", ($1) }"; }
spent() { # seconds of processor time of all commands so far: how busy the machine is does not count
    times > "$dir/times"
    awk 'NR == 2 { split($1, t, /[ms]/); printf "%.3f", 60 * t[1] + t[2] }' "$dir/times"
}
at_random() { # LOW HIGH: a number between them
    awk -v r="$(od -An -N3 -tu4 /dev/urandom)" "BEGIN { printf \"%.3f\", $1 + ($2 - $1) * r / 16777216 }"
}
begin() { # ARGS...: in the background, with the signals a terminal would give it (sh ignores SIGINT there); sets pid
    env --default-signal=INT,TERM "$wedge" edm --device cpu -o "$d" "$@" > "$dir/out" 2> "$dir/err" < /dev/null &
    pid=$!
}
part_is_there() { # waits for it, or for the end of the run
    for _ in $(seq 500); do
        [ -e "$d.part" ] && return
        kill -0 "$pid" 2> /dev/null || return
        sleep 0.01
    done
}

# A small run killed at any moment from its start on: reading, reserving, writing the journal, computing, renaming.
killed_anywhere() {
    fresh; begun=$(now)
    edm "$dir/some.npy" -o "$d" --memory 2M
    whole=$(reckon "$(now) - $begun")
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        fresh
        begin "$dir/some.npy" --resume --memory 2M
        sleep "$(at_random 0 "$whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        [ ! -e "$d.part" ] || echo >> "$dir/parts"
        edm "$dir/some.npy" -o "$d" --resume --memory 2M || return 1
        cmp "$dir/want64.npy" "$d" || return 1
        find "$o" -mindepth 1 ! -path "$d" >> "$dir/beside"
    done
}
: > "$dir/parts"
: > "$dir/beside"
check "a_small_run_killed_at_any_moment_resumes_to_the_same_bytes" killed_anywhere
echo "      ($(wc -l < "$dir/parts") of 12 left a part)"

# A run of about two seconds on this machine: slow to compute, n from a measured smaller one.
slow="--metric minkowski --p 1.5 --threads 1 --memory 16M"
random_points "$dir/gauge" 1500 16 f8
fresh; begun=$(now)
# shellcheck disable=SC2086 # options
edm "$dir/two.npy" -o "$d" $slow > "$dir/out" 2>&1
started=$(now)
# shellcheck disable=SC2086 # options
edm "$dir/gauge.npy" -o "$d" $slow --force > "$dir/out" 2>&1
n=$(awk "BEGIN { t = $(now) - 2 * $started + $begun; if (t < .02) t = .02; n = 1500 * sqrt(2 / t)
    print int(n < 3000 ? 3000 : n > 11000 ? 11000 : n) }")
need=$((n * n / 128 + 200000)) # KiB, two outputs
if ! env --default-signal=INT,TERM true 2> /dev/null; then skipped "stopped_and_killed" "env has no --default-signal"
elif [ "$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')" -lt $need ]; then
    skipped "stopped_and_killed" "$need KiB are not free in $dir"
else
    random_points "$dir/big" "$n" 16 f8
    fresh; begun=$(now)
    spent > "$dir/before"
    # shellcheck disable=SC2086 # options
    edm "$dir/big.npy" -o "$d" $slow > "$dir/out" 2>&1 && mv "$d" "$dir/want_big.npy"
    whole=$(reckon "$(now) - $begun")
    spent > "$dir/after"
    work=$(reckon "$(cat "$dir/after") - $(cat "$dir/before")")
    echo "      (n = $n, $whole s undisturbed)"

    resumes() { # to the same bytes; notes what else is left
        # shellcheck disable=SC2086 # options
        edm "$dir/big.npy" -o "$d" $slow --resume "$@" && cmp "$dir/want_big.npy" "$d" || return
        find "$o" -mindepth 1 ! -path "$d" >> "$dir/beside"
    }
    stopped() { # SIGNAL AFTER: what is left of a run stopped so many seconds after its part was there
        fresh
        # shellcheck disable=SC2086 # options
        begin "$dir/big.npy" $slow
        part_is_there
        sleep "$2"
        kill "-$1" $pid 2> /dev/null; wait $pid
        code=$?
        if [ $code -eq 0 ]; then
            echo "      (it had ended before SIG$1)"
        else
            check "SIG$1_is_exit_6" test $code -eq 6
            check "SIG$1_leaves_a_part_and_no_output" test -e "$d.part" -a ! -e "$d"
            holds "SIG$1_tells_how_to_go_on" "$dir/err" '^wedge: .*--resume'
        fi
    }
    stopped INT "$(at_random "0.05 * $whole" "0.5 * $whole")"
    check "a_run_stopped_by_SIGINT_resumes_to_the_same_bytes" resumes
    # As late as possible; sooner where the machine was busier before than now and the run had ended by then.
    for late in 0.75 0.55 0.35 0.2; do
        stopped TERM "$(reckon "$late * $whole")"
        [ $code -eq 0 ] || break
    done
    share=$(sed -n 's/.*stopped at \([0-9.]*\) %.*/\1/p' "$dir/err")
    spent > "$dir/before"
    check "a_run_stopped_by_SIGTERM_resumes_to_the_same_bytes" resumes
    spent > "$dir/after"
    rest=$(reckon "$(cat "$dir/after") - $(cat "$dir/before")")
    if [ "$(reckon "${share:-0} < 40")" = 1.000 ]; then
        skipped "it_did_not_compute_again_what_was_there" "it had done ${share:-nothing} %"
    else
        check "it_did_not_compute_again_what_was_there ($rest of $work s after $share %)" \
            test "$(reckon "$rest < (1.3 - $share / 100) * $work")" = 1.000
    fi

    # Killed while it goes on from a journal, which a stop leaves whatever the time between two of them is.
    fresh; kills=0
    # shellcheck disable=SC2086 # options
    begin "$dir/big.npy" $slow
    part_is_there
    sleep "$(reckon "0.25 * $whole")"
    kill -INT $pid 2> /dev/null; wait $pid
    # shellcheck disable=SC2086 # options
    for round in 1 2 3 4 5; do
        begin "$dir/big.npy" $slow --resume
        part_is_there
        sleep "$(at_random "0.02 * $whole" "0.3 * $whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        [ ! -e "$d" ] || break
        kills=$((kills + 1))
        [ $round -eq 2 ] || continue
        refuses "a_killed_run_is_not_begun_again_unasked" 2 "--resume" edm "$dir/big.npy" -o "$d" --device cpu $slow
        refuses "resume_with_another_metric" 2 "metric" edm "$dir/big.npy" -o "$d" --device cpu --metric cityblock --resume
        refuses "resume_with_another_p" 2 "--force" edm "$dir/big.npy" -o "$d" --device cpu --metric minkowski --p 3 --resume
        refuses "resume_with_another_layout" 2 "--force" edm "$dir/big.npy" -o "$d" --device cpu $slow --resume \
            --layout packed
        refuses "resume_with_another_dtype" 2 "--force" edm "$dir/big.npy" -o "$d" --device cpu $slow --dtype f32 --resume
        refuses "resume_with_another_input" 2 "--force" edm "$dir/gauge.npy" -o "$d" --device cpu $slow --resume
        check "what_was_refused_left_the_part" test -e "$d.part" -a ! -e "$d"
    done
    check "a_run_killed_again_and_again_resumes_to_the_same_bytes" resumes --threads 2
    echo "      ($kills kills before it was whole)"

    shard_killed() {
        fresh
        # shellcheck disable=SC2086 # options
        begin "$dir/big.npy" $slow --shard 2/3
        part_is_there
        sleep "$(at_random "0.02 * $whole" "0.2 * $whole")"
        kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
        # shellcheck disable=SC2086 # options
        edm "$dir/big.npy" -o "$d" $slow --shard 3/3 || return
        # shellcheck disable=SC2086 # options
        edm "$dir/big.npy" -o "$d" $slow --shard 1/3 --threads 2 || return
        [ ! -e "$d.part" ] || resumes --shard 2/3
    }
    check "a_shard_that_was_killed_resumes_to_the_same_bytes" shard_killed
fi
nothing_beside() { cat "$dir/beside"; [ ! -s "$dir/beside" ]; }
check "resumed_runs_leave_nothing_beside_their_output" nothing_beside

finish
