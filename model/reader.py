"""Makes the reader of definitions: a small network that tells what a passage does to a model that reads it.

Teachers (the encoder of search, fine-tuned) learn from passages and whole definitions; the reader learns what they say together of many
more passages than anybody wrote, and in the end from the labels alone. With --all it learns from what is else only measured on: so the
reader of the package is made. Usage: python reader.py ITEMS ENCODER OUT [--all] [--apart AUTHORS] [--go-on-from READER --seed N]
"""

import argparse
import copy
import random
import time

import torch
from torch.nn import functional

from reader_data import OF_KIND, Items, batch_of
from reader_orders import learn_orders, lessons_of, report_orders, says_orders
from reader_network import TOKENS, Reader, export_reader, load_reader
from reader_report import report

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MOST_WINDOWS = 32
BEST, SOFT = 0.96, 0.02


def mixed(items, count, rng):
    """Windows that nobody wrote: attacks beside ordinary sentences and for other purposes, exchanged words, cut ends."""
    windows = lambda those: [s for item in those for _ in range(4 if item["src"][0] == "t" else 1) for s in items.variant(item, rng)]
    bad = windows([item for item in items.train if item["y"] == 1])
    fair = windows([item for item in items.train if item["y"] == 0 and item["src"] != "docs"])
    docs = [s for item in items.train if item["src"] == "docs" for s in item["windows"]]
    words = [t for window in docs[:20000] + fair for t in window[1] if t > 999]
    out = []
    for _ in range(count):
        purpose, first, second = rng.choice(rng.choice([bad, bad, fair, docs]))
        how = rng.random()
        if how < 0.35:
            other = rng.choice(rng.choice([bad, fair, docs, docs]))[1]
            first, second = (first, other) if rng.random() < 0.5 else (other, first)
        elif how < 0.5:
            other = rng.choice(rng.choice([bad, fair, docs]))[1]
            cut, at = rng.randint(1, max(1, len(first))), rng.randint(0, max(0, len(other) - 1))
            first = (first[:cut] + other[at:])[:48]
        if rng.random() < 0.25:
            purpose = rng.choice(items.purposes)
        if rng.random() < 0.5:
            rate = rng.choice([0.05, 0.15, 0.3])
            first = [rng.choice(words) if t > 12 and rng.random() < rate else t for t in first]
            second = [rng.choice(words) if t > 12 and rng.random() < rate else t for t in second]
        if rng.random() < 0.15:
            first = [t for t in first if rng.random() > 0.15] or first
        out.append((purpose, first, second))
    return out


def tensors_of(windows):
    return [batch_of([window[part] for window in windows], TOKENS).to(DEVICE) for part in range(3)]


