"""A trace as a zip for Playwright's trace viewer, in version 8 of its format, which later viewers read as well.

The viewer shows sequences with their actions, calls, requests, the console, errors and screenshots. It has no place for
the pending set, fences and deltas: a verdict stands in the log of its sequence, a delta in its result.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.trace.har_format import entry_of
from stillframe.trace.timeline import label_of, pending_at, screenshot_of, timeline

if TYPE_CHECKING:
    from stillframe.trace.reading import Trace
    from stillframe.trace.spans import Action, Sequence, Span, Timeline

FORMAT_VERSION = 8
PAGE = "page@1"
FRAME = "frame@1"
VIEW = {"width": 1280, "height": 720}
"""The size of the view where the trace does not tell: Playwright's own default."""

Event = dict[str, Any]


def exported(trace: Trace) -> bytes:
    """Return the zip."""
    shown = timeline(trace)
    screenshots = _Screenshots()
    # Screenshots come last: the viewer has to know the actions that they belong to.
    events = [_context(trace), *sorted(_events(shown), key=_time), *_screenshots(shown, screenshots)]
    network = [_resource(trace, span) for span in shown.spans if span.lane == "requests"]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.trace", _lines(events))
        archive.writestr("trace.network", _lines(network))
        for name, data in screenshots.files.items():
            archive.writestr(f"resources/{name}", data, zipfile.ZIP_STORED)
    return content.getvalue()


def _lines(events: list[Event]) -> bytes:
    return b"".join(msgspec.json.encode(event) + b"\n" for event in events)


def _context(trace: Trace) -> Event:
    header = trace.header
    size = {"width": header.width, "height": header.height} if header.width and header.height else VIEW
    return {
        "version": FORMAT_VERSION,
        "type": "context-options",
        "origin": "library",
        "browserName": "chromium",
        "platform": "",
        "wallTime": header.started_at,
        "monotonicTime": 0,
        "title": f"stillframe {PurePath(trace.path).name}",
        "options": {"viewport": size},
        "sdkLanguage": "python",
    }


def _time(event: Event) -> float:
    return float(next(event[name] for name in ("time", "startTime", "endTime") if name in event))


def _screenshots(shown: Timeline, screenshots: _Screenshots) -> Iterator[Event]:
    for sequence in shown.sequences:
        for when in ("before", "after"):
            if (screenshot := screenshot_of(shown, sequence, when)) is not None:
                yield from screenshots.shown(f"sequence@{sequence.id}", when, screenshot)


def _events(shown: Timeline) -> Iterator[Event]:
    inner = [(sequence.begin, sequence.end) for sequence in shown.sequences]
    for number, span in enumerate(shown.spans):
        holds_sequence = any(span.begin <= begin and end <= span.end for begin, end in inner)
        if span.lane == "calls" and not holds_sequence:
            yield from _call(f"call@{number}", span)
        elif span.lane == "console":
            yield _console(span)
    for sequence in shown.sequences:
        yield from _sequence(shown, sequence)


def _call(call_id: str, span: Span) -> Iterator[Event]:
    params = span.details.get("arguments") or {}
    yield _before(call_id, span.begin, span.label, span.label.partition(" ")[0], params)
    error = span.details.get("error")
    yield _after(call_id, span.end, f"{error.get('code')}: {error.get('message')}" if isinstance(error, dict) else "")


def _sequence(shown: Timeline, sequence: Sequence) -> Iterator[Event]:
    call_id = f"sequence@{sequence.id}"
    result = sequence.result or {}
    outcome = sequence.outcome or "did not end"
    yield _before(call_id, sequence.begin, f"sequence {sequence.id}: {outcome}", "executeSequence", sequence.options)
    for action in sequence.actions:
        yield from _action(call_id, action)
    for at in dict.fromkeys(work.begin for work in shown.pending if sequence.begin <= work.begin <= sequence.end):
        for work in pending_at(shown, at):
            yield _log(call_id, at, f"waits for {work.kind} {work.what}")
    yield _log(call_id, sequence.end, f"verdict: {outcome}")
    failed = result.get("failed")
    after = _after(call_id, sequence.end, str(failed.get("error")) if isinstance(failed, dict) else "")
    yield {**after, "result": {"stateChange": result.get("stateChange")}}


