"""How a run ends: the outcome, its reasons, and what each step came to."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, NamedTuple

from stillframe.agent.turn import Turn
from stillframe.model.structs import Value
from stillframe.scripts.script import Script

OutcomeStatus = Literal["complete", "stuck", "infeasible", "loop", "limit", "cancelled"]


class Termination(NamedTuple):
    """Why a step or a run ends."""

    status: OutcomeStatus
    reason: str


class Usage(Value, frozen=True, kw_only=True, rename="camel"):
    """Tokens by kind as the provider counted them, and the calls that used them.

    `input_tokens` include cached ones and those of images.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    images: int = 0
    """Images that went along, each time that one did."""
    image_tokens: int = 0
    """Input tokens that were images."""
    estimated_image_tokens: int = 0
    """The part of `image_tokens` that is an estimate by the published rule of the model's maker, because the provider
    does not count images apart, as Google does."""

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})

    def __sub__(self, other: Usage) -> Usage:
        return Usage(**{name: getattr(self, name) - getattr(other, name) for name in self.__struct_fields__})


class StepReport(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What one step of the goal came to: `status` is an OutcomeStatus, or `skipped` if the run ended before it."""

    goal: str
    status: str
    reason: str
    turns: tuple[Turn, ...] = ()


class Outcome(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The result of a run, whatever ended it.

    `status` is `complete` if all steps are; `cancelled` if the caller ended the run; `stuck`, `infeasible`, `loop` or
    `limit` like the step that ended the whole run, otherwise like the first step that is not complete. A `loop` is a
    series of actions that change nothing, by the loop guard's rules, or of replies that do nothing. `reason` says why
    in a sentence and names a limit by its key. `extracted` is the data that the model has kept. `price` is in US
    dollars, None if no price of the model is known.
    """

    status: OutcomeStatus
    reason: str
    steps: tuple[StepReport, ...]
    extracted: dict[str, Any]
    usage: Usage
    price: Decimal | None
    experiences: tuple[str, ...] = ()
    script: Script | None = None
    """The commands that succeeded, by step, with selectors that last: what `stillframe.agent.replay` runs again."""
