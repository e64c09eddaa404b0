#!/usr/bin/env bash
# layering.sh notices one include that goes up, a second file of the same name and a folder that is too large.
set -eu
here="$(cd "${SOURCE:-.}" && pwd)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fresh() { rm -rf "${folder:?}"/*; cp -r "$here"/{src,cli,lab,plot,serve} "$folder"; }
check() { bash "$here/tests/layering/layering.sh" "$folder" >"$folder/said"; }
fresh
check || { cat "$folder/said"; exit 1; }
echo '#include "train/fit_job.h"' >>"$folder/src/base/file.c"
if check; then echo "an include that goes up passes"; exit 1; fi
grep -q 'src/base/file.c' "$folder/said"
fresh
touch "$folder/plot/file.c"
if check; then echo "a file name that occurs twice passes"; exit 1; fi
fresh
for i in $(seq 31); do touch "$folder/plot/more$i.c"; done
if check; then echo "a folder of more than 30 files passes"; exit 1; fi
echo "1 passed, 0 failed"
