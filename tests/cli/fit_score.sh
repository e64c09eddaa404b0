#!/usr/bin/env bash
# What a person types: fit, score, eval, inspect on a CSV, with the expected output, errors and exit codes.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0 failed=0
check() { # check NAME CONDITION...
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $name"; fi
}
fails() { # fails CODE TEXT COMMAND...
    local code=$1 text=$2 message got
    shift 2
    message=$("$@" 2>&1 >/dev/null)
    got=$?
    [ "$got" = "$code" ] && [[ $message == *"$text"* ]] || { echo "exit $got, said: $message"; return 1; }
}
same() { [ "$1" = "$2" ] || { echo "got '$1', expected '$2'"; return 1; }; }

/usr/bin/python3 - <<'PY'
import csv, random
r = random.Random(3)
def write(path, rows, known):
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["id", "amount", "hour", "kind", "label"])
        for i in range(rows):
            odd = r.random() < 0.2
            label = int(odd) if known else int(odd and r.random() < 0.5)
            w.writerow([f"row {i}, old", round(r.gauss(120 if odd else 50, 15), 2), round(r.gauss(3 if odd else 12, 2), 2),
                        r.choice(["web", "shop"]) if not odd else "phone", label])
write("train.csv", 400, False)
write("test.csv", 150, True)
PY

common=(--method pusvdd --label-column label --id-column id --epochs 12 --quiet)
json=$("$PUAD" fit train.csv "${common[@]}" -o m.safetensors --json 2>err.txt)
check "fit ends with one JSON object" /usr/bin/python3 -c "
import json,sys
o=json.loads(sys.argv[1])
assert o['method']=='pusvdd' and o['rows']==400 and o['alpha_kind']=='alpha_U' and 0.02<o['alpha']<0.2 and o['model']=='m.safetensors', o
assert 0<=o['best_epoch']<12 and o['seconds']>0 and o['anomalies']>10, o" "$json"
check "quiet is quiet" test ! -s err.txt
check "the checkpoint is gone when training is done" test ! -e m.safetensors.checkpoint

"$PUAD" score m.safetensors test.csv --id-column id >scores.csv
check "score prints a header that begins row,score" same "$(head -1 scores.csv)" "row,score,id"
check "score prints one line per row" same "$(wc -l <scores.csv)" 151
check "ids with commas are quoted" grep -q '^0,[0-9.e+-]*,"row 0, old"$' scores.csv
"$PUAD" score m.safetensors - --id-column id <test.csv >piped.csv
check "standard input gives the same scores" cmp -s scores.csv piped.csv
/usr/bin/python3 -c "
import csv
rows=list(csv.reader(open('test.csv')))
order=[3,1,0,2]
w=csv.writer(open('moved.csv','w'))
for r in rows: w.writerow([r[i] for i in order]+['extra'])"
"$PUAD" score m.safetensors moved.csv --id-column id --quiet >moved_scores.csv
check "columns are found by name wherever they stand" cmp -s scores.csv moved_scores.csv
top=$("$PUAD" score m.safetensors test.csv --top 3 --explain 2 --quiet)
check "top gives the largest, largest first" same "$(echo "$top" | sed 1d | cut -d, -f2)" "$(sed 1d scores.csv | cut -d, -f2 | sort -gr | head -3)"
check "explain names columns" grep -q 'amount' <<<"$top"
check "threshold adds a flag" same "$("$PUAD" score m.safetensors test.csv --threshold 1e9 --quiet | sed 1d | sed 's/.*,//' | sort -u)" 0
check "the id column of the training is remembered" cmp -s scores.csv <("$PUAD" score m.safetensors test.csv --quiet)
check "and may be absent" same "$(/usr/bin/python3 -c "
import csv,sys
r=list(csv.reader(open('test.csv'))); w=csv.writer(sys.stdout); k=[i for i,n in enumerate(r[0]) if n!='id']
for x in r: w.writerow([x[i] for i in k])" | "$PUAD" score m.safetensors - --quiet | head -1)" "row,score"
check "a column of the model cannot be ignored" same "$("$PUAD" score m.safetensors test.csv --ignore amount --quiet >/dev/null 2>&1; echo $?)" 2

