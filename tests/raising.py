"""A function for workers of a process pool, in a module that imports nothing else."""

from __future__ import annotations

from typing import NoReturn


def fail(error: Exception) -> NoReturn:
    raise error
