#!/usr/bin/env bash
# Without the packages of the laboratory the library and puad can be configured, and puad-lab cannot.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1"; fi; }

cat >"$folder/pkg-config" <<'END'
#!/bin/sh
case "$*" in *matio* | *libcurl* | *sqlite3*) exit 1 ;; esac
exec /usr/bin/pkg-config "$@"
END
chmod +x "$folder/pkg-config"
configure() { PKG_CONFIG="$folder/pkg-config" cmake -S "${SOURCE:-.}" -B "$folder/build" -G Ninja "$@" >"$folder/said" 2>&1; }
check "the laboratory needs its packages" '! configure'
rm -rf "$folder/build"
check "the library and puad do not" 'configure -DPUAD_LAB=OFF'
targets=$(ninja -C "$folder/build" -t targets all 2>/dev/null)
check "puad is built" 'grep -q "^puad: " <<<"$targets"'
check "puad-lab is not" '! grep -q "^puad-lab: " <<<"$targets"'
for program in "$PUAD" "$BUILD/libpuad.so"; do
    check "$program links none of its libraries" '! ldd "$program" | grep -E "sqlite|matio|curl|libmpi"'
done
check "puad-lab links them" '[ "$(ldd "$PUAD-lab" | grep -cE "libsqlite3|libmatio|libcurl")" = 3 ]'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
