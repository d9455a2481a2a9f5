"""The network of the reader, and its file."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from blocks import Blocks
from export import quantized, write
from reader_data import KINDS

PIECES, TOKENS, WHOLE, ORDER = 30522, 49, 48, 96
MODEL = "toolcrib-reader-6"


class Reader(nn.Module):
    """Two convolutions within a sentence, the strongest of each feature; two neighbouring sentences and the purpose of the tool; a small
    head. A second head sees what the first one saw in all pairs of sentences of a definition; a third one reads each sentence alone and looks
    for orders that no honest tool gives."""

    def __init__(self, start, filters, inner, gathered=WHOLE, order=ORDER):
        super().__init__()
        width = start.shape[1]
        self.pieces = nn.Embedding.from_pretrained(start, freeze=False, padding_idx=0)
        self.near = nn.Conv1d(width, filters, 3, padding=1)
        self.far = nn.Conv1d(filters, filters, 3, padding=2, dilation=2)
        self.inner = nn.Linear(2 * (filters * 2 + width), inner)
        self.out = nn.Linear(inner, 1 + len(KINDS))
        self.gather = nn.Linear(2 * inner + 1, gathered)
        self.whole = nn.Linear(gathered, 1)
        self.order_inner = nn.Linear(2 * (filters * 2 + width), order)
        self.order_out = nn.Linear(order, 1 + len(KINDS))
        self.drop = nn.Dropout(0.2)

    def sentence(self, tokens):
        """The strongest of each feature, the sum of the pieces, and how many they are."""
        mask = (tokens != 0).unsqueeze(1)
        vectors = self.pieces(tokens).transpose(1, 2) * mask
        near = functional.relu(self.near(vectors)) * mask
        far = functional.relu(self.far(near)) * mask
        return torch.cat([near.amax(2), far.amax(2)], 1), vectors.sum(2), mask.sum(2).float()

    def seen(self, purpose, first, second):
        """`purpose` and `second` may be empty (all zero)."""
        (strong_p, sum_p, count_p), (strong_a, sum_a, count_a), (strong_b, sum_b, count_b) = map(self.sentence, (purpose, first, second))
        mean = (sum_a + sum_b) / (count_a + count_b).clamp(min=1)
        both = [torch.maximum(strong_a, strong_b), mean, strong_p, sum_p / count_p.clamp(min=1)]
        return functional.relu(self.inner(self.drop(torch.cat(both, 1))))

    def orders(self, purpose, sentence):
        """Whether one sentence, alone, is an order that no honest tool of this purpose gives."""
        (strong_p, sum_p, count_p), (strong, total, count) = map(self.sentence, (purpose, sentence))
        both = [strong, total / count.clamp(min=1), strong_p, sum_p / count_p.clamp(min=1)]
        return self.order_out(functional.relu(self.order_inner(self.drop(torch.cat(both, 1)))))

    def forward(self, purpose, first, second):
        return self.out(self.seen(purpose, first, second))

    def definitions(self, seen, owners, count):
        """Of each of `count` definitions: the strongest and the mean of what was seen in its pairs, and the log of how many they are."""
        places = owners.unsqueeze(1).expand_as(seen)
        strongest = torch.zeros(count, seen.shape[1], device=seen.device).scatter_reduce(0, places, seen, "amax")
        sums = torch.zeros(count, seen.shape[1], device=seen.device).scatter_add(0, places, seen)
        pairs = torch.bincount(owners, minlength=count).clamp(min=1).unsqueeze(1).float()
        gathered = torch.cat([strongest, sums / pairs, pairs.log()], 1)
        return self.whole(functional.relu(self.gather(self.drop(gathered))))[:, 0]


def load_reader(path, inner):
    """A reader out of a file, to go on from: with room for more in its head, which learns to judge definitions if it could not."""
    file = Blocks(path)
    width, filters, old = (file.header[name] for name in ("width", "filters", "inner"))
    reader = Reader(file.rows(PIECES, width), filters, inner)
    conv = lambda out, into: file.floats(3, into, out).permute(2, 1, 0).contiguous()
    state = reader.state_dict()
    state["near.weight"], state["near.bias"] = conv(filters, width), file.floats(filters)
    state["far.weight"], state["far.bias"] = conv(filters, filters), file.floats(filters)
    state["inner.weight"][:old], state["inner.bias"][:old] = file.floats(state["inner.weight"].shape[1], old).T, file.floats(old)
    state["out.weight"][:, :old], state["out.weight"][:, old:] = file.floats(old, 1 + len(KINDS)).T, 0
    state["out.bias"] = file.floats(1 + len(KINDS))
    if old == inner and "gathered" in file.header:
        state["gather.weight"], state["gather.bias"] = file.floats(2 * inner + 1, WHOLE).T, file.floats(WHOLE)
        state["whole.weight"], state["whole.bias"] = file.floats(WHOLE, 1).T, file.floats(1)
    if "order" in file.header:
        order = file.header["order"]
        state["order_inner.weight"], state["order_inner.bias"] = file.floats(state["order_inner.weight"].shape[1], order).T, file.floats(order)
        state["order_out.weight"], state["order_out.bias"] = file.floats(order, 1 + len(KINDS)).T, file.floats(1 + len(KINDS))
    reader.load_state_dict(state)
    return reader


def export_reader(path, reader):
    values, scales = quantized(reader.pieces.weight.detach().cpu().numpy())
    get = lambda tensor: np.ascontiguousarray(tensor.detach().cpu().float().numpy())
    sizes = {"width": values.shape[1], "filters": reader.near.out_channels, "inner": reader.inner.out_features, "gathered": reader.gather.out_features, "order": reader.order_inner.out_features}
    header = {"kind": "reader", "id": MODEL, "pieces": PIECES, **sizes, "kinds": KINDS}
    # By place, then by what comes in: one number that comes in is added to all filters at once.
    conv = lambda layer: [get(layer.weight.permute(2, 1, 0)), get(layer.bias)]
    linear = lambda layer: [get(layer.weight.T), get(layer.bias)]
    heads = [block for layer in (reader.inner, reader.out, reader.gather, reader.whole, reader.order_inner, reader.order_out) for block in linear(layer)]
    write(path, header, [scales, values, *conv(reader.near), *conv(reader.far), *heads])
