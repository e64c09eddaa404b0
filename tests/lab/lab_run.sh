#!/usr/bin/env bash
# puad lab run, mostly on the toy set: what is done is not done again, kill -9 loses nothing that was finished, two runs share a ledger.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0 failed=0
check() {
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $name"; fi
}
same() { [ "$1" = "$2" ] || { echo "got '$1', expected '$2'"; return 1; }; }
grid=(--datasets toy --methods if,ae,puae,deepsvdd,pusvdd --seeds 2 --epochs 2 --threads 1)
figures() { # what must not depend on how the cells came to be run
    "$PUAD" lab export "$1.csv" --ledger "$1" -q && /usr/bin/python3 - "$1.csv" <<'PY'
import csv, sys
leave = {"seconds", "pretrain_seconds", "finished", "history", "machine"}
for row in csv.DictReader(open(sys.argv[1])):
    print(sorted((k, v) for k, v in row.items() if k not in leave))
PY
}

"$PUAD" lab run "${grid[@]}" --ledger whole.db -q >first.jsonl
check "one JSON object per cell" same "$(wc -l <first.jsonl)" 10
check "with the fields a program needs" /usr/bin/python3 -c "
import json
for line in open('first.jsonl'):
    o = json.loads(line)
    for name in 'dataset normal unseen method seed alpha auroc auroc_seen auroc_unseen best_epoch epochs seconds pretrain_seconds'.split():
        assert name in o, name
    assert o['cached'] is False and 0 <= o['auroc'] <= 1"
"$PUAD" lab run "${grid[@]}" --ledger whole.db -q >second.jsonl
check "a second time everything is there" same "$(grep -c '"cached":true' second.jsonl)" 10
check "the dry run says so" same "$("$PUAD" lab run "${grid[@]}" --ledger whole.db --dry-run 2>/dev/null | grep -c done)" 10

swept=$("$PUAD" lab run --datasets toy --methods ae,pusvdd --seeds 1 --set embedding=bn,linear --set weight=prior,equal --dry-run --ledger swept.db 2>/dev/null)
check "options with several values run each, once where they mean nothing" same "$(wc -l <<<"$swept")" 3
swept=$("$PUAD" lab run --datasets glyphs --normal-class 1 --methods ae,pusvdd --seeds 1 --set embedding=bn,linear --set weight=prior,equal --dry-run --ledger swept.db 2>/dev/null)
check "all of them where they mean something" same "$(wc -l <<<"$swept")" 5
check "and neighbors share a pretraining" same "$(cut -d' ' -f4 <<<"$swept" | uniq | wc -l)" 2

sized=$("$PUAD" lab run --datasets glyphs --normal-class 1 --methods pusvdd --seeds 1 --set hidden=7,9 --alphas 0.3 --dry-run --ledger swept.db 2>/dev/null)
check "hidden anomalies and alpha may be set as options" same "$(cut -d' ' -f7-10 <<<"$sized" | tr '\n' ',')" "alpha 0.3 hidden 7,alpha 0.3 hidden 9,"

planned=$("$PUAD" lab run --plan table1 --datasets glyphs --methods pusvdd --normal-class 1,2 --seeds 2 --dry-run --ledger swept.db 2>/dev/null)
check "lists that are given replace those of a plan" same "$(grep -c 'glyphs.*pusvdd' <<<"$planned")" 4
"$PUAD" lab run --datasets toy --methods dae --seeds 1 --epochs 3 --set objective=pu_abs --set weight=prior,equal --threads 1 --ledger over.db -q >over.jsonl
check "the options of another objective are those it is trained with" same \
    "$(/usr/bin/python3 -c "import json; print(len({json.loads(l)['valid_loss'] for l in open('over.jsonl')}))")" 2

for moment in 0.02 0.05 0.1 0.15 0.2 0.3 0.4; do
    "$PUAD" lab run "${grid[@]}" --ledger killed.db -q >/dev/null 2>&1 &
    pid=$!
    sleep $moment
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
"$PUAD" lab run "${grid[@]}" --ledger killed.db -q >/dev/null
check "killed and restarted gives the same ledger" same "$(figures killed.db)" "$(figures whole.db)"

"$PUAD" lab run "${grid[@]}" --ledger both.db -q >one.jsonl &
"$PUAD" lab run "${grid[@]}" --ledger both.db -q >two.jsonl
wait
"$PUAD" lab run "${grid[@]}" --ledger both.db -q >/dev/null
check "two runs at a time run no cell twice" same "$(cat one.jsonl two.jsonl | grep -c '"cached":false')" 10
check "and give the same ledger" same "$(figures both.db)" "$(figures whole.db)"

named=$("$PUAD" lab run --datasets glyphs --normal-class bar,1 --methods if --seeds 1 --dry-run --ledger swept.db 2>/dev/null)
check "a class by name and by number is one cell" same "$(wc -l <<<"$named")" 1
"$PUAD" lab run --datasets glyphs --normal-class 0 --methods if --dry-run --ledger swept.db >/dev/null 2>&1
check "a class that is normal and unseen is wrong usage" same $? 2

ablation=$("$PUAD" lab run --plan ablation --datasets glyphs --seeds 1 --dry-run --ledger swept.db 2>/dev/null)
check "the ablations have each variant once" same "$(sort <<<"$ablation" | uniq | wc -l)" 20
check "and all objectives" same "$(grep -c 'objective=pu_nn' <<<"$ablation")" 2
some=$("$PUAD" lab run --plan ablation --datasets glyphs --methods ae,deepsad,if --seeds 1 --dry-run --ledger swept.db 2>/dev/null)
check "of a given list only the methods that they are about" same "$(wc -l <<<"$some") $(grep -c deepsad <<<"$some")" "3 3"
check "a dry run makes no ledger" test ! -e swept.db
touch empty.db
"$PUAD" lab run "${grid[@]}" --ledger empty.db --dry-run >/dev/null 2>&1
check "nor does it mind an empty file" same $? 0
for wrong in embedding=foo weight=foo objective=foo network=foo sampler=foo epochs=-1 pretrain_epochs=-1 patience=-3 nonsense=1; do
    message=$("$PUAD" lab run --datasets glyphs --normal-class 1 --methods pusvdd --set $wrong --dry-run --ledger x.db 2>&1)
    check "$wrong is wrong usage before anything is run" same $? 2
    check "and the message names it" grep -qE "foo|-1|-3|nonsense" <<<"$message"
done

message=$("$PUAD" lab run --plan nonsense --ledger x.db 2>&1)
check "an unknown plan is wrong usage" same $? 2
check "and the plans are named" grep -q 'table1' <<<"$message"
"$PUAD" lab run --datasets nowhere --ledger x.db >/dev/null 2>&1
check "an unknown set is wrong usage" same $? 2
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
