"""Carry out the steps of a run one after the other, from the step cache where it knows them."""

from __future__ import annotations

from typing import NamedTuple

from stillframe.agent.cached_steps import Start, check_json, replayed, start_of_step
from stillframe.agent.errors import ModelBudgetExceeded, ModelContentFiltered, ModelFailed, ModelReplyInvalid
from stillframe.agent.events import StepEnded, StepStarted, count
from stillframe.agent.iteration import REASON_CHARS, Taken, iterate
from stillframe.agent.outcome import StepReport, Termination
from stillframe.agent.run import Run
from stillframe.errors import CommandError, SessionLost
from stillframe.model.bounds import short
from stillframe.scripts.script import ScriptStep


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
