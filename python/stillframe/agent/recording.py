"""Record what a model is asked and replies in a file, and replay it without the model: for tests and bug reports.

    recorded = RecordingModel("openai-chat:gpt-4o", "run.jsonl", redact=redaction.redact)
    outcome = await Orchestrator(page, recorded).run(goal)
    ...
    outcome = await Orchestrator(page, ReplayingModel("run.jsonl")).run(goal)

A recording has one line of JSON per reply: the messages as texts, the reply, its usage, and the model's name. Headers,
and so keys, are not in it; images are left out. Requests without a reply are not in it either.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError
from pydantic_ai import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    RunContext,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.output import StructuredOutputMode
from pydantic_ai.profiles import ModelProfile

from stillframe.agent.asking import find_model
from stillframe.agent.errors import ModelRefused
from stillframe.agent.plain_models import keys_of, plain_models
from stillframe.errors import OptionInvalid
from stillframe.model.bounds import short
from stillframe.model.structs import Value
from stillframe.scripts.errors import ScriptInvalid
from stillframe.security.input_files import InputRefused, read_file, read_json
from stillframe.security.private_files import open_private, write_private
from stillframe.security.untrusted_text import map_texts

Redact = Callable[[Any], Any]
"""Takes JSON-like data and returns it without secrets."""

KEPT = ("parts", "usage", "model_name", "provider_name", "timestamp", "finish_reason", "kind")
"""What is kept of a reply; the rest are ids, and URLs that may hold a key."""
VARYING = (
    (re.compile(r"<<(/?)page [0-9a-f]+>>"), r"<<\1page>>"),
    (re.compile(r"\b(127\.0\.0\.1|localhost|\[::1\]):\d+"), r"\1:PORT"),
    (re.compile(r"\b\d[\d,.]* ?(ms|s)\b"), r"N \1"),
)
"""What differs between two runs that are the same: the ids of markers, the ports of loopback servers, and durations."""
SHOWN_CHARS = 200
"""Characters of each of two lines that differ, in an error."""


class Said(Value, frozen=True):
    """One text that a model was sent: `role` is `instructions`, `user`, `tool` or `reply`."""

    role: str
    text: str


class Exchange(Value, frozen=True, kw_only=True):
    """One line of a recording; `output` is how the model gave JSON, see `asking.Output`."""

    model: str
    provider: str
    output: StructuredOutputMode
    messages: tuple[Said, ...]
    reply: dict[str, Any]
    usage: dict[str, Any]


class RecordingModel(WrapperModel):
    """A model whose requests and replies go to a file, which only its owner can read (mode 0600)."""

    def __init__(
        self, wrapped: Model | str, path: str | PathLike[str], *, redact: Redact = lambda value: value
    ) -> None:
        """Record the requests and replies of a model; an older file at `path` is replaced.

        Args:
            wrapped: The model, or its name.
            path: The file.
            redact: What removes secrets from all that is written.

        Raises:
            ModelRefused: There is no such model, as for `Orchestrator`.
            OptionInvalid: The file cannot be written.
        """
        super().__init__(find_model(wrapped))
        self._path = Path(path).expanduser()
        self._redact = redact
        try:
            write_private(self._path, b"")
        except OSError as error:
            raise OptionInvalid(f"the recording cannot be written: {error}", option="record") from None

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the reply of the model once it is recorded.

        Args:
            messages: What the model is sent.
            model_settings: The settings of the request.
            model_request_parameters: The tools and the output that the model may use.

        Raises:
            ModelRefused: The file cannot be written.
        """
        prepared = self.wrapped.prepare_messages(messages, model_request_parameters)
        reply = await super().request(prepared, model_settings, model_request_parameters)
        self._record(messages, model_request_parameters, reply)
        return reply

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """Leave the messages as they are until they are recorded: each provider gets another form of them."""
        return messages

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Record a reply that arrives in parts once all of it is there."""
        parameters = model_request_parameters
        prepared = self.wrapped.prepare_messages(messages, parameters)
        async with super().request_stream(prepared, model_settings, parameters, run_context) as stream:
            yield stream
            self._record(messages, parameters, stream.get())

    def _record(
        self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters, reply: ModelResponse
    ) -> None:
        kept = _dumped(reply)
        exchange = Exchange(
            model=self.model_name,
            provider=self.system,
            output=self._output(parameters),
            messages=tuple(said(messages)),
            usage=kept.pop("usage"),
            reply=kept,
        )
        safe = map_texts(self._redact(msgspec.to_builtins(exchange)), self._without_keys)
        try:
            self._append(msgspec.json.encode(safe) + b"\n")
        except OSError as error:
            reason = f"the recording cannot be written: {error}"
            raise ModelRefused(reason, model=self.model_name) from error

    def _output(self, parameters: ModelRequestParameters) -> StructuredOutputMode:
        match parameters.output_mode:
            case "tool" | "native" | "prompted" as mode:
                return mode
        return next(plain_models(self.wrapped)).profile.get("default_structured_output_mode", "tool")

    def _append(self, line: bytes) -> None:
        with open(self._path, "ab", opener=open_private) as file:
            file.write(line)

    def _without_keys(self, text: str) -> str:
        for key in keys_of(self.wrapped):
            text = text.replace(key, "[key]")
        return text


class ReplayingModel(Model):
    """A model that gives the replies of a recording in order, for the same requests."""

    def __init__(self, path: str | PathLike[str], *, redact: Redact = lambda value: value) -> None:
        """Read a recording.

        Args:
            path: The file.
            redact: What the recording was made with.

        Raises:
            ScriptInvalid: It is not a recording; the message has the line that is wrong.
        """
        self._path = Path(path)
        self._redact = redact
        self._exchanges = read_recording(self._path)
        self._next = 0
        output = self._exchanges[0].output
        super().__init__(profile=ModelProfile(supports_json_schema_output=True, default_structured_output_mode=output))

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """Leave the messages as they are, like `RecordingModel`."""
        return messages

    @property
    def model_name(self) -> str:
        """The name of the recorded model."""
        return self._exchanges[0].model

    @property
    def system(self) -> str:
        """The provider of the recorded model, so that its price is known."""
        return self._exchanges[0].provider

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the next reply.

        Args:
            messages: What the model is sent.
            model_settings: The settings of the request, which do not count.
            model_request_parameters: The tools and the output that the model may use.

        Raises:
            ModelRefused: The request is not the recorded one, or no reply is left.
        """
        index = self._next
        if index == len(self._exchanges):
            raise self._refusal(f"has {index} replies, and request {index + 1} needs one more")
        exchange = self._exchanges[index]
        asked = map_texts(self._redact(msgspec.to_builtins(list(said(messages)))), normalize)
        recorded = map_texts(msgspec.to_builtins(exchange.messages), normalize)
        if difference := find_difference(recorded, asked):
            raise self._refusal(f"is of another run: request {index + 1} {difference}")
        self._next += 1
        return _reply(exchange)

    def _refusal(self, reason: str) -> ModelRefused:
        return ModelRefused(f"{self._path} {reason}; record it again", model=self.model_name)


