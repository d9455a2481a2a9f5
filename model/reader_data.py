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
    # Orders of one sentence.
    "private": 0, "copy": 0, "hide": 1, "announce": 1, "approve": 1,
    "added-secret": 0, "added-kept": 0, "added-skip": 1, "added-order": 2, "added-reach": 4,
    "first": 2, "persist-rule": 2, "alter": 2, "delete": 2, "call-other": 3, "prefer-other": 3, "shell": 4,
}
MANUAL = 6
# A text that a change adds has another mark: this much more.
ADDED = 6
# These authors wrote what earlier readers had missed: it is seen twice as often.
LATE = {"15", "16", "17", "18", "19", "20", "21", "22", "24", "25", "26", "27", "28", "29", "H", "I", "J", "k", "l", "m", "n", "o", "p"}


def windows_of(purpose, texts):
    """What the tool is for, with each sentence and the next one of its text; a mark before each says what sort of text it stands in."""
    out = []
    for text in texts:
        marked = [[text["m"], *s] if text["m"] else s for s in text["s"]]
        for at, sentence in enumerate(marked):
            if at + 1 < len(marked):
                out.append((purpose, sentence, marked[at + 1]))
            elif at == 0:
                out.append((purpose, sentence, []))
    return out


def added(sentence):
    return [sentence[0] + ADDED, *sentence[1:]] if sentence and sentence[0] <= MANUAL else sentence


class Items:
    """Definitions of the second collection and those of half of the real servers are only measured on, unless all is learnt; those of the
    authors in `apart` always."""

    def __init__(self, path, learns_all=False, apart=()):
        with gzip.open(path, "rt") as file:
            self.all = [json.loads(line) for line in file]
        for item in self.all:
            item["windows"] = windows_of(item["c"], item["t"])[:160]
            if item["src"][1:] in apart:
                item["src"] = "apart"
            if item["src"] == "real" and sum(item["id"].split("/")[-2].encode()) % 2:
                item["src"] = "real-learnt"
        self.all = [item for item in self.all if item["windows"]]
        learnt = lambda item: item["src"][0] in "twc" or item["src"] in ("first", "docs", "real-learnt")
        self.learns_all = learns_all
        self.train = [item for item in self.all if item["src"] != "apart" and (learns_all or learnt(item))]
        # Real definitions of some servers, and the authors in `apart`, tell how the third head does on what it has not learnt.
        held = lambda item: item["src"] == "docs" and item["kind"] == "docs" and sum(item["id"].encode()) % 12 == 0
        self.kept = [item for item in self.all if item["src"] == "apart" or held(item)] if apart != [""] else []
        if self.kept:
            self.train = [item for item in self.train if not held(item)]
        docs = [item for item in self.train if item["src"] == "docs"]
        self.neighbours = [text["s"] for item in docs for text in item["t"] if text["s"]]
        self.documents = [item for item in docs if item["c"]]
        self.purposes = [item["c"] for item in docs if item["c"]]

    def measured(self):
        keys = ["apart"] if self.learns_all else ["apart", "second", "real"]
        found = {key: [item for item in self.all if item["src"] == key] for key in keys}
        return {key: those for key, those in found.items() if those}

    def pools(self, counts):
        """What a step learns from, and how much of each: passages, definitions (bad and fair), documents, real servers."""
        often = lambda item: (2 if item["src"][1:] in LATE else 1) * (1 if item["src"] == "cmade" or item["src"][0] != "c" else 3)
        of = lambda test: [item for item in self.train if test(item) for _ in range(often(item))]
        tests = [
            lambda i: i["src"][0] == "t" and i["y"] == 1,
            lambda i: i["src"][0] == "t" and i["y"] == 0,
            lambda i: i["src"][0] in "wfs" and i["y"] == 1,
            lambda i: i["src"][0] in "wfs" and i["y"] == 0,
            lambda i: i["src"] == "docs",
            lambda i: i["src"] in ("real", "real-learnt"),
            lambda i: i["src"][0] == "c" and i["y"] == 1,
            lambda i: i["src"][0] == "c" and i["y"] == 0,
        ]
        return [(of(test), count) for test, count in zip(tests, counts)]

    def inserted(self, passage, rng):
        """A document in which a passage stands, as a part of one of its texts or as a text of its own."""
        document = rng.choice(self.documents)
        mark = rng.choice([1, 1, 1, 2, 2, 4, MANUAL])
        sentences = passage["t"][0]["s"]
        if rng.random() < 0.6 and document["t"]:
            text = rng.choice(document["t"])
            mark, cut = text["m"] or mark, rng.randint(0, len(text["s"]))
            sentences = [*text["s"][:cut], *sentences, *text["s"][cut:]]
        own = windows_of(document["c"], [{"m": mark, "s": sentences}])
        rest = document["windows"]
        return [*own[:24], *rng.sample(rest, min(len(rest), 12))]

    def variant(self, item, rng):
        """A definition, now and then without its purpose or as if a change had added it; a passage for any purpose, in any sort of text,
        alone or between others."""
        if item["src"][0] == "c":
            return item["windows"]
        if item["src"][0] != "t":
            how = rng.random()
            if how < 0.2:
                return [([], first, second) for _, first, second in item["windows"]]
            return [(purpose, added(first), added(second)) for purpose, first, second in item["windows"]] if how < 0.4 else item["windows"]
        mark = rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4, 5, MANUAL])
        mark += ADDED if mark and rng.random() < 0.25 else 0
        said = item["t"][0]["s"]
        if rng.random() < 0.5:
            before, after = rng.choice(self.neighbours), rng.choice(self.neighbours)
            said = rng.choice([[before[-1], *said], [*said, after[0]], [before[-1], *said, after[0]]])
        return windows_of(rng.choice(self.purposes) if rng.random() < 0.7 else [], [{"m": mark, "s": said}])


def batch_of(rows, limit):
    lengths = np.minimum([len(row) for row in rows], limit)
    width = max(1, int(lengths.max()))
    out = np.zeros((len(rows), width), dtype=np.int64)
    out[np.arange(width)[None] < lengths[:, None]] = np.concatenate([np.asarray(row[:width], dtype=np.int64) for row in rows])
    return torch.from_numpy(out)
