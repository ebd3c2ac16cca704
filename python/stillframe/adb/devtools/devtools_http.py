"""HTTP requests to DevTools sockets of a device, each over an adb stream of its own."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import msgspec

from stillframe.adb.devtools.frozen_apps import frozen, parse_resumed
from stillframe.adb.devtools.probes import MAX_FAILED, Occupant, Probes
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.adb.devtools.unix_sockets import parse_socket_name
from stillframe.adb.errors import AppFrozen, DevtoolsRejected, DevtoolsSocketGone
from stillframe.cdp.loop_clock import time_limit
from stillframe.chrome.http_exchange import READ_BYTES, HttpAnswer, HttpExchange
from stillframe.errors import CommandTimeout, ConnectFailed, OptionInvalid, StillframeError

if TYPE_CHECKING:
    import socket

    from stillframe.adb.adb_device import AdbDevice

# Looks whether Android may have frozen an app, before anything connects to it.

ADJ_TIMEOUT_S = 1.0
"""Seconds to read one file of `/proc`: some tens of ms on a phone."""
RESUMED_TIMEOUT_S = 2.0
"""Seconds to ask which activity is resumed: `dumpsys` takes some tenths of a second on a phone."""


async def require_awake(device: AdbDevice, found: FoundSocket) -> FoundSocket:
    """Return the socket with the `oom_score_adj` of its process now; raise AppFrozen if Android may have frozen it.

    An app whose activity is resumed is never refused. Raises what `AdbDevice.shell` raises as well, but no
    CommandTimeout.
    """
    now = await with_current_adj(device, found)
    if now.frozen and now.package not in await _resumed(device):
        raise frozen(device.serial, now, "Android may have frozen it")
    return now


async def with_current_adj(device: AdbDevice, found: FoundSocket) -> FoundSocket:
    """Return the socket with the `oom_score_adj` of its process now, None if that has ended or is unknown.

    Raises what `AdbDevice.shell` raises, but no CommandTimeout: then the value stays as it was.
    """
    if found.pid is None:
        return found
    try:
        shown = await device.shell(f"cat /proc/{found.pid}/oom_score_adj", timeout=ADJ_TIMEOUT_S)
    except CommandTimeout:
        return found
    text = shown.text.strip()
    adj = int(text) if re.fullmatch(r"-?\d{1,4}", text, re.ASCII) else None
    return msgspec.structs.replace(found, oom_score_adj=adj)


async def _resumed(device: AdbDevice) -> frozenset[str]:
    try:
        shown = await device.shell("dumpsys activity activities | grep ResumedActivity", timeout=RESUMED_TIMEOUT_S)
    except CommandTimeout:
        return frozenset()
    return parse_resumed(shown.text)


PROBE_TIMEOUT_S = 2.0
"""Seconds for one request; DevTools answers within some milliseconds, a frozen app never."""
MAX_BODY_BYTES = 32 * 1024 * 1024
"""Bytes of an answer: a list of targets may have an icon in each of its URLs."""
MAX_REASON_CHARACTERS = 500
"""Characters of the body of a refusal that go into the error; Chromium's have fewer than 100."""
HOST = "localhost"
"""Chromium answers only to an address or this name."""

_ENDS_THE_APP = "/json/protocol"


async def get(
    device: AdbDevice, socket_name: str, path: str, *, timeout: float = PROBE_TIMEOUT_S, method: str = "GET"
) -> HttpAnswer:
    """Send one request to a DevTools socket, and return its answer, whose status is 200.

    `timeout` is in seconds and covers everything. Raises DevtoolsSocketGone, AppFrozen if no answer comes in time,
    DevtoolsRejected for another status, ConnectFailed for what is not HTTP, and the errors of the device. It does not
    look whether the app is frozen; `probe` does.
    """
    if path.partition("?")[0].rstrip("/") == _ENDS_THE_APP:
        raise OptionInvalid(f"{path} is not requested: Chromium on Android may abort the app if it is", option="path")
    exchange = HttpExchange(path, HOST, method=method, most=MAX_BODY_BYTES)
    try:
        async with time_limit(timeout):
            answer = await _exchanged(device, socket_name, exchange, timeout)
    except StillframeError:
        raise  # some of them are TimeoutErrors
    except TimeoutError:
        raise frozen(device.serial, _socket_of(socket_name), f"no answer to {path} came within {timeout:g} s") from None
    if answer.status != 200:
        raise _rejected(f"{device.serial}:{socket_name}", f"{method} {path}", answer)
    return answer


async def probe(
    device: AdbDevice, found: FoundSocket, path: str, probes: Probes, *, timeout: float = PROBE_TIMEOUT_S
) -> HttpAnswer:
    """Ask a socket like `get`, unless its app is frozen now or has left two probes without an answer.

    Raises AppFrozen then, without a connection, and the errors of `get`.
    """
    now = await require_awake(device, found)
    key = (device.serial, found.name)
    if not probes.may(key, _occupant(now)):
        why = f"it left {MAX_FAILED} requests without an answer, and each one more could block the device"
        raise frozen(device.serial, now, why)
    try:
        answer = await get(device, found.name, path, timeout=timeout)
    except AppFrozen:
        now = await with_current_adj(device, found)
        probes.failed(key, _occupant(now))
        raise frozen(device.serial, now, f"no answer to {path} came within {timeout:g} s") from None
    except DevtoolsRejected:
        probes.answered(key)
        raise
    probes.answered(key)
    return answer


def _occupant(found: FoundSocket) -> Occupant:
    return Occupant(found.pid, found.frozen)


async def _exchanged(device: AdbDevice, name: str, exchange: HttpExchange, timeout: float) -> HttpAnswer:
    # The limit of the caller counts; this one only has to be later.
    stream = await device.open_abstract(name, timeout=timeout + 1)
    try:
        return await _asked(stream, exchange)
    except EOFError as error:
        raise _gone(device.serial, name, str(error)) from None
    except OSError as error:
        raise _gone(device.serial, name, error.strerror or str(error)) from None
    except ValueError as error:
        raise ConnectFailed(
            f"the socket {name!r} on {device.serial} does not speak HTTP ({error}): another program may use a name "
            "like that of a DevTools socket",
            endpoint=f"{device.serial}:{name}",
        ) from None
    finally:
        stream.close()


async def _asked(stream: socket.socket, exchange: HttpExchange) -> HttpAnswer:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(stream, exchange.request)
    while (answer := exchange.feed(await loop.sock_recv(stream, READ_BYTES))) is None:
        pass
    return answer


def _socket_of(name: str) -> FoundSocket:
    """Return what the name alone says of a socket."""
    parsed = parse_socket_name(name)
    return FoundSocket(name, parsed.kind, parsed.pid, parsed.package) if parsed else FoundSocket(name, "other")


def _gone(serial: str, name: str, what: str) -> DevtoolsSocketGone:
    return DevtoolsSocketGone(
        f"the DevTools socket {name!r} on {serial} gave no answer ({what}): its app ended or started again, or the "
        "link to the device broke; look for sockets again",
        endpoint=f"{serial}:{name}",
    )


def _rejected(endpoint: str, request: str, answer: HttpAnswer) -> DevtoolsRejected:
    reason = answer.body.decode("utf-8", "replace").strip()[:MAX_REASON_CHARACTERS] or answer.reason
    return DevtoolsRejected(
        f"{endpoint} refused {request} with the status {answer.status}: {reason}",
        endpoint=endpoint,
        status=answer.status,
        reason=reason,
    )
