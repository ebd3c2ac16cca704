"""Record a page, and keep the file of the recording up to date while a person acts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.text import Text

from stillframe import Page, connect, launch
from stillframe.cli.options import Format
from stillframe.cli.output import ExitCode
from stillframe.cli.report import describe
from stillframe.errors import InputError
from stillframe.recorder.devtools_export import to_flow
from stillframe.recorder.errors import FlowInvalid
from stillframe.recorder.python_script import to_python
from stillframe.recorder.recorder import Problem, Recorder
from stillframe.recorder.recording import Recording, save_recording
from stillframe.security.untrusted_text import escape_invisible
from stillframe.security.urls import check_url

if TYPE_CHECKING:
    from stillframe.scripts.script import ScriptAction


class Work(msgspec.Struct, frozen=True):
    """What to record, and into which file."""

    url: str | None
    output: Path
    form: Format
    endpoint: str | None
    headless: bool
    port: int | None
    tracing: dict[str, Any]
    """The options that trace the page."""

    @asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """Yield the page to record: in a new browser, or in the one at the endpoint."""
        if self.endpoint:
            opening = connect(self.endpoint, **self.tracing)
        else:
            opening = launch(headless=self.headless, port=self.port, **self.tracing)
        async with opening as browser:
            page = await browser.new_page(self.url) if self.url else await browser.active_page()
            if page is None:
                raise InputError(f"the browser at {self.endpoint} has no tab: give the URL of a page to record")
            yield page


async def record(work: Work) -> ExitCode:
    """Record until the page is closed or the command is interrupted; NO if nothing was recorded."""
    console = Console(highlight=False, emoji=False, soft_wrap=True)
    if work.url is not None:
        check_url(work.url)
    file = RecordingFile(console, work.output, work.form)
    async with work.page() as page, Recorder(page, on_change=file.changed) as recorder:
        console.print(Text(f"recording {page.url}; close the page or press Ctrl-C to end", "dim"))
        if work.port is not None and not work.endpoint:
            console.print(Text(f"DevTools: {page.context.browser.info.endpoint}", "dim"))
        try:
            await recorder.ended()
        except asyncio.CancelledError:
            await recorder.still()
        file.changed(await recorder.recording())
        problems = recorder.problems
    return file.finished(problems)


class RecordingFile:
    """Prints each new action, and writes the file whenever there is one: it outlives a crash of this process."""

    def __init__(self, console: Console, output: Path, form: Format) -> None:
        self._console = console
        self._output = output
        self._form = form
        self._recording: Recording | None = None

    def changed(self, recording: Recording) -> None:
        """Take the recording as it is now; raises InputError if the file cannot be written."""
        if not recording.steps or recording == self._recording:
            return
        known = () if self._recording is None else self._recording.steps
        self._recording = recording
        self._write(recording)
        for step in islice(recording.steps, _in_common(known, recording.steps), None):
            action = step.parsed()
            self._console.print(Text(escape_invisible(f"  {action.kind}  {describe(action).plain}")))

    def _write(self, recording: Recording) -> None:
        try:
            write(self._output, self._form, recording)
        except FlowInvalid as error:
            # The other format cannot say it; the recording itself must not be lost.
            self._output, self._form = self._output.with_suffix(".sequence.json"), Format.SEQUENCE
            write(self._output, self._form, recording)
            self._console.print(Text(escape_invisible(f"  {error}; recording into {self._output}"), "yellow"))

    def finished(self, problems: Sequence[Problem]) -> ExitCode:
        """Say what was written and what could not be recorded."""
        for problem in problems:
            self._console.print(Text(escape_invisible(f"  {problem}"), "yellow"))
        if self._recording is None:
            self._console.print("nothing was recorded, and no file was written")
            return ExitCode.NO
        self._console.print(f"{self._output}: {len(self._recording.steps)} actions")
        return ExitCode.OK


def _in_common(old: Sequence[ScriptAction], new: Sequence[ScriptAction]) -> int:
    """Return how many steps two recordings have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0].action == pair[1].action, zip(old, new, strict=False)))


def write(output: Path, form: Format, recording: Recording) -> None:
    """Write a recording in a format; raises InputError if the file cannot be written."""
    try:
        if form is Format.SEQUENCE:
            save_recording(output, recording)
        else:
            output.write_text(TEXTS[form](recording), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from None


def _flow_text(recording: Recording) -> str:
    return msgspec.json.format(msgspec.json.encode(to_flow(recording)), indent=2).decode() + "\n"


TEXTS: dict[Format, Callable[[Recording], str]] = {Format.DEVTOOLS: _flow_text, Format.PYTHON: to_python}
