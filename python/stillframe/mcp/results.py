"""What tools answer with in structured content, besides the result of a sequence."""

from __future__ import annotations

from typing import Any

import msgspec

from stillframe.mcp.schemas import fields_of
from stillframe.model.result import SequenceResult
from stillframe.model.sessions import SessionInfo


class Shown(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How much of a page the text of a reply shows; the text itself stands there alone."""

    shown: int
    total: int
    cut: str = ""


class Look(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The structured content of `snapshot`."""

    session_id: str
    url: str
    title: str
    page_text: Shown
    overflow: str | None = None


class Picture(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The structured content of `screenshot`."""

    session_id: str
    mime_type: str
    width: int
    height: int
    bytes: int


class SessionList(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The structured content of `sessions`."""

    sessions: tuple[SessionInfo, ...]
    warning: str = ""


def _outcome() -> type[msgspec.Struct]:
    fields: list[Any] = [("session_id", str), *fields_of(SequenceResult)]
    extra = [("page_text", Shown | None, None), ("overflow", str | None, None)]
    return msgspec.defstruct("Outcome", [*fields, *extra], kw_only=True, rename="camel")


Outcome = _outcome()
"""The structured content of what acts: the fields of SequenceResult, the session, and what was left out."""
