"""The third head of the reader: orders that no honest tool gives, each sentence read alone and for the purpose of its tool."""

import random

import torch
from torch import nn
from torch.nn import functional

from reader_data import ADDED, LATE, MANUAL, OF_KIND, batch_of
from reader_network import TOKENS
from teacher import LIMIT, load_teacher

# What decides how a sentence is told: the kinds of passages that one sentence cannot show are left out.
SPLIT = ("split", "trigger")
# a, the, of, to, in, is, are, it, this, that, and, be, for, with, as, on, by, at
SMALL = {1037, 1996, 1997, 2000, 1999, 2003, 2024, 2009, 2023, 2008, 1998, 2022, 2005, 2007, 2004, 2006, 2011, 2012}
MARKS = [0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5, MANUAL, MANUAL]


class Sentences:
    """Draws sentences with their label: those of passages for any purpose and in any sort of text, all others where they stand."""

    def __init__(self, items):
        late = lambda item: 3 if item["src"][1:] in LATE else 1
        often = lambda those: [item for item in those for _ in range(late(item))]
        passage = lambda item: item["src"][0] == "t" and not item["kind"].startswith(SPLIT)
        self.items = items
        self.bad = often([item for item in items.train if item["y"] == 1 and passage(item)])
        self.near = often([item for item in items.train if item["y"] == 0 and passage(item)])
        self.changed = [item for item in items.train if item["y"] == 1 and item["src"][0] == "c"]
        self.kept = [item for item in items.train if item["y"] == 0 and item["src"][0] == "c" and item["src"] != "creal"]
        self.fair = often([item for item in items.train if item["y"] == 0 and item["src"][0] in "wfs"])
        self.docs = [item for item in items.train if item["src"] == "docs"]
        self.real = [item for item in items.train if item["src"] in ("real", "real-learnt", "creal")]
        # What a parameter's text begins with: its name and a colon.
        starts = (text["s"][0] for item in self.docs[:40000] for text in item["t"] if text["m"] == 2 and text["s"])
        self.owners = [start[: start.index(1024) + 1] for start in starts if 1024 in start[:6]]

    def marked(self, sentences, rng):
        """In one sort of text; that of a parameter begins with its name."""
        mark = rng.choice(MARKS)
        if mark in (2, 4) and self.owners:
            sentences = [[*rng.choice(self.owners), *sentences[0]], *sentences[1:]]
        mark += ADDED if mark and rng.random() < 0.25 else 0
        return [[mark, *sentence] if mark else sentence for sentence in sentences]

    def of(self, item, rng):
        """The sentences of one item, each with a purpose."""
        if item["src"][0] != "t":
            those = [(item["c"], [text["m"], *sentence]) for text in item["t"] for sentence in text["s"]]
            chosen = rng.sample(those, min(len(those), 8))
            return [([] if rng.random() < 0.1 else purpose, sentence) for purpose, sentence in chosen]
        own = item["c"]
        if own:
            # A bad one is bad for any purpose; an honest one may be honest for its own alone.
            purpose = own if item["y"] == 0 or rng.random() < 0.6 else rng.choice(self.items.purposes)
        else:
            purpose = rng.choice(self.items.purposes) if rng.random() < (0.7 if item["y"] == 1 else 0.4) else []
        return [(purpose, sentence) for sentence in self.marked(item["t"][0]["s"], rng)]

    def pools(self, counts):
        return list(zip([self.bad, self.changed, self.near, self.kept, self.fair, self.docs, self.real], counts))

    def draw(self, counts, rng):
        """Items with their sentences."""
        return [(item, self.of(item, rng)) for pool, count in self.pools(counts) if pool for item in rng.choices(pool, k=count)]


def scrambled(sentence, rng):
    """As a sentence of another language reads word by word in English: words change places with near ones, small words are missing."""
    head, rest = sentence[:1], sentence[1:]
    kept = [token for token in rest if token not in SMALL or rng.random() < 0.5]
    places = sorted(range(len(kept)), key=lambda at: at + rng.random() * rng.choice([2, 4, 7]))
    return head + [kept[at] for at in places]


def row_of(purpose, sentence):
    return [101, *purpose, 102, *sentence, 102]


