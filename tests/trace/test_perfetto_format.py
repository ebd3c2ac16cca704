"""A trace as Chrome's trace events."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import msgspec
from traces import SEQUENCE, rec, trace_of

from stillframe.trace.perfetto_format import exported


def test_events_have_the_times_of_their_spans_and_tracks_of_their_lanes(tmp_path: Path) -> None:
    content = msgspec.json.decode(exported(trace_of(tmp_path, *SEQUENCE)))
    events = content["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    (request,) = [event for event in events if event.get("cat") == "requests"]
    assert (request["ph"], request["ts"], request["dur"], tracks[request["tid"]]) == ("X", 4000, 17000, "requests")
    assert [event["ph"] for event in events if event.get("cat") == "console"] == ["i"]
    assert content["metadata"]["browser"] == "Chrome/1"


def test_events_of_one_track_do_not_overlap(tmp_path: Path) -> None:
    overlapping = [rec(number, "request", id=str(number), url="http://a/", method="GET") for number in range(5)]
    ends = [rec(10 + number, "requestfinished", id=str(number)) for number in range(5)]
    events = msgspec.json.decode(exported(trace_of(tmp_path, *overlapping, *ends)))["traceEvents"]
    by_track = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            by_track[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert len(by_track) == 5
    for spans in by_track.values():
        assert all(first[1] <= second[0] for first, second in pairwise(spans))
