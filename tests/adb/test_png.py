"""Raw pictures become PNG files that any decoder reads; anything else is an error."""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.native.png import (
    BGRA,
    MAGIC,
    MAX_PREFIX,
    RGBA,
    RGBX,
    ScreenPixels,
    crop,
    encode_png,
    parse_raw,
    png_in,
)
from stillframe.adb.native.rect import Rect
from stillframe.errors import OptionInvalid, ShellFailed

WARNING = (
    b"[Warning] Multiple displays were found, but no display id was specified!\nA display id should be specified.\n"
)


def raw(width: int, height: int, pixels: bytes, pixel_format: int = RGBA, colour_space: bool = True) -> bytes:
    tail = struct.pack("<I", 1) if colour_space else b""
    return struct.pack("<3I", width, height, pixel_format) + tail + pixels


def decode(png: bytes) -> ScreenPixels:
    """Decode a PNG file of the only kind that the encoder makes, and check everything that a decoder checks."""
    assert png.startswith(MAGIC)
    chunks: dict[bytes, bytes] = {}
    at = len(MAGIC)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length) == (zlib.crc32(kind + data),)
        assert kind not in chunks
        chunks[kind] = data
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">2I5B", chunks[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0]  # 8 bits, RGB, deflate, adaptive filters, not interlaced
    rows = zlib.decompress(chunks[b"IDAT"])
    step = 1 + width * 3
    assert len(rows) == step * height
    assert not any(rows[::step])  # every row has the filter "none"
    return ScreenPixels(width, height, b"".join(rows[y * step + 1 : (y + 1) * step] for y in range(height)))


@st.composite
def pictures(draw: st.DrawFn) -> ScreenPixels:
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    return ScreenPixels(width, height, draw(st.binary(min_size=width * height * 3, max_size=width * height * 3)))


@given(pictures())
def test_an_encoded_picture_decodes_to_itself(picture: ScreenPixels) -> None:
    assert decode(encode_png(picture)) == picture


@given(pictures(), st.sampled_from([RGBA, RGBX, BGRA]), st.booleans(), st.sampled_from([b"", WARNING]))
def test_a_raw_picture_is_read_in_each_layout(
    picture: ScreenPixels, kind: int, colour_space: bool, before: bytes
) -> None:
    pixels = bytearray()
    for at in range(0, len(picture.rgb), 3):
        red, green, blue = picture.rgb[at : at + 3]
        pixels += bytes((blue, green, red, 255) if kind == BGRA else (red, green, blue, 255))
    output = before + raw(picture.width, picture.height, bytes(pixels), kind, colour_space)
    assert parse_raw(output) == picture


@given(pictures(), st.builds(Rect, *[st.integers(-5, 12)] * 2, *[st.integers(0, 12)] * 2))
def test_a_crop_has_the_pixels_of_the_rectangle(picture: ScreenPixels, rect: Rect) -> None:
    part = rect.within(Rect(0, 0, picture.width, picture.height))
    if part.empty:
        with pytest.raises(OptionInvalid, match="outside the screen"):
            crop(picture, rect)
        return
    cropped = crop(picture, rect)
    assert (cropped.width, cropped.height) == (part.width, part.height)
    for y in range(part.height):
        for x in range(part.width):
            there, here = ((part.top + y) * picture.width + part.left + x) * 3, (y * part.width + x) * 3
            assert cropped.rgb[here : here + 3] == picture.rgb[there : there + 3]


def test_black_is_every_byte_0() -> None:
    assert ScreenPixels(1, 1, b"\0\0\0").black
    assert not ScreenPixels(1, 1, b"\0\0\1").black


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"\1\0\0\0",
        b"Error: Failed to get display\n",
        raw(2, 2, b"x" * 15),
        raw(2, 2, b"x" * 21),
        raw(0, 2, b""),
        raw(1 << 20, 1, b""),
        b"\n" * 100,
        b"\n" * (MAX_PREFIX + 1) + raw(1, 1, b"rgba"),
    ],
)
def test_what_is_not_a_raw_picture_is_an_error(output: bytes) -> None:
    with pytest.raises(ShellFailed, match="no picture"):
        parse_raw(output)


def test_an_unknown_pixel_format_is_named() -> None:
    with pytest.raises(ShellFailed, match="pixel format 4"):
        parse_raw(raw(1, 1, b"rgba", 4))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_picture_or_an_error(output: bytes) -> None:
    with suppress(ShellFailed):
        picture = parse_raw(output)
        assert len(picture.rgb) == picture.width * picture.height * 3


PNG = encode_png(ScreenPixels(1, 2, b"abcdef"))


@pytest.mark.parametrize(
    ("before", "after"), [(b"", b""), (WARNING, b""), (b"WARNING: linker: old\r\n", b"\n"), (b"", b"trailing")]
)
def test_warnings_around_a_png_are_removed(before: bytes, after: bytes) -> None:
    assert png_in(before + PNG + after) == PNG


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (b"", "no PNG file .0 bytes"),
        (b"Error: Capturing failed.\n", "Capturing failed"),
        (PNG[:-1], "cut off"),
        (MAGIC, "cut off"),
        (b"x" * (MAX_PREFIX + 1) + PNG, "no PNG file"),
        (PNG.replace(b"\r\n", b"\r\r\n"), "no PNG file"),  # what a shell without exec: makes of it
    ],
)
def test_what_is_not_a_png_is_an_error_with_the_words_of_the_device(output: bytes, reason: str) -> None:
    with pytest.raises(ShellFailed, match=reason) as caught:
        png_in(output)
    assert "FLAG_SECURE" in str(caught.value)
