#!/usr/bin/env bash
# ARCHITECTURE.md stays short, and the files that it and docs/developer/inside.md name exist.
set -u
cd "${SOURCE:-.}"
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

[ "$(wc -l <ARCHITECTURE.md)" -le 115 ] || fail "ARCHITECTURE.md has more than 115 lines: move detail to docs/developer/inside.md"
# Each journey names files and functions that exist, in the order they run, and crosses few folder boundaries.
for journey in fit score; do
    before="" crossings=0 steps=0
    while read -r file functions; do
        steps=$((steps + 1))
        source=$(find . -path "./build*" -prune -o -path "*/$file" -print -quit)
        [ -n "$source" ] || fail "the journey of a $journey names $file, which does not exist"
        for function in ${functions//,/}; do
            grep -rqE "\\b$function\\(" "$(dirname "${source:-.}")" || fail "the journey of a $journey: $function is not in the folder of $file"
        done
        folder=${file%%/*}
        [ "$folder" = "$before" ] || crossings=$((crossings + 1))
        before=$folder
    done < <(sed -n "/^## Journey of a $journey/,/^## /p" ARCHITECTURE.md | sed -nE 's/^[0-9]+\. `([^`]+)` ([a-z_, ]+):.*/\1 \2/p')
    [ $steps -ge 7 ] && [ $crossings -le 9 ] || fail "the journey of a $journey has $steps steps and $((crossings - 1)) crossings, at most 8"
done
for page in ARCHITECTURE.md docs/developer/inside.md; do
    while read -r name; do
        case "$name" in *NAME*) continue ;; esac
        # a name with * stands for at least one file
        [ -n "$(find src cli lab plot serve tests tools cmake bindings examples include -path "*/$name" -print -quit)" ] || compgen -G "$name" >/dev/null ||
            fail "$page names $name, which does not exist"
    done < <(grep -oE '[A-Za-z_*/.-]*[a-z_*]\.(c|h|def|inl|sh|py|css|js|cmake)\b' "$page" | sort -u)
done
# Every package that building needs has its reason on the page.
while read -r package; do
    short=$(sed -E 's/-dev$//; s/(1g|62-turbo|4-openssl)$//' <<<"$package")
    grep -qiF "$short" ARCHITECTURE.md || fail "ARCHITECTURE.md does not say why $package ($short) is needed"
done < <(awk '$1 == "build" || $1 == "mpi" { print $2 }' tools/packages.txt)
[ $failures -eq 0 ] && echo "1 passed, 0 failed" && exit 0
echo "0 passed, $failures failed"
exit 1
