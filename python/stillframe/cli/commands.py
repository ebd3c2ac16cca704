"""What the commands do, apart from how their options are spelled; each returns an exit code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from stillframe.api.browser import Browser
from stillframe.api.page import parts_of
from stillframe.cli.files import read_snapshot, write_snapshot
from stillframe.cli.output import ExitCode, of_result, print_json
from stillframe.cli.report import change_report, print_sequence
from stillframe.core import Redactor, Snapshot
from stillframe.demo.scenes import SCENES, WATCH_CLOCK, Scene
from stillframe.demo.shop import Shop
from stillframe.engine.delta import state_change
from stillframe.model.actions import Action, parse_actions
from stillframe.model.options import parse_options
from stillframe.model.result import SequenceResult
from stillframe.tab.captures import capture_parts
from stillframe.tab.refs import RefTable

HEADED_PAUSE = 2.0
"""Seconds that each page of the demo stays to be looked at when the browser has a window."""


class Opening(msgspec.Struct, frozen=True):
    """Which browser a command uses: one of its own, with or without a window, or one that runs at an endpoint."""

    headed: bool = False
    endpoint: str | None = None
    observe: str | None = None
    """How closely its pages are observed, from their first script on; None is the library's default."""

    virtual_time: bool = False
    """Whether the clocks of its pages can be taken."""

    @asynccontextmanager
    async def browser(self) -> AsyncIterator[Browser]:
        """Open the browser for the block."""
        from stillframe.api.launch import connect, launch

        options: dict[str, Any] = {} if self.observe is None else {"observe": self.observe}
        if self.endpoint:
            how = connect(self.endpoint, **options)
        else:
            how = launch(headless=not self.headed, virtual_time=self.virtual_time, **options)
        async with how as browser:
            yield browser


# -- demo ----------------------------------------------------------------------------------------


async def demo(opening: Opening, *, port: int, as_json: bool) -> ExitCode:
    """Run the scenes in the bundled shop and report on each; NO if one of them did not end as it is meant to."""
    console = Console(highlight=False, quiet=as_json)
    async with Shop(port=port) as shop, opening.browser() as browser:
        product = browser.info.product
        console.print(f"\n{product}, and a shop at {shop.url('/')}\n", style="dim")
        played = []
        for number, scene in enumerate(SCENES, 1):
            console.print(Text.assemble((f"{number}. {scene.title}", "bold"), (f"\n   {scene.shows}", "dim")))
            played.append(result := await play(scene, shop, browser, HEADED_PAUSE if opening.headed else 0))
            print_sequence(console, scene.actions, result)
        told = [{"title": s.title, "url": shop.url(s.path), "result": r} for s, r in zip(SCENES, played, strict=True)]
    astray = [scene.title for scene, result in zip(SCENES, played, strict=True) if not scene.as_meant(result)]
    console.print(f"Not as it is meant to be: {', '.join(astray)}." if astray else "All as it is meant to be.")
    if as_json:
        print_json({"browser": product, "asMeant": not astray, "sequences": told})
    return ExitCode.NO if astray else ExitCode.OK


async def play(scene: Scene, shop: Shop, browser: Browser, pause: float) -> SequenceResult:
    async with await browser.new_page(shop.url(scene.path)) as page:
        await page.evaluate(WATCH_CLOCK)
        result = await page.execute_sequence(scene.actions, verbose=True, **scene.options)
        await asyncio.sleep(pause)
        return result


async def serve(port: int) -> ExitCode:
    """Serve the shop until interrupted."""
    async with Shop(port=port) as shop:
        Console(highlight=False).print(f"the shop is open at {shop.url('/login')}; Ctrl-C closes it")
        await asyncio.Event().wait()
    return ExitCode.OK


# -- run -----------------------------------------------------------------------------------------


async def run_sequence(
    opening: Opening, actions: list[Any], options: dict[str, Any], *, url: str | None, as_json: bool
) -> ExitCode:
    """Run a sequence on a fresh page and print its result."""
    parsed = parse_actions(actions)
    parse_options(options)
    result = await execute(opening, parsed, options if as_json else {**options, "verbose": True}, url)
    if as_json:
        print_json(result)
    else:
        print_sequence(Console(highlight=False), parsed, result)
    return of_result(result)


async def execute(
    opening: Opening, actions: tuple[Action, ...], options: dict[str, Any], url: str | None
) -> SequenceResult:
    async with opening.browser() as browser:
        page = await browser.new_page(url)
        return await page.execute_sequence(actions, **options)


# -- snapshot, diff, doctor ----------------------------------------------------------------------


async def snapshot(opening: Opening, *, url: str, output: Path | None, as_json: bool) -> ExitCode:
    """Load a page, wait until it is still, and save or describe a snapshot of it."""
    async with opening.browser() as browser:
        page = await browser.new_page(url)
        rest = await page.settle()
        parts = await capture_parts(parts_of(page).tab.frames)
        place, title = page.url, await page.title()
    taken = Snapshot.from_parts(parts)
    if output is not None:
        write_snapshot(output, url=place, title=title, parts=parts)
    digests = {name: getattr(taken.digests, name).hex() for name in ("exact", "visible", "struct")}
    about = {"url": place, "title": title, "nodes": len(taken), "stable": rest.stable, "reason": rest.reason}
    told = {**about, "digests": digests, "file": None if output is None else str(output)}
    if as_json:
        print_json(told)
    else:
        print_pairs(told)
    return ExitCode.OK if rest.stable else ExitCode.NOT_STILL


async def page_text(opening: Opening, *, url: str, budget: int, as_json: bool) -> ExitCode:
    """Load a page, wait until it is still, and print what it says."""
    async with opening.browser() as browser:
        page = await browser.new_page(url)
        rest = await page.settle()
        told = await page.aria_snapshot(budget=budget)
    if as_json:
        print_json(told)
    else:
        # A line of the page is one line, however wide the terminal, and says what it says.
        Console(highlight=False, markup=False, emoji=False, soft_wrap=True).print(told.text)
        Console(highlight=False, stderr=True).print(Text(told.cut and f"left out: {told.cut}", style="dim"))
    return ExitCode.OK if rest.stable else ExitCode.NOT_STILL


def print_pairs(pairs: dict[str, Any]) -> None:
    console = Console(highlight=False)
    for name, value in pairs.items():
        for key, inner in value.items() if isinstance(value, dict) else ((name, value),):
            if inner is not None:
                console.print(Text.assemble((f"{key:<8}", "dim"), " ", str(inner)))


def diff(before: str, after: str, *, limit: int, as_json: bool) -> ExitCode:
    """Compare two snapshot files; NO if they differ."""
    change = state_change(read_snapshot(before), read_snapshot(after), RefTable(), limit, Redactor())
    if as_json:
        print_json({"stateChange": change})
    else:
        Console(highlight=False).print(change_report(change))
    return ExitCode.OK if change is None else ExitCode.NO
