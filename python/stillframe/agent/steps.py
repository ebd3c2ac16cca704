"""Carry out the steps of a run one after the other, from the step cache where it knows them."""

from __future__ import annotations

from typing import NamedTuple

from stillframe.agent.errors import ModelBudgetExceeded, ModelContentFiltered, ModelFailed, ModelReplyInvalid
from stillframe.agent.events import CacheUsed, StepEnded, StepStarted, count
from stillframe.agent.iteration import REASON_CHARS, Taken, iterate
from stillframe.agent.outcome import StepReport, Termination
from stillframe.agent.run import Run
from stillframe.agent.step_cache import StepCache
from stillframe.errors import CommandError, SessionLost
from stillframe.extend import page_state
from stillframe.model.bounds import short
from stillframe.model.options import Expect
from stillframe.scripts.replay import replay
from stillframe.scripts.script import Script, ScriptAction, ScriptStep

# Take the commands of a step from the step cache if the page is the one that they were decided for.


class Start(NamedTuple):
    """The page that a step begins on, by its hash, and what the cache calls the step."""

    cache: StepCache
    page_hash: str
    goal: str
    step: str

    def known(self) -> tuple[ScriptAction, ...] | None:
        """Return the commands that the cache has."""
        return self.cache.get(self.page_hash, self.goal, self.step)

    def put(self, actions: tuple[ScriptAction, ...]) -> None:
        """Remember the commands that completed the step."""
        if actions:
            self.cache.put(self.page_hash, self.goal, self.step, actions)

    def forget(self) -> None:
        """Forget commands that no longer work."""
        self.cache.forget(self.page_hash, self.goal, self.step)


async def start_of_step(run: Run) -> Start | None:
    """Return where the current step begins, None without a cache."""
    if run.cache is None:
        return None
    identity = page_state(run.page).identity
    snapshot = await run.page.snapshot()
    return Start(run.cache, identity.hash(snapshot).visible, run.goal, run.steps[run.current].goal)


async def replayed(run: Run, start: Start) -> bool:
    """Run the commands that the cache has for a step; return whether there were any and they did what they did before.

    Each target is compared with the element that was meant, and the check of the step has to hold. What does not work
    is forgotten.
    """
    actions = start.known()
    if actions is None or run.permissions.first_refused(run.page, tuple(action.parsed() for action in actions)):
        return False
    check = run.steps[run.current].check
    step = ScriptStep(goal="cached", check=None if check is None else check_json(check), actions=actions)
    report = await replay(run.page, Script(name="cached", goal="", url="", steps=(step,)), reset=_nothing)
    run.view, run.change = None, ""
    run.emit(CacheUsed(step=run.current + 1, commands=len(actions), worked=report.ok))
    if report.ok:
        run.done += actions
    else:
        start.forget()
        run.notes.append("commands that once completed this step ran again and did not work: see what is left to do")
    return report.ok


def check_json(check: Expect) -> dict[str, str]:
    """Return a check as a script has it."""
    fields = {"selector": check.selector, "text": check.text, "url": check.url}
    return {name: value for name, value in fields.items() if value is not None}


async def _nothing() -> None:
    """Leave the page as it is: the step begins here."""


class StepEnding(NamedTuple):
    """How a step ends; `ends_run` if no later step can run either."""

    ending: Termination
    ends_run: bool = False


async def carry_out(run: Run) -> Termination:
    """Carry out all steps and return how the run ends; `run.reports` has one report for each step that began."""
    first: Termination | None = None
    while run.current < len(run.steps):
        result = await _carry_out_step(run)
        if result is None:  # another step goes first
            continue
        if result.ending.status != "complete":
            if result.ends_run:
                return result.ending
            first = first or result.ending
            if not run.limits.continue_on_step_failure:
                break
        run.current += 1
        run.budget.end_step(completed=result.ending.status == "complete")
        if run.current < len(run.steps) and (ending := run.budget.steps_ending()):
            return ending
    return first or Termination("complete", run.reports[-1].reason)


