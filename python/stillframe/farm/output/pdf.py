"""The text of a PDF, read by pypdf in a process of its own, which is ended when it takes too long or too much memory.

A file of some kilobytes can keep any reader of PDFs busy for hours, or fill the memory.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stillframe.extend import time_limit
from stillframe.security.redaction import logger

PDF_S = 20
"""How long the reader may take, in seconds: a book of 1,000 pages takes about ten; our choice."""
PDF_MEMORY = 1024**3
"""How much memory the reader may have, in bytes, where the system limits it; a book takes some 100 MB; our choice."""

_log = logger(__name__)


class PdfContent(NamedTuple):
    """What is read of a PDF; one of scanned pages has an empty text."""

    title: str
    text: str
    truncated: bool


async def read_pdf(content: bytes, *, characters: int, timeout_s: float = PDF_S) -> PdfContent | None:
    """Return the text of a PDF, pages apart by an empty line; None for one that cannot be read, or without pypdf."""
    if not _has_reader():
        return None
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-P",
            str(Path(__file__).with_name("pdf_reader.py")),
            str(characters),
            str(PDF_MEMORY),
            str(PDF_S),
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with time_limit(timeout_s):
            found, _ = await process.communicate(content)
        return PdfContent(**json.loads(found)) if process.returncode == 0 else None
    except (TimeoutError, ValueError):
        return None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


@cache
def _has_reader() -> bool:
    found = importlib.util.find_spec("pypdf") is not None
    if not found:
        _log.warning('PDFs are recorded without their text, which needs pypdf: pip install "stillframe[pdf]"')
    return found
