"""Run a script and repair it where it fails: exactly first, then by likeness, and only then with a model.

1. The script runs exactly as it is. A failed run is repeated `deflake_runs` times: what passes then was flaky.
2. Elements that the page has changed are found by their fingerprints, as far as `flexibility` allows it, and each is
   compared with its fingerprint before anything is done to it. What was found goes into the script.
3. What still fails is put to a model, at most `attempts` times per step. It proposes to modify, insert or remove
   actions of the step; they are data that the same rules check as all actions. What does not help is taken back.

After each repair the script runs again from its beginning, and a script counts as repaired once it has run exactly.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe import Page
from stillframe.agent.budget import Budget
from stillframe.agent.errors import DecisionInvalid, ModelFailed
from stillframe.agent.limits import Limits
from stillframe.agent.outcome import Usage
from stillframe.agent.permissions import Permissions
from stillframe.errors import OptionInvalid
from stillframe.extend import loop_clock
from stillframe.model.actions import DropFiles, UploadFile
from stillframe.model.bounds import short
from stillframe.model.structs import Value
from stillframe.scripts.flexibility import DEFAULT, tolerance
from stillframe.scripts.replay import ACTION_MS, Playback, Replacement, Reset, ScriptReport, replay
from stillframe.scripts.script import Script, ScriptAction

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from stillframe.agent.script_advisor import Advisor
    from stillframe.agent.script_proposal import Proposal

ATTEMPTS = 3
MOST_OF_MODEL = 4
"""The highest confidence in a repair by a model: only the same role and name are certain."""
MOST_OF_PARTIAL = 2
"""The highest confidence in a script that still fails."""
SURE_SCORE = 0.75
"""The likeness from which an element with another role or name is as certain as a repair by a model can be."""


TRIED_CHARS = 300
"""Characters of one line of what was tried."""
MAX_ADVICE_CHARS = 4_000
RepairStatus = Literal["none", "success", "partial", "failed"]


class Repair(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One repair; `step` and `action` count from 0. `score` and `margin` are those of an element found by likeness."""

    level: Literal["likeness", "model"]
    kind: Literal["modify", "insert", "remove"]
    step: int
    action: int
    words: str
    confidence: int
    score: float | None = None
    margin: float | None = None


