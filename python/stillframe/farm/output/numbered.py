"""Numbered files of one export: pages-00001.warc.gz, pages-00002.warc.gz and so on."""

from __future__ import annotations

import re
from pathlib import Path

from stillframe.farm.output import durable
from stillframe.farm.store import ExportOffset


class NumberedFiles:
    """The files of one stem and suffix in a folder, counted from 1 without gaps."""

    def __init__(self, folder: Path, stem: str, suffix: str) -> None:
        self.folder = folder
        """Where the files are."""
        self._stem, self._suffix = stem, suffix
        # At least five digits: file names sort by number up to 99,999, and work beyond that.
        self._pattern = re.compile(rf"{re.escape(stem)}-(\d{{5,}}){re.escape(suffix)}(?P<rest>{durable.TEMPORARY})?")

    def path(self, number: int) -> Path:
        """Return the file with a number."""
        return self.folder / f"{self._stem}-{number:05}{self._suffix}"

    def number(self, file: str) -> int:
        """Return the number in a file name, 0 if it is none of these files."""
        match = self._pattern.fullmatch(file)
        return int(match[1]) if match else 0

    def repair(self, offset: ExportOffset, *, cut: bool) -> bool:
        """Remove the files after that of the offset, and unfinished ones; return whether the others are there.

        With `cut`, the file of the offset is cut to its size; otherwise it must have that size.
        """
        last = self.number(offset.file)
        for path in self._beyond(last):
            durable.remove(path)
        if any(not self.path(number).is_file() for number in range(1, last + 1)):
            return False
        return last == 0 or _fits(self.path(last), offset.size, cut)

    def _beyond(self, last: int) -> list[Path]:
        with durable.translated(self.folder):
            matches = [(path, self._pattern.fullmatch(path.name)) for path in self.folder.iterdir()]
        return [path for path, match in matches if match and (match["rest"] or int(match[1]) > last)]


def _fits(path: Path, size: int, cut: bool) -> bool:
    present = durable.size_of(path)
    if present > size and cut:
        durable.write_from(path, size, b"")
    return present >= size if cut else present == size
