"""The lanes that drive stillframe's own browser: its ways of observing, and what the rules of others are tried out on.

They share one browser, in which every run has a context of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Any
from urllib.parse import urljoin

import msgspec

import stillframe
from bench.measure import cpu_between, tree_cpu
from bench.settle.lanes import Case, LaneKind, Run, mark_expression
from stillframe.api.browser import Browser, Page
from stillframe.cdp.wire import is_cbor
from stillframe.cdp_types import runtime
from stillframe.errors import CommandError, OptionInvalid, SessionLost, StillframeError
from stillframe.model.actions import Action, Click, Hover, Navigate, PressKey, Scroll, TypeText
from stillframe.model.options import parse_options
from stillframe.testing import tap

INPUTS = (b'"Input.', b'"Page.navigate"')
LOOK = b'"DOMSnapshot.captureSnapshot"'
HEAD = 120
"""Bytes of a frame that its method stands in."""


def now() -> float:
    """Return the epoch time in milliseconds, which is the pages' time as well."""
    return time.time() * 1000


def action_of(case: Case, url: str) -> Action:
    """Return the case's action as stillframe's."""
    act = case.action
    if act.kind == "click":
        return Click(act.selector)
    if act.kind == "type":
        return TypeText(act.value, selector=act.selector)
    if act.kind == "key":
        return PressKey(act.value, selector=act.selector or None)
    if act.kind == "hover":
        return Hover(act.selector)
    if act.kind == "scroll":
        return Scroll(pixels=int(act.value or 500), selector=act.selector or None)
    return Navigate(urljoin(url, act.value))


class Shared:
    """One browser for some lanes: launched for the first that starts, ended with the last that stops."""

    def __init__(self, **options: Any) -> None:
        """`options` are those of the launch."""
        self._options = options
        self._stack = AsyncExitStack()
        self._users = 0
        self.browser: Browser | None = None

    async def take(self) -> Browser:
        """Return the browser, launching it if need be."""
        self._users += 1
        if self.browser is None:
            self.browser = await self._stack.enter_async_context(stillframe.launch(**self._options))
        return self.browser

    async def give_back(self) -> None:
        """Say that a lane needs it no more."""
        self._users -= 1
        if self._users <= 0 and self.browser is not None:
            self.browser = None
            await self._stack.aclose()
            self._stack = AsyncExitStack()


class Meter:
    """What a stretch of work costs: frames and bytes on the wire without the looks at the page, and CPU."""

    def __init__(self, browser: Browser) -> None:
        self._connection = browser._connection
        self._pid = browser.info.pid
        self.input_at: float | None = None
        self.sent = self.received = self.messages = 0
        self.client_cpu_ms = self.browser_cpu_ms = 0.0
        self._looks: set[bytes] = set()

    @contextmanager
    def metered(self) -> Iterator[Meter]:
        """Measure a block."""
        browser, client = tree_cpu(self._pid), time.process_time()
        with tap(self._connection, self._sending, self._receiving):
            yield self
        self.client_cpu_ms = (time.process_time() - client) * 1000
        self.browser_cpu_ms = cpu_between(browser, tree_cpu(self._pid))

    def _sending(self, frame: bytes) -> None:
        head = frame[:HEAD]
        if any(method in head for method in INPUTS):
            self.input_at = now()
        if LOOK in head:
            self._looks.add(_id(frame))
        else:
            self.sent += len(frame)
            self.messages += 1

    def _receiving(self, frame: bytes) -> None:
        if not (self._looks and _id(frame) in self._looks):
            self.received += len(frame)
            self.messages += 1


def _id(frame: bytes) -> bytes:
    """The number of a command or of an answer, without decoding a frame that may be megabytes long."""
    start = bytes(frame[:HEAD])
    if is_cbor(start):
        return _cbor_id(start)
    _, found, rest = start.partition(b'"id":')
    return rest.split(b",", 1)[0].split(b"}", 1)[0].strip() if found else b""


