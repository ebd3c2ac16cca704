"""The churn of TodoMVC, as Speedometer has it, in the same application built with seven frameworks.

`python -m bench todomvc` installs the frameworks from npm and builds the sources of `bench/todomvc/sources` (some
100 MB in `bench/todomvc/installed`, kept). In each application it adds 100 todos, 20 in a sequence, ticks every other
one, deletes every third, shows each filter, and clears what is done; then it adds 100 again, each in a sequence of its
own.
An oracle in the page compares every delta with the list before and after, and records what changes after an answer.

The style sheet of TodoMVC fades the text of a ticked todo for 0.4 s, and a wait lasts until that is over. jQuery's
application makes its list again on each change, as is its custom, so nothing fades there. Angular's templates are
compiled in the page, since its compiler for builds needs tools of its own; that takes no part in the figures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import stillframe
from bench.measure import Table, interleaved
from bench.pages import NO_INTERNET
from bench.todomvc.build import built
from bench.todomvc.play import PlayFailed, Step, play
from bench.todomvc.report import tables
from bench.todomvc.work import churn, one_by_one
from stillframe.api.browser import Browser
from stillframe.errors import StillframeError
from stillframe.testing import PageServer

ROUNDS = 1
FRAMEWORKS = {
    "React": "react",
    "Preact": "preact",
    "Vue": "vue",
    "Svelte": "svelte",
    "Lit": "lit",
    "Angular": "angular",
    "jQuery": "jquery",
}
"""The frameworks with the folders of their builds."""


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Do the work `rounds` times in each application; raises NotInstalled."""
    steps: dict[str, list[Step]] = {name: [] for name in FRAMEWORKS}
    missing: dict[str, str] = {}
    root = await asyncio.to_thread(built)
    async with PageServer(root) as server, stillframe.launch(args=NO_INTERNET) as browser:
        contestants = {
            name: _contestant(browser, server.url(f"/{folder}/index.html"), name, steps[name], missing)
            for name, folder in FRAMEWORKS.items()
        }
        await interleaved(contestants, rounds)
    return tables(steps, missing)


def _contestant(
    browser: Browser, url: str, name: str, steps: list[Step], missing: dict[str, str]
) -> Callable[[], Awaitable[float]]:
    """Return the function that does all the work in one application once."""

    async def sample() -> float:
        started = time.perf_counter()
        for phases in (churn(), one_by_one()):
            async with await browser.new_context() as context, await context.new_page() as page:
                try:
                    steps.extend(await play(page, url, phases))
                except (PlayFailed, StillframeError) as error:
                    missing[name] = str(error)
        return time.perf_counter() - started

    return sample
