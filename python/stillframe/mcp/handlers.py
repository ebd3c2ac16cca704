"""The handlers of the server. Each call is a task with a time limit, and every error has a type."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import msgspec
from mcp.shared.exceptions import MCPError

from stillframe import Browser, Secrets, StillframeError
from stillframe.errors import OptionInvalid
from stillframe.mcp import completion, page_app, resources, tasks
from stillframe.mcp.arguments import parse_arguments
from stillframe.mcp.asking import Asker, InputNeeded
from stillframe.mcp.before_call import prepare
from stillframe.mcp.calls import RunningCalls
from stillframe.mcp.clients import Clients, Context, Place
from stillframe.mcp.error_mapping import ADVICE, ToolError, error_result, error_to_dict
from stillframe.mcp.prompts import PromptInvalid, PromptRow, prompt_table
from stillframe.mcp.secret_pages import SecretPages
from stillframe.mcp.session_provider import SessionProvider, session_provider
from stillframe.mcp.tool_row import ToolContext, ToolRow
from stillframe.mcp.tools import tool_table
from stillframe.model.suggest import did_you_mean
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.mcp.progress import Report
    from stillframe.mcp.settings import Settings

# Arguments as models and clients write them, turned into those of the schemas where the meaning is certain.
#
# - An unset option as `null`: many clients send every property of a schema.
# - A ref as page text prints it: `e12`, `[ref=e12]`, `@e12`, or `{"ref": "e12"}`.
# - A list of actions as JSON text, or a single action without the list around it.

SELECTORS = ("selector", "target", "scope")
"""Arguments, and fields of actions, that name an element."""

_REF = re.compile(r"\[ref=(e[0-9]+)\]|@?(e[0-9]+)")


def tolerated(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call in the form of its schema; raises OptionInvalid for actions that are not JSON."""
    arguments = _set_fields(sent)
    if "actions" in arguments:
        arguments["actions"] = [
            _set_fields(action) if isinstance(action, dict) else action for action in _listed(arguments["actions"])
        ]
    return arguments


def _set_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in fields.items() if value is not None}
    return found | {name: _selector(found[name]) for name in SELECTORS if name in found}


