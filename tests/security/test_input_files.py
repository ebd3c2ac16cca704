"""Whatever a file holds or is, it is read, or refused with the reason."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.security.input_files import InputRefused, NotThere, WrongShape, read_file, read_json


class Row(msgspec.Struct):
    """A type to read."""

    name: str


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is not JSON: Input data was truncated"),
        (b"{,}", "it is not JSON: JSON is malformed"),
        (b'{"name": "\xe4"}', r"it is not UTF-8 \(byte 10\)"),
        (b'{"name": "a"} \xff', r"it is not UTF-8 \(byte 14\)"),
        ('{"name": "a"}'.encode("utf-16"), "it is UTF-16: save it as UTF-8"),
        (b'{"name": "a", "x": ' + b"[" * 100_000, "it is nested too deeply"),
        (b'{"name": ' + b"[" * 100_000, "Expected `str`, got `array`"),
        (b"{}", "missing required field `name`"),
        (b'{"name": 1e999}', "Number out of range"),
    ],
)
def test_json_that_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(InputRefused, match=reason) as caught:
        read_json(content, Row)
    assert len(str(caught.value)) < 400


def test_a_byte_order_mark_is_not_content(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'\xef\xbb\xbf{"name": "a"}')
    assert read_json(file, Row) == read_json(os.fspath(file), Row) == Row("a")


def test_another_type_is_told_apart() -> None:
    with pytest.raises(WrongShape):
        read_json(b"[]", Row)
    with pytest.raises(InputRefused) as caught:
        read_json(b"{", Row)
    assert not isinstance(caught.value, WrongShape)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_refused(content: bytes) -> None:
    with contextlib.suppress(InputRefused):
        read_json(content)


def test_what_is_not_a_file_is_refused_at_once(tmp_path: Path) -> None:
    """Each of these would wait for ever, or never end."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path, reason in (
            (tmp_path / "pipe", "it is a named pipe, and not a file"),
            (tmp_path, "it is a directory, and not a file"),
            (tmp_path / "socket", "No such device or address"),
            (Path("/dev/zero"), "it is a device, and not a file"),
            (tmp_path / "a\0b", "embedded null"),  # Python 3.13 calls it a character and not a byte
        ):
            with pytest.raises(InputRefused, match=reason):
                read_file(path)


def test_a_file_that_is_not_there_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="No such file or directory"):
        read_file(tmp_path / "none")


def test_a_tilde_is_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "state.json").write_bytes(b"{}")
    assert read_file("~/state.json") == b"{}"


def test_a_pipe_that_the_process_was_given_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"[1]")
    os.close(writing)
    try:
        assert read_json(f"/dev/fd/{reading}") == [1]
    finally:
        os.close(reading)


def test_a_file_is_read_up_to_a_largest_size(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 5000)
    assert len(read_file(file, max_bytes=5000)) == 5000
    with pytest.raises(InputRefused, match="it has more than 4,999 bytes"):
        read_file(file, max_bytes=4999)


def test_the_open_file_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.touch(mode=0o640)
    modes: list[int] = []
    read_file(file, check=modes.append)
    assert [mode & 0o777 for mode in modes] == [0o640]
