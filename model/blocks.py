"""Reads a file of `export.py` block by block."""

import json
import struct

import numpy as np
import torch


class Blocks:
    def __init__(self, path):
        data = open(path, "rb").read()
        assert data[:4] == b"TCM1"
        (size,) = struct.unpack("<I", data[4:8])
        self.header, self.data, self.at = json.loads(data[8 : 8 + size]), data, 8 + size

    def take(self, kind, *shape):
        count = int(np.prod(shape))
        block = np.frombuffer(self.data, kind, count, self.at).reshape(shape)
        self.at += block.nbytes + (-block.nbytes % 16)
        return block

    def rows(self, rows, width):
        scales = self.take(np.float32, rows)
        return torch.tensor(self.take(np.int8, rows, width) * scales[:, None])

    def floats(self, *shape):
        return torch.tensor(self.take(np.float32, *shape).copy())
