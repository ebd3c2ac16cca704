"""`stillframe record` and `stillframe convert`: what a person does on a page becomes a file, in several formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillframe.cli.options import Connect, Format, TraceDirectory, TraceScreenshots, tracing
from stillframe.cli.output import ExitCode
from stillframe.cli.runner import run_async
from stillframe.errors import OptionInvalid

FormatOption = Annotated[
    Format,
    typer.Option("--format", help="sequence: for `stillframe run`; devtools: for Chrome's Recorder; python: a script."),
]
OutputFile = Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")]


def record(
    url: Annotated[
        str | None, typer.Argument(metavar="URL", show_default=False, help="The page to start on; see --connect.")
    ] = None,
    output: OutputFile = Path("recording.json"),
    form: FormatOption = Format.SEQUENCE,
    connect: Connect = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Without a window: what another DevTools client does is recorded.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Open this port for other DevTools clients; 0: a free one.")
    ] = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
) -> ExitCode:
    """Open a browser, and write down what you do in it: actions with lasting selectors, and what they led to.

    Ends when you close the page or press Ctrl-C. What you type into password fields is not recorded: the file names a
    secret instead, which `stillframe run` asks for. With --connect, a page of a running browser is recorded: URL in a
    new tab, or the tab in front.
    """
    from stillframe.cli import record as recording

    if url is None and connect is None:
        raise OptionInvalid(
            "give the URL of a page to record, or --connect ENDPOINT for one that is open", option="URL"
        )
    return run_async(
        recording.record(recording.Work(url, output, form, connect, headless, port, tracing(trace, trace_screenshots)))
    )


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A recording, or a user flow of Chrome's Recorder.")],
    output: OutputFile,
    form: FormatOption = Format.SEQUENCE,
) -> ExitCode:
    """Write a recording in another format."""
    from stillframe.cli.files import read_sequence, recording_of
    from stillframe.cli.record import write

    sequence = read_sequence(file)
    for warning in sequence.warnings:
        typer.echo(f"stillframe: {warning}", err=True)
    write(output, form, recording_of(sequence, file))
    typer.echo(str(output))
    return ExitCode.OK
