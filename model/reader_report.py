"""How well a reader, or its teacher, tells definitions apart that it has not learnt from."""

import numpy as np


def report(name, items, scores):
    """How definitions that were not learnt from are told apart, at several shares of false alarms; `scores` of all measured windows."""
    measured = items.measured()
    if not measured:
        return
    those = [(key, item) for key, found in measured.items() for item in found]
    ends = np.cumsum([len(item["windows"]) for _, item in those])
    scored = [(float(part.max()), key, item) for part, (key, item) in zip(np.split(scores[:, 0].numpy(), ends[:-1]), those)]
    real = [s for s, key, _ in scored if key == "real"]
    for key in [key for key in measured if key != "real"]:
        fair = sorted((s for s, of, i in scored if of == key and i["y"] == 0), reverse=True)
        bad = [(s, i) for s, of, i in scored if of == key and i["y"] == 1]
        for share in [0.01, 0.02, 0.04]:
            limit = fair[int(len(fair) * share)]
            kinds = {}
            for s, i in bad:
                kinds.setdefault(i["kind"], []).append(s > limit)
            recall = np.mean([s > limit for s, _ in bad])
            told = " ".join(f"{k} {np.mean(v):.2f}" for k, v in kinds.items())
            print(f"{name}: {key} false {share:.2f} limit {limit:.2f} recall {recall:.3f} real {np.mean([s > limit for s in real]):.4f} {told}", flush=True)
