"""A trace as a HAR file."""

from __future__ import annotations

from pathlib import Path

import msgspec
from traces import SEQUENCE, rec, trace_of

from stillframe.har.reading import read_har
from stillframe.trace.har_format import exported


def test_a_request_has_its_headers_and_times(tmp_path: Path) -> None:
    log = msgspec.json.decode(exported(trace_of(tmp_path, *SEQUENCE)))["log"]
    assert (log["version"], log["browser"]) == ("1.2", {"name": "Chrome", "version": "1"})
    (entry,) = log["entries"]
    assert entry["time"] == sum(time for time in entry["timings"].values() if time > 0) == 17
    assert entry["pageref"] == log["pages"][0]["id"]
    assert entry["response"]["content"]["size"] == -1


def test_redirects_and_failures_are_entries(tmp_path: Path) -> None:
    records = [
        rec(0, "request", id="1", url="http://a/?q=x%20y", method="GET"),
        rec(5, "response", id="1", status=302, headers={"location": "/b"}),
        rec(6, "request", id="1", url="http://a/b", method="GET", redirectedFrom="http://a/?q=x%20y"),
        rec(9, "requestfailed", id="1", error="net::ERR_FAILED"),
    ]
    path = tmp_path / "a.har"
    path.write_bytes(exported(trace_of(tmp_path, *records)))
    first, second = msgspec.json.decode(path.read_bytes())["log"]["entries"]
    assert first["request"]["queryString"] == [{"name": "q", "value": "x y"}]
    assert (second["response"]["status"], second["response"]["_failureText"]) == (0, "net::ERR_FAILED")
    assert [entry.response.status for entry in read_har(path).entries] == [302, 0]
