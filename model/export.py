"""Writes the files that the gateway reads: int8 rows, each with its scale. The layouts are described in README.md."""

import json
import struct

import numpy as np


def quantized(rows):
    """Symmetric int8 by row: `row ≈ scale × integers`."""
    rows = np.asarray(rows, dtype=np.float32)
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127
    return np.clip(np.rint(rows / scales[:, None]), -127, 127).astype(np.int8), scales.astype(np.float32)


def write(path, header, blocks):
    """Magic, length of the header, header as JSON padded to 16 bytes, then the blocks, each padded to 16 bytes."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 16)
    with open(path, "wb") as file:
        file.write(b"TCM1" + struct.pack("<I", len(text)) + text)
        for block in blocks:
            data = np.ascontiguousarray(block).tobytes()
            file.write(data + b"\0" * (-len(data) % 16))


def export_table(path, table, model_id):
    values, scales = quantized(table)
    header = {"kind": "table", "id": model_id, "pieces": values.shape[0], "width": values.shape[1]}
    write(path, header, [scales, values])


def export_encoder(path, weights, model_id, layers=6):
    """Two files, because the embeddings and the layers are each half of it: `PATH.embeddings` and `PATH.layers`."""
    get = lambda name: weights[name].detach().cpu().float().numpy()
    pieces, piece_scales = quantized(get("embeddings.word_embeddings.weight"))
    positions = get("embeddings.position_embeddings.weight") + get("embeddings.token_type_embeddings.weight")[0]
    header = {"kind": "encoder-embeddings", "id": model_id, "pieces": pieces.shape[0], "width": pieces.shape[1], "positions": 256}
    norm = [get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias")]
    write(path + ".embeddings", header, [piece_scales, pieces, positions[:256].astype(np.float32), *norm])
    blocks = []
    for at in range(layers):
        base = f"encoder.layer.{at}."
        for name in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"]:
            values, scales = quantized(get(base + name + ".weight"))
            blocks += [scales, values, get(base + name + ".bias")]
        for name in ["attention.output.LayerNorm", "output.LayerNorm"]:
            blocks += [get(base + name + ".weight"), get(base + name + ".bias")]
    write(path + ".layers", {"kind": "encoder-layers", "id": model_id, "layers": layers, "width": 384, "inner": 1536, "heads": 12}, blocks)
