#!/usr/bin/env bash
# Every program in examples/ builds against an installed copy, with the shared library and the header alone, and runs.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$BUILD" --prefix "$folder/usr" >/dev/null
library=$(dirname "$(find "$folder/usr" -name libpuad.so)")
flags=(-std=c17 -Wall -Wextra -Werror "-I$folder/usr/include")
[ "${SANITIZE:-OFF}" = ON ] && flags+=(-fsanitize=address,undefined)
passed=0
for source in examples/*.c; do
    name=$(basename "$source" .c)
    cc "${flags[@]}" "$source" -o "$folder/$name" "-L$library" "-Wl,-rpath,$library" -lpuad -lm
    (cd "$folder" && "./$name" >"$name.out") || { cat "$folder/$name.out"; echo "$name failed"; exit 1; }
    passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