def _selector(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["ref"]:
        value = value["ref"]
    if not isinstance(value, str):
        return value
    ref = _REF.fullmatch(value.strip())
    return f"ref={ref[1] or ref[2]}" if ref else value


def _listed(actions: Any) -> Any:
    if isinstance(actions, str):
        try:
            actions = msgspec.json.decode(actions)
        except msgspec.DecodeError as error:
            raise OptionInvalid(
                f"argument actions: text that is not JSON ({error}); send a list of objects, such as "
                '[{"action": "click_element", "selector": "ref=e12"}]',
                option="actions",
            ) from None
    return [actions] if isinstance(actions, dict) else actions


_logger = logger("stillframe.mcp")


class Handlers:
    """The functions that the SDK calls."""

    def __init__(self, settings: Settings, browser: Browser | None = None) -> None:
        # A store from the start: what a person types for one call must reach sessions that are open by then.
        secrets = Secrets() if settings.secrets is None else settings.secrets  # an empty store gets those of persons
        self.settings = settings = msgspec.structs.replace(settings, secrets=secrets)
        self._pages = SecretPages()
        self._browser = browser
        self.tools = tool_table(settings.shown, options=settings.options())
        self.prompts = prompt_table()
        self.tasks = tasks.Tasks()
        self.clients = Clients(settings)
        self.calls = RunningCalls(settings.call_timeout_ms)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[SessionProvider]:
        """Provide sessions while the server runs."""
        async with session_provider(self.settings, self._browser) as provider:
            try:
                yield provider
            finally:
                await asyncio.shield(self.tasks.stop())
                await asyncio.shield(self.calls.stop())
                await asyncio.shield(self.clients.stop())
                await asyncio.shield(self._pages.stop())

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """Return all tools on one page; raises MCPError for any cursor, because there is no other page."""
        _refuse_cursor(params)
        context.lifespan_context.launch_ahead()
        tools = [row.tool for row in self.tools.shown.values()]
        if not page_app.is_wanted(context):
            return types.ListToolsResult(tools=tools)
        # As this client alone sees them.
        return types.ListToolsResult(tools=[page_app.with_app(tool) for tool in tools], cache_scope="private")

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Any:
        """Run one tool; return its result, what a person has to say before, or a task if the client takes tasks."""
        try:
            row = self._row(params.name)
        except ToolError as hidden:
            return error_result(hidden)
        if not tasks.is_declared(context):
            return await self._call(context, params, row, context.session.report_progress)

        async def call(task: tasks.Task) -> types.CallToolResult | types.InputRequiredResult:
            async def report(done: float, total: float, message: str) -> None:
                self.tasks.report(task, message)
                if not task.is_kept:
                    await context.session.report_progress(done, total, message)

            return await self._call(context, params, row, report, task)

        return await self.tasks.run(params.name, self.clients.owner(context), call)

    async def _call(
        self,
        context: Context,
        params: types.CallToolRequestParams,
        row: ToolRow,
        report: Report,
        task: tasks.Task | None = None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run one tool, or return what a person has to say before; every error becomes a result with its code."""
        try:
            sent = tolerated(params.arguments or {})
            arguments = parse_arguments(row.takes, sent)
            timeout_ms = row.timeout_ms(self.settings, arguments) if row.timeout_ms else None
            place = self.clients.place(context, params.name, arguments)
            # A task outlives its request; until it is one, `Tasks` cancels it with the request.
            caller = place.caller if task is None else place.caller._replace(reader=None)
            work = self._run(row, place, sent, report, Asker(context, params))
            return await self.calls.run(params.name, work, timeout_ms, caller)
        except InputNeeded as needed:
            return needed.result
        except MCPError:
            raise
        except StillframeError as error:
            return error_result(error)
        except Exception:
            _logger.exception("a call of %s failed", params.name)
            return error_result(ToolError("internal", f"{params.name} failed inside the server"))

    async def _run(
        self, row: ToolRow, place: Place, sent: dict[str, Any], report: Report, asker: Asker
    ) -> types.CallToolResult:
        assert self.settings.secrets is not None
        typed = await prepare(asker, self.settings, self._pages, place, row.tool.name, sent)
        try:
            if place.opened is not None:
                await place.provider.open(place.opened)
            context = ToolContext(place.provider, place.provider.store, self.settings, report, asker)
            result = await row.run(context, place.arguments, sent)
        finally:
            for name in typed:  # for this call alone: other clients know names, too
                self.settings.secrets.discard(name)
        return result if place.opened is None else _with_session(result, place.opened)

    def _row(self, name: str) -> ToolRow:
        """Return the row of a tool; raises ToolError for one that is hidden, and MCPError for an unknown one."""
        shown, hidden = self.tools.shown, self.tools.hidden
        if name in shown:
            return shown[name]
        if name in hidden:
            raise ToolError("tool_hidden", f"{name} needs {hidden[name]}", tool=name, option=hidden[name])
        hint = did_you_mean(name, shown)
        message = f"unknown tool {name[:80]!r}{hint}; known: {', '.join(shown)}"
        raise MCPError(code=types.INVALID_PARAMS, message=message, data={"code": "tool_unknown"})

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Return what the store of the client has; raises MCPError for any cursor, because there is no other page."""
        _refuse_cursor(params)
        app = [page_app.resource()] if page_app.is_wanted(context) else []
        stored = [resources.stored_resource(each) for each in self.clients.provider(context).store.list()]
        return types.ListResourcesResult(resources=[*app, *stored])

    async def list_templates(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Return the templates of all resources; raises MCPError for any cursor."""
        _refuse_cursor(params)
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return a stored resource of the client, or what a session shows now; raises MCPError if there is none."""
        uri = str(params.uri)
        if uri == page_app.URI:
            return types.ReadResourceResult(contents=[page_app.contents()])
        live = resources.live_of(uri)
        if live is None:
            stored = self.clients.resource(context, uri)
            if stored is None:
                raise _refused("resource_gone", f"nothing is stored at {uri[:120]}", uri=uri)
            return _read(uri, stored.mime_type, stored.content)
        row, session_id = live
        provider = self.clients.of_session(context, session_id)
        try:
            return await self.calls.run(row.template, _live(uri, row, provider, session_id))
        except StillframeError as error:
            fields = error_to_dict(error)
            raise MCPError(code=types.INVALID_PARAMS, message=fields["message"], data=fields) from error

    async def list_prompts(self, _: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """Return all prompts on one page; raises MCPError for any cursor."""
        _refuse_cursor(params)
        return types.ListPromptsResult(prompts=[row.prompt() for row in self.prompts.values()])

    async def get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return the text of a prompt; raises MCPError if it or an argument is unknown."""
        try:
            return self._prompt(params.name).get(params.arguments or {})
        except PromptInvalid as error:
            raise _refused("prompt_invalid", str(error)) from error

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Return values for an argument of a prompt or a template; raises MCPError if there is no such thing."""
        name = params.argument.name
        if isinstance(params.ref, types.PromptReference):
            arguments = {each.name: each.completes for each in self._prompt(params.ref.name).arguments}
            completes = arguments.get(name)
        else:
            completes = resources.completes(params.ref.uri, name)
        if completes is None:
            raise _refused("prompt_invalid", f"there is no argument {name[:80]!r} to complete")
        given = (params.context.arguments if params.context is not None else None) or {}
        session_id = given.get("sessionId")
        provider = self.clients.of_session(context, session_id or "")
        return await completion.complete(provider, completes, params.argument.value, session_id)

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell the client of changes until it leaves."""
        return await self.clients.provider(context).announcer.listen(context, params)

    async def get_task(self, context: Context, params: tasks.TaskParams) -> dict[str, Any]:
        """Return the state of a task of the client; raises MCPError."""
        return await self.tasks.get(context, self.clients.owner(context), params)

    async def update_task(self, context: Context, params: tasks.UpdateParams) -> dict[str, Any]:
        """Take answers for a task of the client; raises MCPError."""
        return await self.tasks.update(context, self.clients.owner(context), params)

    async def cancel_task(self, context: Context, params: tasks.TaskParams) -> dict[str, Any]:
        """Cancel a task of the client; raises MCPError."""
        return await self.tasks.cancel(context, self.clients.owner(context), params)

    def _prompt(self, name: str) -> PromptRow:
        row = self.prompts.get(name)
        if row is None:
            known = ", ".join(self.prompts)
            raise _refused(
                "prompt_invalid", f"unknown prompt {name[:80]!r}{did_you_mean(name, self.prompts)}; known: {known}"
            )
        return row


async def _live(uri: str, row: resources.LiveRow, provider: SessionProvider, session_id: str) -> Any:
    return _read(uri, *await row.read(provider, session_id))


def _read(uri: str, mime_type: str, content: str | bytes) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[resources.contents(uri, mime_type, content)])


def _refused(code: str, message: str, **more: str) -> MCPError:
    data = {"code": code, "advice": ADVICE[code], **more}
    return MCPError(code=types.INVALID_PARAMS, message=message, data=data)


def _with_session(result: types.CallToolResult, name: str) -> types.CallToolResult:
    """Return a result that names the session that was opened for the call."""
    note = f"this is the new session {name}: send sessionId {name!r} with the next calls"
    structured = result.structured_content
    if structured is not None and "text" in structured:
        structured = {**structured, "text": f"{structured['text']}\n{note}"}
    update = {"content": [*result.content, types.TextContent(text=note)], "structured_content": structured}
    return result.model_copy(update=update)


def _refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        message = f"unknown cursor {params.cursor[:80]!r}: the first page has everything; send no cursor"
        raise MCPError(code=types.INVALID_PARAMS, message=message, data={"code": "cursor_unknown"})