async def _carry_out_step(run: Run) -> StepEnding | None:
    run.budget.begin_step()
    run.turns, run.done = [], []
    if run.budget.is_last_step:
        failed = run.budget.step_failures
        run.notes.append(f"the run ends if this step fails too: {count(failed, 'step')} before it failed")
    run.emit(StepStarted(step=run.current + 1, of=len(run.steps), goal=run.step_goal))
    result = await _step_ending(run)
    if result is not None:
        report_step(run, result.ending)
        guard = run.page.loop_guard
        if guard is not None and guard.aborted is not None:
            guard.reset("step")  # the next step, and who uses the page after the run, may act again
    return result


def report_step(run: Run, ending: Termination) -> None:
    """Record how the current step ended, for the outcome and for the script; a step that has a report keeps it."""
    if len(run.reports) != run.current or run.current == len(run.steps):
        return
    ending = run.redaction.redact(ending)
    check = run.steps[run.current].check
    report = StepReport(goal=run.step_goal, status=ending.status, reason=ending.reason, turns=tuple(run.turns))
    is_complete = ending.status == "complete"
    run.reports.append(report)
    run.script.append(
        ScriptStep(
            goal=short(run.step_goal, REASON_CHARS),
            status="complete" if is_complete else "failed",
            error=None if is_complete else ending.reason,
            check=None if check is None else check_json(check),
            actions=tuple(run.done),
        )
    )
    run.emit(StepEnded(step=run.current + 1, report=report))


async def _step_ending(run: Run) -> StepEnding | None:
    """Return how the current step ends, None if another one goes first; the errors of model and page are endings."""
    try:
        if ending := run.budget.run_ending(run.now()):
            return StepEnding(ending, ends_run=True)
        start = await start_of_step(run)
        if start is not None and await replayed(run, start):
            return StepEnding(Termination("complete", "the step cache had its commands"))
        return await _iterate(run, start)
    except ModelFailed as error:
        return _without_reply(run, error)
    except CommandError as error:
        reason = f"{error.code}: {short(str(error), REASON_CHARS)}"
        return StepEnding(Termination("stuck", reason), ends_run=isinstance(error, SessionLost))


async def _iterate(run: Run, start: Start | None) -> StepEnding | None:
    while True:
        if ending := run.budget.run_ending(run.now()):
            return StepEnding(ending, ends_run=True)
        if ending := run.budget.turn_ending(run.now()):
            return StepEnding(_or_loop(run, ending), ends_run=True)
        if ending := run.budget.step.ending():
            return StepEnding(_or_loop(run, ending))
        taken = await iterate(run)
        run.done += taken.done
        if taken.issue is not None and run.reorder(taken.issue):
            return None
        if taken.ending is not None and taken.ending.status == "complete" and start is not None:
            start.put(tuple(run.done))
        if ending := run.budget.run_ending(run.now()):
            return StepEnding(_unless_complete(taken, ending), ends_run=True)
        if taken.ending is not None:
            return StepEnding(taken.ending)


def _or_loop(run: Run, ending: Termination) -> Termination:
    """Return a loop as the ending of a step that was in one when its turns were used up, or its actions refused."""
    loop = run.turns[-1].loop if run.turns else None
    if loop is None or (loop == "warn" and ending.status != "limit"):
        return ending
    return Termination("loop", f"the loop guard reported the last turn ({loop}); {ending.reason}")


def _unless_complete(taken: Taken, ending: Termination) -> Termination:
    """Return the ending of a step whose last turn used up a limit: what it achieved counts."""
    return taken.ending if taken.ending is not None and taken.ending.status == "complete" else ending


def _without_reply(run: Run, error: ModelFailed) -> StepEnding:
    """Return how a step ends without a reply: at a limit if one is used up, else stuck for the provider's reason."""
    if ending := run.budget.run_ending(run.now()):
        return StepEnding(ending, ends_run=True)
    if isinstance(error, ModelBudgetExceeded):
        return StepEnding(Termination("limit", f"{error.budget}: {error}"), ends_run=True)
    reason = f"{error.code}: {short(str(error), REASON_CHARS)}"
    if isinstance(error, ModelContentFiltered):  # another step may be about something else
        return StepEnding(Termination("stuck", reason))
    if isinstance(error, ModelReplyInvalid):
        used_up = f"max_invalid_replies: {run.limits.max_invalid_replies} corrections are used up"
        return StepEnding(Termination("stuck", f"{reason} ({used_up})"))
    return StepEnding(Termination("stuck", reason), ends_run=True)
