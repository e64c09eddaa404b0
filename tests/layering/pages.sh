#!/usr/bin/env bash
# ARCHITECTURE.md stays a page, and the files that it and docs/inside.md name exist.
set -u
cd "${SOURCE:-.}"
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

[ "$(wc -l <ARCHITECTURE.md)" -le 100 ] || fail "ARCHITECTURE.md has more than 100 lines: move detail to docs/inside.md"
steps=$(sed -n '/^## The way of a row/,/^## The life/p' ARCHITECTURE.md | grep -cE '^[0-9]+\.')
[ "$steps" -ge 5 ] && [ "$steps" -le 10 ] || fail "the way of a row has $steps steps in ARCHITECTURE.md"
for page in ARCHITECTURE.md docs/inside.md; do
    while read -r name; do
        case "$name" in *NAME*) continue ;; esac
        # a name with * stands for at least one file
        [ -n "$(find src cli lab plot tests tools cmake bindings examples include -path "*/$name" -print -quit)" ] || compgen -G "$name" >/dev/null ||
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
