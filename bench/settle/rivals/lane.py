"""What all rivals' lanes share: start and end, one run from page to figures, and what happens when they break."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import urljoin

import msgspec

from bench.settle.lanes import Act, Case, LaneKind, Run
from bench.settle.rivals.find import Found, quiet_environment
from bench.settle.rivals.program import Program, ProgramEnded, ProgramFailed
from bench.settle.rivals.stage import BLANK, Stage
from stillframe.errors import CommandTimeout, StillframeError

ACT_TIMEOUT_S = 45.0
"""No rival waits longer than 30 s by itself; one that does hangs."""
BREAKS = (ProgramEnded, ProgramFailed, TimeoutError, StillframeError, OSError)


class Outcome(msgspec.Struct):
    """What a rival answered: its moments, the text it gave its user, and what it said about the wait."""

    acted_at: float
    returned_at: float
    text: str = ""
    reason: str | None = None
    capped: bool = False


class Rival:
    """A lane that runs another program; subclasses say how to open, act, look and evaluate with it.

    A program that breaks or hangs in a run is started again before the next one.
    """

    name: str
    kind: LaneKind
    page_clock = False

    def __init__(self, found: Found) -> None:
        self.missing = found.missing
        self.version = found.version
        self._found = found
        self._stage: Stage | None = None
        self._program: Program | None = None
        self._broken = False

    async def start(self) -> None:
        """Start a warm browser and the rival; sets `missing` if that fails."""
        if self.missing is not None:
            return
        try:
            await self._start()
        except BREAKS as error:
            await self.stop()
            self.missing = f"it did not start: {first_line(error)}"
        except BaseException:
            await self.stop()
            raise

    async def run(self, case: Case, url: str) -> Run:
        """Open the page, let it run for `warm_ms`, act, and report; see `Lane.run`."""
        loop = asyncio.get_running_loop()
        await self._opened(url)
        warm_until = loop.time() + case.warm_ms / 1000
        action = resolved(case.action, url)
        await self.prepare(action)
        shown = await self.look()
        await asyncio.sleep(max(0.0, warm_until - loop.time()))
        await self.stage.begin(self.program)
        outcome = await self._acted(action)
        used = await self.stage.used()
        seen = outcome.text if self._broken else await self._seen(outcome, shown)
        return Run(
            acted_at=outcome.acted_at,
            returned_at=outcome.returned_at,
            seen=seen,
            reason=outcome.reason,
            capped=outcome.capped,
            sent_bytes=used.sent,
            received_bytes=used.received,
            messages=used.messages,
            client_cpu_ms=used.client_ms,
            browser_cpu_ms=used.browser_ms + self.stage.newborn_ms(),
        )

    async def marks(self) -> dict[str, float]:
        """Return the marks of the last run's page as they are now; {} if it cannot be asked."""
        if self._stage is None or self._broken:
            return {}
        try:
            return await self._told_marks()
        except (*BREAKS, IndexError):
            self._broken = True
            return {}

    async def leave(self) -> None:
        """Leave the page of the last run: left alone, it takes no CPU from the lanes that are measured next."""
        if self._stage is None or self._broken:
            return
        try:
            await self._stage.close_popups()
            await self.open(BLANK)
        except BREAKS:
            self._broken = True

    async def stop(self) -> None:
        """End the rival, the relay and the browser. Idempotent."""
        program, self._program = self._program, None
        stage, self._stage = self._stage, None
        try:
            if program is not None:
                await program.aclose()
        finally:
            if stage is not None:
                await stage.aclose()

    # -- what subclasses say -----------------------------------------------------------------------

    def command(self) -> list[str]:
        """The command line of the rival."""
        return list(self._found.command)

    async def connect(self) -> None:
        """Introduce ourselves to the program that has just started, and have it take its page."""
        raise NotImplementedError

    async def open(self, url: str) -> None:
        """Open a URL in the rival's page; raises when it could not."""
        raise NotImplementedError

    async def prepare(self, action: Act) -> None:
        """Get whatever the rival needs before it can act, outside of the time that counts."""

    async def act(self, action: Act) -> Outcome:
        """Act and wait by the rival's own rule."""
        raise NotImplementedError

    def shows_page(self, _text: str) -> bool:
        """Whether a reply carries the page already."""
        return False

    async def unblock(self) -> None:
        """Answer the dialog that may be what keeps the page from telling its marks."""

    async def look(self) -> str:
        """Return what the rival can tell of the page now."""
        raise NotImplementedError

    # ----------------------------------------------------------------------------------------------

    @property
    def stage(self) -> Stage:
        assert self._stage is not None, "the lane has not been started"
        return self._stage

    @property
    def program(self) -> Program:
        assert self._program is not None, "the lane has not been started"
        return self._program

    async def _start(self) -> None:
        self._broken = False
        self._stage = await Stage.ready()
        folder = self._stage.folder
        self._program = await Program.started(self.command(), folder, quiet_environment(folder))
        await self.connect()

    async def _restart(self) -> None:
        await self.stop()
        await self._start()

    async def _opened(self, url: str) -> None:
        if self._broken:
            await self._restart()
        try:
            await self.open(url)
        except BREAKS:
            # The last page may have left a dialog or a hung renderer, which must not spoil this one.
            await self._restart()
            await self.open(url)

    async def _acted(self, action: Act) -> Outcome:
        started = now_ms()
        try:
            return await self.act(action)
        except BREAKS as error:
            self._broken = True
            return Outcome(started, now_ms(), "", f"{type(error).__name__}: {first_line(error)}".rstrip(": "), True)

    async def _told_marks(self) -> dict[str, float]:
        try:
            return await self.stage.marks()
        except CommandTimeout:
            await self.unblock()
            return await self.stage.marks()

    async def _seen(self, outcome: Outcome, shown: str) -> str:
        """Return the reply and the page now, and the lines of before that are gone: users can compare two looks."""
        page = outcome.text
        try:
            if not self.shows_page(outcome.text):
                page = "\n".join(filter(None, (page, await self.look())))
        except BREAKS:
            self._broken = True
            return page
        gone = [line for line in shown.splitlines() if line not in page]
        return "\n".join([page, *(["gone:", *gone] if gone else [])])


def now_ms() -> float:
    """The wall clock, in milliseconds since the epoch."""
    return time.time() * 1000


def resolved(action: Act, url: str) -> Act:
    """Return the action with the path of a navigation made absolute."""
    if action.kind != "navigate":
        return action
    return Act(kind="navigate", selector=action.selector, value=urljoin(url, action.value))


def first_line(error: BaseException | str) -> str:
    """The first line of what an error says."""
    return next(iter(str(error).strip().splitlines()), "")
