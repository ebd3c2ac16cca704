"""Captures made up for tests: the smallest page there is, one list to change things in, and one page for a browser."""

from __future__ import annotations

import json
from typing import Any

from stillframe.api.browser import Page
from stillframe.cdp_types import dom

PAGE = """
<main class="list wide"><h1 id="top">Things</h1>
  <div class="card css-1a2b3c"><p>One <b>two</b></p><button data-testid="buy">Buy</button></div>
  <div class="card"><p>Three</p><button>Buy</button><a href="#x">more</a><a href="#y">less</a></div>
  <form><label>Name <input name="user"></label><input type="radio" name="r"><input type="radio" name="r"></form>
  <ul><li id="4th">a</li><li id="a.b:c">b</li><li>c</li></ul>
  <svg width="10" height="10"><path d="M0 0"/><path d="M1 1"/></svg>
  <p id="twin">x</p><p id="twin">y</p><section id=":r1:"><span>made up</span></section>
</main>
"""


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


async def put(page: Page, html: str) -> None:
    await page.evaluate(f"document.body.innerHTML = {json.dumps(html)}")


async def all_ids(page: Page) -> list[int]:
    """The backend node ids of all elements, in document order."""
    await page.cdp_session.send(dom.GetDocument(depth=0))
    handles = await page.cdp_session.call("Runtime.evaluate", {"expression": "document.querySelectorAll('*')"})
    properties = await page.cdp_session.call(
        "Runtime.getProperties", {"objectId": handles["result"]["objectId"], "ownProperties": True}
    )
    found = []
    for item in properties["result"]:
        if item["name"].isdigit():
            node = await page.cdp_session.call("DOM.describeNode", {"objectId": item["value"]["objectId"]})
            found.append(node["node"]["backendNodeId"])
    return found
