"""`stillframe script run`: run a script of the agent exactly, or repair it where the page has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.text import Text

from stillframe.agent.events import bill, count
from stillframe.agent.limits import Limits
from stillframe.agent.script_repair import RepairReport, repair
from stillframe.cli.agent_model import check_model
from stillframe.cli.files import write_text
from stillframe.cli.output import ExitCode, print_json
from stillframe.errors import InputError, SecretUnknown
from stillframe.model.action_list import secret_names
from stillframe.scripts.flexibility import DEFAULT
from stillframe.scripts.replay import Reset, ScriptReport, StepResult, replay
from stillframe.scripts.script import Script, load_script, save_script
from stillframe.security.secret_store import Secrets
from stillframe.security.untrusted_text import escape_invisible
from stillframe.security.urls import check_url

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.cli.choice import BrowserChoice

MARKS = {"ok": ("✓", "green"), "failed": ("✗", "bold red"), "skipped": ("·", "dim"), "not_run": ("·", "dim")}
"""The mark and style of each result of a step."""
HEADS = {
    "none": ("the script ran", "bold green"),
    "success": ("repaired: the script runs again", "bold green"),
    "partial": ("repaired in part: the script gets further and still fails", "bold yellow"),
    "failed": ("not repaired", "bold red"),
}
"""The headline and style of each status of a repair."""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """The script of the command line, where it begins, and the options of `replay` and `repair`."""

    file: Path
    url: str | None
    options: dict[str, Any]

    def load(self) -> Script:
        """Return the script; raises InputError if the file cannot be read, and ScriptInvalid."""
        if self.url is not None:
            check_url(self.url)
        try:
            return load_script(self.file)
        except OSError as error:
            raise InputError(f"cannot read {self.file}: {error.strerror}") from None

    def reset(self, page: Page) -> Reset | None:
        """Return what loads the page to begin on, None for the one that the script names."""
        return None if self.url is None else partial(page.goto, self.url, settle=True)


class Repairing(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a repair."""

    model: str | None
    limits: dict[str, Any]
    flexibility: int | None
    diff: Path | None
    write: bool


async def run_exactly(choice: BrowserChoice, work: Work, *, as_json: bool) -> ExitCode:
    """Run a script as it is; NO if it fails."""
    script = work.load()
    check_secrets(script, choice)
    async with choice.page() as page:
        report = await replay(page, script, reset=work.reset(page), **work.options)
    if as_json:
        print_json(report)
    else:
        _print(step_lines(report))
    return ExitCode.OK if report.ok else ExitCode.NO


async def run_with_repair(choice: BrowserChoice, work: Work, fixing: Repairing, *, as_json: bool) -> ExitCode:
    """Run a script and repair it if it fails; OK if it ran at last, also if that took a repair."""
    script, limits = work.load(), Limits(**fixing.limits)
    check_secrets(script, choice)
    if fixing.model is not None:
        check_model(fixing.model)
    flexibility = DEFAULT if fixing.flexibility is None else fixing.flexibility
    async with choice.page() as page:
        report = await repair(
            page,
            script,
            fixing.model,
            reset=work.reset(page),
            flexibility=flexibility,
            limits=limits,
            **work.options,
        )
    if as_json:
        print_json(report)
    else:
        _print(repair_lines(report))
    _save(work, fixing, report)
    return ExitCode.OK if report.repair_status in ("none", "success") else ExitCode.NO


def _save(work: Work, fixing: Repairing, report: RepairReport) -> None:
    if fixing.diff is not None:
        write_text(fixing.diff, report.diff(str(work.file)))
    if fixing.write and report.repair_status == "success" and report.updated_script is not None:
        try:
            save_script(work.file, report.updated_script)
        except OSError as error:
            raise InputError(f"cannot write {work.file}: {error.strerror}") from None


def check_secrets(script: Script, choice: BrowserChoice) -> None:
    """Raise SecretUnknown, before a browser starts, if the script types secrets that no file gives."""
    given = choice.secrets or Secrets()
    parsed = [action.parsed() for step in script.steps for action in step.actions]
    if missing := [name for name in secret_names(parsed) if name not in given]:
        raise SecretUnknown(
            f"the script types {', '.join(missing)} by name: give a file with lines NAME=text to --secrets",
            name=missing[0],
        )


# -- texts ---------------------------------------------------------------------------------------


def _print(lines: Iterable[Text]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text(escape_invisible(line.plain), spans=line.spans, style=line.style))


def step_lines(report: ScriptReport) -> Iterator[Text]:
    """Yield a line for each step, and what had to be repeated."""
    for number, step in enumerate(report.steps):
        yield _step_line(number, step, report.failed_action if number == report.failed_step else None)
    if report.deflake_runs:
        yield Text(f"after {count(report.deflake_runs, 'further run')}", "yellow" if report.ok else "dim")


def _step_line(number: int, step: StepResult, failed_action: int | None) -> Text:
    line = Text.assemble(MARKS[step.result], f" {number + 1}. {step.goal}")
    if step.result in ("skipped", "not_run"):
        return line.append(f" ({step.result.replace('_', ' ')})", "dim")
    if step.error is not None:
        where = "" if failed_action is None else f"action {failed_action + 1}: "
        line.append(f"\n     {where}{step.code}: {step.error}", "red")
    return line


def repair_lines(report: RepairReport) -> Iterator[Text]:
    """Yield the outcome of a repair: the headline, each repair, what failed, and the bill."""
    words, style = HEADS[report.repair_status]
    yield Text(words, style)
    if report.repair_status == "none" and report.num_deflake_runs:
        yield Text(f"flaky: it ran after {count(report.num_deflake_runs, 'further run')}", "yellow")
    for each in report.repairs:
        sure = f" (confidence {each.confidence} of 5)"
        yield Text.assemble(("~", "yellow"), f" step {each.step + 1}: {each.words}", (sure, "dim"))
    if report.failure:
        yield Text(f"why it failed: {report.failure}", "red")
    if report.repair_status in ("partial", "failed") and report.repair_advice:
        yield Text(f"advice: {report.repair_advice}")
    if report.usage.calls:
        yield Text(bill(report.usage, report.price), "dim")