def said(messages: Iterable[ModelMessage]) -> Iterator[Said]:
    """Yield all that a model is sent, as texts; instructions only where they change."""
    instructions = None
    for message in messages:
        if isinstance(message, ModelRequest):
            if message.instructions and message.instructions != instructions:
                instructions = message.instructions
                yield Said("instructions", instructions)
            for part in message.parts:
                yield Said("user" if isinstance(part, UserPromptPart) else "tool", _text(part))
        else:
            yield from (Said("reply", _text(part)) for part in message.parts)


def normalize(text: str) -> str:
    """Return a text without what differs between two runs that are the same."""
    for pattern, constant in VARYING:
        text = pattern.sub(constant, text)
    return text


def find_difference(recorded: Sequence[dict[str, str]], asked: Sequence[dict[str, str]]) -> str | None:
    """Return in words where two requests differ first: the message, the line, and both texts; None if they do not."""
    for old, new in zip_longest(recorded, asked, fillvalue={"role": "no message", "text": ""}):
        if old != new:
            lines = zip_longest(old["text"].split("\n"), new["text"].split("\n"), fillvalue="")
            number, pair = next(((n, pair) for n, pair in enumerate(lines, 1) if pair[0] != pair[1]), (1, ("", "")))
            was, now = (short(line, SHOWN_CHARS) for line in pair)
            return f"has {now!r} ({new['role']}, line {number}), recorded was {was!r} ({old['role']})"
    return None


def read_recording(path: Path) -> tuple[Exchange, ...]:
    """Return the lines of a recording. Raises ScriptInvalid with the line that is wrong."""
    try:
        lines = read_file(path).splitlines()
    except InputRefused as error:
        raise ScriptInvalid(f"the recording cannot be read: {error}") from None
    if not lines:
        raise ScriptInvalid(f"{path} is not a recording: it is empty")
    return tuple(_exchange(line, number, path) for number, line in enumerate(lines, 1))


def _exchange(line: bytes, number: int, path: Path) -> Exchange:
    try:
        exchange = read_json(line, Exchange)
        _reply(exchange)
    except (InputRefused, msgspec.ValidationError, ValidationError) as error:
        reason = short(str(error), SHOWN_CHARS)
        raise ScriptInvalid(f"line {number} of {path} is not a recorded reply: {reason}", line=number) from None
    return exchange


def _reply(exchange: Exchange) -> ModelResponse:
    """Return a reply as it was; each call gets a value of its own, because the library fills in its price."""
    (reply,) = ModelMessagesTypeAdapter.validate_python([{**exchange.reply, "usage": exchange.usage}])
    if not isinstance(reply, ModelResponse):
        raise msgspec.ValidationError(f"kind is {reply.kind}, not response")
    return reply


def _dumped(reply: ModelResponse) -> dict[str, Any]:
    """Return a reply as JSON, with arguments as data: a secret in them is a text of its own, without escapes."""
    (dumped,) = ModelMessagesTypeAdapter.dump_python([reply], mode="json")
    for part in dumped["parts"]:
        if isinstance(part.get("args"), str):
            part["args"] = _data(part["args"])
    return {name: dumped[name] for name in KEPT}


def _data(arguments: str) -> object:
    """Return arguments as data, or as they are if they are not a JSON object: a replay repeats that mistake."""
    try:
        data = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return arguments
    return data if isinstance(data, dict) else arguments


def _text(part: Any) -> str:
    content = getattr(part, "content", None)
    if isinstance(content, list) and isinstance(part, UserPromptPart):
        return "\n".join(_shown(each) for each in content)
    if isinstance(part, ToolCallPart):
        return f"{part.tool_name} {part.args_as_json_str()}"
    return content if isinstance(content, str) else msgspec.json.encode(content, enc_hook=str).decode()


def _shown(content: object) -> str:
    return f"[{content.media_type}]" if isinstance(content, BinaryContent) else str(content)
