"""One turn of the model: ask, call tools, run commands, and judge what the model says about the step."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from stillframe.agent.commands import Ran, gravest, holds, run_commands
from stillframe.agent.decision import Decision, ReEvaluationIssue, SelfReflection, ToolCall, parse_commands
from stillframe.agent.errors import ToolFailed
from stillframe.agent.events import ToolCalled, TurnEnded
from stillframe.agent.outcome import Termination
from stillframe.agent.run import Run
from stillframe.agent.turn import Turn
from stillframe.model.actions import Action
from stillframe.model.bounds import short
from stillframe.scripts.script import ScriptAction

CHANGE_CHARS = 1_500
"""Characters of what changed that a turn remembers."""
COMMAND_CHARS = 200
"""Characters of a command in a turn."""
REASON_CHARS = 500
"""Characters of a reason in an ending or a turn, and of a goal in a script."""
THOUGHT_CHARS = 2_000
"""Characters of one reasoning of the model in events and in the outcome."""
IDLE = (
    "nothing was done, because the reply had no command and no tool ({idle} in a row; {most} end the step as a loop): "
    "give commands, or say that the step is complete, stuck or infeasible"
)
"""What the model reads after a reply that only goes on."""
FALSE_ENDINGS = {
    "tools": "status {status} was not accepted, because needsToolResults asks for another turn",
    "failed": "status {status} was not accepted, because not all commands of that turn succeeded",
    "check": "status complete was not accepted, because the check of the step does not hold: {check}",
}
"""Why a status is overridden to `continue`."""


class Taken(NamedTuple):
    """What one turn came to: the ending of its step, or None, and the commands that succeeded."""

    ending: Termination | None
    done: tuple[ScriptAction, ...] = ()
    issue: ReEvaluationIssue | None = None
    """Why another step should go first, by the model."""


async def iterate(run: Run) -> Taken:
    """Take one turn; raises ModelFailed, and SessionLost if the page is gone."""
    run.budget.begin_iteration()
    url = run.page.url
    decision = await run.ask()
    if ending := run.budget.time_ending(run.now()):
        return Taken(ending)  # what is paid for is carried out, unless there is no time for it
    _remember(run, decision)
    issue = _issue(decision)
    if issue == "already_done":
        return await _already_done(run, decision, url)
    tools = await _call_tools(run, decision)
    ran = await _run_all(run, decision)
    ending = _loop_ending(ran) or await _ending(run, decision, ran)
    failed = ran.failed or (decision.status == "complete" and ending is None and not decision.needs_tool_results)
    commanded = bool(ran.reports)
    run.budget.step.record(ran=commanded or failed, failed=failed, called_tools=bool(tools))
    _record(run, decision, url, ran, tools)
    if ran.lost is not None:
        raise ran.lost
    return Taken(ending, ran.done, issue if ending is None else None)


# -- memory --------------------------------------------------------------------------------------


def _remember(run: Run, decision: Decision) -> None:
    decision = run.redaction.redact(decision)  # what runs keeps the texts that the model may see; memory does not
    reflection = decision.self_reflection
    run.journey.guidance = (reflection.guidance_for_next if reflection else "") or decision.note_to_future_self
    run.journey.learn(_lessons(decision))
    run.journey.keep(decision.memory.extracted)
    if reflection is not None and reflection.detecting_loop:
        run.notes.append("you reported a loop: do something else than in your last turns, or say that you are stuck")


def _lessons(decision: Decision) -> tuple[str, ...]:
    return (*decision.experiences, *decision.site_learnings)


def _record(run: Run, decision: Decision, url: str, ran: Ran, tools: tuple[str, ...]) -> None:
    run.change = short("\n".join(ran.change), CHANGE_CHARS)
    run.view = None if tools else ran.view
    run.notes += ran.warnings
    refused = run.permissions.take_refused()
    run.answers += [f"refused by allowed_domains: the page tried to load {short(each, 200)}" for each in refused]
    if run.budget.step.is_last_try:
        run.notes.append("one more turn with a failed command ends this step as stuck: take another way")
    if run.budget.step.idle:
        run.notes.append(IDLE.format(idle=run.budget.step.idle, most=run.limits.max_idle_iterations))
    # Redacted before texts are cut as well, because the first half of a secret is not found.
    turn = run.redaction.redact(
        _turn(run, run.redaction.redact(decision), url, ran._replace(reports=run.redaction.redact(ran.reports)), tools)
    )
    run.journey.record(turn)
    run.turns.append(turn)
    of = run.limits.max_iterations_per_step
    run.emit(TurnEnded(turn=turn, of=of, experiences=len(run.journey.experiences)))


def _turn(run: Run, decision: Decision, url: str, ran: Ran, tools: tuple[str, ...]) -> Turn:
    step, iteration = run.place
    reflection, found = decision.self_reflection or SelfReflection(), decision.step_re_evaluation
    blocker = decision.blocker_detected.description if decision.blocker_detected else ""
    re_evaluation = f"{found.issue}: {found.explanation}" if found is not None and found.detected else ""
    return Turn(
        step=step,
        iteration=iteration,
        url=url,
        status=decision.status,
        reasoning=short(decision.reasoning, THOUGHT_CHARS),
        status_reasoning=short(decision.status_reasoning, THOUGHT_CHARS),
        tool_reasoning=short(decision.tool_reasoning, THOUGHT_CHARS),
        command_reasoning=short(decision.command_reasoning, THOUGHT_CHARS),
        tools=tools,
        needs_tool_results=decision.needs_tool_results,
        commands=tuple(replace(report, command=short(report.command, COMMAND_CHARS)) for report in ran.reports),
        blocker=short(blocker, THOUGHT_CHARS),
        re_evaluation=short(re_evaluation, THOUGHT_CHARS),
        detecting_loop=reflection.detecting_loop,
        loop_reasoning=short(reflection.loop_reasoning, THOUGHT_CHARS),
        loop=ran.loop.level if ran.loop else None,
        experiences=tuple(short(lesson, THOUGHT_CHARS) for lesson in _lessons(decision)),
        data=tuple(short(name, 100) for name in decision.memory.extracted),
        observation=short(decision.memory.observation, THOUGHT_CHARS),
        change=run.change,
        guidance=run.journey.guidance,
        notes=tuple(run.notes),
    )


# -- the step itself -----------------------------------------------------------------------------


def _issue(decision: Decision) -> ReEvaluationIssue | None:
    found = decision.step_re_evaluation
    return found.issue if found is not None and found.detected else None


async def _already_done(run: Run, decision: Decision, url: str) -> Taken:
    """End a step that the page satisfies without any command; its check decides where it has one."""
    found = decision.step_re_evaluation
    assert found is not None
    skipped = Ran(())
    reason = short(run.redaction.redact(found.explanation or decision.status_reasoning), REASON_CHARS)
    ending = await _complete(run, f"already done: {reason}" if reason else "already done")
    run.budget.step.record(ran=ending is None, failed=ending is None, called_tools=False)
    _record(run, decision, url, skipped, ())
    return Taken(ending)


def _loop_ending(ran: Ran) -> Termination | None:
    """Return the ending of a step whose actions the loop guard does not run any more."""
    if ran.loop is None or ran.loop.level != "abort":
        return None
    return Termination("loop", f"{ran.loop.rule}: {short(ran.loop.advice, REASON_CHARS)}")


async def _ending(run: Run, decision: Decision, ran: Ran) -> Termination | None:
    """Return how the step ends by what the model says, which is believed only if nothing contradicts it."""
    if decision.status == "continue":
        return None
    reason = run.redaction.redact(decision.status_reasoning or decision.reasoning or "the model gives no reason")
    reason = short(reason, REASON_CHARS)
    if decision.needs_tool_results:
        return _overridden(run, decision, "tools")
    if decision.status != "complete":
        return Termination(decision.status, reason)
    if ran.failed:
        return _overridden(run, decision, "failed")
    return await _complete(run, reason)


async def _complete(run: Run, reason: str) -> Termination | None:
    check = run.steps[run.current].check
    if check is None or await holds(run.page, check):
        return Termination("complete", reason)
    wanted = next(f"{name} {value!r}" for name in ("selector", "text", "url") if (value := getattr(check, name)))
    run.notes.append(FALSE_ENDINGS["check"].format(check=wanted))
    return None


def _overridden(run: Run, decision: Decision, why: str) -> Termination | None:
    """Tell the model why its status is taken for `continue`."""
    run.notes.append(FALSE_ENDINGS[why].format(status=decision.status))
    return None


# -- tools and commands --------------------------------------------------------------------------


async def _call_tools(run: Run, decision: Decision) -> tuple[str, ...]:
    most = run.limits.max_tool_calls_per_iteration
    calls = decision.tool_calls[:most]
    if left := len(decision.tool_calls) - len(calls):
        run.notes.append(f"max_tool_calls_per_iteration: {most} tools were called, {left} were not")
    for call in calls:
        await _call_tool(run, call)
    return tuple(short(run.redaction.redact(call.tool), 100) for call in calls)


async def _call_tool(run: Run, call: ToolCall) -> None:
    started, error = run.now(), None
    name = short(run.redaction.redact(call.tool), 100)
    try:
        answer = await run.tools.call(run.context, call)
    except ToolFailed as failed:
        error = run.redaction.redact(str(failed))
        run.answers.append(f"{name} failed: {error}")
    else:
        run.answers.append(f"{name}: {run.redaction.redact(answer.text)}")
        run.images += [answer.image] if answer.image is not None else []
    step, iteration = run.place
    milliseconds = (run.now() - started) * 1000
    run.emit(ToolCalled(step=step, iteration=iteration, tool=name, duration_ms=milliseconds, error=error))


async def _run_all(run: Run, decision: Decision) -> Ran:
    """Run the commands that clear a blocker, and then the others if these succeeded."""
    clearing = Ran(())
    if decision.blocker_detected is not None:
        actions = parse_commands(decision.blocker_detected.clearing_commands, "blockerDetected.clearingCommands")
        clearing = await _run_limited(run, actions)
    if clearing.failed:
        run.notes.append("the blocker was not cleared, so the commands did not run")
        return clearing
    if decision.needs_tool_results and decision.commands:
        run.notes.append("the commands did not run, because needsToolResults asks for the results of tools first")
        return clearing
    return _joined(clearing, await _run_limited(run, parse_commands(decision.commands)))


async def _run_limited(run: Run, actions: tuple[Action, ...]) -> Ran:
    most = run.limits.max_commands_per_iteration
    kept = actions[:most]
    ran = await run_commands(run.page, kept, run.limits_left, run.permissions, page_chars=run.page_chars)
    if left := len(actions) - len(kept):
        run.notes.append(f"max_commands_per_iteration: {most} commands were run, {left} were not")
        return ran._replace(cut=left)
    return ran


def _joined(first: Ran, second: Ran) -> Ran:
    if not first.reports:
        return second
    return Ran(
        (*first.reports, *second.reports),
        change=(*first.change, *second.change),
        warnings=(*first.warnings, *second.warnings),
        done=(*first.done, *second.done),
        loop=gravest([event for event in (first.loop, second.loop) if event is not None]),
        view=second.view or first.view,
        lost=second.lost or first.lost,
        cut=second.cut,
    )
