"""Packets of adb survive the way through bytes, and garbage is refused."""

from __future__ import annotations

import contextlib
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe_phone.emulated import adb_wire
from stillframe_phone.emulated.adb_wire import COMMANDS, Decoder, Packet, WireError, encode

WORDS = st.integers(0, 0xFFFFFFFF)
PACKETS = st.builds(Packet, st.sampled_from(COMMANDS), WORDS, WORDS, st.binary(max_size=200))


def test_the_examples_in_the_module() -> None:
    assert doctest.testmod(adb_wire).failed == 0


def test_a_packet_as_protocol_txt_describes_it() -> None:
    """The words of AOSP's protocol.txt for OPEN, written out by hand."""
    expected = bytes.fromhex("4f50454e 07000000 00000000 03000000 2a010000 b0afbab1") + b"abg"
    assert encode(Packet(b"OPEN", 7, 0, b"abg"), checksum=True) == expected


@given(st.lists(PACKETS, max_size=5), st.data(), st.booleans())
def test_packets_arrive_however_the_bytes_are_cut(packets: list[Packet], data: st.DataObject, checksum: bool) -> None:
    stream = b"".join(encode(packet, checksum=checksum) for packet in packets)
    decoder = Decoder()
    decoder.verify = checksum
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert [packet for piece in pieces for packet in decoder.feed(piece)] == packets


@given(st.binary(max_size=100))
def test_garbage_is_refused(data: bytes) -> None:
    with contextlib.suppress(WireError):
        assert list(Decoder().feed(data)) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "not a command of adb"),
        (encode(Packet(b"WRTE"), checksum=False)[:-1] + b"\0", "not a command of adb"),
        (adb_wire.HEADER.pack(b"WRTE", 0, 0, 1 << 21, 0, adb_wire.complement(b"WRTE")), "the limit is 1048576"),
    ],
)
def test_a_wrong_header_is_named(data: bytes, message: str) -> None:
    with pytest.raises(WireError, match=message):
        list(Decoder().feed(data))


def test_a_wrong_checksum_counts_only_while_checksums_do() -> None:
    data = encode(Packet(b"WRTE", 1, 2, b"abc"), checksum=False)
    decoder = Decoder()
    assert list(decoder.feed(data)) == [Packet(b"WRTE", 1, 2, b"abc")]
    decoder.verify = True
    with pytest.raises(WireError, match="adds up to 294, and the header says 0"):
        list(decoder.feed(data))
