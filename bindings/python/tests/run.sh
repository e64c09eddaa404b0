#!/usr/bin/env bash
# Builds the wheel, installs it into a folder as pip would, and runs the package's tests with it; exits with 77 where the environment
# cannot be set up. BUILD is the build folder, PUAD the program, SANITIZE how the library was built; PURPOSE=cluster is the environment with
# Dask's scheduler and PySpark, which only 'make test' and tools/bootstrap set up.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${BUILD:-$root/build}" && pwd)
purpose=${PURPOSE:-python}
environment=$root/.venv/$purpose
site=$build/$purpose-wheel
[ "${SANITIZE:-OFF}" = thread ] && { echo "SKIPPED: Python itself is not built for ThreadSanitizer"; exit 77; }
wanted=$root/tools/requirements/$purpose.txt
if [ "$purpose" = python ]; then cmp -s "$wanted" "$environment/installed.txt" || "$root/tools/bootstrap" python; fi
cmp -s "$wanted" "$environment/installed.txt" || { echo "SKIPPED: $environment does not exist; run tools/bootstrap $purpose (needs a Python registry)"; exit 77; }
rm -rf "$site" && mkdir -p "$site"
(cd "$here/.." && PUAD_WHEEL_BUILD=$build flock "$build/wheel.lock" "$environment/bin/python" -c 'import sys; sys.path.insert(0, "backend"); import puad_build
puad_build.build_wheel(sys.argv[1])' "$site") >"$site/log" 2>&1 || { cat "$site/log"; exit 1; }
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target "$site/site" "$site"/*.whl
export PYTHONPATH=$site/site PYTHONDONTWRITEBYTECODE=1 PUAD=${PUAD:-$build/puad} MPLBACKEND=Agg OMP_NUM_THREADS=1
cd "$here" # not where the sources of the package are: the wheel is tested
if [ "${SANITIZE:-OFF}" = ON ]; then # the interpreter is not built for it, so the sanitizer is loaded first
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0
fi
exec "$environment/bin/python" -m pytest -q -p no:cacheprovider "${@:-.}"
