"""Record what a person does on a page.

    async with Recorder(page) as recorder:
        await recorder.ended()
    save_recording("flow.json", await recorder.recording())

The script in the page reports presses, keys and values. `drafts` makes actions of them, `identification` says which
elements they are on, and `page_watch` notes what each of them led to; `resolution` puts the three together.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec

from stillframe.errors import CommandError
from stillframe.extend import WORLD, Frame, page_state
from stillframe.injected import recorder as page_script
from stillframe.injected import recorder_source
from stillframe.recorder.drafts import Draft, Drafts
from stillframe.recorder.errors import RecorderFailed
from stillframe.recorder.events import Element, parse_report
from stillframe.recorder.history import HistoryWatch
from stillframe.recorder.identification import Identification
from stillframe.recorder.page_watch import SETTLE_MS, PageWatch
from stillframe.recorder.recording import RecordedViewport, Recording
from stillframe.scripts.durable import Known, named_after
from stillframe.scripts.script import ScriptAction
from stillframe.security.private_files import open_private

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.core import Redactor

# Turn drafts into the actions of a recording: selectors in place of elements, names in place of secrets.


class SecretNames:
    """The names of the secrets of a recording: each is named after the field that it is typed into first.

    Two texts never have one name, since a replay would type one of them into both fields. A text that a field hides is
    known to be the same within its document only; in another one it gets a name of its own.
    """

    def __init__(self) -> None:
        self._names: dict[object, str] = {}

    def name_of(self, secret: object, field: str) -> str:
        """Return the name of a text, which any hashable value stands for, that is typed into a field."""
        if secret not in self._names:
            name, taken = named_after(field), set(self._names.values())
            numbered = (f"{name}_{number}" for number in count(2))
            self._names[secret] = name if name not in taken else next(each for each in numbered if each not in taken)
        return self._names[secret]


async def resolved(
    draft: Draft, known: Identification, secrets: Redactor, names: SecretNames
) -> tuple[ScriptAction, ...]:
    """Return the actions of a draft: what to hover first, the action itself, and what to wait for.

    Returns nothing if its element went away before anything was known about it.
    """
    action = await _with_elements(draft, known, secrets, names)
    if action is None:
        return ()
    hovers = [await _with_elements(Draft(action="hover", element=each), known, secrets, names) for each in draft.hovers]
    waits = [] if draft.expect is None else [ScriptAction(action={"action": "wait_for", **draft.expect})]
    return (*(each for each in hovers if each is not None), action, *waits)


async def _with_elements(
    draft: Draft, known: Identification, secrets: Redactor, names: SecretNames
) -> ScriptAction | None:
    source = Known("") if draft.element is None else await known.known(draft.element)
    drop = Known("") if draft.target is None else await known.known(draft.target)
    if source is None or drop is None:
        return None
    selectors = {"selector": source.selector, "target": drop.selector}
    plain = {"action": draft.action, **{name: text for name, text in selectors.items() if text}, **draft.fields}
    if "value" in plain:
        plain["value"] = _value(draft, plain["value"], source, secrets, names)
    identity = msgspec.structs.asdict(source.target)
    return ScriptAction(action=plain, drop=None if draft.target is None else drop.target, **identity)


def _value(draft: Draft, value: Any, known: Known, secrets: Redactor, names: SecretNames) -> Any:
    """Return a value as the file has it: a secret only by name, also one that is typed where all can read it."""
    shows_secret = isinstance(value, str) and secrets.redact(value) != value
    if draft.secret is None and not shows_secret:
        return value
    return {"secretName": names.name_of(draft.secret or value, known.target.target)}


# Only one recorder on a page, of all processes of a user: two would each see half of what happens, and the other.

if sys.platform != "win32":
    import fcntl


class PageLock:
    """A lock on a page, held by a file that the system releases when the process ends.

    Making one raises RecorderFailed on Windows, where it does not work.
    """

    def __init__(self, target_id: str) -> None:
        if sys.platform == "win32":
            raise RecorderFailed("recording is not supported on Windows yet; record on Linux or macOS")
        name = re.sub(r"\W", "", target_id)
        self._path = Path(tempfile.gettempdir(), f"stillframe-recorder-{os.getuid()}-{name}.lock")
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock; raises RecorderFailed if a recorder has it, or if its file cannot be made."""
        try:
            self._file = open_private(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise RecorderFailed("another recorder is on this page: stop it first, or record another page") from None
        except OSError as error:
            self._close()
            raise RecorderFailed(f"cannot lock {self._path}: {error.strerror}") from None

    def release(self) -> None:
        """Release the lock and remove its file; does nothing without it."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


BINDING = "__sfRecord"
"""The function of the isolated world that the script of the recorder calls."""
GONE = "its element went away before anything was known about it"


class Problem(msgspec.Struct, frozen=True):
    """What could not be recorded, and why."""

    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what} was not recorded: {self.reason}"


class Recorder:
    """Records one page from `start` on, until `stop` or the end of the page.

    Only one recorder can be on a page.

    Args:
        page: The page.
        on_change: A function of the recording, called whenever it has grown.
    """

    def __init__(self, page: Page, *, on_change: Callable[[Recording], object] | None = None) -> None:
        self._page = page
        self._state = page_state(page)
        self._on_change = on_change
        self._drafts = Drafts()
        self._known = Identification(page)
        self._watch = PageWatch(page, self._drafts, self._known, self._noted)
        self._history = HistoryWatch(self._state, self._went)
        self._lock = PageLock(page.target_id)
        self._leave: tuple[Callable[[], object], ...] | None = None
        """Takes the script and its binding out of the page; None while nothing is recorded."""
        self._removes: tuple[Callable[[], object], ...] = ()
        self._answers: list[bool | str] = []
        self._opened: list[str] = []
        """The URLs of the tabs that the page has opened."""
        self._begins = Recording(url="")
        self.problems: list[Problem] = []
        """What could not be recorded."""
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def start(self) -> None:
        """Begin to record; raises RecorderFailed if another recorder is on the page, and CommandError."""
        self._lock.take()
        try:
            await self._begin()
        except BaseException:
            self._lock.release()
            raise

    async def _begin(self) -> None:
        await self._page.settle(timeout_ms=SETTLE_MS)
        await self._history.start()
        self._add_script()
        await self._watch.start()
        self._begins = Recording(url=self._page.url, title=await self._page.title(), viewport=await self._viewport())
        self._state.dialogs.answered = self._answers.append
        self._removes = (
            self._page.on("popup", lambda popup: self._opened.append(popup.url)),
            self._state.session.on_closed(lambda _: self._end()),
        )

    def _add_script(self) -> None:
        unbind = self._state.bind(BINDING, self._reported)
        self._leave = unbind, self._state.add_script(recorder_source(), world=WORLD)

    async def stop(self) -> None:
        """Stop recording; what was recorded stays."""
        if self._leave is None:
            return
        leave, self._leave = self._leave, None
        self._state.dialogs.answered = None
        self._history.stop()
        for remove in self._removes:
            remove()
        await self._watch.stop()
        await self._known.stop()
        self._lock.release()
        for each in leave:
            each()
        if self._state.session.error is None:
            self._state.post_to_frames(f"globalThis.__sfRecorder && {page_script.stop().expression}")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def ended(self) -> None:
        """Wait until the page is closed or crashes, or its browser ends; raises what `on_change` raised."""
        await asyncio.shield(self._ended)

    async def still(self) -> None:
        """Wait until what the page shows after the last action belongs to the recording."""
        await self._watch.idle()

    async def recording(self) -> Recording:
        """Return what was recorded until now. Elements that are still being looked at are awaited."""
        self.problems = [Problem(f"what is done on {url}", "a recording is of one tab") for url in self._opened]
        steps: list[ScriptAction] = []
        names = SecretNames()
        last: Draft | None = None
        for last in self._drafts.finished():
            actions = await resolved(last, self._known, self._state.redactor, names)
            steps += actions
            if not actions:
                self.problems.append(Problem(last.action, GONE))
        expect = None
        if steps and last is not None and last.expect is not None and "state" not in last.expect:
            expect = last.expect
            steps.pop()  # the wait for it is the end of the sequence
        recording = msgspec.structs.replace(
            self._begins, steps=tuple(steps), expect=expect, dialogs=tuple(self._answers)
        )
        plain = self._state.redact(msgspec.to_builtins(recording))
        return msgspec.convert(plain, Recording)

    # -- listening -------------------------------------------------------------------------------

    def _reported(self, frame: Frame, payload: str) -> None:
        report = parse_report(payload)
        if report is None or self._leave is None:
            return
        for number in (report.element, report.target, *report.hovers):
            if number is not None:
                self._known.begin(Element(frame.id, frame.loader_id, number))
        if report.kind == "over":
            self._watch.moved()
        if self._drafts.feed(frame.id, frame.loader_id, report):
            self._watch.acted()

    def _went(self, action: str, fields: dict[str, Any]) -> None:
        if action != "navigate" and not self._watch.is_idle:
            return  # a script of the page went there, after an action
        self._drafts.add(action, **fields)
        self._watch.acted()

    async def _noted(self) -> None:
        if self._on_change is None:
            return
        recording = await self.recording()
        try:
            self._on_change(recording)
        except Exception as error:
            self._end(error)

    def _end(self, error: Exception | None = None) -> None:
        if self._ended.done():
            return
        if error is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(error)
            self._ended.exception()  # raised where it is awaited, if anywhere

    async def _viewport(self) -> RecordedViewport | None:
        with suppress(CommandError, msgspec.ValidationError):
            size = await self._state.frames.main.evaluate("({width: innerWidth, height: innerHeight})")
            return msgspec.convert(size, RecordedViewport)
        return None
