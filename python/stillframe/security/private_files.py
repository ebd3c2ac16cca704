"""Write files that only their owner can read: cookies, recordings and caches are as good as passwords.

`replacing` and `write_private` write a file whole or not at all. What grows line by line (traces, recordings of models,
logs) or is a lock cannot be replaced: `open_private` opens it, and gives it the same mode when it makes it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a new file with mode 0600, which takes the place of `path` at the end of the block; raises OSError.

    A `~` at the beginning is the user's home. A block that raises leaves what was at `path`.
    """
    target = Path(os.path.realpath(os.path.expanduser(path)))
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_private(path: str | os.PathLike[str], content: bytes) -> None:
    """Write such a file; raises OSError."""
    with replacing(path) as file:
        file.write(content)


def open_private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file as `os.open` does, with mode 0600 if that makes it; also an opener for `open`. Raises OSError."""
    return os.open(path, flags, 0o600)
