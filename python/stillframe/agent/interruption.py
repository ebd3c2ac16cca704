"""Requests to a model that fail: ended without cancelling what the library runs around them, or answered as text."""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec
from pydantic_ai import ModelMessage, ModelResponse, ModelResponsePart, ModelSettings, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel

from stillframe.agent.purse import Purse

T = TypeVar("T")


class Interrupted(Exception):
    """The request was interrupted; the library passes this on as it does any error of a model."""


class InterruptibleModel(WrapperModel):
    """A model whose requests `finished` can end; it serves one question at a time."""

    def __init__(self, wrapped: Model) -> None:
        super().__init__(wrapped)
        self._interrupted = False
        self._request: asyncio.Task[ModelResponse] | None = None
        self._purse: Purse | None = None

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the model; raises Interrupted if the question was cancelled, and ModelBudgetExceeded."""
        if self._interrupted:
            raise Interrupted
        if self._purse is not None:
            model_settings = self._purse.before(messages, model_settings, model_request_parameters)
        asking = super().request(messages, model_settings, model_request_parameters)
        self._request = asyncio.create_task(asking, name="stillframe-model-request")
        try:
            reply = await self._request
            if self._purse is not None:
                self._purse.after(reply)
            return with_tool_call(without_filtered_text(reply), model_request_parameters)
        except asyncio.CancelledError:
            self._request.cancel()
            if self._interrupted:
                raise Interrupted from None
            raise

    async def finished(self, running: Coroutine[Any, Any, T], purse: Purse | None = None) -> T:
        """Return what a run of the library returns; its requests are paid from the purse.

        If the caller is cancelled, only the request is ended, and the run gets to its own end: cancelled in one of its
        waits, pydantic-ai 2.68 leaves a task that waits for ever. A second cancellation ends the run as well.
        """
        self._interrupted = False
        self._purse = purse
        run = asyncio.create_task(running, name="stillframe-model-run")
        try:
            return await asyncio.shield(run)
        except asyncio.CancelledError:
            self._interrupted = True
            if self._request is not None:
                self._request.cancel()
            try:
                await asyncio.wait({run})
            finally:
                run.cancel()
            if not run.cancelled():
                run.exception()  # retrieved, because nobody else asks for it
            raise
        finally:
            self._request = self._purse = None


def without_filtered_text(reply: ModelResponse) -> ModelResponse:
    """Return a reply without the text that a filter has cut off, which nobody can correct: the library then says so."""
    is_cut = reply.finish_reason == "content_filter" and not any(isinstance(part, ToolCallPart) for part in reply.parts)
    return dataclasses.replace(reply, parts=[]) if is_cut else reply


# Replies that give their JSON as text although a tool was to be called, as many small models and servers do.

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
