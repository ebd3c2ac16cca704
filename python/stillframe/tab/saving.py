"""Write what a call returns to a file of the caller's as well."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

from stillframe.errors import OptionInvalid


async def saved(content: bytes, path: str | os.PathLike[str] | None) -> bytes:
    """Write content to a path, if one is given, and return it; raises OptionInvalid for a path that is a directory."""
    if path is not None:
        await asyncio.to_thread(_write, path, content)
    return content


def _write(path: str | os.PathLike[str], content: bytes) -> None:
    _target(path).write_bytes(content)


def copied(source: Path, path: str | os.PathLike[str]) -> Path:
    """Copy a file to a path, in directories made for it, and return that; raises OSError, OptionInvalid."""
    return Path(shutil.copyfile(source, _target(path)))


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(path).expanduser()
    if target.is_dir():
        raise OptionInvalid(f"option path: {str(target)!r} is a directory; name a file in it", option="path")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target
