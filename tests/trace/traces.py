"""Traces for tests, written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stillframe.trace.format import FORMAT, Header, line
from stillframe.trace.reading import Trace, read_trace

HEADER = Header(
    format=FORMAT, version="0.1.0", started_at=1_700_000_000_000, browser="Chrome/1", target_id="T", url="http://a/"
)


def rec(at: float, type_: str, **fields: Any) -> dict[str, Any]:
    return {"at": at, "type": type_, **fields}


def content_of(*records: dict[str, Any]) -> bytes:
    return line(HEADER) + b"".join(map(line, records))


def trace_of(tmp_path: Path, *records: dict[str, Any]) -> Trace:
    path = tmp_path / "a.trace.jsonl"
    path.write_bytes(content_of(*records))
    return read_trace(path)


SEQUENCE = (
    rec(0, "call", id=1, name="execute_sequence"),
    rec(1, "sequence", id=1, actions=[{"action": "click_element", "selector": "#buy"}], options={"verbose": True}),
    rec(2, "signal", signal="Armed"),
    rec(2, "signal", signal="NavigationStarted", frame="F", loader="L", url="http://a/f", main=False),
    rec(2, "signal", signal="SocketClosed", id="none"),
    rec(3, "action", sequence=1, index=0, action="click_element", selector="#buy"),
    rec(4, "request", id="r1", url="http://a/buy", method="POST", resourceType="fetch", headers={}),
    rec(
        5,
        "step",
        sequence=1,
        index=0,
        action={"action": "click_element", "selector": "#buy"},
        step={"action": "click_element", "result": "ok", "durationMs": 2},
    ),
    rec(6, "signal", signal="ActionsDone"),
    rec(7, "pending", opened=[{"key": "r1", "kind": "request", "what": "POST http://a/buy", "ageMs": 3}], closed=[]),
    rec(20, "response", id="r1", status=200, mimeType="text/html", headers={"a": "b"}),
    rec(21, "requestfinished", id="r1"),
    rec(21, "pending", opened=[], closed=[["request", "r1"]]),
    rec(22, "signal", signal="Mutated", where="#cart"),
    rec(30, "fence", id=1, realms=["http://a/"]),
    rec(
        60,
        "fenceDone",
        id=1,
        realm="main",
        lost=False,
        report={"quiet_ms": 37, "where": "#cart", "calls": [{"key": "k", "what": "setTimeout 100 ms", "due_ms": 90}]},
    ),
    rec(61, "verdict", verdict={"stable": True, "reason": "quiet", "waitedMs": 55}),
    rec(
        70,
        "result",
        sequence=1,
        result={"completed": 1, "stable": True, "reason": "quiet", "stateChange": {"appeared": [], "changed": []}},
    ),
    rec(71, "text", sequence=1, text='- main [ref=e1]\n  - text "Cart 1"'),
    rec(72, "returned", id=1, arguments={}),
    rec(73, "console", message={"type": "error", "text": "oops", "location": {"url": "http://a/x.js", "line": 3}}),
    rec(80, "end"),
)
"""A sequence whose click sends a request and changes the cart."""
