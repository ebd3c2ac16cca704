"""The tools that the documents of a tab offer by WebMCP: list them, call one, wait for its answer.

`WebMCP.enable` reports the tools that are registered now before it answers, also when it was enabled before, whereas no
event says that a navigation took tools away (Chromium 156). So every list is asked for, and none is kept. Chrome lists
only the tools of the top document of each process that way, although it calls those of the documents in it as well;
these list their tools themselves, in the isolated world.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import runtime, web_mcp
from stillframe.errors import (
    CdpError,
    CommandTimeout,
    ContextLost,
    SessionLost,
    StillframeError,
    WebMCPOutputTooLarge,
    WebMCPTimeout,
    WebMCPToolFailed,
    WebMCPToolNotFound,
    WebMCPUnavailable,
)
from stillframe.injected import elements
from stillframe.model.bounds import short
from stillframe.model.suggest import did_you_mean
from stillframe.model.webmcp import WebMCPAnnotations, WebMCPTool
from stillframe.tab.unsupported import unsupported
from stillframe.tab.webmcp_input import check

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.model.webmcp import CallTool
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

GONE_FRAME = (SessionLost, ContextLost, CommandTimeout)
"""How a frame answers that goes away while it lists its tools, or hangs."""

FRAME_S = 2.0
"""Seconds for a frame of another process to list its tools; one that hangs must not hide those of the page."""

THROWN_CHARACTERS = 500

NOT_FOUND = "Tool not found"
"""Chrome's answer to a call of a tool that is not registered any more; any wrong parameter has its error number."""


class Registered(NamedTuple):
    """A tool, and the session that reaches the frame which registered it."""

    tool: WebMCPTool
    session: CDPSession


class Answer(NamedTuple):
    """What a tool returned; a form that waits to be submitted has returned nothing yet."""

    output: Any = None
    awaits_submit: bool = False


async def registered(tab: Tab, deadline: Deadline) -> list[Registered]:
    """Return the tools of all frames, those of the main frame first.

    Raises WebMCPUnavailable if there are none and there can be none, UnsupportedByBrowser for an old browser.
    """
    if not tab.context.capabilities.has("WebMCP.invokeTool"):
        raise unsupported(tab.context.capabilities, "WebMCP.invokeTool", "act on the page instead: click and fill")
    main, *others = tab.frames
    first = _listed(main, deadline)
    rest = [_listed(frame, deadline.within(FRAME_S)) for frame in others]
    lists = await asyncio.gather(first, *rest, return_exceptions=True)
    found: list[Registered] = []
    for index, listed in enumerate(lists):
        if not isinstance(listed, BaseException):
            found += listed
        elif index == 0 or not isinstance(listed, GONE_FRAME):
            raise listed
    if not found:
        await _require_support(main, deadline)
    return found


async def _listed(frame: Frame, deadline: Deadline) -> list[Registered]:
    if frame.is_process_root:
        tools = [_tool(tool, frame) for tool in await _enabled(frame.session, deadline) if tool.frame_id == frame.id]
    else:
        listed = await frame.call(elements.offered_tools(), timeout=deadline.left_s)
        tools = [msgspec.convert({**each, "frameId": frame.id, "frameUrl": frame.url}, WebMCPTool) for each in listed]
    return [Registered(tool, frame.session) for tool in tools]


async def _enabled(session: CDPSession, deadline: Deadline) -> list[web_mcp.Tool]:
    tools: dict[tuple[str, str], web_mcp.Tool] = {}

    def added(event: web_mcp.ToolsAdded) -> None:
        tools.update({(tool.frame_id, tool.name): tool for tool in event.tools})

    remove = session.on(web_mcp.ToolsAdded, added)
    try:
        await session.send(web_mcp.Enable(), timeout=deadline.left_s)
    finally:
        remove()
    return list(tools.values())


def _tool(tool: web_mcp.Tool, frame: Frame) -> WebMCPTool:
    given = tool.annotations
    hints = {} if given is None else {name: getattr(given, name) is True for name in given.__struct_fields__}
    return WebMCPTool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=WebMCPAnnotations(**hints),
        is_form=tool.backend_node_id is not None,
        frame_id=tool.frame_id,
        frame_url=frame.url,
    )


async def _require_support(frame: Frame, deadline: Deadline) -> None:
    try:
        secure, offered = await frame.call(elements.may_offer_tools(), timeout=deadline.left_s)
    except ContextLost:
        return  # another document is on its way, and it has no tools yet
    if not secure:
        raise WebMCPUnavailable(
            f"{short(frame.url)} cannot offer tools: it is not a secure context; load the page from an https: URL or "
            "from localhost",
            reason="insecure",
        )
    if not offered:
        raise WebMCPUnavailable(
            "WebMCP is off in this browser: launch it with webmcp=True (stillframe mcp: --caps webmcp); a browser that "
            "you connect to must be started with --enable-features=WebMCP",
            reason="disabled",
        )


# -- calling -------------------------------------------------------------------------------------


def find(found: list[Registered], call: CallTool) -> Registered:
    """Return the tool that a call names; raises WebMCPToolNotFound."""
    here = [each for each in found if each.tool.frame_id == call.frame_id]
    for each in here:
        if each.tool.name == call.name:
            return each
    names = [each.tool.name for each in here]
    elsewhere = [each.tool.frame_url for each in found if each.tool.name == call.name]
    raise WebMCPToolNotFound(
        f"the frame has no tool {short(call.name, 100)!r}{_instead(call.name, names, elsewhere)}",
        tool=call.name,
        names=names,
        frames=elsewhere,
    )


