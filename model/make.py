"""Makes everything in one go on a machine with a GPU: `python make.py STOCK PREPARED LEXICAL OUT`.

STOCK holds config.json, tokenizer.json and model.fp16.safetensors; PREPARED is what prepare.py wrote; LEXICAL the lexical
scores of bfcl (see evaluate.py), on which alone the student is chosen. OUT gets the files to ship and, for evaluate.py, the
vectors of every test text from every stage.
"""

import copy
import json
import os
import sys
import time

import numpy as np

import distill
from encoder import DOCUMENT_TOKENS, QUERY_TOKENS, embed_all, load_encoder, load_tokenizer, token_ids
from evaluate import SETS, fused, load_sets, mean_ndcg
from export import export_encoder, export_table
from train import average, fine_tune

STUDENTS = [
    {"steps": 1200, "thin": 0.15, "contrast": 0.03},
    {"steps": 1200, "thin": 0.15, "contrast": 0.03, "anchor": 0.1, "seed": 18},
    {"steps": 1200, "thin": 0.3, "contrast": 0.03, "seed": 19},
    {"steps": 1200, "thin": 0.15, "seed": 20},
    {"steps": 1200, "thin": 0.3, "contrast": 0.1, "anchor": 0.05, "seed": 21},
    {"steps": 2000, "thin": 0.3, "contrast": 0.03, "anchor": 0.02, "seed": 22},
]
WEIGHTS = [0.4, 0.5]


def log(*what):
    print(f"[{time.time() - started:6.1f}]", *what, flush=True)


def test_ids(tokenizer, prepared):
    """Every text of the test sets in a fixed order: documents, then each query followed by its parts."""
    out = []
    for test in SETS:
        with open(f"{prepared}/{test}.json") as file:
            found = json.load(file)
        out += token_ids(tokenizer, [tool["text"] for tool in found["tools"]], DOCUMENT_TOKENS)
        queries = [text for query in found["queries"] for text in [query["query"], *query["parts"]]]
        out += token_ids(tokenizer, queries, QUERY_TOKENS)
    return out


def small(vectors):
    return np.rint(vectors.numpy() * 400).clip(-127, 127).astype(np.int8)


class Judge:
    """Quality of a student on bfcl, fused."""

    def __init__(self, prepared, lexical):
        self.bfcl = load_sets(prepared)["bfcl"]
        self.lexical = self.bfcl.lexical(lexical)

    def __call__(self, vectors):
        cosines = self.bfcl.cosines(vectors, True)
        return max(mean_ndcg(self.bfcl, fused(self.lexical, cosines, weight)) for weight in WEIGHTS)


def teach(stock, start, tokenizer, data, with_own, tests, vectors):
    """The fine-tuned teacher, averaged with its start; its vectors are noted on the way."""
    label = "" if with_own else " without own queries"
    model = copy.deepcopy(stock)
    fine_tune(model, tokenizer, data, with_own, log=log)
    vectors["tuned" + label] = small(embed_all(model, tests, "cuda"))
    model.load_state_dict(average(model.state_dict(), start))
    vectors["averaged" + label] = small(embed_all(model, tests, "cuda"))
    log("averaged" + label)
    return model


def blended(tables, judge, tests):
    """The mean of the students that do well together on bfcl: they share their start, so that their mean is a student too."""
    quality = lambda chosen: judge(small(distill.table_vectors(sum(chosen) / len(chosen), tests)))
    ordered = sorted(tables, key=lambda table: -quality([table]))
    chosen = ordered[:1]
    for table in ordered[1:]:
        if quality([*chosen, table]) > quality(chosen):
            chosen.append(table)
    log(f"blend of {len(chosen)}: bfcl {quality(chosen):.4f}; of all: {quality(tables):.4f}")
    return sum(chosen) / len(chosen)


def main(stock_folder, prepared, lexical, out):
    os.makedirs(out, exist_ok=True)
    tokenizer = load_tokenizer(stock_folder)
    with open(f"{prepared}/train.json") as file:
        data = json.load(file)
    tests, judge = test_ids(tokenizer, prepared), Judge(prepared, lexical)
    bagged = distill.bags(tests, "cpu")
    stock = load_encoder(stock_folder, "cuda")
    start = {name: value.detach().clone() for name, value in stock.state_dict().items()}
    vectors = {"stock": small(embed_all(stock, tests, "cuda"))}
    model = teach(stock, start, tokenizer, data, True, tests, vectors)
    np.savez(f"{out}/vectors-1.npz", **{name: vectors[name] for name in ["stock", "tuned", "averaged"]})
    export_encoder(f"{out}/encoder", model.state_dict(), "toolcrib-encoder-1")
    material, pairs = distill.corpus(model, tokenizer, data), distill.pairs_of(tokenizer, data, True)
    log("material ready")
    tables = []
    for settings in STUDENTS:
        tables.append(distill.distill(material, pairs, **settings, log=lambda *_: None))
        quality = judge(small(distill.table_vectors(tables[-1], bagged)))
        log(f"student: bfcl {quality:.4f}", settings)
    table = blended(tables, judge, bagged)
    vectors["table"] = small(distill.table_vectors(table, bagged))
    np.savez(f"{out}/vectors-2.npz", table=vectors["table"])
    export_table(f"{out}/table.bin", table, "toolcrib-table-1")
    without = {**data, "own": []}
    model = teach(stock, start, tokenizer, data, False, tests, vectors)
    material, pairs = distill.corpus(model, tokenizer, without), distill.pairs_of(tokenizer, data, False)
    tables = [distill.distill(material, pairs, **settings, log=lambda *_: None) for settings in STUDENTS[:3]]
    table = blended(tables, judge, bagged)
    vectors["table without own queries"] = small(distill.table_vectors(table, bagged))
    names = ["table", "averaged without own queries", "table without own queries"]
    np.savez(f"{out}/vectors-2.npz", **{name: vectors[name] for name in names})
    log("done")


if __name__ == "__main__":
    started = time.time()
    main(*sys.argv[1:])
