"""The packets of the second shell protocol."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.shell_protocol import NO_INPUT, Kind, ShellOutput, packet


def test_packets_look_as_aosp_writes_them() -> None:
    assert packet(Kind.STDOUT, b"abc") == b"\x01\x03\x00\x00\x00abc"
    assert packet(Kind.EXIT, b"\x7f") == b"\x03\x01\x00\x00\x00\x7f"
    assert NO_INPUT == b"\x04\x00\x00\x00\x00"


PACKETS = st.lists(st.tuples(st.sampled_from([Kind.STDOUT, Kind.STDERR]), st.binary(max_size=20)))


@given(PACKETS, st.integers(0, 255), st.lists(st.integers(0, 400)))
def test_output_is_the_same_however_it_is_split(packets: list[tuple[Kind, bytes]], code: int, cuts: list[int]) -> None:
    stream = b"".join(packet(kind, content) for kind, content in packets) + packet(Kind.EXIT, bytes([code]))
    output = ShellOutput()
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    for start, end in itertools.pairwise(places):
        assert output.returncode is None
        output.feed(stream[start:end])
    assert output.returncode == code
    assert output.stdout == b"".join(content for kind, content in packets if kind is Kind.STDOUT)
    assert output.stderr == b"".join(content for kind, content in packets if kind is Kind.STDERR)
    assert output.size == len(output.stdout) + len(output.stderr)


def test_packets_of_other_kinds_are_ignored() -> None:
    output = ShellOutput()
    output.feed(packet(Kind.WINDOW_SIZE, b"24x80") + b"\xff\x02\x00\x00\x00??" + packet(Kind.STDOUT, b"x"))
    assert output.stdout == b"x"


def test_nothing_counts_after_the_exit_status() -> None:
    output = ShellOutput()
    output.feed(packet(Kind.EXIT, b"\x01") + packet(Kind.STDOUT, b"late") + packet(Kind.EXIT, b"\x00"))
    output.feed(packet(Kind.STDOUT, b"later"))
    assert (output.returncode, output.stdout) == (1, b"")


@pytest.mark.parametrize("cut", [b"", b"\x03", b"\x03\x01\x00\x00\x00", b"\x03\x00\x00\x00\x00"])
def test_without_an_exit_status_there_is_no_returncode(cut: bytes) -> None:
    output = ShellOutput()
    output.feed(packet(Kind.STDOUT, b"x") + cut)
    assert output.returncode is None


@given(st.lists(st.binary(max_size=50)))
def test_any_bytes_are_output_or_wait(pieces: list[bytes]) -> None:
    output = ShellOutput()
    for piece in pieces:
        output.feed(piece)
    assert output.size <= sum(map(len, pieces))
