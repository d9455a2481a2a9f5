"""What the teacher learns from: labelled pairs, and pairs made out of definitions that nobody wrote a query for."""

import random
import re

from texts import document, squeeze, words

LABELLED_REPEATS = 2
MADE_PER_TOOL = 2
FILLERS = ["how do I", "please", "I want to", "can you", "need to", "help me", "is there a way to", "use this when", ""]


def noisy(sentence, rng):
    """A sentence made query-like: words dropped, neighbours swapped."""
    found = [word for word in sentence.split(" ") if rng.random() > 0.2]
    for at in range(len(found) - 1):
        if rng.random() < 0.1:
            found[at], found[at + 1] = found[at + 1], found[at]
    return " ".join(found)


def made_pair(tool, rng):
    """A query and a document out of one definition; none where it says too little."""
    text = squeeze(tool.get("description"))
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", text) if len(part) > 12]
    kind = rng.random()
    if kind < 0.3 and len(sentences) > 1:
        return sentences[0][:200], document({**tool, "description": " ".join(sentences[1:])})
    if kind < 0.6 and sentences:
        return f"{rng.choice(FILLERS)} {noisy(rng.choice(sentences)[:200].lower(), rng)}".strip(), document(tool)
    if kind < 0.85 and len(text) > 20:
        return words(tool["name"]), document(tool, with_name=False)
    properties = (tool.get("inputSchema") or {}).get("properties")
    if isinstance(properties, dict) and len(properties) > 1:
        chosen = rng.sample(list(properties), min(4, len(properties)))
        return ", ".join(words(name) for name in chosen), document(tool, with_parameters=False)
    return None


def epoch(data, with_own, rng):
    """(query, document, tool id) triples of one epoch, in random order."""
    tools = {tool["id"]: tool for tool in data["tools"]}
    labelled = data["pairs"] + (data["own"] if with_own else [])
    out = []
    for _ in range(LABELLED_REPEATS):
        for pair in labelled:
            tool = tools[rng.choice(pair["pos"])]
            out.append((pair["query"], document(tool), tool["id"]))
    for tool in tools.values():
        for _ in range(MADE_PER_TOOL):
            made = made_pair(tool, rng)
            if made:
                out.append((*made, tool["id"]))
    rng.shuffle(out)
    return out


def window(found, rng):
    """Some neighbouring words."""
    length = min(len(found), rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 40]))
    start = rng.randrange(len(found) - length + 1)
    return found[start : start + length]


def crops(data, lexicon, count, rng):
    """Texts of every length for distillation: queries, definitions, windows of both, and words that neither holds.

    The last are what keeps the student sensible on catalogs about things that no tool here is about: some words of a text are
    exchanged for any word of the vocabulary, and some texts are made of such words alone.
    """
    queries = [pair["query"] for pair in data["pairs"] + data["own"]]
    whole = [document(tool) for tool in data["tools"]]
    names = [words(tool["name"]) for tool in data["tools"]]
    texts = whole + queries * 3 + names + whole + lexicon
    split_queries = [query.split(" ") for query in queries]
    split_whole = [text.replace(" | ", " ").split(" ") for text in whole]
    while len(texts) < count:
        kind = rng.random()
        if kind < 0.3:
            found = window(rng.choice(split_queries), rng)
        elif kind < 0.6:
            found = window(rng.choice(split_whole), rng)
        elif kind < 0.85:
            found = window(rng.choice(split_whole if kind < 0.75 else split_queries), rng)
            found = [rng.choice(lexicon) if rng.random() < 0.3 else word for word in found]
        else:
            found = [rng.choice(lexicon) for _ in range(rng.choice([2, 3, 4, 6, 8]))]
        if rng.random() < 0.25:
            found = found + window(rng.choice(split_whole), rng)
        texts.append(" ".join(found))
    return texts
