"""The teacher of the reader: the encoder with a head, fine-tuned on labelled passages and definitions."""

import random

import torch
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from blocks import Blocks
from reader_data import KINDS, OF_KIND, batch_of

LIMIT = 136


def encoder_weights(path):
    first, rest = Blocks(path + ".embeddings"), Blocks(path + ".layers")
    out = {"embeddings.word_embeddings.weight": first.rows(first.header["pieces"], 384)}
    positions = first.floats(256, 384)
    out["embeddings.position_embeddings.weight"] = torch.cat([positions, torch.zeros(256, 384)])
    out["embeddings.token_type_embeddings.weight"] = torch.zeros(2, 384)
    out["embeddings.LayerNorm.weight"], out["embeddings.LayerNorm.bias"] = first.floats(384), first.floats(384)
    for at in range(rest.header["layers"]):
        base = f"encoder.layer.{at}."
        for name, rows, width in [("attention.self.query", 384, 384), ("attention.self.key", 384, 384), ("attention.self.value", 384, 384), ("attention.output.dense", 384, 384), ("intermediate.dense", 1536, 384), ("output.dense", 384, 1536)]:
            out[base + name + ".weight"], out[base + name + ".bias"] = rest.rows(rows, width), rest.floats(rows)
        for name in ["attention.output.LayerNorm", "output.LayerNorm"]:
            out[base + name + ".weight"], out[base + name + ".bias"] = rest.floats(384), rest.floats(384)
    return out


class Teacher(nn.Module):
    def __init__(self, weights):
        super().__init__()
        config = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
        self.bert = BertModel(config, add_pooling_layer=False)
        missing, _ = self.bert.load_state_dict(weights, strict=False)
        assert not [name for name in missing if "position_ids" not in name], missing
        self.out = nn.Linear(384, 1 + len(KINDS))

    def forward(self, tokens):
        mask = (tokens != 0).long()
        states = self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).to(states.dtype)
        return self.out(((states * weight).sum(1) / weight.sum(1)).float())

    @torch.no_grad()
    def start(self, width):
        """The word pieces in their principal directions, as the reader's first vectors."""
        rows = self.bert.embeddings.word_embeddings.weight.float()
        rows = rows - rows.mean(0)
        _, _, v = torch.linalg.svd(rows, full_matrices=False)
        out = rows @ v[:width].T
        out = out / out.std()
        out[0] = 0
        return out * 0.3


def load_teacher(path, device):
    return Teacher(encoder_weights(path)).to(device)


def joined(window):
    purpose, first, second = window
    return [101, *purpose, 102, *first, *second, 102]


def train_teacher(teacher, items, seed, steps, device):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    pools = items.pools([24, 24, 20, 22, 20, 8, 12, 16])
    optimizer = torch.optim.AdamW([{"params": teacher.bert.parameters(), "lr": 6e-5}, {"params": teacher.out.parameters(), "lr": 1e-3}], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [6e-5, 1e-3], total_steps=steps, pct_start=0.08)
    teacher.train()
    for step in range(steps):
        chosen = [rng.choice(pool) for pool, count in pools for _ in range(count)]
        rows, owners = [], []
        for at, item in enumerate(chosen):
            windows = items.variant(item, rng)
            for window in windows[:32] if item["y"] == 1 or len(windows) <= 8 else rng.sample(windows, 8):
                row = joined(window)
                if rng.random() < 0.2:
                    row = [t for t in row if t > 12]
                rows.append(row)
                owners.append(at)
        tokens = batch_of(rows, LIMIT).to(device)
        with torch.autocast(device, dtype=torch.bfloat16):
            said = teacher(tokens).float()
        owners = torch.tensor(owners, device=device)
        y = torch.tensor([float(item["y"]) for item in chosen], device=device)
        best = torch.full((len(chosen),), -30.0, device=device).scatter_reduce(0, owners, said[:, 0], "amax")
        loss = functional.binary_cross_entropy_with_logits(best, y * 0.98 + 0.01)
        fair = y[owners] == 0
        loss = loss + 0.5 * functional.softplus(said[fair, 0]).mean()
        known = [(at, OF_KIND[item["kind"]]) for at, item in enumerate(chosen) if item["y"] == 1 and item["kind"] in OF_KIND]
        if known:
            index = {at: kind for at, kind in known}
            where = torch.tensor([n for n, at in enumerate(owners.tolist()) if at in index], device=device)
            labels = torch.tensor([index[at] for at in owners.tolist() if at in index], device=device)
            loss = loss + 0.2 * functional.cross_entropy(said[where, 1:], labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(teacher.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 300 == 0:
            print(f"  teacher step {step} loss {loss.item():.4f} windows {len(rows)}", flush=True)
    return teacher.eval()


@torch.no_grad()
def teacher_scores(teacher, windows, device, batch=2048):
    rows = [joined(window) for window in windows]
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    out = torch.zeros(len(rows), 1 + len(KINDS))
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        tokens = batch_of([rows[at] for at in chosen], LIMIT).to(device)
        with torch.autocast(device, dtype=torch.bfloat16):
            out[chosen] = teacher(tokens).float().cpu()
    return out
