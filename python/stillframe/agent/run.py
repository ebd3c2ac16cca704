"""One run: what it works on, what it may still use, and what it has so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

import msgspec

from stillframe import Page
from stillframe.agent.asking import Allowance, Asker
from stillframe.agent.budget import Budget
from stillframe.agent.decision import Decision, ReEvaluationIssue
from stillframe.agent.events import AgentEvent, ModelCalled
from stillframe.agent.journey import Journey
from stillframe.agent.limits import Limits
from stillframe.agent.outcome import StepReport, Usage
from stillframe.agent.permissions import Permissions
from stillframe.agent.prompt import PageView, Task, compose
from stillframe.agent.step import Step
from stillframe.agent.step_cache import StepCache
from stillframe.agent.tools.tool import Toolbox, ToolContext
from stillframe.agent.turn import Turn
from stillframe.errors import SecretRefused
from stillframe.scripts.script import ScriptAction, ScriptStep
from stillframe.security.redaction import Redaction
from stillframe.security.secret_store import Secrets

PAGE_SHARE = 0.5
"""The share of a prompt that the page may take when it is read; `prompt.compose` cuts it to what is left."""

ASKS = 3
"""One question may take this many times `model_timeout`, with the pauses of a provider that cannot reply at once."""


@dataclass
class Run:
    """The state of one run."""

    page: Page
    limits: Limits
    steps: list[Step]
    goal: str
    asker: Asker[Decision]
    tools: Toolbox
    context: ToolContext
    budget: Budget
    journey: Journey
    permissions: Permissions
    secrets: Secrets
    redaction: Redaction
    """What no event, log or recording shows."""
    unseen: Redaction
    """What the model does not see: all secrets but those that are declared visible to it."""
    emit: Callable[[AgentEvent], None]
    url: str
    """Where the run began."""
    cache: StepCache | None = None
    reordered: set[Step] = field(default_factory=set)
    """The steps before which another one was put already."""
    done: list[ScriptAction] = field(default_factory=list)
    """The commands of the current step that succeeded."""
    turns: list[Turn] = field(default_factory=list)
    """The turns of the current step."""
    reports: list[StepReport] = field(default_factory=list)
    script: list[ScriptStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the next prompt says about the last reply."""
    answers: list[str] = field(default_factory=list)
    """What tools returned for the next prompt; they quote the page."""
    images: list[bytes] = field(default_factory=list)
    view: PageView | None = None
    """The page as the last commands left it; None if it has to be read."""
    change: str = ""
    current: int = 0
    """The index of the current step."""
    asked_at: float = 0.0
    has_image: bool = False

    def now(self) -> float:
        """Return the time in seconds of the clock that limits count on."""
        return time.monotonic()

    @property
    def place(self) -> tuple[int, int]:
        """The current step and its current turn, both from 1."""
        return self.current + 1, self.budget.step.iterations

    @property
    def step_goal(self) -> str:
        """The goal of the current step, without secrets."""
        return self.redaction.redact(self.steps[self.current].goal)

    @property
    def page_chars(self) -> int:
        """How many characters of the page to read for a prompt."""
        return max(200, int(self.limits.max_prompt_chars * PAGE_SHARE))

    async def ask(self) -> Decision:
        """Ask the model for the decision of this turn; raises ModelFailed and what reading the page raises."""
        view = await self._view()
        # Redacted before it is cut, because the first half of a secret is not found.
        task = self.unseen.redact(Task(self.goal, tuple(step.goal for step in self.steps), self.current))
        prompt = compose(task, view, self.journey, self.limits, notes=self.notes, answers=self.answers)
        images, self.images = self.images, []
        self.notes, self.answers = [], []
        self.asked_at = self.now()
        self.has_image = bool(images)
        return await self.asker.ask(self.unseen.redact(prompt), images, self._allowance())

    async def _view(self) -> PageView:
        if self.view is None:
            text = await self.page.aria_snapshot(budget=self.page_chars)
            self.view = PageView(url=text.url, title=text.title, text=text.text)
        secrets = tuple(name for name in self.secrets if self._may_type(name))
        return self.view._replace(change=self.change, secrets=secrets)

    def _may_type(self, name: str) -> bool:
        try:
            self.secrets.find(name).check_url(self.page.url)
        except SecretRefused:
            return False
        return True

    @property
    def limits_left(self) -> Limits:
        """The limits with a `command_timeout` that does not outlast the run."""
        left = self.budget.seconds_left(self.now())
        most = self.limits.command_timeout if left is None else min(self.limits.command_timeout, max(1.0, left * 1000))
        return msgspec.structs.replace(self.limits, command_timeout=most)

    def _allowance(self) -> Allowance:
        left = self.budget.seconds_left(self.now())
        whole = ASKS * self.limits.model_timeout if left is None else left
        reply = min(whole, self.limits.model_timeout)
        return Allowance(whole, self.budget.tokens_left(), self.budget.usd_left(), reply, self.limits.max_reply_tokens)

    def reorder(self, issue: ReEvaluationIssue) -> bool:
        """Put another step before the current one as the model asks for, once for each step; return whether it did."""
        here = self.current
        other = here - 1 if issue == "prior_incomplete" else here + 1
        if self.steps[here] in self.reordered or not 0 <= other < len(self.steps):
            self.notes.append(f"{issue}: no other step can go first; go on with this one")
            return False
        self.reordered.add(self.steps[here])
        self.steps.insert(here, self.steps[other] if issue == "prior_incomplete" else self.steps.pop(other))
        self.notes.append(f"{issue}: this step goes first now")
        return True

    def spend(self, usage: Usage, price: Decimal | None) -> None:
        """Count what a request to the model has used, and report it."""
        now = self.now()
        self.budget.spend(usage, price)
        step, iteration = self.place
        self.emit(
            ModelCalled(
                step=step,
                iteration=iteration,
                model=self.asker.model,
                usage=usage,
                price=price,
                has_image=self.has_image,
                duration_ms=(now - self.asked_at) * 1000,
            )
        )
        self.asked_at = now