def said_of(teacher, rows, device):
    tokens = batch_of([row_of(*row) for row in rows], LIMIT).to(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        return teacher(tokens).float()


def loss_of(said, owners, chosen, device):
    """A bad item is bad in its worst sentence, a fair one in none."""
    y = torch.tensor([float(item["y"]) for item in chosen], device=device)
    best = torch.full((len(chosen),), -30.0, device=device).scatter_reduce(0, owners, said[:, 0], "amax")
    loss = functional.binary_cross_entropy_with_logits(best, y * 0.98 + 0.005)
    fair = y[owners] == 0
    loss = loss + 0.5 * functional.softplus(said[fair, 0]).mean()
    kinds = [OF_KIND.get(chosen[owner]["kind"], -1) if chosen[owner]["y"] == 1 else -1 for owner in owners.tolist()]
    labels = torch.tensor(kinds, device=device)
    known = labels >= 0
    return loss + 0.2 * functional.cross_entropy(said[known, 1:], labels[known])


def train_order_teacher(path, sentences, seed, steps, device):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    teacher = load_teacher(path, device).train()
    optimizer = torch.optim.AdamW([{"params": teacher.bert.parameters()}, {"params": teacher.out.parameters()}], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [8e-5, 1e-3], total_steps=steps, pct_start=0.08)
    for step in range(steps):
        drawn = sentences.draw([112, 16, 76, 16, 24, 32, 10], rng)
        rows = [row for _, those in drawn for row in those]
        owners = torch.tensor([at for at, (_, those) in enumerate(drawn) for _ in those], device=device)
        if rng.random() < 0.3:
            rows = [(purpose, [t for t in sentence if t > 12]) for purpose, sentence in rows]
        rows = [(purpose, scrambled(sentence, rng)) if rng.random() < 0.2 else (purpose, sentence) for purpose, sentence in rows]
        loss = loss_of(said_of(teacher, rows, device), owners, [item for item, _ in drawn], device)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(teacher.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 300 == 0:
            print(f"  teacher of orders step {step} loss {loss.item():.4f} rows {len(rows)}", flush=True)
    return teacher.eval()


@torch.no_grad()
def teacher_says(teacher, rows, device, batch=4096):
    order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]) + len(rows[at][1]))
    out = torch.zeros(len(rows), teacher.out.out_features)
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        out[chosen] = said_of(teacher, [rows[at] for at in chosen], device).cpu()
    return out


def varied(sentences, count, rng):
    """Sentences with the label that is certain (1, 0, or -1: the teachers decide), among them many that nobody wrote."""
    rows, hard = [], []
    while len(rows) < count:
        for item, those in sentences.draw([80, 16, 60, 16, 28, 44, 12], rng):
            certain = 0.0 if item["y"] == 0 else 1.0 if len(those) == 1 else -1.0
            for purpose, sentence in those:
                rows.append((purpose, scrambled(sentence, rng) if rng.random() < 0.25 else sentence))
                hard.append(certain)
    words = [t for _, sentence in rows[:20000] for t in sentence if t > 999]
    pool = list(rows)
    for _ in range(count):
        purpose, sentence = rng.choice(pool)
        how = rng.random()
        if how < 0.4:
            other = rng.choice(pool)[1]
            cut, at = rng.randint(1, len(sentence)), rng.randint(0, max(0, len(other) - 1))
            sentence = (sentence[:cut] + other[at:])[:TOKENS - 1]
        if how > 0.3:
            rate = rng.choice([0.1, 0.2, 0.35])
            sentence = [rng.choice(words) if t > 12 and rng.random() < rate else t for t in sentence]
        if rng.random() < 0.3:
            purpose = rng.choice(sentences.items.purposes)
        rows.append((purpose, sentence))
        hard.append(-1.0)
    return rows, torch.tensor(hard)


