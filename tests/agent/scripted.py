"""A scripted model, and one run of the orchestrator with it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic_ai import BinaryContent, ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from stillframe.agent.events import AgentEvent, ToolCalled
from stillframe.agent.limits import Limits
from stillframe.agent.orchestrator import Orchestrator
from stillframe.agent.outcome import Outcome
from stillframe.agent.turn import Turn
from stillframe.api.page import PageBase

NAME = "gpt-4o"
"""A model whose price is known: 2.5 US dollars for a million tokens in, 10 for a million out."""
TOKENS_IN, TOKENS_OUT = 1_000, 100
"""What each reply uses, unless it says otherwise."""

Json = Mapping[str, Any]
Said = Json | str | ModelResponse | Exception
"""A decision, a text that is not one, a whole response, or what the provider's client raises."""
Reply = Said | Callable[[str], Said | Awaitable[Said]]
Event = TypeVar("Event")


class ScriptedModel:
    """Gives its replies in order, and the last one again and again; a function gets the prompt.

    `prompts` has what each request adds, `images` how many images it has, and `instructions` those of the last one.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = replies
        self.prompts: list[str] = []
        self.images: list[int] = []
        self.instructions = ""
        self.settings: Mapping[str, Any] | None = None
        self.model = FunctionModel(self._reply, model_name=NAME)

    @property
    def calls(self) -> int:
        return len(self.prompts)

    async def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        reply = self.replies[min(self.calls, len(self.replies) - 1)]
        request = messages[-1]
        assert isinstance(request, ModelRequest)
        self.prompts.append("\n".join(filter(None, map(_text, request.parts))))
        self.images.append(sum(map(_images, request.parts)))
        self.instructions = info.instructions or ""
        self.settings = info.model_settings
        said = reply(self.prompts[-1]) if callable(reply) else reply
        if inspect.isawaitable(said):
            said = await said
        return _response(said, info.output_tools[0].name)


def _response(said: Said, tool: str) -> ModelResponse:
    usage = RequestUsage(input_tokens=TOKENS_IN, output_tokens=TOKENS_OUT)
    match said:
        case ModelResponse():
            return said
        case Exception():
            raise said
        case str():
            return ModelResponse(parts=[TextPart(said)], usage=usage)
    return ModelResponse(parts=[ToolCallPart(tool, dict(said))], usage=usage)


def used(said: Json, usage: RequestUsage) -> Reply:
    """Return a reply with other numbers of the provider."""
    return lambda _: ModelResponse(parts=[ToolCallPart("final_result", dict(said))], usage=usage)


def _text(part: Any) -> str:
    content = getattr(part, "content", "")
    pieces = content if isinstance(content, list | tuple) else [content]
    return "\n".join(piece for piece in pieces if isinstance(piece, str))


def _images(part: Any) -> int:
    content = getattr(part, "content", "")
    return sum(isinstance(piece, BinaryContent) for piece in content) if isinstance(content, list | tuple) else 0


# -- decisions -----------------------------------------------------------------------------------


def commands(*actions: Json, status: str = "continue", **fields: Any) -> Json:
    """Return a decision with commands."""
    return {"status": status, "commands": list(actions), **fields}


def tools(*calls: Json, needs: bool = True, **fields: Any) -> Json:
    """Return a decision that calls tools and asks for their results."""
    return {"status": "continue", "toolCalls": list(calls), "needsToolResults": needs, **fields}


def call(tool: str, **arguments: Any) -> Json:
    return {"tool": tool, "arguments": arguments}


def click(selector: str, **fields: Any) -> Json:
    return {"action": "click_element", "selector": selector, **fields}


def explore(selector: str, action: str = "focus") -> Json:
    """Return a call of the tool that explores an element."""
    return call("explore_element", action=action, selector=selector)


def fill(selector: str, value: Any) -> Json:
    return {"action": "set_value", "selector": selector, "value": value}


def missing(selector: str = "#nothing") -> Json:
    """Return a command that fails at once."""
    return click(selector, timeoutMs=50)


def done(reason: str = "the page shows it", **fields: Any) -> Json:
    return {"status": "complete", "statusReasoning": reason, **fields}


def idle(**fields: Any) -> Json:
    """Return a decision that does nothing."""
    return {"status": "continue", **fields}


# -- runs ----------------------------------------------------------------------------------------


class Ran(NamedTuple):
    """A run that is over."""

    outcome: Outcome
    model: ScriptedModel
    events: list[AgentEvent]

    def of(self, kind: type[Event]) -> list[Event]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def tool_errors(self) -> list[str | None]:
        """The error of each tool that was called."""
        return [event.error for event in self.of(ToolCalled)]

    @property
    def turns(self) -> list[Turn]:
        """The turns of all steps."""
        return [turn for step in self.outcome.steps for turn in step.turns]


async def run(
    page: PageBase, *replies: Reply, goal: str = "Try the page", limits: Limits | None = None, **options: Any
) -> Ran:
    """Let a scripted model carry out a goal; `steps` and `check` go to the run, other options to the orchestrator."""
    model, events = ScriptedModel(*replies), list[AgentEvent]()
    how = {name: options.pop(name) for name in ("steps", "check") if name in options}
    orchestrator = Orchestrator(page, model.model, limits=limits, on_event=events.append, **options)
    return Ran(await orchestrator.run(goal, **how), model, events)
