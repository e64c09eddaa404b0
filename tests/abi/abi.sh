#!/usr/bin/env bash
# The binary interface: every name that libpuad.so exports, and every public struct, member and constant, stand in
# symbols.txt and sizes.txt. Names may join these lists; none may go and no size may change, so that a program built
# against an earlier header still runs. `BUILD=build tests/abi/abi.sh --update` writes the lists anew.
set -u
cd "${SOURCE:-.}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C
nm -D --defined-only "${BUILD:-build}/libpuad.so" | awk '{ print $NF }' | sed 's/@.*//' | grep '^puad_' | sort -u >"$folder/symbols.txt"
python3 bindings/python/backend/puad_headers.py include/puad --c >"$folder/sizes.c" || exit 1
cc -std=c11 -Iinclude "$folder/sizes.c" -o "$folder/sizes" && "$folder/sizes" >"$folder/sizes.txt" || exit 1
if [ "${1:-}" = --update ]; then cp "$folder"/symbols.txt "$folder"/sizes.txt tests/abi/; exit 0; fi
failures=0
gone=$(comm -13 "$folder/symbols.txt" tests/abi/symbols.txt)
new=$(comm -23 "$folder/symbols.txt" tests/abi/symbols.txt)
[ -n "$gone" ] && { echo "names that are gone: $gone"; failures=1; }
[ -n "$new" ] && { echo "names that are not in tests/abi/symbols.txt: $new"; failures=1; }
diff tests/abi/sizes.txt "$folder/sizes.txt" || { echo "a public struct or constant has changed"; failures=1; }
[ $failures = 0 ] && echo "1 passed, 0 failed" && exit 0
echo "0 passed, 1 failed"
exit 1
