#!/bin/sh
# address.sh BUILD_DIR: the repository's address and the version are the same in all places that name them, one command writes the
# address into all of them, and tells where one differs.
#
# SPDX-License-Identifier: MIT
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"
source=$(cd "$(dirname "$0")/.." && pwd)
command -v python3 > /dev/null || { echo "skipped: no python3 here" && exit 77; }
check "all_places_agree: $("$source/tools/address")" "$source/tools/address"

mkdir -p "$dir/tools" "$dir/include/wedge"
cp "$source/include/wedge/wedge.h" "$dir/include/wedge"
cp "$source/tools/address" "$dir/tools"
(cd "$source" && cp CMakeLists.txt README.md CITATION.cff pyproject.toml "$dir")
for url in https://example.org/one/wedge https://example.org/two/wedge; do # the first time, and once more
    check "$url: it_is_written" "$dir/tools/address" $url
    for file in CMakeLists.txt README.md CITATION.cff pyproject.toml; do
        check "$url: into_${file}_once" test "$(grep -c "$url" "$dir/$file")" = 1
    done
done
check "the_first_one_is_gone" sh -c "! grep -r example.org/one '$dir'/*.*"
for file in README.md CITATION.cff pyproject.toml; do
    cp "$dir/$file" "$dir/kept"
    sed 's|example.org/two|example.org/three|' "$dir/kept" > "$dir/$file"
    check "$file: a_difference_is_found" sh -c "! '$dir/tools/address' > '$dir/said' && grep -q '^$file: ' '$dir/said'"
    cp "$dir/kept" "$dir/$file"
done
sed 's/^version: .*/version: 9.9.9/' "$dir/CITATION.cff" > "$dir/kept" && cp "$dir/kept" "$dir/CITATION.cff"
check "another_version_is_found" sh -c "! '$dir/tools/address' > '$dir/said' && grep -q 'version 9.9.9' '$dir/said'"
check "what_is_no_address_is_refused" sh -c "! '$dir/tools/address' wedge > '$dir/said' 2>&1 && grep -q https:// '$dir/said'"
finish
