"""Makes the training data: `python prepare.py DATA OUT`, where DATA holds `train/` and the test sets (see README.md).

Every tool that also stands in a test set is left out, so that no figure is about something the model has seen.
"""

import glob
import gzip
import json
import os
import re
import sys
from collections import Counter

from texts import document, parts

TEST_SETS = ["bfcl", "livemcp-steps", "toolbench-test"]
MOST_QUERIES_PER_TOOL = 30


def lines(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        return [json.loads(line) for line in file if line.strip()]


def key(text):
    return re.sub(r"[^a-z0-9]+", " ", (text or "").lower()).strip()


def identities(tool):
    """What makes two definitions the same tool: name and opening, or a long opening alone."""
    text = key(tool.get("description"))
    yield key(tool["name"]) + "|" + text[:80]
    if len(text) > 40:
        yield "|" + text[:120]


def own_queries(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.tsv"))):
        with open(path) as file:
            for line in file:
                tool, kind, query = line.rstrip("\n").split("\t")
                yield {"query": query, "pos": [tool], "src": "own-" + kind}


def main(data, out):
    banned = {name for test in TEST_SETS for tool in lines(f"{data}/{test}/tools.jsonl") for name in identities(tool)}
    tools, seen = {}, set()
    for tool in lines(f"{data}/train/tools.jsonl.gz") + lines(f"{data}/train/mcp-docs.jsonl.gz"):
        first = next(identities(tool))
        is_labelled = "src" not in tool
        if any(name in banned for name in identities(tool)) or (first in seen and not is_labelled):
            continue
        seen.add(first)
        tools[tool["id"]] = tool
    per_tool, pairs = Counter(), []
    for pair in lines(f"{data}/train/pairs.jsonl.gz"):
        positives = [tool for tool in pair["pos"] if tool in tools]
        if not positives or per_tool[positives[0]] >= MOST_QUERIES_PER_TOOL:
            continue
        per_tool[positives[0]] += 1
        pairs.append({**pair, "pos": positives})
    own = [pair for pair in own_queries(os.path.join(os.path.dirname(__file__), "queries")) if pair["pos"][0] in tools]
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/train.json", "w") as file:
        json.dump({"tools": list(tools.values()), "pairs": pairs, "own": own}, file)
    for test in TEST_SETS + ["metatool"]:
        with open(f"{out}/{test}.json", "w") as file:
            docs = lines(f"{data}/{test}/tools.jsonl")
            queries = lines(f"{data}/{test}/queries.jsonl")
            json.dump(
                {
                    "tools": [{"id": tool["id"], "text": document(tool)} for tool in docs],
                    "queries": [{**query, "parts": parts(query["query"])} for query in queries],
                },
                file,
            )
    print(f"{len(tools)} tools, {len(pairs)} labelled pairs, {len(own)} own queries over {len({p['pos'][0] for p in own})} tools")


if __name__ == "__main__":
    main(*sys.argv[1:])
