"""How the server was started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets

ToolSet = Literal["default", "all"]
Loops = Literal["off", "shadow", "warn", "refuse"]

BUDGET = 8_000
"""Characters of text in a reply: some 2,000 tokens, a tenth of what the peers' snapshots take."""
LEAST_BUDGET, MOST_BUDGET = 600, 200_000

DEADLINE_S = 120.0
"""Seconds that any call may take, its turn in the queue included; clients give up after 60 s to a few minutes."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is decided at the start; no call can change it."""

    tools: ToolSet = "default"
    policy: UrlPolicy = UrlPolicy()
    """Private addresses are refused unless it allows them."""
    secrets: Secrets | None = None
    budget: int = BUDGET
    loops: Loops = "warn"
    headed: bool = False
    connect: str | None = None
    """The endpoint of a running browser to use, as `http://host:port` or `ws://…`."""
    sequence: dict[str, Any] = {}
    """Options of every sequence that a call does not give: `settle` and `observe`."""
    idle_ms: float | None = 1_800_000.0
    deadline_s: float = DEADLINE_S
    uploads: tuple[Path, ...] = ()
    """Directories whose files may be uploaded; none by default, since a page could ask a model for any file."""

    def context_options(self) -> dict[str, Any]:
        """What every session's context is opened with."""
        options: dict[str, Any] = {"policy": self.policy}
        if self.secrets is not None:
            options["secrets"] = self.secrets
        if self.sequence.get("observe") is not None:
            options["observe"] = self.sequence["observe"]
        return options

    def may_upload(self, path: str) -> bool:
        """Whether a file lies in one of the directories, symbolic links followed."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(os.path.realpath(directory)) for directory in self.uploads)
