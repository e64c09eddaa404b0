#!/usr/bin/env bash
# puad list: the methods and networks; which data sets there are and whether they are present.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1"; fi; }

mkdir -p "$folder/cifar10/cifar-10-batches-bin" "$folder/medmnist"
: >"$folder/medmnist/octmnist.npz"
: >"$folder/cifar10/cifar-10-batches-bin/test_batch.bin"
mkdir -p "$folder/cifar100/cifar-100-binary"
text=$("$PUAD" list datasets --data-dir "$folder")
check "a folder of batches counts as present" 'grep -qE "^  cifar10 +present" <<<"$text"'
check "an empty folder does not" 'grep -qE "^  cifar100 +absent" <<<"$text"'
check "a set without files is absent" 'grep -qE "^  mnist +absent" <<<"$text"'
check "MedMNIST files may lie together" 'grep -qE "^  octmnist +present" <<<"$text"'
check "generated sets are named as synthetic" 'grep -qE "^  glyphs +generated .*synthetic" <<<"$text"'
check "PUAD_DATA names the folder" '[ "$(PUAD_DATA=$folder "$PUAD" list datasets)" = "$text" ]'
check "JSON says the same" '"$PUAD" list datasets --json --data-dir "$folder" | /usr/bin/python3 -c "
import json, sys
rows = {row[\"name\"]: row for row in json.load(sys.stdin)[\"datasets\"]}
assert rows[\"octmnist\"][\"present\"] and not rows[\"mnist\"][\"present\"] and rows[\"toy\"][\"synthetic\"]
assert rows[\"octmnist\"][\"normal\"] == [\"3\"] and rows[\"octmnist\"][\"unseen\"] == [0]
assert rows[\"mnist\"][\"classes\"] == [str(i) for i in range(10)]"'
check "methods tell their head and objective" '"$PUAD" list methods | grep -qE "^  pusvdd +distance +pu_abs"'
check "all methods are there" '[ $("$PUAD" list methods | grep -c "^  [a-z]") -gt 30 ]'
check "networks are listed" '"$PUAD" list networks --json | grep -q conv32'
message=$("$PUAD" list nonsense 2>&1 >/dev/null)
code=$?
check "an unknown kind is wrong usage" '[ $code = 2 ] && grep -q "datasets" <<<"$message"'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
