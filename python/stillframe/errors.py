"""All errors that stillframe raises, in one tree; those of the rooms above the driver live in the `errors` of each.

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
    ├── ScriptInvalid (ValueError)        a script file does not parse; carries the line
    ├── AgentError                        the orchestrator
    │   ├── DecisionInvalid (ValueError)  the reply of a model is not a decision; carries the field
    │   ├── ToolFailed                    a tool that a model called could not be used
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
        ├── DocumentTruncated             a document did not come whole
        ├── DocumentReplaced              the page before went on and replaced the document
        ├── RendererHung                  a page does not answer
        ├── OutputInvalid                 the output folder cannot be used
        ├── ClusterUnavailable (ConnectionError)  no Ray cluster answers
        ├── RobotsUnreachable             the robots.txt of a page's host could not be read
        └── HostBusy                      the host of a page asks for time, and nothing else

Each class has a `code`, the word that stands for it in JSON results. Attributes hold the data to act on. The message
says what was wrong, where, and what to do.

Errors travel: `pickle` and `copy` keep the class, the message, all attributes, the notes and the cause, so an error
crosses a process pool unchanged. Time-outs are also `TimeoutError`s and lost connections are also `ConnectionError`s,
both of which are `OSError`s without an `errno`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from stillframe.adb.errors import AdbBinaryMissing as AdbBinaryMissing
    from stillframe.adb.errors import AdbFailed as AdbFailed
    from stillframe.adb.errors import AdbServerDied as AdbServerDied
    from stillframe.adb.errors import AdbServerTooOld as AdbServerTooOld
    from stillframe.adb.errors import AdbServerUnavailable as AdbServerUnavailable
    from stillframe.adb.errors import AndroidError as AndroidError
    from stillframe.adb.errors import AppFrozen as AppFrozen
    from stillframe.adb.errors import AppKilled as AppKilled
    from stillframe.adb.errors import AppNotRunning as AppNotRunning
    from stillframe.adb.errors import DeviceAmbiguous as DeviceAmbiguous
    from stillframe.adb.errors import DeviceConnectFailed as DeviceConnectFailed
    from stillframe.adb.errors import DeviceError as DeviceError
    from stillframe.adb.errors import DeviceNotFound as DeviceNotFound
    from stillframe.adb.errors import DeviceOffline as DeviceOffline
    from stillframe.adb.errors import DeviceUnauthorized as DeviceUnauthorized
    from stillframe.adb.errors import DevtoolsRejected as DevtoolsRejected
    from stillframe.adb.errors import DevtoolsSocketGone as DevtoolsSocketGone
    from stillframe.adb.errors import NoDebuggableWebView as NoDebuggableWebView
    from stillframe.adb.errors import NoDevices as NoDevices
    from stillframe.adb.errors import ShellFailed as ShellFailed
    from stillframe.adb.errors import TargetNotVisible as TargetNotVisible
    from stillframe.adb.errors import TransportLost as TransportLost
    from stillframe.adb.errors import UsbPermission as UsbPermission
    from stillframe.adb.errors import WebViewAmbiguous as WebViewAmbiguous
    from stillframe.adb.errors import WebViewHasNoPages as WebViewHasNoPages
    from stillframe.agent.errors import AgentError as AgentError
    from stillframe.agent.errors import DecisionInvalid as DecisionInvalid
    from stillframe.agent.errors import ModelBudgetExceeded as ModelBudgetExceeded
    from stillframe.agent.errors import ModelContentFiltered as ModelContentFiltered
    from stillframe.agent.errors import ModelFailed as ModelFailed
    from stillframe.agent.errors import ModelRefused as ModelRefused
    from stillframe.agent.errors import ModelReplyInvalid as ModelReplyInvalid
    from stillframe.agent.errors import ModelTimeout as ModelTimeout
    from stillframe.agent.errors import ModelUnavailable as ModelUnavailable
    from stillframe.agent.errors import ToolFailed as ToolFailed
    from stillframe.assertions.errors import AssertionFailed as AssertionFailed
    from stillframe.farm.errors import ClusterUnavailable as ClusterUnavailable
    from stillframe.farm.errors import CrawlExists as CrawlExists
    from stillframe.farm.errors import CrawlUnknown as CrawlUnknown
    from stillframe.farm.errors import DiskFull as DiskFull
    from stillframe.farm.errors import DocumentReplaced as DocumentReplaced
    from stillframe.farm.errors import DocumentTruncated as DocumentTruncated
    from stillframe.farm.errors import FarmError as FarmError
    from stillframe.farm.errors import HostBusy as HostBusy
    from stillframe.farm.errors import LeaseLost as LeaseLost
    from stillframe.farm.errors import OutputInvalid as OutputInvalid
    from stillframe.farm.errors import PoolClosed as PoolClosed
    from stillframe.farm.errors import PoolTimeout as PoolTimeout
    from stillframe.farm.errors import RendererHung as RendererHung
    from stillframe.farm.errors import RobotsUnreachable as RobotsUnreachable
    from stillframe.farm.errors import StoreError as StoreError
    from stillframe.farm.errors import StoreUnavailable as StoreUnavailable
    from stillframe.farm.errors import StoreVersion as StoreVersion
    from stillframe.har.errors import HarError as HarError
    from stillframe.har.errors import HarFailed as HarFailed
    from stillframe.har.errors import HarInvalid as HarInvalid
    from stillframe.recorder.errors import FlowInvalid as FlowInvalid
    from stillframe.recorder.errors import RecorderError as RecorderError
    from stillframe.recorder.errors import RecorderFailed as RecorderFailed
    from stillframe.recorder.errors import RecordingInvalid as RecordingInvalid
    from stillframe.scripts.errors import ScriptInvalid as ScriptInvalid
    from stillframe.session_server.errors import SessionServerFailed as SessionServerFailed
    from stillframe.testing.errors import CassetteError as CassetteError
    from stillframe.testing.errors import CassetteFailed as CassetteFailed
    from stillframe.testing.errors import CassetteInvalid as CassetteInvalid
    from stillframe.testing.errors import CassetteMismatch as CassetteMismatch
    from stillframe.trace.errors import TraceError as TraceError
    from stillframe.trace.errors import TraceFailed as TraceFailed
    from stillframe.trace.errors import TraceInvalid as TraceInvalid
    from stillframe.video.errors import FfmpegNotFound as FfmpegNotFound
    from stillframe.video.errors import VideoError as VideoError
    from stillframe.video.errors import VideoFailed as VideoFailed

_ROOMS: dict[str, str] = {
    "adb": (
        "AndroidError AdbServerUnavailable AdbBinaryMissing AdbServerTooOld AdbFailed DeviceError NoDevices "
        "DeviceNotFound DeviceAmbiguous DeviceUnauthorized DeviceOffline DeviceConnectFailed UsbPermission "
        "ShellFailed AppNotRunning AppFrozen NoDebuggableWebView WebViewHasNoPages WebViewAmbiguous "
        "TargetNotVisible DevtoolsSocketGone DevtoolsRejected AppKilled TransportLost AdbServerDied"
    ),
    "har": "HarError HarFailed HarInvalid",
    "video": "VideoError FfmpegNotFound VideoFailed",
    "trace": "TraceError TraceFailed TraceInvalid",
    "assertions": "AssertionFailed",
    "testing": "CassetteError CassetteFailed CassetteInvalid CassetteMismatch",
    "scripts": "ScriptInvalid",
    "agent": (
        "AgentError DecisionInvalid ToolFailed ModelFailed ModelRefused ModelUnavailable ModelTimeout "
        "ModelReplyInvalid ModelContentFiltered ModelBudgetExceeded"
    ),
    "recorder": "RecorderError RecorderFailed RecordingInvalid FlowInvalid",
    "farm": (
        "FarmError PoolClosed PoolTimeout DiskFull StoreError StoreUnavailable StoreVersion LeaseLost "
        "CrawlExists CrawlUnknown DocumentTruncated DocumentReplaced RendererHung OutputInvalid ClusterUnavailable "
        "RobotsUnreachable HostBusy"
    ),
    "session_server": "SessionServerFailed",
}
"""The errors that live in the `errors` module of the room which raises them; they are imported when first used."""
_HOMES = {name: f"stillframe.{room}.errors" for room, names in _ROOMS.items() for name in names.split()}


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


NavigationCause = Literal["net", "tls", "refused", "timeout", "unresponsive", "redirects", "download", "too_large"]
"""What kept a URL from loading: an error of the network, a connection that cannot be secured, the policy, the time
limit, a page that cannot be left, too many redirects by script; in a farm also a download, or a document over its
limit."""


class NavigationFailed(ActionFailed):
    """The browser could not load `url`; `reason` is the net error, for example `net::ERR_CONNECTION_REFUSED`.

    `cause` is the kind of failure, one of `NavigationCause`: `net` and `tls` are those with a net error.

    Remedy: Check the URL, the server and the proxy; `reason` is Chrome's name for the cause.
    """

    code = "navigation_failed"

    def __init__(self, message: str, *, url: str, reason: str, cause: NavigationCause = "net") -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason
        self.cause: NavigationCause = cause


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


class GuardStopped(StillframeError):
    """A guarded sequence stopped, because the page became a different page; `skipped` counts the actions not run.

    Remedy: Look at the new page and send the remaining actions if they still make sense there.
    """

    code = "guard_stopped"

    def __init__(self, message: str, *, skipped: int) -> None:
        super().__init__(message)
        self.skipped = skipped


# -- the errors of the rooms above -----------------------------------------------------------------


def all_errors() -> tuple[type[StillframeError], ...]:
    """Return every class of the tree; imports the modules of the rooms that define some."""
    own = (each for each in tuple(globals().values()) if isinstance(each, type) and issubclass(each, StillframeError))
    return tuple(dict.fromkeys([*own, *(_home_class(name) for name in _HOMES)]))


def _home_class(name: str) -> Any:
    return getattr(import_module(_HOMES[name]), name)


if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'stillframe.errors' has no attribute {name!r}")
        globals()[name] = value = _home_class(name)
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
