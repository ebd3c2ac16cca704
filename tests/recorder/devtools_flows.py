"""User flows as Chrome DevTools exports them, and what the pages of the tests show after each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "devtools"
"""The files. `site.test` stands for the server of the pages, and `other.test` for the same one as another site."""


class DevToolsFlow(NamedTuple):
    """A flow, an expression for what the page shows at the end, and its value."""

    name: str
    expression: str
    shows: Any

    @property
    def is_on_shop(self) -> bool:
        """Whether the flow is one on the demo shop."""
        return self.name == "log-in"

    def on(self, origin: str) -> Any:
        """Return the flow for a server of the pages, such as `http://127.0.0.1:8000`."""
        text = (FOLDER / f"{self.name}.json").read_text("utf-8")
        other = origin.replace("127.0.0.1", "localhost")
        return json.loads(text.replace("http://site.test", origin).replace("http://other.test", other))


DEVTOOLS_FLOWS = (
    DevToolsFlow("log-in", "[document.querySelector('#cart-count').textContent, location.pathname]", ["1", "/shop"]),
    DevToolsFlow(
        "frames",
        "[0, 2].map((index) => [frames[index].log[0], frames[index].document.querySelector('#field').value])",
        [["clicked", "first"], [None, "third"]],
    ),
    DevToolsFlow(
        "shadow",
        "[log, document.querySelector('#open-host').shadowRoot.querySelector('#nest').shadowRoot.firstChild.value]",
        [["in-open", "nest", "slotted"], "deep"],
    ),
    DevToolsFlow(
        "keyboard",
        "[field.value, field.selectionStart, field.selectionEnd, area.value, document.activeElement.id]",
        ["Ember", 3, 5, "two\nlines\n", "area"],
    ),
    DevToolsFlow(
        "mouse",
        "log.filter((line) => /^(enter|dblclick|contextmenu|click menu)/.test(line))",
        ["enter", "dblclick b 0 0 2 true false", "contextmenu menu 2 2 0 true false", "click menu 0 0 1 true true"],
    ),
    DevToolsFlow(
        "follow-a-link",
        "[location.pathname, scrollX, scrollY, document.querySelector('#list').scrollTop]",
        ["/act/scroll.html", 300, 200, 400],
    ),
    DevToolsFlow(
        "values",
        "[one, text, date, range, color, inside, area].map((each) => each.value).concat(box.checked, r2.checked)",
        ["g", "new", "2026-11-26", "8", "#ff8800", "in", "a\nb", True, True],
    ),
    DevToolsFlow(
        "touch",
        "[log, devicePixelRatio]",
        [["touchstart b", "touchend b", "click b", "touchstart b", "contextmenu b", "touchend b"], 2],
    ),
)
