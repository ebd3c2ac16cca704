"""A trace as Chrome's trace events in JSON, which Perfetto and chrome://tracing open.

Events of one track may nest but not overlap, so a lane has as many tracks as spans overlap in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.trace.spans import LANES, Span
from stillframe.trace.timeline import timeline

if TYPE_CHECKING:
    from stillframe.trace.reading import Trace

PROCESS = 1


def exported(trace: Trace) -> bytes:
    """Return a trace as the JSON object format of trace events; times are in microseconds since the trace began."""
    shown = timeline(trace)
    events: list[dict[str, Any]] = [_name("process_name", 0, f"stillframe {trace.header.url}".strip())]
    track = 0
    for lane in LANES:
        for number, spans in enumerate(_tracks([span for span in shown.spans if span.lane == lane]), 1):
            track += 1
            events.append(_name("thread_name", track, lane if number == 1 else f"{lane} {number}"))
            events += [_event(span, track) for span in spans]
    metadata = {"browser": trace.header.browser, "startedAt": trace.header.started_at, "format": trace.header.format}
    return msgspec.json.encode({"traceEvents": events, "displayTimeUnit": "ms", "metadata": metadata})


def _tracks(spans: list[Span]) -> list[list[Span]]:
    """Distribute spans, which are in the order of their beginnings, to tracks in which none overlap."""
    tracks: list[list[Span]] = []
    for span in spans:
        free = next((track for track in tracks if track[-1].end <= span.begin), None)
        if free is None:
            tracks.append([span])
        else:
            free.append(span)
    return tracks


def _event(span: Span, track: int) -> dict[str, Any]:
    event = {
        "name": span.label,
        "cat": span.lane,
        "pid": PROCESS,
        "tid": track,
        "ts": round(span.begin * 1000),
        "args": {**span.details, **({"state": span.state} if span.state else {})},
    }
    if span.end == span.begin:
        return {**event, "ph": "i", "s": "t"}
    return {**event, "ph": "X", "dur": round((span.end - span.begin) * 1000)}


def _name(kind: str, track: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": PROCESS, "tid": track, "args": {"name": name}}
