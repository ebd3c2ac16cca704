"""`stillframe run` for recordings: the secrets that they name, healing, and what to print."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from stillframe.cli.output import ExitCode, exit_code_for_result, print_json
from stillframe.cli.report import describe, print_sequence
from stillframe.cli.runner import run_async
from stillframe.errors import SecretUnknown
from stillframe.model.action_list import parse_actions, secret_names
from stillframe.model.options import parse_options
from stillframe.recorder import player
from stillframe.recorder.recording import Recording
from stillframe.security.secret_store import Secrets
from stillframe.security.untrusted_text import escape_invisible

if TYPE_CHECKING:
    from stillframe.cli.choice import BrowserChoice
    from stillframe.scripts.replay import Replacement, ScriptReport


class Playing(msgspec.Struct, frozen=True):
    """A recording to play, what of it is left out, where it begins instead, and the options of the command line."""

    recording: Recording
    warnings: tuple[str, ...]
    url: str | None
    options: dict[str, Any]

    @property
    def heals(self) -> bool:
        """Whether elements are found again, which takes one sequence per action."""
        return self.options.get("heal") is True


def play(choice: BrowserChoice, playing: Playing, *, as_json: bool) -> ExitCode:
    """Play a recording and print its result; NO if it fails."""
    for warning in playing.warnings:
        typer.echo(f"stillframe: {warning}", err=True)
    parse_options(playing.options)
    choice = msgspec.structs.replace(choice, secrets=_with_asked(choice.secrets, playing.recording))
    running = _heal if playing.heals else _play
    return run_async(running(choice, playing, as_json=as_json))


async def _play(choice: BrowserChoice, playing: Playing, *, as_json: bool) -> ExitCode:
    options = playing.options if as_json else {**playing.options, "verbose": True}
    async with choice.page() as page:
        result = await player.play(page, playing.recording, url=playing.url, **options)
    if as_json:
        print_json(result)
    else:
        actions = [step.parsed() for step in playing.recording.plan]
        print_sequence(Console(highlight=False), actions, result)
    return exit_code_for_result(result)


async def _heal(choice: BrowserChoice, playing: Playing, *, as_json: bool) -> ExitCode:
    async with choice.page() as page:
        report = await player.heal(page, playing.recording, url=playing.url)
    if as_json:
        print_json(report)
    else:
        console = Console(highlight=False, emoji=False, soft_wrap=True)
        for line in _lines(playing.recording, report):
            console.print(Text(escape_invisible(line.plain), style=line.style))
    return ExitCode.OK if report.ok else ExitCode.NO


def _lines(recording: Recording, report: ScriptReport) -> Iterator[Text]:
    """Yield a line for each action, what was found again below it, and why the last one failed."""
    (step,) = report.steps or (None,)
    healed: dict[int, list[Replacement]] = {}
    for each in report.healed:
        healed.setdefault(each.action, []).append(each)
    for index, action in enumerate(parse_actions(recording.actions)):
        done = step is not None and index < step.completed
        failed = index == report.failed_action
        mark = "✓" if done else "✗" if failed else "·"
        yield Text(f"  {mark} {action.kind}  {describe(action).plain}", "" if done else "red" if failed else "dim")
        for found in healed.get(index, ()):
            yield Text(f"      found again: {found.now} by {found.new_selector} (was {found.selector})", "yellow")
    if report.failure:
        yield Text(f"  {report.failure}", "red")


def _with_asked(secrets: Secrets | None, recording: Recording) -> Secrets:
    """Return the secrets with those that the recording names and no file has; asks for them at a terminal.

    Raises SecretUnknown where nobody can be asked.
    """
    secrets = secrets or Secrets()
    missing = [name for name in secret_names(parse_actions(recording.actions)) if name not in secrets]
    if missing and not sys.stdin.isatty():
        raise SecretUnknown(
            f"the recording asks for {', '.join(missing)}: give a file with lines NAME=text to --secrets",
            name=missing[0],
        )
    for name in missing:
        secrets.add(name, typer.prompt(name, hide_input=True, err=True))
    return secrets
