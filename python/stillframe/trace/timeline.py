"""What a trace shows over time: spans in lanes, the pending set at any moment, and the sequences with their steps.

Records in, plain values out; the report, `trace show --json` and the exports all draw these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from stillframe.model.verdict import outcome_of
from stillframe.trace.spans import Action, PendingWork, Sequence, Span, Timeline

if TYPE_CHECKING:
    from stillframe.trace.reading import Record, Trace

SCREENSHOT_FIELDS = ("data", "width", "height", "url", "error", "sameAs")
SOCKET_SIGNALS = frozenset({"SocketSent", "SocketReceived", "StreamMessage"})


def timeline(trace: Trace) -> Timeline:
    """Return what a trace shows over time; O(records)."""
    end = trace.duration_ms
    builder = _Builder(end)
    for record in trace.records:
        if (handle := _HANDLERS.get(record["type"])) is not None:
            handle(builder, record)
    builder.finish()
    builder.spans.sort(key=lambda span: span.begin)
    return Timeline(
        duration_ms=end, spans=builder.spans, pending=builder.pending, sequences=list(builder.sequences.values())
    )


def pending_at(shown: Timeline, at: float) -> Iterator[PendingWork]:
    """Yield the work that a wait waited for at a moment, in milliseconds since the trace began."""
    return (work for work in shown.pending if work.begin <= at < work.end)


def screenshot_of(shown: Timeline, sequence: Sequence, when: str) -> dict[str, Any] | None:
    """Return the screenshot before or after a sequence: its data, width and height, or an error; None without one."""
    found: dict[str, Any] | None = sequence.screenshots.get(when)
    if found is None or "sameAs" not in found:
        return found
    other = next((each for each in shown.sequences if each.id == found["sameAs"]), None)
    same = other.screenshots.get("after") if other is not None else None
    return None if same is None or "sameAs" in same else {**same, "at": found["at"]}


class _Builder:
    """Collects spans while it goes through the records once."""

    def __init__(self, end: float) -> None:
        self.spans: list[Span] = []
        self.pending: list[PendingWork] = []
        self.sequences: dict[int, Sequence] = {}
        self._end = end
        self._open: dict[tuple[str, Any], Span] = {}
        self._rows: dict[tuple[str, str], PendingWork] = {}
        self._current: Sequence | None = None
        self._timers: dict[tuple[str, str, int], Span] = {}
        self._animations: dict[str, Span] = {}

    # -- spans -------------------------------------------------------------------------------------

    def moment(self, lane: str, at: float, label: str, *, state: str = "", **details: Any) -> None:
        self.spans.append(Span(lane=lane, begin=at, end=at, label=label, state=state, details=details))

    def begin(self, lane: str, key: Any, at: float, label: str, **details: Any) -> Span:
        span = Span(lane=lane, begin=at, end=self._end, label=label, state="open", details=details)
        self._open[lane, key] = span
        self.spans.append(span)
        return span

    def end(self, lane: str, key: Any, at: float, *, state: str = "", **details: Any) -> None:
        if (span := self._open.pop((lane, key), None)) is not None:
            span.end, span.state = at, state
            span.details |= details

    def add(self, lane: str, key: Any, **details: Any) -> None:
        if (span := self._open.get((lane, key))) is not None:
            span.details |= details

    def finish(self) -> None:
        for work in self._rows.values():
            self._close(work, self._end)

    # -- calls and sequences -----------------------------------------------------------------------

    def call(self, record: Record) -> None:
        where = record.get("url") or record.get("selector") or ""
        self.begin("calls", record["id"], record["at"], f"{record['name']} {where}".strip())

    def returned(self, record: Record) -> None:
        error = record.get("error")
        details = {"arguments": record.get("arguments") or {}, **({"error": error} if error else {})}
        self.end("calls", record["id"], record["at"], state="error" if error else "", **details)

    def sequence(self, record: Record) -> None:
        self._current = self.sequences[record["id"]] = Sequence(
            id=record["id"],
            begin=record["at"],
            end=self._end,
            planned=record["actions"],
            options=_dict(record.get("options")),
        )

    def action(self, record: Record) -> None:
        fields = {key: value for key, value in record.items() if key not in ("at", "type", "sequence", "index")}
        sequence = self.sequences.get(record["sequence"])
        if sequence is not None:
            action = Action(index=record["index"], begin=record["at"], end=self._end, fields=fields)
            sequence.actions.append(action)
        self.begin("actions", (record["sequence"], record["index"]), record["at"], label_of(fields), action=fields)

    def step(self, record: Record) -> None:
        step, error = record["step"], str(record["step"].get("error") or "")
        for action in self._actions(record):
            action.end, action.fields = record["at"], record["action"]
            action.result, action.error = str(step.get("result", "")), error
        key = record["sequence"], record["index"]
        details = {"action": record["action"], **({"error": error} if error else {})}
        self.end("actions", key, record["at"], state="error" if error else "", **details)

    def _actions(self, record: Record) -> Iterator[Action]:
        sequence = self.sequences.get(record["sequence"])
        if sequence is not None and sequence.actions and sequence.actions[-1].index == record["index"]:
            yield sequence.actions[-1]

    def result(self, record: Record) -> None:
        if (sequence := self.sequences.get(record["sequence"])) is not None:
            sequence.result, sequence.end = record["result"], record["at"]
            sequence.outcome = _outcome(record["result"])

    def screenshot(self, record: Record) -> None:
        if (sequence := self.sequences.get(record["sequence"])) is None:
            return
        # A screenshot stands in the timeline once; `sameAs` is resolved by what draws it.
        kept = {name: record[name] for name in SCREENSHOT_FIELDS if name in record}
        sequence.screenshots[record["when"]] = {**kept, "at": record["at"]}

    def boxes(self, record: Record) -> None:
        if (sequence := self.sequences.get(record["sequence"])) is not None:
            sequence.boxes = {"before": record["before"], "after": record["after"]}

    def text(self, record: Record) -> None:
        if (sequence := self.sequences.get(record["sequence"])) is not None:
            sequence.text = record["text"]

    # -- waiting -----------------------------------------------------------------------------------

    def verdict(self, record: Record) -> None:
        verdict = record["verdict"]
        details = {"verdict": verdict}
        state = "" if verdict.get("stable") else "error"
        if ("verdicts", "wait") not in self._open:
            self.moment("verdicts", record["at"], _outcome(verdict), state=state, **details)
            return
        self._open["verdicts", "wait"].label = _outcome(verdict)
        self.end("verdicts", "wait", record["at"], state=state, **details)

    def signal(self, record: Record) -> None:
        if (handle := _SIGNALS.get(record["signal"])) is not None:
            handle(self, record)

    def between_actions(self, record: Record) -> None:
        self.begin("verdicts", "wait", record["at"], "waiting")

    def actions_done(self, record: Record) -> None:
        self.begin("verdicts", "wait", record["at"], "waiting")
        if self._current is not None and self._current.result is None:
            self._current.waits_from = record["at"]

    def fence(self, record: Record) -> None:
        self.begin("fences", record["id"], record["at"], f"fence {record['id']}", realms=record["realms"])

    def fence_done(self, record: Record) -> None:
        at, report = record["at"], record["report"]
        if (span := self._open.get(("fences", record["id"]))) is not None:
            # Each realm answers; the fence ends with the last answer.
            span.end, span.state = at, ""
            span.details.setdefault("reports", []).append(report)
        self._scheduled(at, str(record.get("realm")), report.get("calls"))
        if isinstance(animated := report.get("animated"), dict):
            self._animated(str(animated.get("what")), at, at + _number(animated.get("remaining_ms")))
        if isinstance(quiet := report.get("quiet_ms"), int | float) and quiet >= 0:
            self.moment("changes", max(0.0, at - quiet), str(report.get("where") or "last change"))

    def _scheduled(self, at: float, realm: str, calls: Any) -> None:
        for call in calls if isinstance(calls, list) else ():
            if not isinstance(call, dict):
                continue
            age, due = _number(call.get("age_ms")), call.get("due_ms")
            begin = max(0.0, at - age)
            end = min(self._end, at + max(0.0, _number(due)))
            key = realm, str(call.get("key")), round(begin / 20)
            if (span := self._timers.get(key)) is not None:
                span.end = max(span.end, end)
                continue
            span = Span(
                lane="timers", begin=begin, end=end, label=str(call.get("what")), details={"site": call.get("site")}
            )
            self._timers[key] = span
            self.spans.append(span)

    def pending_set(self, record: Record) -> None:
        at = record["at"]
        for pair in record["closed"]:
            if isinstance(pair, list) and len(pair) == 2:
                self._close_row(tuple(map(str, pair)), at)
        for row in record["opened"]:
            if isinstance(row, dict):
                self._open_row(row, at)

    def _open_row(self, row: dict[str, Any], at: float) -> None:
        work = PendingWork(
            kind=str(row.get("kind")),
            what=str(row.get("what")),
            begin=at,
            end=self._end,
            since=max(0.0, at - _number(row.get("ageMs"))),
            site=row.get("site") if isinstance(row.get("site"), str) else None,
        )
        key = work.kind, str(row.get("key"))
        self._rows[key] = work
        self.pending.append(work)

    def _close_row(self, key: tuple[str, ...], at: float) -> None:
        if (work := self._rows.pop((key[0], key[1]), None)) is not None:
            self._close(work, at)

    def _close(self, work: PendingWork, at: float) -> None:
        work.end = at
        if work.kind == "animation":
            self._animated(work.what, work.since, at)

    def _animated(self, what: str, begin: float, end: float) -> None:
        """Add an animation, or what else is known of the one that has not ended before `begin`."""
        end = min(end, self._end)
        span = self._animations.get(what)
        if span is None or span.end < begin:
            span = self._animations[what] = Span(lane="animations", begin=begin, end=end, label=what)
            self.spans.append(span)
        span.begin, span.end = min(span.begin, begin), max(span.end, end)

    # -- what the page did -------------------------------------------------------------------------

    def request(self, record: Record) -> None:
        label = f"{record['method']} {record['url']}"
        details = {name: record[name] for name in ("url", "method", "resourceType", "headers") if name in record}
        self.end("requests", record["id"], record["at"], redirected=True)
        self.begin("requests", record["id"], record["at"], label, id=record["id"], **details)

    def response(self, record: Record) -> None:
        details = {key: value for key, value in record.items() if key not in ("at", "type", "id", "headers")}
        headers = _dict(record.get("headers"))
        self.add("requests", record["id"], responseAt=record["at"], responseHeaders=headers, **details)

    def finished(self, record: Record) -> None:
        span = self._open.get(("requests", record["id"]))
        status = _number(span.details.get("status")) if span else 0
        self.end("requests", record["id"], record["at"], state="error" if status >= 400 else "")

    def failed(self, record: Record) -> None:
        self.end("requests", record["id"], record["at"], state="error", error=record["error"])

    def navigation_started(self, record: Record) -> None:
        if record.get("main"):
            self.begin("documents", str(record.get("loader")), record["at"], str(record.get("url")))

    def committed(self, record: Record) -> None:
        if not record.get("main"):
            return
        if ("documents", str(record.get("loader"))) not in self._open:
            self.begin("documents", str(record.get("loader")), record["at"], str(record.get("url")))
        self.add("documents", str(record.get("loader")), committedAt=record["at"])

    def loaded(self, record: Record) -> None:
        if record.get("main"):
            self.end("documents", str(record.get("loader")), record["at"])

    def within_document(self, record: Record) -> None:
        if record.get("main"):
            self.moment("documents", record["at"], str(record.get("url")))

    def mutated(self, record: Record) -> None:
        self.moment("changes", record["at"], str(record.get("where") or "the document"))

    def socket_opening(self, record: Record) -> None:
        self.begin("sockets", str(record.get("id")), record["at"], str(record.get("url")))

    def socket_closed(self, record: Record) -> None:
        self.end("sockets", str(record.get("id")), record["at"])

    def message(self, record: Record) -> None:
        name, shape = record["signal"], str(record.get("shape") or "message")
        self.moment("sockets", record["at"], f"{'sent' if name == 'SocketSent' else 'received'}: {shape}")

    def console(self, record: Record) -> None:
        message = record["message"]
        type_ = str(message.get("type"))
        state = "error" if type_ == "error" else ""
        self.moment("console", record["at"], str(message.get("text")), state=state, message=message)

    def pageerror(self, record: Record) -> None:
        error = record["error"]
        self.moment("console", record["at"], str(error.get("message")), state="error", error=error)

    def other(self, record: Record) -> None:
        what = {key: value for key, value in record.items() if key not in ("at", "type")}
        state = "error" if record["type"] == "crash" else ""
        self.moment("console", record["at"], _label_of_event(record), state=state, **what)


def label_of(fields: dict[str, Any]) -> str:
    """Return an action as a few words: its kind and its target."""
    target = next((fields[name] for name in ("selector", "url", "key", "direction", "text") if fields.get(name)), "")
    return f"{fields.get('action', 'action')} {target if isinstance(target, str) else ''}".strip()


_EVENT_LABELS = {
    "dialog": ("dialog", ("type", "message")),
    "download": ("download", ("suggestedFilename", "url")),
    "popup": ("target", ("type", "url")),
}
"""Where the records of events hold what tells them apart."""


def _label_of_event(record: Record) -> str:
    """Return an event as a few words: `dialog confirm Really?`."""
    where, names = _EVENT_LABELS.get(record["type"], ("", ()))
    found = _dict(record.get(where))
    return " ".join([record["type"], *(str(found[name]) for name in names if found.get(name))])


def _outcome(ended: dict[str, Any]) -> str:
    """Return how a verdict or a result says that a wait ended."""
    return outcome_of(*(str(ended.get(name) or "") for name in ("reason", "waitReason", "detail")))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


_HANDLERS: dict[str, Callable[[_Builder, Record], None]] = {
    "call": _Builder.call,
    "returned": _Builder.returned,
    "sequence": _Builder.sequence,
    "action": _Builder.action,
    "step": _Builder.step,
    "result": _Builder.result,
    "screenshot": _Builder.screenshot,
    "boxes": _Builder.boxes,
    "text": _Builder.text,
    "verdict": _Builder.verdict,
    "signal": _Builder.signal,
    "fence": _Builder.fence,
    "fenceDone": _Builder.fence_done,
    "pending": _Builder.pending_set,
    "request": _Builder.request,
    "response": _Builder.response,
    "requestfinished": _Builder.finished,
    "requestfailed": _Builder.failed,
    "console": _Builder.console,
    "pageerror": _Builder.pageerror,
    **dict.fromkeys(("dialog", "download", "popup", "crash", "close", "truncated"), _Builder.other),
}

_SIGNALS: dict[str, Callable[[_Builder, Record], None]] = {
    "ActionsDone": _Builder.actions_done,
    "BetweenActions": _Builder.between_actions,
    "NavigationStarted": _Builder.navigation_started,
    "Committed": _Builder.committed,
    "Loaded": _Builder.loaded,
    "NavigatedWithinDocument": _Builder.within_document,
    "Mutated": _Builder.mutated,
    "SocketOpening": _Builder.socket_opening,
    "SocketClosed": _Builder.socket_closed,
    **dict.fromkeys(SOCKET_SIGNALS, _Builder.message),
}
