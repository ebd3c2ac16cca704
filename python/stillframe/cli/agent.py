"""`stillframe agent`: let a model carry out a goal, print each event as it happens, and then the outcome."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from stillframe.agent.limits import Limits
from stillframe.cli.agent_model import check_model, needing_extra
from stillframe.cli.files import write_text
from stillframe.cli.output import ExitCode, print_json
from stillframe.errors import InputError
from stillframe.extend import page_state
from stillframe.model.bounds import short
from stillframe.model.options import Expect
from stillframe.scripts.python_form import python_form
from stillframe.security.untrusted_text import escape_invisible

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.agent.events import AgentEvent
    from stillframe.agent.orchestrator import Orchestrator
    from stillframe.agent.outcome import Outcome
    from stillframe.agent.recording import RecordingModel, ReplayingModel
    from stillframe.cli.choice import BrowserChoice

EXIT_CODES = {"complete": ExitCode.OK, "cancelled": ExitCode.INTERRUPTED}
"""The exit codes of the outcomes; all others are NO."""
DATA_CHARS = 1_000
"""Characters to print of one extracted value; --json and --script have all of it."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    goal: str
    steps: tuple[str, ...]
    check: dict[str, str]
    limits: dict[str, Any]
    files: tuple[Path, ...]
    model: str | None
    replies: Path | None
    record: Path | None
    script: Path | None
    python: Path | None

    def expect(self) -> Expect | None:
        """Return the check of the goal; raises the error of a wrong command line for several."""
        if len(self.check) > 1:
            raise typer.BadParameter(f"give one check, not {len(self.check)}.", param_hint="--check-…")
        return Expect(**self.check) if self.check else None

    def check_files(self) -> None:
        """Raise InputError if a file that the run ends with cannot be written."""
        for path in (self.script, self.python):
            if path is not None and not path.parent.is_dir():
                raise InputError(f"cannot write {path}: there is no folder {path.parent}")

    def check_model(self) -> None:
        """Raise what is wrong with the model before a browser starts: ModelRefused, ScriptInvalid, InputError."""
        if self.replies is not None:
            with needing_extra():
                from stillframe.agent.recording import read_recording

                read_recording(self.replies)
            return
        if self.model is None:
            raise typer.BadParameter(
                "name the model: --model openai:gpt-5-mini, or the environment variable STILLFRAME_MODEL.",
                param_hint="--model",
            )
        check_model(self.model)

    def find_model(self, page: Page) -> RecordingModel | ReplayingModel | str:
        """Return the model, or what records it or replays a recording, without the secrets of the page's context."""
        from stillframe.agent.recording import RecordingModel, ReplayingModel

        redact = page_state(page).redact
        model = self.model or "" if self.replies is None else ReplayingModel(self.replies, redact=redact)
        return model if self.record is None else RecordingModel(model, self.record, redact=redact)


async def run_goal(choice: BrowserChoice, task: Task, *, url: str | None, as_json: bool) -> ExitCode:
    """Carry out a goal and print what happens; Ctrl-C ends the run and prints what there is."""
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # its advertisement of a service, before the first turn
    limits, check = Limits(**task.limits), task.expect()
    task.check_files()
    task.check_model()
    async with choice.page(url) as page:
        printer = _Printer(as_json)
        orchestrator = _orchestrator(page, task, limits, printer)
        outcome = await orchestrator.run(task.goal, steps=task.steps, check=check)
    with contextlib.suppress(OSError):  # the reader of a run that is cancelled may have gone
        printer.print_outcome(outcome)
    _write_scripts(task, outcome)
    return EXIT_CODES.get(outcome.status, ExitCode.NO)


def _orchestrator(page: Page, task: Task, limits: Limits, printer: _Printer) -> Orchestrator:
    from stillframe.agent.orchestrator import Orchestrator

    return Orchestrator(page, task.find_model(page), limits=limits, files=task.files, on_event=printer.print_event)


class _Printer:
    """Prints events and the outcome, each at once; a reader that has gone ends the run, which costs money."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._task = asyncio.current_task()
        self._gone = False

    def print_event(self, event: AgentEvent) -> None:
        if self._gone:
            return
        try:
            self._print(event)
        except OSError:
            self._gone = True
            assert self._task is not None
            self._task.cancel()

    def _print(self, event: AgentEvent) -> None:
        if self._as_json:
            print_json(event)
        else:
            typer.echo(escape_invisible(str(event)))

    def print_outcome(self, outcome: Outcome) -> None:
        if self._as_json:
            print_json(outcome)
            return
        for name, value in outcome.extracted.items():
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            typer.echo(escape_invisible(f"{name}: {short(text, DATA_CHARS)}"))


def _write_scripts(task: Task, outcome: Outcome) -> None:
    assert outcome.script is not None
    if task.script is not None:
        write_text(task.script, outcome.script.to_text())
    if task.python is not None:
        write_text(task.python, python_form(outcome.script))
