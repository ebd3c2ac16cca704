"""Ask a model how to repair one step, and turn its proposal into actions of the script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from pydantic_ai.models import Model

from stillframe import Page
from stillframe.agent.asking import Allowance, Asker
from stillframe.agent.budget import Budget
from stillframe.agent.errors import DecisionInvalid
from stillframe.agent.permissions import Permissions
from stillframe.agent.script_proposal import (
    INSTRUCTIONS,
    Proposal,
    actions_of,
    changed_actions,
    parse_proposal,
    proposal_schema,
)
from stillframe.errors import StillframeError, UrlRefused
from stillframe.extend import loop_clock
from stillframe.extend.syntax import has_ref
from stillframe.model.action_list import secret_names
from stillframe.model.actions import Action, Navigate
from stillframe.model.bounds import short
from stillframe.scripts.durable import durable_actions
from stillframe.scripts.replay import ScriptReport
from stillframe.scripts.script import Script, ScriptAction, ScriptStep
from stillframe.scripts.targets import TARGET_FIELDS
from stillframe.security.untrusted_text import MARKER_CHARS, mark_untrusted
from stillframe.security.urls import parse_url

LAST_REPAIRS = 3
"""Repairs that a prompt repeats."""
SCRIPT_SHARE = 0.4
"""The share of a prompt that the script and what was tried may take; the page gets the rest."""
MIN_PAGE_CHARS = 200


class Advisor:
    """A model that proposes repairs, within the limits of one run."""

    def __init__(self, page: Page, model: Model | str, budget: Budget, permissions: Permissions) -> None:
        self._page = page
        self._model = model
        self._budget = budget
        self._permissions = permissions

    async def propose(
        self, script: Script, report: ScriptReport, tried: Sequence[str], repairs: Sequence[str]
    ) -> Proposal:
        """Return what the model proposes for the step that failed.

        Raises ModelFailed; also DecisionInvalid if a limit of the run is used up.
        """
        assert report.failed_step is not None
        now = loop_clock().now()
        ending = self._budget.turn_ending(now)
        if ending is not None:
            raise DecisionInvalid(ending.reason)
        self._budget.begin_iteration()
        asker = self._asker(script, script.steps[report.failed_step])
        return await asker.ask(await self._prompt(script, report, tried, repairs), (), self._allowance(now))

    async def apply(self, script: Script, number: int, proposal: Proposal) -> tuple[Script, tuple[ScriptAction, ...]]:
        """Return the script with the proposed changes, and their actions with lasting selectors.

        Raises DecisionInvalid for a change that is not allowed or means no element.
        """
        step = script.steps[number]
        actions = actions_of(proposal.changes)
        if not proposal.changes:
            raise DecisionInvalid("the model knows no repair")
        self._check(actions, script)
        durable = await durable_actions(self._page, actions)
        for action in durable:
            for field in TARGET_FIELDS:
                if has_ref(str(action.action.get(field, ""))):
                    raise DecisionInvalid(f"{action.action[field]} means no element, or none with a lasting selector")
        steps = [*script.steps]
        steps[number] = msgspec.structs.replace(step, actions=changed_actions(step, proposal.changes, durable))
        return msgspec.structs.replace(script, steps=tuple(steps)), durable

    def _asker(self, script: Script, step: ScriptStep) -> Asker[Proposal]:
        secrets = frozenset(secret_names(_actions(script)))

        def parse(reply: Mapping[str, Any]) -> Proposal:
            return parse_proposal(reply, step, secrets)

        return Asker(
            self._model,
            name="repair",
            instructions=INSTRUCTIONS,
            schema=proposal_schema(),
            parse=parse,
            corrections=self._budget.limits.max_invalid_replies,
            spend=self._budget.spend,
        )

    def _allowance(self, now: float) -> Allowance:
        limits, left = self._budget.limits, self._budget.seconds_left(now)
        seconds = limits.model_timeout * 2
        return Allowance(
            seconds if left is None else min(seconds, left),
            self._budget.tokens_left(),
            self._budget.usd_left(),
            reply_seconds=limits.model_timeout,
        )

    def _check(self, actions: Sequence[Action], script: Script) -> None:
        """Refuse what the limits do not allow and, without limits, hosts that the script does not know."""
        refused = self._permissions.first_refused(self._page, tuple(actions))
        if refused is not None:
            raise DecisionInvalid(str(refused[1]))
        own = [script.url, *(action.url for action in _actions(script) if isinstance(action, Navigate))]
        hosts = set(map(_host, own))
        for action in actions:
            if self._permissions.policy is None and isinstance(action, Navigate) and _host(action.url) not in hosts:
                raise DecisionInvalid(f"{short(action.url, 200)} is not on a host of the script")

    async def _prompt(self, script: Script, report: ScriptReport, tried: Sequence[str], repairs: Sequence[str]) -> str:
        assert report.failed_step is not None
        number, most = report.failed_step, self._budget.limits.max_prompt_chars
        step = script.steps[number]
        trusted = [
            f"Goal: {short(script.goal, most // 10)}",
            f"Step {number + 1} of {len(script.steps)}: {short(step.goal, most // 10)}",
        ]
        quoting = short("\n".join(_lines(step, report, tried, repairs)), int(most * SCRIPT_SHARE))
        room = max(MIN_PAGE_CHARS, most - sum(map(len, trusted)) - len(quoting) - MARKER_CHARS - 20)
        return "\n".join([*trusted, mark_untrusted([quoting, "Page:", await self._page_text(room)])])

    async def _page_text(self, budget: int) -> str:
        try:
            text = await self._page.aria_snapshot(budget=budget)
        except StillframeError as error:
            return f"(it cannot be read: {short(str(error), 200)})"
        return short(f"URL: {short(text.url, 300)}\n{text.text}", budget)


def _lines(step: ScriptStep, report: ScriptReport, tried: Sequence[str], repairs: Sequence[str]) -> Iterable[str]:
    """Return what is known of a failed step; its words are those of the page."""
    for index, action in enumerate(step.actions):
        mark = " FAILED" if index == report.failed_action else ""
        yield f"{index}:{mark} {short(msgspec.json.encode(action.action).decode(), 300)} {action.target}"
    what = "the check of the step" if report.failed_action is None else f"action {report.failed_action}"
    yield f"{what} failed: {short(report.failure, 600)}"
    yield from (f"tried without success: {each}" for each in tried)
    yield from (f"repaired before: {each}" for each in repairs[-LAST_REPAIRS:])


def _actions(script: Script) -> list[Action]:
    return [action.parsed() for step in script.steps for action in step.actions]


def _host(url: str) -> str:
    try:
        parsed = parse_url(url)
    except (ValueError, UrlRefused):
        return ""
    return f"{parsed.scheme} {parsed.host} {parsed.port}"
