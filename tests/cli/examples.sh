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
    if ! grep -q '^int main' "$source"; then # a plug-in, which test_lab_plugin.py runs
        cc "${flags[@]}" -shared -fPIC "$source" -o "$folder/$name.so"
        passed=$((passed + 1))
        continue
    fi
    cc "${flags[@]}" "$source" -o "$folder/$name" "-L$library" "-Wl,-rpath,$library" -lpuad -lm
    (cd "$folder" && "./$name" >"$name.out") || { cat "$folder/$name.out"; echo "$name failed"; exit 1; }
    passed=$((passed + 1))
done
# The model that decide.c has saved gives the program the scores that the library gave it, bit for bit.
(cd "$folder" && "$PUAD" score payments.safetensors payments.csv --quiet | tail -n +2 | cut -d, -f1,2 >program.out)
cmp "$folder/program.out" "$folder/decide.out" || { echo "puad score and decide.c differ"; exit 1; }
echo "$((passed + 1)) passed, 0 failed"
