"""The structured content of tool results."""

from __future__ import annotations

from typing import Any

import msgspec

from stillframe.agent.outcome import Usage
from stillframe.mcp.schemas import fields_of
from stillframe.model.result import SequenceResult
from stillframe.model.sessions import SessionInfo


class PageTextInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How much of a page the text of a reply shows."""

    shown: int
    total: int
    cut: str = ""


class AriaSnapshotContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The structured content of `aria_snapshot`: `text` is the reply's own, with its marks around what the page wrote.

    Some clients hand the model nothing but the structured content.
    """

    session_id: str
    url: str
    title: str
    page_text: PageTextInfo
    text: str = ""
    overflow: str | None = None


class ScreenshotContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The structured content of `screenshot`."""

    session_id: str
    mime_type: str
    width: int
    height: int
    bytes: int
    resource: str


class SessionsContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The structured content of `sessions`; `text` as in `AriaSnapshotContent`."""

    sessions: tuple[SessionInfo, ...]
    warning: str = ""
    text: str = ""


class ReadContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the structured content of all tools that read more of a page has; `text` is that of the reply."""

    session_id: str
    text: str = ""
    overflow: str | None = None


class ConsoleContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `console_messages`."""

    messages: tuple[dict[str, Any], ...]
    last: int


class RequestsContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `network_requests`."""

    requests: tuple[dict[str, Any], ...]
    last: int


class RequestContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `network_request`; the bodies are in its `text` only."""

    number: int
    method: str
    url: str
    type: str
    request_headers: dict[str, str]
    response_headers: dict[str, str] = {}
    status: int | None = None
    mime_type: str = ""
    error: str = ""


class TabsContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `tabs`."""

    tabs: tuple[dict[str, Any], ...]


class PageToolsContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `list_webmcp_tools`; what the page says of them is in `text` only."""

    count: int


class FindContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `find`."""

    matches: int
    total: int


class EmulationContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The structured content of `emulate`: what is set now."""

    session_id: str
    emulated: dict[str, Any]


class StateContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The structured content of `storage_state`; no values, because cookies are as good as passwords."""

    session_id: str
    cookies: tuple[str, ...]
    origins: tuple[str, ...]
    saved: tuple[str, ...]
    text: str = ""
    overflow: str | None = None


class MarkedScreenshotContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `marked_screenshot`."""

    mime_type: str
    width: int
    height: int
    bytes: int
    resource: str
    marks: tuple[dict[str, Any], ...]


class FileContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `save_pdf`."""

    resource: str
    mime_type: str
    bytes: int


class AnswerContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The structured content of `ask_user`."""

    answer: str


class TracingContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `tracing`: what is recorded, or the file that was."""

    recording: tuple[str, ...] = ()
    resource: str | None = None
    mime_type: str | None = None
    bytes: int | None = None


class DownloadsContent(ReadContent, frozen=True, kw_only=True):
    """The structured content of `downloads`: the list, or what there is of one file."""

    downloads: tuple[dict[str, Any], ...] = ()
    resource: str | None = None
    mime_type: str | None = None
    bytes: int | None = None


class GoalStep(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What one step of a goal came to, after how many turns of the model."""

    goal: str
    status: str
    reason: str
    turns: int


class GoalContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The structured content of `run_goal`: the outcome without its turns and its script.

    `text` is as in `AriaSnapshotContent`.
    """

    session_id: str
    url: str
    status: str
    reason: str
    steps: tuple[GoalStep, ...]
    extracted: dict[str, Any]
    experiences: tuple[str, ...]
    usage: Usage
    price: float | None
    text: str = ""
    overflow: str | None = None


def _sequence_content() -> type[msgspec.Struct]:
    fields: list[Any] = [("session_id", str), *fields_of(SequenceResult)]
    extra = [("text", str, ""), ("page_text", PageTextInfo | None, None), ("overflow", str | None, None)]
    return msgspec.defstruct("SequenceContent", [*fields, *extra], kw_only=True, rename="camel")


SequenceContent = _sequence_content()
"""The structured content of tools that act: the fields of `SequenceResult`, the session, and the text of the reply with
what it cut."""
