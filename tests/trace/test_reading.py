"""Traces in any state: whole, torn, damaged, from another version, hostile."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import HEADER, SEQUENCE, content_of, rec

from stillframe.errors import TraceInvalid
from stillframe.trace import perfetto_format, playwright_format, reading
from stillframe.trace.format import line
from stillframe.trace.reading import read_trace, traces_in
from stillframe.trace.report import report
from stillframe.trace.timeline import timeline


def test_a_whole_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.trace.jsonl"
    path.write_bytes(content_of(*SEQUENCE))
    trace = read_trace(path)
    assert (len(trace.records), trace.problems, trace.is_complete) == (len(SEQUENCE), (), True)
    assert trace.duration_ms == 80
    assert [record["id"] for record in trace.of_type("call", "returned")] == [1, 1]


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_torn_last_line_is_left_out_and_reported(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.trace.jsonl"
    whole = content_of(*SEQUENCE)
    path.write_bytes(whole[:-cut])
    trace = read_trace(path)
    lost = whole[-cut:].count(b"\n")
    torn = not whole[:-cut].endswith(b"\n")
    assert len(trace.records) == len(SEQUENCE) - lost
    assert bool(trace.problems) == torn
    if torn:
        assert "the last line is torn and left out" in trace.problems[0]
    assert not trace.is_complete


def test_damaged_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.trace.jsonl"
    damaged = [b"\x00\xff\n", b"[]\n", b'{"at": "x", "type": "end"}\n', b'{"at": 1}\n', b'{"at":1,"type":"step"}\n']
    path.write_bytes(content_of(rec(1, "console", message={})) + b"".join(damaged) + line(rec(2, "end")))
    trace = read_trace(path)
    assert [record["type"] for record in trace.records] == ["console", "end"]
    assert trace.problems == ("5 damaged lines are left out: 3, 4, 5, 6, 7",)


def test_a_byte_that_is_not_text_costs_its_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.trace.jsonl"
    path.write_bytes(content_of(rec(1, "end")) + b'{"at":2,"type":"end","x":"\xff"}\n' + line(rec(3, "end")))
    trace = read_trace(path)
    assert [record["at"] for record in trace.records] == [1, 3]
    assert trace.problems == ("1 damaged lines are left out: 3",)


def test_records_are_read_up_to_a_largest_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_RECORDS", 2)
    path = tmp_path / "a.trace.jsonl"
    path.write_bytes(content_of(*(rec(at, "end") for at in range(5))))
    trace = read_trace(path)
    assert [record["at"] for record in trace.records] == [0, 1]
    assert trace.problems == ("3 lines after the first 2 are left out",)


def test_time_never_goes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.trace.jsonl"
    path.write_bytes(content_of(rec(5, "console", message={}), rec(3, "end")))
    assert [record["at"] for record in read_trace(path).records] == [5, 5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a trace"),
        (b"hello\n", "is not a trace"),
        (b"{}\n", "is not a trace"),
        (b'{"format": 1}\n', "is not a trace"),
        (b'{"format": "stillframe.snapshot/1"}\n', "is not a trace"),
        (b"[" * 100_000, "is not a trace"),
        (b'{"format": "stillframe.trace/2"}\n', "another version of stillframe; this one reads"),
        (b'{"format": "stillframe.trace/1"}\n', "has a damaged first line"),
    ],
)
def test_what_is_not_a_trace_of_this_version(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.trace.jsonl"
    path.write_bytes(content)
    with pytest.raises(TraceInvalid, match=message) as caught:
        read_trace(path)
    assert caught.value.path == str(path)


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(TraceInvalid, match="No such file or directory"):
        read_trace(tmp_path / "a.trace.jsonl")


def test_the_traces_of_a_directory_newest_first(tmp_path: Path) -> None:
    for number, name in enumerate(["b.trace.jsonl", "a.trace.jsonl", "c.txt"]):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (number, number))
    assert [path.name for path in traces_in(tmp_path)] == ["a.trace.jsonl", "b.trace.jsonl"]
    with pytest.raises(TraceInvalid, match="cannot read the directory"):
        traces_in(tmp_path / "none")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 25)
@given(st.lists(st.tuples(st.integers(0, len(SEQUENCE) - 1), st.integers(0, 6), ANYTHING), max_size=8))
def test_any_value_in_any_field_is_damaged_or_shown(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int, object]]
) -> None:
    records = [dict(record) for record in SEQUENCE]
    for row, field, value in changes:
        names = list(records[row])
        records[row][names[field % len(names)]] = value
    try:
        content = line(HEADER) + b"".join(map(line, records))
    except ValueError:
        return  # a lone surrogate
    path = tmp_path_factory.mktemp("trace") / "a.trace.jsonl"
    path.write_bytes(content)
    trace = read_trace(path)
    shown = timeline(trace)
    assert all(0 <= span.begin <= span.end <= max(trace.duration_ms, span.begin) for span in shown.spans)
    report(trace)
    playwright_format.exported(trace)
    perfetto_format.exported(trace)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("trace") / "a.trace.jsonl"
    path.write_bytes(content)
    with contextlib.suppress(TraceInvalid):
        read_trace(path)
    path.write_bytes(line(HEADER) + content)
    timeline(read_trace(path))
