"""Makes the reader of definitions: a small network that tells what a passage does to a model that reads it.

A teacher (the encoder of search, fine-tuned) learns from passages and whole definitions; the reader learns from the teacher on
many more passages than anybody wrote. Usage: python reader.py ITEMS ENCODER OUT
"""

import argparse
import random
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from export import quantized, write
from reader_data import KINDS, Items, batch_of
from teacher import load_teacher, teacher_scores, train_teacher

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PIECES, WIDTH, FILTERS, INNER, TOKENS = 30522, 64, 128, 48, 49
MODEL = "toolcrib-reader-1"


class Reader(nn.Module):
    """Two convolutions within a sentence, the strongest of each feature, two neighbouring sentences together, a small head."""

    def __init__(self, start):
        super().__init__()
        self.pieces = nn.Embedding.from_pretrained(start, freeze=False, padding_idx=0)
        self.near = nn.Conv1d(WIDTH, FILTERS, 3, padding=1)
        self.far = nn.Conv1d(FILTERS, FILTERS, 3, padding=2, dilation=2)
        self.inner = nn.Linear(FILTERS * 2 + WIDTH, INNER)
        self.out = nn.Linear(INNER, 1 + len(KINDS))
        self.drop = nn.Dropout(0.2)

    def sentence(self, tokens):
        mask = (tokens != 0).unsqueeze(1)
        vectors = self.pieces(tokens).transpose(1, 2)
        near = functional.relu(self.near(vectors)) * mask
        far = functional.relu(self.far(near)) * mask
        return torch.cat([near.amax(2), far.amax(2)], 1), (vectors * mask).sum(2), mask.sum(2).float()

    def forward(self, first, second):
        """`second` may be empty (all zero): then the first stands alone."""
        strong_a, sum_a, count_a = self.sentence(first)
        strong_b, sum_b, count_b = self.sentence(second)
        mean = (sum_a + sum_b) / (count_a + count_b).clamp(min=1)
        return self.out(functional.relu(self.inner(self.drop(torch.cat([torch.maximum(strong_a, strong_b), mean], 1)))))


def mixed(items, count, rng):
    """Pairs of sentences that nobody wrote together: attacks beside ordinary sentences, exchanged words, cut ends."""
    pairs = lambda those: [s for item in those for _ in range(4 if item["src"][0] == "t" else 1) for s in items.variant(item, rng)]
    bad = pairs([item for item in items.train if item["y"] == 1])
    fair = pairs([item for item in items.train if item["y"] == 0 and item["src"] != "docs"])
    docs = [s for item in items.train if item["src"] == "docs" for s in item["pairs"]]
    words = [t for pair in docs[:20000] + fair for t in pair[0] if t > 999]
    out = []
    for _ in range(count):
        first, second = rng.choice(rng.choice([bad, bad, fair, docs]))
        how = rng.random()
        if how < 0.35:
            other = rng.choice(rng.choice([bad, fair, docs, docs]))[0]
            first, second = (first, other) if rng.random() < 0.5 else (other, first)
        elif how < 0.5:
            other = rng.choice(rng.choice([bad, fair, docs]))[0]
            cut, at = rng.randint(1, max(1, len(first))), rng.randint(0, max(0, len(other) - 1))
            first = (first[:cut] + other[at:])[:48]
        if rng.random() < 0.5:
            rate = rng.choice([0.05, 0.15, 0.3])
            first = [rng.choice(words) if t > 5 and rng.random() < rate else t for t in first]
            second = [rng.choice(words) if t > 5 and rng.random() < rate else t for t in second]
        if rng.random() < 0.15:
            first = [t for t in first if rng.random() > 0.15] or first
        out.append((first, second))
    return out


