"""Raw pictures of a screen as `screencap` prints them, and PNG files made of them. No I/O, no library of pictures."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from stillframe.adb.errors import ShellFailed
from stillframe.adb.native.rect import Rect
from stillframe.errors import OptionInvalid

MAGIC = b"\x89PNG\r\n\x1a\n"
END = b"IEND\xaeB`\x82"
"""The last chunk of every PNG file, without its length."""

MAX_PREFIX = 4096
"""Bytes of warnings that may stand before a picture: of the linker, of several displays."""
MAX_SIDE = 1 << 15
"""Pixels of the longest side that is believed; the largest panels have 8,000."""

COMMAND = "screencap"
RGBA, RGBX, BGRA = 1, 2, 5
"""The pixel formats with four bytes that screencap uses (AOSP, android.graphics.PixelFormat)."""

_LEVEL = 6
"""The compression of zlib's default: a third smaller than level 1, for twice the time."""

SAMPLE = 500
"""Characters of the output that an error keeps."""


class ScreenPixels(NamedTuple):
    """A picture with three bytes per pixel (red, green, blue), row by row."""

    width: int
    height: int
    rgb: bytes

    @property
    def black(self) -> bool:
        """Whether every pixel is black."""
        return self.rgb.count(0) == len(self.rgb)


def png_in(output: bytes) -> bytes:
    """Return the PNG file in the output of `screencap -p`, without warnings around it.

    Raises ShellFailed if it holds none, or one that was cut off.
    """
    begin = output.find(MAGIC, 0, MAX_PREFIX + len(MAGIC))
    end = output.rfind(END)
    if begin < 0 or end < begin:
        raise failed("no PNG file" if begin < 0 else "a PNG file that is cut off", output, f"{COMMAND} -p")
    return output[begin : end + len(END)]


def failed(what: str, output: bytes, command: str = COMMAND) -> ShellFailed:
    """Return the error for output of screencap that is not a picture; `what` says what it is instead."""
    text = output[:SAMPLE].decode("utf-8", "replace")
    printed = " ".join(text.split())[:200] if text.isprintable() or "\n" in text else ""
    said = f": {printed}" if printed and "\ufffd" not in printed else ""
    return ShellFailed(
        f"{command} printed {what} ({len(output)} bytes){said}; is the screen on? Windows with FLAG_SECURE allow no "
        "pictures",
        command=command,
        returncode=None,
        stdout=text,
    )


# -- raw pictures --------------------------------------------------------------------------------


def parse_raw(output: bytes) -> ScreenPixels:
    """Return the picture in the output of `screencap` without `-p`.

    It has width, height, pixel format and, since Android 9, the colour space, four bytes each and little-endian, then
    four bytes per pixel (AOSP, screencap.cpp). Lines of warnings before it are skipped. Raises ShellFailed for anything
    else.
    """
    for start in _starts(output):
        if (found := _raw_at(output, start)) is not None:
            return found
    raise failed("no picture", output)


def _starts(output: bytes) -> Iterator[int]:
    """Yield where the picture may begin: at the start, and after each line."""
    start = 0
    while True:
        yield start
        end = output.find(b"\n", start, MAX_PREFIX)
        if end < 0:
            return
        start = end + 1


def _raw_at(output: bytes, start: int) -> ScreenPixels | None:
    if len(output) - start < 12:
        return None
    width, height, pixel_format = struct.unpack_from("<3I", output, start)
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        return None
    header = len(output) - start - width * height * 4
    if header not in (12, 16):
        return None
    if pixel_format not in (RGBA, RGBX, BGRA):
        raise failed(f"a picture in the pixel format {pixel_format}, which is unknown,", output[:0])
    return ScreenPixels(width, height, _rgb(output[start + header :], pixel_format))


def _rgb(pixels: bytes, pixel_format: int) -> bytes:
    red, blue = (2, 0) if pixel_format == BGRA else (0, 2)
    rgb = bytearray(len(pixels) // 4 * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = pixels[red::4], pixels[1::4], pixels[blue::4]
    return bytes(rgb)


def crop(picture: ScreenPixels, rect: Rect) -> ScreenPixels:
    """Return the part of a picture that lies in a rectangle. Raises OptionInvalid if they do not overlap."""
    part = rect.within(Rect(0, 0, picture.width, picture.height))
    if part.empty:
        raise OptionInvalid(
            f"option 'rect': {tuple(rect)} lies outside the screen of {picture.width} x {picture.height} pixels",
            option="rect",
        )
    row = picture.width * 3
    begins = range(part.top * row + part.left * 3, part.bottom * row, row)
    return ScreenPixels(part.width, part.height, b"".join(picture.rgb[at : at + part.width * 3] for at in begins))


# -- PNG -----------------------------------------------------------------------------------------


def encode_png(picture: ScreenPixels) -> bytes:
    """Return the PNG file of a picture: 8 bits, red, green and blue, not interlaced (PNG specification, W3C)."""
    row = picture.width * 3
    rows = b"".join(b"\0" + picture.rgb[at : at + row] for at in range(0, picture.height * row, row))
    header = struct.pack(">2I5B", picture.width, picture.height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, _LEVEL)), (b"IEND", b""))
    return MAGIC + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
