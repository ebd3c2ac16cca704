"""The words between the settling logic and its shell: signals go in, effects come out.

A signal says what happened in a page; the time of its arrival is given beside it, in milliseconds of one monotonic
clock. A effect says what the shell should do next. Both are plain values, so a test can write a stream of them by hand.
"""

from __future__ import annotations

import msgspec

from stillframe.model.verdict import Ignored, Verdict


class Signal(msgspec.Struct, frozen=True):
    """Something that happened."""


# -- the caller ----------------------------------------------------------------------------------


class Limits(msgspec.Struct, frozen=True):
    """How long one settling may take; all times in milliseconds."""

    timeout_ms: float = 5000
    """The cap on the wait; default from the original proposal."""
    horizon_ms: float = 2000
    """Work that takes longer than this after its cause is reported, not awaited (settle.md §2)."""
    quiet_window_ms: float = 60
    """How long after the last activity to look again for work that no signal announces: the usual window."""
    knows_calls: bool = False
    """Whether documents tell what they have scheduled."""
    lead_ms: float = 30
    """How much of that window the fence at its end takes, two frames at 60 Hz: it goes out so much earlier."""


class Armed(Signal, frozen=True):
    """Actions are about to be performed; what starts from now on may be theirs."""

    limits: Limits = Limits()
    workers: tuple[str, ...] = ()
    """The keys of the workers that were greeted; each that is free says so by WorkerAnswered."""
    adopt: bool = False
    """Whether what is under way counts as well: requests in flight, a navigation, documents and frames that load;
    otherwise it is foreign, and neither awaited nor reported."""
    url: str = ""
    """The URL of the document, as far as known; windows are learned per origin."""


class ActionDone(Signal, frozen=True):
    """The actions have been performed; the wait begins."""


class Dropped(Signal, frozen=True):
    """Nobody waits any more: the actions were abandoned, or their wait is over."""


class CallerScriptRan(Signal, frozen=True):
    """The caller did something to the page outside of any wait: what follows is not the last actions' doing."""


class Tick(Signal, frozen=True):
    """The time asked for by a WakeAt has come."""


# -- network -------------------------------------------------------------------------------------


class RequestStarted(Signal, frozen=True, kw_only=True):
    """A request left the page or one of its workers, or was redirected (same `id`)."""

    id: str
    url: str
    method: str = "GET"
    type: str = "Other"
    loader: str = ""
    initiator: str = ""
    """Where it was started from, as far as known: a type, or `url:line:column` of the innermost script frame."""
    ad: bool = False
    body: str = ""
    """A digest of what it sends; empty when it sends nothing."""
    realm: str = ""
    """The worker it was started in, if it was; its requests end with it."""


class ResponseStarted(Signal, frozen=True):
    """The headers of a response arrived."""

    id: str
    mime_type: str = ""
    length: int | None = None
    """How many bytes the body has, where the headers tell it of the body as the page gets it."""


class DataReceived(Signal, frozen=True):
    """A piece of a response body arrived, of `length` bytes."""

    id: str
    length: int = 0


class RequestEnded(Signal, frozen=True):
    """A request finished, failed or was answered from memory."""

    id: str
    failed: bool = False


class StreamMessage(Signal, frozen=True):
    """A server-sent event arrived; `shape` is what it has in common with its like.

    `says` tells what it announces: `more`, or that it is the `last`; empty if it says neither.
    """

    id: str
    shape: str = ""
    says: str = ""


class SocketOpening(Signal, frozen=True):
    """A WebSocket began its handshake."""

    id: str
    url: str


class SocketSent(Signal, frozen=True):
    """The page sent something over a WebSocket; `shape` is what it has in common with its like: the type it names."""

    id: str
    shape: str = ""


class SocketReceived(Signal, frozen=True):
    """Something came over a WebSocket; the end of its handshake counts as well.

    `shape` is what a message has in common with its like: its beginning, without figures. `says` is as in
    StreamMessage.
    """

    id: str
    shape: str = ""
    says: str = ""


class SocketClosed(Signal, frozen=True):
    """A WebSocket closed."""

    id: str


# -- documents -----------------------------------------------------------------------------------


class NavigationRequested(Signal, frozen=True):
    """A frame asked to be navigated; the browser has not begun yet."""

    frame: str
    url: str
    main: bool


class NavigationStarted(Signal, frozen=True):
    """The browser began to load another document into a frame."""

    frame: str
    loader: str
    url: str
    main: bool


class Committed(Signal, frozen=True):
    """A frame shows another document; `restored` when it came complete, from the back-forward cache."""

    frame: str
    loader: str
    url: str
    main: bool
    restored: bool = False


class WithinDocument(Signal, frozen=True):
    """The URL changed and the document did not: a fragment, or the history API."""

    frame: str
    url: str
    main: bool


class Loaded(Signal, frozen=True):
    """The load event of a document fired."""

    frame: str
    loader: str
    main: bool


class FrameStartedLoading(Signal, frozen=True):
    """A frame began to load."""

    frame: str
    main: bool


class FrameStoppedLoading(Signal, frozen=True):
    """A frame finished loading, one way or another."""

    frame: str
    main: bool


