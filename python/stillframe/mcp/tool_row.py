"""One row of the table of tools: what a client reads of a tool, and the function behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import mcp_types as types
import msgspec

from stillframe.mcp import arguments, descriptions
from stillframe.mcp.asking import Asker
from stillframe.mcp.capabilities import Capability
from stillframe.mcp.progress import Report
from stillframe.mcp.resource_store import ResourceStore
from stillframe.mcp.schemas import Schema, struct_schema
from stillframe.mcp.session_provider import SessionProvider
from stillframe.mcp.settings import Settings

if TYPE_CHECKING:
    from stillframe.sessions import Session


class ToolContext(msgspec.Struct, frozen=True):
    """What a tool needs to run."""

    provider: SessionProvider
    store: ResourceStore
    settings: Settings
    report: Report
    asker: Asker

    def budget(self, call: Any) -> int:
        """Return the budget of a call's reply, in characters."""
        return getattr(call, "budget", None) or self.settings.budget

    async def session(self, call: Any) -> Session:
        """Return the session of a call; raises SessionUnknown, and the errors of opening the default one."""
        return await self.provider.get(call.session_id)


Run = Callable[[ToolContext, Any, dict[str, Any]], Awaitable[types.CallToolResult]]
"""Takes the arguments as parsed and as sent: only the latter show which ones are defaults."""


class ToolRow(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One tool; its schemas are made when somebody asks for them, because most servers hide most tools."""

    name: str
    takes: type[arguments.ToolArguments]
    run: Run
    returns: type[msgspec.Struct] | Callable[[], Schema]
    """The Struct of its structured content, or a function that returns the schema."""
    hints: types.ToolAnnotations
    capability: Capability = "core"
    option: str = ""
    """The option of the command line that switches the tool on, besides its capability."""
    texts: tuple[str, str] | None = None
    """Title and description; by default those of `descriptions.TOOLS`."""
    refine: Callable[[Schema], None] | None = None
    """Changes the schema of the arguments, where a Struct cannot say all."""
    timeout_ms: Callable[[Settings, Any], float] | None = None
    """Returns the time limit of a call; without it, that of the server counts."""

    @cached_property
    def tool(self) -> types.Tool:
        """What clients read of it."""
        title, description = self.texts or descriptions.TOOLS[self.name]
        return types.Tool(
            name=self.name,
            title=title,
            description=description,
            input_schema=self._taken(),
            output_schema=self._returned(),
            annotations=self.hints,
        )

    def _taken(self) -> Schema:
        words = descriptions.ARGUMENTS | {"selector": descriptions.SAME_SELECTOR}
        schema = struct_schema(self.takes, words | descriptions.OWN_ARGUMENTS.get(self.name, {}))
        if self.refine is not None:
            self.refine(schema)
        return schema

    def _returned(self) -> Schema:
        if not isinstance(self.returns, type):
            return self.returns()
        return result_schema(self.returns, self.name)


def result_schema(struct: type[msgspec.Struct], name: str = "", depth: int = 1) -> Schema:
    """Return the schema of what a tool returns; below `depth` it only says object or array."""
    words = descriptions.RESULTS | descriptions.OWN_RESULTS.get(name, {})
    return struct_schema(struct, words, closed=False, depth=depth)


READS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, destructive_hint=False, open_world_hint=True)
"""The hints of tools that only look."""

KEEPS = types.ToolAnnotations(read_only_hint=False, idempotent_hint=True, destructive_hint=False, open_world_hint=False)
"""The hints of tools that change how a page is shown, and send nothing."""

MANAGES = types.ToolAnnotations(
    read_only_hint=False, idempotent_hint=False, destructive_hint=True, open_world_hint=False
)
"""The hints of tools that open and close what belongs to the server."""

ASKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, destructive_hint=False, open_world_hint=False)
"""The hints of tools that ask the person."""

ACTS = types.ToolAnnotations(read_only_hint=False, idempotent_hint=False, destructive_hint=True, open_world_hint=True)
"""The hints of tools that do anything on a page."""
