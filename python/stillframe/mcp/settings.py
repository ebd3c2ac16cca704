"""The settings of the server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from stillframe.mcp.capabilities import CORE, Capability
from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets

Loops = Literal["off", "shadow", "warn", "refuse"]

BUDGET = 8_000
"""Characters of text in a reply: about 2,000 tokens, a tenth of a snapshot of other servers."""
MIN_BUDGET, MAX_BUDGET = 600, 200_000

CALL_TIMEOUT_MS = 120_000.0
"""The time limit of a call, including its wait in the queue; clients give up after 60 s to a few minutes."""

IDLE_MS = 1_800_000.0
"""The idle time after which a session closes: the default of `Sessions`."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is decided when the server starts; no call can change it."""

    caps: frozenset[Capability] = CORE
    """The capabilities whose tools clients see."""
    policy: UrlPolicy = UrlPolicy()
    """The default policy refuses private addresses."""
    secrets: Secrets | None = None
    budget: int = BUDGET
    loops: Loops = "warn"
    headed: bool = False
    connect: str | None = None
    """The endpoint of a running browser, `http://host:port` or `ws://…`."""
    connect_headers: dict[str, str] = {}
    """Headers of the requests to that endpoint."""
    profile: Path | None = None
    """The user data directory of the browser, for one session at a time."""
    save_storage_state: Path | None = None
    """The file that gets the cookies and the localStorage of the default session when it closes."""
    init_script: str | None = None
    """A script that runs in every document before its own scripts."""
    device: Any = None
    """A WebView or a browser on an Android device: a DeviceChoice, whose module imports all that drives a browser."""
    sequence: dict[str, Any] = {}
    """Default options of every sequence: `settle` and `observe`."""
    idle_ms: float | None = IDLE_MS
    call_timeout_ms: float = CALL_TIMEOUT_MS
    confirm: tuple[str, ...] = ()
    """The kinds of actions that a person must confirm, by the client's means."""
    shared: bool = False
    """Whether all clients over HTTP have the same sessions; by default each MCP session has its own."""
    uploads: tuple[Path, ...] = ()
    """Directories with files that may be uploaded; none by default, because a page could ask a model for any file."""
    allow_evaluate: bool = False
    """Whether the tool `evaluate` may run scripts in pages."""
    agent_model: Any = None
    """The model of the tool `run_goal`, a name or a model of pydantic-ai; without one there is no such tool."""
    tracing: dict[str, Any] = {}
    """The options of every session's context for traces: `trace` and `trace_screenshots`."""
    context: dict[str, Any] = {}
    """More options of every session's context, such as `dialogs`, `viewport` and `storage_state`."""
    launching: dict[str, Any] = {}
    """More options of the browsers that the server launches, such as `executable`."""
    launch_ahead: bool = False
    """Whether the browser starts when a client lists the tools, and not with the first call."""

    @property
    def asks(self) -> bool:
        """Whether dialogs wait for the model: with `--dialogs ask`, and with its tool unless a rule is given."""
        return bool(self.context.get("dialogs", "ask" if "dialogs" in self.caps else "dismiss") == "ask")

    @property
    def shown(self) -> frozenset[Capability]:
        """The capabilities whose tools clients see: who holds dialogs has to show the tool that answers them."""
        return self.caps | {"dialogs"} if self.asks else self.caps

    @property
    def opens_at_start(self) -> bool:
        """Whether starting opens or checks something whose errors end the start: a browser, a device, files."""
        return bool(self.connect or self.device or self.launching or self.tracing)

    def options(self) -> frozenset[str]:
        """Return the options of the command line that show more tools, besides `--caps`."""
        given = {"--agent-model": self.agent_model is not None, "--allow-evaluate": self.allow_evaluate}
        return frozenset(option for option, is_given in given.items() if is_given)

    def context_options(self) -> dict[str, Any]:
        """Return the options of every session's context."""
        options: dict[str, Any] = {"policy": self.policy, **self.tracing, **self.context}
        if self.asks:
            options["dialogs"] = "ask"
        if self.secrets is not None:
            options["secrets"] = self.secrets
        if self.sequence.get("observe") is not None:
            options["observe"] = self.sequence["observe"]
        return options

    def may_upload(self, path: str) -> bool:
        """Return whether a file is in one of the upload directories, after resolving symbolic links."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(os.path.realpath(directory)) for directory in self.uploads)