def train_reader(start, pairs, said, hard, steps):
    torch.manual_seed(0)
    reader = Reader(start).to(DEVICE).train()
    first = batch_of([a for a, _ in pairs], TOKENS).to(DEVICE)
    second = batch_of([b for _, b in pairs], TOKENS).to(DEVICE)
    logits, kinds, hard = said[:, 0].to(DEVICE), said[:, 1:].to(DEVICE), hard.to(DEVICE)
    weight = torch.where(hard >= 0, 3.0, 1.0)
    target = torch.sigmoid(logits)
    target = torch.where(hard >= 0, 0.5 * target + 0.5 * hard.clamp(min=0), target)
    slow = [p for n, p in reader.named_parameters() if n.startswith("pieces")]
    fast = [p for n, p in reader.named_parameters() if not n.startswith("pieces")]
    optimizer = torch.optim.AdamW([{"params": slow, "weight_decay": 0}, {"params": fast, "weight_decay": 0.01}])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [1e-3, 2e-3], total_steps=steps, pct_start=0.05)
    for step in range(steps):
        at = torch.randint(0, len(pairs), (2048,), device=DEVICE)
        a = first[at]
        a = torch.where((torch.rand_like(a, dtype=torch.float) < 0.03) & (a > 5), torch.full_like(a, 100), a)
        out = reader(a, second[at])
        loss = (functional.binary_cross_entropy_with_logits(out[:, 0], target[at], reduction="none") * weight[at]).mean()
        loss = loss + 0.02 * functional.smooth_l1_loss(out[:, 0], logits[at].clamp(-8, 8))
        certain = target[at] > 0.5
        if certain.any():
            loss = loss + 0.2 * functional.kl_div(functional.log_softmax(out[certain, 1:], 1), kinds[at][certain].softmax(1), reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 1500 == 0:
            print(f"  reader step {step} loss {loss.item():.4f}", flush=True)
    return reader.eval()


@torch.no_grad()
def reader_scores(reader, pairs):
    out = []
    for start in range(0, len(pairs), 8192):
        part = pairs[start : start + 8192]
        out.append(reader(batch_of([a for a, _ in part], TOKENS).to(DEVICE), batch_of([b for _, b in part], TOKENS).to(DEVICE)).cpu())
    return torch.cat(out)


def report(name, items, scores_of):
    """How definitions that were not learnt from are told apart, at several shares of false alarms."""
    scored = {}
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


def export_reader(path, reader):
    values, scales = quantized(reader.pieces.weight.detach().cpu().numpy())
    get = lambda tensor: np.ascontiguousarray(tensor.detach().cpu().float().numpy())
    header = {"kind": "reader", "id": MODEL, "pieces": PIECES, "width": WIDTH, "filters": FILTERS, "inner": INNER, "kinds": KINDS}
    # By place, then by what comes in: one number that comes in is added to all filters at once.
    conv = lambda layer: [get(layer.weight.permute(2, 1, 0)), get(layer.bias)]
    head = [get(reader.inner.weight.T), get(reader.inner.bias), get(reader.out.weight.T), get(reader.out.bias)]
    write(path, header, [scales, values, *conv(reader.near), *conv(reader.far), *head])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("items")
    parser.add_argument("encoder")
    parser.add_argument("out")
    parser.add_argument("--teacher-steps", type=int, default=1500)
    parser.add_argument("--reader-steps", type=int, default=6000)
    parser.add_argument("--mixed", type=int, default=500_000)
    options = parser.parse_args()
    rng = random.Random(7)
    items = Items(options.items)
    print({k: len(v) for k, v in items.measured().items()}, "learnt from", len(items.train), flush=True)
    began = time.time()
    teacher = train_teacher(load_teacher(options.encoder, DEVICE), items, 0, options.teacher_steps, DEVICE)
    score = lambda pairs: teacher_scores(teacher, pairs, DEVICE)
    report(f"teacher, {time.time() - began:.0f} s", items, score)
    written = [(pair, item) for item in items.train for _ in range(8 if item["src"][0] == "t" else 1) for pair in items.variant(item, rng)]
    pairs = [pair for pair, _ in written] + mixed(items, options.mixed, rng)
    said = score(pairs)
    # Of a bad text nobody has said which of its sentences is the bad one: there the teacher decides alone.
    hard = torch.tensor([0.0 if item["y"] == 0 else -1.0 for _, item in written] + [-1.0] * (len(pairs) - len(written)))
    reader = train_reader(teacher.start(WIDTH), pairs, said, hard, options.reader_steps)
    report("reader", items, lambda flat: reader_scores(reader, flat))
    export_reader(f"{options.out}/reader.bin", reader)


main()
