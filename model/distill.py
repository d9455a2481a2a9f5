"""Distils the teacher into a table: one vector a word piece; a text is the normalised sum of its pieces."""

import random

import torch
import torch.nn.functional as F

from encoder import DOCUMENT_TOKENS, QUERY_TOKENS, embed_all, token_ids
from examples import crops, epoch

WIDTH = 256
TEXTS = 600_000
BATCH = 4096
STEPS = 2500
RATE = 3e-3
TEMPERATURE = 0.05


def bags(ids, device):
    """Ids without [CLS] and [SEP], one row a text, filled up with 0, which counts nothing."""
    inner = [row[1:-1] or [100] for row in ids]
    out = torch.zeros(len(inner), max(len(row) for row in inner), dtype=torch.int32)
    for at, row in enumerate(inner):
        out[at, : len(row)] = torch.tensor(row, dtype=torch.int32)
    return out.to(device)


def principal(vectors):
    """The directions in which the teacher's vectors vary most, largest first."""
    sample = vectors[:: max(1, len(vectors) // 100_000)].double()
    values, directions = torch.linalg.eigh(sample.T @ sample)
    return directions[:, values.argsort(descending=True)[:WIDTH]].float()


def corpus(model, tokenizer, data, seed=11):
    """Texts with the teacher's vectors, and labelled pairs as ids; shared by all students of this teacher."""
    rng = random.Random(seed)
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    lexicon = [piece for piece, _ in pieces if piece.isascii() and piece.isalpha() and len(piece) > 2]
    texts = crops(data, lexicon, TEXTS, rng)
    ids = token_ids(tokenizer, texts, DOCUMENT_TOKENS)
    vectors = embed_all(model, ids, "cuda", batch=4096)
    singles = embed_all(model, [[101, piece, 102] for piece in range(30_522)], "cuda", batch=4096)
    return {"bags": bags(ids, "cuda"), "vectors": vectors.cuda(), "pieces": singles}


def pairs_of(tokenizer, data, with_own, seed=13):
    found = epoch(data, with_own, random.Random(seed)) + epoch(data, with_own, random.Random(seed + 1))
    return (
        bags(token_ids(tokenizer, [query for query, _, _ in found], QUERY_TOKENS), "cuda"),
        bags(token_ids(tokenizer, [text for _, text, _ in found], DOCUMENT_TOKENS), "cuda"),
        [tool for _, _, tool in found],
    )


def thinned(bags_of_pieces, share):
    """Some pieces left out, so that no text is learned by heart."""
    if share == 0:
        return bags_of_pieces
    kept = torch.rand(bags_of_pieces.shape, device=bags_of_pieces.device) >= share
    return bags_of_pieces * kept


def distill(material, pairs, contrast=0.0, anchor=0.0, thin=0.0, steps=STEPS, rate=RATE, seed=17, log=print):
    """The table, float. The weights: of labelled pairs, and of staying near the start; `thin` is the share of pieces left out."""
    basis = principal(material["vectors"])
    torch.manual_seed(seed)
    table = torch.nn.EmbeddingBag(30_522, WIDTH, mode="sum", padding_idx=0).cuda()
    with torch.no_grad():
        table.weight.copy_(F.normalize(material["pieces"].cuda() @ basis, dim=-1) * 0.5)
        table.weight[0] = 0
    start = table.weight.detach().clone()
    optimizer = torch.optim.Adam(table.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min(1.0, (at + 1) / 100) * max(0.01, 1 - at / steps))
    queries, documents, owners = pairs
    number = {tool: at for at, tool in enumerate(dict.fromkeys(owners))}
    owner = torch.tensor([number[tool] for tool in owners], device="cuda")
    for step in range(steps):
        chosen = torch.randint(len(material["bags"]), (BATCH,), device="cuda")
        aim = material["vectors"][chosen]
        got = F.normalize(table(thinned(material["bags"][chosen], thin)), dim=-1)
        loss = (1 - (got * F.normalize(aim @ basis, dim=-1)).sum(-1)).mean()
        loss = loss + 20 * F.mse_loss(got @ got.T, aim @ aim.T)
        if contrast > 0:
            few = torch.randperm(len(queries), device="cuda")[:2048]
            q = F.normalize(table(thinned(queries[few], thin)), dim=-1)
            d = F.normalize(table(thinned(documents[few], thin)), dim=-1)
            mine = owner[few]
            same = (mine[:, None] == mine[None, :]) & ~torch.eye(len(few), dtype=torch.bool, device="cuda")
            scores = (q @ d.T / TEMPERATURE).masked_fill(same, -1e4)
            loss = loss + contrast * F.cross_entropy(scores, torch.arange(len(few), device="cuda"))
        if anchor > 0:
            loss = loss + anchor * ((table.weight - start) ** 2).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            log(f"distil: step {step + 1} loss {loss.item():.4f}")
    return table.weight.detach().cpu()


def table_vectors(table, ids):
    """Vectors of texts by the table; `ids` as token_ids gives them, or bags of them."""
    rows = ids if isinstance(ids, torch.Tensor) else bags(ids, "cpu")
    return F.normalize(F.embedding_bag(rows, table, mode="sum", padding_idx=0), dim=-1)
