#!/bin/sh
# cli_stops.sh BUILD_DIR: commands that are asked to stop do so soon and cleanly, and what a killed one left is cleared.
#
# On the cpu device, and where it says so on others. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

# stops NAME SIGNAL CODE FILE ARGS...: `wedge ARGS`, sent the signal once FILE's part is there, ends with this code and
# leaves neither FILE nor a part (bench: FILE, with what was measured so far). Without it, it would take many minutes.
stops() {
    name=$1; signal=$2; want=$3; file=$4; shift 4
    rm -f "$file" "$file".*
    env --default-signal=INT,TERM,HUP "$wedge" "$@" > "$dir/out" 2> "$dir/err" < /dev/null &
    pid=$!
    for _ in $(seq 600); do
        ls "$file".*part* > /dev/null 2>&1 && break
        sleep 0.05
    done
    sleep 0.3
    kill -"$signal" "$pid"
    wait "$pid"
    code=$?
    rest=$(ls "$file"* 2> /dev/null | tr '\n' ' ')
    if [ $code -ne "$want" ]; then report no "$name" "exit $code, $(head -c 300 "$dir/err" | tr '\n' '|')"
    elif [ "$rest" != "$kept" ]; then report no "$name" "left $rest"
    else report ok "$name"; fi
}

kept=
for signal in INT TERM HUP; do
    stops "certify_stops_at_SIG$signal" $signal 6 "$dir/c.json" certify --device cpu --rows all "--json=$dir/c.json"
done
kept="$dir/b.json "
stops bench_stops_at_SIGHUP HUP 6 "$dir/b.json" bench map --n 8192 --budget 300 --noise 0.0001 --device cpu --threads 1 \
    "--json=$dir/b.json"

# A pipe that brings nothing, and stays open.
mkfifo "$dir/silent"
sleep 60 > "$dir/silent" &
writer=$!
env --default-signal=INT,TERM,HUP "$wedge" summary - --device cpu > "$dir/out" 2> "$dir/err" < "$dir/silent" &
pid=$!
sleep 1
kill -INT "$pid"
(sleep 20; kill -KILL "$pid") > /dev/null 2>&1 & # so that a wait for ever fails
killer=$!
wait "$pid"
code=$?
check "one_signal_ends_a_wait_for_standard_input: $code" test $code -eq 6
kill "$writer" "$killer"

# A signal while points are read, a kernel is compiled or the first tiles are under way: exit 6, and no OUT. The points come
# through a pipe, so the command catches signals before the script can have written them. Nothing is in the caches.
stopped_early() { # DEVICE SECONDS: after the points
    rm -rf "$dir/kernels" "$dir/early"
    mkdir -m 700 "$dir/kernels" "$dir/early"
    mkfifo "$dir/early/points"
    env --default-signal=INT,TERM,HUP WEDGE_CACHE_DIR="$dir/kernels" POCL_CACHE_DIR="$dir/kernels" "$wedge" edm - --threads 1 \
        --metric minkowski --p 1.5 --device "$1" -o "$dir/early/d.npy" > "$dir/early/out" 2>&1 < "$dir/early/points" &
    pid=$!
    cat "$dir/many.csv" > "$dir/early/points"
    sleep "$2"
    kill -TERM "$pid"
    wait "$pid"
    code=$?
    cat "$dir/early/out"
    echo "exit $code"
    [ $code -eq 0 ] && return # a fast device had ended before the signal
    [ $code -eq 6 ] && [ ! -e "$dir/early/d.npy" ]
}
awk 'BEGIN { srand(1); for (i = 0; i < 6000; ++i) { for (f = 0; f < 200; ++f) printf "%s%.3f", f ? "," : "", rand(); print "" } }' \
    > "$dir/many.csv"
for device in $("$wedge" devices | awk '/^(cpu|opencl)/ { print $1 }'); do
    for after in 0 0.3 0.9; do
        check "a_stop_${after}_s_after_the_points_is_exit_6_on_$device" stopped_early "$device" $after
    done
done

# nohup asks that SIGHUP be ignored.
nohup_is_honoured() {
    nohup "$wedge" certify --device cpu --rows all "--json=$dir/n.json" > "$dir/out2" 2>&1 < /dev/null &
    pid=$!
    for _ in $(seq 600); do
        ls "$dir"/n.json.*.part > /dev/null 2>&1 && break
        sleep 0.05
    done
    sleep 0.2
    kill -HUP $pid
    sleep 0.5
    kill -0 $pid || return 1
    kill -9 $pid
    wait $pid
    [ "$(ls "$dir"/n.json.*.part | wc -l)" -eq 1 ] # as any kill -9 does
}
check a_command_under_nohup_goes_on_after_SIGHUP nohup_is_honoured

# What the killed command left goes with the next one that writes there, and nothing that is not ours.
cleared() {
    echo mine > "$dir/n.json.mypart.part"
    echo mine > "$dir/n.json.abcdef.part"
    echo mine > "$dir/n.json.part"
    "$wedge" certify --device cpu --rows 1000 "--json=$dir/n.json" || return 1
    rm "$dir/n.json.mypart.part" "$dir/n.json.abcdef.part" "$dir/n.json.part" || return 1
    [ "$(ls "$dir"/n.json* | wc -l)" -eq 1 ]
}
if [ -n "$(ls "$dir"/n.json.*.part 2> /dev/null)" ] && getfattr -n user.wedge.part "$dir"/n.json.*.part > /dev/null 2>&1; then
    check a_killed_command_leaves_nothing_that_the_next_does_not_clear cleared
else
    echo "skip  a_killed_command_leaves_nothing_that_the_next_does_not_clear: no extended attributes here, or no getfattr"
fi

# A part that a living command holds is not a leftover.
held() {
    "$wedge" certify --device cpu --rows all "--json=$dir/h.json" > "$dir/out2" 2>&1 < /dev/null &
    pid=$!
    for _ in $(seq 600); do
        ls "$dir"/h.json.*.part > /dev/null 2>&1 && break
        sleep 0.05
    done
    "$wedge" certify --device cpu --rows 1000 "--json=$dir/h.json"
    ls "$dir"/h.json.*.part
    there=$?
    ls -l /proc/$pid/fd > "$dir/fds"
    cat /proc/$pid/fdinfo/"$(sed -n 's|.* \([0-9]*\) -> .*/h\.json\..*\.part$|\1|p' "$dir/fds")" > "$dir/part_fd"
    kill -9 $pid
    wait $pid
    return $there
}
check a_part_that_is_being_written_is_left_alone held
# A linker that a device's compiler starts may outlive us, and would hold the lock. 02000000 is O_CLOEXEC.
if [ -s "$dir/part_fd" ]; then
    holds a_part_is_not_for_programs_that_a_command_starts "$dir/part_fd" '^flags:[[:space:]]*0[0-7]*[2367][0-7]{6}$'
else echo "skip  a_part_is_not_for_programs_that_a_command_starts: no /proc here"; fi

finish
