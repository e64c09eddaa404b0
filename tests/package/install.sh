#!/usr/bin/env bash
# An installed copy: pkg-config works wherever the tree is moved, libpuad.so exports puad_* alone and stays light.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1"; fi; }

DESTDIR=$folder/stage cmake --install "$BUILD" --prefix /opt/puad >/dev/null || exit 1
check "DESTDIR comes before the prefix" '[ -x "$folder/stage/opt/puad/bin/puad" ] && [ ! -e /opt/puad/bin/puad ]'
check "man pages are installed" 'find "$folder/stage" -name "puad-fit.1*" | grep -q .'
mv "$folder/stage/opt/puad" "$folder/moved"
library=$(find "$folder/moved" -name libpuad.so)
PKG_CONFIG_PATH=$(dirname "$(find "$folder/moved" -name puad.pc)")
export PKG_CONFIG_PATH
check "pkg-config knows the version" '[ "$(pkg-config --modversion puad)" = "$("$PUAD" --version | cut -d" " -f2)" ]'
cat >"$folder/version.c" <<'C'
#include <puad/puad.h>
#include <string.h>
int main(void) { return strcmp(puad_version(), PUAD_VERSION_TEXT); }
C
flags=()
[ "${SANITIZE:-OFF}" = ON ] && flags=(-fsanitize=address,undefined)
check "a program builds with pkg-config alone" \
    'cc -std=c17 -Wall -Werror "${flags[@]}" "$folder/version.c" -o "$folder/version" $(pkg-config --cflags --libs puad)'
check "and runs" 'LD_LIBRARY_PATH=$(dirname "$library") "$folder/version"'
others=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^puad_' | grep -vE '^(PUAD_1$|_init|_fini|__asan|__ubsan|__odr)')
check "only puad_* is exported: $others" '[ -z "$others" ]'
internal=$(nm "$(find "$folder/moved" -name libpuad.a)" 2>/dev/null | awk '$2 ~ /^[A-TV-Z]$/ { print $NF }' | grep -v '^puad_' | grep -vE '^(__asan|__ubsan|__odr|DW\.ref)')
check "nor are there other names in the archive: $internal" '[ -z "$internal" ]'
check "a program with names of its own links the archive" \
    'echo "int file_size; int option_set;" | cat - "$folder/version.c" >"$folder/own.c" &&
     cc -std=c17 "${flags[@]}" "$folder/own.c" -o "$folder/own" $(pkg-config --cflags puad) "$(find "$folder/moved" -name libpuad.a)" \
         $(pkg-config --static --libs-only-l puad | sed "s/-lpuad//") && "$folder/own"'
check "names have a version" 'readelf -V "$library" | grep -q "PUAD_1"'
check "include paths of other libraries do not leak" '! pkg-config --static --cflags puad | grep -q libpng'
cat >"$folder/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(puad REQUIRED)
add_executable(version version.c)
target_link_libraries(version puad::puad)
C
check "find_package(puad) builds a program that runs" \
    'cmake -S "$folder" -B "$folder/b" -DCMAKE_PREFIX_PATH="$folder/moved" -DCMAKE_C_FLAGS="${flags[*]}" >/dev/null &&
     cmake --build "$folder/b" >/dev/null && "$folder/b/version"'
mkdir "$folder/user"
cat >"$folder/user/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
add_subdirectory("$PWD" puad)
add_executable(version ../version.c)
target_link_libraries(version puad::puad)
C
check "add_subdirectory finds the files of the project" \
    'cmake -S "$folder/user" -B "$folder/b2" -DPUAD_PROGRAM=OFF >/dev/null && cmake --build "$folder/b2" --target puad_man3 >/dev/null &&
     ! grep -rqF "$folder/user/tools" "$folder/b2" --include=Makefile --include=build.make --include=link.txt --include=build.ninja'
check "without the program the tests of the library are built" \
    'cmake -S . -B "$folder/b3" -G Ninja -DPUAD_PROGRAM=OFF -DPUAD_TESTS=ON >/dev/null &&
     (cd "$folder/b3" && ctest -N) | grep -q "unit/nn/network" && ! (cd "$folder/b3" && ctest -N) | grep -q "cli/"'
check "a prefix may have a space" \
    'make -s -o build install BUILD="$BUILD" PREFIX="$folder/a b" >/dev/null && [ -e "$folder/a b/bin/puad" ]'
needed=$(readelf -d "$library" | grep NEEDED)
check "no cairo, curl, sqlite or matio" '! grep -qE "cairo|curl|sqlite|matio" <<<"$needed"'
check "the library has a soname" 'readelf -d "$library" | grep -q "SONAME.*libpuad.so.1"'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
