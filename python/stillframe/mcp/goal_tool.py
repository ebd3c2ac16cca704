"""The tool that lets the model of the server carry out a goal; a server has it only if it was started with a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from stillframe.agent.events import AgentEvent, TurnEnded, bill, count
from stillframe.agent.limits import Limits
from stillframe.extend import dialog_error, loop_clock, page_state
from stillframe.extend.text import quote
from stillframe.mcp.progress import Notify, Report, notifying
from stillframe.mcp.replies import Reply, to_result, with_reattached
from stillframe.mcp.structured_content import GoalContent, GoalStep
from stillframe.model.bounds import short

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe.agent.orchestrator import Orchestrator
    from stillframe.agent.outcome import Outcome
    from stillframe.mcp.arguments import GoalArguments
    from stillframe.mcp.resource_store import ResourceStore
    from stillframe.mcp.settings import Settings
    from stillframe.sessions import Session

RUN_SHARE = 0.8
"""The share of a call that its run may take: the rest is for the turn that is not over then, so that the call returns
what there is instead of an error."""
DATA_CHARS = 1_000
"""Characters of one extracted value in the text of a reply; the structured content has all of it."""

EMPTY = ("text", "overflow")
"""Fields of the structured content that the reply fills in."""


def call_timeout_ms(settings: Settings, call: GoalArguments) -> float:
    """Return the time limit of a call: its own `timeoutS` counts, also beyond the limit of the server's other calls."""
    own = 0.0 if call.timeout_s is None else call.timeout_s * 1000 / RUN_SHARE
    return max(settings.call_timeout_ms, own)


async def run_goal(
    session: Session, call: GoalArguments, *, settings: Settings, store: ResourceStore, budget: int, report: Report
) -> types.CallToolResult:
    """Carry out a goal in a session after the calls before it, and reply with what it came to.

    Raises DialogOpen, the errors of `Page.goto`, OptionInvalid and ModelRefused.
    """
    clock = loop_clock()
    end = clock.now() + call_timeout_ms(settings, call) / 1000 * RUN_SHARE
    async with session.lock, notifying(report) as notify:
        if (dialog := session.page.dialog) is not None:
            raise dialog_error(dialog)
        # The agent has no command that answers a dialog which waits.
        with page_state(session.page).dialogs.never_held():
            if call.url is not None:
                await session.page.goto(call.url, settle=True)
            orchestrator = _orchestrator(session, call, settings, max(0.0, end - clock.now()), notify)
            outcome = await orchestrator.run(call.goal, check=call.check)
        reattached = session.reattached
        url = session.page.url
    reply = with_reattached(_reply(session.id, url, outcome), reattached)
    return to_result(reply, budget=budget, session=session.id, title="the whole outcome", store=store)


def _orchestrator(
    session: Session, call: GoalArguments, settings: Settings, seconds: float, notify: Notify
) -> Orchestrator:
    from stillframe.agent.orchestrator import Orchestrator

    limits = Limits(
        budget_usd=call.budget_usd,
        budget_tokens=call.budget_tokens,
        timeout=seconds if call.timeout_s is None else min(call.timeout_s, seconds),
    )

    turns = itertools.count(1)

    def on_event(event: AgentEvent) -> None:
        if isinstance(event, TurnEnded):
            turn = event.turn
            done = f"{turn.completed} of {count(len(turn.commands), 'command')} done"
            words = f"turn {turn.step}.{turn.iteration}: {done}, {turn.status}"
            notify(next(turns), limits.max_total_iterations, words)

    return Orchestrator(session.page, settings.agent_model, limits=limits, files=settings.uploads, on_event=on_event)


# -- the reply -----------------------------------------------------------------------------------


def _reply(session_id: str, url: str, outcome: Outcome) -> Reply:
    steps = tuple(
        GoalStep(goal=step.goal, status=step.status, reason=step.reason, turns=len(step.turns))
        for step in outcome.steps
    )
    content = GoalContent(
        session_id=session_id,
        url=url,
        status=outcome.status,
        reason=outcome.reason,
        steps=steps,
        extracted=outcome.extracted,
        experiences=outcome.experiences,
        usage=outcome.usage,
        price=None if outcome.price is None else float(outcome.price),
    )
    turns = sum(step.turns for step in steps)
    head = f"goal {outcome.status} after {count(turns, 'turn')}: {bill(outcome.usage, outcome.price)}"
    structured = {name: value for name, value in msgspec.to_builtins(content).items() if value or name not in EMPTY}
    return Reply(heads=[head], lines=list(_lines(outcome, url)), structured=structured, text_in_structured=True)


def _lines(outcome: Outcome, url: str) -> Iterator[str]:
    """Yield what the other model says, which read the page: its reason, the data, and the commands of the last turn."""
    yield f"reason: {_flat(outcome.reason)}"
    yield f"page: {quote(url)}"
    for name, value in outcome.extracted.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        yield f"{_flat(name)}: {_flat(text)}"
    last = next((step.turns[-1] for step in reversed(outcome.steps) if step.turns), None)
    for command in last.commands if last is not None and outcome.status != "complete" else ():
        yield f"{command.result} {command.command}{f' ({command.error})' if command.error else ''}"


def _flat(text: str) -> str:
    return short(" ".join(text.split()), DATA_CHARS)
