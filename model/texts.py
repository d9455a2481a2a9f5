"""The texts the model sees: the same words here and in src/meaning/model-input.ts, or vectors would not meet."""

import re

DESCRIPTION_CUT = 430
PARAMETERS_KEPT = 12
MOST_PARTS = 8
FEWEST_WORDS = 3

_case = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_not_word = re.compile(r"[\W_]+")
_space = re.compile(r"\s+")
_sentence_end = re.compile(r"(?<=[.!?;。！？；])\s*(?=\s|[^\x00-\x7f])|\n+")


def words(name):
    """`getUserName`, `get_user.name` → `get user name`."""
    return _not_word.sub(" ", _case.sub(" ", name)).strip().lower()


def squeeze(text):
    return _space.sub(" ", text or "").strip()


def document(tool, with_name=True, with_parameters=True):
    """One line a tool: name in words | server | description | parameter names."""
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    parameters = list(properties)[:PARAMETERS_KEPT] if isinstance(properties, dict) else []
    fields = [
        words(tool["name"]) if with_name else "",
        words(tool.get("server") or ""),
        squeeze(tool.get("description"))[:DESCRIPTION_CUT],
        ", ".join(words(name) for name in parameters) if with_parameters else "",
    ]
    return " | ".join(field for field in fields if field)


def parts(query):
    """The sentences of a query that has several; none for a plain one."""
    found = [squeeze(part) for part in _sentence_end.split(query)]
    found = [part for part in found if len(part.split(" ")) >= FEWEST_WORDS]
    return found[:MOST_PARTS] if len(found) > 1 else []
