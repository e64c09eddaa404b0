#!/usr/bin/env python3
"""fit --alpha auto on real tables: what it loses in AUROC against the true share, and gains against a guess of 0.3. Half of the
rows train, half of their anomalies labeled; tables and draws where `puad prior` refuses are left out, as auto refuses there.

    test_alpha_auto.py [first seed] [draws]        other draws than those the test is about"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers")]
from checks import check, finish
from tables import *

TABLES = ("2_annthyroid", "4_breastw", "6_cardio", "7_Cardiotocography", "28_pendigits", "30_satellite")
OPTIONS = ("--epochs", "60")
LOSS_MAX = 0.005  # mean AUROC that an estimated alpha may cost compared with the true one
ESTIMATED_MIN = 0.5  # fraction of the draws in which alpha must be estimated
need("tabular")
first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
draws = int(sys.argv[2]) if len(sys.argv) > 2 else 5
lost, gained, refused = [], [], 0
for name in TABLES:
    own = []
    for seed in range(first, first + draws):
        values, labels, truth, new, new_truth = draw(name, seed)
        data, fresh = save("train.npz", values, labels), save("new.npz", new)
        prior = json.loads(puad("prior", data, "--json", "--seed", seed, check=False).stdout)
        if prior["refused"]:
            refused += 1
            continue
        figures = []
        for alpha in ("auto", hidden_share(labels, truth), 0.3):
            model = fit(data, "m.safetensors", "--alpha", alpha, "--seed", seed, *OPTIONS)
            figures.append(auroc(score(model, fresh, "--quiet")[0]["score"], new_truth))
        own.append((figures[1] - figures[0], figures[0] - figures[2]))
    if own:
        lost += [pair[0] for pair in own]
        gained += [pair[1] for pair in own]
        print(f"{name}: auto loses {numpy.mean([p[0] for p in own]):+.4f} against the true alpha, gains "
              f"{numpy.mean([p[1] for p in own]):+.4f} against 0.3, over {len(own)} draws", flush=True)
print(f"all: loses {numpy.mean(lost):+.4f} (standard error {numpy.std(lost, ddof=1) / len(lost) ** 0.5:.4f}), gains "
      f"{numpy.mean(gained):+.4f} ({numpy.std(gained, ddof=1) / len(gained) ** 0.5:.4f}), over {len(lost)} draws; {refused} refused")
check(numpy.mean(lost) <= LOSS_MAX, f"an estimated alpha loses at most {LOSS_MAX} AUROC compared with the true one")
check(numpy.mean(gained) > 0, "an estimated alpha is better than a guess of 0.3")
check(len(lost) >= ESTIMATED_MIN * draws * len(TABLES), f"alpha is estimated in at least {ESTIMATED_MIN} of the draws")
finish()
