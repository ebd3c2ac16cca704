"""HAR files: record the traffic of a context or a page, and answer requests from a recording.

What records and what answers are imported on first use, because few programs need them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, get_args

from stillframe.errors import OptionInvalid
from stillframe.har.errors import HarError, HarFailed, HarInvalid
from stillframe.har.model import Content
from stillframe.model.events import Request
from stillframe.model.suggest import unknown
from stillframe.security.redaction import logger
from stillframe.tab.network.routing import ERROR_CODES, Route, RoutePattern, unredacted
from stillframe.tab.network.url_patterns import url_matcher

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.har.recorder import HarRecorder
    from stillframe.har.replay import Answer, Failure, Replay
    from stillframe.security.redaction import Redaction
    from stillframe.tab.tab import Tab

NotFound = Literal["abort", "fallback"]
"""What happens to a request that a HAR file does not have: it fails, or goes on to earlier routes and the network."""

log = logger("stillframe.har")


class HarRecorders:
    """The recordings of one context that are under way."""

    def __init__(self, redaction: Redaction, product: str, tabs: Callable[[], Iterable[Tab]]) -> None:
        self._redaction = redaction
        self._product = product
        self._tabs = tabs
        self._running: dict[HarRecorder, Tab | None] = {}

    def begin(
        self,
        path: str | os.PathLike[str],
        content: Content | None,
        url: RoutePattern | None,
        *,
        tab: Tab | None = None,
    ) -> HarRecording:
        """Record all tabs, or only one; raises OptionInvalid, HarFailed."""
        from stillframe.har.recorder import HarRecorder

        file = _expanded(path)
        recorder = HarRecorder(file, content_of(content, file), wanted_of(url), self._redaction, self._product)
        self._running[recorder] = tab
        for each in self._tabs():
            if tab in (None, each):
                for session in each.sessions():
                    recorder.watch(session, each)
        return HarRecording(recorder, lambda: self._running.pop(recorder, None))

    def watch(self, session: CDPSession, tab: Tab) -> None:
        """Record a new session of a tab, before its target runs."""
        for recorder, only in self._running.items():
            if only in (None, tab):
                recorder.watch(session, tab)

    def forget(self, tab: Tab) -> None:
        """Leave out a tab that the context uses itself."""
        for recorder in self._running:
            recorder.forget(tab)

    async def finish(self) -> None:
        """Write all files, because the context closes; errors are logged."""
        while self._running:
            recorder, _ = self._running.popitem()
            try:
                await recorder.close()
            except HarFailed as error:
                log.warning("%s", error)

    def abandon(self) -> None:
        """Write what has come so far, because the context is gone."""
        while self._running:
            recorder, _ = self._running.popitem()
            recorder.abandon()


class HarRecording:
    """A HAR file that is being recorded; `BrowserContext.record_har` begins one.

    The file is written when it ends: with its block, with `close`, or with the context.
    """

    def __init__(self, recorder: HarRecorder, forget: Callable[[], object]) -> None:
        self._recorder = recorder
        self._forget = forget

    def __repr__(self) -> str:
        return f"HarRecording({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The HAR file."""
        return self._recorder.path

    async def close(self) -> None:
        """Stop recording and write the file; does nothing the second time.

        Raises:
            HarFailed: The file cannot be written.
        """
        self._forget()
        await self._recorder.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.close()
        except HarError as failure:
            if error is None:
                raise
            log.warning("%s", failure)


def content_of(content: Content | None, path: Path) -> Content:
    """Return where bodies go: as asked, else into a zip's own files or the file itself; raises OptionInvalid."""
    if content is None:
        return "attach" if path.suffix == ".zip" else "embed"
    if content not in get_args(Content):
        raise OptionInvalid(f"option {unknown('content', content, get_args(Content))}", option="content")
    return content


def wanted_of(url: RoutePattern | None) -> Callable[[str], bool]:
    """Return the test of URLs for the option `url`, a glob or a regular expression; raises OptionInvalid."""
    return url_matcher(url) if url is not None else lambda _: True  # type: ignore[arg-type]


def _expanded(path: str | os.PathLike[str]) -> Path:
    return Path(path).expanduser()


async def replaying(path: str | os.PathLike[str], not_found: NotFound) -> Callable[[Route], object]:
    """Return a route handler that answers from a HAR file; raises HarInvalid, OptionInvalid and OSError."""
    from stillframe.har.reading import read_har
    from stillframe.har.replay import Answer, Replay

    if not_found not in get_args(NotFound):
        raise OptionInvalid(f"option {unknown('not_found', not_found, get_args(NotFound))}", option="not_found")
    replay = Replay(await asyncio.to_thread(read_har, _expanded(path)))

    async def answer(route: Route) -> None:
        # Files of others hold what was really sent; ours have it without secrets.
        try:
            found = _find(replay, unredacted(route)) or _find(replay, route.request)
        except HarInvalid as error:
            log.error("%s", error)  # noqa: TRY400  the message says it all
            found = None
        if isinstance(found, Answer):
            await route.fulfill(status=found.status, headers=found.headers, body=found.body)
        elif found is not None:
            await route.abort(_code(found.error))
        elif not_found == "abort":
            await route.abort()
        else:
            await route.fallback()

    return answer


def _find(replay: Replay, request: Request) -> Answer | Failure | None:
    return replay.find(request.method, request.url, request.headers, request.post_data)


def _code(error: str) -> str:
    """Return the code for `Route.abort` of one of Chrome's network errors.

    >>> _code("net::ERR_CONNECTION_REFUSED"), _code("net::ERR_SSL_PROTOCOL_ERROR")
    ('connectionrefused', 'failed')
    """
    code = error.removeprefix("net::ERR_").replace("_", "").lower()
    return code if code in ERROR_CODES else "failed"
