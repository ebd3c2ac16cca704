"""How the commands are spelled, and what becomes of their errors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import traceback
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from stillframe.cli.output import ExitCode, of_error, print_error, print_json
from stillframe.errors import StillframeError
from stillframe.model.options import Settle

USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""All mistakes on a command line; Typer took this class over from Click, and neither place exports it."""

INTERNAL = ExitCode.INTERNAL
EXIT_CODES = "\b\n" + "\n".join(["Exit codes:", *(f"{code.value:>4} {code.meaning}" for code in ExitCode)])
"""Begins with Click's mark for a paragraph whose lines are to be kept."""

cli = typer.Typer(
    name="stillframe",
    help="Act on a web page, know when it is still, and get back exactly what changed.",
    epilog=EXIT_CODES,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ALLOW_HOST = "Nothing but these: example.org, *.example.org, 10.0.0.0/8, localhost:8080. May be given several times."

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Headed = Annotated[bool, typer.Option("--headed", help="Show the browser's window.")]
Connect = Annotated[
    str | None,
    typer.Option("--connect", metavar="ENDPOINT", help="Use a running browser: http://host:port or ws://…"),
]
SettleOption = Annotated[Settle | None, typer.Option(help="What still means: see the README.")]
ObserveOption = Annotated[str | None, typer.Option(help="protocol, dom or calls: how closely the page is observed.")]
HorizonMs = Annotated[int | None, typer.Option(help="causal: work longer than this is not awaited.")]
StabilityMs = Annotated[int | None, typer.Option(help="quiet: how long nothing may change.")]
PollIntervalMs = Annotated[int | None, typer.Option(help="quiet: how often to look.")]
ExpectSelector = Annotated[str | None, typer.Option(help="A selector that ends the wait once it is visible.")]
ExpectText = Annotated[str | None, typer.Option(help="A text that ends the wait once it is there.")]
ExpectUrl = Annotated[str | None, typer.Option(help="A part of the URL that ends the wait.")]


def run(args: list[str]) -> int:
    """Run one command line and return its exit code; every error becomes a sentence or a JSON object."""
    as_json = "--json" in args
    logging.basicConfig(format="stillframe: %(message)s", level=logging.WARNING)
    command = typer.main.get_command(cli)
    try:
        return int(command.main(args, prog_name="stillframe", standalone_mode=False) or ExitCode.OK)
    except Exception as error:
        code, message, status = verdict(error)
        if code == "internal":
            traceback.print_exception(error)
        print_error(code, message, as_json=as_json)
        return status
    except (KeyboardInterrupt, asyncio.CancelledError):
        with contextlib.suppress(OSError):  # what was to show it may be the terminal that hung up
            print_error("interrupted", "interrupted", as_json=as_json)
        return ExitCode.INTERRUPTED


def verdict(error: Exception) -> tuple[str, str, ExitCode]:
    """Return the code and message of an error that ended a command, and the exit code that follows from it."""
    if isinstance(error, StillframeError):
        return error.code, str(error), of_error(error)
    if isinstance(error, USAGE_ERROR):
        message = error.format_message()  # type: ignore[attr-defined]  # see USAGE_ERROR
        return "usage", f"{message} See stillframe --help.", ExitCode.USAGE
    if isinstance(error, ModuleNotFoundError) and error.name == "stillframe._core":
        return "core_missing", "the native core is not built: run `make setup`, or install stillframe again", INTERNAL
    return "internal", f"this is a fault of stillframe: {type(error).__name__}: {error}", INTERNAL


def drive(work: Coroutine[Any, Any, ExitCode]) -> ExitCode:
    """Run a command's coroutine; SIGTERM and SIGHUP end it as Ctrl-C does, so that the browser goes with it."""

    async def guarded() -> ExitCode:
        task = asyncio.current_task()
        assert task is not None
        for number in _endings():
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await work

    return asyncio.run(guarded())


def _endings() -> Iterator[signal.Signals]:
    """Yield the signals that ask a process to end; not a hang-up that is ignored, as nohup has it."""
    yield signal.SIGTERM
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hang_up is not None and signal.getsignal(hang_up) is not signal.SIG_IGN:
        yield hang_up


# -- commands ------------------------------------------------------------------------------------


@cli.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from stillframe import __version__

        typer.echo(f"stillframe {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(ExitCode.USAGE)


@cli.command()
def demo(
    as_json: Json = False,
    headed: Headed = False,
    connect: Connect = None,
    serve: Annotated[bool, typer.Option("--serve", help="Only keep the shop open, to try things on it.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The shop's port; 0 takes a free one.")] = 0,
) -> ExitCode:
    """Run three sequences against a small shop in a real browser and report on them."""
    from stillframe.cli import commands

    if serve:
        return drive(commands.serve(port))
    return drive(commands.demo(commands.Opening(headed, connect), port=port, as_json=as_json))


@cli.command(name="run", epilog=EXIT_CODES)
def run_file(
    file: Annotated[str, typer.Argument(metavar="FILE.json", help="Actions, or {actions, …options}; - is stdin.")],
    url: Annotated[str | None, typer.Option(help="The page to begin on; without it, a blank one.")] = None,
    as_json: Json = False,
    headed: Headed = False,
    connect: Connect = None,
    settle: SettleOption = None,
    observe: ObserveOption = None,
    timeout_ms: Annotated[int | None, typer.Option(help="The cap on the wait after the last action.")] = None,
    horizon_ms: HorizonMs = None,
    stability_ms: StabilityMs = None,
    poll_interval_ms: PollIntervalMs = None,
    action_timeout_ms: Annotated[int | None, typer.Option(help="How long an action waits for its target.")] = None,
    expect: ExpectSelector = None,
    expect_text: ExpectText = None,
    expect_url: ExpectUrl = None,
    limit: Annotated[int | None, typer.Option(help="Rows per list of the state change.")] = None,
    text_limit: Annotated[int | None, typer.Option(help="Characters of the longest texts in rows.")] = None,
    page_text: Annotated[int | None, typer.Option(help="Add the text of the page, so many characters.")] = None,
    guard: Annotated[bool | None, typer.Option("--guard", help="Stop if the page turns into another one.")] = None,
    verbose: Annotated[bool | None, typer.Option("--verbose", help="Add steps to the JSON.")] = None,
    heal: Annotated[
        bool | None, typer.Option("--heal/--no-heal", help="Find the element of a stale ref again.")
    ] = None,
    page_hash: Annotated[bool | None, typer.Option("--page-hash", help="Add hashes that recognise the page.")] = None,
) -> ExitCode:
    """Run the sequence in a file on a page and print what changed.

    Options given here win over those in the file.
    """
    from stillframe.cli import commands
    from stillframe.cli.files import read_sequence

    given = {
        "settle": settle,
        "observe": observe,
        "timeoutMs": timeout_ms,
        "horizonMs": horizon_ms,
        "stabilityMs": stability_ms,
        "pollIntervalMs": poll_interval_ms,
        "actionTimeoutMs": action_timeout_ms,
        "expect": chosen(selector=expect, text=expect_text, url=expect_url) or None,
        "limit": limit,
        "textLimit": text_limit,
        "pageText": page_text,
        "guard": guard,
        "verbose": verbose,
        "heal": heal,
        "pageHash": page_hash,
    }
    sequence = read_sequence(file)
    options = {**sequence.options, **chosen(**given)}
    opening = commands.Opening(headed, connect, options.get("observe"), options.get("settle") == "virtual")
    return drive(commands.run_sequence(opening, sequence.actions, options, url=url, as_json=as_json))


@cli.command(name="settle", epilog=EXIT_CODES)
def settle_url(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to load.")],
    watch: Annotated[bool, typer.Option("--watch", help="Print, as it happens, what the page waits for.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; with --watch, one a line, the verdict last.")
    ] = False,
    headed: Headed = False,
    connect: Connect = None,
    settle: SettleOption = None,
    observe: ObserveOption = None,
    timeout_ms: Annotated[int | None, typer.Option(help="The cap on the wait.")] = None,
    horizon_ms: HorizonMs = None,
    stability_ms: StabilityMs = None,
    poll_interval_ms: PollIntervalMs = None,
    expect: ExpectSelector = None,
    expect_text: ExpectText = None,
    expect_url: ExpectUrl = None,
) -> ExitCode:
    """Load a page, wait until it is still, and print why the wait ended and what was left."""
    from stillframe.cli import commands
    from stillframe.cli import settle as settling

    options = chosen(
        settle=settle,
        observe=observe,
        timeoutMs=timeout_ms,
        horizonMs=horizon_ms,
        stabilityMs=stability_ms,
        pollIntervalMs=poll_interval_ms,
        expect=chosen(selector=expect, text=expect_text, url=expect_url) or None,
    )
    opening = commands.Opening(headed, connect, observe, settle == "virtual")
    return drive(settling.settle(opening, options, url=url, watch=watch, as_json=as_json))


@cli.command()
def snapshot(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to load.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Save it here.")] = None,
    text: Annotated[bool, typer.Option("--text", help="Print what the page says, as text for a model.")] = False,
    budget: Annotated[int, typer.Option(min=200, help="With --text: characters of that text at most.")] = 12_000,
    as_json: Json = False,
    headed: Headed = False,
    connect: Connect = None,
) -> ExitCode:
    """Load a page, and save or describe a snapshot of it."""
    from stillframe.cli import commands

    opening = commands.Opening(headed, connect)
    if text:
        return drive(commands.page_text(opening, url=url, budget=budget, as_json=as_json))
    return drive(commands.snapshot(opening, url=url, output=output, as_json=as_json))


@cli.command()
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A file of stillframe snapshot -o.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows per list.")] = 12,
    as_json: Json = False,
) -> ExitCode:
    """Print what changed from snapshot A to snapshot B; exit code 1 if anything did."""
    from stillframe.cli import commands

    return commands.diff(before, after, limit=limit, as_json=as_json)


@cli.command()
def doctor(as_json: Json = False) -> ExitCode:
    """Say what stillframe finds on this machine, what is missing, and how to get it."""
    from stillframe.cli import doctor as examination

    async def examine() -> ExitCode:
        findings = await examination.examine()
        missing = any(finding.state == "missing" for finding in findings)
        if as_json:
            print_json({"ok": not missing, "findings": findings})
        else:
            examination.print_findings(findings)
        return ExitCode.NO if missing else ExitCode.OK

    return drive(examine())


@cli.command()
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP on loopback instead of stdio.")] = False,
    host: Annotated[str, typer.Option(help="--http: a loopback address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="--http: 0 takes a free one.")] = 0,
    tools: Annotated[Literal["default", "all"], typer.Option(help="all: one tool for every action too.")] = "default",
    allow_host: Annotated[list[str] | None, typer.Option(metavar="HOST", help=ALLOW_HOST)] = None,
    deny_host: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="Not these; wins over --allow-host.")
    ] = None,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Private and loopback addresses too.")] = False,
    allow_scheme: Annotated[list[str] | None, typer.Option(metavar="SCHEME", help="Besides http and https.")] = None,
    allow_upload: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="Whose files may be uploaded.")] = None,
    secrets: Annotated[Path | None, typer.Option(metavar="FILE", help="Secrets: NAME=text lines, or .json.")] = None,
    budget: Annotated[int, typer.Option(min=600, max=200_000, help="Characters of text in a reply.")] = 8_000,
    loops: Annotated[Literal["off", "shadow", "warn", "refuse"], typer.Option(help="What repetition gets.")] = "warn",
    headed: Headed = False,
    connect: Connect = None,
    settle: SettleOption = None,
    observe: ObserveOption = None,
    idle_minutes: Annotated[float, typer.Option(help="A session without a call is closed; 0 is never.")] = 30,
    deadline: Annotated[float, typer.Option(min=1, help="Seconds that one call may take.")] = 120,
) -> ExitCode:
    """Serve agents through the Model Context Protocol, on standard input and output."""
    from stillframe.cli import serve

    given = serve.Given(
        tools=tools,
        hosts=tuple(allow_host or ()),
        denied=tuple(deny_host or ()),
        private=allow_private,
        schemes=tuple(allow_scheme or ()),
        uploads=tuple(allow_upload or ()),
        secrets=secrets,
        budget=budget,
        loops=loops,
        headed=headed,
        connect=connect,
        sequence=chosen(settle=settle, observe=observe),
        idle_minutes=idle_minutes,
        deadline=deadline,
    )
    return serve.mcp(given, host=host if http else None, port=port)


@cli.command(
    name="bench",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
)
def benchmark(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="settle", help="Which benchmark; its own --help tells the rest.")],
) -> ExitCode:
    """Compare ways of waiting on scripted pages, or on your own (in a checkout only): bench settle --help."""
    from stillframe.cli.bench import bench

    return bench(name, context.args)


def chosen(**values: Any) -> dict[str, Any]:
    """Return what was given on the command line."""
    return {name: value for name, value in values.items() if value is not None}