def learn_from_teachers(reader, windows, said, hard, steps, rate):
    purpose, first, second = tensors_of(windows)
    logits, kinds, hard = said[:, 0].to(DEVICE), said[:, 1:].to(DEVICE), hard.to(DEVICE)
    weight = torch.where(hard >= 0, 3.0, 1.0)
    target = torch.sigmoid(logits)
    target = torch.where(hard >= 0, 0.5 * target + 0.5 * hard.clamp(min=0), target)
    slow = [p for n, p in reader.named_parameters() if n.startswith("pieces")]
    fast = [p for n, p in reader.named_parameters() if not n.startswith("pieces")]
    optimizer = torch.optim.AdamW([{"params": slow, "weight_decay": 0}, {"params": fast, "weight_decay": 0.01}])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [rate, 2 * rate], total_steps=steps, pct_start=0.05)
    for step in range(steps):
        at = torch.randint(0, len(windows), (2048,), device=DEVICE)
        a = first[at]
        a = torch.where((torch.rand_like(a, dtype=torch.float) < 0.03) & (a > 12), torch.full_like(a, 100), a)
        out = reader(purpose[at], a, second[at])
        loss = (functional.binary_cross_entropy_with_logits(out[:, 0], target[at], reduction="none") * weight[at]).mean()
        loss = loss + 0.02 * functional.smooth_l1_loss(out[:, 0], logits[at].clamp(-8, 8))
        certain = target[at] > 0.5
        loss = loss + 0.2 * functional.kl_div(functional.log_softmax(out[certain, 1:], 1), kinds[at][certain].softmax(1), reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 2000 == 0:
            print(f"  reader step {step} loss {loss.item():.4f}", flush=True)


def blurred(windows, words, rng):
    """With words exchanged in half of the windows."""
    other = lambda: 100 if rng.random() < 0.5 else rng.choice(words)
    blur = lambda s, rate: [other() if t > 12 and rng.random() < rate else t for t in s]
    for purpose, first, second in windows:
        rate = rng.choice([0, 0, 0.05, 0.1])
        yield (purpose, blur(first, rate), blur(second, rate)) if rate else (purpose, first, second)


def examples_of(items, pools, rng):
    """One step's items with their windows: alone, and passages also as a part of a document."""
    for pool, count in pools:
        for item in [rng.choice(pool) for _ in range(count)]:
            yield item, items.variant(item, rng)[:MOST_WINDOWS], item["src"][0] != "t"
    for pool, count in pools[:2]:
        for item in [rng.choice(pool) for _ in range(count)]:
            yield item, items.inserted(item, rng), True


def loss_by_labels(said, before, owners, chosen):
    """A bad item is bad where its most suspicious window is, a fair one nowhere; the other windows of a bad one stay what they were."""
    y = torch.tensor([float(item["y"]) for item in chosen], device=DEVICE)
    # No part of a split attack is bad alone.
    alone = torch.tensor(["split" not in item["kind"] or item["y"] == 0 for item in chosen], device=DEVICE)
    best = torch.full((len(chosen),), -30.0, device=DEVICE).scatter_reduce(0, owners, said[:, 0], "amax")
    loss = functional.binary_cross_entropy_with_logits(best[alone], (y * BEST + SOFT)[alone])
    fair = y[owners] == 0
    loss = loss + 0.5 * functional.softplus(said[fair, 0]).mean()
    loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(said[~fair, 0], torch.sigmoid(before[~fair]))
    kinds = [OF_KIND.get(chosen[owner]["kind"]) if chosen[owner]["y"] == 1 else None for owner in owners.tolist()]
    known = [at for at, kind in enumerate(kinds) if kind is not None]
    labels = torch.tensor([kinds[at] for at in known], device=DEVICE)
    return loss + 0.1 * functional.cross_entropy(said[known, 1:], labels)


def learn_from_labels(reader, start, items, lessons, steps, rate, shares, seed):
    rng = random.Random(seed)
    pools = items.pools(shares)
    words = [t for item in rng.sample(pools[4][0], 3000) for window in item["windows"] for t in window[1] if t > 999]
    optimizer = torch.optim.AdamW(reader.parameters(), weight_decay=0.001)
    mean = {name: value.clone() for name, value in reader.state_dict().items()}
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min(1, step / 30) * (1 - step / steps) ** 0.7
        examples = list(examples_of(items, pools, rng))
        chosen = [item for item, _, _ in examples]
        owned = [(window, at) for at, (_, windows, _) in enumerate(examples) for window in blurred(windows, words, rng)]
        parts, owners = tensors_of([window for window, _ in owned]), torch.tensor([at for _, at in owned], device=DEVICE)
        with torch.no_grad():
            before = start(*parts)[:, 0]
        seen = reader.seen(*parts)
        loss = loss_by_labels(reader.out(seen), before, owners, chosen)
        is_whole = torch.tensor([is_definition for _, _, is_definition in examples], device=DEVICE)
        y = torch.tensor([item["y"] * BEST + SOFT for item in chosen], device=DEVICE)
        whole = reader.definitions(seen, owners, len(chosen))
        loss = loss + functional.binary_cross_entropy_with_logits(whole[is_whole], y[is_whole])
        if lessons:
            loss = loss + lessons.loss(reader, 2048)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        # What counts in the end is the mean over the last steps.
        keep = min(0.995, (step + 1) / (step + 11))
        for name, value in reader.state_dict().items():
            mean[name].mul_(keep).add_(value.detach(), alpha=1 - keep)
        if step % 250 == 0:
            print(f"  labels step {step} loss {loss.item():.3f} windows {len(owned)}", flush=True)
    reader.load_state_dict(mean)


@torch.no_grad()
def whole_scores(reader, items):
    """One score a definition, as if it were that of its first window."""
    reader.eval()
    out = []
    for item in items:
        windows = item["windows"]
        owners = torch.zeros(len(windows), dtype=torch.long, device=DEVICE)
        out.append(reader.definitions(reader.seen(*tensors_of(windows)), owners, 1).cpu())
        out.append(torch.full((len(windows) - 1,), -30.0))
    reader.train()
    return torch.cat(out).unsqueeze(1) if out else torch.zeros(0, 1)


@torch.no_grad()
def reader_scores(reader, windows):
    reader.eval()
    out = [reader(*tensors_of(windows[at : at + 8192])).cpu() for at in range(0, len(windows), 8192)]
    reader.train()
    return torch.cat(out) if out else torch.zeros(0)


def taught(options, items, sizes):
    """Readers of several sizes that have learnt from teachers."""
    from teacher import load_teacher, teacher_scores, train_teacher

    rng = random.Random(7)
    written = [(window, item) for item in items.train for _ in range(8 if item["src"][0] == "t" else 1) for window in items.variant(item, rng)]
    windows = [window for window, _ in written] + mixed(items, options.mixed, rng)
    measured = [window for those in items.measured().values() for item in those for window in item["windows"]]
    said, judged = [], []
    for seed in range(options.teachers):
        teacher = train_teacher(load_teacher(options.encoder, DEVICE), items, seed, options.teacher_steps, DEVICE)
        said.append(teacher_scores(teacher, windows, DEVICE))
        judged.append(teacher_scores(teacher, measured, DEVICE))
        report(f"teacher {seed}", items, judged[-1])
    report("teachers", items, sum(judged) / len(judged))
    # Of a bad text nobody has said which of its sentences is the bad one: there the teachers decide alone.
    hard = torch.tensor([0.0 if item["y"] == 0 else -1.0 for _, item in written] + [-1.0] * (len(windows) - len(written)))
    for width, filters, inner in sizes:
        torch.manual_seed(0)
        first = load_reader(options.go_on_from, inner) if options.go_on_from else Reader(teacher.start(width), filters, inner)
        reader = first.to(DEVICE).train()
        learn_from_teachers(reader, windows, sum(said) / len(said), hard, options.reader_steps, 6e-4 if options.go_on_from else 1e-3)
        yield reader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("items")
    parser.add_argument("encoder")
    parser.add_argument("out")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--apart", default="")
    parser.add_argument("--sizes", default="112,208,144")
    parser.add_argument("--go-on-from")
    parser.add_argument("--teachers", type=int, default=3)
    parser.add_argument("--teacher-steps", type=int, default=1800)
    parser.add_argument("--reader-steps", type=int, default=9000)
    parser.add_argument("--label-steps", type=int, default=1500)
    parser.add_argument("--label-rate", type=float, default=8e-4)
    parser.add_argument("--shares", default="40,40,60,60,90,12,30,45")
    parser.add_argument("--mixed", type=int, default=600_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--order-teachers", type=int, default=0)
    parser.add_argument("--order-teacher-steps", type=int, default=1500)
    parser.add_argument("--order-steps", type=int, default=4000)
    parser.add_argument("--orders", type=int, default=400_000)
    options = parser.parse_args()
    items = Items(options.items, options.all, options.apart.split(","))
    print({k: len(v) for k, v in items.measured().items()}, "learnt from", len(items.train), flush=True)
    began = time.time()
    told = lambda what: f"{what}, {time.time() - began:.0f} s"
    sizes = [tuple(map(int, one.split(","))) for one in options.sizes.split(";")]
    found = [item for those in items.measured().values() for item in those]
    measured = [window for item in found for window in item["windows"]]
    torch.manual_seed(0)
    untaught = (load_reader(options.go_on_from, inner).to(DEVICE).train() for _, _, inner in sizes)
    for reader in taught(options, items, sizes) if options.teachers else untaught:
        report(told("reader"), items, reader_scores(reader, measured))
        start = copy.deepcopy(reader).eval()
        torch.manual_seed(options.seed)
        lessons = None
        if options.order_teachers:
            lessons = lessons_of(items, options.encoder, options.order_teachers, options.order_teacher_steps, options.orders, DEVICE)
            rng = random.Random(3)
            windows = [window for item in rng.sample(items.train, 30_000) for window in items.variant(item, rng)[:8]]
            learn_orders(reader, start, lessons, tensors_of(windows), options.order_steps, 5e-4)
            report_orders(told("orders"), items, lambda rows: says_orders(reader, rows, DEVICE))
        learn_from_labels(reader, start, items, lessons, options.label_steps, options.label_rate, list(map(int, options.shares.split(","))), options.seed)
        report(told("reader after labels"), items, reader_scores(reader, measured))
        report(told("whole definitions"), items, whole_scores(reader, found))
        report_orders(told("orders after labels"), items, lambda rows: says_orders(reader, rows, DEVICE))
        export_reader(f"{options.out}/reader-{reader.near.out_channels}.bin", reader)


main()
