"""A trace file on disk: whole lines, a largest size, and every write that can fail."""

from __future__ import annotations

import errno
import os
import resource
import stat
from pathlib import Path

import pytest
from traces import HEADER

from stillframe.errors import TraceFailed
from stillframe.trace import file as trace_file
from stillframe.trace.file import TraceFile
from stillframe.trace.format import LAST_BYTES
from stillframe.trace.reading import read_trace


def opened(path: Path, max_bytes: int = 1_000_000) -> TraceFile:
    return TraceFile(path, HEADER, max_bytes=max_bytes)


def test_what_is_written_is_read_at_once_and_only_by_its_owner(tmp_path: Path) -> None:
    file = opened(tmp_path / "new" / "a.trace.jsonl")
    file.write(1.234, "console", message={"text": "hi"})
    trace = read_trace(file.path)
    assert trace.records == [{"at": 1.23, "type": "console", "message": {"text": "hi"}}]
    assert (trace.header, trace.problems, trace.is_complete) == (HEADER, (), False)
    assert file.size == file.path.stat().st_size
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    file.close()
    file.close()
    file.write(2, "end")
    assert (file.closed, len(read_trace(file.path).records)) == (True, 1)


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.trace.jsonl"
    path.write_text("mine")
    with pytest.raises(TraceFailed, match=r"a\.trace\.jsonl cannot be written: File exists") as caught:
        opened(path)
    assert (caught.value.path, path.read_text()) == (str(path), "mine")


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TraceFailed, match="cannot be written"):
        opened(tmp_path / "file" / "a.trace.jsonl")


def test_the_file_ends_at_its_largest_size_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = opened(tmp_path / "a.trace.jsonl", max_bytes=3 * LAST_BYTES)
    for number in range(1000):
        file.write(number, "console", message={"text": "x" * 100})
    assert file.closed
    assert file.error is None
    assert file.path.stat().st_size <= 3 * LAST_BYTES
    assert read_trace(file.path).records[-1]["type"] == "truncated"
    assert "reached its largest size" in caplog.text


def test_a_text_that_utf8_cannot_represent_is_reported_in_its_place(tmp_path: Path) -> None:
    file = opened(tmp_path / "a.trace.jsonl")
    file.write(1, "console", message={"text": "\ud800"})
    file.write(2, "end")
    file.close()
    assert [record["type"] for record in read_trace(file.path).records] == ["unwritable", "end"]


@pytest.mark.parametrize("fails_at", range(5))
def test_the_nth_write_fails(
    tmp_path: Path, fails_at: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write, calls = os.write, 0

    def full_disk(descriptor: int, content: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls - 1 > fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # A disk that fills up takes a part first.
        return write(descriptor, content[:10] if calls - 1 == fails_at else content)

    monkeypatch.setattr(trace_file.os, "write", full_disk)
    path = tmp_path / "a.trace.jsonl"
    if fails_at == 0:
        with pytest.raises(TraceFailed, match="No space left on device"):
            opened(path)
        return
    file = opened(path)
    for number in range(8):
        file.write(number, "console", message={"text": "hi"})
    assert isinstance(file.error, TraceFailed)
    assert file.closed
    assert "No space left on device; the page goes on without it" in caplog.text
    trace = read_trace(path)
    assert [record["at"] for record in trace.records] == list(range(fails_at - 1))
    assert not trace.problems, "the part of a line was dropped"


def test_a_limit_of_the_system_ends_the_trace_at_a_whole_line(tmp_path: Path) -> None:
    file = opened(tmp_path / "a.trace.jsonl")
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, former[1]))  # Python ignores the signal, so writing fails
    try:
        for number in range(100):
            file.write(number, "console", message={"text": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert isinstance(file.error, TraceFailed)
    assert "File too large" in str(file.error)
    trace = read_trace(file.path)
    assert not trace.problems
    assert 5 < len(trace.records) < 20
