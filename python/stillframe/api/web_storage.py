"""The localStorage and the sessionStorage of a page."""

from __future__ import annotations

import json
from typing import Any, Literal

from stillframe.api.parts import PagePart, page_call
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.tab.deadline import CALL_MS, in_seconds

Kind = Literal["localStorage", "sessionStorage"]

ITEMS = """storage => Array.from({ length: storage.length }, (_, at) => storage.key(at))
    .map((name) => ({ name, value: storage.getItem(name) }))"""
"""By number: an item that is called like a method is no property."""
GET = "(storage, name) => storage.getItem(name)"
SET = "(storage, name, value) => { storage.setItem(name, value) }"
REMOVE = "(storage, name) => { storage.removeItem(name) }"
CLEAR = "storage => { storage.clear() }"

CALL = "function(given) { return JSON.stringify((%s)(%s, ...JSON.parse(given))) }"
"""As JSON both ways, which escapes halves of characters; the protocol would replace them."""


class WebStorage(PagePart):
    """What the origin of a page's main document keeps: `page.local_storage` and `page.session_storage`.

    No script of the page runs, and the page hears of no change: only others of its origin get `storage` events. Every
    call raises EvaluationFailed where a document has no storage, such as `about:blank`, and CommandTimeout.
    """

    def __init__(self, parts: PageParts, kind: Kind) -> None:
        super().__init__(parts)
        self._kind = kind

    @page_call
    async def items(self, *, timeout_ms: float | None = CALL_MS) -> list[dict[str, str]]:
        """Return all items, each as `{"name", "value"}`."""
        found: list[dict[str, str]] = await self._call(ITEMS, timeout_ms)
        return found

    @page_call
    async def get_item(self, name: str, *, timeout_ms: float | None = CALL_MS) -> str | None:
        """Return the value of an item; None if there is none."""
        found: str | None = await self._call(GET, timeout_ms, name=name)
        return found

    @page_call
    async def set_item(self, name: str, value: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """Set an item, in place of one with the same name; raises EvaluationFailed where the storage is full."""
        await self._call(SET, timeout_ms, name=name, value=value)

    @page_call
    async def remove_item(self, name: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """Remove an item; does nothing if there is none."""
        await self._call(REMOVE, timeout_ms, name=name)

    @page_call
    async def clear(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Remove all items."""
        await self._call(CLEAR, timeout_ms)

    async def _call(self, script: str, timeout_ms: float | None, **texts: str) -> Any:
        for option, text in texts.items():
            if not isinstance(text, str):
                raise OptionInvalid(
                    f"option {option}: a storage keeps texts, not {type(text).__name__}; json.dumps makes one",
                    option=option,
                )
        arguments = json.dumps(list(texts.values()))
        frame = self._tab.frames.main
        found = await frame.call(CALL % (script, self._kind), arguments, timeout=in_seconds(timeout_ms))
        return None if found is None else json.loads(found)


class PageStorage(PagePart):
    """What the origin of a page keeps in it."""

    @property
    def local_storage(self) -> WebStorage:
        """The localStorage of the page's origin: `await page.local_storage.get_item("theme")`."""
        return WebStorage(self._parts, "localStorage")

    @property
    def session_storage(self) -> WebStorage:
        """The sessionStorage of the page's origin in this tab."""
        return WebStorage(self._parts, "sessionStorage")
