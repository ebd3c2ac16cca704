"""`stillframe devices` and `stillframe webviews`: what an adb server has, and what the apps of its devices show."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import parse_address
from stillframe.adb.device_apps import CHROME_KINDS, DeviceApps
from stillframe.adb.device_info import DeviceInfo, read_device_info
from stillframe.adb.device_list import USABLE, DeviceEntry, choose_device, state_error
from stillframe.adb.devtools.app_endpoint import AppEndpoint
from stillframe.adb.devtools.discovery import missing_reason
from stillframe.adb.devtools.frozen_apps import frozen
from stillframe.adb.devtools.probes import Probes
from stillframe.adb.devtools.views import Look, View, ViewQuery, context_name, ranked, why_none
from stillframe.adb.errors import AppFrozen, NoDebuggableWebView, NoDevices
from stillframe.cli.output import ExitCode, print_json
from stillframe.errors import ConnectFailed, StillframeError
from stillframe.extend import time_limit
from stillframe.extend.options import ContextOptions

if TYPE_CHECKING:
    from stillframe.adb.devtools.socket_listing import FoundSocket

INFO_S = 3.0
"""Seconds for a device to say what it is: some hundredths of a second on a phone; one that hangs never answers."""

CHROMIUM = "CHROMIUM"
"""Appium's name of the context of a browser with tabs."""

State = Literal["visible", "hidden", "no_pages", "frozen"]
STATES: dict[State, tuple[str, str]] = {
    "visible": ("visible", "green"),
    "hidden": ("hidden", "yellow"),
    "no_pages": ("no pages", "yellow"),
    "frozen": ("frozen", "bold yellow"),
}
"""The words and the style of each state."""

HIDDEN = "bring the app to the foreground and switch the screen on: a hidden WebView takes no touches"
NO_PAGES = "it lists no page: open the screen of the app that has the WebView"
NO_TABS = "it has no tab, or does not answer as a browser does; a command with --device opens a tab"


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A device of the adb server; `advice` says what to do about a state other than `device`."""

    serial: str
    state: str
    advice: str = ""
    manufacturer: str | None = None
    model: str | None = None
    release: str | None = None
    sdk: int | None = None


class WebViewRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A WebView, a browser, or an app with a DevTools socket that shows no page; `advice` says what to do."""

    serial: str
    context: str
    package: str | None
    process: str | None
    pid: int | None
    socket: str
    state: State
    visible: bool
    url: str = ""
    title: str = ""
    target_id: str = ""
    advice: str = ""


class Problem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Why a device has no row."""

    serial: str
    code: str
    message: str


# -- devices -------------------------------------------------------------------------------------


async def list_devices(*, adb_server: str | None, as_json: bool) -> ExitCode:
    """Print the devices of the adb server; raises AdbServerUnavailable, AdbBinaryMissing, AdbServerTooOld."""
    server = server_at(adb_server)
    await server.ensure_running()
    rows = await asyncio.gather(*(device_row(server, entry) for entry in await server.devices()))
    if as_json:
        print_json({"devices": rows})
    else:
        print_devices(rows)
    return ExitCode.OK


def server_at(address: str | None) -> AdbServer:
    """Return the adb server at `host:port`, or the one that adb's variables name; raises OptionInvalid."""
    return AdbServer(None if address is None else parse_address(address))


async def device_row(server: AdbServer, entry: DeviceEntry) -> DeviceRow:
    """Return what is known about a device; one that can be used is asked."""
    error = state_error(entry.serial, entry.state)
    if error is not None:
        # Serial and state have columns of their own.
        advice = str(error).rpartition(f"{entry.state!r}: ")[2]
        return DeviceRow(serial=entry.serial, state=entry.state, model=entry.model, advice=advice)
    try:
        async with time_limit(INFO_S):
            info, advice = await read_device_info(AdbDevice(server, entry.serial)), ""
    except StillframeError as failure:
        info, advice = DeviceInfo(entry.serial, model=entry.model), str(failure)
    except TimeoutError:
        advice = f"it did not answer within {INFO_S:g} s: check its cable and its screen, or run `adb reconnect`"
        info = DeviceInfo(entry.serial, model=entry.model)
    return DeviceRow(
        serial=entry.serial,
        state=entry.state,
        advice=advice,
        manufacturer=info.manufacturer,
        model=info.model,
        release=info.release,
        sdk=info.sdk,
    )


