#!/usr/bin/env bash
# Includes go downward only, and nothing below cli prints or exits.
set -u
cd "${SOURCE:-.}"
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

declare -A below=(
    [base]="base"
    [options]="base objective options"
    [kernels]="base kernels"
    [nn]="base kernels nn"
    [score]="base kernels nn score"
    [objective]="base objective"
    [data]="base options kernels data"
    [series]="base data series"
    [detector]="base options kernels nn score objective data series detector"
    [decide]="base options kernels nn score objective data series detector decide"
    [export]="base options kernels nn score objective data series detector decide export"
    [sets]="base options data sets"
    [plot]="base plot"
    [lab]="base options kernels nn score data series sets detector decide objective plot lab"
    [cli]="base sets plot lab cli"
    [bench]="base kernels nn score cli bench"
)
for folder in "${!below[@]}"; do
    for file in src/"$folder"/*; do
        [ -f "$file" ] || continue
        while read -r target; do
            case " ${below[$folder]} " in
                *" $target "*) ;;
                *) fail "$file includes from $target, which $folder must not know" ;;
            esac
        done < <(grep -oP '^\s*#include "\K[a-z_]+(?=/)' "$file" | sort -u)
    done
done
printing='\b(printf|puts|putchar|perror|exit|_exit|abort)\s*\('
for folder in base options kernels nn score objective data series detector decide export sets plot lab; do
    grep -nP "(?<![a-z_])$printing" -r "src/$folder" --include='*.c' --include='*.h' --include='*.inl' 2>/dev/null |
        grep -vP '^\S+:\s*(/?\*)' && fail "src/$folder prints or exits"
done
grep -rlE '#include <cjson/' src | grep -v '^src/base/json.h$' && fail "cJSON is included past base/json.h"
grep -rlE '#include <mpi.h>' src | grep -vE '^src/lab/(schedule|ranks)_mpi.c$' && fail "MPI appears outside its two files"
grep -rnE 'open_memstream\(' src && fail "open_memstream loses bytes when memory runs out: text_stream_open (base/memory.h)"
[ $failures -eq 0 ] && echo "1 passed, 0 failed" && exit 0
echo "0 passed, $failures failed"
exit 1