def _cbor_id(start: bytes) -> bytes:
    """The same of a frame in CBOR: after the text "id", whose head is "b", comes an integer (RFC 8949 §3.1)."""
    _, found, rest = start.partition(b"bid")
    if not found:
        return b""
    more = {0x18: 1, 0x19: 2, 0x1A: 4}.get(rest[0], 0)
    return str(int.from_bytes(rest[1 : 1 + more]) if more else rest[0]).encode()


class Driven:
    """A lane on the shared browser; what it does to a page after it has run its warm-up is `_act`."""

    page_clock = False

    def __init__(self, name: str, kind: LaneKind, shared: Shared) -> None:
        self.name = name
        self.kind: LaneKind = kind
        self.missing: str | None = None
        self.context_options: dict[str, Any] = {}
        self._shared = shared
        self._browser: Browser | None = None
        self._stack = AsyncExitStack()
        self._page: Page | None = None

    async def start(self) -> None:
        """Take the browser."""
        self._browser = await self._shared.take()

    async def stop(self) -> None:
        """Give the browser back."""
        await self.leave()
        if self._browser is not None:
            self._browser = None
            await self._shared.give_back()

    async def run(self, case: Case, url: str) -> Run:
        """Open the page, warm it up, act and wait."""
        assert self._browser is not None
        await self.leave()
        context = await self._stack.enter_async_context(await self._browser.new_context(**self.context_options))
        page = self._page = await context.new_page()
        await page.goto(url)
        await asyncio.sleep(case.warm_ms / 1000)
        with Meter(self._browser).metered() as meter:
            acted = now()
            run = await self._act(page, action_of(case, url))
        return msgspec.structs.replace(
            run,
            acted_at=acted,
            input_at=meter.input_at,
            sent_bytes=meter.sent,
            received_bytes=meter.received,
            messages=meter.messages,
            client_cpu_ms=meter.client_cpu_ms,
            browser_cpu_ms=meter.browser_cpu_ms,
        )

    async def _act(self, page: Page, action: Action) -> Run:
        raise NotImplementedError

    async def marks(self) -> dict[str, float]:
        """Read the marks in the page's own world."""
        try:
            assert self._page is not None
            # By value, as V8 copies it: a page may have broken what a script would copy it with.
            command = runtime.Evaluate(expression=mark_expression(), return_by_value=True)
            reply = await self._page.cdp_session.send(command, timeout=2.0)
        except StillframeError:
            return {}
        return reply.result.value if isinstance(reply.result.value, dict) else {}

    async def leave(self) -> None:
        """Close the context of the last run."""
        stack, self._stack, self._page = self._stack, AsyncExitStack(), None
        with suppress(CommandError, SessionLost):
            await stack.aclose()


class Stillframe(Driven):
    """`execute_sequence` with given options; what it hands out is its result's state change."""

    def __init__(self, name: str, shared: Shared, *, kind: LaneKind = "stillframe", **options: Any) -> None:
        super().__init__(name, kind, shared)
        self._options = options
        self.page_clock = options.get("settle") == "virtual"
        # Of the whole context, so that what one that observes less does without is never put into its pages.
        self.context_options = {"observe": options["observe"]} if "observe" in options else {}
        try:
            parse_options(options)
        except OptionInvalid as error:
            self.missing = f"this version of stillframe does not have it: {error}"

    async def _act(self, page: Page, action: Action) -> Run:
        result = await page.execute_sequence([action], **self._options)
        returned = now()
        if result.failed is not None:
            raise RuntimeError(f"the action failed: {result.failed.error}")
        return Run(
            acted_at=0,
            returned_at=returned,
            seen=msgspec.json.encode(result.state_change).decode(),
            reason=result.outcome,
            pending=[f"{row.kind} {row.what} {row.url or ''} {row.site or ''}".strip() for row in result.pending],
            ignored=[f"{row.kind} {row.key} {row.rate:.1f}/s" for row in result.ignored],
            capped=not result.stable,
        )
