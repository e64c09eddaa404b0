# The tables of README and docs/results.md are what the committed ledger gives.
set -eu
/usr/bin/python3 "$SOURCE/tools/results_tables" --check --puad "$PUAD"
