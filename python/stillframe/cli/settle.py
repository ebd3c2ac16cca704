"""`stillframe settle`: open a page, wait until it is still, and say why the wait ended, or what it waits for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from stillframe.api.browser import Page
from stillframe.api.page import parts_of
from stillframe.cli.commands import Opening
from stillframe.cli.output import ExitCode, print_json
from stillframe.engine.settle import expected
from stillframe.model.bounds import bounded, said
from stillframe.model.options import SequenceOptions, parse_settling_options
from stillframe.model.verdict import Verdict
from stillframe.security.urls import check_url
from stillframe.settling.pending import Row
from stillframe.settling.progress import Line, Progress
from stillframe.settling.signals import Effect, Signal

REFRESH_SECONDS = 0.1
"""How often the ages of what is awaited are drawn again on a terminal."""

MARKS = {
    "waits": ("+", "yellow", "waits for"),
    "ended": ("-", "green", "done"),
    "left": (">", "yellow", "goes on"),
    "changed": ("~", "cyan", "changed"),
    "fence": ("?", "dim", "asked the page"),
    "window": (".", "dim", "looks on"),
    "noise": ("x", "dim", "left out"),
    "navigated": ("*", "bold", "shows"),
    "dialog": ("!", "bold yellow", "dialog"),
    "download": ("!", "bold", "download"),
    "new_target": ("!", "bold", "opened"),
}
"""For each event of a watch: its mark, its style and its words."""


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """The one JSON object: where the page is, and the verdict."""

    url: str
    verdict: Verdict


async def settle(opening: Opening, options: dict[str, Any], *, url: str, watch: bool, as_json: bool) -> ExitCode:
    """Settle a URL; OK if the page is still."""
    parsed = parse_settling_options(options)
    check_url(url)
    console = Console(highlight=False, quiet=as_json)
    async with opening.browser() as browser:
        page = await browser.new_page()
        async with _watched(page, console, as_json=as_json) if watch else contextlib.nullcontext():
            verdict = await _settled(page, url, parsed)
        report = Report(page.url, verdict)
    if as_json:
        print_json(report)
    else:
        console.print(*verdict_report(verdict), sep="\n", soft_wrap=True)
    return ExitCode.OK if verdict.stable else ExitCode.NOT_STILL


async def _settled(page: Page, url: str, options: SequenceOptions) -> Verdict:
    """Load the URL and wait from its commit on, so that a page that never finishes loading is told of as well."""
    settler = parts_of(page).settler
    async with settler.lock, settler.armed(options) as settling:
        await page.goto(url, until="commit")
        return bounded(await settling.verdict(expected=expected(settler.tab, options)))


# -- watching ------------------------------------------------------------------------------------


@asynccontextmanager
async def _watched(page: Page, console: Console, *, as_json: bool) -> AsyncIterator[None]:
    """Tell, for the block, what the page is waiting for: as JSON lines, as lines, or on a terminal as a live view."""
    settler = parts_of(page).settler
    watch = Progress(settler.page.machine, settler.time.now())

    def listen(at: float, signal: Signal, effects: tuple[Effect, ...]) -> None:
        for line in watch.take(at, signal, effects):
            if as_json:
                print_json(line)
            else:
                console.print(line_text(line), soft_wrap=True)

    settler.watchers.append(listen)
    try:
        async with _live(console, watch, settler.time.now) if console.is_terminal else contextlib.nullcontext():
            yield
    finally:
        settler.watchers.remove(listen)


@asynccontextmanager
async def _live(console: Console, watch: Progress, now: Callable[[], float]) -> AsyncIterator[None]:
    """Show below the lines what is awaited at the moment, with growing ages."""
    with Live(console=console, auto_refresh=False, transient=True) as live:
        drawing = asyncio.create_task(_draw(live, watch, now))
        try:
            yield
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)


async def _draw(live: Live, watch: Progress, now: Callable[[], float]) -> None:
    while True:
        live.update(awaited_table(watch.awaited, now()), refresh=True)
        await asyncio.sleep(REFRESH_SECONDS)


# -- words ---------------------------------------------------------------------------------------


def line_text(line: Line) -> Text:
    """Return one line of a watch: when, what happened, and to what."""
    mark, style, words = MARKS[line.event]
    text = Text.assemble((f"{line.at_ms:>7.0f} ms", "dim"), f" {mark} ", (f"{words:<15}", style))
    named = " ".join(part for part in (line.kind, line.what or line.url) if part)
    text.append(f" {named}" if named else "")
    details = ", ".join(line_details(line))
    return text.append(f" ({details})" if details else "", "dim")


def line_details(line: Line) -> Iterator[str]:
    """Yield what else is known of a line."""
    if line.site is not None:
        yield f"from {line.site}"
    if line.rate is not None:
        yield f"{line.rate:.1f} per second"
    if line.age_ms is not None and (age := AGES.get(line.event)) is not None and line.age_ms >= 1:
        yield age.format(line.age_ms)
    if line.count > 1:
        yield f"{line.count} times"


AGES = {
    "waits": "since {:.0f} ms",
    "ended": "took {:.0f} ms",
    "left": "since {:.0f} ms",
    "fence": "answered after {:.0f} ms",
    "window": "for {:.0f} ms more",
}


def awaited_table(rows: Iterable[Row], at: float) -> Table:
    """Return what is awaited at the moment, oldest first."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, style="yellow")
    table.add_column(overflow="ellipsis", no_wrap=True)
    for row in rows:
        what = escape(row.what) if row.site is None else f"{escape(row.what)} [dim]from {escape(row.site)}[/dim]"
        table.add_row(f"{at - row.opened:.0f} ms", row.kind, what)
    return table


def verdict_report(verdict: Verdict) -> tuple[Text, Table]:
    """Return the verdict as a person reads it: a headline, and a row for each thing beside it."""
    head = ("still", "bold green") if verdict.stable else ("not still", "bold yellow")
    fences = f"{verdict.fences} fence{'' if verdict.fences == 1 else 's'}"
    title = Text.assemble(head, " after ", (f"{verdict.waited_ms:.0f} ms", "bold"), f": {verdict.reason}")
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for row in verdict_rows(verdict):
        table.add_row(*row)
    return title.append(f" ({fences})", "dim"), table


def verdict_rows(verdict: Verdict) -> Iterator[tuple[Text, str, Text, str]]:
    """Yield what was left, what was left out, and what came late."""
    for pending in verdict.pending:
        yield Text("  pending", "yellow"), pending.kind, _what(pending.what, pending.site), f"{pending.age_ms:.0f} ms"
    for ignored in verdict.ignored:
        yield Text("  left out", "dim"), ignored.kind, Text(ignored.key), f"{ignored.rate:.1f} per second"
    for late in verdict.late:
        yield Text("  late", "dim"), late.kind, Text(late.what), f"after {late.after_ms:.0f} ms"
    if more := said(verdict.omitted):
        yield Text("  and more", "dim"), "", Text(more), ""


def _what(what: str, site: str | None) -> Text:
    return Text(what) if site is None else Text.assemble(what, (f" from {site}", "dim"))
