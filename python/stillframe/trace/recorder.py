"""Record what happens on one page in a trace file.

The recorder only listens: to the signals of settling, to the events of the tab, and to the sequences and calls that the
engine and the API report. A record is free of secrets before it is written: texts by the redaction of the context,
fields by their names (`format`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.errors import StillframeError
from stillframe.extend import PageObserver, PageState, SequenceObserver, signals
from stillframe.extend.signals import Effect, Finish, Signal
from stillframe.model.actions import UploadContent
from stillframe.model.bounds import short, shortened
from stillframe.model.secret import REDACTED, Secret
from stillframe.security.encodings import without_encoded_secrets
from stillframe.trace.format import without_credentials
from stillframe.trace.screenshots import Box, Screenshot, boxes_of, take

if TYPE_CHECKING:
    from stillframe.core import Snapshot
    from stillframe.extend import NodeKey, TabEventName
    from stillframe.model.actions import Action
    from stillframe.model.change import ChangedRow, Row, StateChange
    from stillframe.model.result import SequenceResult, Step
    from stillframe.trace.file import TraceFile

UNRECORDED = (
    # The machine's own clockwork.
    signals.Tick,
    signals.Disarmed,
    # Events of the tab say more about the same things.
    *(signals.RequestStarted, signals.ResponseStarted, signals.DataReceived, signals.RequestEnded),
    *(signals.ResourcesLoaded, signals.Crashed, signals.Closed, signals.DialogOpened, signals.Download),
    *(signals.DialogHeld, signals.DialogReleased),
)
"""Signals without a record of their own."""

ARGUMENTS = frozenset(
    {"url", "selector", "expression", "text", "key", "value", "direction", "until", "state", "settle", "name"}
    | {"width", "height", "timeout_ms", "full_page", "format"}
)
"""Parameters of calls that are recorded; others may hold credentials or whole documents."""
ARGUMENT_CHARACTERS = 500
TEXT_CHARACTERS = 8_000
"""Characters of the page's text after a sequence."""

EVENTS: tuple[TabEventName, ...] = (
    *("console", "pageerror", "request", "response", "requestfinished", "requestfailed"),
    *("dialog", "download", "popup", "close", "crash"),
)


