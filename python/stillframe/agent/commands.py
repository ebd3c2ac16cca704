"""Run the commands of one turn as one sequence, and give each the credit that it has earned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from stillframe import Page
from stillframe.agent.limits import Limits
from stillframe.agent.permissions import Permissions
from stillframe.agent.prompt import PageView
from stillframe.agent.turn import CommandReport
from stillframe.errors import SessionLost, StillframeError
from stillframe.extend.text import change_lines, fact_lines, failure_lines, loop_heads, loop_lines
from stillframe.model.actions import Action, GoBack, GoForward, Navigate, Reload, WaitFor
from stillframe.model.loops import LoopEvent, LoopLevel
from stillframe.model.options import Expect
from stillframe.model.result import SequenceResult
from stillframe.model.verdict import GONE
from stillframe.scripts.durable import durable_actions
from stillframe.scripts.script import ScriptAction

TARGET_MS = 3_000.0
"""How long a command waits for its target at most: the default of a sequence. A model has seen the page just before."""
CHECK_MS = 1_000.0
"""How long a check may take to come true. The page is still by then, so this only covers what it polls for."""
LOADING = (GoBack, GoForward, Navigate, Reload)
LEVELS = get_args(LoopLevel)
"""The levels of the loop guard, the gravest last."""


class Ran(NamedTuple):
    """What became of a list of commands."""

    reports: tuple[CommandReport, ...]
    change: tuple[str, ...] = ()
    """What changed and what else happened, one line each; they quote the page."""
    warnings: tuple[str, ...] = ()
    """Warnings of the loop guard, without text of the page."""
    loop: LoopEvent | None = None
    """The gravest event of the loop guard, None without one."""
    done: tuple[ScriptAction, ...] = ()
    """The commands that succeeded, with selectors that last."""
    view: PageView | None = None
    lost: SessionLost | None = None
    """The error of a page that is gone."""
    cut: int = 0
    """How many more commands the limits have cut off."""

    @property
    def failed(self) -> bool:
        """Whether a command failed or did not run."""
        return self.cut > 0 or any(report.result != "ok" for report in self.reports)


async def run_commands(
    page: Page, actions: tuple[Action, ...], limits: Limits, permissions: Permissions, *, page_chars: int
) -> Ran:
    """Run commands as one sequence that stops at the first failure; raises nothing that the page can cause."""
    refused = permissions.first_refused(page, actions)
    allowed = actions if refused is None else actions[: refused[0]]
    ran = await _run(page, allowed, limits, page_chars) if allowed else Ran(())
    if refused is None or ran.failed:
        return ran._replace(reports=(*ran.reports, *_not_run(actions[len(allowed) :])))
    failed = CommandReport(command=shown(actions[refused[0]]), result="failed", error=str(refused[1]))
    return ran._replace(reports=(*ran.reports, failed, *_not_run(actions[refused[0] + 1 :])))


async def _run(page: Page, actions: tuple[Action, ...], limits: Limits, page_chars: int) -> Ran:
    try:
        durable = await durable_actions(page, actions)
        result = await page.execute_sequence([within(action, limits) for action in actions], page_text=page_chars)
    except StillframeError as error:
        failed = CommandReport(command=shown(actions[0]), result="failed", error=str(error))
        lost = error if isinstance(error, SessionLost) else None
        return Ran((failed, *_not_run(actions[1:])), lost=lost)
    return Ran(
        reports(actions, result),
        change=(*change_lines(result.state_change), *failure_lines(result), *fact_lines(result), *loop_lines(result)),
        warnings=tuple(loop_heads(result)),
        loop=gravest(result.loops),
        done=durable[: result.completed],
        view=view_of(result),
        lost=_lost(result),
    )


def reports(actions: Sequence[Action], result: SequenceResult) -> tuple[CommandReport, ...]:
    """Return one report for each action of a sequence: those before the failed one are done."""
    done = [CommandReport(command=shown(action), result="ok") for action in actions[: result.completed]]
    if result.failed is None:
        return tuple(done)
    failed = CommandReport(
        command=shown(actions[result.completed]), result="failed", error=f"{result.failed.code}: {result.failed.error}"
    )
    return (*done, failed, *_not_run(actions[result.completed + 1 :]))


def _not_run(actions: Sequence[Action]) -> tuple[CommandReport, ...]:
    return tuple(CommandReport(command=shown(action), result="not_run") for action in actions)


def view_of(result: SequenceResult) -> PageView | None:
    """Return the page that a sequence left as a prompt shows it, None if that could not be read."""
    text = result.page_text
    return None if text is None else PageView(url=text.url, title=text.title, text=text.text)


def gravest(events: Sequence[LoopEvent]) -> LoopEvent | None:
    """Return the last of the gravest events, None if there is none."""
    return max(reversed(events), key=lambda event: LEVELS.index(event.level), default=None)


def _lost(result: SequenceResult) -> SessionLost | None:
    return SessionLost(f"the page is gone: {result.outcome}") if result.reason in GONE else None


def within(action: Action, limits: Limits) -> Action:
    """Return an action with the time that the limits allow it."""
    most = limits.command_timeout if isinstance(action, LOADING) else min(limits.command_timeout, TARGET_MS)
    wanted = action.timeout_ms
    return msgspec.structs.replace(action, timeout_ms=most if wanted is None else min(wanted, limits.command_timeout))


def shown(action: Action) -> str:
    """Return a command as a person reads it, such as `click_element selector='#save'`; secrets are not shown."""
    fields = [field for field in msgspec.structs.fields(action) if field.name != "timeout_ms"]
    given: list[tuple[str, Any]] = [(field.encode_name, getattr(action, field.name)) for field in fields]
    set_ = [f"{name}={value!r}" for (name, value), field in zip(given, fields, strict=True) if value != field.default]
    return " ".join([action.kind, *set_])


async def holds(page: Page, check: Expect) -> bool:
    """Return whether a check holds now or within CHECK_MS; raises SessionLost."""
    wanted = WaitFor(selector=check.selector, text=check.text, url=check.url, timeout_ms=CHECK_MS)
    return (await page.execute_sequence([wanted])).completed == 1
