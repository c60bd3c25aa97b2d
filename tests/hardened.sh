#!/bin/sh
# hardened.sh BUILD_DIR: the command and the library have what cmake/harden.cmake asks for, as readelf shows it, no path of the
# folder that they were built in, and the flags that a distribution chose.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
build=$(cd "$1" && pwd)
source_dir=$(cd "$(dirname "$0")/.." && pwd)
command -v readelf > /dev/null || { echo "skipped: no readelf"; exit 77; }
cache=$build/CMakeCache.txt
grep -qs '^WEDGE_HARDEN:BOOL=ON' "$cache" || { echo "skipped: $build is not hardened, or was moved"; exit 77; }
has() { grep -qE "^$1[^=]*=(1|TRUE|ON)$" "$cache"; }

for file in wedge libwedge.so; do
    readelf -W -d -l -n -s "$build/$file" > "$dir/elf" 2> /dev/null
    if has WEDGE_LINKS_READ_ONLY; then
        holds "$file: relro" "$dir/elf" 'GNU_RELRO'
        holds "$file: bind_now" "$dir/elf" '(BIND_NOW|FLAGS_1.*NOW)'
    fi
    check "$file: no_stack_that_runs" sh -c "grep GNU_STACK '$dir/elf' | grep -qv E"
    ! has WEDGE_HAS_fstack_protector_strong || holds "$file: stack_protector" "$dir/elf" '__stack_chk_fail'
    ! has WEDGE_NOT_FORTIFIED || ! grep -q 'GLIBC' "$dir/elf" || grep -q '^WEDGE_SANITIZE:[A-Z]*=.' "$cache" ||
        holds "$file: fortified" "$dir/elf" '__(memcpy|snprintf|sprintf|vsnprintf|fprintf|printf|read)_chk'
    ! has WEDGE_HAS_PREFIX_MAP || check "$file: no_path_of_the_build" sh -c "! grep -qF '$source_dir' '$build/$file'"
done
# The linker drops the mark where the C library's own files lack it: it is looked for in ours alone.
readelf -W -n "$build/libwedge.a" > "$dir/notes" 2> /dev/null
! has WEDGE_HAS_fcf_protection || holds "libwedge.a: cet" "$dir/notes" 'IBT.*SHSTK'
readelf -W -h "$build/wedge" > "$dir/elf"
holds "wedge: at_any_address" "$dir/elf" 'Type: *DYN'

# ---- What a distribution chose stays ----
command -v cmake > /dev/null || { finish; exit; }
flags_of() { # WORDS...: of core/note.c
    cmake -S "$source_dir" -B "$dir/b" -DBUILD_TESTING=OFF -DWEDGE_COMMAND=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" > "$dir/log" 2>&1 &&
        grep '"command".*core/note\.c' "$dir/b/compile_commands.json"
    rm -rf "$dir/b"
}
flags_of -DCMAKE_C_FLAGS_RELEASE="-O2 -gz" > "$dir/flags"
holds "flags_of_a_release_that_were_chosen_stay" "$dir/flags" ' -O2 -gz '
check "and_ours_are_not_there" sh -c "! grep -q -e -O3 '$dir/flags'"
flags_of > "$dir/flags"
holds "by_default_a_release_is_o3_without_symbols" "$dir/flags" ' -O3 '
check "and_its_objects_have_no_debug_information" sh -c "! grep -qE -e ' -g[0-9 ]' '$dir/flags'"
flags_of -DCMAKE_C_FLAGS="-O2 -D_FORTIFY_SOURCE=3" > "$dir/flags"
check "a_stronger_fortify_stays" sh -c "! grep -q 'FORTIFY_SOURCE=2' '$dir/flags'"
flags_of -DCMAKE_BUILD_TYPE=Debug > "$dir/flags"
check "no_fortify_where_nothing_is_optimised" sh -c "grep -q note.c '$dir/flags' && ! grep -q FORTIFY '$dir/flags'"
finish
