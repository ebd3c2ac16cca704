"""All errors that stillframe raises, in one tree.

    StillframeError
    ├── InputError (ValueError)           an argument is wrong; nothing was done
    │   ├── ActionInvalid                 an action is unknown, or one of its fields is missing or wrong
    │   ├── OptionInvalid                 an option is unknown or its value is out of range
    │   ├── ArgumentInvalid               an argument of a script has no JavaScript value; carries its place
    │   ├── HandleForeign                 a handle belongs to another document than the script
    │   ├── HandleReleased                a handle was released, or its document is gone
    │   ├── SelectorInvalid               a selector does not parse
    │   ├── SecretUnknown                 no secret has this name
    │   ├── SessionUnknown                no open session has this name; the message suggests the nearest one
    │   ├── SessionExists                 an open session already has this name
    │   └── UrlRefused                    the policy does not allow this URL
    ├── SnapshotError (ValueError)        the bytes are not a DOM snapshot; carries the offset
    ├── SignatureError (ValueError)       the bytes are not a stored signature or index; carries the offset
    ├── FingerprintInvalid (ValueError)   the bytes are not a fingerprint of this version; carries the offset
    ├── RelocationFailed                  no element matches a fingerprint well enough; carries the nearest ones
    ├── BrowserError                      the browser process
    │   ├── BrowserNotFound               no Chrome or Chromium is installed where stillframe looks
    │   ├── LaunchFailed                  the browser did not start; carries its stderr
    │   │   └── ProfileLocked             another browser uses the profile
    │   └── ConnectFailed (ConnectionError)  no DevTools endpoint answers at this address
    │       ├── DevtoolsSocketGone        a DevTools socket of a device closed before it answered
    │       └── DevtoolsRejected          the endpoint refused the request; carries its HTTP status
    ├── AndroidError                      adb, a device, or an app on it
    │   ├── AdbServerUnavailable (ConnectionError)  no adb server answers
    │   ├── AdbBinaryMissing              the adb server is to be started, and there is no adb
    │   ├── AdbServerTooOld               the adb server does not know a service
    │   ├── AdbFailed                     the adb server or the device refused a service
    │   ├── DeviceError                   no device can be used
    │   │   ├── NoDevices                 the adb server has no device
    │   │   ├── DeviceNotFound            the adb server has no device with this serial
    │   │   ├── DeviceAmbiguous           there are several devices; carries them
    │   │   ├── DeviceUnauthorized        nobody has allowed debugging on the device
    │   │   ├── DeviceOffline             the device does not answer
    │   │   ├── DeviceConnectFailed       the adb server cannot reach a device over the network
    │   │   └── UsbPermission             this machine may not open the device
    │   ├── ShellFailed                   a command on a device failed; carries its output
    │   ├── AppNotRunning                 no process of the package runs
    │   ├── AppFrozen (TimeoutError)      Android has frozen the app
    │   ├── NoDebuggableWebView           the app runs and has no DevTools socket
    │   ├── WebViewHasNoPages             the app has no WebView, or none that matches
    │   ├── WebViewAmbiguous              several apps have a WebView that matches; carries them
    │   └── TargetNotVisible (TimeoutError)  the WebView is hidden, so it takes no touches and no screenshots
    ├── ProtocolError                     the browser sent something that is not CDP
    ├── CommandError                      a CDP command failed
    │   ├── CdpError                      the browser answered with an error code
    │   │   ├── BodyGone                  the browser no longer has the body of a response
    │   │   ├── ContextLost               the document was replaced while the command ran
    │   │   └── UnsupportedByBrowser      this browser does not offer the command
    │   ├── CommandTimeout (TimeoutError) no answer arrived before the deadline
    │   │   └── EvaluationTimeout         a script passed to `evaluate` ran into its time limit
    │   ├── EvaluationFailed              JavaScript threw in the page
    │   ├── MessageTooLarge               the message was not sent, because Chrome would drop the connection
    │   └── SessionLost                   the CDP session has ended
    │       ├── SessionDetached           the session was detached from its target
    │       ├── TargetClosed              the target (tab, frame, worker) was closed
    │       ├── TargetCrashed             the renderer of the target crashed
    │       └── ConnectionLost (ConnectionError)  the connection to the browser closed
    │           ├── AppKilled             the app on the device ended
    │           ├── TransportLost         the link to the device broke
    │           ├── AdbServerDied         the adb server ended
    │           └── CassetteMismatch      a replay differs from its cassette; carries both commands
    ├── SecretShown                       a screenshot or PDF would show a secret that cannot be painted over
    ├── SubscriptionLagged                a subscription that must not lose events overflowed
    ├── ActionFailed                      one action of a sequence failed
    │   ├── ElementNotFound               no element matches; carries the nearest candidates
    │   ├── AmbiguousSelector             several elements match; carries their descriptions
    │   ├── ElementDetached               the element left the document before the action
    │   ├── ElementHidden                 the element is not rendered
    │   ├── ElementUnstable               the element keeps moving
    │   ├── ElementDisabled               the element is disabled or read-only
    │   ├── ElementCovered                another element would receive the event; carries its description
    │   ├── PressMissed                   another element received the press; carries its description
    │   ├── PointOutside                  the point of a mouse action is outside of the viewport
    │   ├── DropMissed                    what was dragged did not arrive where the drag ended
    │   ├── FocusMoved                    the focus left the field while text was typed; carries its new place
    │   ├── PageUnresponsive (TimeoutError)  a script keeps the page busy, so it does not answer input
    │   ├── ElementUnsuitable             the element does not support this action or this value
    │   ├── RefStale                      the element of a ref is gone and has no clear successor
    │   ├── LoopRefused                   the same action was repeated without any effect on the page
    │   ├── SecretRefused                 the policy of a secret does not allow the host of the frame
    │   ├── NoDialog                      no dialog waits for an answer
    │   ├── WaitTimeout (TimeoutError)    a condition did not become true in time
    │   ├── NavigationFailed              the browser could not load a URL
    │   └── WebMCPError                   a tool that a page offers (WebMCP)
    │       ├── WebMCPUnavailable         the browser or the page cannot offer tools; carries the reason
    │       ├── WebMCPToolNotFound        no such tool is registered; carries the names of those that are
    │       ├── WebMCPInputInvalid (ValueError)  the input does not match the schema of the tool; carries the place
    │       ├── WebMCPToolFailed          the tool threw, or the page cancelled it
    │       ├── WebMCPTimeout (TimeoutError)  the tool did not answer in time
    │       └── WebMCPOutputTooLarge      the output is longer than the limit; carries both sizes
    ├── DownloadFailed                    a download was cancelled, or the context refuses downloads
    ├── FetchFailed                       a request outside of the pages got no answer, or a failed status
    ├── StorageNotPortable                a database of a site holds what no state file can; carries its place
    ├── DialogOpen                        a dialog of the page waits for an answer; carries it
    ├── AssertionFailed (AssertionError)  what `expect` asserts did not become true; carries what was there
    ├── GuardStopped                      the page became a different page before the action
    ├── SessionServerFailed               the background process of sessions cannot be started or reached
    ├── TraceError                        a trace file
    │   ├── TraceFailed (OSError)         a trace file cannot be written
    │   └── TraceInvalid (ValueError)     a file is not a trace that this version reads
    ├── HarError                          a HAR file
    │   ├── HarFailed (OSError)           a HAR file cannot be written
    │   └── HarInvalid (ValueError)       a file is not a HAR file, or lacks a body
    ├── VideoError                        a film of a page
    │   ├── FfmpegNotFound                films are wanted, and there is no ffmpeg
    │   └── VideoFailed (OSError)         a film could not be made
    ├── CassetteError                     a cassette file
    │   ├── CassetteFailed (OSError)      a cassette cannot be written
    │   └── CassetteInvalid (ValueError)  a file is not a cassette that this version plays
    ├── RecorderError                     a recording of what a person does
    │   ├── RecorderFailed                a page cannot be recorded
    │   ├── RecordingInvalid (ValueError)  a recording's file does not parse; carries the line
    │   └── FlowInvalid (ValueError)      a user flow cannot be played; carries the step
    ├── AgentError                        the orchestrator
    │   ├── DecisionInvalid (ValueError)  the reply of a model is no decision; carries the field
    │   ├── ToolFailed                    a tool that a model called could not be used
    │   ├── ScriptInvalid (ValueError)    a script file does not parse; carries the line
    │   └── ModelFailed                   a model gave no usable reply
    │       ├── ModelRefused              the provider does not accept the key, the model or the account
    │       ├── ModelUnavailable          the provider cannot reply now; carries how long it asks to wait
    │       ├── ModelTimeout (TimeoutError)  the model did not reply in time
    │       ├── ModelReplyInvalid         the model did not correct its reply
    │       ├── ModelContentFiltered      the model refused, or its provider filtered the request or the reply
    │       └── ModelBudgetExceeded       a request would cost more than is left; carries the limit
    └── FarmError                         a crawl or its browsers
        ├── PoolClosed                    the browser pool gives out no more pages
        ├── PoolTimeout (TimeoutError)    the browser pool had no free page in time; carries what it waited for
        ├── DiskFull (OSError)            a folder has too little free space
        ├── StoreError                    the database of a crawl
        │   ├── StoreUnavailable (ConnectionError)  the database does not answer
        │   └── StoreVersion              another version of stillframe made the tables
        ├── LeaseLost                     the page belongs to another worker by now
        ├── CrawlExists                   a crawl of this name exists
        ├── CrawlUnknown                  no crawl has this name
        ├── OutputInvalid                 the output folder cannot be used
        └── ClusterUnavailable (ConnectionError)  no Ray cluster answers

Each class has a `code`, the word that stands for it in JSON results. Attributes hold the data to act on. The message
says what was wrong, where, and what to do.

Errors travel: `pickle` and `copy` keep the class, the message, all attributes, the notes and the cause, so an error
crosses a process pool unchanged. Time-outs are also `TimeoutError`s and lost connections are also `ConnectionError`s,
both of which are `OSError`s without an `errno`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar


class StillframeError(Exception):
    """The root of all errors that stillframe raises."""

    code: ClassVar[str] = "error"

    index: int | None = None
    """The index of the action, if the error is the failure of one in a sequence."""
    result: Any = None
    """The SequenceResult, if the error is the failure of an action: it says what changed until then."""

    def __reduce__(self) -> tuple[Callable[..., StillframeError], tuple[Any, ...], dict[str, Any]]:
        # The default calls the class with `args`, which lacks the keyword-only arguments of most classes.
        return _rebuilt, (type(self), self.args, _Cause(self.__cause__)), self.__dict__


class _Cause:
    """The cause of an error in transit; one that does not pickle arrives as the text of its traceback."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def __deepcopy__(self, memo: dict[int, Any]) -> _Cause:
        # A cause is evidence that nobody changes, and an error from elsewhere may not copy.
        return self

    def __reduce__(self) -> tuple[Callable[..., _Cause], tuple[bytes, str]]:
        # Not at the top of the module: both would add a third to the time of `import stillframe`.
        import pickle
        import traceback

        if self.error is None:
            return _unpacked, (b"", "")
        text = "".join(traceback.format_exception(self.error))
        try:
            return _unpacked, (pickle.dumps(self.error), text)
        except Exception:  # whatever the attributes of an error from elsewhere raise
            return _unpacked, (b"", text)


