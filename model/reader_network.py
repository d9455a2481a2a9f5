"""The network of the reader, and its file."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from export import quantized, write
from reader_data import KINDS

PIECES, TOKENS = 30522, 49
MODEL = "toolcrib-reader-4"


class Reader(nn.Module):
    """Two convolutions within a sentence, the strongest of each feature; two neighbouring sentences and the purpose of the tool; a small head."""

    def __init__(self, start, filters, inner):
        super().__init__()
        width = start.shape[1]
        self.pieces = nn.Embedding.from_pretrained(start, freeze=False, padding_idx=0)
        self.near = nn.Conv1d(width, filters, 3, padding=1)
        self.far = nn.Conv1d(filters, filters, 3, padding=2, dilation=2)
        self.inner = nn.Linear(2 * (filters * 2 + width), inner)
        self.out = nn.Linear(inner, 1 + len(KINDS))
        self.drop = nn.Dropout(0.2)

    def sentence(self, tokens):
        """The strongest of each feature, the sum of the pieces, and how many they are."""
        mask = (tokens != 0).unsqueeze(1)
        vectors = self.pieces(tokens).transpose(1, 2) * mask
        near = functional.relu(self.near(vectors)) * mask
        far = functional.relu(self.far(near)) * mask
        return torch.cat([near.amax(2), far.amax(2)], 1), vectors.sum(2), mask.sum(2).float()

    def forward(self, purpose, first, second):
        """`purpose` and `second` may be empty (all zero)."""
        (strong_p, sum_p, count_p), (strong_a, sum_a, count_a), (strong_b, sum_b, count_b) = map(self.sentence, (purpose, first, second))
        mean = (sum_a + sum_b) / (count_a + count_b).clamp(min=1)
        seen = [torch.maximum(strong_a, strong_b), mean, strong_p, sum_p / count_p.clamp(min=1)]
        return self.out(functional.relu(self.inner(self.drop(torch.cat(seen, 1)))))


def export_reader(path, reader):
    values, scales = quantized(reader.pieces.weight.detach().cpu().numpy())
    get = lambda tensor: np.ascontiguousarray(tensor.detach().cpu().float().numpy())
    sizes = {"width": values.shape[1], "filters": reader.near.out_channels, "inner": reader.inner.out_features}
    header = {"kind": "reader", "id": MODEL, "pieces": PIECES, **sizes, "kinds": KINDS}
    # By place, then by what comes in: one number that comes in is added to all filters at once.
    conv = lambda layer: [get(layer.weight.permute(2, 1, 0)), get(layer.bias)]
    head = [get(reader.inner.weight.T), get(reader.inner.bias), get(reader.out.weight.T), get(reader.out.bias)]
    write(path, header, [scales, values, *conv(reader.near), *conv(reader.far), *head])
