#!/bin/sh
# cli_devices.sh BUILD_DIR: a driver is asked only where its devices may be meant, and one that aborts, crashes or ends the
# process that asks it takes no command down. The drivers are small libraries in the place of OpenCL's (WEDGE_LIBOPENCL).
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
source_dir=$(dirname "$0")/..
cc=$(command -v cc || command -v gcc || command -v clang) || { echo "skipped: no C compiler makes the drivers"; exit 77; }
unset WEDGE_DEVICE WEDGE_PROBE
export WEDGE_LIBCUDA=/nonexistent
printf '1,2\n4,6\n' > "$dir/points.csv"

# driver NAME BODY: a library with all of OpenCL's functions, all of which fail but clGetPlatformIDs, which is BODY. Loading it
# leaves a file NAME.loaded.
driver() {
    {
        echo '#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>'
        echo "__attribute__((constructor)) static void loaded(void) { FILE *f = fopen(\"$dir/$1.loaded\", \"w\"); if (f) fclose(f); }"
        echo "int clGetPlatformIDs(unsigned most, void *platforms, unsigned *count) { $2; return 1; }"
        sed -n 's/.*SYMBOL([a-z_]*, "\(cl[A-Za-z]*\)").*/int \1(void) { return 1; }/p' "$source_dir/src/backend/opencl/opencl.c" |
            grep -v clGetPlatformIDs
    } > "$dir/$1.c"
    "$cc" -shared -fPIC -w "$dir/$1.c" -o "$dir/$1.so"
}
driver aborts 'abort()'
driver crashes 'raise(SIGSEGV)'
driver exits '_exit(0)'
driver speaks 'puts("hello"), fflush(stdout), abort()'
driver none '*count = 0; return 0'
check "the_drivers_are_made" test -e "$dir/none.so"

# with DRIVER ARGS...: wedge with this driver; what it says and how it ends, in the folder
with() {
    name=$1; shift
    WEDGE_LIBOPENCL="$dir/$name.so" "$wedge" "$@" > "$dir/said" 2> "$dir/err" < "$dir/in"
    code=$?
}

# ---- Where the cpu is meant, no driver is loaded ----
unasked() { # ARGS...
    with aborts "$@"
    check "no_driver_is_loaded_by: $*" test "$code $([ -e "$dir/aborts.loaded" ] && echo loaded)" = "0 "
}
unasked --help
unasked --version
unasked map 7
unasked help edm
unasked summary "$dir/points.csv" --device cpu
unasked edm "$dir/points.csv" -o "$dir/d.npy" --device cpu
unasked certify --rows 100 --device cpu
unasked bench map --n 64 --budget 3600 --noise 1000000 --no-ceilings --device cpu
export WEDGE_DEVICE=cpu
unasked summary "$dir/points.csv"
unset WEDGE_DEVICE

# ---- Where it is asked, it takes a child down and nothing else ----
ends() { # DRIVER HOW
    with "$1" devices
    check "devices_go_on_where_the_driver_$1" test "$code $(grep -c '^cpu ' "$dir/said") $(wc -l < "$dir/said")" = "0 1 2"
    holds "and_it_is_said_that_it_$1" "$dir/err" "^opencl: none \\($2 when asked for devices\\)\$"
    with "$1" summary "$dir/points.csv"
    check "auto_takes_the_cpu_where_the_driver_$1" test "$code $(sed -n 's/^mean: //p' "$dir/said")" = "0 5"
    holds "with_a_warning_where_it_$1" "$dir/err" "^wedge: opencl: $2 when asked for devices; --device cpu skips it\$"
    with "$1" summary "$dir/points.csv" --quiet
    check "which_quiet_leaves_out_where_it_$1" test "$code $(wc -c < "$dir/err")" = "0 0"
}
ends aborts 'the driver aborted'
ends crashes 'the driver crashed \(signal 11\)'
ends exits 'the driver aborted'
ends speaks 'the driver aborted'
with aborts summary "$dir/points.csv" --device opencl:0.0
check "its_device_is_not_there" test $code -eq 4
holds "which_names_the_reason" "$dir/err" "no device 'opencl:0.0'.*the driver aborted"
with aborts devices --json
check "json_has_the_others" test "$code $(grep -c '"id"' "$dir/said")" = "0 1"
holds "and_the_warning_is_beside_it" "$dir/err" 'the driver aborted'
with none devices --verbose
holds "a_loader_without_devices_is_told" "$dir/err" '^opencl: none \(the OpenCL loader knows no usable device\)$'
WEDGE_LIBOPENCL=/nonexistent "$wedge" devices --verbose > "$dir/said" 2> "$dir/err"
holds "as_is_a_missing_one" "$dir/err" '^opencl: none \(/nonexistent: '
holds "without_drivers_nothing_is_said_about_dying" "$dir/said" '^cpu '