class FrameDetached(Signal, frozen=True):
    """A frame left the page."""

    frame: str


# -- the page ------------------------------------------------------------------------------------


class Mutated(Signal, frozen=True):
    """The document changed, for no reason of its own; `where` is a selector of what changed, `realm` its frame."""

    where: str = ""
    realm: str = ""


class CallsMade(Signal, frozen=True):
    """A document has scheduled something, and wants to be asked; `realm` is its frame."""

    realm: str = ""


class Expected(Signal, frozen=True):
    """What the caller expects has come true."""


class DialogOpened(Signal, frozen=True):
    """A JavaScript dialog stands open and stops the page; `kind` is alert, confirm, prompt or beforeunload."""

    kind: str
    message: str = ""


class DialogClosed(Signal, frozen=True):
    """The dialog was answered."""


class Download(Signal, frozen=True):
    """A download began."""

    url: str


class NewTarget(Signal, frozen=True):
    """The page opened another page."""

    url: str


class TargetOpened(Signal, frozen=True):
    """A page that this one opened can be listened to; it may have something to tell its opener."""

    id: str
    url: str


class TargetSettled(Signal, frozen=True):
    """A page that this one opened is still, or gone."""

    id: str


class Crashed(Signal, frozen=True):
    """The renderer of the page crashed."""


class Closed(Signal, frozen=True):
    """The page is gone: closed, detached, or its browser is; `why` says so in words."""

    why: str = ""


# -- fences --------------------------------------------------------------------------------------


class Realm(msgspec.Struct, frozen=True):
    """A place that answers a fence: the main document, another one (`frame`) or a `worker`."""

    key: str
    kind: str
    what: str = ""
    process: str = ""
    """Which of the processes of the page it lives in."""


class FenceSent(Signal, frozen=True):
    """A fence was sent to these realms; each answers by a FenceDone of its own."""

    id: int
    realms: tuple[Realm, ...]


class Animated(msgspec.Struct, frozen=True):
    """The finite animation that ends last: what it moves and how long that still takes."""

    what: str
    remaining_ms: float


class Call(msgspec.Struct, frozen=True):
    """Work that a realm has scheduled since it was armed and that has not run yet, as its call hooks tell.

    A call that was cleared or has run is not told any more. A chain is told link by link: each link is a new call.
    """

    kind: str
    """The web's own name: setTimeout, setInterval, requestAnimationFrame, indexedDB, MessagePort.postMessage, …"""
    key: str
    """Kind, delay and call-site: the same the next time."""
    what: str
    """For people: `setTimeout 300 ms`."""
    age_ms: float = 0.0
    """The time since the call."""
    due_ms: float | None = None
    """The time until it runs, the next time if it repeats; negative when it is overdue, None when nobody can know."""
    site: str | None = None
    """Where the call was made, as `url:line:column`."""
    window_ms: float | None = None
    """How long one whose end nobody can know is given from the call on, where that is not the usual time."""
    idle_ms: float | None = None
    """How long frames or an interval have come round without any effect that shows; None while they have not, or not
    often enough."""


class Report(msgspec.Struct, frozen=True):
    """What a realm told when it answered a fence."""

    quiet_ms: float | None = None
    """The time since its last change that is not noise; None when there was none since it was armed."""
    where: str = ""
    """A selector of what changed last."""
    indicators: tuple[str, ...] = ()
    """Visible loading indicators that were not visible when it was armed."""
    animated: Animated | None = None
    ignored: tuple[Ignored, ...] = ()
    """Parts of the document that change by themselves, and calls that recurred before it was armed."""
    calls: tuple[Call, ...] = ()
    """What it has scheduled and not run; told where calls are observed."""
    waited_ms: float | None = None
    """How long it waited as it was asked to; the rest of the time is what the fence took."""
    elements: int | None = None
    """How many elements the document has; shadow trees are left out."""


class FenceDone(Signal, frozen=True):
    """A realm answered a fence; `lost` when it could not, because its document went away meanwhile."""

    id: int
    realm: str
    report: Report = Report()
    lost: bool = False


class WorkerAnswered(Signal, frozen=True):
    """A worker answered the greeting sent to it when the actions began: its loop was free."""

    realm: str


class RealmCame(Signal, frozen=True):
    """A worker or an out-of-process frame has come; what it is here for is still to be done."""

    realm: str


class RealmGone(Signal, frozen=True):
    """A worker or an out-of-process frame is gone; it answers no more."""

    realm: str


# -- effects ---------------------------------------------------------------------------------------


class Effect(msgspec.Struct, frozen=True):
    """Something the shell should do."""


class RunFence(Effect, frozen=True):
    """Send a fence everywhere and say so by FenceSent; a document answers after two frames and `min_ms` at least.

    It waits for `quiet_ms` without a change as well, if that does not take too long. One frame is enough for a `quick`
    fence if nothing changes in it.
    """

    id: int
    min_ms: float
    quiet_ms: float = 0.0
    quick: bool = False


class WakeAt(Effect, frozen=True):
    """Give a Tick at this time; it replaces the WakeAt before it."""

    at: float


class Finish(Effect, frozen=True):
    """Settling is over."""

    verdict: Verdict
