"""The tools that a page offers to agents, by WebMCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from stillframe.api.parts import PagePart, page_call
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.model.keywords import SequenceKeywords
from stillframe.model.webmcp import CallTool, WebMCPResult, WebMCPTool
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.webmcp_input import plain_input

MAX_OUTPUT_BYTES = 1_000_000
"""Bytes of JSON that the output of a tool may have: as text some 300,000 tokens, more than most models read at once."""


class WebMCP(PagePart):
    """The tools that a page, or one of its frames, registers with `document.modelContext`; see `Page.webmcp`.

    Chrome offers this behind a flag: launch it with `webmcp=True`. Names, descriptions, schemas and outputs are text of
    the page: show them to a model as untrusted.
    """

    def __init__(self, parts: PageParts, frame_id: str | None = None) -> None:
        super().__init__(parts)
        self._frame_id = frame_id

    @page_call
    async def tools(self, *, timeout_ms: float | None = CALL_MS) -> list[WebMCPTool]:
        """Return the tools that are registered now: those of the frame, or for a page those of all its frames.

        The tools of the main frame come first. Frames of other processes are listed if they answer within two seconds.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            WebMCPUnavailable: No frame of the page has tools and none can have any: the browser was launched without
                WebMCP, or the page is neither from https: nor from localhost.
            UnsupportedByBrowser: The browser is older than Chrome 149.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        from stillframe.tab.webmcp import registered  # few pages offer tools: others need not load its domain

        found = await registered(self._tab, Deadline.of_ms(timeout_ms))
        tools = [each.tool for each in found if self._frame_id in (None, each.tool.frame_id)]
        return self._tab.context.redaction.redact(tools)

    @page_call
    async def call_tool(
        self,
        name: str | WebMCPTool,
        input: Mapping[str, Any] | None = None,
        *,
        validate: bool = True,
        max_output_bytes: int = MAX_OUTPUT_BYTES,
        **options: Unpack[SequenceKeywords],
    ) -> WebMCPResult:
        """Call a tool, wait until the page is still, and return what the tool returned and what the page changed.

        A form is filled in, and submitted if the page says so (`toolautosubmit`); otherwise the result `awaits_submit`.
        A tool that returns `isError` raises nothing: see `WebMCPResult.is_error`. The `result` of a WebMCPError is the
        SequenceResult, which says what changed.

        Args:
            name: That of a tool of this frame, for a page of its main frame; a `WebMCPTool` of `tools` is called in its
                own frame.
            input: The arguments of the tool.
            validate: Whether they are checked against its schema, which needs the extra `webmcp`.
            max_output_bytes: How long its output may be; default 1,000,000.
            **options: Those of `Page.execute_sequence`; `action_timeout_ms` limits the tool itself (30,000 by default),
                after which its call is cancelled.

        Raises:
            WebMCPUnavailable: There are no tools, as for `tools`.
            WebMCPToolNotFound: There is no such tool.
            WebMCPInputInvalid: The arguments do not fit the schema.
            WebMCPToolFailed: The tool throws.
            WebMCPTimeout: The tool takes longer than `action_timeout_ms`.
            WebMCPOutputTooLarge: Its output is longer than `max_output_bytes`.
            PageUnresponsive: The page does not answer.
            UnsupportedByBrowser: The browser is older than Chrome 149.
            OptionInvalid: An argument is invalid.
        """
        from stillframe.engine.webmcp import call_tool  # as in `tools`

        if isinstance(max_output_bytes, bool) or not isinstance(max_output_bytes, int) or max_output_bytes < 1:
            raise OptionInvalid(
                f"max_output_bytes is {max_output_bytes!r}: it must be a number of bytes, at least 1",
                option="max_output_bytes",
            )
        tool, frame_id = (name.name, name.frame_id) if isinstance(name, WebMCPTool) else (name, self._frame_id)
        order = CallTool(name=tool, input=plain_input(tool, input), frame_id=frame_id or self._tab.target_id)
        return await call_tool(
            self._parts.settler,
            self._parts.history,
            order,
            options,
            validate=validate,
            max_output_bytes=max_output_bytes,
        )
