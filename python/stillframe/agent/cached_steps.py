"""Take the commands of a step from the step cache if the page is the one that they were decided for."""

from __future__ import annotations

from typing import NamedTuple

from stillframe.agent.events import CacheUsed
from stillframe.agent.run import Run
from stillframe.agent.step_cache import StepCache
from stillframe.extend import page_state
from stillframe.model.options import Expect
from stillframe.scripts.replay import replay
from stillframe.scripts.script import Script, ScriptAction, ScriptStep


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