class Lessons:
    """What the teachers say of very many sentences, to be learnt a batch at a time."""

    def __init__(self, rows, hard, said, device):
        self.purpose = batch_of([row[0] for row in rows], TOKENS).to(device)
        self.sentence = batch_of([row[1] for row in rows], TOKENS).to(device)
        self.hard, self.logits, self.kinds = hard.to(device), said[:, 0].to(device).clamp(-9, 9), said[:, 1:].to(device)
        target = torch.sigmoid(self.logits)
        self.target = torch.where(self.hard >= 0, 0.4 * target + 0.6 * self.hard.clamp(min=0), target)
        self.weight = torch.where(self.hard >= 0, 3.0, 1.0)

    def loss(self, reader, size):
        at = torch.randint(0, len(self.target), (size,), device=self.target.device)
        sentence = self.sentence[at]
        blurred = (torch.rand_like(sentence, dtype=torch.float) < 0.03) & (sentence > 12)
        out = reader.orders(self.purpose[at], torch.where(blurred, torch.full_like(sentence, 100), sentence))
        target = self.target[at]
        loss = (functional.binary_cross_entropy_with_logits(out[:, 0], target, reduction="none") * self.weight[at]).mean()
        loss = loss + 0.03 * functional.smooth_l1_loss(out[:, 0], self.logits[at])
        certain = target > 0.5
        return loss + 0.2 * functional.kl_div(functional.log_softmax(out[certain, 1:], 1), self.kinds[at][certain].softmax(1), reduction="batchmean")


def lessons_of(items, path, teachers, steps, count, device):
    rng = random.Random(5)
    sentences = Sentences(items)
    print(f"orders: {len(sentences.bad)} bad, {len(sentences.near)} near, {len(sentences.fair)} fair, {len(sentences.docs)} documents", flush=True)
    rows, hard = varied(sentences, count, rng)
    said = []
    for seed in range(teachers):
        teacher = train_order_teacher(path, sentences, seed, steps, device)
        said.append(teacher_says(teacher, rows, device))
        report_orders(f"teacher of orders {seed}", items, lambda those: teacher_says(teacher, those, device)[:, 0])
    return Lessons(rows, hard, sum(said) / len(said), device)


def learn_orders(reader, before, lessons, windows, steps, rate):
    """Learns to see orders, and to say of pairs of sentences what it said before."""
    slow = [p for n, p in reader.named_parameters() if not n.startswith("order")]
    fast = [p for n, p in reader.named_parameters() if n.startswith("order")]
    optimizer = torch.optim.AdamW([{"params": slow}, {"params": fast}], weight_decay=0.005)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [rate, 3 * rate], total_steps=steps, pct_start=0.05)
    for step in range(steps):
        at = torch.randint(0, len(windows[0]), (1024,), device=windows[0].device)
        parts = [part[at] for part in windows]
        with torch.no_grad():
            old = before(*parts)
        kept = functional.smooth_l1_loss(reader(*parts), old)
        loss = lessons.loss(reader, 3072) + 0.3 * kept
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 1000 == 0:
            print(f"  orders step {step} loss {loss.item():.4f} kept {kept.item():.4f}", flush=True)


@torch.no_grad()
def says_orders(reader, rows, device):
    reader.eval()
    out = []
    for at in range(0, len(rows), 8192):
        part = rows[at : at + 8192]
        out.append(reader.orders(*(batch_of([row[n] for row in part], TOKENS).to(device) for n in range(2)))[:, 0].cpu())
    reader.train()
    return torch.cat(out) if out else torch.zeros(0)


def report_orders(name, items, score):
    """How many passages and definitions kept apart are found at limits that few kept-apart documents reach."""
    best = lambda those: [max(found) for found in scored(those, score)]
    fair = sorted(best([item for item in items.kept if item["y"] == 0]), reverse=True)
    bad = [item for item in items.kept if item["y"] == 1]
    if not fair or not bad:
        return
    found = list(zip(best(bad), bad))
    for share in [0.0005, 0.001, 0.003, 0.01]:
        limit = fair[int(len(fair) * share)]
        groups = {}
        for value, item in found:
            groups.setdefault(f"{item['src']}/{item['kind']}", []).append(value > limit)
        told = " ".join(f"{key} {sum(v) / len(v):.2f}" for key, v in sorted(groups.items()))
        print(f"{name}: false {share} limit {limit:.2f} found {sum(v > limit for v, _ in found) / len(found):.3f} of {len(found)}: {told}", flush=True)


def scored(those, score):
    rows = [[(item["c"], [text["m"], *sentence] if text["m"] else sentence) for text in item["t"] for sentence in text["s"]] or [([], [100])] for item in those]
    flat = score([row for part in rows for row in part]).tolist()
    ends, at = [], 0
    for part in rows:
        ends.append(flat[at : at + len(part)])
        at += len(part)
    return ends
