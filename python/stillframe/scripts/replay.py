"""Run a script without a model: exactly as it is, or with elements that took the place of those it means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from stillframe import Page
from stillframe.errors import ElementNotFound, RefStale, StillframeError
from stillframe.extend import ACTION_TIMEOUT
from stillframe.extend.syntax import has_ref
from stillframe.model.actions import Action, WaitFor
from stillframe.model.structs import Value
from stillframe.scripts.durable import Known, known_element
from stillframe.scripts.finding import FoundElement, find
from stillframe.scripts.flexibility import Tolerance
from stillframe.scripts.script import Script, ScriptAction, ScriptStep, ScriptTarget
from stillframe.scripts.targets import TARGET_FIELDS, ref_of

ACTION_MS = ACTION_TIMEOUT * 1000
"""Milliseconds that an action waits for its target, as in a sequence."""

Reset = Callable[[], Awaitable[object]]
"""Brings the page and what it has stored into the state in which a script begins."""


class Replacement(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An element that took the place of the one that a script means; indexes count from 0.

    `target` is what the script means and `now` what it acts on, in words; `score` and `margin` are 0 to 1.
    """

    step: int
    action: int
    target: str
    now: str
    selector: str
    new_selector: str
    score: float
    margin: float
    same_role_and_name: bool


