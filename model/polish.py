"""Teaches a reader what was written since it was made, without its teacher and without an accelerator, in a quarter of an hour.

A bad text is bad where its most suspicious two sentences are, a fair one nowhere; what the reader made of the other sentences of
a bad one it is to keep. With --all it learns from what is else only measured on: so the readers of the package are made.
Usage: python polish.py ITEMS READER OUT [--all]
"""

import argparse
import random

import torch
from torch.nn import functional

from reader_data import OF_KIND, Items, batch_of
from reader_network import TOKENS, export_reader, open_reader
from reader_report import report

# Sentences that are computed at once: sorted by length, so that little of it is padding.
TOGETHER = 512
MOST_PAIRS = {"bad": 40, "fair": 6}
BEST, SOFT = 0.96, 0.02


def prepared(pairs):
    """Each sentence once, and where both of each pair are among them."""
    rows = sorted({tuple(s) for pair in pairs for s in pair}, key=len)
    place = {row: at for at, row in enumerate(rows)}
    index = lambda side: torch.tensor([place[tuple(pair[side])] for pair in pairs])
    return [list(row) or [0] for row in rows], index(0), index(1)


def said_of(reader, pairs):
    rows, first, second = prepared(pairs)
    parts = [reader.sentence(batch_of(rows[at : at + TOGETHER], TOKENS)) for at in range(0, len(rows), TOGETHER)]
    strong, sums, counts = (torch.cat(part) for part in zip(*parts))
    pick = lambda index: (strong[index], sums[index], counts[index])
    return reader.verdict(pick(first), pick(second))


@torch.no_grad()
def scores_of(reader, pairs):
    reader.eval()
    out = torch.cat([said_of(reader, pairs[at : at + 4096]) for at in range(0, len(pairs), 4096)])
    reader.train()
    return out


def pools_of(items):
    of = lambda test: [item for item in items.train if test(item)]
    return [
        (of(lambda i: i["src"][0] == "t" and i["y"] == 1), 40),
        (of(lambda i: i["src"][0] == "t" and i["y"] == 0), 40),
        (of(lambda i: i["src"][0] in "wfs" and i["y"] == 1), 24),
        (of(lambda i: i["src"][0] in "wfs" and i["y"] == 0), 28),
        (of(lambda i: i["src"] == "docs"), 90),
        (of(lambda i: i["src"] in ("real", "real-learnt")), 12),
    ]


def some_pairs(items, item, words, rng):
    """Of an item, with words exchanged in half of its pairs."""
    pairs = items.variant(item, rng)
    most = MOST_PAIRS["bad" if item["y"] == 1 else "fair"]
    pairs = pairs[:most] if item["y"] == 1 else rng.sample(pairs, min(most, len(pairs)))
    other = lambda: 100 if rng.random() < 0.5 else rng.choice(words)
    blurred = lambda s, rate: [other() if t > 5 and rng.random() < rate else t for t in s]
    for pair in pairs:
        rate = rng.choice([0, 0, 0.05, 0.1])
        yield tuple(blurred(s, rate) for s in pair) if rate else pair


def loss_of(said, before, owners, chosen):
    y = torch.tensor([float(item["y"]) for item in chosen])
    best = torch.full((len(chosen),), -30.0).scatter_reduce(0, owners, said[:, 0], "amax")
    loss = functional.binary_cross_entropy_with_logits(best, y * BEST + SOFT)
    fair = y[owners] == 0
    loss = loss + 0.5 * functional.softplus(said[fair, 0]).mean()
    loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(said[~fair, 0], torch.sigmoid(before[~fair]))
    kinds = [OF_KIND.get(item["kind"]) if item["y"] == 1 else None for item in chosen]
    known = [at for at, owner in enumerate(owners.tolist()) if kinds[owner] is not None]
    labels = torch.tensor([kinds[owners[at]] for at in known])
    return loss + 0.1 * functional.cross_entropy(said[known, 1:], labels)


def polish(reader, start, items, options):
    rng = random.Random(options.seed)
    torch.manual_seed(options.seed)
    pools = pools_of(items)
    words = [t for item in rng.sample(pools[4][0], 3000) for pair in item["pairs"] for t in pair[0] if t > 999]
    slow = torch.optim.SparseAdam([reader.pieces.weight])
    fast = torch.optim.AdamW([p for n, p in reader.named_parameters() if n != "pieces.weight"], weight_decay=0.01)
    mean = {name: value.clone() for name, value in reader.state_dict().items()}
    for step in range(options.steps):
        rate = options.rate * min(1, step / 30) * (1 - step / options.steps) ** 0.7
        slow.param_groups[0]["lr"], fast.param_groups[0]["lr"] = rate / 2, rate
        chosen = [rng.choice(pool) for pool, count in pools for _ in range(count)]
        owned = [(pair, at) for at, item in enumerate(chosen) for pair in some_pairs(items, item, words, rng)]
        pairs, owners = [pair for pair, _ in owned], torch.tensor([at for _, at in owned])
        with torch.no_grad():
            before = said_of(start, pairs)[:, 0]
        loss = loss_of(said_of(reader, pairs), before, owners, chosen)
        slow.zero_grad()
        fast.zero_grad()
        loss.backward()
        slow.step()
        fast.step()
        # What counts in the end is the mean over the last steps.
        keep = min(0.995, (step + 1) / (step + 11))
        for name, value in reader.state_dict().items():
            mean[name].mul_(keep).add_(value.detach(), alpha=1 - keep)
        if step % 200 == 0:
            print(f"  step {step} loss {loss.item():.3f}", flush=True)
    reader.load_state_dict(mean)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("items")
    parser.add_argument("reader")
    parser.add_argument("out")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    items = Items(options.items, options.all)
    reader, start = open_reader(options.reader).train(), open_reader(options.reader).eval()
    report("before", items, lambda pairs: scores_of(reader, pairs))
    polish(reader, start, items, options)
    report("after", items, lambda pairs: scores_of(reader, pairs))
    export_reader(options.out, reader)


main()