def _instead(name: str, names: list[str], elsewhere: list[str]) -> str:
    if elsewhere:
        return f": the frame {short(elsewhere[0], 200)!r} has it; pass the tool of that frame from the list of tools"
    if not names:
        return ": it offers none now; list the tools again once the page shows what the tool is about"
    listed = short(", ".join(names), 500)
    return f"{did_you_mean(name, names)}; it offers {listed} now: pages register and unregister tools as they change"


async def call(tab: Tab, order: CallTool, *, validate: bool, max_output_bytes: int, deadline: Deadline) -> Answer:
    """Call a tool and return its answer; raises WebMCPError.

    The call is cancelled in the page after the deadline, and if the caller is cancelled.
    """
    target = find(await registered(tab, deadline), order)
    if validate:
        check(order.name, target.tool.input_schema, order.input)
    with tab.frames.scripts.caller_script():
        answer = await _invoked(tab, target, order, deadline)
    size = len(msgspec.json.encode(answer.output))
    if size > max_output_bytes:
        raise WebMCPOutputTooLarge(
            f"{order.name!r} ran, and its output of {size:,} bytes is longer than the limit of {max_output_bytes:,}: "
            "ask the tool for less, read the result from the page, or raise max_output_bytes",
            tool=order.name,
            size=size,
            limit=max_output_bytes,
        )
    return answer


async def _invoked(tab: Tab, target: Registered, order: CallTool, deadline: Deadline) -> Answer:
    tool, session = target.tool, target.session
    command = web_mcp.InvokeTool(frame_id=tool.frame_id, tool_name=tool.name, input=order.input)
    with _Responses(session) as responses:
        invocation = None
        try:
            invocation = (await session.send(command, timeout=deadline.left_s)).invocation_id
            if tool.is_form and not tool.annotations.autosubmit:
                await _filled(tab.frames.by_id.get(tool.frame_id), deadline)
                if responses.of(invocation) is None:
                    responses.leave(invocation)
                    return Answer(awaits_submit=True)
            response = await responses.wait(invocation, deadline)
        except CdpError as error:
            raise _refused(tool.name, error) from None
        except SessionLost:
            if session is tab.session:
                raise
            raise WebMCPToolFailed(
                f"{tool.name!r} did not answer: its frame left the page while it ran; look at what the page shows now",
                tool=tool.name,
            ) from None
        except TimeoutError:
            raise WebMCPTimeout(
                f"{tool.name!r} did not answer within {deadline.shown}; the call was cancelled: see whether the page "
                "waits for something, such as a dialog, or give the tool a longer action_timeout_ms",
                tool=tool.name,
            ) from None
    return Answer(_output(session, tool.name, response))


class _Responses:
    """The responses of a session's tools from now on; at the end of the block, what has not responded is cancelled."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._came: dict[str, web_mcp.ToolResponded] = {}
        self._running: set[str] = set()
        self._changed = asyncio.Event()
        self._lost: SessionLost | None = None
        self._removers = [session.on(web_mcp.ToolResponded, self._responded), session.on_closed(self._closed)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for remove in self._removers:
            remove()
        for invocation in self._running:
            self._session.post(web_mcp.CancelInvocation(invocation_id=invocation))

    def of(self, invocation: str) -> web_mcp.ToolResponded | None:
        """Return the response of a call, if it came."""
        if invocation not in self._came:
            self._running.add(invocation)
        return self._came.get(invocation)

    def leave(self, invocation: str) -> None:
        """Let a call go on after the block."""
        self._running.discard(invocation)

    async def wait(self, invocation: str, deadline: Deadline) -> web_mcp.ToolResponded:
        """Wait for the response of a call; raises TimeoutError, and SessionLost."""
        async with time_limit(deadline.left_s):
            while (response := self.of(invocation)) is None:
                if self._lost is not None:
                    raise self._lost
                self._changed.clear()
                await self._changed.wait()
        self._running.discard(invocation)
        return response

    def _responded(self, event: web_mcp.ToolResponded) -> None:
        self._came[event.invocation_id] = event
        self._changed.set()

    def _closed(self, error: SessionLost) -> None:
        self._lost = error
        self._changed.set()


async def _filled(frame: Frame | None, deadline: Deadline) -> None:
    """Wait until Chrome has filled in a form, or has reported that the input does not fit."""
    if frame is None:
        return
    try:
        await frame.call(elements.form_filled(), timeout=deadline.left_s)
    except ContextLost:
        return  # the page replaced its document when the fields changed


def _refused(name: str, error: CdpError) -> StillframeError:
    if NOT_FOUND in error.text:
        return WebMCPToolNotFound(
            f"the page unregistered {name!r} just before the call; list its tools again", tool=name
        )
    return WebMCPToolFailed(f"Chrome did not call {name!r}: {short(error.text, THROWN_CHARACTERS)}", tool=name)


def _output(session: CDPSession, name: str, response: web_mcp.ToolResponded) -> Any:
    """Return the output of a call that completed; raises WebMCPToolFailed for any other."""
    if response.status == "Completed":
        return response.output
    thrown = response.exception
    if thrown is not None and thrown.object_id is not None:
        session.post(runtime.ReleaseObject(object_id=thrown.object_id))
    reason = (thrown and (thrown.description or str(thrown.value))) or response.error_text
    if response.status == "Canceled":
        said = f": {short(reason, THROWN_CHARACTERS)}" if reason else ""
        raise WebMCPToolFailed(f"the page cancelled the call of {name!r}{said}", tool=name)
    said = short(reason or "it gives no reason", THROWN_CHARACTERS)
    raise WebMCPToolFailed(f"{name!r} failed, and the page says: {said}", tool=name)
