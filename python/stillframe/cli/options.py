"""The options that several commands have, and what they share about them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from stillframe.cli.output import ExitCode
from stillframe.model.options import Settle

EXIT_CODES = "\b\n" + "\n".join(["Exit codes:", *(f"{code.value:>4} {code.meaning}" for code in ExitCode)])
"""The `\b` at the start makes Typer keep the line breaks of the paragraph."""

Url = Annotated[
    str | None,
    typer.Argument(metavar="URL", show_default=False, help="The page to load; only --webview can do without."),
]
Json = Annotated[bool, typer.Option("--json", help="Print only one JSON object.")]
Headed = Annotated[bool, typer.Option("--headed", help="Show the browser's window.")]
Connect = Annotated[
    str | None,
    typer.Option("--connect", metavar="ENDPOINT", help="Use a running browser at http://host:port or ws://…"),
]
ANDROID = "Android"
"""The panel of the help with the options that lead to a device."""

Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="SERIAL",
        rich_help_panel=ANDROID,
        help="The device; by default ANDROID_SERIAL's or the only one. Alone: Chrome.",
    ),
]
WebViewOption = Annotated[
    str | None,
    typer.Option(
        "--webview",
        metavar="PACKAGE[:PROCESS][@URL]",
        rich_help_panel=ANDROID,
        help="Use the WebView of this app: com.example.shop, com.example.shop@**/checkout*.",
    ),
]
Chrome = Annotated[
    bool,
    typer.Option("--chrome", rich_help_panel=ANDROID, help="Use Chrome on the device, as --device alone does."),
]
AdbServerOption = Annotated[
    str | None,
    typer.Option(
        "--adb-server", metavar="HOST:PORT", rich_help_panel=ANDROID, help="The adb server; the usual one by default."
    ),
]
SettleOption = Annotated[Settle | None, typer.Option(help="How to decide that the page is still.")]
ObserveOption = Annotated[str | None, typer.Option(help="How closely to observe the page: protocol, dom or calls.")]
HorizonMs = Annotated[int | None, typer.Option(help="causal: do not wait for work that takes longer.")]
StabilityMs = Annotated[int | None, typer.Option(help="quiet: time without a change.")]
PollIntervalMs = Annotated[int | None, typer.Option(help="quiet: time between looks.")]
ExpectSelector = Annotated[str | None, typer.Option(help="End the wait when this selector is visible.")]
ExpectText = Annotated[str | None, typer.Option(help="End the wait when this text is on the page.")]
ExpectUrl = Annotated[str | None, typer.Option(help="End the wait when the URL contains this.")]
SecretsFile = Annotated[
    Path | None, typer.Option("--secrets", metavar="FILE", help="Secrets: lines NAME=text, or .json.")
]

Dialogs = Annotated[
    Literal["accept", "dismiss", "ask"] | None,
    typer.Option("--dialogs", help="How to answer alert, confirm and prompt; ask: the action answer_dialog does."),
]
DialogRule = Annotated[
    Literal["accept", "dismiss"] | None, typer.Option("--dialogs", help="How to answer confirm and prompt.")
]

TraceDirectory = Annotated[
    Path | None, typer.Option("--trace", metavar="DIR", help="Write a trace of each page in this directory.")
]
TraceScreenshots = Annotated[
    bool, typer.Option("--trace-screenshots", help="--trace: add screenshots before and after each sequence.")
]


def tracing(directory: Path | str | None, screenshots: bool) -> dict[str, Any]:
    """Return the options of a context for --trace and --trace-screenshots; none without a directory."""
    return {} if directory is None else {"trace": directory, "trace_screenshots": screenshots}


class Format(StrEnum):
    """The formats of a recording's file."""

    SEQUENCE = "sequence"
    DEVTOOLS = "devtools"
    PYTHON = "python"


def check_page(in_webview: bool, url: str | None, *, option: str = "URL") -> None:
    """Raise the error of a wrong command line if there is no page to act on."""
    if url is None and not in_webview:
        raise typer.BadParameter("name the page to load; only --webview can do without.", param_hint=option)


def given(**values: Any) -> dict[str, Any]:
    """Return the options that are on the command line."""
    return {name: value for name, value in values.items() if value is not None}
