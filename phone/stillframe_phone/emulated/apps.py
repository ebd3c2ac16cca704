"""Apps and processes of an emulated device."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import msgspec

from stillframe_phone.emulated.processes import BACKGROUND_ADJ, FROZEN_ADJ, EmulatedProcess, Processes
from stillframe_phone.emulated.sockets import BACKLOG, Backend, EmulatedSocket

FIRST_APP_UID = 10000
"""Where the uids of apps begin (AOSP); the user in `ps` counts from there."""
SOCKET_NAME = "--remote-debugging-socket-name="
SIGKILL = 9


class ExitInfo(msgspec.Struct, frozen=True):
    """Why a process ended, as `dumpsys activity exit-info` reports it (Android 11 and later)."""

    pid: int
    process: str
    reason: int
    reason_name: str
    status: int
    time: float
    """Seconds since 1970."""


EXIT_REASONS: Mapping[str, tuple[int, str, int]] = {
    "exit": (1, "EXIT_SELF", 0),
    "signal": (2, "SIGNALED", SIGKILL),
    "low memory": (3, "LOW_MEMORY", SIGKILL),
    "crash": (4, "APP CRASH(EXCEPTION)", 0),
    "native crash": (5, "APP CRASH(NATIVE)", 11),
    "anr": (6, "ANR", 0),
    "user requested": (10, "USER REQUESTED", 0),
    "user stopped": (11, "USER STOPPED", 0),
    "freezer": (14, "FREEZER", 0),
}
"""Number, name and status of the reasons for an exit (AOSP, ApplicationExitInfo)."""


class EmulatedApp:
    """An app: its package, its activity, and the sockets that its processes open.

        app = device.install(EmulatedApp("com.example.shop"))
        app.listen("webview_devtools_remote_{pid}", port)
        app.start()
        ...
        app.restart()  # a new pid, and a socket with a new name

    `{pid}` in the name of a socket stands for the pid of the process that opens it. `am start` starts `activity`;
    `version_name` and `debuggable` appear in `dumpsys package`; `pm list packages -3` leaves out those with
    `system=True`.

    An app with a `command_line_file` reads it when it starts, if it is the debug app or the device has a debug build,
    as Chrome does: its sockets then have the name that `--remote-debugging-socket-name` gives.
    """

    def __init__(
        self,
        package: str,
        *,
        activity: str = ".MainActivity",
        debuggable: bool = True,
        version_name: str = "1.0",
        system: bool = False,
        command_line_file: str | None = None,
    ) -> None:
        self.package = package
        self.activity = activity
        self.debuggable = debuggable
        self.version_name = version_name
        self.system = system
        self.command_line_file = command_line_file
        self.command_line: list[str] = []
        """The options that it found in its command-line file when a process last started."""
        self.uid = 0
        """Its user, once it is installed."""
        self.exits: list[ExitInfo] = []
        """Why its processes ended, latest first."""
        self.intents: list[list[str]] = []
        """The arguments of each `am start` that reached it, in order."""
        self._table: Processes | None = None
        self._read_command_line: Callable[[], list[str]] = list
        self._listeners: dict[str, tuple[Backend, str, int]] = {}

    @property
    def component(self) -> str:
        """The activity as `am start -n` names it."""
        return f"{self.package}/{self.activity}"

    @property
    def user(self) -> str:
        """The name of its user in `ps`."""
        return f"u0_a{self.uid - FIRST_APP_UID}"

    @property
    def table(self) -> Processes:
        """The processes of the device that it is installed on. Raises RuntimeError before."""
        if self._table is None:
            raise RuntimeError(f"{self.package} is on no device yet: call device.install(app) first")
        return self._table

    def attach(self, table: Processes, uid: int, read_command_line: Callable[[], list[str]]) -> None:
        """Note the device; `EmulatedDevice.install` calls this.

        Args:
            table: The processes of the device.
            uid: The user id of the app.
            read_command_line: A function that returns the switches of its command-line file.
        """
        self._table = table
        self._read_command_line = read_command_line
        self.uid = uid

    # -- processes

    @property
    def processes(self) -> list[EmulatedProcess]:
        """Its running processes, oldest first."""
        if self._table is None:
            return []
        return [each for each in self._table if each.name.partition(":")[0] == self.package]

    @property
    def running(self) -> bool:
        """Whether any process of it runs."""
        return bool(self.processes)

    @property
    def pid(self) -> int | None:
        """The pid of its main process, None if that does not run."""
        return next((each.pid for each in self.processes if each.name == self.package), None)

    def start(self, process: str = "") -> EmulatedProcess:
        """Start a process unless it runs, bring the app to the front, and return the process.

        `process` is "" for the main one, or a name such as ":web".
        """
        name = self.package + process
        found = next((each for each in self.processes if each.name == name), None)
        started = found or self.table.spawn(name, user=self.user)
        if found is None:
            self.command_line = self._read_command_line()
            self._open_sockets(started)
        self.table.bring_to_front(self.package)
        return started

    def kill(self, process: str | None = None, *, reason: str = "signal") -> None:
        """End its processes, or only that of this name: sockets vanish, connections break.

        Args:
            process: The process; by default all.
            reason: Why, a key of `EXIT_REASONS`.
        """
        number, name, status = EXIT_REASONS[reason]
        for each in self.processes:
            if process is None or each.name == self.package + process:
                self.table.end(each.pid)
                self.exits.insert(0, ExitInfo(each.pid, each.name, number, name, status, time.time()))

    def restart(self, process: str = "", *, reason: str = "signal") -> EmulatedProcess:
        """Kill one process and start it under a new pid.

        Args:
            process: The process; by default the main one.
            reason: Why it ends, a key of `EXIT_REASONS`.
        """
        self.kill(process, reason=reason)
        return self.start(process)

    def freeze(self, process: str | None = None) -> None:
        """Freeze its processes: their sockets accept and never answer."""
        self._set_frozen(True, FROZEN_ADJ, process)

    def thaw(self, process: str | None = None) -> None:
        """Let its processes run again in the background; what they received meanwhile they answer now."""
        self._set_frozen(False, BACKGROUND_ADJ, process)

    def _set_frozen(self, frozen: bool, adj: int, process: str | None) -> None:
        for each in self.processes:
            if process is None or each.name == self.package + process:
                self.table.set_frozen(each, frozen, adj)

    # -- sockets

    @property
    def sockets(self) -> list[EmulatedSocket]:
        """The sockets that its processes have open."""
        pids = {each.pid for each in self.processes}
        return [each for each in self.table.sockets.values() if each.pid in pids]

    def listen(self, name: str, backend: Backend, *, process: str = "", backlog: int = BACKLOG) -> None:
        """Open a socket now, if the process runs, and at each of its starts; the same name again replaces the backend.

        Args:
            name: The name of the socket; `{pid}` stands for that of the process.
            backend: A TCP port on loopback, or `async def handler(reader, writer)`.
            process: The process that opens it; by default the main one.
            backlog: How many connections wait while the process is frozen; one more blocks the device.
        """
        self._listeners[name] = (backend, process, backlog)
        for each in self.processes:
            if each.name == self.package + process:
                self._open(name, each)

    def _open_sockets(self, process: EmulatedProcess) -> None:
        for name, (_, owner, _) in self._listeners.items():
            if process.name == self.package + owner:
                self._open(name, process)

    def _open(self, name: str, process: EmulatedProcess) -> None:
        backend, _, backlog = self._listeners[name]
        given = [each.removeprefix(SOCKET_NAME) for each in self.command_line if each.startswith(SOCKET_NAME)]
        opened = given[-1] if given else name.replace("{pid}", str(process.pid))
        self.table.listen(opened, backend, pid=process.pid, backlog=backlog)


def chrome(package: str = "com.android.chrome") -> EmulatedApp:
    """Return an app that starts as Chrome for Android does, with its command-line file; it listens nowhere yet."""
    return EmulatedApp(
        package,
        activity="com.google.android.apps.chrome.Main",
        debuggable=False,
        version_name="124.0.6367.219",
        system=True,
        command_line_file="/data/local/tmp/chrome-command-line",
    )