class _CauseText(Exception):
    """The traceback of a cause that does not pickle."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _unpacked(content: bytes, text: str) -> _Cause:
    import pickle

    if not text:
        return _Cause(None)
    try:
        return _Cause(pickle.loads(content))  # noqa: S301  the pickle that holds it is being loaded as well
    except Exception:  # a class that does not accept its own `args`, or that this process does not know
        return _Cause(_CauseText(text))


def _rebuilt(cls: type[StillframeError], args: tuple[Any, ...], cause: _Cause) -> StillframeError:
    error = cls.__new__(cls, *args)
    # OSError.__new__ leaves this to __init__, which is not called.
    error.args = args
    if cause.error is not None:
        error.__cause__ = cause.error
    return error


# -- input ---------------------------------------------------------------------------------------


class InputError(StillframeError, ValueError):
    """An argument is wrong; nothing was done.

    Remedy: Read the message, which names the wrong argument and often the nearest right one.
    """

    code = "input_invalid"


class ActionInvalid(InputError):
    """An action list is not valid; no action ran.

    `index` is the position in the list (None if the list itself is wrong), `field` the path of the field in that
    action.

    Remedy: Correct the field that the message names. docs/reference/actions.md lists the fields of each action.
    """

    code = "action_invalid"

    def __init__(self, message: str, *, index: int | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.index = index
        self.field = field


class OptionInvalid(InputError):
    """An option is unknown or its value is out of range; `option` is its name.

    Remedy: Use the name or the range that the message gives. docs/reference/options.md lists all options.
    """

    code = "option_invalid"

    def __init__(self, message: str, *, option: str | None = None) -> None:
        super().__init__(message)
        self.option = option


class ArgumentInvalid(InputError):
    """An argument of a script has no JavaScript value; the script did not run.

    `place` says where it is (`arg["rows"][2]`), `kind` is the name of its type.

    Remedy: Pass what the message lists: plain values, containers of them, and handles.
    """

    code = "argument_invalid"

    def __init__(self, message: str, *, place: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.place = place
        self.kind = kind


class HandleForeign(InputError):
    """A handle belongs to another document, frame or page than the script that it was passed to; nothing ran.

    Remedy: Get a handle in the frame that runs the script, or pass a value instead.
    """

    code = "handle_foreign"


class HandleReleased(InputError):
    """A handle was released by `dispose` or by its `async with` block, or its document was replaced; nothing ran.

    Remedy: Get another handle, or use a locator, which looks for its element again.
    """

    code = "handle_released"


class SelectorInvalid(InputError):
    """A selector does not parse; `selector` is its text.

    Remedy: Write one of the forms in docs/reference/selectors.md, and quote a text that has `>>` or brackets in it.
    """

    code = "selector_invalid"

    def __init__(self, message: str, *, selector: str) -> None:
        super().__init__(message)
        self.selector = selector


class SecretUnknown(InputError):
    """An action uses a secret that was not declared; `name` is the name in the action.

    Remedy: Declare the secret in the option `secrets` of the context, or correct its name.
    """

    code = "secret_unknown"

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class SessionUnknown(InputError):
    """No open session has this name; `session_id` is the name.

    Remedy: Open the session first, or use one of the names that the message lists; an idle session may have been
    closed.
    """

    code = "session_unknown"

    def __init__(self, message: str, *, session_id: str) -> None:
        super().__init__(message)
        self.session_id = session_id


class SessionExists(InputError):
    """An open session already has this name; `session_id` is the name.

    Remedy: Choose another name, or close the open session.
    """

    code = "session_exists"

    def __init__(self, message: str, *, session_id: str) -> None:
        super().__init__(message)
        self.session_id = session_id


class UrlRefused(InputError):
    """The policy does not allow a URL, and no request was sent; `url` is its text, `rule` the rule that refused it.

    Remedy: If pages may load this URL, add its host or scheme to the policy (`allowed_hosts`, `allowed_schemes`,
    `allow_private`).
    """

    code = "url_refused"

    def __init__(self, message: str, *, url: str, rule: str = "") -> None:
        super().__init__(message)
        self.url = url
        self.rule = rule


class SnapshotError(StillframeError, ValueError):
    """The bytes are not a DOM snapshot; `offset` is the byte where parsing failed.

    Remedy: Capture the page again. A file may be truncated, or not be a result of `DOMSnapshot.captureSnapshot`.
    """

    code = "snapshot_invalid"

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class SignatureError(StillframeError, ValueError):
    """The bytes are not a stored signature or index; `offset` is the byte where parsing failed.

    Remedy: Make the signature or the index again from the pages; it may be truncated, or of another version.
    """

    code = "signature_invalid"

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class FingerprintInvalid(StillframeError, ValueError):
    """The bytes are not a fingerprint of this version; `offset` is the byte where parsing failed.

    Remedy: Take a new fingerprint of the element (`snapshot.fingerprint`).
    """

    code = "fingerprint_invalid"

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class RelocationFailed(StillframeError):
    """No element matches a fingerprint well enough, or several match about equally well.

    `candidates` are selectors of the nearest elements, `score` is the similarity of the best one and `margin` its lead
    over the next, both between 0 and 1.

    Remedy: Choose one of the candidates, or take a new fingerprint of the element that you mean.
    """

    code = "relocation_failed"

    def __init__(
        self, message: str, *, candidates: Sequence[str] = (), score: float = 0.0, margin: float = 0.0
    ) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
        self.score = score
        self.margin = margin


# -- browser -------------------------------------------------------------------------------------


class BrowserError(StillframeError):
    """The browser process failed, not a page."""

    code = "browser_error"


class BrowserNotFound(BrowserError):
    """No Chrome or Chromium was found; `tried` lists the places searched. Install one, or name its executable.

    Remedy: Install Chrome or Chromium, pass `executable`, or set STILLFRAME_CHROME to its path.
    """

    code = "browser_not_found"

    def __init__(self, message: str, *, tried: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.tried = tuple(tried)


class LaunchFailed(BrowserError):
    """The browser did not start; `returncode` and the end of its `stderr` say why.

    Remedy: Read `stderr`. Common causes are missing libraries, no display with `headless=False`, and a full
    /dev/shm or disk.
    """

    code = "launch_failed"

    def __init__(self, message: str, *, returncode: int | None = None, stderr: str = "") -> None:
        super().__init__(message)
        self.returncode = returncode
        self.stderr = stderr


class ProfileLocked(LaunchFailed):
    """Another browser uses the profile directory; `pid` is its process id, None if unknown.

    Remedy: Close the other browser, or use another `profile`; `connect` can use a browser that runs already.
    """

    code = "profile_locked"

    def __init__(
        self, message: str, *, pid: int | None = None, returncode: int | None = None, stderr: str = ""
    ) -> None:
        super().__init__(message, returncode=returncode, stderr=stderr)
        self.pid = pid


class ConnectFailed(BrowserError, ConnectionError):
    """No DevTools endpoint answers; `endpoint` is the address that was tried.

    Remedy: Start the browser with `--remote-debugging-port`, and check host and port.
    """

    code = "connect_failed"

    def __init__(self, message: str, *, endpoint: str) -> None:
        super().__init__(message)
        self.endpoint = endpoint


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


# -- Android -------------------------------------------------------------------------------------


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


# -- protocol ------------------------------------------------------------------------------------


class ProtocolError(StillframeError):
    """The browser sent something that is not the DevTools protocol; `sample` holds its first bytes.

    Remedy: Check that the endpoint is a DevTools endpoint. If it is, this is a bug in stillframe: report it with
    `sample`.
    """

    code = "protocol_error"

    def __init__(self, message: str, *, sample: bytes = b"") -> None:
        super().__init__(message)
        self.sample = sample


class CommandError(StillframeError):
    """A CDP command failed; `method` is its name and `session_id` the CDP session it was sent to."""

    code = "command_failed"

    def __init__(self, message: str, *, method: str = "", session_id: str = "") -> None:
        super().__init__(message)
        self.method = method
        self.session_id = session_id


class CdpError(CommandError):
    """The browser answered a command with an error.

    `number` is the JSON-RPC code (-32601 unknown method, -32602 bad parameters, -32001 unknown session, -32000
    everything else), `text` and `data` are the browser's message and details.

    Remedy: Read `text`, the browser's own message, and correct the command or its parameters.
    """

    code = "cdp_error"

    def __init__(self, number: int, text: str, data: Any = None, *, method: str = "", session_id: str = "") -> None:
        detail = f" ({data})" if data else ""
        super().__init__(f"{method}: {text}{detail} [{number}]", method=method, session_id=session_id)
        self.number = number
        self.text = text
        self.data = data


class BodyGone(CdpError):
    """The browser no longer has the body of a response: it was too large, or its document is gone.

    Remedy: Read the body before the page goes on, for example in `async with page.expect_response(…)`; download a
    large one.
    """

    code = "body_gone"


class ContextLost(CdpError):
    """The document or execution context was replaced while the command ran; send the command again.

    Remedy: Send the command again, once the new document is there.
    """

    code = "context_lost"


class UnsupportedByBrowser(CdpError):
    """This browser does not offer the command.

    `milestone` is its major version and `since` the first one with the command, each None if unknown; `fallback` says
    what was tried instead.

    Remedy: Use a browser of the version in `since` or later, or do without the command.
    """

    code = "unsupported_by_browser"

    def __init__(  # noqa: PLR0913  by keyword
        self,
        number: int,
        text: str,
        data: Any = None,
        *,
        method: str = "",
        session_id: str = "",
        milestone: int | None = None,
        since: int | None = None,
        fallback: str = "",
    ) -> None:
        super().__init__(number, text, data, method=method, session_id=session_id)
        self.milestone = milestone
        self.since = since
        self.fallback = fallback


class CommandTimeout(CommandError, TimeoutError):
    """No answer arrived before the deadline of a command; `timeout_ms` is the limit.

    Remedy: Raise `timeout_ms` if the page is only slow. If every call ends like this, the page or browser hangs:
    close it.
    """

    code = "command_timeout"

    def __init__(self, message: str, *, timeout_ms: float, method: str = "", session_id: str = "") -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.timeout_ms = timeout_ms


class EvaluationFailed(CommandError):
    """JavaScript threw in the page; `text` is the exception as the console would print it.

    Remedy: Correct the script; `text` is the exception of the page.
    """

    code = "evaluation_failed"

    def __init__(self, text: str, *, method: str = "", session_id: str = "") -> None:
        super().__init__(f"the page threw {text}", method=method, session_id=session_id)
        self.text = text


class EvaluationTimeout(CommandTimeout):
    """A script passed to `evaluate` ran into its time limit.

    If `ended` is true, the page goes on: the script was stopped, or its promise abandoned. If it is false, the page
    does not answer for another reason; close it.

    Remedy: Raise `timeout_ms`, or make the script return sooner: it must not wait for what never comes.
    """

    code = "evaluation_timeout"

    def __init__(self, message: str, *, timeout_ms: float, ended: bool, method: str = "", session_id: str = "") -> None:
        super().__init__(message, timeout_ms=timeout_ms, method=method, session_id=session_id)
        self.ended = ended


class MessageTooLarge(CommandError):
    """A message was not sent, because Chrome would drop the connection; send it in parts.

    `size` and `limit` are in bytes.

    Remedy: Send the data in parts, or let the page load it, for example by a route.
    """

    code = "message_too_large"

    def __init__(self, message: str, *, size: int, limit: int, method: str = "", session_id: str = "") -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.size = size
        self.limit = limit


class SessionLost(CommandError):
    """The CDP session has ended; every pending and later command of the session fails with this error."""

    code = "session_lost"


class SessionDetached(SessionLost):
    """The session was detached from its target; the target may still exist.

    Remedy: Get a new page for the target with `browser.page(target_id)`.
    """

    code = "session_detached"


class TargetClosed(SessionLost):
    """The target was closed.

    Remedy: Open a new page. If the page closed itself, take this as its answer.
    """

    code = "target_closed"


class TargetCrashed(SessionLost):
    """The renderer of the target crashed; navigate, reload or close the target.

    Remedy: Reload the page or open a new one. If it crashes again, it may need more memory.
    """

    code = "target_crashed"


class ConnectionLost(SessionLost, ConnectionError):
    """The connection to the browser closed, and all its sessions ended.

    Remedy: Launch or connect again. If the browser crashed, its stderr or `dmesg` may say why.
    """

    code = "connection_lost"


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


class CassetteMismatch(ConnectionLost):
    """A replay differs from its cassette, so it ended; every pending and later call gets this error.

    `path` is the cassette, `number` the recorded command that was due (from 1; None after the last one), `expected`
    and `got` the two commands as `{"method": …, "sessionId": …, "params": …}`, None where there is none.

    Remedy: Make the code send what it sent when it was recorded, or record the cassette again.
    """

    code = "cassette_mismatch"

    def __init__(
        self,
        message: str,
        *,
        method: str = "",
        session_id: str = "",
        path: str = "",
        number: int | None = None,
        expected: dict[str, Any] | None = None,
        got: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.path = path
        self.number = number
        self.expected = expected
        self.got = got


class SecretShown(StillframeError):
    """A screenshot or PDF was not made, because it would show a secret that cannot be painted over.

    Remedy: Install the extra `mcp` (Pillow), or hide the secret on the page first. A PDF cannot be painted over.
    """

    code = "secret_shown"


class SubscriptionLagged(StillframeError):
    """A subscription with the policy `error` overflowed; `dropped` is the number of lost events.

    Remedy: Read events faster, raise `maxsize`, or choose another policy.
    """

    code = "subscription_lagged"

    def __init__(self, message: str, *, dropped: int) -> None:
        super().__init__(message)
        self.dropped = dropped


# -- actions -------------------------------------------------------------------------------------


class ActionFailed(StillframeError):
    """An action failed; `selector` is the selector of its target, None if it has none."""

    code = "action_failed"

    def __init__(self, message: str, *, selector: str | None = None) -> None:
        super().__init__(message)
        self.selector = selector


class ElementNotFound(ActionFailed):
    """No element matches; `candidates` describes the nearest elements, best first.

    Remedy: Use one of the candidates, or wait for the element with `wait_for`. An element of a frame needs `frame=…
    >>`.
    """

    code = "element_not_found"

    def __init__(self, message: str, *, selector: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message, selector=selector)
        self.candidates = tuple(candidates)


class AmbiguousSelector(ActionFailed):
    """Several elements match; `matches` describes the first ones, `count` is the number of all.

    Remedy: Make the selector say more: `role=dialog >> text=OK`, `nth=0`, `visible=true`, or a ref of the last
    result.
    """

    code = "ambiguous_selector"

    def __init__(self, message: str, *, selector: str, matches: Sequence[str] = (), count: int = 0) -> None:
        super().__init__(message, selector=selector)
        self.matches = tuple(matches)
        self.count = count


class ElementDetached(ActionFailed):
    """The element left the document before the action.

    Remedy: Repeat the action; if the page always replaces the element, wait with `page.settle()` first.
    """

    code = "element_detached"


class ElementHidden(ActionFailed):
    """The element is not rendered, so no user could act on it.

    Remedy: Do first what shows the element, such as opening its menu.
    """

    code = "element_hidden"


class ElementUnstable(ActionFailed):
    """The element kept moving until the deadline of the action.

    Remedy: Wait until the animation ends, raise `action_timeout_ms`, or set `reduced_motion` in the context.
    """

    code = "element_unstable"


class ElementDisabled(ActionFailed):
    """The element is disabled or read-only.

    Remedy: Do first what enables the element, such as filling in the required fields.
    """

    code = "element_disabled"


class ElementCovered(ActionFailed):
    """Another element would receive the event; `cover` describes it.

    Remedy: Close or scroll away what `cover` describes, often a cookie banner or a dialog.
    """

    code = "element_covered"

    def __init__(self, message: str, *, selector: str, cover: str) -> None:
        super().__init__(message, selector=selector)
        self.cover = cover


class PressMissed(ActionFailed):
    """The press went to another element, or the button was released over another; `receiver` describes it.

    Input was sent, so the action is not repeated. If `prevented` is true, the press was stopped before any listener of
    the page saw it.

    Remedy: Look at the page before you repeat the action: `receiver` may have reacted to the press.
    """

    code = "press_missed"

    def __init__(self, message: str, *, selector: str, receiver: str, prevented: bool = False) -> None:
        super().__init__(message, selector=selector)
        self.receiver = receiver
        self.prevented = prevented


class PointOutside(ActionFailed):
    """The point `x`, `y` of a mouse action is outside of the viewport.

    The viewport has this `width` and `height` in CSS pixels.

    Remedy: Scroll, or take coordinates from a screenshot of the viewport as it is now.
    """

    code = "point_outside"

    def __init__(self, message: str, *, x: float, y: float, width: float, height: float) -> None:
        super().__init__(message, selector=None)
        self.x = x
        self.y = y
        self.width = width
        self.height = height


class DropMissed(ActionFailed):
    """What was dragged did not arrive: nothing at the end of the drag takes it, or the page has not seen the release.

    Remedy: Look at the page, and drag to the element that takes the drop, or to another position of it.
    """

    code = "drop_missed"


class FocusMoved(ActionFailed):
    """The keyboard focus left the field while text was typed into it, and the rest of the text was not typed.

    `receiver` describes the element that has the focus now, "" if no element has it; `typed` is how many characters
    reached the field before.

    Remedy: Look at the page: close what took the focus, and fill each field with an action of its own.
    """

    code = "focus_moved"

    def __init__(self, message: str, *, selector: str | None, receiver: str = "", typed: int = 0) -> None:
        super().__init__(message, selector=selector)
        self.receiver = receiver
        self.typed = typed


class PageUnresponsive(ActionFailed, TimeoutError):
    """A script keeps the page busy, so it did not answer within the time limit of the action.

    Remedy: Raise `action_timeout_ms`, or reload the page if its script never ends.
    """

    code = "page_unresponsive"


class ElementUnsuitable(ActionFailed):
    """The element does not support this action or this value.

    Remedy: Use the action that suits the element: the message names its kind, and for an option the values that
    there are.
    """

    code = "element_unsuitable"


class RefStale(ActionFailed):
    """The element of a ref is gone and has no clear successor; take a new snapshot and use its refs.

    `ref` is the ref, `role` and `name` describe the element it had, `candidates` describes the nearest elements, best
    first.

    Remedy: Take a new snapshot and use its refs, or one of the candidates.
    """

    code = "ref_stale"

    def __init__(self, message: str, *, ref: str, role: str, name: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message, selector=f"ref={ref}")
        self.ref = ref
        self.role = role
        self.name = name
        self.candidates = tuple(candidates)


class LoopRefused(ActionFailed):
    """An action was refused, because earlier ones like it did not change the page; try another action.

    `rule` is the rule of `stillframe.loopguard`, `signature` the signature of the repeated action, `count` the number
    of repetitions.

    Remedy: Try another action. `guard.reset()` allows this one again.
    """

    code = "loop_refused"

    def __init__(self, message: str, *, rule: str, signature: str, count: int) -> None:
        super().__init__(message)
        self.rule = rule
        self.signature = signature
        self.count = count


class SecretRefused(ActionFailed):
    """A secret was not typed, because its policy does not allow the host of the frame: see `name` and `host`.

    Remedy: Add the host to the `hosts` of the secret, if the page of that host may have it.
    """

    code = "secret_refused"

    def __init__(self, message: str, *, name: str, host: str) -> None:
        super().__init__(message)
        self.name = name
        self.host = host


class NoDialog(ActionFailed):
    """No dialog waits for an answer: none opened, or it was answered or dismissed already.

    Remedy: Open the context with `dialogs="ask"`, without which dialogs are answered at once, and answer a dialog while
    `page.dialog` shows it.
    """

    code = "no_dialog"


class WaitTimeout(ActionFailed, TimeoutError):
    """A condition did not become true in time.

    Of a wait for an event, `awaited` says what was awaited and `came` shows the last values that did not match.

    Remedy: Check the condition and raise the time limit; a trace shows what the page did meanwhile.
    """

    code = "wait_timeout"

    def __init__(
        self, message: str, *, selector: str | None = None, awaited: str = "", came: Sequence[str] = ()
    ) -> None:
        super().__init__(message, selector=selector)
        self.awaited = awaited
        self.came = tuple(came)


class NavigationFailed(ActionFailed):
    """The browser could not load `url`; `reason` is the net error, for example `net::ERR_CONNECTION_REFUSED`.

    Remedy: Check the URL, the server and the proxy; `reason` is Chrome's name for the cause.
    """

    code = "navigation_failed"

    def __init__(self, message: str, *, url: str, reason: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class WebMCPError(ActionFailed):
    """A call of a page's tool failed, or the tools cannot be listed; `tool` is the name of the tool, if there is one.

    Remedy: See the subclasses; `Page.webmcp.tools` lists what the page offers now.
    """

    code = "webmcp_error"

    def __init__(self, message: str, *, tool: str | None = None) -> None:
        super().__init__(message)
        self.tool = tool


class WebMCPUnavailable(WebMCPError):
    """The page cannot offer tools; `reason` is `disabled` (the browser) or `insecure` (the page).

    Remedy: `disabled`: launch the browser with `webmcp=True`, or start the one that you connect to with
    `--enable-features=WebMCP`. `insecure`: load the page from an https: URL or from localhost.
    """

    code = "webmcp_unavailable"

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class WebMCPToolNotFound(WebMCPError):
    """The frame has no tool `tool`; `names` are those it has, `frames` the URLs of other frames that have this one.

    Remedy: List the tools again: pages register and unregister them as they change. For a tool of another frame, pass
    the `WebMCPTool` of the list instead of its name.
    """

    code = "webmcp_tool_not_found"

    def __init__(self, message: str, *, tool: str, names: Sequence[str] = (), frames: Sequence[str] = ()) -> None:
        super().__init__(message, tool=tool)
        self.names = tuple(names)
        self.frames = tuple(frames)


class WebMCPInputInvalid(WebMCPError, ValueError):
    """The input is not JSON, or does not match the schema of the tool; `path` is the place in it. The tool did not run.

    Remedy: Correct the field that the message names; `WebMCPTool.input_schema` is the whole schema. `validate=False`
    leaves the check to the page.
    """

    code = "webmcp_input_invalid"

    def __init__(self, message: str, *, tool: str, path: str = "") -> None:
        super().__init__(message, tool=tool)
        self.path = path


class WebMCPToolFailed(WebMCPError):
    """The tool threw, or its call was cancelled by the page or with its frame.

    Remedy: The message quotes what the tool threw. Look at the page: `result` says what changed until then.
    """

    code = "webmcp_tool_failed"


class WebMCPTimeout(WebMCPError, TimeoutError):
    """The tool did not answer in time; the call was cancelled, and what it changed until then stays.

    Remedy: Look at the page: the tool may wait for a person, for example in a dialog. Otherwise raise
    `action_timeout_ms`.
    """

    code = "webmcp_timeout"


class WebMCPOutputTooLarge(WebMCPError):
    """The tool ran, and its output of `size` bytes of JSON is longer than `limit`; it is not passed on.

    Remedy: Ask the tool for less, if it has an argument for that, read the result from the page, or raise
    `max_output_bytes`.
    """

    code = "webmcp_output_too_large"

    def __init__(self, message: str, *, tool: str, size: int, limit: int) -> None:
        super().__init__(message, tool=tool)
        self.size = size
        self.limit = limit


class DownloadFailed(StillframeError):
    """A download was cancelled or refused; `url` is where it came from.

    Remedy: Allow downloads in the context (`downloads`), and try the download again.
    """

    code = "download_failed"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class FetchFailed(StillframeError):
    """A request outside of the pages failed; `url` is where it went, `reason` the cause or the status.

    Remedy: Check the URL, the server and the proxy; without `fail_on_status_code`, an error status raises nothing.
    """

    code = "fetch_failed"

    def __init__(self, message: str, *, url: str, reason: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class StorageNotPortable(StillframeError):
    """A database of a site holds a value that a storage state cannot keep, such as a CryptoKey.

    `origin`, `database`, `store` and `key` (as JSON) say where it is, `kind` what it is.

    Remedy: Save the state without `indexed_db`, or keep the login in the profile of the browser
    (`launch(profile=…)`).
    """

    code = "storage_not_portable"

    def __init__(self, message: str, *, origin: str, database: str, store: str, key: str, kind: str) -> None:
        super().__init__(message)
        self.origin = origin
        self.database = database
        self.store = store
        self.key = key
        self.kind = kind


class DialogOpen(StillframeError):
    """A dialog blocks the page and waits for an answer; `type`, `dialog_message` and `url` describe it.

    Only pages with `dialogs="ask"` hold their dialogs.

    Remedy: Answer it with `page.answer_dialog(…)` or the action `answer_dialog`, then repeat the call.
    """

    code = "dialog_open"

    def __init__(self, message: str, *, type: str, dialog_message: str, url: str) -> None:
        super().__init__(message)
        self.type = type
        self.dialog_message = dialog_message
        self.url = url


class AssertionFailed(StillframeError, AssertionError):
    """What `expect` asserts did not become true in time.

    `expected` and `received` are texts; `trace` is the trace file of the page, if there is one.

    Remedy: Compare what was expected with what was there; the message also shows what the last actions changed.
    """

    code = "assertion_failed"

    def __init__(self, message: str, *, expected: str, received: str, trace: str | None = None) -> None:
        super().__init__(message)
        self.expected = expected
        self.received = received
        self.trace = trace


class GuardStopped(StillframeError):
    """A guarded sequence stopped, because the page became a different page; `skipped` counts the actions not run.

    Remedy: Look at the new page and send the remaining actions if they still make sense there.
    """

    code = "guard_stopped"

    def __init__(self, message: str, *, skipped: int) -> None:
        super().__init__(message)
        self.skipped = skipped


class SessionServerFailed(StillframeError):
    """The background process that keeps sessions between commands cannot be started or reached.

    Remedy: Do what the message says. If it names no cause, run `stillframe session stop` and open the sessions again.
    """

    code = "session_server_failed"


# -- traces ----------------------------------------------------------------------------------------


class TraceError(StillframeError):
    """The base class of the errors of trace files; `path` is the file."""

    code = "trace_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class TraceFailed(TraceError, OSError):
    """A trace file cannot be written; `path` is the file. What was written before stays readable.

    Remedy: Make room or choose another directory; the trace is complete up to this moment.
    """

    code = "trace_failed"


class TraceInvalid(TraceError, ValueError):
    """A file is not a trace that this version reads; `path` is the file.

    Remedy: Check the path. A trace of a newer stillframe needs that version.
    """

    code = "trace_invalid"


# -- HAR files -------------------------------------------------------------------------------------


class HarError(StillframeError):
    """The base class of the errors of HAR files; `path` is the file."""

    code = "har_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class HarFailed(HarError, OSError):
    """A HAR file cannot be written; `path` is the file. What was there before is as it was.

    Remedy: Make room or choose another directory, and record again.
    """

    code = "har_failed"


class HarInvalid(HarError, ValueError):
    """A file is not a HAR file, or a body that it names is missing; `path` is the file.

    Remedy: Check the path. Bodies that were attached have to lie beside the HAR file, or in the same zip.
    """

    code = "har_invalid"


# -- films -----------------------------------------------------------------------------------------


class VideoError(StillframeError):
    """The base class of the errors of films."""

    code = "video_error"


class FfmpegNotFound(VideoError):
    """A context is to record videos, and there is no ffmpeg to make them; `tried` names where it was looked for.

    Remedy: Install ffmpeg (`apt-get install ffmpeg`, `brew install ffmpeg`), or set STILLFRAME_FFMPEG to its path.
    """

    code = "ffmpeg_not_found"

    def __init__(self, message: str, *, tried: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.tried = tuple(tried)


class VideoFailed(VideoError, OSError):
    """A film could not be made, or not to its end; `path` is its file, which holds what was written before.

    Remedy: Do what the message says; it has what ffmpeg wrote. A page that closes before it was drawn has no film.
    """

    code = "video_failed"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


# -- cassettes -----------------------------------------------------------------------------------


class CassetteError(StillframeError):
    """The base class of the errors of cassette files; `path` is the file."""

    code = "cassette_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class CassetteFailed(CassetteError, OSError):
    """A cassette cannot be written; `path` is the file. What was written before stays readable.

    Remedy: Make room or choose another directory, and record again.
    """

    code = "cassette_failed"


class CassetteInvalid(CassetteError, ValueError):
    """A file is not a cassette that this version plays; `path` is the file.

    Remedy: Check the path, or record the cassette again with this version.
    """

    code = "cassette_invalid"


# -- recordings ----------------------------------------------------------------------------------


class RecorderError(StillframeError):
    """The base class of the errors of recordings."""

    code = "recorder_error"


class RecorderFailed(RecorderError):
    """A page cannot be recorded, for example because another recorder is on it.

    Remedy: Stop the other recorder, or record in another page.
    """

    code = "recorder_failed"


class RecordingInvalid(RecorderError, ValueError):
    """A recording's file does not parse; `line` is the number of the wrong line, None if it is none in particular.

    Remedy: Correct the line that the message names, or record again.
    """

    code = "recording_invalid"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class FlowInvalid(RecorderError, ValueError):
    """A user flow of Chrome DevTools does not parse or cannot be played; `step` is the index of the wrong step.

    Remedy: Remove or correct the step, or export the flow again.
    """

    code = "flow_invalid"

    def __init__(self, message: str, *, step: int | None = None) -> None:
        super().__init__(message)
        self.step = step


# -- orchestrator --------------------------------------------------------------------------------


class AgentError(StillframeError):
    """A problem of the orchestrator; the page and what was achieved are as they were."""

    code = "agent_error"


class DecisionInvalid(AgentError, ValueError):
    """The reply of a model is no decision; `field` is the path of the wrong key, None for the whole reply.

    Remedy: Nothing: the orchestrator asks the model to correct the field. In your own loop, do the same.
    """

    code = "decision_invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class ToolFailed(AgentError):
    """A tool that a model called does not exist, refused its arguments, or did not work; `tool` is its name.

    Remedy: Nothing: the model reads the message and goes on. Correct your tool if it is one of your own.
    """

    code = "tool_failed"

    def __init__(self, message: str, *, tool: str) -> None:
        super().__init__(message)
        self.tool = tool


class ScriptInvalid(AgentError, ValueError):
    """A script file does not parse; `line` is the number of the wrong line, None if it is none in particular.

    Remedy: Correct the line that the message names, or generate the script again.
    """

    code = "script_invalid"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class ModelFailed(AgentError):
    """A model gave no usable reply; `model` is its name."""

    code = "model_failed"

    def __init__(self, message: str, *, model: str) -> None:
        super().__init__(message)
        self.model = model


class ModelRefused(ModelFailed):
    """The provider does not accept the key, the model or the account; a later request would not change that.

    Remedy: Check the key, the name of the model, and the account at the provider.
    """

    code = "model_refused"


class ModelUnavailable(ModelFailed):
    """The provider cannot reply now; `retry_after` is how many seconds it asks to wait, None if it does not say.

    Remedy: Try again after `retry_after` seconds.
    """

    code = "model_unavailable"

    def __init__(self, message: str, *, model: str, retry_after: float | None = None) -> None:
        super().__init__(message, model=model)
        self.retry_after = retry_after


class ModelTimeout(ModelFailed, TimeoutError):
    """The model did not reply in time.

    Remedy: Raise `model_timeout`, or choose a faster model.
    """

    code = "model_timeout"


class ModelReplyInvalid(ModelFailed):
    """The model did not correct an invalid reply, although it was told what was wrong.

    Remedy: Choose a more capable model, or raise `max_invalid_replies`.
    """

    code = "model_reply_invalid"


class ModelContentFiltered(ModelFailed):
    """The model refused to reply, or its provider filtered the request or the reply; the message has what it said.

    Remedy: Look at the goal and at the page: one of them is what the provider does not allow. Another model may reply.
    """

    code = "model_content_filtered"


class ModelBudgetExceeded(ModelFailed):
    """A request was not sent, because by estimate it costs more than is left; `budget` is the key of the limit.

    Remedy: Raise `budget_tokens` or `budget_usd`, or shorten the prompt with `max_prompt_chars`.
    """

    code = "model_budget_exceeded"

    def __init__(self, message: str, *, model: str, budget: str) -> None:
        super().__init__(message, model=model)
        self.budget = budget


# -- the farm --------------------------------------------------------------------------------------


class FarmError(StillframeError):
    """A problem of a crawl or of its browsers; what the queue has recorded is intact."""

    code = "farm_error"


class PoolClosed(FarmError):
    """A browser pool is closed or closes, so it gives out no more pages.

    Remedy: Open a new pool.
    """

    code = "pool_closed"


class PoolTimeout(FarmError, TimeoutError):
    """A browser pool had no free page in time; `reason` is what it waited for, such as "memory" or "disk".

    Remedy: Raise the time limit or the size of the pool; `reason` says what it lacked.
    """

    code = "pool_timeout"

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class DiskFull(FarmError, OSError):
    """A folder has too little free space; `path` is the folder, `free_bytes` what is left of `needed_bytes`.

    Remedy: Make room, then go on with `--resume`.
    """

    code = "disk_full"

    def __init__(self, message: str, *, path: str, free_bytes: int, needed_bytes: int) -> None:
        super().__init__(message)
        self.path = path
        self.free_bytes = free_bytes
        self.needed_bytes = needed_bytes


class StoreError(FarmError):
    """A problem of the database that holds a crawl; `url` is its URL without a password."""

    code = "store_error"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class StoreUnavailable(StoreError, ConnectionError):
    """The database of a crawl cannot be reached, or did not answer in time; `url` is its URL without a password.

    Remedy: Check that the database runs and that its URL is right, then go on with `--resume`.
    """

    code = "store_unavailable"


class StoreVersion(StoreError):
    """Another version of stillframe made the tables; `found` and `expected` are the versions, `url` the database.

    Remedy: Use the version of stillframe that began the crawl, or begin a new one.
    """

    code = "store_version"

    def __init__(self, message: str, *, url: str, found: int, expected: int) -> None:
        super().__init__(message, url=url)
        self.found = found
        self.expected = expected


class LeaseLost(FarmError):
    """A worker answers for a page that is no longer its own; `key` is the page's key, `worker` the worker's name.

    Remedy: Nothing: another worker has the page. If it happens often, the machine is too busy: lower the
    concurrency.
    """

    code = "lease_lost"

    def __init__(self, message: str, *, key: str, worker: str) -> None:
        super().__init__(message)
        self.key = key
        self.worker = worker


class CrawlExists(FarmError):
    """A crawl of that name stands in the database and is not to be continued; `name` is the crawl's.

    Remedy: Go on with `--resume`, or choose another name.
    """

    code = "crawl_exists"

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class CrawlUnknown(FarmError):
    """No crawl of that name stands in the database; `name` is the one that was asked for.

    Remedy: Check the name and the database; `stillframe farm status` needs the URL that `farm up` had.
    """

    code = "crawl_unknown"

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class OutputInvalid(FarmError):
    """An output folder cannot be used: not empty, not writable, or of another crawl; `path` is the folder.

    Remedy: Choose an empty folder that you can write to, or the folder of this crawl.
    """

    code = "output_invalid"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class ClusterUnavailable(FarmError, ConnectionError):
    """No Ray cluster answers at `address`; what a crawl has is in its database, whatever becomes of the cluster.

    Remedy: Start Ray (`ray start --head`) or correct the address, then go on with `--resume`.
    """

    code = "cluster_unavailable"

    def __init__(self, message: str, *, address: str) -> None:
        super().__init__(message)
        self.address = address