class StepResult(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a step came to: `completed` counts its actions that succeeded; `code` is that of the error."""

    goal: str
    result: Literal["ok", "failed", "skipped", "not_run"]
    completed: int = 0
    error: str | None = None
    code: str | None = None


class ScriptReport(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a run of a script came to.

    `failed_step` and `failed_action` are the indexes, from 0, of what failed; both None if nothing did, and the action
    alone None if the start or the check of the step failed. `deflake_runs` counts the runs after the first one.
    """

    steps: tuple[StepResult, ...]
    failed_step: int | None = None
    failed_action: int | None = None
    started: bool = True
    """Whether the page could be brought into the state of the beginning."""
    deflake_runs: int = 0
    healed: tuple[Replacement, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the whole script ran."""
        return self.failed_step is None

    @property
    def failure(self) -> str:
        """Why the run failed; empty if it did not."""
        return "" if self.failed_step is None else self.steps[self.failed_step].error or ""


async def replay(
    page: Page,
    script: Script,
    *,
    reset: Reset | None = None,
    deflake_runs: int = 0,
    verify: bool = True,
    action_timeout_ms: float = ACTION_MS,
) -> ScriptReport:
    """Run a script as it is and stop at the first step that fails; a failure is in the report and raises nothing.

    Args:
        page: The page.
        script: The script.
        reset: What brings the page into the state of the beginning; by default the page loads `script.url`.
        deflake_runs: How often a run that fails is repeated, each from a reset.
        verify: Whether each target must be the element that the script was made with, by role, name and surroundings,
            before anything is done to it; a step then runs one action at a time. Otherwise each step is one sequence.
        action_timeout_ms: The limit of each action, in ms.
    """
    report, again = await Playback(page, script, verify=verify, action_timeout_ms=action_timeout_ms).run(reset), 0
    while not report.ok and again < deflake_runs:
        report = await Playback(page, script, verify=verify, action_timeout_ms=action_timeout_ms).run(reset)
        again += 1
    return msgspec.structs.replace(report, deflake_runs=again)


class Playback:
    """One run of a script; `script` then has the selectors of the elements that were found."""

    def __init__(
        self,
        page: Page,
        script: Script,
        *,
        verify: bool = True,
        allowed: Tolerance | None = None,
        action_timeout_ms: float = ACTION_MS,
    ) -> None:
        """With `allowed`, elements may take the place of those that the script means."""
        self.page = page
        self.script = script
        self.healed: list[Replacement] = []
        self._verify = verify
        self._allowed = allowed
        self._action_timeout_ms = action_timeout_ms
        self._done = 0
        """How many actions of the present step have succeeded."""

    async def run(self, reset: Reset | None = None) -> ScriptReport:
        """Run the script from its beginning and report how that went; raises no StillframeError."""
        steps = self.script.steps
        self._done = -1
        failed = await self._error_of(reset() if reset else self._load())
        results = [] if failed is None else [_failed(steps[0] if steps else ScriptStep(goal=""), failed)]
        while failed is None and len(results) < len(steps):
            number, step = len(results), steps[len(results)]
            failed = await self._error_of(self._play(number)) if step.runs else None
            results.append(_failed(step, failed, self._done) if failed else _passed(step))
        if failed is None:
            return ScriptReport(steps=tuple(results), healed=tuple(self.healed))
        number = len(results) - 1
        rest = [
            StepResult(goal=step.goal, result="not_run" if step.runs else "skipped") for step in steps[number + 1 :]
        ]
        is_action = steps and 0 <= self._done < len(steps[number].actions)
        return ScriptReport(
            steps=(*results, *rest),
            failed_step=number,
            started=self._done >= 0,
            failed_action=self._done if is_action else None,
            healed=tuple(self.healed),
        )

    async def _load(self) -> None:
        await self.page.goto(self.script.url, settle=True)

    async def _error_of(self, running: Awaitable[object]) -> StillframeError | None:
        try:
            await running
        except StillframeError as error:
            return error
        return None

    async def _play(self, number: int) -> None:
        """Run one step and its check; raises the StillframeError of the first action that fails."""
        step = self.script.steps[number]
        self._done = 0
        if self._verify:
            for index in range(len(step.actions)):
                await self._act(number, index)
                self._done += 1
        elif step.actions:
            await self._sequence([action.action for action in step.actions])
        self._done = len(step.actions)
        if (check := step.expect()) is not None:
            await self._sequence([WaitFor(selector=check.selector, text=check.text, url=check.url)], counts=False)

    async def _sequence(self, actions: Sequence[Action | Mapping[str, Any]], *, counts: bool = True) -> None:
        options: Any = {"heal": False, "action_timeout_ms": self._action_timeout_ms}
        result = await self.page.execute_sequence(actions, **options)
        if counts and not self._verify:
            self._done = result.completed
        result.raise_for_failure()

    # -- one action ------------------------------------------------------------------------------

    async def _act(self, number: int, index: int) -> None:
        try:
            await self._act_once(number, index)
        except RefStale:
            # The page made the element again between the comparison and the action; nothing was done to it.
            await self._act_once(number, index)

    async def _act_once(self, number: int, index: int) -> None:
        action = self.script.steps[number].actions[index]
        refs, changed, replaced = dict[str, str](), action, list[Replacement]()
        for field in self._fields(action):
            selector = action.action[field]
            target = action.target_of(field)
            found = await find(self.page, selector, target, timeout_ms=self._action_timeout_ms, allowed=self._allowed)
            refs[field] = ref_of(self.page, found.snapshot, found.place)
            if self._allowed is not None and (found.likeness is not None or target.fingerprint is None):
                known = await known_element(self.page, found.snapshot, refs[field])
                changed = _with(changed, field, known)
                replaced += (
                    [] if found.likeness is None else [_replacement(number, index, selector, target, found, known)]
                )
        await self._sequence([{**action.action, **refs}])
        self.healed += replaced
        self.script = _put(self.script, number, index, changed)

    def _fields(self, action: ScriptAction) -> tuple[str, ...]:
        """Return the fields whose elements are found before the action runs.

        An element to wait for may not be there yet, so only a repair looks for it, and never for one that is to go.
        """
        waits = action.action["action"] == "wait_for"
        if waits and (self._allowed is None or action.action.get("state", "visible") in ("hidden", "detached")):
            return ()
        return tuple(name for name in TARGET_FIELDS if action.action.get(name) is not None)


def _put(script: Script, number: int, index: int, action: ScriptAction) -> Script:
    if script.steps[number].actions[index] == action:
        return script
    actions = [*script.steps[number].actions]
    actions[index] = action
    steps = [*script.steps]
    steps[number] = msgspec.structs.replace(steps[number], actions=tuple(actions))
    return msgspec.structs.replace(script, steps=tuple(steps))


def _with(action: ScriptAction, field: str, known: Known) -> ScriptAction:
    """Return an action with another element in one of its fields."""
    if has_ref(known.selector):
        raise ElementNotFound(f"Element not found: no lasting selector means {known.target.target}", selector="")
    plain = {**action.action, field: known.selector}
    if field == "target":
        return msgspec.structs.replace(action, action=plain, drop=known.target)
    return msgspec.structs.replace(action, action=plain, **msgspec.structs.asdict(known.target))


def _replacement(
    number: int, index: int, selector: str, target: ScriptTarget, found: FoundElement, known: Known
) -> Replacement:
    assert found.likeness is not None
    return Replacement(
        step=number,
        action=index,
        target=target.target,
        now=known.target.target,
        selector=selector,
        new_selector=known.selector,
        score=round(found.likeness.score, 3),
        margin=round(found.likeness.margin, 3),
        same_role_and_name=found.likeness.is_same,
    )


def _passed(step: ScriptStep) -> StepResult:
    if not step.runs:
        return StepResult(goal=step.goal, result="skipped")
    return StepResult(goal=step.goal, result="ok", completed=len(step.actions))


def _failed(step: ScriptStep, error: StillframeError, done: int = 0) -> StepResult:
    return StepResult(goal=step.goal, result="failed", completed=max(done, 0), error=str(error), code=error.code)
