"""An Android device in this process, for tests: a real adb server connects to it, and real clients use it.

    async with EmulatedDevice() as device, AdbServerProcess() as server:
        app = device.install(EmulatedApp("com.example.shop"))
        app.listen("webview_devtools_remote_{pid}", port_of_a_devtools_endpoint)
        app.start()
        await server.connect(device)
        ...
        await device.disconnect()  # the cable is pulled

It emulates what automation meets: adb's wire protocol with its states, a shell with the usual programs, files,
processes, apps, abstract sockets. It runs nothing of Android, and touches neither files nor programs of this machine.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from functools import partial
from types import TracebackType
from typing import Self

from stillframe_phone.adbd import Adbd, AdbStream, Link, Service
from stillframe_phone.emulated import adb_wire, shell
from stillframe_phone.emulated.device_state import DeviceState
from stillframe_phone.emulated.programs import programs_of
from stillframe_phone.emulated.services import raw_shell, shell_v2
from stillframe_phone.emulated.shell_io import Streams
from stillframe_phone.emulated.sockets import Backend, EmulatedSocket
from stillframe_phone.emulated.sync_service import SyncService

MODERN_FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir")
"""What the emulated device announces from Android 7 on: what it implements, enough for adb 29 and 36 (measured)."""
SHELL_V2_SDK = 24
"""The first API level with shell v2 (Android 7)."""
NO_CHECKSUMS_SDK = 28
"""The first API level whose adbd leaves out checksums (Android 9)."""
OLD_MAX_PAYLOAD = 256 * 1024
"""Bytes per packet of adbd in Android 7 and 8 (AOSP)."""
NEW_WORDS_SDK = 29
"""The first API level whose shell says "inaccessible or not found" (Android 10)."""
FAILED = 255

ENVIRONMENT = {
    "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin",
    "HOME": "/",
    "USER": "shell",
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "EXTERNAL_STORAGE": "/sdcard",
    "TMPDIR": "/data/local/tmp",
}


class EmulatedDevice(DeviceState):
    """A device on a free port of 127.0.0.1, as an async context manager; its serial is `127.0.0.1:<port>`.

    `model`, `product` and `device` are what `adb devices -l` shows. `sdk` is the API level and decides what differs
    between versions: the features, checksums, `ps`, and the words of the shell. `features` replaces the announced ones.
    `debuggable_build` makes it a userdebug build. `link` is how it answers adb servers at first.
    """

    def __init__(
        self,
        *,
        model: str = "Pixel 7",
        product: str = "panther",
        device: str = "panther",
        sdk: int = 34,
        features: Iterable[str] | None = None,
        debuggable_build: bool = False,
        link: Link = Link.ONLINE,
    ) -> None:
        super().__init__(model=model, product=product, device=device, sdk=sdk, debuggable_build=debuggable_build)
        default = MODERN_FEATURES if sdk >= SHELL_V2_SDK else ("cmd",)
        self.features = tuple(default if features is None else features)
        modern = sdk >= NO_CHECKSUMS_SDK
        self.adbd = Adbd(
            self._banner,
            self._find_service,
            version=adb_wire.VERSION if modern else adb_wire.VERSION_WITH_CHECKSUMS,
            max_payload=adb_wire.MAX_PAYLOAD if modern else OLD_MAX_PAYLOAD,
        )
        """The daemon; its connections show which adb servers are connected."""
        self.adbd.link = link
        self.services: list[str] = []
        """The name of every service that a host asked for, in order."""

    async def __aenter__(self) -> Self:
        await self.adbd.listen()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in tuple(self.processes.sockets):
            self.processes.close(name)
        await self.adbd.aclose()

    @property
    def port(self) -> int:
        """The TCP port of its adbd."""
        return self.adbd.port

    @property
    def serial(self) -> str:
        """The serial under which an adb server lists it after `adb connect`."""
        return f"127.0.0.1:{self.port}"

    # -- states

    async def authorize(self) -> None:
        """Accept the key of the host, as a person who taps "Allow" does."""
        await self.adbd.set_link(Link.ONLINE)

    async def revoke_authorization(self) -> None:
        """Forget the keys of all hosts: the state becomes `unauthorized`."""
        await self.adbd.set_link(Link.UNAUTHORIZED)

    async def go_offline(self) -> None:
        """Drop all connections and say nothing on new ones: the state becomes `offline`."""
        await self.adbd.set_link(Link.OFFLINE)

    async def go_silent(self) -> None:
        """Stop answering, with all connections open: the state stays `device`, and everything hangs."""
        await self.adbd.set_link(Link.SILENT)

    async def go_online(self) -> None:
        """End any of these states; a silent device goes on where it stopped."""
        await self.adbd.set_link(Link.ONLINE)

    async def disconnect(self) -> None:
        """Pull the cable: drop all connections and accept none. Apps go on."""
        await self.adbd.aclose()

    async def reconnect(self) -> None:
        """Plug the cable in again, on the same port; an adb server that knows the device comes back by itself."""
        await self.adbd.listen()

    async def drop_connections(self) -> None:
        """Break the connection for a moment, as a loose cable does: an adb server is back 0.3 s later (measured)."""
        await self.adbd.drop_connections()

    async def wait_for_host(self) -> None:
        """Wait until an adb server is connected and let in, for instance after `drop_connections`."""
        await self.adbd.has_host.wait()

    # -- sockets

    def listen(self, name: str, backend: Backend, *, pid: int | None = None) -> EmulatedSocket:
        """Open an abstract socket that `localabstract:<name>` reaches, in place of one with the same name.

        Sockets of apps: `app.listen`.

        Args:
            name: The name of the socket.
            backend: A TCP port on loopback, or `async def handler(reader, writer)`.
            pid: The process that it belongs to.
        """
        return self.processes.listen(name, backend, pid=pid)

    def unlisten(self, name: str) -> None:
        """Close a socket and its connections; nothing happens if there is none."""
        self.processes.close(name)

    # -- services

    def _banner(self) -> bytes:
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        facts = "".join(f"{name}={self.properties[name]};" for name in names)
        return f"device::{facts}features={','.join(self.features)}".encode()

    async def _find_service(self, name: str) -> Service | None:
        self.services.append(name)
        kind, _, rest = name.partition(":")
        if kind == "shell":
            return partial(raw_shell, command=rest, run=self.run_shell, carriage_returns=self.sdk < SHELL_V2_SDK)
        if kind.startswith("shell,") and "shell_v2" in self.features:
            v2 = "v2" in kind.split(",")
            return partial(shell_v2 if v2 else raw_shell, command=rest, run=self.run_shell)
        if kind == "exec":
            return partial(raw_shell, command=rest, run=self.run_shell)
        if kind == "sync":
            return self._sync
        return await self._find_socket(rest) if kind == "localabstract" else None

    async def _sync(self, stream: AdbStream) -> None:
        await SyncService(stream, self.files).run()

    async def _find_socket(self, name: str) -> Service | None:
        found = self.processes.sockets.get(name)
        return found.serve if found is not None and await found.connect() else None

    async def run_shell(self, command: str, streams: Streams) -> int:
        """Run a command line and return its exit status; a program that raises fails with its traceback.

        Args:
            command: The command line.
            streams: Its input and its outputs.
        """
        self.commands.append(command)
        words = "inaccessible or not found" if self.sdk >= NEW_WORDS_SDK else "not found"
        place = shell.Place(programs_of(self), self.files, words)
        try:
            return await shell.run(command, place, streams, ENVIRONMENT)
        except Exception:
            streams.stderr(traceback.format_exc().encode())
            return FAILED
