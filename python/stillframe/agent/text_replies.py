"""Replies that give their JSON as text although a tool was to be called, as many small models and servers do."""

from __future__ import annotations

import dataclasses
import re

import msgspec
from pydantic_ai import ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
"""A Markdown block of code, which is how such models often write JSON."""


def with_tool_call(reply: ModelResponse, parameters: ModelRequestParameters) -> ModelResponse:
    """Return a reply with its text as the arguments of the tool that was to be called, if the text is a JSON object."""
    wanted = parameters.output_mode == "tool" and bool(parameters.output_tools)
    if not wanted or any(isinstance(part, ToolCallPart) for part in reply.parts):
        return reply
    parts = [_called(part, parameters.output_tools[0].name) for part in reply.parts]
    return reply if parts == list(reply.parts) else dataclasses.replace(reply, parts=parts)


def _called(part: ModelResponsePart, tool: str) -> ModelResponsePart:
    text = json_object(part.content) if isinstance(part, TextPart) else None
    return part if text is None else ToolCallPart(tool, text)


def json_object(text: str) -> str | None:
    """Return the JSON object that a text is, without its Markdown fence; None for any other text."""
    fenced = _FENCED.fullmatch(text)
    bare = fenced[1] if fenced else text
    try:
        return bare if isinstance(msgspec.json.decode(bare), dict) else None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
