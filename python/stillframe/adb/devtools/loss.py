"""Why the connection to a page on a device closed: facts in, the error that names the cause out. No I/O."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stillframe.adb.device_list import ANSWERING
from stillframe.adb.errors import AdbServerDied, AppKilled, TransportLost
from stillframe.errors import ConnectionLost, SessionLost, TargetClosed


class Loss(msgspec.Struct):
    """What is known after a connection closed; None stands for unknown.

    `reason` is what the connection itself said, `address` that of the adb server. `state` is the state of the device,
    empty if the server does not list it, and `shell_answers` whether a command ran on it since. `frozen` says whether
    Android may have frozen the process. `exit_reason` is Android's for the end of the process.
    """

    serial: str
    address: str
    socket: str
    reason: str
    package: str | None = None
    pid: int | None = None
    target_id: str | None = None
    server_reachable: bool | None = None
    state: str | None = None
    shell_answers: bool | None = None
    pid_alive: bool | None = None
    socket_listed: bool | None = None
    frozen: bool | None = None
    target_listed: bool | None = None
    exit_reason: str = ""

    @property
    def app(self) -> str:
        """The app in words."""
        who = self.package or f"the app behind {self.socket!r}"
        return f"{who} (pid {self.pid})" if self.pid is not None else who


def classify(loss: Loss) -> SessionLost:
    """Return the error for a closed connection, from the adb server up to the page: the first thing missing counts."""
    return next(make(loss) for applies, make in _CAUSES if applies(loss))


def _server_died(loss: Loss) -> AdbServerDied:
    return AdbServerDied(
        f"the adb server at {loss.address} ended, and the connection to {loss.app} on {loss.serial} with it: start it "
        "again with `adb start-server`, and connect again",
        address=loss.address,
    )


def _link_broke(loss: Loss) -> TransportLost:
    state = loss.state or ""
    now = f"its state is {state!r} now" if state else "the adb server does not list it any more"
    if state in ANSWERING:
        now = f"the adb server still says {state!r}, and the device does not answer"
    return TransportLost(
        f"the link to {loss.serial} broke ({now}), and the connection to {loss.app} with it: check its cable or "
        "network; adb connects again by itself when it can",
        serial=loss.serial,
        state=state,
    )


def _app_ended(loss: Loss) -> AppKilled:
    why = f"Android's reason is {loss.exit_reason!r}" if loss.exit_reason else "Android gives no reason"
    return AppKilled(
        f"{loss.app} on {loss.serial} has ended, and its pages with it ({why}): start it again, and attach to its new "
        "process",
        serial=loss.serial,
        package=loss.package,
        pid=loss.pid,
        exit_reason=loss.exit_reason,
    )


def _page_closed(loss: Loss) -> TargetClosed:
    return TargetClosed(f"the page {loss.target_id!r} of {loss.app} on {loss.serial} was closed")


def _unexplained(loss: Loss) -> ConnectionLost:
    found = next(text for applies, text in _FINDINGS if applies(loss))
    return ConnectionLost(
        f"the connection to {loss.app} on {loss.serial} closed ({loss.reason}): {found}; connect again"
    )


_CAUSES: tuple[tuple[Callable[[Loss], bool], Callable[[Loss], SessionLost]], ...] = (
    (lambda loss: loss.server_reachable is False, _server_died),
    (lambda loss: loss.state is not None and loss.state not in ANSWERING, _link_broke),
    (lambda loss: loss.shell_answers is False, _link_broke),
    (lambda loss: loss.pid_alive is False, _app_ended),
    (lambda loss: loss.pid_alive is None and loss.socket_listed is False, _app_ended),
    (lambda loss: loss.target_listed is False, _page_closed),
    (lambda _loss: True, _unexplained),
)

_FINDINGS: tuple[tuple[Callable[[Loss], bool], str], ...] = (
    (lambda loss: loss.server_reachable is None, "the adb server did not say in time what became of the device"),
    (
        lambda loss: loss.shell_answers is None,
        "the device is connected, and did not say in time what became of the app",
    ),
    (lambda loss: loss.socket_listed is False, "the app runs, and has switched its DevTools socket off"),
    (lambda loss: bool(loss.frozen), "the app runs in the background, where Android may have frozen it"),
    (lambda loss: loss.target_listed is True, "device, app and page are there, so the link broke only for a moment"),
    (lambda loss: loss.target_id is None, "device and app are there, so the link broke only for a moment"),
    (lambda _loss: True, "the app runs, and did not say in time whether the page is still there"),
)
