"""What happens in a run, as it happens: one readable line each, and one JSON object each."""

from __future__ import annotations

from decimal import Decimal

from stillframe.agent.outcome import OutcomeStatus, StepReport, Usage
from stillframe.agent.turn import Turn
from stillframe.model.structs import Value


class AgentEventBase(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="event"):
    """What all events share: in JSON `event` names the kind."""


class RunStarted(AgentEventBase, frozen=True, tag="run_started"):
    """A run begins, with its steps."""

    goal: str
    model: str
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return f"goal: {self.goal} ({self.model}, {count(len(self.steps), 'step')})"


class StepStarted(AgentEventBase, frozen=True, tag="step_started"):
    """A step begins; `step` counts from 1."""

    step: int
    of: int
    goal: str

    def __str__(self) -> str:
        return f"step {self.step} of {self.of}: {self.goal}"


class ModelCalled(AgentEventBase, frozen=True, tag="model_called"):
    """A model was asked once: what that used by the provider's own numbers, whether an image went along, and the time.

    `price` is in US dollars, None if it is not known. `replied` is false for a call that gave no usable reply.
    """

    step: int
    iteration: int
    model: str
    usage: Usage
    price: Decimal | None
    has_image: bool
    duration_ms: float
    replied: bool = True

    def __str__(self) -> str:
        image = ", with an image" if self.has_image else ""
        failed = "" if self.replied else ", no usable reply"
        return (
            f"  {self.step}.{self.iteration} {self.model}: {tokens_text(self.usage)}, {price_text(self.price)}, "
            f"{self.duration_ms / 1000:.1f} s{image}{failed}"
        )


class ToolCalled(AgentEventBase, frozen=True, tag="tool_called"):
    """A tool was called; `error` says why it failed."""

    step: int
    iteration: int
    tool: str
    duration_ms: float
    error: str | None = None

    def __str__(self) -> str:
        result = f"failed: {self.error}" if self.error else "ok"
        return f"  {self.step}.{self.iteration} tool {self.tool}: {result} ({self.duration_ms:.0f} ms)"


class TurnEnded(AgentEventBase, frozen=True, tag="turn_ended"):
    """A turn is over; `of` is how many turns a step may take, `experiences` how many lessons the run remembers.

    `turn` has all that the model gave: each reasoning, what it reported, and its new lessons.
    """

    turn: Turn
    of: int
    experiences: int

    def __str__(self) -> str:
        turn = self.turn
        head = f"{turn.step}.{turn.iteration} iteration {turn.iteration}/{self.of}"
        lines = [f"{head}: {turn.thought or '(no reasoning)'}"]
        lines += [f"  {label}: {text}" for label, text in _thoughts(turn) if text and text != turn.thought]
        lines += [f"  {each.result.replace('_', ' ')}: {each.command}{_reason(each.error)}" for each in turn.commands]
        lines += [f"  changed: {line}" for line in turn.change.splitlines()]
        lines += [f"  note: {note}" for note in turn.notes]
        lines += [f"  next: {turn.guidance}"] if turn.guidance else []
        lines += [f"  lesson: {lesson}" for lesson in turn.experiences]
        return "\n".join([*lines, f"  status {turn.status}{_flags(turn)}, {count(self.experiences, 'lesson')}"])


class CacheUsed(AgentEventBase, frozen=True, tag="cache_used"):
    """The step cache had the commands of a step; `worked` says whether they still did what they did before."""

    step: int
    commands: int
    worked: bool

    def __str__(self) -> str:
        result = "replayed" if self.worked else "did not work any more"
        return f"  {self.step} {count(self.commands, 'command')} from the step cache: {result}"


class StepEnded(AgentEventBase, frozen=True, tag="step_ended"):
    """A step is over."""

    step: int
    report: StepReport

    def __str__(self) -> str:
        return f"step {self.step} {self.report.status}: {self.report.reason}"


class RunEnded(AgentEventBase, frozen=True, tag="run_ended"):
    """The run is over, with its bill."""

    status: OutcomeStatus
    reason: str
    usage: Usage
    price: Decimal | None
    duration_ms: float

    def __str__(self) -> str:
        return f"{self.status}: {self.reason}\n{bill(self.usage, self.price)}, {self.duration_ms / 1000:.1f} s"


AgentEvent = RunStarted | StepStarted | ModelCalled | ToolCalled | TurnEnded | CacheUsed | StepEnded | RunEnded


def bill(usage: Usage, price: Decimal | None) -> str:
    """Return calls, tokens by kind and money in one line."""
    return f"{count(usage.calls, 'model call')}, {tokens_text(usage)}, {price_text(price)}"


def tokens_text(usage: Usage) -> str:
    """Return tokens by kind; cached ones and those of images are part of the input."""
    cached = [f"{usage.cache_read_tokens:,} read from the cache"] if usage.cache_read_tokens else []
    cached += [f"{usage.cache_write_tokens:,} written to it"] if usage.cache_write_tokens else []
    cached += [f"{usage.image_tokens:,} of {count(usage.images, 'image')}{_by_estimate(usage)}"] if usage.images else []
    kinds = f" ({', '.join(cached)})" if cached else ""
    return f"{usage.input_tokens:,} tokens in{kinds}, {usage.output_tokens:,} out"


def _by_estimate(usage: Usage) -> str:
    if not usage.estimated_image_tokens:
        return ""
    return " by estimate" if usage.estimated_image_tokens == usage.image_tokens else " partly by estimate"


def price_text(price: Decimal | None) -> str:
    """Return a price in US dollars; "price unknown" for None."""
    return "price unknown" if price is None else f"${price:.4f}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 step` and `2 steps`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _thoughts(turn: Turn) -> list[tuple[str, str]]:
    """Return what the model gave in words besides the thought of the turn, with labels."""
    return [
        ("why this status", turn.status_reasoning),
        ("why these tools", turn.tool_reasoning),
        ("why these commands", turn.command_reasoning),
        ("loop reported", turn.loop_reasoning or ("without a reason" if turn.detecting_loop else "")),
        ("blocker", turn.blocker),
        ("step", turn.re_evaluation),
        ("noted", turn.observation),
        ("data kept", ", ".join(turn.data)),
    ]


def _flags(turn: Turn) -> str:
    flags = ["waits for tools"] if turn.needs_tool_results else []
    flags += ["loop reported"] if turn.detecting_loop else []
    flags += [f"loop guard: {turn.loop}"] if turn.loop else []
    return "".join(f", {flag}" for flag in flags)


def _reason(error: str | None) -> str:
    return f" ({error})" if error else ""
