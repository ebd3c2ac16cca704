"""Keep the letters of an action in the field that they are meant for.

A page may move the keyboard focus at any moment, also between two letters. So every document judges each letter as it
arrives (elements/typing.ts) and blocks those that would go into another field. This module tells the documents what to
expect, and turns what they report into an error that names both fields.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime
from stillframe.errors import (
    CommandError,
    CommandTimeout,
    ContextLost,
    ElementDetached,
    ElementDisabled,
    EvaluationFailed,
    FocusMoved,
    SessionLost,
)
from stillframe.injected import elements
from stillframe.tab.input.letters import LetterReport
from stillframe.tab.locating.locate import handle_of
from stillframe.tab.refs import NodeKey

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.injected.call import Call
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.input.actionability import ReadyTarget
    from stillframe.tab.input.keyboard import KeyCommand
    from stillframe.tab.tab import Tab

LETTERS = 50
"""Letters sent together. A page that handles keys slowly gets the full timeout for each batch, which tells it apart
from a page that never answers."""

FOCUS_S = 0.3
"""Seconds for a document to say whether it has the focus; an idle one takes 2 ms."""

LAST_S = 1.4
"""Seconds for a page to answer the last letters, and `LATE_S` more; one that is busy for longer is believed to have
them."""

GAP_MS = 300
"""Milliseconds for the focus to come back: an editor may put another field in the place of the one it had, and a page
may give the focus to something else for a moment."""


class FocusTaken(FocusMoved):
    """The keyboard focus left the field before the first key, so all of them can be sent again."""


class FocusGuard:
    """The letters of one action, and the documents that judge them."""

    def __init__(
        self,
        tab: Tab,
        keys: Sequence[KeyCommand],
        selector: str | None,
        target: ReadyTarget | None,
        *,
        secret: bool = False,
        stays: bool = False,
        one_by_one: bool = False,
    ) -> None:
        """Guard `keys`, which are meant for `target`, or for the focused element.

        With `secret`, they stay in the field and in boxes for parts of the same code, and go one by one, because a
        document that comes meanwhile cannot judge them at once. With `stays`, they stay in the element. With
        `one_by_one`, the caller pauses after each.
        """
        self.keys = keys
        self._tab = tab
        self._selector = selector
        self._target = target
        self._secret = secret
        self._stays = stays
        self._starts = [at for at, key in enumerate(keys) if _is_letter(key)]
        self._number = tab.letters.begin()
        self._what = ""
        self._homes: list[Frame] = []
        """The frames where letters are expected."""
        self._armed: list[Frame] = []
        self._boxes = 0
        """How many boxes of one code the field is one of."""
        self._batch = 1 if secret or one_by_one else LETTERS
        self._coming: set[asyncio.Task[int]] = set()
        """The worlds of documents that came while letters were typed."""
        self._seen = 0
        """How many reports were dealt with."""
        self._gap = -1
        """How many letters had come when the focus was elsewhere for the last time: it may be so after each letter."""
        self._listening = ExitStack()
        self._leaving = asyncio.Event()
        """Set when a frame begins to load another document."""
        self.hides: bool | None = None
        """Whether the field hides what is typed into it; None before `arm`."""

    # -- before the first letter ---------------------------------------------------------------

    async def arm(self, deadline: Deadline) -> bool:
        """Let all documents judge letters; returns whether the field hides what is typed into it."""
        self._listening.callback(self._tab.frames.on_document(self._expect_none))
        for session in {frame.session for frame in self._tab.frames}:
            for event in (cdp_page.FrameRequestedNavigation, cdp_page.FrameStartedNavigating):
                self._listening.callback(session.on(event, lambda _: self._leaving.set()))
        try:
            return await self._arm(deadline)
        except BaseException:
            self.release()
            raise

    async def _arm(self, deadline: Deadline) -> bool:
        target = self._target.frame if self._target else None
        self._armed = [frame for frame in self._tab.frames if frame is target or frame.context_id is not None]
        answers = await asyncio.gather(*(self._expect(frame, deadline) for frame in self._armed))
        self._homes = [frame for frame, answer in zip(self._armed, answers, strict=True) if answer.get("home")]
        homes = [answer for answer in answers if answer.get("home")]
        self._boxes = max((answer["boxes"] for answer in homes), default=0)
        self._what = homes[0]["what"] if homes else "the page"
        if self._homes:
            self._post(elements.expect_no_letters(self._number))
        self._homes = self._homes or self._armed
        self.hides = any(answer["hides"] for answer in homes)
        return self.hides

    async def _expect(self, frame: Frame, deadline: Deadline) -> dict[str, Any]:
        """Let a document judge letters, and return what it answers; nothing if it is busy or being replaced."""
        if self._target is None or frame is not self._target.frame:
            call = elements.expect_letters(0, self._want("any" if self._target is None else "other"))
            sessions = set() if self._target is None else {self._target.frame.session}
            try:
                return dict(await frame.call(call, timeout=self._patience(frame, sessions, deadline)) or {})
            except CommandError:
                return {}
        try:
            call = elements.expect_letters(self._target.token, self._want("target"))
            answer: dict[str, Any] = await frame.call(call, timeout=deadline.hard_left_s)
        except (ContextLost, SessionLost) as error:
            raise self._moved("the page loaded another document", "", 0, FocusTaken) from error
        return answer

    @staticmethod
    def _patience(frame: Frame, sessions: set[CDPSession], deadline: Deadline) -> float:
        """Return how many seconds a frame may take to answer: as many as the field's document, if it is of its process.

        One of another process may be busy without end.
        """
        return deadline.hard_left_s if frame.session in sessions else FOCUS_S

    def _want(self, role: str) -> dict[str, Any]:
        common = {"id": self._number, "role": role, "secret": self._secret, "stays": self._stays}
        return common | {"every": self._batch, "total": len(self._starts)}

    def _expect_none(self, frame: Frame) -> None:
        """Let no letter into a document that comes while letters are typed; awaits nothing."""
        call = elements.expect_letters(0, self._want("other"))
        world = frame.world().start()
        world.add_done_callback(lambda _: self._evaluate(frame, call))
        world.add_done_callback(self._coming.discard)
        self._coming.add(world)
        self._armed.append(frame)

    def _post(self, call: Call) -> None:
        for frame in self._armed:
            self._evaluate(frame, call)

    @staticmethod
    def _evaluate(frame: Frame, call: Call) -> None:
        if frame.context_id is not None:
            command = runtime.Evaluate(expression=call.expression, context_id=frame.context_id, silent=True)
            frame.session.post(command)

    # -- between letters -----------------------------------------------------------------------

    def batch_end(self, start: int) -> int:
        """Return the index of the key where the batch ends that begins at `start`."""
        letter = self._letters_before(start) + (1 if self._in_boxes else self._batch)
        return self._starts[letter] if letter < len(self._starts) else len(self.keys)

    @property
    def _in_boxes(self) -> bool:
        """Whether the letters go from box to box, in which case each waits for the page to lead on."""
        return self._boxes > 1

    def _letters_before(self, index: int) -> int:
        return bisect_left(self._starts, index)

    async def arrived(self, end: int, deadline: Deadline) -> int:
        """Return the index of the key to go on with after all before `end` were sent; raises FocusMoved."""
        sent = self._letters_before(end)
        last = end == len(self.keys)
        if self._coming:
            await asyncio.wait(self._coming, timeout=FOCUS_S)
        gone = await self._await_reports(sent, deadline.within(LAST_S) if last else deadline, last)
        strayed = next((report for report in self._reports if report.kind != "typed"), None)
        if strayed is None and gone and not last:
            raise self._moved("the page loaded another document", "", self._arrived)
        if strayed is None:
            return end
        counted = await self._count(deadline.within(LAST_S))
        arrived = self._arrived
        taken = bool(strayed.hit) and strayed.kind != "refused"
        if arrived > self._gap and await self._goes_on(taken):
            self._gap, self._seen = arrived, len(self._tab.letters.reports(self._number))
            return self._starts[arrived] if arrived < len(self._starts) else len(self.keys)
        if strayed.kind == "refused":
            raise self._closed(strayed.hit, arrived)
        where = f"moved to {strayed.hit}" if strayed.hit else "left it, and no other field has it"
        heard = any(report.heard for report in self._tab.letters.reports(self._number))
        kind = FocusTaken if counted and not heard else FocusMoved
        raise self._moved(f"the keyboard focus {where}", strayed.hit, arrived, kind)

    @property
    def _reports(self) -> Sequence[LetterReport]:
        return self._tab.letters.reports(self._number)[self._seen :]

    @property
    def _arrived(self) -> int:
        return max((report.letters for report in self._tab.letters.reports(self._number)), default=0)

    @property
    def complete(self) -> bool:
        """Return whether all letters are known to have come to the field."""
        return self._arrived >= len(self._starts)

    async def _await_reports(self, sent: int, deadline: Deadline, last: bool) -> bool:
        """Wait for the reports on the letters that were sent; returns whether the field's document is gone.

        They come on another way than the replies to input, and an answer comes after all of them. But Chrome holds back
        answers, not reports, once a letter has started a navigation: then the last letters do not wait for an answer.
        """
        letters = self._tab.letters

        def is_complete(_: Sequence[LetterReport]) -> bool:
            return any(report.kind != "typed" or report.letters >= sent for report in self._reports)

        if is_complete(()) and (last or not self._in_boxes):
            return False
        asked = asyncio.ensure_future(self._ask(self._homes, deadline, self._in_boxes and not last))
        called = asyncio.ensure_future(letters.until(self._number, is_complete))
        held = asyncio.ensure_future(self._held())
        try:
            waits = {asked, called, held} if last else {asked} if self._in_boxes else {asked, called}
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if done == {held}:
                return False
            gone = asked.done() and asked.result()
        except CommandTimeout:
            if not last:
                raise
            return False
        finally:
            for task in (asked, called, held):
                task.cancel()
            await asyncio.gather(asked, called, held, return_exceptions=True)
        if not gone and not is_complete(()):
            others = [frame for frame in self._armed if frame not in self._homes]
            await self._ask(others, deadline, False, quietly=True)
        return gone

    async def _count(self, deadline: Deadline) -> bool:
        """Let the field's document report how many letters came, because another one reports a letter that strayed.

        Returns whether it has done so.
        """
        try:
            return not await self._ask(self._homes, deadline, False)
        except CommandTimeout:
            return False

    async def _held(self) -> None:
        """Wait until Chrome holds back answers, or may do so."""
        await asyncio.sleep(FOCUS_S)
        await self._leaving.wait()

    async def _ask(self, frames: Sequence[Frame], deadline: Deadline, parts: bool, *, quietly: bool = False) -> bool:
        """Let documents report what came; returns whether the document of one of them is gone."""
        letters, call = self._tab.letters, elements.letters_typed(self._number, parts)
        sessions = {home.session for home in self._homes}
        calls = (frame.call(call, timeout=self._patience(frame, sessions, deadline)) for frame in frames)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        for answer in answers:
            known = isinstance(answer, CommandError if quietly else (ContextLost, SessionLost, EvaluationFailed))
            if isinstance(answer, BaseException) and not known:
                raise answer
            if isinstance(answer, dict):
                letters.add(msgspec.convert(answer, LetterReport))
        return any(isinstance(answer, (ContextLost, SessionLost)) for answer in answers)

    async def _goes_on(self, taken: bool) -> bool:
        call = elements.letters_may_go_on(self._number, GAP_MS, taken)
        try:
            answers = await asyncio.gather(*(frame.call(call) for frame in self._homes))
        except CommandError:
            return False
        return all(answers)

    def _told(self, words: str, typed: int) -> str:
        target = self._target
        what = f"{self._selector} is {target.what} in {target.frame.describe()}" if target else self._what
        return f"{what}; {words} after {typed} of {len(self._starts)} characters were typed"

    def _closed(self, word: str, typed: int) -> ElementDisabled:
        words = self._told(f"the page has made it {word}", typed)
        return ElementDisabled(f"{words}: look at the page before you type the rest", selector=self._selector)

    def _moved(self, words: str, receiver: str, typed: int, kind: type[FocusMoved] = FocusMoved) -> FocusMoved:
        return kind(
            f"{self._told(words, typed)}, so the rest was not typed: take a new snapshot, close what "
            "took the focus, and fill each field with an action of its own",
            selector=self._selector,
            receiver=receiver,
            typed=typed,
        )

    # -- after the last letter -----------------------------------------------------------------

    async def keep_boxes(self) -> None:
        """Keep the letters of a secret in boxes out of deltas: each box shows one, and alone it is not a secret."""
        if not (self._secret and self._boxes and self._homes):
            return
        frame = self._homes[0]
        try:
            tokens = await frame.call(elements.boxes_typed(self._number), timeout=FOCUS_S)
            handles = await asyncio.gather(*(handle_of(frame, token, self._what) for token in tokens))
            nodes = await asyncio.gather(*(handle.backend_node_id() for handle in handles))
        except (CommandError, ElementDetached):
            return
        self._tab.refs.unshown.update(NodeKey(frame.process_key, node) for node in nodes)

    def release(self) -> None:
        """Let the documents stop judging letters; awaits nothing."""
        self._listening.close()
        self._post(elements.end_letters(self._number))


def _is_letter(key: KeyCommand) -> bool:
    return isinstance(key, cdp_input.InsertText) or key.type in ("keyDown", "rawKeyDown")
