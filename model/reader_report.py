"""How well a reader, or its teacher, tells definitions apart that it has not learnt from."""

import numpy as np


def report(name, items, scores_of):
    """How definitions that were not learnt from are told apart, at several shares of false alarms."""
    scored = {}
    if not items.measured():
        return
    for key, those in items.measured().items():
        flat = [pair for item in those for pair in item["pairs"]]
        values = scores_of(flat)[:, 0].numpy() if flat else np.zeros(0)
        ends = np.cumsum([len(item["pairs"]) for item in those])
        scored[key] = [(float(part.max()), item) for part, item in zip(np.split(values, ends[:-1]), those)]
    fair = sorted((s for s, i in scored["second"] if i["y"] == 0), reverse=True)
    bad = [(s, i) for s, i in scored["second"] if i["y"] == 1]
    real = [s for s, _ in scored["real"]]
    for share in [0.02, 0.04, 0.06]:
        limit = fair[int(len(fair) * share)]
        kinds = {}
        for s, i in bad:
            kinds.setdefault(i["kind"], []).append(s > limit)
        recall = np.mean([s > limit for s, _ in bad])
        print(f"{name}: false {share:.2f} limit {limit:.2f} recall {recall:.3f} real {np.mean([s > limit for s in real]):.4f} " + " ".join(f"{k} {np.mean(v):.2f}" for k, v in kinds.items()), flush=True)