def _action(parent: str, action: Action) -> Iterator[Event]:
    call_id = f"{parent}.{action.index}"
    kind = str(action.fields.get("action", "action"))
    params = {name: value for name, value in action.fields.items() if name != "action"}
    yield {**_before(call_id, action.begin, label_of(action.fields), kind, params), "parentId": parent}
    yield _after(call_id, action.end, action.error)


def _before(call_id: str, at: float, title: str, method: str, params: dict[str, Any]) -> Event:
    return {
        "type": "before",
        "callId": call_id,
        "startTime": at,
        "title": title,
        "class": "Page",
        "method": method,
        "params": params,
        "pageId": PAGE,
        "beforeSnapshot": f"before@{call_id}",
    }


def _after(call_id: str, at: float, error: str) -> Event:
    event = {"type": "after", "callId": call_id, "endTime": at, "afterSnapshot": f"after@{call_id}"}
    return {**event, "error": {"name": "Error", "message": error}} if error else event


def _log(call_id: str, at: float, message: str) -> Event:
    return {"type": "log", "callId": call_id, "time": at, "message": message}


def _console(span: Span) -> Event:
    said = _mapping(span.details.get("message") or span.details.get("error"))
    place = _mapping(said.get("location"))
    return {
        "type": "console",
        "time": span.begin,
        "pageId": PAGE,
        "messageType": "error" if span.state == "error" else str(said.get("type", "log")),
        "text": span.label,
        "args": [],
        "location": {
            "url": str(place.get("url", "")),
            "lineNumber": int(_number(place.get("line"), 1)) - 1,
            "columnNumber": int(_number(place.get("column"), 1)) - 1,
        },
    }


# -- screenshots --------------------------------------------------------------------------------------


class _Screenshots:
    """The screenshots of a trace: frames of the film strip, and snapshots that show nothing but the screenshot."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def shown(self, call_id: str, when: str, screenshot: dict[str, Any]) -> Iterator[Event]:
        data, at = screenshot.get("data"), _number(screenshot.get("at"), 0)
        try:
            image = base64.b64decode(data) if isinstance(data, str) else b""
        except (binascii.Error, ValueError):
            image = b""
        if not image:
            return
        name = f"{hashlib.sha1(image, usedforsecurity=False).hexdigest()}.jpeg"
        self.files[name] = image
        size = {"width": screenshot.get("width") or VIEW["width"], "height": screenshot.get("height") or VIEW["height"]}
        yield {"type": "screencast-frame", "pageId": PAGE, "sha1": name, "timestamp": at, **size}
        style = "display:block;width:100%"
        body = ["BODY", {"style": "margin:0"}, ["IMG", {"src": f"data:image/jpeg;base64,{data}", "style": style}]]
        yield {
            "type": "frame-snapshot",
            "snapshot": {
                "callId": call_id,
                "snapshotName": f"{when}@{call_id}",
                "pageId": PAGE,
                "frameId": FRAME,
                "frameUrl": str(screenshot.get("url", "")) or "about:blank",
                "doctype": "html",
                "html": ["HTML", {}, ["HEAD", {}], body],
                "viewport": size,
                "timestamp": at,
                "collectionTime": 0,
                "resourceOverrides": [],
                "isMainFrame": True,
            },
        }


# -- requests --------------------------------------------------------------------------------------


def _resource(trace: Trace, span: Span) -> Event:
    """Return a request as an entry of a HAR file, which the viewer takes."""
    entry = msgspec.to_builtins(entry_of(trace, span))
    return {
        "type": "resource-snapshot",
        "snapshot": {**entry, "pageref": PAGE, "_monotonicTime": span.begin, "_frameref": FRAME},
    }


# -- values of any type ------------------------------------------------------------------------------


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any, default: float) -> float:
    return value if isinstance(value, int | float) else default
