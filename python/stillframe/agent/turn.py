"""One turn of a run as it is remembered: what was decided, what ran, and what came of it."""

from __future__ import annotations

from stillframe.model.bounds import short
from stillframe.model.structs import Value

CHANGE_CHARS = 200
"""Characters of what a turn changed, in the memory of later ones; the prompt after a turn has all of it."""


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
    tools: tuple[str, ...] = ()
    commands: tuple[CommandReport, ...] = ()
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

    def __str__(self) -> str:
        parts = [f"{self.step}.{self.iteration} {self.url}", self.reasoning]
        parts += [f"tools: {', '.join(self.tools)}" if self.tools else ""]
        if self.commands:
            done = f"{self.completed} of {len(self.commands)} commands done"
            parts += [done, *(f"{each.result} {each.command}{_reason(each)}" for each in self.commands)]
        parts += [short("; ".join(self.change.splitlines()), CHANGE_CHARS), *self.notes, f"status {self.status}"]
        return "; ".join(part for part in parts if part)


def _reason(report: CommandReport) -> str:
    return f" ({report.error})" if report.error else ""
