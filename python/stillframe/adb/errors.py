"""The errors of adb, devices and the apps on them; `stillframe.errors` has them all."""

from __future__ import annotations

from collections.abc import Sequence

from stillframe.errors import ConnectFailed, ConnectionLost, StillframeError


class AndroidError(StillframeError):
    """What lies between this machine and a page on a device failed: adb, the device, or the app."""

    code = "android_error"


class AdbServerUnavailable(AndroidError, ConnectionError):
    """No adb server answers at `address`, which is `host:port`.

    Remedy: Start the server with `adb start-server`, or name another one by `adb_server` or ADB_SERVER_SOCKET.
    """

    code = "adb_server_unavailable"

    def __init__(self, message: str, *, address: str) -> None:
        super().__init__(message)
        self.address = address


class AdbBinaryMissing(AndroidError):
    """The adb server is to be started, and no adb was found; `tried` lists the places searched.

    Remedy: Install adb (Debian: `apt install adb`), or set ANDROID_HOME to the folder of the Android SDK.
    """

    code = "adb_binary_missing"

    def __init__(self, message: str, *, tried: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.tried = tuple(tried)


class AdbServerTooOld(AndroidError):
    """The adb server does not know `service`; `version` is its protocol version, None if it did not say.

    Remedy: Update the Android SDK Platform-Tools and restart the server with `adb kill-server`.
    """

    code = "adb_server_too_old"

    def __init__(self, message: str, *, version: int | None = None, service: str = "") -> None:
        super().__init__(message)
        self.version = version
        self.service = service


class AdbFailed(AndroidError):
    """The adb server or the device refused `service`, and `reason` is its text; it has no more exact error.

    Remedy: Read `reason`; `adb devices` and `stillframe doctor --android` show the state of the device.
    """

    code = "adb_failed"

    def __init__(self, message: str, *, service: str, reason: str = "") -> None:
        super().__init__(message)
        self.service = service
        self.reason = reason


class DeviceError(AndroidError):
    """No device can be used; `serial` is the one in question, and `devices` lists all as (serial, state)."""

    code = "device_error"

    def __init__(self, message: str, *, serial: str | None = None, devices: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.serial = serial
        self.devices = tuple(devices)


class NoDevices(DeviceError):
    """The adb server has no device; connect one, and switch on USB debugging.

    Remedy: Connect a device by USB or `adb connect`, and allow USB debugging on it. `stillframe devices` shows what
    adb sees.
    """

    code = "no_devices"


class DeviceNotFound(DeviceError):
    """The adb server has no device with this serial.

    Remedy: Use one of the serials in `devices`, or connect the device.
    """

    code = "device_not_found"


class DeviceAmbiguous(DeviceError):
    """There are several devices; name one by its serial.

    Remedy: Pass one of the serials in `devices`, or set ANDROID_SERIAL.
    """

    code = "device_ambiguous"


class DeviceUnauthorized(DeviceError):
    """Nobody has allowed debugging from this machine on the device yet.

    Remedy: Unlock the device and tap *Allow* in its dialog. If there is none, plug it in again.
    """

    code = "device_unauthorized"


class DeviceOffline(DeviceError):
    """The adb server knows the device, which does not answer.

    Remedy: Plug the device in again, or restart the server with `adb kill-server`.
    """

    code = "device_offline"


class DeviceConnectFailed(DeviceError):
    """The adb server cannot connect to a device over the network; `serial` is its `host:port`.

    Remedy: Check the address, and switch on wireless debugging on the device; both must be in one network.
    """

    code = "device_connect_failed"


class UsbPermission(DeviceError):
    """The adb server sees the device, and this machine may not open it.

    Remedy: Add the udev rules for Android devices (Debian: `apt install android-sdk-platform-tools-common`) and
    plug it in again.
    """

    code = "usb_permission"


class ShellFailed(AndroidError):
    """A `command` in the shell of a device failed; `returncode`, `stdout` and `stderr` are its outcome.

    `returncode` is None if the device does not say.

    Remedy: Read `stderr`, and try the command in `adb shell`.
    """

    code = "shell_failed"

    def __init__(
        self, message: str, *, command: str, returncode: int | None, stdout: str = "", stderr: str = ""
    ) -> None:
        super().__init__(message)
        self.command = command
        self.returncode = returncode
        self.stdout = stdout
        self.stderr = stderr


class AppNotRunning(AndroidError):
    """No process of `package` runs on the device `serial`; start the app.

    Remedy: Start the app on the device, or with `device.start_app(package)`.
    """

    code = "app_not_running"

    def __init__(self, message: str, *, package: str, serial: str = "") -> None:
        super().__init__(message)
        self.package = package
        self.serial = serial


class AppFrozen(AndroidError, TimeoutError):
    """Android has frozen the app, which accepts connections and never answers; bring it to the foreground.

    `package`, `pid` and `oom_score_adj` describe its process; what is unknown is None.

    Remedy: Bring the app to the foreground and try again.
    """

    code = "app_frozen"

    def __init__(
        self, message: str, *, package: str | None, pid: int | None = None, oom_score_adj: int | None = None
    ) -> None:
        super().__init__(message)
        self.package = package
        self.pid = pid
        self.oom_score_adj = oom_score_adj


class NoDebuggableWebView(AndroidError):
    """The app `package` runs and has no DevTools socket; without a package, no app has one.

    `pid` is its process, `sdk` the API level of the device, `debuggable` whether the app is a debug build (each None if
    unknown); `seen_sockets` names the DevTools sockets of other apps.

    Remedy: Have the app call `WebView.setWebContentsDebuggingEnabled(true)`, or install its debug build.
    """

    code = "no_debuggable_webview"

    def __init__(
        self,
        message: str,
        *,
        package: str | None,
        pid: int | None = None,
        sdk: int | None = None,
        debuggable: bool | None = None,
        seen_sockets: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.package = package
        self.pid = pid
        self.sdk = sdk
        self.debuggable = debuggable
        self.seen_sockets = tuple(seen_sockets)


class WebViewHasNoPages(AndroidError):
    """The app `package` has a DevTools socket and no page there that matches; `pages` lists the URLs of its pages.

    Remedy: Open the screen of the app that shows the page, or correct `url`; `pages` lists what there is.
    """

    code = "webview_has_no_pages"

    def __init__(self, message: str, *, package: str | None, pages: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.package = package
        self.pages = tuple(pages)


class WebViewAmbiguous(AndroidError):
    """Several apps have a WebView that matches; `candidates` describes each one.

    Remedy: Pass `package`, `process` or `url` to choose one of the candidates.
    """

    code = "webview_ambiguous"

    def __init__(self, message: str, *, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class TargetNotVisible(AndroidError, TimeoutError):
    """The WebView `target_id` is hidden or the screen is off, so it takes no touches and no screenshots.

    Remedy: Wake the screen and bring the app to the foreground, then repeat the action.
    """

    code = "target_not_visible"

    def __init__(self, message: str, *, target_id: str) -> None:
        super().__init__(message)
        self.target_id = target_id


class DevtoolsSocketGone(ConnectFailed):
    """The DevTools socket of an app on a device closed before it answered: the app exited or restarted.

    `endpoint` is `serial:socket name`.

    Remedy: Look for the WebView again; the app may have restarted.
    """

    code = "devtools_socket_gone"


class DevtoolsRejected(ConnectFailed):
    """A DevTools endpoint answered with `status`, an HTTP status other than 200, and `reason`, its text.

    Remedy: Use an address of loopback or an IP address: Chrome refuses other host names. `status` says more.
    """

    code = "devtools_rejected"

    def __init__(self, message: str, *, endpoint: str, status: int, reason: str = "") -> None:
        super().__init__(message, endpoint=endpoint)
        self.status = status
        self.reason = reason


class AppKilled(ConnectionLost):
    """The app on the device ended, and its pages with it.

    `serial`, `package` and `pid` say which one; `exit_reason` is Android's, empty if it does not say.

    Remedy: Start the app again; `await view.page()` is then its new page.
    """

    code = "app_killed"

    def __init__(
        self,
        message: str,
        *,
        method: str = "",
        session_id: str = "",
        serial: str = "",
        package: str | None = None,
        pid: int | None = None,
        exit_reason: str = "",
    ) -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.serial = serial
        self.package = package
        self.pid = pid
        self.exit_reason = exit_reason


class TransportLost(ConnectionLost):
    """The link between the adb server and the device `serial` broke; `state` is what the server says of it now.

    Remedy: Check the cable or the network of the device, then open the device again.
    """

    code = "transport_lost"

    def __init__(
        self, message: str, *, method: str = "", session_id: str = "", serial: str = "", state: str = ""
    ) -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.serial = serial
        self.state = state


class AdbServerDied(ConnectionLost):
    """The adb server at `address` ended, and every connection through it.

    Remedy: Start the server again (`adb start-server`) and open the device again.
    """

    code = "adb_server_died"

    def __init__(self, message: str, *, method: str = "", session_id: str = "", address: str = "") -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.address = address
