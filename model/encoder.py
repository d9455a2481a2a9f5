"""The teacher: a BERT of six layers whose token vectors are averaged, loaded from plain safetensors."""

import json

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DOCUMENT_TOKENS = 160
QUERY_TOKENS = 96


def load_encoder(folder, device):
    with open(f"{folder}/config.json") as file:
        config = json.load(file)
    config = {name: value for name, value in config.items() if not name.startswith("_")}
    model = BertModel(BertConfig(**config), add_pooling_layer=False)
    weights = {name: value.float() for name, value in load_file(f"{folder}/model.fp16.safetensors").items()}
    weights = {name.removeprefix("bert."): value for name, value in weights.items()}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    missing = [name for name in missing if "position_ids" not in name]
    assert not missing, missing
    print("unused weights:", unexpected)
    return model.to(device)


def load_tokenizer(folder):
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def token_ids(tokenizer, texts, limit):
    """Ids with [CLS] and [SEP] around, cut at the limit."""
    out = []
    for encoded in tokenizer.encode_batch(texts, add_special_tokens=False):
        out.append([101, *encoded.ids[: limit - 2], 102])
    return out


def batch_of(ids, device):
    width = max(len(row) for row in ids)
    tokens = torch.zeros(len(ids), width, dtype=torch.long)
    for at, row in enumerate(ids):
        tokens[at, : len(row)] = torch.tensor(row)
    tokens = tokens.to(device, non_blocking=True)
    return tokens, (tokens != 0).long()


def embed(model, tokens, mask):
    states = model(input_ids=tokens, attention_mask=mask).last_hidden_state
    weights = mask.unsqueeze(-1).to(states.dtype)
    return torch.nn.functional.normalize(((states * weights).sum(1) / weights.sum(1)).float(), dim=-1)


@torch.no_grad()
def embed_all(model, ids, device, batch=1024):
    """Vectors of many texts, sorted by length so that little is padded."""
    model.eval()
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    out = torch.zeros(len(ids), 384)
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        tokens, mask = batch_of([ids[at] for at in chosen], device)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=device == "cuda"):
            out[chosen] = embed(model, tokens, mask).cpu()
    return out
