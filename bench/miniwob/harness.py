"""Runs episodes: starts a task with a seed, lets a policy act, and asks the task how that ended."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from bench.miniwob import site
from bench.miniwob.episode import Episode, Judged, Policy

EPISODE_MS = 3_600_000
"""How long the task itself allows: so long that only the rules count, since the reward falls with time."""
LIMIT_SECONDS = 60.0
"""How long a policy may take for one episode."""

READY = """new Promise(done => {
  const look = () => window.core && core.cover_div && WOB_TASK_READY ? done(true) : setTimeout(look, 10);
  look();
})"""
START = """(() => {{
  core.endEpisode(0);
  Math.seedrandom({seed});
  core.setDataMode('train');
  core.EPISODE_MAX_TIME = {limit};
  core.startEpisodeReal();
  return WOB_EPISODE_ID;
}})()"""
ENDED = "({done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL, episode: WOB_EPISODE_ID})"
GOAL = "core.getUtterance()"


@dataclass(frozen=True)
class Outcome:
    """How one episode ended."""

    task: str
    seed: int
    reward: float
    """The raw reward, from -1 to 1; 0 if the policy did not end the episode."""
    seconds: float
    calls: int
    """The calls of the policy that reach the page: sequences, page texts, boxes, pictures."""
    single: int
    """The calls if each action were a call of its own."""
    problem: str = ""
    """Why the policy stopped, if it did not return; it may have solved the task before."""

    @property
    def solved(self) -> bool:
        """Whether the task took it for solved."""
        return self.reward > 0


@dataclass
class Table:
    """The page of one task, loaded once, on which episodes run one after the other."""

    page: Any
    task: str
    origin: str
    batch: bool = True
    _loaded: bool = field(default=False, init=False)

    async def run(self, policy: Policy, seed: int) -> Outcome:
        """Run one episode and judge it; a task that does not start and a policy that fails are outcomes, too."""
        try:
            before, episode = await self._start(seed)
        except Exception as error:
            self._loaded = False
            return Outcome(self.task, seed, 0.0, 0.0, 0, 0, f"the task did not start: {error!r}")
        started = time.perf_counter()
        problem = await _attempt(policy, episode)
        seconds = time.perf_counter() - started
        reward = await judge(self.page, before)
        self._loaded = reward > 0  # what a failed attempt leaves open must not spoil the next one
        single = episode.reads + episode.actions
        return Outcome(self.task, seed, reward, seconds, episode.calls, single, problem)

    async def _start(self, seed: int) -> tuple[int, Episode]:
        if not self._loaded:
            await load(self.page, self.task, self.origin)
        before = await start(self.page, seed)
        goal: Any = await self.page.evaluate(GOAL)
        said: dict[str, Any] = goal if isinstance(goal, dict) else {"utterance": goal, "fields": {}}
        size = site.screen(self.task).task
        return before, Episode(self.page, said["utterance"], size=size, fields=said["fields"], batch=self.batch)


async def load(page: Judged, task: str, origin: str) -> None:
    """Load the page of a task in a window of the size that belongs to it."""
    await page.set_viewport(*site.screen(task).window)
    await page.goto(f"{origin}{site.path(task)}")
    await page.evaluate(READY)


async def start(page: Judged, seed: int) -> int:
    """Start an episode and return the number of those that have ended before."""
    before: int = await page.evaluate(START.format(seed=json.dumps(seed), limit=EPISODE_MS))
    await page.evaluate(READY)
    return before


async def judge(page: Judged, before: int) -> float:
    """Return the raw reward: 0 unless exactly the one episode has ended."""
    ended = await page.evaluate(ENDED)
    return float(ended["reward"]) if ended["done"] and ended["episode"] == before + 1 else 0.0


async def _attempt(policy: Policy, episode: Episode) -> str:
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            await policy(episode)
    except Exception as error:  # whatever is wrong with one policy, the others run
        return f"{type(error).__name__}: {error}"
    return ""
