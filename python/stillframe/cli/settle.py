"""`stillframe settle`: load a page, wait until it is still, and print why the wait ended and what it waits for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from stillframe.cli.output import ExitCode, print_json
from stillframe.extend import page_state
from stillframe.model.bounds import omitted_text
from stillframe.model.options import parse_settling_options
from stillframe.model.verdict import Verdict
from stillframe.security.urls import check_url

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.cli.choice import BrowserChoice
    from stillframe.extend.signals import Effect, Line, PendingRow, Progress, Signal
    from stillframe.model.options import SequenceOptions

# Everything that the commands use of a page beyond its public calls, in one place.


async def settle_from_commit(page: Page, url: str, options: SequenceOptions) -> Verdict:
    """Load a URL and wait from its commit on; this also gives a verdict on a page that never finishes loading."""
    return await page_state(page).settle_after(lambda: page.goto(url, until="commit"), options)


@asynccontextmanager
async def watching(page: Page, on_line: Callable[[Line], None]) -> AsyncIterator[Progress]:
    """Call `on_line` for everything that the page starts or stops waiting for during the block."""
    state = page_state(page)
    progress = state.progress()

    def listen(at: float, signal: Signal, effects: tuple[Effect, ...]) -> None:
        for line in progress.take(at, signal, effects):
            on_line(line)

    remove = state.on_signal(listen)
    try:
        yield progress
    finally:
        remove()


REFRESH_S = 0.1
"""Seconds between two drawings of the ages on a terminal."""

MARKS = {
    "waits": ("+", "yellow", "waits for"),
    "ended": ("-", "green", "done"),
    "left": (">", "yellow", "continues"),
    "changed": ("~", "cyan", "changed"),
    "fence": ("?", "dim", "asked the page"),
    "window": (".", "dim", "observes"),
    "noise": ("x", "dim", "left out"),
    "navigated": ("*", "bold", "shows"),
    "dialog": ("!", "bold yellow", "dialog"),
    "download": ("!", "bold", "download"),
    "new_target": ("!", "bold", "opened"),
}
"""The mark, style and words of each event."""


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """The JSON object of the command: URL and verdict."""

    url: str
    verdict: Verdict


async def settle(
    choice: BrowserChoice, options: dict[str, Any], *, url: str | None, watch: bool, as_json: bool
) -> ExitCode:
    """Load a URL, if one is given, and wait until the page is still; NOT_STILL if it is not."""
    parsed = parse_settling_options(options)
    if url is not None:
        check_url(url)
    console = Console(highlight=False, quiet=as_json)
    async with choice.page() as page:
        async with _printed(page, console, as_json=as_json) if watch else contextlib.nullcontext():
            verdict = await (page.settle(**options) if url is None else settle_from_commit(page, url, parsed))
        report = Report(page.url, verdict)
    if as_json:
        print_json(report)
    else:
        console.print(*verdict_report(verdict), sep="\n", soft_wrap=True)
    return ExitCode.OK if verdict.stable else ExitCode.NOT_STILL


# -- watching ------------------------------------------------------------------------------------


@asynccontextmanager
async def _printed(page: Page, console: Console, *, as_json: bool) -> AsyncIterator[None]:
    """Print what the page waits for during the block: JSON lines, text lines, or a live view on a terminal."""

    def print_line(line: Line) -> None:
        if as_json:
            print_json(line)
        else:
            console.print(line_text(line), soft_wrap=True)

    async with AsyncExitStack() as stack:
        progress = await stack.enter_async_context(watching(page, print_line))
        if console.is_terminal:
            await stack.enter_async_context(_live(console, progress, page))
        yield


@asynccontextmanager
async def _live(console: Console, progress: Progress, page: Page) -> AsyncIterator[None]:
    """Show below the lines what the page waits for now, with growing ages."""
    with Live(console=console, auto_refresh=False, transient=True) as live:
        drawing = asyncio.create_task(_draw(live, progress, page))
        try:
            yield
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)


async def _draw(live: Live, progress: Progress, page: Page) -> None:
    while True:
        live.update(awaited_table(progress.awaited, page_state(page).now()), refresh=True)
        await asyncio.sleep(REFRESH_S)


# -- texts ---------------------------------------------------------------------------------------


def line_text(line: Line) -> Text:
    """Return a line as text: time, event, and what it is about."""
    mark, style, words = MARKS[line.event]
    text = Text.assemble((f"{line.at_ms:>7.0f} ms", "dim"), f" {mark} ", (f"{words:<15}", style))
    named = " ".join(part for part in (line.kind, line.what or line.url) if part)
    text.append(f" {named}" if named else "")
    details = ", ".join(line_details(line))
    return text.append(f" ({details})" if details else "", "dim")


def line_details(line: Line) -> Iterator[str]:
    """Yield further details of a line."""
    if line.site is not None:
        yield f"from {line.site}"
    if line.rate is not None:
        yield f"{line.rate:.1f} per second"
    if line.age_ms is not None and (age := AGES.get(line.event)) is not None and line.age_ms >= 1:
        yield age.format(line.age_ms)
    if line.count > 1:
        yield f"{line.count} times"


AGES = {
    "waits": "for {:.0f} ms already",
    "ended": "took {:.0f} ms",
    "left": "for {:.0f} ms already",
    "fence": "answered after {:.0f} ms",
    "window": "for {:.0f} ms more",
}


def awaited_table(rows: Iterable[PendingRow], at: float) -> Table:
    """Return what the page waits for now, oldest first."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, style="yellow")
    table.add_column(overflow="ellipsis", no_wrap=True)
    for row in rows:
        what = escape(row.what) if row.site is None else f"{escape(row.what)} [dim]from {escape(row.site)}[/dim]"
        table.add_row(f"{at - row.opened:.0f} ms", row.kind, what)
    return table


def verdict_report(verdict: Verdict) -> tuple[Text, Table]:
    """Return a verdict as a headline and a table of everything in its lists."""
    head = ("still", "bold green") if verdict.stable else ("not still", "bold yellow")
    fences = f"{verdict.fences} fence{'' if verdict.fences == 1 else 's'}"
    title = Text.assemble(head, " after ", (f"{verdict.waited_ms:.0f} ms", "bold"), f": {verdict.outcome}")
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for row in verdict_rows(verdict):
        table.add_row(*row)
    return title.append(f" ({fences})", "dim"), table


def verdict_rows(verdict: Verdict) -> Iterator[tuple[Text, str, Text, str]]:
    """Yield the pending, ignored and late work of a verdict."""
    for pending in verdict.pending:
        yield Text("  pending", "yellow"), pending.kind, _what(pending.what, pending.site), f"{pending.age_ms:.0f} ms"
    for ignored in verdict.ignored:
        yield Text("  left out", "dim"), ignored.kind, Text(ignored.key), f"{ignored.rate:.1f} per second"
    for late in verdict.late:
        yield Text("  late", "dim"), late.kind, Text(late.what), f"after {late.after_ms:.0f} ms"
    if more := omitted_text(verdict.omitted):
        yield Text("  and more", "dim"), "", Text(more), ""


def _what(what: str, site: str | None) -> Text:
    return Text(what) if site is None else Text.assemble(what, (f" from {site}", "dim"))
