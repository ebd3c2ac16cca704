"""Pictures with their times as a stream of Matroska, the one input of ffmpeg that carries both and needs no seeking.

Elements and their ids are those of RFC 9559; lengths are variable-size integers of RFC 8794 §4. Nothing here is kept:
each function returns bytes.
"""

from __future__ import annotations

EBML, DOC_TYPE, DOC_TYPE_VERSION, DOC_TYPE_READ_VERSION = 0x1A45DFA3, 0x4282, 0x4287, 0x4285
SEGMENT, INFO, TIMESTAMP_SCALE, MUXING_APP, WRITING_APP = 0x18538067, 0x1549A966, 0x2AD7B1, 0x4D80, 0x5741
TRACKS, TRACK_ENTRY, TRACK_NUMBER, TRACK_UID, TRACK_TYPE, CODEC_ID = 0x1654AE6B, 0xAE, 0xD7, 0x73C5, 0x83, 0x86
VIDEO, PIXEL_WIDTH, PIXEL_HEIGHT = 0xE0, 0xB0, 0xBA
CLUSTER, TIMESTAMP, SIMPLE_BLOCK = 0x1F43B675, 0xE7, 0xA3

UNKNOWN_LENGTH = b"\x01" + b"\xff" * 7
"""The length of a segment that ends with the stream."""
NANOSECONDS = 1_000_000
"""The unit of timestamps: a millisecond."""
VIDEO_TRACK = 1
BLOCK_HEAD = bytes([0x80 | VIDEO_TRACK, 0, 0, 0x80])
"""The track, no offset from the cluster's timestamp, and the flag of a key frame."""


def head(width: int, height: int) -> bytes:
    """Return what a stream of JPEG pictures of about this size begins with; a picture says its own size."""
    writer = _element(MUXING_APP, b"stillframe") + _element(WRITING_APP, b"stillframe")
    size = _element(PIXEL_WIDTH, _unsigned(width)) + _element(PIXEL_HEIGHT, _unsigned(height))
    track = (
        _element(TRACK_NUMBER, _unsigned(VIDEO_TRACK))
        + _element(TRACK_UID, _unsigned(VIDEO_TRACK))
        + _element(TRACK_TYPE, _unsigned(1))
        + _element(CODEC_ID, b"V_MJPEG")
        + _element(VIDEO, size)
    )
    versions = _element(DOC_TYPE_VERSION, _unsigned(4)) + _element(DOC_TYPE_READ_VERSION, _unsigned(2))
    return (
        _element(EBML, _element(DOC_TYPE, b"matroska") + versions)
        + _id(SEGMENT)
        + UNKNOWN_LENGTH
        + _element(INFO, _element(TIMESTAMP_SCALE, _unsigned(NANOSECONDS)) + writer)
        + _element(TRACKS, _element(TRACK_ENTRY, track))
    )


def picture(jpeg: bytes, at_ms: int) -> bytes:
    """Return a picture that shows from `at_ms` milliseconds after the beginning."""
    return _element(CLUSTER, _element(TIMESTAMP, _unsigned(at_ms)) + _element(SIMPLE_BLOCK, BLOCK_HEAD + jpeg))


def _element(name: int, content: bytes) -> bytes:
    return _id(name) + _length(len(content)) + content


def _id(name: int) -> bytes:
    return _unsigned(name)


def _length(size: int) -> bytes:
    """Return a length in the fewest bytes; all ones stand for an unknown length, so that many are one byte more."""
    count = next(count for count in range(1, 9) if size < (1 << 7 * count) - 1)
    return (size | 1 << 7 * count).to_bytes(count, "big")


def _unsigned(number: int) -> bytes:
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
