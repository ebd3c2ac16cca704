"""The packets that write and read files on a device."""

from __future__ import annotations

import itertools
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.sync_protocol import MAX_DATA_BYTES, QUIT, SyncProgress, SyncReply, receive_request, send_request
from stillframe.errors import OptionInvalid


def data(content: bytes) -> bytes:
    return b"DATA" + pack("<I", len(content)) + content


DONE = b"DONE\0\0\0\0"


def test_a_file_is_sent_with_its_mode_its_content_and_its_time() -> None:
    sent = list(send_request(b"content", "/sdcard/é,x", 0o640, 1_700_000_000))
    # 33184 is S_IFREG | 0640
    assert sent == [
        b"SEND\x12\x00\x00\x00/sdcard/\xc3\xa9,x,33184",
        data(b"content"),
        b"DONE" + pack("<I", 1_700_000_000),
    ]


def test_an_empty_file_has_no_content_packet() -> None:
    assert [part[:4] for part in send_request(b"", "/x", 0o644, 0)] == [b"SEND", b"DONE"]


@given(st.integers(0, 3 * MAX_DATA_BYTES))
def test_content_is_sent_in_packets_that_a_device_takes(size: int) -> None:
    content = bytes(size)
    _, *parts, _ = send_request(content, "/x", 0o644, 0)
    assert all(part[:4] == b"DATA" and len(part) <= 8 + MAX_DATA_BYTES for part in parts)
    assert b"".join(part[8:] for part in parts) == content


def test_a_file_is_asked_for_by_its_path() -> None:
    assert receive_request("/data/x") == b"RECV\x07\x00\x00\x00/data/x"
    assert QUIT == b"QUIT\x00\x00\x00\x00"


@pytest.mark.parametrize("path", ["", "a\0b", "/" + "x" * 1024, "/" + "é" * 600, "/\ud800"])
def test_what_is_not_a_path_is_refused(path: str) -> None:
    with pytest.raises(OptionInvalid) as caught:
        receive_request(path)
    assert caught.value.option == "path"
    with pytest.raises(OptionInvalid):
        send_request(b"", path, 0o644, 0)


CONTENTS = st.lists(st.binary(max_size=30))


@given(CONTENTS, st.lists(st.integers(0, 500)))
def test_a_file_is_the_same_however_it_is_split(contents: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(map(data, contents)) + DONE
    reply = SyncReply()
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    for start, end in itertools.pairwise(places):
        assert reply.step is SyncProgress.MORE
        reply.feed(stream[start:end])
    assert reply.step is SyncProgress.DONE
    assert reply.content == b"".join(contents)


def test_a_written_file_is_acknowledged() -> None:
    reply = SyncReply()
    reply.feed(b"OKAY\0\0\0\0")
    assert (reply.step, reply.content) == (SyncProgress.DONE, b"")


def test_a_refusal_carries_its_reason() -> None:
    reply = SyncReply()
    reply.feed(data(b"part") + b"FAIL" + pack("<I", 9) + "nö such".encode() + b"\xff")
    assert (reply.step, reply.reason) == (SyncProgress.FAILED, "nö such\ufffd")


@pytest.mark.parametrize(
    ("received", "says"),
    [
        (b"WHAT\x04\0\0\0text", "b'WHAT'"),
        (b"data\x01\0\0\0x", "b'data'"),
        (b"DATA" + pack("<I", MAX_DATA_BYTES + 1), "with 65537 bytes"),
        (b"FAIL\xff\xff\xff\xff", "with 4294967295 bytes"),
    ],
)
def test_bytes_that_are_not_a_packet_are_a_failure(received: bytes, says: str) -> None:
    reply = SyncReply()
    reply.feed(received)
    assert reply.step is SyncProgress.FAILED
    assert says in reply.reason


@given(st.lists(st.binary(max_size=40)))
def test_any_bytes_end_or_wait(pieces: list[bytes]) -> None:
    reply = SyncReply()
    for piece in pieces:
        reply.feed(piece)
    assert len(reply.content) <= sum(map(len, pieces))
    assert (reply.step is SyncProgress.FAILED) >= bool(reply.reason)