# ---- The program that is asked ----
WEDGE_PROBE=/nonexistent; export WEDGE_PROBE
with none devices --verbose
holds "a_program_that_is_not_there_is_done_without" "$dir/err" 'the OpenCL loader knows no usable device'
WEDGE_PROBE=$(command -v echo || command -v true)
with none devices --verbose
holds "as_is_one_that_is_another" "$dir/err" 'the OpenCL loader knows no usable device'
# ---- How many blocks a GPU holds at once: a driver and a compiler of which neither does more than answer ----
answer_all() { # FILE PREFIX: every function of that prefix that a file of the backend asks for, with 0
    sed -n "s/.*\"\($2[A-Za-z0-9_]*\)\".*/int \1(void) { return 0; }/p" "$source_dir/src/backend/cuda/$1" | grep -v "$3"
}
{
    answer_all cuda.c cu 'cuDeviceGetCount\|cuDeviceGetName\|cuDeviceGetAttribute\|cuOccupancy\|cuGetError'
    echo '#include <stdio.h>
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGetName(char *name, int most, int device) { return snprintf(name, most, "Made Up"), 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { return *value = which == 16 ? 12 : which == 75 ? 9 : 1024, 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *kernel, int threads, size_t shared) {
    return *blocks = 2048 / threads, 0;
}
int cuGetErrorName(int error, const char **name) { return *name = "", 0; }
int cuGetErrorString(int error, const char **text) { return *text = "", 0; }'
} > "$dir/cuda.c"
{
    answer_all nvrtc.c nvrtc 'GetNumSupportedArchs\|GetSupportedArchs\|Size\|ErrorString'
    echo '#include <stddef.h>
int nvrtcGetNumSupportedArchs(int *count) { return *count = 1, 0; }
int nvrtcGetSupportedArchs(int *archs) { return *archs = 90, 0; }
int nvrtcGetProgramLogSize(void *p, size_t *size) { return *size = 1, 0; }
int nvrtcGetCUBINSize(void *p, size_t *size) { return *size = 64, 0; }
int nvrtcGetPTXSize(void *p, size_t *size) { return *size = 64, 0; }
const char *nvrtcGetErrorString(int error) { return ""; }'
} > "$dir/nvrtc.c"
for library in cuda nvrtc; do "$cc" -shared -fPIC -w "$dir/$library.c" -o "$dir/lib$library.so"; done
made_up() { # ARGS...
    env WEDGE_LIBCUDA="$dir/libcuda.so" WEDGE_NVRTC="$dir/libnvrtc.so" WEDGE_LIBOPENCL=/nonexistent WEDGE_CACHE_DIR="$dir/kernels" \
        "$wedge" devices "$@" > "$dir/said" 2> "$dir/err"
}
made_up --verbose
holds "resident_blocks_are_the_drivers_word" "$dir/said" '^ +resident blocks per unit: 32 of 8 x 8, 8 of 16 x 16, 2 of 32 x 32$'
made_up
check "which_are_asked_for_in_words_alone" test "$(grep -c 'Made Up' "$dir/said") $(grep -c resident "$dir/said")" = "1 0"
WEDGE_NVRTC=/nonexistent env WEDGE_LIBCUDA="$dir/libcuda.so" WEDGE_LIBOPENCL=/nonexistent "$wedge" devices --verbose > "$dir/said" 2> "$dir/err"
holds "without_a_compiler_they_are_unknown" "$dir/said" '^ +resident blocks per unit: unknown \(.*'
finish
