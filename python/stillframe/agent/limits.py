"""The limits of a run: how many turns, calls and commands it may take, and how much it may cost."""

from __future__ import annotations

from typing import Annotated

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.model.validation import Validated

Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Milliseconds = Annotated[float, msgspec.Meta(gt=0, le=600_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]

CONSEQUENTIAL = (
    *("buy", "checkout", "confirm", "delete", "log out", "logout", "order", "pay", "purchase", "remove"),
    *("send", "sign out", "submit", "unsubscribe", "upload"),
)
"""Words in the name of a control that exploration must not press."""


def _limit_invalid(message: str, field: str | None) -> OptionInvalid:
    return OptionInvalid(message, option=f"limits.{field}" if field else "limits")


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, metaclass=Validated):
    """What a run may use at most; a limit of 0 allows none, and None does not limit.

    Times are in milliseconds, `timeout` and `model_timeout` in seconds. Raises OptionInvalid for an unknown limit or
    a value out of range. The defaults are those of the system that the orchestrator comes from, where it had any.
    """

    max_total_iterations: Count = 50
    """Turns of the model in the whole run."""
    max_iterations_per_step: Count = 8
    """Turns of the model for one step of the goal."""
    max_tool_calls_per_iteration: Count = 5
    """Tools that one reply may call; the others are not called, and the model reads how many."""
    max_idle_iterations: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 4
    """Replies in a row that go on without a command or a tool; the step then ends as a loop. The model reads a warning
    after each of them."""
    max_tool_rounds: Count = 3
    """Replies in a row that only call tools; the step then ends as stuck."""
    max_commands_per_iteration: Count = 5
    """Commands that one reply may run; the others are not run, and the model reads how many."""
    max_consecutive_iteration_failures: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 3
    """Turns in a row whose commands failed; the model is warned one turn before the step ends as stuck."""
    max_consecutive_step_failures: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 2
    """Steps in a row that were not completed; the run then ends, also with `continue_on_step_failure`. The model is
    warned before the last of them."""
    continue_on_step_failure: bool = True
    """Whether later steps still run after a step that was stuck or infeasible, or that ran into a limit."""
    max_screenshots_per_step: Count | None = None
    """Screenshots that the model may look at in one step; None for as many as its tool calls allow."""
    max_invalid_replies: Count = 2
    """How often the model may correct one invalid reply; its step then ends as stuck."""
    command_timeout: Milliseconds = 30_000
    """How long one command may wait for its target, and a navigation for its document."""
    model_timeout: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 300
    """How long, in seconds, the model may take for one reply."""
    max_reply_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    """Tokens of one reply, with those that the model thinks with, that the provider is asked not to exceed."""
    timeout: Seconds | None = None
    """How long, in seconds, the whole run may take."""
    budget_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Tokens, input and output, that the whole run may use, by the provider's own count. A request that by estimate
    takes more than is left, with a short reply, is not sent; a reply may use what is left then."""
    budget_usd: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """US dollars that the whole run may cost, kept like `budget_tokens`; a model without a known price is refused."""
    allowed_domains: tuple[str, ...] = ()
    """Hosts that the page may load documents from, as `UrlPolicy.allowed_hosts` takes them; empty for all hosts that
    the browser's own policy allows."""
    max_experiences: Count = 20
    """Lessons about the site to remember; the oldest are dropped."""
    max_history_size: Count = 100
    """Turns to remember; the oldest are dropped."""
    recent_steps_count: Count = 7
    """Turns that every prompt repeats; `recall_history` finds the others."""
    max_prompt_chars: Annotated[int, msgspec.Meta(ge=1_000, le=1_000_000)] = 6_000
    """Characters of one prompt without its instructions: about 1,500 tokens."""
    max_explorations_per_iteration: Count = 3
    max_explorations_per_step: Count = 10
    max_exploration_steps: Count = 50
    """Explorations in the whole run."""
    exploration_timeout: Milliseconds = 2_000
    """How long an exploration waits for its target."""
    hover_wait: Annotated[float, msgspec.Meta(ge=0, le=600_000)] = 500
    """How long the mouse rests on an element that is explored, for menus that open with a delay."""
    forbidden_targets: tuple[str, ...] = CONSEQUENTIAL
    """Words in the name of an element that exploration must not touch. Links to other documents, submit buttons and
    file inputs are always refused."""

    invalid = staticmethod(_limit_invalid)
