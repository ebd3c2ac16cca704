"""First loads of real applications: is the page handed over when its main content is there, and said to be still?

    python -m bench.apps.loads [jupyterlab streamlit gradio] [--loads 50] [-v]

Each load has a context of its own, so nothing is in a cache. Right is a load whose main content is there when
`new_page(url, settle=True)` returns; looked at once, by selectors, with no wait of its own. It is kept if the page
shows the same text three seconds later, or was not said to be still.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

import stillframe
from bench.apps.catalogue import APPS
from bench.apps.flows.play import ORACLE, changed_lines
from bench.apps.install import NotInstalled
from bench.apps.launch import AppFailed, started
from bench.apps.visits import VIEWPORT
from bench.pages import NO_INTERNET
from stillframe.api.browser import Browser
from stillframe.errors import StillframeError
from stillframe.model.verdict import Verdict

TIMEOUT_MS = 20_000
"""The cap on each wait: JupyterLab takes some seconds on a busy machine."""
LATER_S = 3.0
"""How long after the return the text is looked at again."""
FAILED = 1


class Content(NamedTuple):
    """What a person who opens an application would wait for: each selector shows this many elements at least."""

    app: str
    path: str
    shown: dict[str, int]
    noise: str = ""
    """A CSS selector of what changes by itself."""


CONTENTS = (
    Content(
        "jupyterlab",
        "/lab?reset",
        {".jp-LauncherCard": 3, ".lm-MenuBar-item": 6, ".jp-DirListing-content": 1, "#jp-main-statusbar": 1},
    ),
    Content(
        "streamlit",
        "/",
        {
            "[data-testid=stMetric]": 2,
            "[data-testid=stSidebar] [data-testid=stSlider]": 1,
            "[data-testid=stTab], [role=tab]": 3,
            "[data-testid=stDataFrame] canvas": 1,
            "[data-testid=stExpander]": 1,
            "[data-testid=stDownloadButton]": 1,
        },
    ),
    Content(
        "gradio",
        "/",
        {"button[role=tab]": 3, "textarea[placeholder='Your name']": 1, "button.primary": 1, "input[type=range]": 1},
    ),
    Content("marimo", "/", {"marimo-ui-element": 6, "marimo-accordion": 1, "marimo-tabs": 1}),
    Content("panel", "/panel_app", {}),
    Content("shiny", "/", {"#told:not(:empty)": 1, "#captain": 1, ".irs-line": 1}),
    Content("node-red", "/", {".red-ui-palette-node": 20, ".red-ui-flow-node": 3}),
    Content("tiddlywiki", "/", {".tc-site-title": 1, "input[type=search]": 1}),
    Content("locust", "/", {"form": 1}),
    Content("optuna-dashboard", "/dashboard", {}),
    Content("sqlite-web", "/", {"table": 1}),
    Content("starlette-admin", "/admin/tree/list", {"tbody tr": 10}),
    Content("wagtail", "/admin/login/", {"form": 1}),
    Content("element-plus", "/", {"#stock tbody tr": 6, ".el-form-item": 7}),
    Content("vuetify", "/", {".v-data-table tbody tr": 5}),
    Content("mantine", "/", {"#people tbody tr": 5}),
    Content("react-aria", "/", {"[role=row]": 7}),
    Content("ag-grid", "/", {".ag-row": 10}),
    Content("fullcalendar", "/", {"[data-date]": 28}),
    Content("blockly", "/", {".blocklyText": 2}),
    Content("quill", "/", {".ql-toolbar": 1, "#editor p": 2}),
)

COUNT = "(selectors) => selectors.map((selector) => document.querySelectorAll(selector).length)"


class Load(NamedTuple):
    """One load: how long it took, what was not there, and what the wait said."""

    ms: float
    missing: tuple[str, ...]
    verdict: Verdict
    changed: tuple[str, ...]
    """The first lines of text that differ later."""

    @property
    def kept(self) -> bool:
        """Whether the page was still if the wait reported that."""
        return not (self.verdict.stable and self.changed)


async def loads(browser: Browser, content: Content, number: int) -> AsyncIterator[Load]:
    """Start an application and load it `number` times, each in a new context; yield each load as it ends."""
    served = next(app.served for app in APPS if app.name == content.app)
    async with started(served) as origin:
        for _ in range(number):
            async with await browser.new_context(viewport=VIEWPORT) as context:
                yield await _load(context.new_page, origin + content.path, content)


async def _load(new_page, url: str, content: Content) -> Load:  # type: ignore[no-untyped-def]
    begun = time.perf_counter()
    page = await new_page(url, settle=True, settle_timeout_ms=TIMEOUT_MS)
    ms = 1000 * (time.perf_counter() - begun)
    counts = await page.evaluate(f"({COUNT})({list(content.shown)!r})")
    missing = [s for (s, least), count in zip(content.shown.items(), counts, strict=True) if count < least]
    at_return = await page.evaluate(f"{ORACLE}; __flows.begin({json.dumps(content.noise)}); __flows.lines()")
    verdict = page.verdict
    await asyncio.sleep(LATER_S)
    later = await page.evaluate("__flows.lines()")
    return Load(ms, tuple(missing), verdict, tuple(changed_lines(at_return, later)))


def line(content: Content, each: Load) -> str:
    """Return a load as a line."""
    lacks = f"  lacks {', '.join(each.missing)}" if each.missing else ""
    later = "".join(f"\n    later {line[:120]}" for line in each.changed)
    verdict = each.verdict
    left = "".join(f"\n    pending {row.kind} {row.what} {row.age_ms:.0f} ms" for row in verdict.pending)
    return (
        f"{content.app:12}{each.ms:8.0f} ms  waited {verdict.waited_ms:6.0f}  {verdict.fences:3} fences  "
        f"stable={verdict.stable!s:5} {verdict.outcome}{lacks}{left}{later}"
    )


def summary(content: Content, all_: Sequence[Load]) -> str:
    """Return what the loads of an application come to."""
    right = sum(not each.missing for each in all_)
    good = sum(not each.missing and each.verdict.stable for each in all_)
    kept = sum(each.kept for each in all_)
    times = sorted(each.ms for each in all_)
    return (
        f"{content.app}: content there {right} of {len(all_)}, and said to be still {good} of {len(all_)}; "
        f"text the same later or not said to be still {kept} of {len(all_)}; "
        f"ms p50 {times[len(times) // 2]:.0f}, max {times[-1]:.0f}"
    )


async def measured(names: Sequence[str], number: int, *, verbosely: bool) -> int:
    """Load each application `number` times; return the exit code."""
    code = 0
    async with stillframe.launch(args=NO_INTERNET) as browser:
        for content in (each for each in CONTENTS if not names or each.app in names):
            found: list[Load] = []
            try:
                async for each in loads(browser, content, number):
                    found.append(each)
                    if verbosely or each.missing or not (each.kept and each.verdict.stable):
                        print(line(content, each), flush=True)
            except (NotInstalled, AppFailed, StillframeError) as error:
                print(f"LEFT OUT: {content.app}, after {len(found)} loads: {error}", flush=True)
                code = FAILED
                continue
            print(summary(content, found), flush=True)
    return code


def main() -> int:
    """Measure the first loads of applications."""
    parser = argparse.ArgumentParser(prog="bench.apps.loads", description=main.__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *(each.app for each in CONTENTS)], help="default: all")
    parser.add_argument("--loads", type=int, default=50, help="of each application (default: 50)")
    parser.add_argument("-v", "--verbose", action="store_true", help="show all loads, not only those that went wrong")
    options = parser.parse_args()
    return asyncio.run(measured(options.names, options.loads, verbosely=options.verbose))


if __name__ == "__main__":
    raise SystemExit(main())