def print_devices(rows: Sequence[DeviceRow]) -> None:
    """Print the devices as a table, or what to do if there are none."""
    console = Console(highlight=False)
    if not rows:
        console.print(Text(no_devices()), soft_wrap=True)
        return
    table = _table("SERIAL", "STATE", "MODEL", "ANDROID")
    for row in rows:
        model = " ".join(filter(None, (row.manufacturer, row.model)))
        android = "" if row.release is None else f"{row.release} (API {row.sdk})"
        style = "green" if row.state == USABLE and not row.advice else "yellow"
        table.add_row(_plain(row.serial), Text(row.state, style), _plain(model), _plain(android))
    console.print(table, "")
    _print_advice(console, [(row.serial, row.advice) for row in rows])


def no_devices() -> str:
    """Return what to do about an adb server without devices."""
    try:
        choose_device([], None)
    except NoDevices as error:
        return str(error)
    raise AssertionError("an empty list has no device")


# -- WebViews ------------------------------------------------------------------------------------


async def list_webviews(*, serial: str | None, package: str | None, adb_server: str | None, as_json: bool) -> ExitCode:
    """Print the WebViews and browsers of one device or, if none is named, of all devices that can be used.

    A device without any has a problem that says why. Raises the errors of the adb server, and the problem if it is the
    only thing to say; a device without any WebView is a failure only if a package was named.
    """
    server = server_at(adb_server)
    await server.ensure_running()
    entries = await server.devices()
    chosen, errors = _chosen(entries, serial or os.environ.get("ANDROID_SERIAL") or None)
    looks = await asyncio.gather(*(_look(AdbDevice(server, each.serial), package) for each in chosen))
    rows = [row for look in looks if not isinstance(look, StillframeError) for row in look]
    errors |= {each.serial: look for each, look in zip(chosen, looks, strict=True) if isinstance(look, StillframeError)}
    failures = [each for each in errors.values() if package is not None or not isinstance(each, NoDebuggableWebView)]
    if failures and not rows and len(errors) == 1:
        raise failures[0]
    problems = [Problem(serial=name, code=error.code, message=str(error)) for name, error in errors.items()]
    if as_json:
        print_json({"webviews": rows, "problems": problems})
    else:
        print_webviews(rows, problems, several=len(chosen) > 1)
    return ExitCode.BROWSER if failures and not rows else ExitCode.OK


def _chosen(entries: Sequence[DeviceEntry], serial: str | None) -> tuple[list[DeviceEntry], dict[str, StillframeError]]:
    """Return the devices to look at, and by serial why the others cannot be looked at."""
    usable = [entry for entry in entries if entry.state == USABLE]
    if serial is not None or not usable:
        return [choose_device(entries, serial)], {}
    errors = {entry.serial: state_error(entry.serial, entry.state, entries) for entry in entries}
    return usable, {name: error for name, error in errors.items() if error is not None}


async def _look(adb: AdbDevice, package: str | None) -> list[WebViewRow] | StillframeError:
    """Return the rows of a device, or why it has none."""
    try:
        rows = await webview_rows(adb, package)
        if rows:
            return rows
        if package is not None:
            return await missing_reason(adb, package)
    except StillframeError as error:
        return error
    nothing = why_none(adb.serial, Look((), ()), ViewQuery())
    assert nothing is not None  # no app was named
    return nothing


