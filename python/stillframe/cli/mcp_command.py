"""`stillframe mcp`: turns the options of the command line into the server's settings."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe import Secrets, UrlPolicy
from stillframe.cli.output import ExitCode
from stillframe.cli.runner import run_async
from stillframe.cli.server_options import check_directory, refuse_conflicts, script_of
from stillframe.errors import OptionInvalid
from stillframe.model.actions import KINDS
from stillframe.model.options import parse_settling_options
from stillframe.model.suggest import did_you_mean
from stillframe.security.policy import WEB_SCHEMES

if TYPE_CHECKING:
    from stillframe.mcp.capabilities import Capability

EXTRA = frozenset({"anyio", "mcp", "mcp_types", "PIL", "regex", "starlette", "uvicorn"})
MISSING = "stillframe: the server needs the MCP SDK: pip install 'stillframe[mcp]'\n"


class McpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command."""

    caps: tuple[str, ...]
    allowed_hosts: tuple[str, ...]
    denied_hosts: tuple[str, ...]
    allow_private: bool
    schemes: tuple[str, ...]
    uploads: tuple[Path, ...]
    allow_evaluate: bool
    secrets: Path | None
    budget: int
    loops: Literal["off", "shadow", "warn", "refuse"]
    headed: bool
    connect: str | None
    device: Any
    """A DeviceChoice or None; its module imports all that drives a browser."""
    sequence: dict[str, Any]
    idle_ms: float
    call_timeout_ms: float
    agent_model: str | None = None
    tracing: dict[str, Any] = {}
    context: dict[str, Any] = {}
    launching: dict[str, Any] = {}
    shared: bool = False
    connect_headers: dict[str, str] = {}
    profile: Path | None = None
    save_storage_state: Path | None = None
    init_script: Path | None = None
    confirm: tuple[str, ...] = ()

    def given(self) -> dict[str, bool]:
        """Return which of the options that may exclude one another are there."""
        names = ("connect", "profile", "save_storage_state", "headed", "shared")
        own = {name: bool(getattr(self, name)) for name in names}
        chosen = {name: name in self.context for name in ("proxy", "storage_state")}
        return {
            **own,
            **chosen,
            "emulate": "device" in self.context,
            "executable": "executable" in self.launching,
            "webview": self.device is not None,
            "connect_header": bool(self.connect_headers),
        }

    def policy(self) -> UrlPolicy:
        """Return the URL policy; it refuses private addresses unless `allow_private` is set."""
        return UrlPolicy(
            allowed_hosts=self.allowed_hosts,
            denied_hosts=self.denied_hosts,
            allowed_schemes=(*WEB_SCHEMES, *self.schemes),
            allow_private=self.allow_private,
        )


def _capabilities(options: McpOptions) -> frozenset[Capability]:
    """Return the capabilities, with that of scripts where they are allowed.

    Raises OptionInvalid where they are asked for by name and not allowed: the tool could only refuse.
    """
    from stillframe.mcp.capabilities import parse_capabilities

    if "evaluate" in options.caps and not options.allow_evaluate:
        raise OptionInvalid("option caps: evaluate needs --allow-evaluate: it runs any script in pages", option="caps")
    return parse_capabilities([*options.caps, *(["evaluate"] if options.allow_evaluate else [])])


def checked_kinds(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return kinds of actions; raises OptionInvalid for one that does not exist, which would never be confirmed."""
    for kind in kinds:
        if kind not in KINDS:
            raise OptionInvalid(f"there is no action {kind!r}{did_you_mean(kind, KINDS)}", option="confirm")
    return kinds


def serve_mcp(options: McpOptions, *, host: str | None, port: int, token: str = "") -> ExitCode:
    """Serve until the client leaves or a signal arrives; `host` is None for stdio, "" a random token."""
    # Found, not imported: the server imports some of them after it has answered the client.
    if any(find_spec(name) is None for name in EXTRA):
        # Without a transport, standard error is the only place for the message.
        sys.stderr.write(MISSING)
        return ExitCode.USAGE
    with without_collections():
        from stillframe.mcp import server
        from stillframe.mcp.settings import Settings

    refuse_conflicts(options.given() | {"http": host is not None})
    parse_settling_options(options.sequence)
    if options.context:
        from stillframe.extend.options import parse_context_options

        parse_context_options(options.context)
    settings = Settings(
        caps=_capabilities(options),
        allow_evaluate=options.allow_evaluate,
        policy=options.policy(),
        secrets=None if options.secrets is None else Secrets.load(options.secrets),
        budget=options.budget,
        loops=options.loops,
        headed=options.headed,
        connect=options.connect,
        device=options.device,
        sequence=options.sequence,
        idle_ms=options.idle_ms or None,
        call_timeout_ms=options.call_timeout_ms,
        uploads=options.uploads,
        agent_model=options.agent_model,
        tracing=options.tracing,
        context=options.context,
        launching=options.launching,
        shared=options.shared,
        connect_headers=options.connect_headers,
        profile=None if options.profile is None else options.profile.resolve(),
        save_storage_state=(
            None
            if options.save_storage_state is None
            else check_directory(options.save_storage_state, "save_storage_state")
        ),
        init_script=None if options.init_script is None else script_of(options.init_script),
        confirm=checked_kinds(options.confirm),
        launch_ahead=True,
    )
    if options.agent_model is not None:
        from stillframe.cli.agent_model import check_model

        check_model(options.agent_model)
    http = None
    if host is not None:
        from stillframe.mcp.http import HttpOptions

        http = HttpOptions(host=host, port=port, token=token)

    async def serve() -> ExitCode:
        await (server.run_stdio(settings) if http is None else server.run_http(settings, http))
        return ExitCode.OK

    return run_async(serve())


@contextmanager
def without_collections() -> Iterator[None]:
    """Import without collecting garbage: modules stay, and a tenth of the time would go into looking at them."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