class RepairReport(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a run with repair came to.

    `run_status` is that of the script as it was, also if it was repaired. `repair_status` is `none` if none was
    necessary, `partial` if the script got further and still fails. `repair_confidence` is 0 to 5. `updated_script` is
    None if nothing was repaired. `failure` is why the last run failed. `price` is in US dollars, None if not known.
    """

    run_status: Literal["success", "failed"]
    repair_status: RepairStatus
    repair_confidence: int
    repair_advice: str
    num_deflake_runs: int
    script: Script
    updated_script: Script | None = None
    repairs: tuple[Repair, ...] = ()
    failure: str = ""
    usage: Usage = Usage()
    price: Decimal | None = None

    def diff(self, path: str = "script.json") -> str:
        """Return what was repaired as a patch of the script's file, empty if nothing was."""
        return "" if self.updated_script is None else script_diff(self.script, self.updated_script, path)


async def repair(  # noqa: PLR0913  by keyword
    page: Page,
    script: Script,
    model: Model | str | None = None,
    *,
    reset: Reset | None = None,
    flexibility: int = DEFAULT,
    attempts: int = ATTEMPTS,
    deflake_runs: int = 1,
    limits: Limits | None = None,
    action_timeout_ms: float = ACTION_MS,
) -> RepairReport:
    """Run a script, repair it if it fails, and report both; failures of the page are in the report and raise nothing.

    Args:
        page: The page.
        script: The script.
        model: The model, or its name. Without one, only likeness repairs; one that fails or is refused ends the repair,
            and the advice says so.
        reset: What brings the page into the state of the beginning before each run; by default the page loads
            `script.url`.
        flexibility: How much a repair may change, 0 to 5 (`flexibility.TOLERANCES`).
        attempts: How many repairs are tried at most.
        deflake_runs: How often a failed run is repeated before it is repaired.
        limits: What the model may use, and the hosts that the page may load.
        action_timeout_ms: The limit of each action, in ms.

    Raises:
        OptionInvalid: An argument is invalid.
    """
    if attempts < 0 or deflake_runs < 0:
        raise OptionInvalid("options attempts and deflake_runs: expected at least 0", option="attempts")
    limits = limits or Limits()
    tolerance(flexibility)
    permissions = Permissions(limits.allowed_domains, _uploads(script))
    budget = Budget(limits, loop_clock().now())
    advisor = None if model is None else _advisor(page, model, budget, permissions)
    run = _Run(page, script, reset, action_timeout_ms, flexibility, attempts, advisor)
    async with permissions.kept(page):
        report = await run.report(deflake_runs)
    return msgspec.structs.replace(report, usage=budget.usage, price=budget.price)


def _advisor(page: Page, model: Model | str, budget: Budget, permissions: Permissions) -> Advisor:
    from stillframe.agent.script_advisor import Advisor

    return Advisor(page, model, budget, permissions)


def _uploads(script: Script) -> Iterable[str]:
    """Return the files that a script uploads: a model may upload these and no others."""
    for step in script.steps:
        for action in step.actions:
            parsed = action.parsed()
            if isinstance(parsed, UploadFile | DropFiles):
                paths: Any = parsed.paths
                yield from (paths,) if isinstance(paths, str) else paths


class _Run:
    """One run with repair: the script as it is now, and what was repaired."""

    def __init__(
        self,
        page: Page,
        script: Script,
        reset: Reset | None,
        action_timeout_ms: float,
        flexibility: int,
        attempts: int,
        advisor: Advisor | None,
    ) -> None:
        self.page = page
        self.original = self.script = script
        self.reset = reset
        self.action_timeout_ms = action_timeout_ms
        self.allowed = tolerance(flexibility)
        self.attempts = attempts
        self.advisor = advisor
        self.repairs: list[Repair] = []
        self.advice: list[str] = []
        self.tried: dict[int, list[str]] = {}
        """What was proposed without success, by the number of the step."""

    async def report(self, deflake_runs: int) -> RepairReport:
        first = await self._exactly(deflake_runs)
        if first.ok or self.allowed is None:
            return self._reported(first, first)
        last = await self._by_likeness()
        while not last.ok and self._may_ask(last):
            last = await self._by_model(last)
        return self._reported(first, last)

    async def _exactly(self, deflake_runs: int = 0) -> ScriptReport:
        return await replay(
            self.page,
            self.script,
            reset=self.reset,
            deflake_runs=deflake_runs,
            action_timeout_ms=self.action_timeout_ms,
        )

    # -- likeness --------------------------------------------------------------------------------

    async def _by_likeness(self) -> ScriptReport:
        """Run with elements found by likeness and keep them; a run that succeeds is confirmed by an exact one."""
        playback = Playback(self.page, self.script, allowed=self.allowed, action_timeout_ms=self.action_timeout_ms)
        ran = await playback.run(self.reset)
        self.script = playback.script
        self.repairs += map(_found, ran.healed)
        return await self._exactly() if ran.ok else ran

    # -- the model -------------------------------------------------------------------------------

    def _may_ask(self, report: ScriptReport) -> bool:
        assert report.failed_step is not None
        assert self.allowed is not None
        if self.advisor is None or not report.started:
            return False
        changed = sum(repair.level == "model" for repair in self.repairs)
        return len(self.tried.get(report.failed_step, ())) < self.attempts and changed < self.allowed.model_changes

    async def _by_model(self, report: ScriptReport) -> ScriptReport:
        """Ask once and run the proposal; take it back if the script does not get further."""
        assert report.failed_step is not None
        assert self.advisor is not None
        number = report.failed_step
        tried = self.tried.setdefault(number, [])
        before = self.script, list(self.repairs), list(self.advice)
        try:
            proposal = await self.advisor.propose(self.script, report, tried, [each.words for each in self.repairs])
            self.script, durable = await self.advisor.apply(self.script, number, self._within(proposal))
        except DecisionInvalid as error:
            tried.append(short(str(error), TRIED_CHARS))
            return report
        except ModelFailed as error:
            self.advice.append(short(str(error), TRIED_CHARS))
            self.advisor = None
            return report
        proposed = _proposed(number, proposal, durable)
        self.repairs += proposed
        self.advice += [short(" ".join(proposal.advice.split()), TRIED_CHARS)] if proposal.advice else []
        after = await self._by_likeness()
        if after.ok or _left(self.script, after) < _left(before[0], report):
            return after
        words = "; ".join(repair.words for repair in proposed)
        tried.append(short(f"{words}: {after.failure}", TRIED_CHARS))
        self.script, self.repairs, self.advice = before
        # The page is where the failed proposal led it: the next question needs it as it was.
        return await self._by_likeness()

    def _within(self, proposal: Proposal) -> Proposal:
        assert self.allowed is not None
        left = self.allowed.model_changes - sum(repair.level == "model" for repair in self.repairs)
        if len(proposal.changes) > left:
            raise DecisionInvalid(f"{len(proposal.changes)} changes are too many: {left} are left for this script")
        return proposal

    # -- the report ------------------------------------------------------------------------------

    def _reported(self, first: ScriptReport, last: ScriptReport) -> RepairReport:
        repaired = self.script != self.original
        got_further = repaired and _left(self.script, last) < _left(self.original, first)
        status: RepairStatus = "failed"
        if last.ok:
            status = "success" if repaired else "none"
        elif got_further:
            status = "partial"
        confidence = self._confidence(status)
        advice = self._advice(status)
        updated = msgspec.structs.replace(self.script, advice=advice, confidence=confidence)
        return RepairReport(
            run_status="success" if status == "none" else "failed",
            repair_status=status,
            repair_confidence=confidence,
            repair_advice=advice,
            num_deflake_runs=first.deflake_runs,
            script=self.original,
            updated_script=updated if status in ("success", "partial") else None,
            repairs=tuple(self.repairs) if status in ("success", "partial") else (),
            failure=last.failure,
        )

    def _confidence(self, status: RepairStatus) -> int:
        if status == "none":
            return self.original.confidence
        least = min((repair.confidence for repair in self.repairs), default=0)
        return {"success": least, "partial": min(least, MOST_OF_PARTIAL)}.get(status, 0)

    def _advice(self, status: RepairStatus) -> str:
        if status == "none":
            return self.original.advice
        words = [f"Step {repair.step + 1}: {repair.words}." for repair in self.repairs]
        tried = [
            f"Step {number + 1}, without success: {each}." for number, every in self.tried.items() for each in every
        ]
        return short(" ".join([*words, *self.advice, *([] if status == "success" else tried)]), MAX_ADVICE_CHARS)


def _found(found: Replacement) -> Repair:
    confidence = 5 if found.same_role_and_name else MOST_OF_MODEL if found.score >= SURE_SCORE else MOST_OF_MODEL - 1
    words = f"{found.target} is now {found.now}" if found.now != found.target else f"{found.target} was found again"
    return Repair(
        level="likeness",
        kind="modify",
        step=found.step,
        action=found.action,
        words=f"{words}, by {short(found.new_selector, 200)}",
        confidence=confidence,
        score=found.score,
        margin=found.margin,
    )


def _proposed(number: int, proposal: Proposal, durable: Iterable[ScriptAction]) -> list[Repair]:
    new = iter(durable)
    shown = ["" if change.kind == "remove" else f": {_shown(next(new))}" for change in proposal.changes]
    return [
        Repair(
            level="model",
            kind=change.kind,
            step=number,
            action=change.index,
            words=f"{change.kind} action {change.index + 1}{words}",
            confidence=min(proposal.confidence, MOST_OF_MODEL),
        )
        for change, words in zip(proposal.changes, shown, strict=True)
    ]


def _shown(action: ScriptAction) -> str:
    return short(msgspec.json.encode(action.action).decode(), 200)


def _left(script: Script, report: ScriptReport) -> int:
    """Return how many actions and checks are left after what succeeded: with fewer of them a run got further."""
    if report.failed_step is None:
        return 0
    step, done = script.steps[report.failed_step], report.steps[report.failed_step].completed
    later = script.steps[report.failed_step + 1 :]
    return len(step.actions) - done + 1 + sum(len(each.actions) + 1 for each in later)


# The difference of two versions of a script, as a patch.

CONTEXT_LINES = 3
"""Unchanged lines around each change, as `diff -u` has them."""


def script_diff(before: Script, after: Script, path: str = "script.json") -> str:
    """Return a unified diff of the script's file; `patch` applies it. Empty if the scripts are equal."""
    return text_diff(before.to_text(), after.to_text(), path)


def text_diff(before: str, after: str, path: str) -> str:
    """Return a unified diff of two texts that end in a newline; `path` is the file that it is for."""
    # An absolute path as git writes it, a/tmp/login.json, which `patch -p1 -d /` applies.
    name = "".join(char if char.isprintable() else "?" for char in path).lstrip("/")
    # Lines end where `patch` ends them: a text of a page may have other separators in it.
    old, new = (text.split("\n") for text in (before, after))
    lines = difflib.unified_diff(old[:-1], new[:-1], f"a/{name}", f"b/{name}", n=CONTEXT_LINES, lineterm="")
    return "".join(f"{line}\n" for line in lines)
