"""`stillframe mcp`: what was given on the command line becomes the server's settings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import msgspec

from stillframe.cli.output import ExitCode
from stillframe.model.options import parse_settling_options
from stillframe.security.policy import WEB_SCHEMES, UrlPolicy
from stillframe.security.secret_store import Secrets

EXTRA = frozenset({"mcp", "mcp_types", "PIL", "starlette", "uvicorn"})
MISSING = "stillframe: the server needs the MCP SDK: pip install 'stillframe[mcp]'\n"


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command, as they were given."""

    tools: Literal["default", "all"]
    hosts: tuple[str, ...]
    denied: tuple[str, ...]
    private: bool
    schemes: tuple[str, ...]
    uploads: tuple[Path, ...]
    secrets: Path | None
    budget: int
    loops: Literal["off", "shadow", "warn", "refuse"]
    headed: bool
    connect: str | None
    sequence: dict[str, Any]
    idle_minutes: float
    deadline: float

    def policy(self) -> UrlPolicy:
        """What may be opened: nothing private unless it was allowed."""
        return UrlPolicy(
            allowed_hosts=self.hosts,
            denied_hosts=self.denied,
            allowed_schemes=(*WEB_SCHEMES, *self.schemes),
            allow_private=self.private,
        )


def mcp(given: Given, *, host: str | None, port: int) -> ExitCode:
    """Serve until the client goes or a signal comes; `host` is None for stdio."""
    from stillframe.cli.app import drive

    try:
        from stillframe.mcp import run
        from stillframe.mcp.http import Door
        from stillframe.mcp.settings import Settings
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        # Before the transport is there, standard error is the one place to say it.
        sys.stderr.write(MISSING)
        return ExitCode.USAGE
    parse_settling_options(given.sequence)
    settings = Settings(
        tools=given.tools,
        policy=given.policy(),
        secrets=None if given.secrets is None else Secrets.load(given.secrets),
        budget=given.budget,
        loops=given.loops,
        headed=given.headed,
        connect=given.connect,
        sequence=given.sequence,
        idle_ms=given.idle_minutes * 60_000 or None,
        deadline_s=given.deadline,
        uploads=given.uploads,
    )
    door = None if host is None else Door(host=host, port=port)

    async def serve() -> ExitCode:
        await (run.run_stdio(settings) if door is None else run.run_http(settings, door))
        return ExitCode.OK

    return drive(serve())
