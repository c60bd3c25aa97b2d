#!/bin/sh
# outside.sh BUILD_DIR: a project of someone else's links wedge by find_package, pkg-config, add_subdirectory and FetchContent,
# the shared library and the static one, in C11 and in C++17, without a warning; and what is installed is what it should be.
#
# One line a check, then a count; exit 1 on failure. Without a C++ compiler or pkg-config it is skipped.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$(dirname "$wedge")" && pwd)
prefix=$dir/usr
grep -q "^CMAKE_CACHEFILE_DIR:INTERNAL=$build\$" "$build/CMakeCache.txt" ||
    { echo "skipped: $build was built somewhere else" && exit 77; }
for tool in c++ pkg-config cmake; do
    command -v $tool > "$dir/tool" || { echo "skipped: no $tool here" && exit 77; }
done

cmake --install "$build" --prefix "$prefix" > "$dir/log" 2>&1 || cat "$dir/log"
version=$("$prefix/bin/wedge" --version | sed 's/wedge //')
want="$version 3 1 0 5 10 5"
pc=$(dirname "$(find "$prefix" -name wedge.pc)")
libdir=$(dirname "$(find "$prefix" -name libwedge.so)")

# says NAME PROGRAM: it prints what it should.
says() {
    got=$(LD_LIBRARY_PATH=$libdir "$2" 2>&1)
    if [ "$got" = "$want" ]; then report ok "$1"; else report no "$1" "'$got', not '$want'"; fi
}

# links NAME PROGRAM shared|static: it needs libwedge.so, or does not.
links() {
    if readelf -d "$2" | grep -q 'NEEDED.*libwedge'; then linked=shared; else linked=static; fi
    if [ $linked = "$3" ]; then report ok "$1_is_$3"; else report no "$1_is_$3" "it is $linked"; fi
}

# by_cmake HOW OPTIONS...
by_cmake() {
    how=$1 && shift
    for kind in shared static; do
        [ $kind = shared ] && on=ON || on=OFF
        cmake -S "$source/tests/outside" -B "$dir/$how" -DHOW="$how" -DBUILD_SHARED_LIBS=$on "$@" > "$dir/log" 2>&1 &&
            cmake --build "$dir/$how" -j 2 >> "$dir/log" 2>&1 || tail -n 30 "$dir/log"
        for language in c cxx; do
            says "${how}_${kind}_$language" "$dir/$how/user_$language"
            links "${how}_${kind}_$language" "$dir/$how/user_$language" $kind
        done
    done
}

by_cmake package -DCMAKE_PREFIX_PATH="$prefix"
by_cmake folder -DWEDGE="$source" -DCMAKE_C_COMPILER_LAUNCHER="$source/tests/outside/reuse.sh;$build"
by_cmake fetch -DWEDGE="$source" -DCMAKE_C_COMPILER_LAUNCHER="$source/tests/outside/reuse.sh;$build"

cp "$source/tests/outside/user.c" "$dir/user.cc"
for compile in "cc -std=c11 $source/tests/outside/user.c" "c++ -std=c++17 $dir/user.cc"; do
    for kind in shared static; do
        [ $kind = shared ] && static='' || static=--static
        name=pkg_config_${kind}_${compile%% *}
        # shellcheck disable=SC2086 # a word or none
        flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs $static wedge)
        [ $kind = shared ] || flags=$(echo "$flags" | sed "s|-lwedge|$libdir/libwedge.a|")
        # shellcheck disable=SC2086 # words
        check "$name" $compile -Wall -Wextra -Wpedantic -Werror -o "$dir/user" $flags
        says "${name}_runs" "$dir/user"
        links "$name" "$dir/user" $kind
    done
done
check "versions_agree" test "$(PKG_CONFIG_PATH=$pc pkg-config --modversion wedge)" = "$version"
printf 'cmake_minimum_required(VERSION 3.16)\nproject(p C)\nfind_package(wedge %s CONFIG REQUIRED)\n' 0.1 > "$dir/CMakeLists.txt"
if cmake -S "$dir" -B "$dir/older" -DCMAKE_PREFIX_PATH="$prefix" > "$dir/log" 2>&1
then report no "another_minor_version_is_refused" "0.1 was taken"; else report ok "another_minor_version_is_refused"; fi

# Names of 0.2 are errors that say the new one.
for compile in "cc -std=c11 -x c" "c++ -std=c++17 -x c++" "clang -std=c11 -x c" "clang++ -std=c++17 -x c++"; do
    command -v "${compile%% *}" > "$dir/tool" || continue
    for use in 'wedge_pairs p: wedge_job_spec' 'int n = wedge_triple_op_count(): wedge_op_count' \
        'const wedge_op_info *o = wedge_triple_op_at(0): wedge_op_at' 'int n = WEDGE_SETTINGS: wedge_context_set'; do
        printf '#include <wedge/wedge.h>\nvoid f(void);\nvoid f(void) { %s; }\n' "${use%: *}" > "$dir/old.x"
        # shellcheck disable=SC2086 # words
        if $compile -I"$prefix/include" -fsyntax-only "$dir/old.x" > "$dir/log" 2>&1
        then report no "${compile%% *}: ${use%: *}" "it compiles"
        elif grep -q "error.*is.*${use#*: }" "$dir/log"; then report ok "${compile%% *}: ${use%: *} is an error"
        else report no "${compile%% *}: ${use%: *}" "$(head -n 3 "$dir/log")"; fi
    done
done

# Before 1.0 a minor version may change the API, and only wedge_* is anyone's business.
for library in libwedge.so libwedge.a; do
    [ $library = libwedge.a ] && table=-g || table=-D
    nm $table --defined-only "$libdir/$library" |
        awk 'NF == 3 && $3 !~ /^wedge_/ { print $3 }' > "$dir/symbols"
    if [ -s "$dir/symbols" ]; then report no "${library}_has_only_public_symbols" "$(head -n 3 "$dir/symbols")"
    else report ok "${library}_has_only_public_symbols"; fi
done
finish