auroc=$("$PUAD" eval m.safetensors test.csv --label-column label --id-column id --json --quiet --plot roc.svg)
check "eval finds what is there to find" /usr/bin/python3 -c "
import json,sys
o=json.loads(sys.argv[1]); assert o['auroc']>0.9 and 0<=o['tpr_at_1_fpr']<=o['tpr_at_5_fpr']<=1, o" "$auroc"
check "the ROC curve is a picture" grep -q '<svg' roc.svg
zero=$(sed -n 's/.*<text x="\([0-9.]*\)"[^>]*text-anchor="middle">0\.0<.*/\1/p' roc.svg)
check "whose axes begin at 0" grep -q "d=\"M$zero \([0-9.]*\)L[0-9.]* \1\"[^>]*stroke-width=\"0.8\"" roc.svg
/usr/bin/python3 -c "
import numpy
r = numpy.random.default_rng(5)
odd = r.random(300) < 0.2
x = r.normal(size=(300, 3)) + 4 * odd[:, None]
numpy.savez('arrays.npz', X=x, y=(odd & (r.random(300) < 0.5)).astype(int))
numpy.savez('truth.npz', X=x, y=odd.astype(int))"
"$PUAD" fit arrays.npz --method if -o f.safetensors --quiet
check "eval finds y in an NPZ file by itself" grep -q '^all  *[0-9]' <("$PUAD" eval f.safetensors truth.npz)
/usr/bin/python3 -c "
import csv
rows = [r for r in csv.reader(open('test.csv'))]
k = rows[0].index('label')
w = csv.writer(open('some.csv', 'w'))
for i, r in enumerate(rows): w.writerow(r[:k] + (['', 'NaN', 'NA'][i % 3:][:1] if i and i % 4 == 0 else [r[k]]) + r[k+1:])
w = csv.writer(open('known.csv', 'w'))
for i, r in enumerate(rows):
    if i == 0 or i % 4: w.writerow(r)"
left=$(($(wc -l <some.csv) - $(wc -l <known.csv)))
some=$("$PUAD" eval m.safetensors some.csv --label-column label --id-column id 2>some.txt)
check "eval leaves out rows without a truth" same "$some" "$("$PUAD" eval m.safetensors known.csv --label-column label --id-column id --quiet)"
check "eval says how many" grep -q "\b$left rows" some.txt
check "eval --json says how many" grep -q "\"without_truth\":$left" <("$PUAD" eval m.safetensors some.csv --label-column label --json --quiet)
check "an unknown setting is told what there is" fails 2 "'foo'" \
  "$PUAD" fit train.csv "${common[@]}" --set foo=1 -o x.safetensors
