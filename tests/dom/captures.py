"""Captures made up for tests: the smallest page there is, and one list to change things in."""

from __future__ import annotations

import json
from typing import Any


def capture(body: list[tuple[str, dict[str, str], str]], *, first_id: int = 1, url: str = "https://a.test/") -> bytes:
    """The capture of a page whose body holds elements of (tag, attributes, text)."""
    strings: list[str] = []

    def string(text: str) -> int:
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    rows = [(-1, 9, "#document", "", {}), (0, 1, "HTML", "", {}), (1, 1, "BODY", "", {})]
    for tag, attributes, text in body:
        rows.append((2, 1, tag.upper(), "", attributes))
        if text:
            rows.append((len(rows) - 1, 3, "#text", text, {}))
    count = len(rows)
    nodes: dict[str, Any] = {
        "parentIndex": [row[0] for row in rows],
        "nodeType": [row[1] for row in rows],
        "nodeName": [string(row[2]) for row in rows],
        "nodeValue": [string(row[3]) if row[3] else -1 for row in rows],
        "backendNodeId": [first_id + at for at in range(count)],
        "attributes": [
            [index for pair in row[4].items() for index in (string(pair[0]), string(pair[1]))] for row in rows
        ],
    }
    layout = {"nodeIndex": list(range(count)), "styles": [[]] * count, "bounds": [[0, 0, 10, 10]] * count}
    document = {
        "documentURL": string(url),
        "title": string("A page"),
        "frameId": string("F0"),
        "nodes": nodes,
        "layout": layout,
    }
    return json.dumps({"documents": [document], "strings": strings}).encode()
