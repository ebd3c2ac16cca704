"""The commands and their options, and the mapping of errors to exit codes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from pathlib import Path
from typing import Annotated, Literal

import typer

from stillframe.cli import agent_commands
from stillframe.cli.crawl_command import CRAWL_EXITS, crawl
from stillframe.cli.farm_command import farm
from stillframe.cli.options import (
    EXIT_CODES,
    AdbServerOption,
    Chrome,
    Connect,
    Device,
    Dialogs,
    ExpectSelector,
    ExpectText,
    ExpectUrl,
    Headed,
    HorizonMs,
    Json,
    ObserveOption,
    PollIntervalMs,
    SecretsFile,
    SettleOption,
    StabilityMs,
    TraceDirectory,
    TraceScreenshots,
    Url,
    WebViewOption,
    check_page,
    given,
    tracing,
)
from stillframe.cli.output import ExitCode, exit_code_for_error, print_error, print_json
from stillframe.cli.record_command import convert, record
from stillframe.cli.runner import run_async
from stillframe.cli.session_command import act, sessions, text, watch
from stillframe.cli.skill_command import skill
from stillframe.cli.trace_command import traces
from stillframe.errors import StillframeError

INTERNAL = ExitCode.INTERNAL

cli = typer.Typer(
    name="stillframe",
    help="Act on a web page, know when it is still, and get back exactly what changed.",
    epilog=EXIT_CODES,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ALLOW_HOST = "Allow only this host: example.org, *.example.org, 10.0.0.0/8, localhost:8080. Repeatable."


def run(args: list[str]) -> int:
    """Run one command line and return its exit code; print every error as a sentence or as a JSON object."""
    as_json = "--json" in args
    logging.basicConfig(format="stillframe: %(message)s", level=logging.WARNING)
    command = typer.main.get_command(cli)
    try:
        return int(command.main(args, prog_name="stillframe", standalone_mode=False) or ExitCode.OK)
    except Exception as error:
        code, message, status = describe_error(error)
        if code == "internal":
            traceback.print_exception(error)
        print_error(code, message, as_json=as_json)
        return status
    except (KeyboardInterrupt, asyncio.CancelledError):
        with contextlib.suppress(OSError):  # the terminal may have hung up
            print_error("interrupted", "interrupted", as_json=as_json)
        return ExitCode.INTERRUPTED


def describe_error(error: Exception) -> tuple[str, str, ExitCode]:
    """Return the code, the message and the exit code of an error that ended a command."""
    if isinstance(error, StillframeError):
        return error.code, str(error), exit_code_for_error(error)
    if (message := usage_message(error)) is not None:
        return "usage", f"{message.removesuffix('.')}. See stillframe --help.", ExitCode.USAGE
    if isinstance(error, ModuleNotFoundError) and error.name == "stillframe._core":
        return "core_missing", "the native core is not built: run `make setup`, or reinstall stillframe", INTERNAL
    return "internal", f"this is a bug in stillframe: {type(error).__name__}: {error}", INTERNAL


def usage_message(error: Exception) -> str | None:
    """Return the message of a wrong command line, None for any other error.

    Typer exports no base class of these errors; their exit code and `format_message` are the same in all its versions.
    Newer ones put pydantic's "Value error, " before some.
    """
    format_message = getattr(error, "format_message", None)
    if format_message is None or getattr(error, "exit_code", None) != ExitCode.USAGE:
        return None
    return str(format_message()).replace("Value error, ", "")


# -- commands ------------------------------------------------------------------------------------


@cli.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Print the version, or the help if no command is named."""
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
    serve: Annotated[bool, typer.Option("--serve", help="Only serve the shop, to try things on it.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The shop's port; 0 takes a free one.")] = 0,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
) -> ExitCode:
    """Run three sequences in a small shop in a real browser, and print their results."""
    from stillframe.cli import commands
    from stillframe.cli.choice import BrowserChoice

    if serve:
        return run_async(commands.serve(port))
    choice = BrowserChoice(headed, connect, tracing=tracing(trace, trace_screenshots))
    return run_async(commands.demo(choice, port=port, as_json=as_json))


