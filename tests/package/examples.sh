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
# The first program needs puad.h alone, less than 60 lines, and any C11 or C++17 compiler.
[ "$(grep -c '#include <puad/' examples/first.c)" = 1 ] && grep -q '#include <puad/puad.h>' examples/first.c
[ "$(wc -l <examples/first.c)" -lt 60 ]
for compiler in "gcc -std=c11" "g++ -std=c++17 -x c++" "clang -std=c11" "clang++ -std=c++17 -x c++"; do
    command -v "${compiler%% *}" >/dev/null || continue
    [ "${SANITIZE:-OFF}/${compiler:0:5}" = ON/clang ] && continue # the library has the sanitizer of gcc
    $compiler "${flags[@]:1}" -pedantic -pedantic-errors examples/first.c -o "$folder/first" "-L$library" "-Wl,-rpath,$library" -lpuad
    (cd "$folder" && ./first >/dev/null)
    passed=$((passed + 1))
done
# The model that decide.c has saved gives the program the scores that the library gave it, bit for bit.
(cd "$folder" && "$PUAD" score payments.safetensors payments.csv --quiet | tail -n +2 | cut -d, -f1,2 >program.out)
cmp "$folder/program.out" "$folder/decide.out" || { echo "puad score and decide.c differ"; exit 1; }
# So does C++.
g++ -std=c++17 "${flags[@]:1}" -pedantic examples/score_file.cpp -o "$folder/score_file" "-L$library" "-Wl,-rpath,$library" -lpuad
(cd "$folder" && ./score_file payments.safetensors payments.csv) | cmp - <(cut -d, -f2 "$folder/decide.out") || { echo "score_file.cpp and decide.c differ"; exit 1; }
echo "$((passed + 2)) passed, 0 failed"
