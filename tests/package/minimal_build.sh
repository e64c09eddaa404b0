#!/usr/bin/env bash
# The library built with -DPUAD_FORMATS=minimal needs libc, libm and cJSON alone, gives the same scores as the full one, and
# refuses compressed files by name.
set -eu
[ "${SANITIZE:-OFF}" = OFF ] || { echo "SKIPPED: the minimal build is not built with sanitizers"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake -S "${SOURCE:-.}" -B "$folder/build" -G Ninja -DPUAD_FORMATS=minimal -DCMAKE_BUILD_TYPE="${MINIMAL_TYPE:-Debug}" >"$folder/log"
cmake --build "$folder/build" --target puad_shared >"$folder/log" 2>&1 || { tail -20 "$folder/log"; exit 1; }
library=$folder/build/libpuad.so
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so|libm\.so|libcjson\.so|ld-linux)' || true)
[ -z "$needed" ] || { echo "libpuad.so needs $needed"; exit 1; }
for i in $(seq 1 600); do echo "$((i * 37 % 100 + (i % 20 ? 0 : 300))),$((i * 7 % 50)),$((i % 40 == 0))"; done | sed '1i amount,count,label' >"$folder/train.csv"
g++ -std=c++17 "-I${SOURCE:-.}/include" "${SOURCE:-.}/examples/score_file.cpp" -o "$folder/score_file" "-L$folder/build" "-Wl,-rpath,$folder/build" -lpuad
cd "$folder"
"$PUAD" fit train.csv --label-column label --quiet -o model.safetensors
"$PUAD" score model.safetensors train.csv --quiet | tail -n +2 | cut -d, -f2 >full
./score_file model.safetensors train.csv >minimal
cmp full minimal
gzip -k train.csv
! ./score_file model.safetensors train.csv.gz 2>message
grep -q 'train.csv.gz' message
echo "3 passed, 0 failed"