@cli.command(name="run", epilog=EXIT_CODES)
def run_file(
    file: Annotated[str, typer.Argument(metavar="FILE.json", help="Actions, or {actions, …options}; - reads stdin.")],
    url: Annotated[
        str | None, typer.Option(help="The page to start on; by default a blank one, or what the WebView shows.")
    ] = None,
    as_json: Json = False,
    headed: Headed = False,
    connect: Connect = None,
    device: Device = None,
    webview: WebViewOption = None,
    chrome: Chrome = False,
    adb_server: AdbServerOption = None,
    settle: SettleOption = None,
    observe: ObserveOption = None,
    timeout_ms: Annotated[int | None, typer.Option(help="Time limit of the wait after the last action.")] = None,
    horizon_ms: HorizonMs = None,
    stability_ms: StabilityMs = None,
    poll_interval_ms: PollIntervalMs = None,
    action_timeout_ms: Annotated[int | None, typer.Option(help="Time limit of an action to find its target.")] = None,
    expect: ExpectSelector = None,
    expect_text: ExpectText = None,
    expect_url: ExpectUrl = None,
    limit: Annotated[int | None, typer.Option(help="Rows per list of the state change.")] = None,
    text_limit: Annotated[int | None, typer.Option(help="Maximum characters of a text in rows.")] = None,
    controls: Annotated[int | None, typer.Option(help="Maximum elements to act on that a row lists.")] = None,
    page_text: Annotated[int | None, typer.Option(help="Add this many characters of page text.")] = None,
    guard: Annotated[bool | None, typer.Option("--guard", help="Stop if the page became another one.")] = None,
    verbose: Annotated[bool | None, typer.Option("--verbose", help="Add steps to the JSON.")] = None,
    heal: Annotated[
        bool | None,
        typer.Option("--heal/--no-heal", help="Find the element of a stale ref, or of a recorded selector, again."),
    ] = None,
    page_hash: Annotated[bool | None, typer.Option("--page-hash", help="Add hashes that identify the page.")] = None,
    dialogs: Dialogs = None,
    secrets: SecretsFile = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
) -> ExitCode:
    """Run the sequence in a file on a page and print what changed.

    Options of the command line override those in the file. A recording, or a user flow of Chrome's Recorder, begins at
    its own URL; with --heal its elements are found again where the page has changed, and the output says which.
    """
    from stillframe.cli import commands
    from stillframe.cli.choice import BrowserChoice, device_choice, load_secrets
    from stillframe.cli.files import read_sequence

    overrides = {
        "settle": settle,
        "observe": observe,
        "timeoutMs": timeout_ms,
        "horizonMs": horizon_ms,
        "stabilityMs": stability_ms,
        "pollIntervalMs": poll_interval_ms,
        "actionTimeoutMs": action_timeout_ms,
        "expect": given(selector=expect, text=expect_text, url=expect_url) or None,
        "limit": limit,
        "textLimit": text_limit,
        "controls": controls,
        "pageText": page_text,
        "guard": guard,
        "verbose": verbose,
        "heal": heal,
        "pageHash": page_hash,
    }
    sequence = read_sequence(file)
    overrides = given(**overrides)
    options = {**sequence.options, **overrides}
    on = device_choice(device, webview, chrome, adb_server, connect=connect)
    choice = BrowserChoice(
        headed,
        connect,
        options.get("observe"),
        options.get("settle") == "virtual",
        on,
        secrets=load_secrets(secrets),
        tracing=tracing(trace, trace_screenshots),
        dialogs=dialogs,
    )
    if sequence.recording is not None:
        from stillframe.cli.playing import Playing, play

        playing = Playing(sequence.recording, sequence.warnings, url, overrides)
        return play(choice, playing, as_json=as_json)
    return run_async(commands.run_sequence(choice, sequence.actions, options, url=url, as_json=as_json))


