#!/usr/bin/env bash
# Fifty trainings killed at random moments: see tests/fit/test_kill.py, which does fewer in `make test`.
set -eu
KILLS=50 SECONDS_MAX=3600
export KILLS
exec env SECONDS=$SECONDS_MAX SEED="${SEED:-2}" /usr/bin/python3 tests/fit/test_kill.py
