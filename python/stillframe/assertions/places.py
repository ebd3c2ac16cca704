"""Where the screenshots are that assertions compare. Imports nothing: the plugin for pytest sets it for each test."""

from __future__ import annotations

from pathlib import Path


class Places:
    """The directories of the test that runs, or of a program without pytest."""

    def __init__(self) -> None:
        self.screenshots = Path()
        """The directory of the screenshots that are expected; at first the current one."""
        self.failures: Path | None = None
        """Where the screenshots of a failure are written; None is beside the expected one."""
        self.update = False
        """Whether the expected screenshots are written again."""


PLACES = Places()
