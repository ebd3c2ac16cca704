"""Everything stillframe raises, as one tree.

    StillframeError
    ├── InputError (ValueError)      the caller gave something that cannot be meant
    │   ├── ActionInvalid            an unknown action, a missing or a wrong field
    │   ├── OptionInvalid            an unknown option or a value out of range
    │   ├── SelectorInvalid          a selector that does not parse
    │   ├── SecretUnknown            a name that no secret was declared under
    │   ├── SessionUnknown           no session of that name is open; names the nearest
    │   ├── SessionExists            a session of that name is open already
    │   └── UrlRefused               a URL that the rules do not allow
    ├── SnapshotError (ValueError)   bytes that are not a DOM snapshot; carries the offset
    ├── SignatureError (ValueError)  bytes that are not a stored signature or index; carries the offset
    ├── FingerprintInvalid (ValueError)  bytes that are no fingerprint, or one of another version; carries the offset
    ├── RelocationFailed             no element is enough like a fingerprint; carries the nearest, score and margin
    ├── BrowserError                 the browser process
    │   ├── BrowserNotFound          no Chrome or Chromium to be found
    │   ├── LaunchFailed             it did not come up; quotes its stderr
    │   ├── ProfileLocked            another browser holds the profile
    │   └── ConnectFailed            no DevTools endpoint answers there
    ├── ProtocolError                what the browser sent is not CDP
    ├── CommandError                 a CDP command did not succeed
    │   ├── CdpError                 the browser answered with an error code
    │   │   └── ContextLost          the document was replaced while the command ran
    │   ├── CommandTimeout           no answer before the deadline
    │   ├── EvaluationFailed         JavaScript that was run in the page threw
    │   ├── MessageTooLarge          refused before sending: Chrome would drop the connection
    │   └── SessionLost              nobody is there to answer any more
    │       ├── SessionDetached      the session was detached
    │       ├── TargetClosed         the target (tab, frame, worker) was closed
    │       ├── TargetCrashed        its renderer crashed
    │       └── ConnectionLost       the whole connection is gone
    ├── SecretShown                  a picture or a PDF would show a secret that cannot be painted over
    ├── SubscriptionLagged           a subscription that must not lose events overflowed
    ├── ActionFailed                 one action of a sequence did not succeed
    │   ├── ElementNotFound          no element matches; names the nearest candidates
    │   ├── AmbiguousSelector        several elements match; lists them
    │   ├── ElementDetached          it left the document before the action
    │   ├── ElementHidden            it is not rendered
    │   ├── ElementUnstable          its box keeps moving
    │   ├── ElementDisabled          it is disabled
    │   ├── ElementCovered           another element receives the event; names it
    │   ├── PressMissed              the press went to another element than the one it was aimed at; names it
    │   ├── PageUnresponsive         a script of the page runs without end, so that no input is answered
    │   ├── ElementUnsuitable        it cannot take this action (text into a checkbox, …)
    │   ├── RefStale                 the element of a ref is gone, and none could be told to be the same
    │   ├── LoopRefused              the same action again on a page that it does not change
    │   ├── SecretRefused            a secret would have gone to a host that it is not meant for
    │   ├── WaitTimeout              a `wait_for` condition did not come true
    │   └── NavigationFailed         the browser could not load the URL
    ├── DownloadFailed               a download was cancelled or refused
    └── GuardStopped                 the page turned into another one before the action

Every class has a `code`, the word that stands in JSON results. Attributes carry the data needed to act;
the message says what was wrong, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class StillframeError(Exception):
    """The root of all errors raised by stillframe."""

    code: ClassVar[str] = "error"


# -- input ---------------------------------------------------------------------------------------


class InputError(StillframeError, ValueError):
    """The caller gave something that cannot be meant; nothing was done."""

    code = "input_invalid"


class ActionInvalid(InputError):
    """An action list does not validate; nothing was run.

    `index` is the place in the list (None when the list itself is wrong), `field` the path in that action.
    """

    code = "action_invalid"

    def __init__(self, message: str, *, index: int | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.index = index
        self.field = field


class OptionInvalid(InputError):
    """An option is unknown or its value is out of range; `option` names it."""

    code = "option_invalid"

    def __init__(self, message: str, *, option: str | None = None) -> None:
        super().__init__(message)
        self.option = option


class SelectorInvalid(InputError):
    """A selector does not parse; `selector` is its text."""

    code = "selector_invalid"

    def __init__(self, message: str, *, selector: str) -> None:
        super().__init__(message)
        self.selector = selector


class SecretUnknown(InputError):
    """An action names a secret that was not declared; `name` is what it said."""

    code = "secret_unknown"

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class SessionUnknown(InputError):
    """No session of that name is open; `session_id` is the name."""

    code = "session_unknown"

    def __init__(self, message: str, *, session_id: str) -> None:
        super().__init__(message)
        self.session_id = session_id


class SessionExists(InputError):
    """A session of that name is open already; `session_id` is the name."""

    code = "session_exists"

    def __init__(self, message: str, *, session_id: str) -> None:
        super().__init__(message)
        self.session_id = session_id


class UrlRefused(InputError):
    """A URL was refused before anything was sent; `url` is its text, `rule` what of the policy refused it."""

    code = "url_refused"

    def __init__(self, message: str, *, url: str, rule: str = "") -> None:
        super().__init__(message)
        self.url = url
        self.rule = rule


class SnapshotError(StillframeError, ValueError):
    """Bytes are not a DOM snapshot; `offset` is the byte where that became certain."""

    code = "snapshot_invalid"

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class SignatureError(StillframeError, ValueError):
    """Bytes are not a stored signature or index; `offset` is the byte where that became certain."""

    code = "signature_invalid"

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class FingerprintInvalid(StillframeError, ValueError):
    """Bytes are no fingerprint of this version; `offset` is the byte where that became certain."""

    code = "fingerprint_invalid"

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class RelocationFailed(StillframeError):
    """No element is enough like a fingerprint, or several are; `candidates` are selectors of the nearest ones.

    `score` is the likeness of the best of them and `margin` its lead on the next, both between 0 and 1.
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
    """Something about the browser process, not about a page."""

    code = "browser_error"


