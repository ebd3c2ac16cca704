"""A tool that a model may call between its commands: its name, its arguments as JSON, and what runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from stillframe import Page
from stillframe.agent.budget import Budget
from stillframe.agent.decision import ToolCall
from stillframe.agent.errors import ToolFailed
from stillframe.agent.exploration import Explorer
from stillframe.agent.journey import Journey
from stillframe.agent.limits import Limits
from stillframe.errors import OptionInvalid, StillframeError
from stillframe.model.bounds import short
from stillframe.model.suggest import unknown
from stillframe.model.validation import python_names, read_problem
from stillframe.security.policy import UrlPolicy
from stillframe.security.redaction import logger

NAME_CHARS = 100
"""Characters of an unknown name that a message quotes; the model wrote it, and it may be very long."""

log = logger("stillframe.agent")


class Arguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The arguments of a tool; their names are camelCase in JSON, and `description` in a Meta is their unit."""


class NoArguments(Arguments, frozen=True):
    """The arguments of a tool that takes none."""


class ToolAnswer(NamedTuple):
    """What a tool returns: a text, which may quote the page, and a PNG image if it has one."""

    text: str
    image: bytes | None = None


class TakenScreenshot(NamedTuple):
    """A screenshot and the URL that it shows."""

    url: str
    image: bytes


@dataclass
class ToolContext:
    """What the tools of one run work with; one context serves the whole run."""

    page: Page
    limits: Limits
    budget: Budget
    journey: Journey
    policy: UrlPolicy | None
    """The run's own rules of where the page may go; None if it has none."""
    explorer: Explorer
    last_picture: TakenScreenshot | None = None
    """The last screenshot that a tool took; None if there is none yet."""


class Tool(NamedTuple):
    """A tool: `run` gets the context and an instance of `arguments`, and raises StillframeErrors to refuse or fail."""

    name: str
    description: str
    arguments: type[msgspec.Struct]
    run: Callable[[ToolContext, Any], Awaitable[ToolAnswer]]

    @property
    def usage(self) -> str:
        """The name with the arguments, their types, units and defaults."""
        info = inspect.type_info(self.arguments)
        assert isinstance(info, inspect.StructType)
        return f"{self.name}({', '.join(map(_argument, info.fields))})"


class Toolbox:
    """The tools of a run, by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Take the tools; raises OptionInvalid if two of them have the same name."""
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise OptionInvalid(f"two tools have the name {tool.name!r}; rename one of them", option="tools")
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in their order."""
        return tuple(self._tools)

    def describe(self) -> str:
        """Return one line per tool for the instructions of a model."""
        return "\n".join(f"{tool.usage}: {tool.description}" for tool in self)

    async def call(self, context: ToolContext, call: ToolCall) -> ToolAnswer:
        """Run the tool that a model called, and return its answer.

        Raises ToolFailed for an unknown name, for wrong arguments, and for whatever the tool raises.
        """
        tool = self._tools.get(call.tool)
        if tool is None:
            name = short(call.tool, NAME_CHARS)
            raise ToolFailed(unknown("tool", name, self.names), tool=name)
        arguments = _parse(tool, call.arguments)
        try:
            return await tool.run(context, arguments)
        except ToolFailed:
            raise
        except StillframeError as error:
            raise ToolFailed(f"{tool.name}: {error}", tool=tool.name) from error
        except Exception as error:
            # A mistake in one tool must not end a run that can go on without it.
            log.exception("the tool %s failed", tool.name)
            raise ToolFailed(f"{tool.name} failed: {type(error).__name__}: {error}", tool=tool.name) from error


def _parse(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    try:
        return msgspec.convert(arguments, tool.arguments)
    except msgspec.ValidationError as error:
        names = {name: name for name in python_names(tool.arguments)}
        problem = read_problem(error, tool.arguments, names, what="argument")
        reason = short(problem.reason)
        raise ToolFailed(f"{tool.name}: {reason}; it is called as {tool.usage}", tool=tool.name) from None


def _argument(field: inspect.Field) -> str:
    text = f"{field.encode_name}: {_type(field.type)}"
    if field.required:
        return text
    default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return f"{text} = {msgspec.json.encode(default).decode()}"


def _type(info: inspect.Type) -> str:
    """Return the words for a type: a JSON type, the texts to choose from, and the unit."""
    match info:
        case inspect.Metadata():
            return f"{_type(info.type)} ({(info.extra_json_schema or {}).get('description', '')})"
        case inspect.LiteralType():
            return " | ".join(msgspec.json.encode(value).decode() for value in info.values)
        case inspect.UnionType():
            return " | ".join(map(_type, info.types))
        case inspect.ListType() | inspect.VarTupleType():
            return f"[{_type(info.item_type)}, …]"
    return _JSON_TYPES.get(type(info), "object")


_JSON_TYPES: dict[type, str] = {
    inspect.BoolType: "boolean",
    inspect.FloatType: "number",
    inspect.IntType: "integer",
    inspect.NoneType: "null",
    inspect.StrType: "string",
    inspect.AnyType: "any",
}
