"""One turn of a run as it is remembered: what was decided, what ran, and the outcome."""

from __future__ import annotations

from stillframe.model.bounds import short
from stillframe.model.loops import LoopLevel
from stillframe.model.structs import Value

CHANGE_CHARS = 200
"""Characters of what a turn changed, in the memory of later ones; the prompt after a turn has all of it."""
THOUGHT_CHARS = 500
"""Characters of a reasoning in the memory of later turns; events and the outcome have all of it."""


class CommandReport(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One command of a turn: `ok`, `failed` with its error, or `not_run`."""

    command: str
    result: str
    error: str | None = None


class Turn(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One turn of the model: `step` and `iteration` count from 1, `iteration` within its step."""

    step: int
    iteration: int
    url: str
    status: str
    reasoning: str = ""
    status_reasoning: str = ""
    tool_reasoning: str = ""
    command_reasoning: str = ""
    tools: tuple[str, ...] = ()
    needs_tool_results: bool = False
    """Whether the commands of this turn had to wait for the results of its tools."""
    commands: tuple[CommandReport, ...] = ()
    blocker: str = ""
    """What was in the way, in the words of the model."""
    re_evaluation: str = ""
    """What the model found wrong with the step: the issue and its explanation."""
    detecting_loop: bool = False
    """Whether the model reported a loop, and with `loop_reasoning` why."""
    loop_reasoning: str = ""
    loop: LoopLevel | None = None
    """What the loop guard reported about the commands of this turn, None if nothing."""
    experiences: tuple[str, ...] = ()
    """The lessons about the site that the model learned in this turn."""
    data: tuple[str, ...] = ()
    """The names of the data that the model asked to keep in this turn."""
    observation: str = ""
    """What the model did and saw, in its own words."""
    change: str = ""
    """What changed, in words."""
    guidance: str = ""
    """What the model told its next turn."""
    notes: tuple[str, ...] = ()
    """What the orchestrator told the model about its reply: what was cut, refused or overridden."""

    @property
    def completed(self) -> int:
        """How many commands succeeded."""
        return sum(command.result == "ok" for command in self.commands)

    @property
    def failed(self) -> CommandReport | None:
        """The command that failed, or None."""
        return next((command for command in self.commands if command.result == "failed"), None)

    @property
    def thought(self) -> str:
        """The first reasoning that the model gave."""
        return next(filter(None, (self.reasoning, self.command_reasoning, self.tool_reasoning)), "")

    def __str__(self) -> str:
        parts = [f"{self.step}.{self.iteration} {self.url}", short(self.thought, THOUGHT_CHARS)]
        parts += [f"loop: {short(self.loop_reasoning, THOUGHT_CHARS)}" if self.loop_reasoning else ""]
        parts += [f"noted: {short(self.observation, THOUGHT_CHARS)}" if self.observation else ""]
        parts += [f"tools: {', '.join(self.tools)}" if self.tools else ""]
        if self.commands:
            done = f"{self.completed} of {len(self.commands)} commands done"
            parts += [done, *(f"{each.result} {each.command}{_reason(each)}" for each in self.commands)]
        parts += [short("; ".join(self.change.splitlines()), CHANGE_CHARS), *self.notes, f"status {self.status}"]
        return "; ".join(part for part in parts if part)


def _reason(report: CommandReport) -> str:
    return f" ({report.error})" if report.error else ""