async def webview_rows(adb: AdbDevice, package: str | None) -> list[WebViewRow]:
    """Look at a device and return a row for each WebView, for each app without any, and for each browser.

    Raises TransportLost, CommandTimeout, AdbServerUnavailable.
    """
    apps = DeviceApps(adb, ContextOptions(), frozenset())
    query = ViewQuery(package=package, hidden=True)
    look, sockets = await asyncio.gather(apps.look(query), apps.sockets())
    browsers = [each for each in sockets if each.kind in CHROME_KINDS and query.wants(each)]
    return [*app_rows(adb.serial, look), *await asyncio.gather(*(browser_row(adb, each) for each in browsers))]


def app_rows(serial: str, look: Look) -> Iterator[WebViewRow]:
    """Yield a row for each WebView, and for each process that shows none."""
    shown = {view.socket.name for view in look.views}
    for view in look.views:
        yield _view_row(serial, view, "visible" if view.visible else "hidden")
    for socket in look.sockets:
        if socket in look.frozen:
            advice = str(frozen(serial, socket, "Android may have frozen it"))
            yield _row(serial, context_name(socket), socket, "frozen", advice=advice)
        elif socket.name not in shown:
            yield _row(serial, context_name(socket), socket, "no_pages", advice=NO_PAGES)


async def browser_row(adb: AdbDevice, socket: FoundSocket) -> WebViewRow:
    """Return the row of a browser, with the tab in front."""
    try:
        tabs = ranked(socket, await AppEndpoint(adb, socket, Probes()).targets())
    except AppFrozen as error:
        return _row(adb.serial, CHROMIUM, socket, "frozen", advice=str(error))
    except ConnectFailed:
        tabs = []
    if not tabs:
        return _row(adb.serial, CHROMIUM, socket, "no_pages", advice=NO_TABS)
    return _view_row(adb.serial, tabs[0], "visible", context=CHROMIUM)


def _view_row(serial: str, view: View, state: State, *, context: str | None = None) -> WebViewRow:
    advice = HIDDEN if state == "hidden" else ""
    row = _row(serial, context or context_name(view.socket), view.socket, state, advice=advice)
    target = view.target
    return msgspec.structs.replace(row, url=target.url, title=target.title, target_id=target.id)


def _row(serial: str, context: str, socket: FoundSocket, state: State, *, advice: str) -> WebViewRow:
    return WebViewRow(
        serial=serial,
        context=context,
        package=socket.package,
        process=socket.process,
        pid=socket.pid,
        socket=socket.name,
        state=state,
        visible=state == "visible",
        advice=advice,
    )


def print_webviews(rows: Sequence[WebViewRow], problems: Sequence[Problem], *, several: bool) -> None:
    """Print the rows as a table, what to do about some of them, and the problems of devices."""
    console = Console(highlight=False)
    if rows:
        table = _table(*(["DEVICE"] if several else []), "CONTEXT", "PROCESS", "PID", "STATE", "PAGE")
        for row in rows:
            table.add_row(*([_plain(row.serial)] if several else []), *_cells(row))
        console.print(table, "")
    _print_advice(console, [(row.context, row.advice) for row in rows])
    _print_advice(console, [(each.serial, each.message) for each in problems])


def _cells(row: WebViewRow) -> Iterator[Text]:
    yield _plain(row.context, "bold")
    yield _plain(row.process or row.package or row.socket)
    yield Text("" if row.pid is None else str(row.pid))
    yield Text(*STATES[row.state])
    yield Text.assemble(_plain(row.url, "cyan"), "\n" if row.title else "", _plain(row.title, "dim"))


# -- output --------------------------------------------------------------------------------------


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        # Only the last one may grow: serials and names are for copying.
        table.add_column(heading, no_wrap=heading != headings[-1], overflow="fold")
    return table


def _print_advice(console: Console, advice: Iterable[tuple[str, str]]) -> None:
    for name, text in advice:
        if text:
            console.print(Text.assemble(_plain(name, "bold"), ": ", _plain(text), "\n"), soft_wrap=True)


def _plain(text: str, style: str = "") -> Text:
    """Return a text of a device or page on one line, with escapes for what a terminal would obey."""
    return Text("".join(each if each.isprintable() else repr(each)[1:-1] for each in text), style)
