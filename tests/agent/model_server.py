"""A scripted provider of models with OpenAI's Chat Completions API, on a loopback port."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aiohttp import web
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

from stillframe.testing import app_server

KEY = "sk-loopback-0123456789"
"""The key that the models of `ModelServer.model` send."""
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 40},
}


class Answer(NamedTuple):
    """What the server sends for one request; `body` is JSON, or bytes to send as they are."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = {}
    stop_after: int | None = None
    """After how many bytes of the body the connection ends."""
    hang: bool = False
    """Whether the server never answers; it notes it in `ModelServer.abandoned` when the client goes away."""


def decided(arguments: Any, *, tool: str = "final_result", usage: Mapping[str, Any] | None = USAGE) -> Answer:
    """Return a reply that calls a tool; arguments that are a text go out as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": text}}
    return completion({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls", usage)


def said(text: str | None, *, usage: Mapping[str, Any] | None = USAGE) -> Answer:
    """Return a reply that is a text."""
    return completion({"role": "assistant", "content": text}, "stop", usage)


def completion(message: Mapping[str, Any], reason: str, usage: Mapping[str, Any] | None) -> Answer:
    """Return a reply as the API sends it."""
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "gpt-4o"}
    return Answer({**body, "choices": [choice], **({"usage": usage} if usage else {})})


def refused(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """Return an error as the API sends it; names of headers are written with underscores."""
    error = {"message": message, "type": "error", "code": code, "param": None}
    return Answer({"error": error}, status, {name.replace("_", "-"): value for name, value in headers.items()})


HANG = Answer(None, hang=True)


class ModelServer:
    """Gives its answers in order, and keeps the JSON of each request."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = deque(answers)
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.sizes: list[int] = []
        """Bytes of each request."""
        self.asked = asyncio.Event()
        """Set once a request is there."""
        self.abandoned = asyncio.Event()
        """Set once a client has given up a request that hangs."""

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def model(self, name: str = "gpt-4o", profile: ModelProfile | None = None) -> OpenAIChatModel:
        """Return a model that asks this server."""
        return OpenAIChatModel(name, provider=OpenAIProvider(base_url=self.url, api_key=KEY), profile=profile)

    def said_to_model(self, index: int) -> str:
        """Return all that a request told the model, as a text."""
        return "\n".join(_text(message) for message in self.requests[index]["messages"])

    async def __aenter__(self) -> ModelServer:
        application = web.Application(client_max_size=64 * 2**20)
        application.router.add_post("/v1/chat/completions", self._answer)
        self._serving = app_server.serving(application, handler_cancellation=True)
        self.port = await self._serving.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._serving.__aexit__(None, None, None)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        data = await request.read()
        self.sizes.append(len(data))
        self.requests.append(json.loads(data))
        self.authorizations.append(request.headers.get("Authorization", ""))
        self.asked.set()
        answer = self.answers.popleft() if self.answers else refused(418, "the script of the test has no more answers")
        if answer.hang:
            await self._hang()
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        response = web.StreamResponse(
            status=answer.status,
            headers={"Content-Type": "application/json", **answer.headers, "Content-Length": str(len(body))},
        )
        await response.prepare(request)
        await response.write(body[: answer.stop_after])
        if answer.stop_after is not None and request.transport is not None:
            request.transport.close()
        return response

    async def _hang(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.abandoned.set()


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts: Sequence[Any] = content if isinstance(content, list) else [content or ""]
    return "\n".join(part if isinstance(part, str) else part.get("text", "") for part in parts)
