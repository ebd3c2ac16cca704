"""The commands without the parsing of their options; each returns an exit code."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from stillframe.cli.files import read_snapshot, write_snapshot
from stillframe.cli.output import ExitCode, exit_code_for_result, print_json
from stillframe.cli.report import change_report, print_sequence
from stillframe.core import Snapshot
from stillframe.demo.scenes import SCENES, WATCH_CLOCK, Scene
from stillframe.demo.shop import Shop
from stillframe.extend import compare, page_state
from stillframe.model.action_list import parse_actions
from stillframe.model.options import parse_options

if TYPE_CHECKING:
    from pathlib import Path

    from stillframe import Browser
    from stillframe.cli.choice import BrowserChoice
    from stillframe.model.actions import Action
    from stillframe.model.result import SequenceResult

HEADED_PAUSE_S = 2.0
"""Seconds that the demo shows each page when the browser has a window."""


# -- demo ----------------------------------------------------------------------------------------


async def demo(choice: BrowserChoice, *, port: int, as_json: bool) -> ExitCode:
    """Run the scenes in the bundled shop and print their results; NO if one differs from what it should show."""
    console = Console(highlight=False, quiet=as_json)
    async with Shop(port=port) as shop, choice.browser() as browser:
        product = browser.info.product
        console.print(f"\n{product}, and a shop at {shop.url('/')}\n", style="dim")
        played = []
        for number, scene in enumerate(SCENES, 1):
            console.print(Text.assemble((f"{number}. {scene.title}", "bold"), (f"\n   {scene.shows}", "dim")))
            played.append(result := await play(scene, shop, browser, HEADED_PAUSE_S if choice.headed else 0))
            print_sequence(console, scene.actions, result)
        rows = [{"title": s.title, "url": shop.url(s.path), "result": r} for s, r in zip(SCENES, played, strict=True)]
    unexpected = [scene.title for scene, result in zip(SCENES, played, strict=True) if not scene.is_expected(result)]
    console.print(f"Unexpected results: {', '.join(unexpected)}." if unexpected else "All results are as expected.")
    if as_json:
        print_json({"browser": product, "asExpected": not unexpected, "sequences": rows})
    return ExitCode.NO if unexpected else ExitCode.OK


async def play(scene: Scene, shop: Shop, browser: Browser, pause_s: float) -> SequenceResult:
    """Run one sequence of the demo against its shop, and show the page for a moment."""
    async with await browser.new_page(shop.url(scene.path)) as page:
        await page.evaluate(WATCH_CLOCK)
        result = await page.execute_sequence(scene.actions, verbose=True)
        await asyncio.sleep(pause_s)
        return result


async def serve(port: int) -> ExitCode:
    """Serve the shop until interrupted."""
    async with Shop(port=port) as shop:
        Console(highlight=False).print(f"the shop is open at {shop.url('/login')}; press Ctrl-C to close it")
        await asyncio.Event().wait()
    return ExitCode.OK


# -- run -----------------------------------------------------------------------------------------


async def run_sequence(
    choice: BrowserChoice, actions: list[Any], options: dict[str, Any], *, url: str | None, as_json: bool
) -> ExitCode:
    """Run a sequence on a page and print its result."""
    parsed = parse_actions(actions)
    parse_options(options)
    result = await execute(choice, parsed, options if as_json else {**options, "verbose": True}, url)
    if as_json:
        print_json(result)
    else:
        print_sequence(Console(highlight=False), parsed, result)
    return exit_code_for_result(result)


async def execute(
    choice: BrowserChoice, actions: tuple[Action, ...], options: dict[str, Any], url: str | None
) -> SequenceResult:
    """Open a page, run actions on it, and return the result."""
    async with choice.page(url) as page:
        return await page.execute_sequence(actions, **options)


# -- snapshot, diff ------------------------------------------------------------------------------


async def save_snapshot(choice: BrowserChoice, *, url: str | None, output: Path | None, as_json: bool) -> ExitCode:
    """Load a page, wait until it is still, and save or describe a snapshot of it."""
    async with choice.page(url) as page:
        verdict = await page.settle()
        parts = await page_state(page).capture_parts()
        page_url, title = page.url, await page.title()
    snapshot = Snapshot.from_parts(parts)
    if output is not None:
        write_snapshot(output, url=page_url, title=title, parts=parts)
    digests = {name: getattr(snapshot.digests, name).hex() for name in ("exact", "visible", "struct")}
    fields = {
        "url": page_url,
        "title": title,
        "nodes": len(snapshot),
        "stable": verdict.stable,
        "reason": verdict.reason,
        "detail": verdict.detail,
        "digests": digests,
        "file": None if output is None else str(output),
    }
    if as_json:
        print_json(fields)
    else:
        print_fields(fields)
    return ExitCode.OK if verdict.stable else ExitCode.NOT_STILL


async def aria_snapshot(choice: BrowserChoice, *, url: str | None, budget: int, as_json: bool) -> ExitCode:
    """Load a page, wait until it is still, and print its ARIA snapshot."""
    async with choice.page(url) as page:
        verdict = await page.settle()
        text = await page.aria_snapshot(budget=budget)
    if as_json:
        print_json(text)
    else:
        # A line of the page stays one line on any terminal, and Rich must not interpret it.
        Console(highlight=False, markup=False, emoji=False, soft_wrap=True).print(text.text)
        Console(highlight=False, stderr=True).print(Text(text.cut and f"left out: {text.cut}", style="dim"))
    return ExitCode.OK if verdict.stable else ExitCode.NOT_STILL


def print_fields(fields: dict[str, Any]) -> None:
    """Print the fields that are set, one on each line."""
    console = Console(highlight=False)
    for name, value in fields.items():
        for key, inner in value.items() if isinstance(value, dict) else ((name, value),):
            if inner is not None:
                console.print(Text.assemble((f"{key:<8}", "dim"), " ", str(inner)))


def diff(before: str, after: str, *, limit: int, as_json: bool) -> ExitCode:
    """Compare two snapshot files; NO if they differ."""
    change = compare(read_snapshot(before), read_snapshot(after), rows=limit)
    if as_json:
        print_json({"stateChange": change})
    else:
        Console(highlight=False).print(change_report(change))
    return ExitCode.OK if change is None else ExitCode.NO
