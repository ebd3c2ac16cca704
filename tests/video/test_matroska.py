"""The stream of Matroska that ffmpeg reads."""

from __future__ import annotations

import pytest
from ebml import read

from stillframe.video import matroska


def test_a_stream_says_its_codec_its_size_and_the_time_of_each_picture() -> None:
    jpegs = [b"\xff\xd8first", b"\xff\xd8second"]
    stream = matroska.head(800, 450) + matroska.picture(jpegs[0], 0) + matroska.picture(jpegs[1], 70_040)
    assert read(stream) == ("V_MJPEG", (800, 450), [0, 70_040], jpegs)


@pytest.mark.parametrize("size", [0, 117, 118, 119, 126, 127, 128, 16_382, 16_383, 2_097_151])
def test_a_picture_of_any_length_ends_where_it_says(size: int) -> None:
    """A length of n bytes whose bits are all ones would mean that it is unknown: 127, 16,383 and so on."""
    stream = matroska.picture(b"x" * size, 40) + matroska.picture(b"next", 80)
    assert read(stream).pictures == [b"x" * size, b"next"]
