# The tables of README and docs are those that the committed results give.
set -eu
/usr/bin/python3 "$SOURCE/tools/results_tables" --check --puad "$PUAD"
