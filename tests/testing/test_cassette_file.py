"""The file of a cassette: what is read back, and what a damaged or foreign one says."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest

from cassettes import INFO
from stillframe.errors import CassetteFailed, CassetteInvalid
from stillframe.testing.cassette_file import FORMAT, CassetteEntry, CassetteFile, Header, read_cassette

HEADER = Header(format=FORMAT, version="1.0", browser=INFO, options={"locale": "de-CH"})
ENTRIES = [
    CassetteEntry(1.25, send=msgspec.Raw(b'{"id":1,"method":"Page.enable","params":{}}')),
    CassetteEntry(1.5, recv=msgspec.Raw(b'{"id":1,"result":{}}')),
    CassetteEntry(1.5, recv=msgspec.Raw(b'{"method":"Page.x","params":{}}'), turns=0),
    CassetteEntry(1.75, timer=1.7400000000000002),
    CassetteEntry(9.0, jump=2),
    CassetteEntry(9.0, lost="the browser closed the pipe"),
    CassetteEntry(9.5, end=True),
]


def written(path: Path, entries: list[CassetteEntry] = ENTRIES, max_bytes: int = 100_000) -> Path:
    file = CassetteFile(path, HEADER, max_bytes=max_bytes)
    for entry in entries:
        file.write(entry)
    file.close()
    return path


def plain(entries: list[CassetteEntry]) -> list[bytes]:
    return [msgspec.json.encode(entry) for entry in entries]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    cassette = read_cassette(written(tmp_path / "a.cassette"))
    assert cassette.header == HEADER
    assert plain(cassette.entries) == plain(ENTRIES)
    assert cassette.is_complete


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    assert written(tmp_path / "a.cassette").stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "a.cassette")
    path.write_bytes(path.read_bytes()[:-4])
    cassette = read_cassette(path)
    assert plain(cassette.entries) == plain(ENTRIES[:-1])
    assert not cassette.is_complete


def test_a_cassette_that_reached_its_largest_size_ends_there_and_says_so(tmp_path: Path) -> None:
    cassette = read_cassette(written(tmp_path / "a.cassette", ENTRIES * 100, max_bytes=8000))
    assert cassette.entries[-1].truncated == 8000
    assert not cassette.is_complete


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a cassette: its first line does not say 'stillframe.cassette/1'"),
        (b"hello\n", "is not a cassette"),
        (b'{"format":3}\n', "is not a cassette"),
        (b'{"format":"stillframe.trace/1"}\n', "is not a cassette"),
        (b'{"format":"stillframe.cassette/2"}\n', "has the format 'stillframe.cassette/2' of another version"),
        (b'{"format":"stillframe.cassette/1"}\n', "has a damaged first line"),
        (b"[" * 100_000 + b"\n", "is not a cassette"),
        (msgspec.json.encode(HEADER) + b'\n{"at":1}\n{junk\n', "line 3 of the cassette .* is damaged"),
        (msgspec.json.encode(HEADER) + b'\n{"at":"soon"}\n', "line 2 of the cassette .* is damaged"),
    ],
)
def test_a_file_that_cannot_be_played_says_why(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.cassette"
    path.write_bytes(content)
    with pytest.raises(CassetteInvalid, match=message) as caught:
        read_cassette(path)
    assert caught.value.path == str(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CassetteInvalid, match=r"cannot read the cassette .*none\.cassette: No such file"):
        read_cassette(tmp_path / "none.cassette")


def test_a_full_disk_ends_the_file_and_keeps_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, calls = os.write, 0

    def full_disk(descriptor: int, content: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, content[:10] if calls == 3 else content)

    monkeypatch.setattr("stillframe.trace.file.os.write", full_disk)
    file = CassetteFile(tmp_path / "a.cassette", HEADER)
    for entry in ENTRIES:
        file.write(entry)
    assert isinstance(file.error, CassetteFailed)
    assert "a.cassette cannot be written: No space left on device" in str(file.error)
    assert plain(read_cassette(file.path).entries) == plain(ENTRIES[:1])


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CassetteFailed, match="cannot be written: File exists") as caught:
        CassetteFile(tmp_path / "file" / "a.cassette", HEADER)
    assert caught.value.path == str(tmp_path / "file" / "a.cassette")
