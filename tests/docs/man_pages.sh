#!/usr/bin/env bash
# Man pages: every command and every public function has one, roff finds nothing to complain about, and what is printed holds
# the declaration and what the header says about it. Without groff the pages are only counted, and the test counts as skipped.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0
check() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1"; fi; }

cmake --install "$BUILD" --prefix "$folder/usr" >/dev/null || exit 1
man=$(dirname "$(find "$folder/usr" -type d -name man1)")
missing=$(nm -D --defined-only "$BUILD/libpuad.so" | awk '{ print $NF }' | sed 's/@.*//' | grep '^puad_' | sort -u |
    while read -r name; do [ -f "$man/man3/$name.3" ] || echo "$name"; done)
check "every public function has a page: $missing" '[ -z "$missing" ]'
missing=$(for header in include/puad/*.h; do
    page=puad_$(basename "$header" .h)
    [ "$page" = puad_puad ] && page=libpuad
    grep -q "^.SH DESCRIPTION" "$man/man3/$page.3" || echo "$page"
done)
check "every header has a page: $missing" '[ -z "$missing" ]'
if command -v groff >/dev/null; then
    said=$(cd "$man" && for page in man1/*.1 $(grep -L '^.so man3' man3/*.3); do groff -man -ww -z -Tutf8 "$page" 2>&1 | head -1; done)
    check "roff has nothing to say: $said" '[ -z "$said" ]'
    shown=$(cd "$man" && groff -s -man -P-c -Tascii man3/puad_dataset_open.3 | col -bx | tr -s ' \n' ' ')
    check "a function leads to the page of its header" 'grep -q "libpuad - anomaly detection for data" <<<"$shown"'
    check "which has its declaration" 'grep -qF "puad_status puad_dataset_open(puad_dataset **out, const char *path" <<<"$shown"'
    check "and what the header says" 'grep -q "first sheet of an Excel" <<<"$shown"'
else
    skipped=1
    echo "skipped: groff is not installed, the layout of the pages is not checked"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ] || exit 1
[ $skipped = 0 ] || exit 77
