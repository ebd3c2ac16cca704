"""The program that reads a PDF for `pdf.py`: characters, bytes of memory and seconds as arguments, JSON as output.

It runs by its path in a process of its own, so it imports nothing of stillframe.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import suppress
from typing import Any


def main() -> None:
    """Read a PDF from the standard input, and write its content as JSON."""
    characters, memory, seconds = map(int, sys.argv[1:])
    _limit(memory, seconds)
    sys.stdout.write(json.dumps(_content(sys.stdin.buffer.read(), characters)))


def _limit(memory: int, seconds: int) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _content(content: bytes, characters: int) -> dict[str, Any]:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content))
    pages: list[str] = []
    size = 0
    for page in reader.pages:
        if size > characters:
            break
        with suppress(Exception):  # one page that cannot be read leaves the others
            pages.append(page.extract_text().strip())
            size += len(pages[-1]) + 2
    text = "\n\n".join(page for page in pages if page)
    title = ""
    with suppress(Exception):
        title = str((reader.metadata and reader.metadata.title) or "")
    return {"title": title, "text": text[:characters], "truncated": len(text) > characters}


if __name__ == "__main__":
    main()