class TraceRecorder(PageObserver):
    """Records one page from its first session on; `stop` ends it.

    With `screenshots`, it takes a screenshot before and after each sequence, and finds in it the elements of the delta.
    """

    def __init__(self, state: PageState, file: TraceFile, *, screenshots: bool = False) -> None:
        self.file = file
        self.screenshots = screenshots
        self._state = state
        self._began = time.monotonic()
        self._sequences = self._calls = 0
        self._blocking: dict[tuple[str, str], signals.PendingRow] = {}
        self._last: tuple[int, Screenshot] | None = None
        """The last screenshot after a sequence, and the number of that sequence."""
        self._removers: list[Callable[[], object]] = [
            state.on_signal(self._heard),
            state.observe(self),
            *(state.listen(name, self._listener(name)) for name in EVENTS),
        ]

    @property
    def place(self) -> str:
        """Where in the trace the page is now, in words."""
        return f"after sequence {self._sequences}" if self._sequences else "before the first sequence"

    def stop(self) -> None:
        """End the trace; calls after the first do nothing."""
        if not self._removers:
            return
        for remove in self._removers:
            remove()
        self._removers.clear()
        self._write("end")
        self.file.close()

    def _write(self, type_: str, *, image: str | None = None, **fields: Any) -> None:
        if redactor := self._state.redactor:
            fields = without_encoded_secrets(msgspec.to_builtins(fields), redactor)
        self.file.write((time.monotonic() - self._began) * 1000, type_, image=image, **fields)

    # -- calls and sequences -----------------------------------------------------------------------

    @contextmanager
    def call(self, name: str, arguments: Mapping[str, Any]) -> Iterator[None]:
        """Record a call of the API inside the block, with the error that ends it.

        Texts are recorded at its end only: by then the context knows those that were typed into a password field.
        """
        self._calls += 1
        number = self._calls
        where = {key: self._safe(arguments[key]) for key in ("url", "selector") if key in arguments}
        self._write("call", id=number, name=name, **where)
        failure: dict[str, str] | None = None
        try:
            yield
        except BaseException as error:
            message = str(error) if isinstance(error, StillframeError) else ""
            failure = {"code": getattr(error, "code", type(error).__name__), "message": self._safe(message)}
            raise
        finally:
            known = {key: self._argument(value) for key, value in arguments.items() if key in ARGUMENTS}
            ended: dict[str, Any] = {} if failure is None else {"error": failure}
            self._write("returned", id=number, arguments=known, **ended)

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Secret):
            return _named(value)
        if isinstance(value, str):
            return short(self._safe(value), ARGUMENT_CHARACTERS)
        return value if value is None or isinstance(value, bool | int | float) else f"({type(value).__name__})"

    def sequence(self, plan: Sequence[Action], options: msgspec.Struct) -> SequenceTrace:
        """Record the beginning of a sequence; returns what records the rest of it."""
        self._sequences += 1
        actions = [_outline(self._safe, action) for action in plan]
        self._write("sequence", id=self._sequences, actions=actions, options=self._safe(_changed(options)))
        return SequenceTrace(self, self._sequences)

    # -- signals -----------------------------------------------------------------------------------

    def _heard(self, now: float, signal: Signal, effects: tuple[Effect, ...]) -> None:
        if isinstance(signal, signals.FenceDone):
            report = self._safe(signal.report)
            self._write("fenceDone", id=signal.id, realm=signal.realm, report=report, lost=signal.lost)
        elif isinstance(signal, signals.FenceSent):
            realms = self._safe([realm.what or realm.kind for realm in signal.realms])
            self._write("fence", id=signal.id, realms=realms)
        elif not isinstance(signal, UNRECORDED):
            fields = msgspec.to_builtins(self._safe(signal))
            self._write("signal", signal=type(signal).__name__, **fields)
        self._compare_pending(now)
        for effect in effects:
            if isinstance(effect, Finish):
                self._write("verdict", verdict=self._safe(effect.verdict))

    def _compare_pending(self, now: float) -> None:
        blocking = {(row.kind, row.key): row for row in self._state.blocking(now)}
        former, self._blocking = self._blocking, blocking
        if former.keys() == blocking.keys():
            return
        opened = [
            {"key": self._safe(key), **msgspec.to_builtins(self._safe(row.pending(now)))}
            for (_, key), row in blocking.items()
            if (row.kind, key) not in former
        ]
        closed = [(kind, self._safe(key)) for kind, key in former if (kind, key) not in blocking]
        self._write("pending", opened=opened, closed=closed)

    # -- events of the tab ---------------------------------------------------------------------------

    def _listener(self, name: TabEventName) -> Callable[[Any], None]:
        if name == "close":
            return lambda _: self._closed()
        record = _EVENTS[name]
        return lambda event: self._write(name, **record(event))

    def _closed(self) -> None:
        self._write("close")
        self.stop()

    def _safe(self, value: Any) -> Any:
        return shortened(self._state.redact(value))


