"""The orchestrator: a goal in words, a page and a model in; a typed outcome out, whatever happens on the way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from stillframe import Page
from stillframe.agent.asking import Asker, find_model
from stillframe.agent.budget import Budget
from stillframe.agent.decision import Decision, parse_decision
from stillframe.agent.events import AgentEvent, RunEnded, RunStarted
from stillframe.agent.exploration import Explorer
from stillframe.agent.instructions import decision_schema, instructions
from stillframe.agent.iteration import REASON_CHARS
from stillframe.agent.journey import Journey
from stillframe.agent.limits import Limits
from stillframe.agent.outcome import Outcome, StepReport, Termination
from stillframe.agent.permissions import Permissions
from stillframe.agent.run import Run
from stillframe.agent.step import Step, parse_steps
from stillframe.agent.step_cache import StepCache
from stillframe.agent.steps import carry_out, report_step
from stillframe.agent.tools import STANDARD_TOOLS
from stillframe.agent.tools.tool import Tool, Toolbox, ToolContext
from stillframe.errors import CommandError, OptionInvalid
from stillframe.extend import page_state
from stillframe.loopguard import LoopGuard
from stillframe.model.bounds import short
from stillframe.model.options import Expect
from stillframe.scripts.script import Script, ScriptStep, script_name
from stillframe.security.redaction import Redaction, logger
from stillframe.security.secret_store import Secrets

if TYPE_CHECKING:
    from pydantic_ai.models import Model

OnEvent = Callable[[AgentEvent], object]
SKIPPED = "the run ended before this step"
CANCELLED = Termination("cancelled", "the caller cancelled the run")
log = logger("stillframe.agent")


class Orchestrator:
    """Lets a model carry out goals on a page, within limits.

    The model decides on a few commands per turn. They are typed actions, which run as one sequence; what changed goes
    back to the model. See `stillframe.agent.asking` for what a `model` may be.
    """

    def __init__(  # noqa: PLR0913  by keyword
        self,
        page: Page,
        model: Model | str,
        *,
        limits: Limits | None = None,
        tools: Iterable[Tool] = (),
        files: Iterable[str | os.PathLike[str]] = (),
        visible_secrets: Iterable[str] = (),
        step_cache: StepCache | None = None,
        on_event: OnEvent | None = None,
    ) -> None:
        """Take what every run of this orchestrator works with; nothing runs yet.

        Args:
            page: The page.
            model: The model, or its name.
            limits: What a run may use at most.
            tools: Tools of yours, in addition to the standard ones.
            files: The files and folders that the model may upload; without them it uploads none.
            visible_secrets: The declared secrets of the context that the model may read, because a goal tells them; all
                others reach it by name only.
            step_cache: Where actions that worked are kept, by step and page.
            on_event: A function of each event as it happens; what it raises is logged.

        Raises:
            ModelRefused: There is no such model.
            OptionInvalid: An argument is invalid.
        """
        self.page = page
        self.limits = limits if limits is not None else Limits()
        self._files = tuple(files)
        self._permissions()  # wrong domains are reported at once
        self._tools = Toolbox((*STANDARD_TOOLS, *tools))
        self._visible = frozenset(visible_secrets)
        self._cache = step_cache
        self._on_event = on_event
        self._model = find_model(model)

    async def run(self, goal: str, *, steps: Sequence[Step | str] = (), check: Expect | None = None) -> Outcome:
        """Carry out a goal and return what it came to.

        A failure is an outcome and raises nothing: a limit, a model that gives no usable reply, a page that is gone. A
        run that is cancelled returns its outcome with the status `cancelled`, so that nothing achieved is lost; a
        second cancellation raises.

        Args:
            goal: The goal in words.
            steps: What divides the goal; each step has its own turns. Without them the goal is the only step.
            check: A condition that the page meets when the goal is complete: `complete` is not accepted before.

        Raises:
            OptionInvalid: The goal, a step or the check is wrong; nothing has run.
        """
        parsed = parse_steps(goal, steps, check)
        run = self._start(goal, parsed)
        run.emit(RunStarted(goal=run.redaction.redact(goal), model=run.asker.model, steps=self._goals(run)))
        try:
            ending = await self._carry_out(run)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            ending = CANCELLED
            report_step(run, ending)
        return self._outcome(run, ending)

    async def _carry_out(self, run: Run) -> Termination:
        guard = self.page.loop_guard
        self.page.loop_guard = guard or LoopGuard()
        try:
            async with run.asker, run.permissions.kept(self.page):
                return await carry_out(run)
        except CommandError as error:  # the page was gone before the first step
            ending = Termination("stuck", run.redaction.redact(f"{error.code}: {short(str(error), REASON_CHARS)}"))
            report_step(run, ending)
            return ending
        finally:
            self.page.loop_guard = guard

    # -- the parts of a run ----------------------------------------------------------------------

    def _start(self, goal: str, steps: tuple[Step, ...]) -> Run:
        state = page_state(self.page)
        budget = Budget(self.limits, started=0.0)
        journey = Journey(self.limits)
        permissions = self._permissions()
        tool_context = ToolContext(
            self.page, self.limits, budget, journey, permissions.policy, Explorer(self.page, self.limits, budget)
        )
        run = Run(
            page=self.page,
            limits=self.limits,
            steps=list(steps),
            goal=goal,
            asker=self._asker(lambda usage, price: run.spend(usage, price)),
            tools=self._tools,
            context=tool_context,
            budget=budget,
            journey=journey,
            permissions=permissions,
            secrets=state.secrets,
            redaction=state.redaction,
            unseen=self._unseen(state.secrets, state.redaction),
            emit=self._emit,
            cache=self._cache,
            url=self.page.url,
        )
        budget.start(run.now())
        return run

    def _permissions(self) -> Permissions:
        return Permissions(self.limits.allowed_domains, self._files)

    def _asker(self, spend: Callable[..., None]) -> Asker[Decision]:
        return Asker(
            self._model,
            name="decision",
            instructions=instructions(self.limits, self._tools.describe()),
            schema=decision_schema(),
            parse=parse_decision,
            corrections=self.limits.max_invalid_replies,
            spend=spend,
        )

    def _unseen(self, secrets: Secrets, redaction: Redaction) -> Redaction:
        """Return what redacts prompts: the secrets of the context without those that the model may read."""
        if unknown := self._visible - set(secrets):
            raise OptionInvalid(f"visible_secrets: no secret is called {min(unknown)!r}", option="visible_secrets")
        if not self._visible:
            return redaction
        unseen = Redaction()
        for name in set(secrets) - self._visible:
            unseen.add(secrets.find(name).value)
        return unseen

    def _emit(self, event: AgentEvent) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:
            log.exception("on_event failed for %s", type(event).__name__)

    # -- the outcome -----------------------------------------------------------------------------

    def _outcome(self, run: Run, ending: Termination) -> Outcome:
        ending = run.redaction.redact(ending)
        for step in run.steps[len(run.reports) :]:
            goal = run.redaction.redact(step.goal)
            run.reports.append(StepReport(goal=goal, status="skipped", reason=SKIPPED))
            run.script.append(ScriptStep(goal=short(goal, REASON_CHARS), status="skipped", error=SKIPPED))
        outcome = Outcome(
            status=ending.status,
            reason=ending.reason,
            steps=tuple(run.reports),
            extracted=run.redaction.redact(run.journey.extracted),
            usage=run.budget.usage,
            price=run.budget.price,
            experiences=tuple(run.journey.experiences),
            script=self._script(run),
        )
        seconds = run.budget.seconds(run.now())
        run.emit(
            RunEnded(
                status=outcome.status,
                reason=outcome.reason,
                usage=outcome.usage,
                price=outcome.price,
                duration_ms=seconds * 1000,
            )
        )
        return outcome

    def _script(self, run: Run) -> Script:
        goal = run.redaction.redact(run.goal)
        return Script(
            name=script_name(goal), goal=short(goal), url=run.redaction.redact(run.url), steps=tuple(run.script)
        )

    @staticmethod
    def _goals(run: Run) -> tuple[str, ...]:
        return tuple(run.redaction.redact(step.goal) for step in run.steps)
