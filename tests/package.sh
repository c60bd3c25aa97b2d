#!/bin/sh
# package.sh BUILD_DIR: the .deb of cpack installs into an empty root, runs there, is found by CMake, and goes without a trace. The
# packages are the same bytes at another time, and what is compiled is the same in another folder.
#
# The root is a folder with a list of packages of its own, so nothing of this machine changes. Without dpkg, cpack, a C++
# compiler or awk, which makes the manual, it is skipped. One line a check, then a count; exit 1 on failure.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
build=$(cd "$(dirname "$wedge")" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
grep -q "^CMAKE_CACHEFILE_DIR:INTERNAL=$build\$" "$build/CMakeCache.txt" ||
    { echo "skipped: $build was built somewhere else" && exit 77; }
for tool in dpkg dpkg-deb cpack c++ awk; do
    command -v $tool > "$dir/tool" || { echo "skipped: no $tool here" && exit 77; }
done

pack() { # FOLDER: all packages, as make package
    (umask 022 && cd "$dir" && cpack --config "$build/CPackConfig.cmake" -B "$1") > "$dir/log" 2>&1 || cat "$dir/log"
}
pack "$dir/packed"
package=$(find "$dir/packed" -maxdepth 1 -name 'wedge_*.deb')
check "there_is_one_package" test -f "$package"
version=$("$wedge" --version | sed 's/wedge //')
check "it_has_the_version" test "$(dpkg-deb -f "$package" Version)" = "$version-1"
check "it_says_what_it_needs" sh -c "dpkg-deb -f '$package' Depends | grep -q libc6"
check "it_calls_ldconfig" sh -c "dpkg-deb --ctrl-tarfile '$package' | tar -xO ./triggers | grep -q ldconfig"

if command -v lintian > /dev/null; then
    lintian --allow-root "$package" > "$dir/complaints" 2>&1 < /dev/null
    check "lintian_has_no_complaint: $(head -n 1 "$dir/complaints")" test ! -s "$dir/complaints"
else
    echo "SKIP  no lintian found"
fi

# ---- The same bytes ----
# Not a day later: what has the hour of packing differs after a second. Here the time zone differs, too.
archive=$(find "$dir/packed" -maxdepth 1 -name 'wedge-*.tar.gz')
(export TZ=Asia/Tokyo && pack "$dir/again")
for file in "$package" "$archive"; do
    check "$(basename "$file"): the_same_bytes_at_another_time" cmp "$file" "$dir/again/$(basename "$file")"
done
if tar --version 2> /dev/null | grep -q 'GNU tar'; then
    tar --list --verbose --file "$archive" > "$dir/files" # MODE USER/GROUP SIZE DAY HOUR NAME
    check "the_archive_is_roots" sh -c "! grep -v ' root/root ' '$dir/files'"
    check "and_has_one_time" test "$(awk '{ print $4, $5 }' "$dir/files" | sort -u | wc -l)" -eq 1
    check "and_all_may_read_it" sh -c "! grep -vE '^(.r..r..r|l)' '$dir/files'"
fi
check "the_static_library_has_no_times" sh -c "! ar tv '$build/libwedge.a' | grep -v ' 1970 '"

# Of each kind of source one: with assertions, with messages, generated for an instruction set, and a text for devices. All else is
# compiled in the same way; tests/hardened.sh looks for paths in the whole. Debug information has the most paths: with it, here.
objects="src/core/plan.o cli/box.o embedded/op_euclidean_0_base.o embedded/text_map.o"
for copy in "$dir/here" "$dir/some/where/else"; do
    mkdir -p "$copy"
    (cd "$source" && cp -r CMakeLists.txt CHANGELOG.md LICENSE bench cli cmake include src "$copy")
    (cd "$copy" && cmake -G "Unix Makefiles" -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo -S . -B b && make -C b $objects &&
        find b -name '*.o' -path '*.dir/*' ! -path '*/cmTC*' -exec cksum {} + | sort) > "$copy.log" 2>&1
    grep '\.o$' "$copy.log" | grep -E '^[0-9]+ [0-9]+ ' > "$copy.sums"
done
check "four_kinds_of_objects_were_compiled" test "$(wc -l < "$dir/here.sums")" -ge 4
check "the_same_bytes_in_another_folder" cmp "$dir/here.sums" "$dir/some/where/else.sums"

root=$dir/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: > "$root/var/lib/dpkg/status"
into() {
    dpkg --admindir="$root/var/lib/dpkg" --instdir="$root" --force-not-root --force-depends --force-script-chrootless \
        --log="$dir/dpkg.log" "$@"
}
# files: what the package has put there
files() { find "$root" -path "$root/var" -prune -o ! -type d -print; }

check "it_installs" into -i "$package"
check "it_runs" test "$("$root/usr/bin/wedge" map 7 2>&1)" = "3 1"
for file in bin/wedge lib/libwedge.so.0.3 lib/libwedge.a include/wedge/wedge.h lib/cmake/wedge/wedge-config.cmake \
    lib/pkgconfig/wedge.pc share/man/man1/wedge-edm.1 share/man/man3/libwedge.3 share/doc/wedge/api.md share/doc/wedge/copyright \
    share/bash-completion/completions/wedge share/zsh/site-functions/_wedge share/fish/vendor_completions.d/wedge.fish; do
    # lib may be lib/x86_64-linux-gnu
    check "it_has_$file" sh -c "find '$root/usr' -path '*/${file#lib/}*' | grep -q ."
done
check "a_project_is_configured_with_it" cmake -S "$source/tests/outside" -B "$dir/outside" -DHOW=package -DCMAKE_PREFIX_PATH="$root/usr"
check "and_built" cmake --build "$dir/outside"
check "and_runs" "$dir/outside/user_c"
check "it_is_removed" into --purge wedge
check "nothing_is_left" test -z "$(files)"
check "and_no_folder" test ! -e "$root/usr"
finish