@cli.command(name="settle", epilog=EXIT_CODES)
def settle_url(
    url: Url = None,
    watch: Annotated[bool, typer.Option("--watch", help="Print what the page waits for, as it happens.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; with --watch one per line, the verdict last.")
    ] = False,
    headed: Headed = False,
    connect: Connect = None,
    device: Device = None,
    webview: WebViewOption = None,
    chrome: Chrome = False,
    adb_server: AdbServerOption = None,
    settle: SettleOption = None,
    observe: ObserveOption = None,
    timeout_ms: Annotated[int | None, typer.Option(help="Time limit of the wait.")] = None,
    horizon_ms: HorizonMs = None,
    stability_ms: StabilityMs = None,
    poll_interval_ms: PollIntervalMs = None,
    expect: ExpectSelector = None,
    expect_text: ExpectText = None,
    expect_url: ExpectUrl = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
) -> ExitCode:
    """Load a page, wait until it is still, and print why the wait ended and what is pending."""
    from stillframe.cli import settle as settling
    from stillframe.cli.choice import BrowserChoice, device_choice

    options = given(
        settle=settle,
        observe=observe,
        timeoutMs=timeout_ms,
        horizonMs=horizon_ms,
        stabilityMs=stability_ms,
        pollIntervalMs=poll_interval_ms,
        expect=given(selector=expect, text=expect_text, url=expect_url) or None,
    )
    on = device_choice(device, webview, chrome, adb_server, connect=connect)
    traced = tracing(trace, trace_screenshots)
    choice = BrowserChoice(headed, connect, observe, settle == "virtual", on, tracing=traced)
    check_page(choice.in_webview, url)
    return run_async(settling.settle(choice, options, url=url, watch=watch, as_json=as_json))


@cli.command()
def snapshot(
    url: Url = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Save it in this file.")] = None,
    aria: Annotated[bool, typer.Option("--aria", help="Print the ARIA snapshot instead.")] = False,
    budget: Annotated[int, typer.Option(min=200, help="--aria: maximum characters of the text.")] = 12_000,
    as_json: Json = False,
    headed: Headed = False,
    connect: Connect = None,
    device: Device = None,
    webview: WebViewOption = None,
    chrome: Chrome = False,
    adb_server: AdbServerOption = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
) -> ExitCode:
    """Load a page, and save or describe a snapshot of it."""
    from stillframe.cli import commands
    from stillframe.cli.choice import BrowserChoice, device_choice

    on = device_choice(device, webview, chrome, adb_server, connect=connect)
    choice = BrowserChoice(headed, connect, device=on, tracing=tracing(trace, trace_screenshots))
    check_page(choice.in_webview, url)
    if aria:
        return run_async(commands.aria_snapshot(choice, url=url, budget=budget, as_json=as_json))
    return run_async(commands.save_snapshot(choice, url=url, output=output, as_json=as_json))


@cli.command()
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A file saved by stillframe snapshot -o.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Another such file.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows per list.")] = 12,
    as_json: Json = False,
) -> ExitCode:
    """Print what changed from snapshot A to snapshot B; the exit code is 1 if anything did."""
    from stillframe.cli import commands

    return commands.diff(before, after, limit=limit, as_json=as_json)


@cli.command()
def devices(as_json: Json = False, adb_server: AdbServerOption = None) -> ExitCode:
    """List the Android devices of the adb server, and what to do about those that cannot be used."""
    from stillframe.cli.devices import list_devices

    return run_async(list_devices(adb_server=adb_server, as_json=as_json))


@cli.command()
def webviews(
    device: Annotated[
        str | None, typer.Option("--device", metavar="SERIAL", help="Only this device; all by default.")
    ] = None,
    package: Annotated[str | None, typer.Option(metavar="PACKAGE", help="Only this app.")] = None,
    as_json: Json = False,
    adb_server: AdbServerOption = None,
) -> ExitCode:
    """List the WebViews of apps, and the browsers, on Android devices, and what to do about those out of reach."""
    from stillframe.cli.devices import list_webviews

    return run_async(list_webviews(serial=device, package=package, adb_server=adb_server, as_json=as_json))


