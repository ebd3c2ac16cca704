"""The localStorage and the sessionStorage of a page."""

from __future__ import annotations

import json
from typing import Any, Literal

from stillframe.api.parts import PagePart, page_call
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.injected import elements
from stillframe.tab.deadline import CALL_MS, in_seconds

Kind = Literal["localStorage", "sessionStorage"]

Method = Literal["items", "get", "set", "remove", "clear"]


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
        found: list[dict[str, str]] = await self._call("items", timeout_ms)
        return found

    @page_call
    async def get_item(self, name: str, *, timeout_ms: float | None = CALL_MS) -> str | None:
        """Return the value of an item; None if there is none.

        Args:
            name: The name of the item.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
        """
        found: str | None = await self._call("get", timeout_ms, name=name)
        return found

    @page_call
    async def set_item(self, name: str, value: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """Set an item, in place of one with the same name.

        Args:
            name: The name of the item.
            value: Its value.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            EvaluationFailed: The storage is full.
        """
        await self._call("set", timeout_ms, name=name, value=value)

    @page_call
    async def remove_item(self, name: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """Remove an item; does nothing if there is none.

        Args:
            name: The name of the item.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
        """
        await self._call("remove", timeout_ms, name=name)

    @page_call
    async def clear(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Remove all items."""
        await self._call("clear", timeout_ms)

    async def _call(self, method: Method, timeout_ms: float | None, **texts: str) -> Any:
        for option, text in texts.items():
            if not isinstance(text, str):
                raise OptionInvalid(
                    f"option {option}: a storage keeps texts, not {type(text).__name__}; json.dumps makes one",
                    option=option,
                )
        arguments = json.dumps(list(texts.values()))
        frame = self._tab.frames.main
        call = elements.web_storage(self._kind, method, arguments)
        found = await frame.call(call, timeout=in_seconds(timeout_ms))
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
