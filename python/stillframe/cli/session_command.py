"""`stillframe session`, `act`, `text` and `watch`: sessions that stay open between commands."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import typer

from stillframe.cli.options import Dialogs, Headed, Json, SecretsFile, TraceDirectory, TraceScreenshots, tracing
from stillframe.cli.output import ExitCode, exit_code_for_result, print_json
from stillframe.cli.runner import run_async
from stillframe.errors import ActionInvalid, StillframeError
from stillframe.model.action_list import ALIASES, parse_actions
from stillframe.model.actions import KINDS, Action
from stillframe.model.result import SequenceResult
from stillframe.model.suggest import unknown

sessions = typer.Typer(help="Sessions that stay open between commands.", no_args_is_help=True)


async def ask(call: str, session: str = "", **fields: Any) -> Any:
    """Send a request to the background process and return its result; imports what that takes, as late as possible."""
    from stillframe.session_server.address import directory
    from stillframe.session_server.client import request

    return await request(directory(), call, session, **fields)


def open_names(incomplete: str) -> list[str]:
    """Return the open sessions whose names begin like that, for the completion of the shell, which shows no error."""

    async def names() -> list[str]:
        async with asyncio.timeout(COMPLETION_S):  # noqa: TID251  a person waits, stalls included
            found = await ask("list")
        return [row["sessionId"] for row in found["sessions"]]

    with contextlib.suppress(StillframeError, TimeoutError):
        return [name for name in asyncio.run(names()) if name.startswith(incomplete)]
    return []


def action_names(incomplete: str) -> list[str]:
    """Return the names of actions that begin like that."""
    return sorted(name for name in (*KINDS, *ALIASES) if name.startswith(incomplete))


COMPLETION_S = 1.0
"""Seconds for the background process to answer before the shell gets no names."""

NewName = Annotated[str, typer.Argument(metavar="NAME", help="The session.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The session.", autocompletion=open_names)]


@sessions.command(name="open")
def open_session(  # noqa: PLR0913  one for each option
    name: NewName,
    url: Annotated[str | None, typer.Option(help="The page to load.")] = None,
    headed: Headed = False,
    secrets: SecretsFile = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
    dialogs: Dialogs = None,
    as_json: Json = False,
) -> ExitCode:
    """Open a session; it stays open until it is closed, or idle for half an hour."""
    fields: dict[str, Any] = {}
    if url is not None:
        fields["url"] = url
    if headed:
        fields["headless"] = False
    if secrets is not None:
        fields["secrets"] = str(secrets.resolve())
    if dialogs is not None:
        fields["dialogs"] = dialogs
    # The background process has another working directory.
    fields |= tracing(None if trace is None else str(trace.resolve()), trace_screenshots)

    async def work() -> ExitCode:
        from stillframe.session_server.address import directory
        from stillframe.session_server.background import ensure_running

        await ensure_running(directory())
        info = await ask("open", name, **fields)
        if as_json:
            print_json(info)
        else:
            typer.echo(f"{name}: {info['url']}")
        return ExitCode.OK

    return run_async(work())


@sessions.command(name="list")
def list_sessions(as_json: Json = False) -> ExitCode:
    """List the open sessions."""

    async def work() -> ExitCode:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        from stillframe.session_server.client import NotRunning

        try:
            found = await ask("list")
        except NotRunning:
            found = {"sessions": []}
        if as_json:
            print_json(found)
            return ExitCode.OK
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("session", "state", "idle", "page"):
            table.add_column(heading, overflow="fold")
        for row in found["sessions"]:
            idle = f"{row['idleMs'] / 1000:.0f} s"
            table.add_row(Text(row["sessionId"]), row["state"], idle, Text(row["url"]))
        Console(highlight=False, emoji=False).print(table if found["sessions"] else "no session is open")
        return ExitCode.OK

    return run_async(work())


@sessions.command(name="close")
def close_session(name: Name) -> ExitCode:
    """Close a session and its pages."""

    async def work() -> ExitCode:
        await ask("close", name)
        return ExitCode.OK

    return run_async(work())


@sessions.command()
def stop() -> ExitCode:
    """Close all sessions and end the background process."""

    async def work() -> ExitCode:
        from stillframe.session_server import background
        from stillframe.session_server.address import directory
        from stillframe.session_server.client import NotRunning

        with contextlib.suppress(NotRunning):
            await background.stop(directory())
        return ExitCode.OK

    return run_async(work())


def act(
    context: typer.Context,
    name: Name,
    action: Annotated[
        str,
        typer.Argument(
            metavar="ACTION",
            help="An action, such as click, fill, press or goto.",
            autocompletion=action_names,
        ),
    ],
    as_json: Json = False,
) -> ExitCode:
    """Perform one action in a session and print what changed: act shop fill "#name" Ann.

    The words after the action are its fields in their order; other fields are options (--direction up). A secret that
    the session knows is typed with --secret NAME in place of its text.
    """
    given = action_of(action, context.args)
    (parsed,) = parse_actions([given])

    async def work() -> ExitCode:
        from rich.console import Console

        from stillframe.cli.report import print_sequence

        options = {} if as_json else {"verbose": True}
        answer = await ask("act", name, actions=[given], options=options)
        result = msgspec.convert(answer, SequenceResult)
        if as_json:
            print_json(answer)
        else:
            print_sequence(Console(highlight=False), [parsed], result)
        return exit_code_for_result(result)

    return run_async(work())


def text(
    name: Name,
    budget: Annotated[int, typer.Option(min=200, help="Maximum characters of the text.")] = 12_000,
    as_json: Json = False,
) -> ExitCode:
    """Print the page of a session as text."""

    async def work() -> ExitCode:
        from rich.console import Console

        answer = await ask("text", name, budget=budget)
        if as_json:
            print_json(answer)
        else:
            Console(highlight=False, markup=False, emoji=False, soft_wrap=True).print(answer["text"])
        return ExitCode.OK

    return run_async(work())


def watch(name: Name, as_json: Json = False) -> ExitCode:
    """Print each change of the page of a session, whatever causes it, until Ctrl-C."""

    async def work() -> ExitCode:
        from rich.console import Console
        from rich.text import Text

        from stillframe.cli.report import change_report
        from stillframe.model.change import StateChange
        from stillframe.model.verdict import outcome_of
        from stillframe.session_server.address import directory
        from stillframe.session_server.client import answers

        console = Console(highlight=False)
        async for answer in answers(directory(), "watch", name):
            if answer.is_last:
                break
            if as_json:
                print_json(answer.event)
                continue
            outcome = outcome_of(answer.event["reason"], answer.event["detail"])
            console.print(Text(f"{answer.event['url']}  {outcome}", "dim"))
            console.print(change_report(msgspec.convert(answer.event["stateChange"], StateChange)))
        return ExitCode.OK

    return run_async(work())


# -- words -----------------------------------------------------------------------------------------


def action_of(name: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the JSON form of an action that is written as words; raises ActionInvalid."""
    kind = KINDS.get(ALIASES.get(name, name))
    if kind is None:
        raise ActionInvalid(unknown("action", name, [*KINDS, *ALIASES]), field="action")
    options, operands = _split(kind, list(words))
    fields: dict[str, Any] = dict(zip(_operand_names(kind, len(operands)), operands, strict=False))
    if len(operands) > len(fields):
        names = _operand_names(kind, 1)
        rest = operands[len(fields) :]
        if names and names[-1] in MANY and len(fields) == len(names):
            fields[names[-1]] = [fields[names[-1]], *rest]
        else:
            raise ActionInvalid(f"{name} takes {len(fields)} words, and {rest[0]!r} is one more", field="action")
    if isinstance(answer := fields.get("accept"), str):
        fields["accept"] = ANSWERS.get(answer, answer)
    return {"action": kind.__struct_config__.tag, **fields, **options}


