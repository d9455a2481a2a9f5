"""Fine-tunes the teacher for tool search and averages it with where it started from."""

import random
import time

import torch
import torch.nn.functional as F

from encoder import DOCUMENT_TOKENS, QUERY_TOKENS, batch_of, embed, embed_all, token_ids
from examples import epoch
from texts import document

BATCH = 768
EPOCHS = 4
RATE = 1e-4
TEMPERATURE = 0.05
SAME = 0.88  # documents nearer than this count as the same tool and are no negatives
NEAR = 30  # hard negatives are drawn from so many nearest documents


def hard_negatives(vectors, servers):
    """For each tool, candidates that are near and not the same."""
    vectors = vectors.cuda()
    out = []
    for start in range(0, len(vectors), 2048):
        near = vectors[start : start + 2048] @ vectors.T
        near[near > SAME] = -1
        out.append(near.topk(NEAR, dim=1).indices.cpu())
    by_server = {}
    for at, server in enumerate(servers):
        by_server.setdefault(server, []).append(at)
    return torch.cat(out).tolist(), by_server


def loss_of(queries, documents, negatives, same):
    """InfoNCE over the batch's documents and negatives, and the reverse over its queries."""
    size = len(queries)
    scores = queries @ torch.cat([documents, negatives]).T / TEMPERATURE
    scores = scores.masked_fill(same, -1e4)
    target = torch.arange(size, device=scores.device)
    reverse = scores[:, :size].T
    return F.cross_entropy(scores, target) + 0.5 * F.cross_entropy(reverse, target)


def fine_tune(model, tokenizer, data, with_own, seed=7, log=print):
    """Trains the model in place."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    tools = data["tools"]
    place = {tool["id"]: at for at, tool in enumerate(tools)}
    texts = [document(tool) for tool in tools]
    ids = token_ids(tokenizer, texts, DOCUMENT_TOKENS)
    stock = embed_all(model, ids, "cuda").cuda()
    near, by_server = hard_negatives(stock, [tool.get("server") for tool in tools])
    epochs = [epoch(data, with_own, rng) for _ in range(EPOCHS)]
    steps = sum(len(one) // BATCH for one in epochs)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min(1.0, (at + 1) / 40) * max(0.02, 1 - at / steps))
    model.train()
    step, started = 0, time.time()
    for examples in epochs:
        for start in range(0, len(examples) - BATCH + 1, BATCH):
            batch = examples[start : start + BATCH]
            own = [place[tool] for _, _, tool in batch]
            other = [negative_of(at, near, by_server, tools, rng) for at in own]
            q = batch_of(token_ids(tokenizer, [query for query, _, _ in batch], QUERY_TOKENS), "cuda")
            d = batch_of(token_ids(tokenizer, [text for _, text, _ in batch], DOCUMENT_TOKENS), "cuda")
            n = batch_of([ids[at] for at in other], "cuda")
            with torch.autocast("cuda", dtype=torch.bfloat16):
                vectors = [embed(model, *one) for one in (q, d, n)]
            columns = torch.tensor(own + other, device="cuda")
            same = stock[columns[:BATCH]] @ stock[columns].T > SAME
            same |= columns[:BATCH, None] == columns[None, :]
            same[torch.arange(BATCH), torch.arange(BATCH)] = False
            loss = loss_of(*vectors, same)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 50 == 0:
                log(f"step {step}/{steps} loss {loss.item():.3f} {time.time() - started:.0f} s")


def negative_of(at, near, by_server, tools, rng):
    """A tool of the same server one time in three, else a near one."""
    siblings = by_server[tools[at].get("server")]
    if len(siblings) > 1 and tools[at].get("server") and rng.random() < 0.33:
        return rng.choice(siblings)
    return rng.choice(near[at])


def average(tuned, stock, share=0.5):
    """The weights between the two: keeps what was learned and most of what was known before."""
    return {name: share * value + (1 - share) * stock[name].to(value.device) for name, value in tuned.items()}
