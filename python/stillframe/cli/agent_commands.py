"""The options of `stillframe agent` and `stillframe script run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stillframe.cli.options import (
    EXIT_CODES,
    AdbServerOption,
    Chrome,
    Connect,
    Device,
    DialogRule,
    Headed,
    Json,
    SecretsFile,
    TraceDirectory,
    TraceScreenshots,
    WebViewOption,
    check_page,
    given,
    tracing,
)
from stillframe.cli.output import ExitCode
from stillframe.cli.runner import run_async

MODEL_VARIABLE = "STILLFRAME_MODEL"
"""The environment variable that names the model of the commands."""

ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER:NAME", envvar=MODEL_VARIABLE, help="openai:gpt-5-mini, ollama:qwen3, …"),
]
BudgetUsd = Annotated[float | None, typer.Option("--budget-usd", min=0, help="US dollars that it may cost at most.")]
BudgetTokens = Annotated[int | None, typer.Option("--budget-tokens", min=0, help="Tokens, in and out, at most.")]
TimeoutS = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", min=0, help="Time limit of the whole run.")
]
AllowedDomains = Annotated[
    list[str] | None,
    typer.Option("--allowed-domain", metavar="HOST", help="Load documents of this host only. Repeatable."),
]
JsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON event per line, the outcome last.")]

scripts = typer.Typer(help="Run scripts that stillframe agent --script has written.", no_args_is_help=True)


def agent(
    goal: Annotated[str, typer.Argument(help="What to achieve, in words.")],
    url: Annotated[str | None, typer.Option(help="The page to start on.")] = None,
    model: ModelName = None,
    step: Annotated[
        list[str] | None, typer.Option("--step", metavar="GOAL", help="A step of the goal, in order. Repeatable.")
    ] = None,
    check_selector: Annotated[
        str | None, typer.Option(help="Accept the goal as complete only while this selector is visible.")
    ] = None,
    check_text: Annotated[str | None, typer.Option(help="The same: while this text is on the page.")] = None,
    check_url: Annotated[str | None, typer.Option(help="The same: while the URL contains this.")] = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    timeout: TimeoutS = None,
    allowed_domain: AllowedDomains = None,
    allow_upload: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="Allow uploads of this file or from here. Repeatable.")
    ] = None,
    secrets: SecretsFile = None,
    script: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what was done as a script.")] = None,
    python: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as a Python program.")] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record the requests to the model and its replies.")
    ] = None,
    replies: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Replay such a recording instead of asking a model.")
    ] = None,
    as_json: JsonLines = False,
    headed: Headed = False,
    connect: Connect = None,
    device: Device = None,
    webview: WebViewOption = None,
    chrome: Chrome = False,
    adb_server: AdbServerOption = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
    dialogs: DialogRule = None,
) -> ExitCode:
    """Let a model carry out a goal on a page, and print what happens as it happens, and the bill."""
    from stillframe.cli import agent as running
    from stillframe.cli.choice import BrowserChoice, device_choice, load_secrets

    on = device_choice(device, webview, chrome, adb_server, connect=connect)
    traced = tracing(trace, trace_screenshots)
    choice = BrowserChoice(headed, connect, device=on, secrets=load_secrets(secrets), tracing=traced, dialogs=dialogs)
    check_page(choice.in_webview, url, option="--url")
    limits = given(
        budget_usd=budget_usd, budget_tokens=budget_tokens, timeout=timeout, allowed_domains=allowed_domain or None
    )
    task = running.Task(
        goal=goal,
        steps=tuple(step or ()),
        check=given(selector=check_selector, text=check_text, url=check_url),
        limits=limits,
        files=tuple(allow_upload or ()),
        model=model,
        replies=replies,
        record=record,
        script=script,
        python=python,
    )
    return run_async(running.run_goal(choice, task, url=url, as_json=as_json))


@scripts.command(name="run", epilog=EXIT_CODES)
def run_script(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="A file of stillframe agent --script.")],
    url: Annotated[str | None, typer.Option(help="Begin here instead of at the script's own URL.")] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Repair the script where the page has changed.")] = False,
    flexibility: Annotated[
        int | None, typer.Option(min=0, max=5, help="--repair: how much it may change; 3 by default, 0: nothing.")
    ] = None,
    model: ModelName = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    timeout: TimeoutS = None,
    allowed_domain: AllowedDomains = None,
    diff: Annotated[Path | None, typer.Option(metavar="FILE", help="--repair: write a patch of the script.")] = None,
    write: Annotated[bool, typer.Option("--write", help="--repair: replace the script if it runs again.")] = False,
    deflake_runs: Annotated[
        int | None, typer.Option(min=0, help="Runs after one that fails; 0 by default, 1 with --repair.")
    ] = None,
    action_timeout_ms: Annotated[
        int | None, typer.Option(min=1, help="Time limit of an action to find its target.")
    ] = None,
    secrets: SecretsFile = None,
    as_json: Json = False,
    headed: Headed = False,
    connect: Connect = None,
    device: Device = None,
    webview: WebViewOption = None,
    chrome: Chrome = False,
    adb_server: AdbServerOption = None,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
    dialogs: DialogRule = None,
) -> ExitCode:
    """Run a script without a model; with --repair, find what has moved, and ask a model only for the rest.

    Without a model, --repair only finds elements that look alike. The limits are those of the model.
    """
    from stillframe.cli import script as running
    from stillframe.cli.choice import BrowserChoice, device_choice, load_secrets

    limits = given(
        budget_usd=budget_usd, budget_tokens=budget_tokens, timeout=timeout, allowed_domains=allowed_domain or None
    )
    options = given(deflake_runs=deflake_runs, action_timeout_ms=action_timeout_ms)
    if not repair:
        check_alone(limits | given(flexibility=flexibility, diff=diff, write=write or None))
    on = device_choice(device, webview, chrome, adb_server, connect=connect)
    traced = tracing(trace, trace_screenshots)
    choice = BrowserChoice(headed, connect, device=on, secrets=load_secrets(secrets), tracing=traced, dialogs=dialogs)
    work = running.Work(file=file, url=url, options=options)
    if not repair:
        return run_async(running.run_exactly(choice, work, as_json=as_json))
    fixing = running.Repairing(model=model, limits=limits, flexibility=flexibility, diff=diff, write=write)
    return run_async(running.run_with_repair(choice, work, fixing, as_json=as_json))


def check_alone(repairing: dict[str, Any]) -> None:
    """Raise the error of a wrong command line for an option of a repair without `--repair`."""
    for name in repairing:
        option = "--allowed-domain" if name == "allowed_domains" else f"--{name.replace('_', '-')}"
        raise typer.BadParameter("it has an effect only with --repair.", param_hint=option)