ANSWERS = {"accept": True, "dismiss": False, "true": True, "false": False}
"""The words that answer a dialog."""

MANY = frozenset({"value", "paths"})
"""Fields that take several words."""


def _operand_names(kind: type[Action], count: int) -> tuple[str, ...]:
    """Return the fields that words stand for, in order; `press Enter` has no selector."""
    names = getattr(kind, "OPERANDS", None)
    if names is None:
        optional = {"timeout_ms", "modifiers", "button", "click_count", "position", "delay_ms", "referer"}
        return tuple(name for name in kind.__struct_fields__ if name not in optional)
    return tuple(names[-1:] if count == 1 and len(names) > 1 else names)


def _split(kind: type[Action], words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Separate `--field value` from the other words."""
    options: dict[str, Any] = {}
    operands: list[str] = []
    encoded = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    while words:
        word = words.pop(0)
        field = word.removeprefix("--").replace("-", "_")
        if word == "--secret" and words:
            operands.append({"secretName": words.pop(0)})  # type: ignore[arg-type]
        elif word.startswith("--") and field in encoded and words:
            value = words.pop(0)
            try:
                options[encoded[field]] = msgspec.json.decode(value)
            except msgspec.DecodeError:
                options[encoded[field]] = value
        else:
            operands.append(word)
    return options, operands
