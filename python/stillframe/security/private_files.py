"""Write files that only their owner can read, whole or not at all: cookies are as good as passwords."""

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

    A block that raises leaves what was at `path`.
    """
    target = Path(os.path.realpath(path))
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
