"""Makes the reader of definitions: a small network that tells what a passage does to a model that reads it.

A teacher (the encoder of search, fine-tuned) learns from passages and whole definitions; the reader learns from the teacher on
many more passages than anybody wrote; `polish.py` then teaches it what was written since. Usage: python reader.py ITEMS ENCODER OUT
"""

import argparse
import random
import time

import torch
from torch.nn import functional

from reader_data import Items, batch_of
from reader_network import TOKENS, Reader, export_reader
from reader_report import report
from teacher import load_teacher, teacher_scores, train_teacher

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


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


def train_reader(reader, pairs, said, hard, steps):
    reader = reader.to(DEVICE).train()
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("items")
    parser.add_argument("encoder")
    parser.add_argument("out")
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--filters", type=int, default=160)
    parser.add_argument("--inner", type=int, default=64)
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
    torch.manual_seed(0)
    reader = Reader(teacher.start(options.width), options.filters, options.inner)
    reader = train_reader(reader, pairs, said, hard, options.reader_steps)
    report("reader", items, lambda flat: reader_scores(reader, flat))
    export_reader(f"{options.out}/reader.bin", reader)


main()