class SequenceTrace(SequenceObserver):
    """Records one sequence."""

    def __init__(self, recorder: TraceRecorder, number: int) -> None:
        self._recorder = recorder
        self._number = number
        self._before: Screenshot | None = None
        self._after: Screenshot | None = None

    def action(self, index: int, action: Action) -> None:
        """Record that an action begins."""
        outline = _outline(self._recorder._safe, action)
        self._recorder._write("action", sequence=self._number, index=index, **outline)

    def step(self, index: int, action: Action, step: Step) -> None:
        """Record that an action has ended; the context knows by now which of its texts are secret."""
        plain = self._recorder._safe(_plain(action))
        self._recorder._write("step", sequence=self._number, index=index, action=plain, step=step)

    async def before(self, *, unchanged: bool) -> None:
        """Take a screenshot, if screenshots are wanted; on an unchanged page, the last one of a sequence will do."""
        recorder = self._recorder
        if unchanged and recorder._last is not None and self._wanted:
            number, self._before = recorder._last
            recorder._write("screenshot", sequence=self._number, when="before", sameAs=number)
        else:
            self._before = await self._screenshot("before")

    async def after(self) -> None:
        """Take a screenshot, if screenshots are wanted."""
        self._after = taken = await self._screenshot("after")
        if taken is not None:
            self._recorder._last = None if taken.data is None else (self._number, taken)

    @property
    def _wanted(self) -> bool:
        return self._recorder.screenshots and not self._recorder.file.closed

    async def _screenshot(self, when: Literal["before", "after"]) -> Screenshot | None:
        if not self._wanted:
            return None
        recorder = self._recorder
        taken = await take(recorder._state)
        fields = {"error": taken.error} if taken.data is None else {}
        size = {"width": taken.width, "height": taken.height}
        url = recorder._safe(recorder._state.url)
        recorder._write("screenshot", image=taken.data, sequence=self._number, when=when, url=url, **size, **fields)
        return taken

    def result(self, result: SequenceResult, after: Snapshot | None) -> None:
        """Record the result, the page's text, and where the elements of its delta are in the screenshots."""
        self._recorder._write("result", sequence=self._number, result=result)
        if after is not None:
            text = self._recorder._state.text(after, budget=TEXT_CHARACTERS)
            self._recorder._write("text", sequence=self._number, text=text)
        if result.state_change is not None and self._before is not None and self._after is not None:
            boxes = self._boxes(result.state_change, self._before, self._after)
            self._recorder._write("boxes", sequence=self._number, before=boxes["before"], after=boxes["after"])

    def _boxes(self, change: StateChange, before: Screenshot, after: Screenshot) -> dict[str, dict[str, Box]]:
        def elements(rows: Sequence[Row | ChangedRow]) -> dict[str, NodeKey | None]:
            return {row.ref: self._recorder._state.refs.stood_for(row.ref) for row in rows}

        changed = elements(change.changed)
        return {
            "before": boxes_of(before, elements(change.disappeared) | changed),
            "after": boxes_of(after, elements(change.appeared) | changed),
        }


# -- records ---------------------------------------------------------------------------------------


def _changed(options: msgspec.Struct) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    default = type(options)()
    return {
        name: msgspec.to_builtins(value)
        for name in options.__struct_fields__
        if (value := getattr(options, name)) != getattr(default, name)
    }


def _outline(safe: Callable[[Any], Any], action: Action) -> dict[str, Any]:
    """Return the kind of an action and its target, without any text that it types."""
    names = ("selector", "target", "url", "key", "direction")
    found = {name: getattr(action, name, None) for name in names}
    return {"action": action.kind, **{name: safe(value) for name, value in found.items() if value is not None}}


def _plain(action: Action) -> dict[str, Any]:
    """Return the fields of an action that are set, with names in place of its secrets."""
    default = type(action).__struct_defaults__
    fields: dict[str, Any] = {"action": action.kind}
    for name, key in zip(action.__struct_fields__, action.__struct_encode_fields__, strict=True):
        value = getattr(action, name)
        if isinstance(value, Secret):
            fields[key] = _named(value)
        elif isinstance(action, UploadContent) and name == "files":
            fields[key] = [{"name": each.name, "mimeType": each.mime_type, "bytes": len(each.buffer)} for each in value]
        elif value is not None and value != () and not any(value is each for each in default):
            fields[key] = msgspec.to_builtins(value)
    return fields


def _named(secret: Secret) -> Any:
    return REDACTED if secret.name is None else {"secretName": secret.name}


def _request(event: Any) -> dict[str, Any]:
    fields = msgspec.to_builtins(event)
    fields.pop("postData", None)  # a form may hold anything
    fields["headers"] = without_credentials(dict(event.headers))
    fields["bodyCharacters"] = len(event.post_data or "")
    return dict(shortened(fields))


def _response(event: Any) -> dict[str, Any]:
    headers = without_credentials(dict(event.headers))
    return {
        "id": event.request.id,
        "status": event.status,
        "statusText": event.status_text,
        "mimeType": event.mime_type,
        "fromCache": event.from_cache,
        "headers": shortened(headers),
    }


_EVENTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "request": _request,
    "response": _response,
    "requestfinished": lambda request: {"id": request.id},
    "requestfailed": lambda failed: {"id": failed.request.id, "error": failed.error, "canceled": failed.canceled},
    "console": lambda message: {"message": shortened(message)},
    "pageerror": lambda error: {"error": shortened(error)},
    "dialog": lambda dialog: {"dialog": shortened(dialog)},
    "download": lambda download: {"download": shortened(download.report)},
    "popup": lambda target: {"target": shortened(target)},
    "crash": lambda _: {},
}
"""The records of events, but for the last one."""
