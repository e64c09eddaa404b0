#!/usr/bin/env bash
# Public headers compile without warnings in C and C++ with each compiler. Skipped where a compiler is not installed.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0
for std in "cc -std=c11" "c++ -std=c++17 -x c++" "clang -std=c11" "clang++ -std=c++17 -x c++"; do
    command -v ${std%% *} >/dev/null || { echo "skipped: ${std%% *} is not installed"; skipped=1; continue; }
    for header in include/puad/*.h; do
        echo "#include <puad/$(basename "$header")>" >"$folder/one.c"
        if $std -Wall -Wextra -Werror -pedantic -fsyntax-only -Iinclude "$folder/one.c"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED $(basename "$header") in $std"
        fi
    done
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ] || exit 1
[ $skipped = 0 ] || exit 77
