"""A reader of Matroska and WebM, for what tests ask of films."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SEGMENT, TRACKS, TRACK, VIDEO, CLUSTER, GROUP = 0x18538067, 0x1654AE6B, 0xAE, 0xE0, 0x1F43B675, 0xA0
CODEC, WIDTH, HEIGHT, TIMESTAMP, SIMPLE_BLOCK, BLOCK = 0x86, 0xB0, 0xBA, 0xE7, 0xA3, 0xA1
PARENTS = (SEGMENT, TRACKS, TRACK, VIDEO, CLUSTER, GROUP)


class Content(NamedTuple):
    """What a file holds: its codec, its size in pixels, and the times of its pictures in milliseconds."""

    codec: str
    size: tuple[int, int]
    times: list[int]
    pictures: list[bytes]


def read(data: bytes) -> Content:
    """Read a file, or the beginning of one that was cut off."""
    codec, width, height, cluster = "", 0, 0, 0
    times, pictures = [], []
    for name, content in elements(data):
        if name == CODEC:
            codec = content.decode()
        elif name == WIDTH:
            width = int.from_bytes(content, "big")
        elif name == HEIGHT:
            height = int.from_bytes(content, "big")
        elif name == TIMESTAMP:
            cluster = int.from_bytes(content, "big")
        elif name in (SIMPLE_BLOCK, BLOCK):
            times.append(cluster + int.from_bytes(content[1:3], "big", signed=True))
            pictures.append(content[4:])
    return Content(codec, (width, height), times, pictures)


def elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the ids and contents of all elements without children, in their order."""
    at = 0
    while at < len(data):
        name, at = _number(data, at, marked=True)
        size, at = _number(data, at, marked=False)
        if name in PARENTS:
            continue  # its children come next
        yield name, data[at : at + size]
        at += size


def _number(data: bytes, at: int, *, marked: bool) -> tuple[int, int]:
    count = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + count], "big")
    return value if marked else value & ((1 << 7 * count) - 1), at + count


def files(directory: Path) -> set[Path]:
    """Return the files in a directory."""
    return {*directory.iterdir()}


def film(path: Path) -> Content:
    """Read a film."""
    return read(path.read_bytes())


def colours(path: Path) -> list[tuple[int, int, int]]:
    """Return the colour at the middle of each picture of a film, red, green and blue, as ffmpeg decodes it."""
    middle = ("-vf", "crop=2:2:iw/2:ih/2,scale=1:1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), *middle], capture_output=True, check=True)
    return [(red, green, blue) for red, green, blue in zip(*[iter(done.stdout)] * 3, strict=True)]