class BrowserNotFound(BrowserError):
    """No Chrome or Chromium was found; `tried` lists where it was looked for."""

    code = "browser_not_found"

    def __init__(self, message: str, *, tried: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.tried = tuple(tried)


class LaunchFailed(BrowserError):
    """The browser did not come up; `returncode` and the tail of its `stderr` say why."""

    code = "launch_failed"

    def __init__(self, message: str, *, returncode: int | None = None, stderr: str = "") -> None:
        super().__init__(message)
        self.returncode = returncode
        self.stderr = stderr


class ProfileLocked(LaunchFailed):
    """Another browser holds the profile directory; `pid` is its process id where it is known."""

    code = "profile_locked"

    def __init__(
        self, message: str, *, pid: int | None = None, returncode: int | None = None, stderr: str = ""
    ) -> None:
        super().__init__(message, returncode=returncode, stderr=stderr)
        self.pid = pid


class ConnectFailed(BrowserError):
    """No DevTools endpoint answers; `endpoint` is what was asked for."""

    code = "connect_failed"

    def __init__(self, message: str, *, endpoint: str) -> None:
        super().__init__(message)
        self.endpoint = endpoint


# -- protocol ------------------------------------------------------------------------------------


class ProtocolError(StillframeError):
    """What the browser sent is not the DevTools protocol; `sample` holds its first bytes."""

    code = "protocol_error"

    def __init__(self, message: str, *, sample: bytes = b"") -> None:
        super().__init__(message)
        self.sample = sample


class CommandError(StillframeError):
    """A CDP command did not succeed; `method` and `session_id` say which and where."""

    code = "command_failed"

    def __init__(self, message: str, *, method: str = "", session_id: str = "") -> None:
        super().__init__(message)
        self.method = method
        self.session_id = session_id


class CdpError(CommandError):
    """The browser answered a command with an error.

    `number` is the JSON-RPC code (-32601 unknown method, -32602 bad parameters, -32001 unknown session, -32000
    everything else), `text` and `data` are the browser's words.
    """

    code = "cdp_error"

    def __init__(self, number: int, text: str, data: Any = None, *, method: str = "", session_id: str = "") -> None:
        detail = f" ({data})" if data else ""
        super().__init__(f"{method}: {text}{detail} [{number}]", method=method, session_id=session_id)
        self.number = number
        self.text = text
        self.data = data


class ContextLost(CdpError):
    """The document or execution context was replaced while the command ran; asking again may succeed."""

    code = "context_lost"


class CommandTimeout(CommandError):
    """A command had no answer before its deadline; `timeout` is in seconds."""

    code = "command_timeout"

    def __init__(self, message: str, *, timeout: float, method: str = "", session_id: str = "") -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.timeout = timeout


class EvaluationFailed(CommandError):
    """JavaScript that was run in the page threw; `text` is the exception as the page would print it."""

    code = "evaluation_failed"

    def __init__(self, text: str, *, method: str = "", session_id: str = "") -> None:
        super().__init__(f"the page threw {text}", method=method, session_id=session_id)
        self.text = text


class EvaluationTimeout(CommandTimeout):
    """A script that was given to `evaluate` ran into its limit; `ended` says whether the page goes on.

    A script that ran all the time was ended, a promise that was not settled was given up. Where `ended` is false the
    page does not answer for a reason of its own.
    """

    code = "evaluation_timeout"

    def __init__(self, message: str, *, timeout: float, ended: bool, method: str = "", session_id: str = "") -> None:
        super().__init__(message, timeout=timeout, method=method, session_id=session_id)
        self.ended = ended


class MessageTooLarge(CommandError):
    """A message was not sent because Chrome would drop the connection; `size` and `limit` are in bytes."""

    code = "message_too_large"

    def __init__(self, message: str, *, size: int, limit: int, method: str = "", session_id: str = "") -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.size = size
        self.limit = limit


class SessionLost(CommandError):
    """Nobody is there to answer any more; every pending and later command of the session gets this."""

    code = "session_lost"


class SessionDetached(SessionLost):
    """The session was detached from its target; the target may live on."""

    code = "session_detached"


class TargetClosed(SessionLost):
    """The target was closed or destroyed."""

    code = "target_closed"


class TargetCrashed(SessionLost):
    """The renderer of the target crashed; only navigating, reloading or closing it can follow."""

    code = "target_crashed"


class ConnectionLost(SessionLost):
    """The connection to the browser is gone, and every session with it."""

    code = "connection_lost"


class SecretShown(StillframeError):
    """A picture or a PDF was not made, since it would show a secret that cannot be painted over."""

    code = "secret_shown"


class SubscriptionLagged(StillframeError):
    """A subscription with the policy `error` overflowed; `dropped` events were lost."""

    code = "subscription_lagged"

    def __init__(self, message: str, *, dropped: int) -> None:
        super().__init__(message)
        self.dropped = dropped


# -- actions -------------------------------------------------------------------------------------


class ActionFailed(StillframeError):
    """One action did not succeed; `selector` is its target where it has one."""

    code = "action_failed"

    def __init__(self, message: str, *, selector: str | None = None) -> None:
        super().__init__(message)
        self.selector = selector


class ElementNotFound(ActionFailed):
    """No element matches; `candidates` are the nearest ones, best first."""

    code = "element_not_found"

    def __init__(self, message: str, *, selector: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message, selector=selector)
        self.candidates = tuple(candidates)


class AmbiguousSelector(ActionFailed):
    """Several elements match; `matches` describes the first of them and `count` is how many there are."""

    code = "ambiguous_selector"

    def __init__(self, message: str, *, selector: str, matches: Sequence[str] = (), count: int = 0) -> None:
        super().__init__(message, selector=selector)
        self.matches = tuple(matches)
        self.count = count


class ElementDetached(ActionFailed):
    """The element left the document before the action was performed."""

    code = "element_detached"


class ElementHidden(ActionFailed):
    """The element is not rendered, so no user could act on it."""

    code = "element_hidden"


class ElementUnstable(ActionFailed):
    """The element's box kept moving until the deadline of the action."""

    code = "element_unstable"


class ElementDisabled(ActionFailed):
    """The element is disabled or read-only."""

    code = "element_disabled"


class ElementCovered(ActionFailed):
    """Another element would receive the event; `cover` describes it."""

    code = "element_covered"

    def __init__(self, message: str, *, selector: str, cover: str) -> None:
        super().__init__(message, selector=selector)
        self.cover = cover


class PressMissed(ActionFailed):
    """The press went to another element, or was released over another; `receiver` describes it.

    Input was sent, so the action is not tried again. `prevented` says that nothing of it reached the page: the press
    was stopped before a listener of the page could hear of it.
    """

    code = "press_missed"

    def __init__(self, message: str, *, selector: str, receiver: str, prevented: bool = False) -> None:
        super().__init__(message, selector=selector)
        self.receiver = receiver
        self.prevented = prevented


class PageUnresponsive(ActionFailed):
    """The page did not answer within the time limit of the action, because a script of it runs all the time."""

    code = "page_unresponsive"


class ElementUnsuitable(ActionFailed):
    """The element cannot take this action, or not this value."""

    code = "element_unsuitable"


class RefStale(ActionFailed):
    """The element of a ref is gone, and no element clearly is the same one; `candidates` are the nearest, best first.

    `ref` is the ref, `role` and `name` are what its element was.
    """

    code = "ref_stale"

    def __init__(self, message: str, *, ref: str, role: str, name: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message, selector=f"ref={ref}")
        self.ref = ref
        self.role = role
        self.name = name
        self.candidates = tuple(candidates)


class LoopRefused(ActionFailed):
    """An action was not performed, since the page has not changed after the last ones like it.

    `rule` names the rule of `stillframe.loopguard`, `signature` what was repeated, `count` how often it has come.
    """

    code = "loop_refused"

    def __init__(self, message: str, *, rule: str, signature: str, count: int) -> None:
        super().__init__(message)
        self.rule = rule
        self.signature = signature
        self.count = count


class SecretRefused(ActionFailed):
    """A secret was not typed, because it is not meant for the host of its frame; `name` and `host` say which."""

    code = "secret_refused"

    def __init__(self, message: str, *, name: str, host: str) -> None:
        super().__init__(message)
        self.name = name
        self.host = host


class WaitTimeout(ActionFailed):
    """A condition that was waited for did not come true in time."""

    code = "wait_timeout"


class NavigationFailed(ActionFailed):
    """The browser could not load a URL; `reason` is its net error, for example `net::ERR_CONNECTION_REFUSED`."""

    code = "navigation_failed"

    def __init__(self, message: str, *, url: str, reason: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class DownloadFailed(StillframeError):
    """A download was cancelled or refused; `url` is where it came from."""

    code = "download_failed"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class GuardStopped(StillframeError):
    """A guarded sequence stopped because the page had turned into another one; `skipped` actions were not run."""

    code = "guard_stopped"

    def __init__(self, message: str, *, skipped: int) -> None:
        super().__init__(message)
        self.skipped = skipped
