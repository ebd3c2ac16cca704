"""Tools that a page offers to agents by WebMCP (`document.modelContext`): what they are, and what a call returns."""

from __future__ import annotations

from typing import Any

import msgspec

from stillframe.model.actions import BaseAction
from stillframe.model.result import SequenceResult
from stillframe.model.structs import Value


class WebMCPAnnotations(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a page claims about one of its tools; nothing checks it."""

    read_only: bool = False
    """The tool changes nothing."""
    untrusted_content: bool = False
    """The output may contain text of third parties."""
    consequential: bool = False
    """The tool does something of consequence, such as placing an order."""
    debugging: bool = False
    """The tool is for developers."""
    autosubmit: bool = False
    """The tool is a form that the browser submits once it is filled in (`toolautosubmit`)."""


class WebMCPTool(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A tool that a frame of a page offers. Name, description and schema are text of the page: do not trust them."""

    name: str
    """The name; unique in its frame."""
    description: str
    """What the page says that the tool does."""
    input_schema: dict[str, Any] | None = None
    """The JSON Schema of the input, if the page gives one."""
    annotations: WebMCPAnnotations = WebMCPAnnotations()
    """The hints of the page."""
    is_form: bool = False
    """Whether the tool is a `<form toolname=…>`: a call fills it in, and submits it only with `autosubmit`."""
    frame_id: str
    """The id of the frame that registered the tool."""
    frame_url: str
    """The URL of its document."""


class WebMCPResult(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a call of a page's tool returned and what it changed on the page. The output is text of the page."""

    tool: str
    """The name of the tool."""
    output: Any = None
    """What the tool returned, as JSON; usually an object with a list `content`, as in MCP. None if a form was filled in
    and waits to be submitted."""
    awaits_submit: bool = False
    """Whether the call filled in a form without `toolautosubmit`, so that nothing was sent yet: the page waits until
    its submit button is clicked."""
    sequence: SequenceResult
    """What the call changed, and how the wait for a still page ended."""

    @property
    def is_error(self) -> bool:
        """Whether the tool says by `isError`, as MCP's tools do, that it failed."""
        return isinstance(self.output, dict) and self.output.get("isError") is True

    @property
    def text(self) -> str:
        """The output as text: the texts of an MCP `content`, one per line, a string as it is, anything else as JSON."""
        return text_of(self.output)


class CallTool(BaseAction, frozen=True, tag="call_tool"):
    """The call of a page's tool as an action of a sequence; `Page.webmcp.call_tool` makes it.

    It is in no list of actions that callers or models give: a tool is called by itself, because its output decides what
    comes next.
    """

    name: str
    input: Any
    frame_id: str


def text_of(output: Any) -> str:
    """Return the output of a tool as text; see `WebMCPResult.text`."""
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    content = output.get("content") if isinstance(output, dict) else None
    if isinstance(content, list) and content and all(map(_is_text, content)):
        return "\n".join(part["text"] for part in content)
    return msgspec.json.encode(output).decode()


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
