"""A pytest that a test runs."""

from __future__ import annotations

from pathlib import Path


def own_folder(folder: Path) -> dict[str, str]:
    """Return the environment in which pytest keeps its temporary files in a folder of its own.

    In that of all runs it deletes what older ones have left, which takes up to a minute.
    """
    return {"PYTEST_DEBUG_TEMPROOT": str(folder)}