check "heat maps are for images" fails 2 "--heat-maps" "$PUAD" score m.safetensors test.csv --heat-maps maps
/usr/bin/python3 -c "
import numpy
r = numpy.random.default_rng(6)
x = r.integers(0, 60, size=(60, 28, 28), dtype=numpy.uint8)
x[:10, 4:9, 4:9] = 255
numpy.savez('images.npz', X=x, y=(numpy.arange(60) < 6).astype(int))"
"$PUAD" fit images.npz --method puae --epochs 1 --force -o i.safetensors --quiet
"$PUAD" score i.safetensors images.npz --top 3 --explain 1 --heat-maps maps --quiet >top.csv
check "a heat map of each row printed" same "$(tail -n +2 top.csv | cut -d, -f1 | sort -n | xargs printf 'row-%06d.png ')" "$(ls maps | tr '\n' ' ')"
mkdir -p pictures/odd pictures/fine && cp maps/*.png pictures/odd/ && cp maps/*.png pictures/fine/
check "eval says how subfolders become labels" fails 2 "--positive" \
  "$PUAD" eval i.safetensors pictures
check "heat maps are pictures" /usr/bin/python3 -c "
import glob
from PIL import Image
for name in glob.glob('maps/*.png'):
    assert min(Image.open(name).size) > 100, name"
check "a pixel has a place" grep -q ',x[0-9]* y[0-9]* 0[.]' top.csv
check "eval by group" grep -q '^phone' <("$PUAD" eval m.safetensors test.csv --label-column label --by kind --quiet 2>&1)

overall() { "$PUAD" eval m.safetensors test.csv --label-column label --quiet "$@" | grep '^all'; }
check "a group column stays a feature" same "$(overall --by kind)" "$(overall)"

check "inspect tells the method" grep -q '^method *pusvdd' <("$PUAD" inspect m.safetensors --plot curve.svg)
check "the training curve is a picture" grep -q 'validation loss' curve.svg
check "inspect --json is JSON" /usr/bin/python3 -c "import json,sys; assert json.load(sys.stdin)['recipe']['method']=='pusvdd'" < <("$PUAD" inspect m.safetensors --json)

"$PUAD" fit train.csv "${common[@]}" --threads 1 -o one.safetensors
"$PUAD" score one.safetensors test.csv --id-column id --threads 1 >one.csv
check "one thread gives the same scores" cmp -s scores.csv one.csv
"$PUAD" fit train.csv "${common[@]}" --method puae --set weight=equal --patience 3 -o puae.safetensors
check "another method with an option of its own" same $? 0
"$PUAD" fit train.csv "${common[@]}" --method if -o if.safetensors 2>note.txt
check "the forest trains and scores" same "$("$PUAD" score if.safetensors test.csv --quiet | wc -l)" 151
"$PUAD" fit train.csv --label-column label --id-column id --method if -o if.safetensors 2>note.txt
check "labels a method cannot use are mentioned" grep -q "if .*labeled anomalies" note.txt

check "no output named" fails 2 "-o MODEL" "$PUAD" fit train.csv
check "unknown method" fails 2 "'nope'" "$PUAD" fit train.csv -o x --method nope
check "unknown option of a method" fails 2 "balance" "$PUAD" fit train.csv "${common[@]}" -o x --set balance=pooled
check "an option that the network has not" fails 2 "'embedding'" "$PUAD" fit train.csv "${common[@]}" -o x --set embedding=bn
check "an option of networks for the forest" fails 2 "'width'" "$PUAD" fit train.csv "${common[@]}" -o x --method if --set width=7
noise() { "$PUAD" inspect "$1" --json | /usr/bin/python3 -c "import json,sys; print(json.load(sys.stdin)['recipe']['noise'])"; }
"$PUAD" fit train.csv "${common[@]}" --epochs 2 --method pudae --update puae.safetensors -o pudae.safetensors
check "another method has its own noise" same "$(noise pudae.safetensors)" 0.1
"$PUAD" fit train.csv "${common[@]}" --epochs 2 --method puae --update pudae.safetensors -o x.safetensors
check "and loses that of the old method" same "$(noise x.safetensors)" 0
"$PUAD" fit train.csv "${common[@]}" --epochs 2 --method puae --set noise=0.3 --update pudae.safetensors -o x.safetensors
"$PUAD" fit train.csv "${common[@]}" --method pudae --update x.safetensors -o x.safetensors
check "one that was asked for stays" same "$(noise x.safetensors)" 0.3
sed '2,$s/[01]\r$/1\r/' test.csv >odd.csv
check "eval needs both kinds of rows" fails 1 "odd.csv" "$PUAD" eval m.safetensors odd.csv --label-column label
check "alpha out of range" fails 2 "alpha" "$PUAD" fit train.csv "${common[@]}" -o x --alpha 1.5
check "missing input" fails 1 "none.csv" "$PUAD" fit none.csv -o x
check "missing label column" fails 2 "nolabel" "$PUAD" fit train.csv --label-column nolabel -o x
check "not a model" fails 1 "train.csv" "$PUAD" score train.csv test.csv
check "unknown command" fails 2 "nonsense" "$PUAD" nonsense
check "an instruction set that is not there" fails 2 avx1024 env PUAD_ISA=avx1024 "$PUAD" fit train.csv "${common[@]}" -o x
check "no model is left by a failed fit" test ! -e x
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
