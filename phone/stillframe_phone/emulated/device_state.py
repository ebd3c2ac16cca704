"""What an emulated device is: properties, apps, processes, files, a screen, and what was done to it."""

from __future__ import annotations

import shlex
import struct
import zlib
from typing import NamedTuple

from stillframe_phone.emulated.apps import EmulatedApp
from stillframe_phone.emulated.files import EmulatedFiles
from stillframe_phone.emulated.processes import Processes
from stillframe_phone.emulated.shell_io import Program

FIRST_UID = 10150
"""The uid of the first app that is installed."""

RELEASES = {
    21: "5.0",
    22: "5.1",
    23: "6.0",
    24: "7.0",
    25: "7.1.1",
    26: "8.0.0",
    27: "8.1.0",
    28: "9",
    29: "10",
    30: "11",
}
"""The Android version of an API level; from 31 on see `release`."""


class NativeInput(NamedTuple):
    """One `input` command: `tap`, `swipe`, `text`, `keyevent` and so on, and its arguments as they were written."""

    kind: str
    arguments: tuple[str, ...]


class DebugApp(NamedTuple):
    """The app of `am set-debug-app`; Chrome reads its command-line file only if it is this one."""

    package: str
    persistent: bool


class WebViewPackage(NamedTuple):
    """The provider of WebViews, as `dumpsys webviewupdate` names it."""

    package: str = "com.google.android.webview"
    version: str = "113.0.5672.136"


class DeviceState:
    """The device without its wire protocol; `EmulatedDevice` documents the arguments."""

    def __init__(self, *, model: str, product: str, device: str, sdk: int, debuggable_build: bool) -> None:
        self.properties: dict[str, str] = {
            "ro.product.model": model,
            "ro.product.name": product,
            "ro.product.device": device,
            "ro.product.manufacturer": "Stillframe",
            "ro.build.version.sdk": str(sdk),
            "ro.build.version.release": release(sdk),
            "ro.build.type": "userdebug" if debuggable_build else "user",
            "ro.debuggable": "1" if debuggable_build else "0",
            "ro.secure": "1",
            "sys.boot_completed": "1",
        }
        """What `getprop` shows; tests may change it."""
        self.processes = Processes()
        self.files = EmulatedFiles(self.processes.proc_files)
        self.apps: dict[str, EmulatedApp] = {}
        """The installed apps by package."""
        self.inputs: list[NativeInput] = []
        """Every `input` command so far, in order."""
        self.screen_size = (1080, 2400)
        """Width and height in pixels."""
        self.density = 420
        """Dots per inch; 160 is one CSS pixel per pixel."""
        self.screen_on = True
        """Whether the screen is on; the keys POWER, WAKEUP and SLEEP change it."""
        self.screenshot: bytes | None = None
        """The PNG that `screencap` returns, None for a grey one of the size of the screen."""
        self.screen_secure = False
        """Whether an app forbids screenshots (FLAG_SECURE): `screencap` fails."""
        self.ui_tree: str | None = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"/>"
        """What `uiautomator dump` writes; None makes it fail because the screen is not idle."""
        self.debug_app: DebugApp | None = None
        self.webview: WebViewPackage | None = WebViewPackage()
        self.settings: dict[tuple[str, str], str] = {}
        """What `settings put <namespace> <key>` stored."""
        self.programs: dict[str, Program] = {}
        """Programs that a test adds, or puts in the place of built-in ones."""
        self.commands: list[str] = []
        """Every command line that reached the shell, in order."""

    @property
    def sdk(self) -> int:
        """The API level: 34 is Android 14."""
        return int(self.properties["ro.build.version.sdk"])

    def install(self, app: EmulatedApp) -> EmulatedApp:
        """Install an app, in place of one with the same package, and return it."""
        if app.package in self.apps:
            self.apps[app.package].kill()
        uid = self.apps[app.package].uid if app.package in self.apps else FIRST_UID + len(self.apps)
        app.attach(self.processes, uid, lambda: self._command_line(app))
        self.apps[app.package] = app
        return app

    def _command_line(self, app: EmulatedApp) -> list[str]:
        """Return the options in an app's command-line file if it may read it; the first word stands for the program."""
        may = self.properties["ro.debuggable"] == "1" or (self.debug_app and self.debug_app.package == app.package)
        path = app.command_line_file
        if not may or path is None or not self.files.exists(path):
            return []
        return shlex.split(self.files.read(path).decode(errors="replace"))[1:]

    def uninstall(self, package: str) -> None:
        """End an app and remove it.

        Args:
            package: The package of the app.

        Raises:
            KeyError: It is not installed.
        """
        self.apps.pop(package).kill()

    def picture(self) -> bytes:
        """Return the PNG of the screen."""
        return self.screenshot or grey_png(*self.screen_size)


def release(sdk: int) -> str:
    """Return the Android version of an API level.

    >>> release(24), release(34)
    ('7.0', '14')
    """
    return RELEASES.get(sdk) or ("12" if sdk in (31, 32) else str(sdk - 20))


def grey_png(width: int, height: int) -> bytes:
    """Return a PNG of one grey."""
    rows = (b"\0" + b"\x80" * width) * height
    parts = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
