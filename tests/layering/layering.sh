#!/usr/bin/env bash
# Includes go downward only, no folder is too large, no file name occurs twice, and nothing below the programs prints or
# exits. With a folder as argument that tree is checked instead (see upward.sh).
set -u
cd "${1:-${SOURCE:-.}}" || exit 1
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

# The library, lowest folder first: a folder includes itself and those before it, unless `less` names fewer.
library=(base options io dataset kernels backbone table array image series input objective nn detector checks prior decide audit train export)
declare -A below=() less=(
    [kernels]="base kernels"
    [backbone]="base io kernels backbone"
    [objective]="base options objective"
    [nn]="base options kernels nn"
)
seen=""
for folder in "${library[@]}"; do
    seen="$seen $folder"
    below[src/$folder]="${less[$folder]:-$seen}"
    [ -d "src/$folder" ] || fail "src/$folder is missing: correct the list in layering.sh"
done
for folder in src/*/; do
    [ -n "${below[${folder%/}]:-}" ] || fail "$folder is not in the list of layering.sh"
done
below[plot]="base plot"
below[cli]="base options plot cli"
below[cli/bench]="base options kernels nn detector cli"
below[serve]="base options cli serve"
below[lab]="base ${library[*]} plot cli lab"

check_includes() { # folder, files...
    local folder=$1 file target
    shift
    for file in "$@"; do
        while read -r target; do
            case " ${below[$folder]} " in
                *" $target "*) ;;
                *) fail "$file includes from $target, which $folder must not know" ;;
            esac
        done < <(grep -oP '^\s*#include "\K[a-z_]+(?=/)' "$file" | sort -u)
    done
}
for folder in "${!below[@]}"; do
    mapfile -t files < <(find "$folder" -type f \( -name '*.c' -o -name '*.h' -o -name '*.inl' -o -name '*.def' \))
    [ "$folder" != cli ] || mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -v '^cli/bench/')
    check_includes "$folder" "${files[@]}"
done
grep -rn '#include "lab/' src cli plot serve && fail "only lab includes lab"
grep -rn '#include "serve/' src cli plot lab && fail "only serve includes serve"

while read -r count folder; do
    [ "$count" -le 30 ] || fail "$folder has $count files"
done < <(find src cli lab plot serve -type f -printf '%h\n' | sort | uniq -c)
twice=$(find src cli lab plot serve -type f -printf '%f\n' | sort | uniq -d)
[ -z "$twice" ] || fail "file names that occur twice: $twice"

printing='\b(printf|puts|putchar|perror|exit|_exit|abort)\s*\('
for folder in src plot $(find lab -mindepth 1 -type d ! -name commands); do
    grep -nP "(?<![a-z_])$printing" -r "$folder" --include='*.c' --include='*.h' --include='*.inl' 2>/dev/null |
        grep -vP '^\S+:\s*(/?\*)' && fail "$folder prints or exits"
done
grep -rlE '#include <cjson/' src cli lab plot serve | grep -v '^src/base/json.h$' && fail "cJSON is included past base/json.h"
grep -rlE '#include <mpi.h>' src cli lab plot | grep -vE '^(cli/common/job|lab/run/schedule)_mpi.c$' && fail "MPI appears outside its files"
grep -rnE 'open_memstream\(' src cli lab plot serve && fail "open_memstream loses bytes when memory runs out: text_stream_open (base/memory.h)"
[ $failures -eq 0 ] && echo "1 passed, 0 failed" && exit 0
echo "0 passed, $failures failed"
exit 1