@cli.command()
def doctor(
    as_json: Json = False,
    android: Annotated[bool, typer.Option("--android", help="Check adb and the devices as well.")] = False,
    device: Annotated[
        str | None, typer.Option("--device", metavar="SERIAL", help="Check adb and this device as well.")
    ] = None,
) -> ExitCode:
    """Check what stillframe needs on this machine, and print how to get what is missing."""
    from stillframe.cli import doctor as checks

    async def run_checks() -> ExitCode:
        findings = await checks.run_checks(android=android, device=device)
        missing = any(finding.state == "missing" for finding in findings)
        if as_json:
            print_json({"ok": not missing, "findings": findings})
        else:
            checks.print_findings(findings)
        return ExitCode.NO if missing else ExitCode.OK

    return run_async(run_checks())


@cli.command()
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve Streamable HTTP on loopback instead of stdio.")] = False,
    host: Annotated[str, typer.Option(help="--http: a loopback address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="--http: 0 takes a free one.")] = 0,
    token: Annotated[
        str,
        typer.Option(
            envvar="STILLFRAME_MCP_TOKEN",
            show_envvar=True,
            metavar="TEXT",
            help="--http: the token of clients, at least 16 characters; by default a random one. Other users can read "
            "the command line, so prefer the variable.",
        ),
    ] = "",
    shared: Annotated[
        bool, typer.Option("--shared", help="--http: all clients have the same sessions and pages.")
    ] = False,
    caps: Annotated[
        str, typer.Option(metavar="NAME,…", help="Capabilities whose tools to add: tabs,network, …, or all.")
    ] = "core",
    allow_host: Annotated[list[str] | None, typer.Option(metavar="HOST", help=ALLOW_HOST)] = None,
    deny_host: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="Deny this host; overrides --allow-host. Repeatable.")
    ] = None,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Allow private addresses.")] = False,
    allow_scheme: Annotated[list[str] | None, typer.Option(metavar="SCHEME", help="Allow this URL scheme.")] = None,
    allow_upload: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="Allow uploads from here.")] = None,
    allow_evaluate: Annotated[
        bool, typer.Option("--allow-evaluate", help="Add the tool evaluate, which runs scripts in pages.")
    ] = False,
    confirm: Annotated[
        list[str] | None,
        typer.Option(metavar="ACTION", help="Ask the person before this kind of action. Repeatable."),
    ] = None,
    secrets: SecretsFile = None,
    budget: Annotated[int, typer.Option(min=600, max=200_000, help="Maximum characters of text in a reply.")] = 8_000,
    loops: Annotated[Literal["off", "shadow", "warn", "refuse"], typer.Option(help="Loop guard mode.")] = "warn",
    headed: Headed = False,
    connect: Connect = None,
    device: Device = None,
    webview: WebViewOption = None,
    chrome: Chrome = False,
    adb_server: AdbServerOption = None,
    settle: SettleOption = None,
    observe: ObserveOption = None,
    idle_ms: Annotated[float, typer.Option(min=0, help="Close a session after this time without a call; 0: never.")] = (
        1_800_000
    ),
    call_timeout_ms: Annotated[float, typer.Option(min=1000, help="Time limit of a call.")] = 120_000,
    agent_model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:NAME", help="Add the tool run_goal, which asks this model.")
    ] = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
    dialogs: Annotated[
        Literal["accept", "dismiss", "ask"] | None,
        typer.Option(help="How to answer alert, confirm and prompt; ask: the model does, with answer_dialog."),
    ] = None,
    storage_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Initial cookies and storage of each session.")
    ] = None,
    save_storage_state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write those of the default session here when it closes, without databases."),
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(metavar="DIR", help="User data directory of the browser; for one session at a time.")
    ] = None,
    init_script: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Run this script in every document before its own.")
    ] = None,
    connect_header: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="--connect: a header for the endpoint. Repeatable."),
    ] = None,
    emulate: Annotated[
        str | None, typer.Option(metavar="NAME", help="Appear as this device, such as 'Pixel 7' or 'iPhone 15'.")
    ] = None,
    geolocation: Annotated[str | None, typer.Option(metavar="LAT,LON", help="Position that pages get.")] = None,
    header: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A header of every request of pages. Repeatable.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Start sessions without a network.")] = False,
    viewport: Annotated[str | None, typer.Option(metavar="WIDTHxHEIGHT", help="Size of pages.")] = None,
    user_agent: Annotated[str | None, typer.Option(metavar="TEXT", help="User agent of pages.")] = None,
    locale: Annotated[str | None, typer.Option(metavar="TAG", help="Language of pages, such as de-CH.")] = None,
    timezone: Annotated[str | None, typer.Option(metavar="NAME", help="Such as Europe/Zurich.")] = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="Proxy of pages.")] = None,
    executable: Annotated[Path | None, typer.Option(metavar="FILE", help="The browser to launch.")] = None,
) -> ExitCode:
    """Serve AI agents through the Model Context Protocol, on standard input and output."""
    from stillframe.cli.choice import device_choice, viewport_of
    from stillframe.cli.mcp_command import McpOptions, serve_mcp
    from stillframe.cli.server_options import geolocation_of, headers_of

    options = McpOptions(
        caps=tuple(name.strip() for name in caps.split(",")),
        allowed_hosts=tuple(allow_host or ()),
        denied_hosts=tuple(deny_host or ()),
        allow_private=allow_private,
        schemes=tuple(allow_scheme or ()),
        uploads=tuple(allow_upload or ()),
        allow_evaluate=allow_evaluate,
        confirm=tuple(confirm or ()),
        secrets=secrets,
        budget=budget,
        loops=loops,
        headed=headed,
        connect=connect,
        device=device_choice(device, webview, chrome, adb_server, connect=connect),
        sequence=given(settle=settle, observe=observe),
        idle_ms=idle_ms,
        call_timeout_ms=call_timeout_ms,
        agent_model=agent_model,
        tracing=tracing(trace, trace_screenshots),
        context=given(
            dialogs=dialogs,
            storage_state=storage_state,
            viewport=None if viewport is None else viewport_of(viewport),
            user_agent=user_agent,
            locale=locale,
            timezone=timezone,
            proxy=proxy,
            device=emulate,
            geolocation=None if geolocation is None else geolocation_of(geolocation),
            extra_headers=headers_of(header, "header") if header else None,
            offline=offline or None,
        ),
        shared=shared,
        connect_headers=headers_of(connect_header or (), "connect_header"),
        profile=profile,
        save_storage_state=save_storage_state,
        init_script=init_script,
        launching=given(executable=None if executable is None else str(executable)),
    )
    return serve_mcp(options, host=host if http else None, port=port, token=token)


cli.command(name="crawl", epilog=CRAWL_EXITS)(crawl)
cli.add_typer(farm, name="farm")
cli.add_typer(traces, name="trace")
cli.command(name="record")(record)
cli.command(name="convert")(convert)
cli.add_typer(sessions, name="session")
WORDS = {"ignore_unknown_options": True, "allow_extra_args": True}
cli.command(name="act", epilog=EXIT_CODES, context_settings=WORDS)(act)
cli.command(name="text")(text)
cli.command(name="watch")(watch)
cli.command(name="agent", epilog=EXIT_CODES)(agent_commands.agent)
cli.add_typer(agent_commands.scripts, name="script")
cli.add_typer(skill, name="skill")


@cli.command(
    name="bench",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
)
def benchmark(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="settle", help="The benchmark; its own --help lists its options.")],
) -> ExitCode:
    """Compare ways of waiting on scripted pages, or on your own (only in a checkout): bench settle --help."""
    from stillframe.cli.bench import bench

    return bench(name, context.args)
