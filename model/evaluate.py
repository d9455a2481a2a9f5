"""Quality of vectors on the test sets, alone and fused with the lexical scores of the gateway.

`python evaluate.py PREPARED SCORES VECTORS.npz…` prints one line a model. SCORES holds, for each set, SET.jsonl as written by
`npm run -s bench:search -- --data SET --mode bm25 --scores FILE`.
"""

import json
import sys

import numpy as np

SETS = ["bfcl", "livemcp-steps", "toolbench-test", "metatool"]
UNSEEN = SETS[:3]


class TestSet:
    """Documents, queries with their parts, and what each query needs; `offset` is its place among the texts of all sets."""

    def __init__(self, path, offset):
        with open(path) as file:
            found = json.load(file)
        ids = {tool["id"]: at for at, tool in enumerate(found["tools"])}
        self.size, self.offset = len(ids), offset
        self.needs, self.rows, count = [], [], 0
        for query in found["queries"]:
            groups = query.get("relevantGroups") or [[tool] for tool in query["relevant"]]
            self.needs.append([{ids[tool] for tool in group} for group in groups])
            self.rows.append((count, 1 + len(query["parts"])))
            count += 1 + len(query["parts"])
        self.texts, self.ids = count, ids

    def cosines(self, vectors, split):
        """Queries × tools: the best of the whole query and its parts."""
        own = vectors[self.offset : self.offset + self.size + self.texts].astype(np.float32)
        own /= np.linalg.norm(own, axis=1, keepdims=True) + 1e-9
        all_texts = own[self.size :] @ own[: self.size].T
        return np.stack([all_texts[at : at + (count if split else 1)].max(0) for at, count in self.rows])

    def lexical(self, path):
        """Queries × tools: the scores of the whole queries."""
        out = np.zeros((len(self.rows), self.size), dtype=np.float32)
        with open(path) as file:
            for at, line in enumerate(file):
                for tool, score in json.loads(line)["scores"]:
                    out[at, self.ids[tool]] = score
        return out


def load_sets(prepared):
    sets, offset = {}, 0
    for name in SETS:
        sets[name] = TestSet(f"{prepared}/{name}.json", offset)
        offset += sets[name].size + sets[name].texts
    return sets


def ndcg(order, needs):
    """nDCG@10 where each need is met once and a further tool for a need already met takes no place."""
    met, place, gain = set(), 0, 0.0
    for tool in order:
        matching = [at for at, need in enumerate(needs) if tool in need]
        fresh = [at for at in matching if at not in met]
        if matching and not fresh:
            continue
        place += 1
        if place > 10:
            break
        if fresh:
            met.add(fresh[0])
            gain += 1 / np.log2(place + 1)
    return gain / sum(1 / np.log2(place + 1) for place in range(1, min(10, len(needs)) + 1))


def mean_ndcg(test, scores):
    total = 0.0
    for row, needs in zip(scores, test.needs):
        top = np.argpartition(-row, min(60, len(row) - 1))[:60]
        total += ndcg(top[np.argsort(-row[top], kind="stable")], needs)
    return total / len(test.needs)


def fused(lexical, cosines, weight):
    """Both divided by their best, so that either can say 1."""
    words = lexical / np.maximum(lexical.max(1, keepdims=True), 1e-9)
    meaning = np.maximum(cosines, 0) / np.maximum(cosines.max(1, keepdims=True), 1e-9)
    return (1 - weight) * words + weight * meaning


def show(label, values):
    unseen = sum(values[name] for name in UNSEEN) / len(UNSEEN)
    print(f"{label:42}" + "  ".join(f"{values[name]:.4f}" for name in SETS) + f"  unseen {unseen:.4f}")


def main(prepared, scores, *files):
    sets = load_sets(prepared)
    lexical = {name: test.lexical(f"{scores}/{name}.jsonl") for name, test in sets.items()}
    print(f"{'':42}" + "  ".join(SETS))
    show("words alone", {name: mean_ndcg(test, lexical[name]) for name, test in sets.items()})
    for path in files:
        for model, vectors in np.load(path).items():
            for split in [False, True]:
                cosines = {name: test.cosines(vectors, split) for name, test in sets.items()}
                label = f"{model}, {'split' if split else 'whole'}"
                show(f"{label}, alone", {name: mean_ndcg(test, cosines[name]) for name, test in sets.items()})
                for weight in [0.3, 0.4, 0.5, 0.6]:
                    values = {name: mean_ndcg(test, fused(lexical[name], cosines[name], weight)) for name, test in sets.items()}
                    show(f"{label}, fused {weight}", values)


if __name__ == "__main__":
    main(*sys.argv[1:])
