"""What the reader of definitions learns from: passages with their label, and definitions as lists of sentences."""

import gzip
import json

import numpy as np
import torch

# What a passage does, in the words in which a finding is told; each kind of a written passage belongs to one of them.
KINDS = ["secrets", "hides", "orders", "others", "runs"]
OF_KIND = {
    "read-private": 0, "wants-context": 0,
    "secrecy": 1, "no-confirm": 1, "user-facing": 1,
    "call-order": 2, "persist": 2, "policy": 2, "identity": 2, "follow-result": 2, "drain": 2, "trigger": 2,
    "redirect": 3, "prefer": 3,
    "run": 4,
}


def pairs_of(texts):
    """Each sentence with the next one of its text; the last alone. A mark before each says what sort of text it stands in."""
    out = []
    for text in texts:
        marked = [[text["m"], *s] if text["m"] else s for s in text["s"]]
        for at, sentence in enumerate(marked):
            if at + 1 < len(marked):
                out.append((sentence, marked[at + 1]))
            elif at == 0:
                out.append((sentence, []))
    return out


class Items:
    """Definitions of the second collection, and those of half of the real servers, are only measured on, unless all is learnt."""

    def __init__(self, path, learns_all=False):
        with gzip.open(path, "rt") as file:
            self.all = [json.loads(line) for line in file]
        for item in self.all:
            item["pairs"] = pairs_of(item["t"])[:160]
            if item["src"] == "real" and sum(item["id"].split("/")[-2].encode()) % 2:
                item["src"] = "real-learnt"
        self.all = [item for item in self.all if item["pairs"]]
        learnt = lambda item: item["src"][0] in "tw" or item["src"] in ("first", "docs", "real-learnt")
        self.learns_all = learns_all
        self.train = [item for item in self.all if learns_all or learnt(item)]
        self.neighbours = [text["s"] for item in self.train if item["src"] == "docs" for text in item["t"] if text["s"]]

    def measured(self):
        if self.learns_all:
            return {}
        return {key: [item for item in self.all if item["src"] == key] for key in ["second", "real"]}

    def variant(self, item, rng):
        """A definition as it is; a passage in any sort of text, alone or between sentences of others."""
        if item["src"][0] != "t":
            return item["pairs"]
        mark = rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4, 5])
        said = item["t"][0]["s"]
        if rng.random() < 0.5:
            before, after = rng.choice(self.neighbours), rng.choice(self.neighbours)
            said = rng.choice([[before[-1], *said], [*said, after[0]], [before[-1], *said, after[0]]])
        return pairs_of([{"m": mark, "s": said}])


def batch_of(rows, limit):
    lengths = np.minimum([len(row) for row in rows], limit)
    width = max(1, int(lengths.max()))
    out = np.zeros((len(rows), width), dtype=np.int64)
    out[np.arange(width)[None] < lengths[:, None]] = np.concatenate([np.asarray(row[:width], dtype=np.int64) for row in rows])
    return torch.from_numpy(out)
