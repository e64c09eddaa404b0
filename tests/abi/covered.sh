#!/usr/bin/env bash
# Every name that libpuad.so exports is used by a test, and by a program, the Python package or an example; every public header is
# used by a program in examples/ or on docs/howto/c-library.md.
set -u
cd "${SOURCE:-.}"
export LC_ALL=C
failures=0
used=$(mktemp)
trap 'rm -f "$used"' EXIT
# The programs in examples/ and the blocks of docs/howto/c-library.md are run by tests.
{ find tests/unit tests/conformance examples -name '*.c' -o -name '*.h' | xargs cat; cat docs/howto/c-library.md; } |
    grep -oE '\bpuad_[a-z0-9_]+' | sort -u >"$used"
untested=$(nm -D --defined-only "${BUILD:-build}/libpuad.so" | awk '{ print $NF }' | sed 's/@.*//' | grep '^puad_' | sort -u | comm -23 - "$used")
[ -n "$untested" ] && { echo "no test uses" $untested; failures=1; }
# Python calls c.detector_load, and passes c.detector_free.
{ find cli plot lab serve examples -name '*.[ch]' -print0 | xargs -0 cat | grep -oE '\bpuad_[a-z0-9_]+'
    cat bindings/python/puad/[!_]*.py bindings/python/puad/_[a-z]*.py | grep -oE '\bc\.[a-z_0-9]+|^[a-z_]+\(|\b[a-z_]+\(\)' | sed -E 's/^c\.//; s/\(\)?$//; s/^/puad_/'; } | sort -u >"$used"
uncalled=$(nm -D --defined-only "${BUILD:-build}/libpuad.so" | awk '{ print $NF }' | sed 's/@.*//' | grep '^puad_' | sort -u | comm -23 - "$used")
[ -n "$uncalled" ] && { echo "no program, binding or example calls" $uncalled; failures=1; }
cat examples/*.c docs/howto/c-library.md | grep -oE '\b(puad|PUAD)_[A-Za-z0-9_]+' | sort -u >"$used"
for header in include/puad/*.h; do
    [ "$header" = include/puad/advanced.h ] && continue # it includes the others
    declared=$(grep -E '^PUAD_API|^    PUAD_[A-Z_]+[, ]' "$header" | grep -oE '\b(puad_[a-z0-9_]+\(|PUAD_[A-Z0-9_]+\b)' | tr -d '(' | grep -v '^PUAD_API$' | sort -u)
    [ -n "$(comm -12 <(echo "$declared") "$used")" ] || { echo "no program in examples/ nor docs/howto/c-library.md uses $header"; failures=1; }
done
[ $failures = 0 ] && echo "1 passed, 0 failed" && exit 0
echo "0 passed, 1 failed"
exit 1
