"""Says whether texts.py still gives what texts-fixture.json says; src/meaning/model-input.test.ts asks the same of the gateway."""

import json
import os

import texts

with open(os.path.join(os.path.dirname(__file__), "texts-fixture.json"), encoding="utf-8") as file:
    fixture = json.load(file)
for tool in fixture["tools"]:
    schema = {"properties": {name: {} for name in tool["parameters"]}}
    found = texts.document({**tool, "inputSchema": schema})
    assert found == tool["text"], f"{tool['text']!r} became {found!r}"
for row in fixture["queries"]:
    found = texts.parts(row["query"])
    assert found == row["parts"], f"{row['parts']!r} became {found!r}"
print(f"{len(fixture['tools'])} tools and {len(fixture['queries'])} queries are as they were.")
