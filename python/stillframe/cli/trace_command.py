"""`stillframe trace`: list traces, make a report of one, or export it for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stillframe.cli.files import write_bytes
from stillframe.cli.options import Json
from stillframe.cli.output import ExitCode, print_json
from stillframe.errors import OptionInvalid, StillframeError

traces = typer.Typer(help="Look at traces, which --trace and page.trace() write.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A trace: *.trace.jsonl.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="OUT", help="The file to write.")]

EXPORTS = {"playwright": ".playwright.zip", "perfetto": ".perfetto.json", "har": ".har"}
"""The formats of `export`, and the ends of their files' names."""


@traces.command(name="list")
def list_traces(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory of --trace.")] = Path(),
    as_json: Json = False,
) -> ExitCode:
    """List the traces in a directory, newest first."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from stillframe.trace.reading import traces_in

    rows = [_summary(path) for path in traces_in(directory)]
    if as_json:
        print_json({"traces": rows})
        return ExitCode.OK
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("trace", "took", "sequences", "failed", "page"):
        table.add_column(name, overflow="fold")
    for row in rows:
        if "error" in row:
            table.add_row(Text(row["file"]), Text(row["error"], style="red"))
            continue
        took = f"{row['durationMs'] / 1000:.1f} s" + ("" if row["complete"] else ", cut off")
        table.add_row(Text(row["file"]), took, str(row["sequences"]), str(row["failed"]), Text(row["url"]))
    Console(highlight=False, emoji=False, soft_wrap=not rows).print(table if rows else f"no trace in {directory}")
    return ExitCode.OK


@traces.command()
def show(file: File, output: Output = None, as_json: Json = False) -> ExitCode:
    """Make a report of a trace: one HTML file, by default beside the trace. --json prints what it shows instead."""
    from stillframe.trace.reading import read_trace
    from stillframe.trace.report import report, view_of

    trace = read_trace(file)
    if as_json:
        print_json(view_of(trace))
        return ExitCode.OK
    path = output or _beside(file, ".html")
    write_bytes(path, report(trace).encode())
    for problem in trace.problems:
        typer.echo(f"stillframe: {problem}", err=True)
    typer.echo(str(path))
    return ExitCode.OK


@traces.command()
def export(
    file: File,
    playwright: Annotated[bool, typer.Option("--playwright", help="A zip for Playwright's trace viewer.")] = False,
    perfetto: Annotated[
        bool, typer.Option("--perfetto", help="Chrome's trace events in JSON, for ui.perfetto.dev.")
    ] = False,
    har: Annotated[bool, typer.Option("--har", help="A HAR file with the requests, without bodies.")] = False,
    output: Output = None,
) -> ExitCode:
    """Write a trace in the format of another tool, by default beside the trace."""
    from importlib import import_module

    from stillframe.trace.reading import read_trace

    chosen = [name for name, is_chosen in zip(EXPORTS, (playwright, perfetto, har), strict=True) if is_chosen]
    if len(chosen) != 1:
        raise OptionInvalid("choose one format: --playwright, --perfetto or --har", option="playwright")
    exporter = import_module(f"stillframe.trace.{chosen[0]}_format")
    content = exporter.exported(read_trace(file))
    path = output or _beside(file, EXPORTS[chosen[0]])
    write_bytes(path, content)
    typer.echo(str(path))
    return ExitCode.OK


def _beside(file: Path, suffix: str) -> Path:
    from stillframe.trace.format import SUFFIX

    return file.with_name(file.name.removesuffix(SUFFIX) + suffix)


def _summary(path: Path) -> dict[str, Any]:
    from stillframe.trace.reading import read_trace

    try:
        trace = read_trace(path)
    except StillframeError as error:
        return {"file": path.name, "error": str(error)}
    results = [record["result"] for record in trace.of_type("result")]
    urls = [record["url"] for record in trace.of_type("request") if record.get("isNavigationRequest")]
    return {
        "file": path.name,
        "startedAt": trace.header.started_at,
        "durationMs": trace.duration_ms,
        "complete": trace.is_complete,
        "sequences": len(list(trace.of_type("sequence"))),
        "failed": sum(bool(result.get("failed")) or not result.get("stable") for result in results),
        "url": urls[0] if urls else trace.header.url,
        "problems": trace.problems,
    }
