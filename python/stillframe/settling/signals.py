"""The values between the settling logic and its shell: signals go in, effects come out.

A signal says what happened in a page; the time of its arrival is passed beside it, in milliseconds of one monotonic
clock. An effect says what the shell should do next. Both are plain values, so a test can write a stream of them by
hand.
"""

from __future__ import annotations

import msgspec

from stillframe.model.verdict import Ignored, Verdict
from stillframe.settling.message_ids import MessageId


class Signal(msgspec.Struct, frozen=True):
    """Something that happened."""


# -- caller --------------------------------------------------------------------------------------


class Limits(msgspec.Struct, frozen=True):
    """The limits of one wait; all times are in milliseconds."""

    timeout_ms: float = 5000
    """The maximum duration of the wait; the default is that of docs/design/proposal.md."""
    horizon_ms: float = 2000
    """Work that takes longer than this after its cause is reported, not awaited."""
    quiet_window_ms: float = 60
    """How long after the last activity to check again for work that no signal announces: the usual window."""
    observes_calls: bool = False
    """Whether documents report their scheduled calls."""
    lead_ms: float = 30
    """How much of that window the fence at its end takes, two frames at 60 Hz: it starts that much earlier."""


class Armed(Signal, frozen=True):
    """Actions are about to run; work that starts from now on may be theirs."""

    limits: Limits = Limits()
    workers: tuple[str, ...] = ()
    """The keys of the workers that were armed; each one that is free answers with WorkerAnswered."""
    adopt: bool = False
    """Whether work in progress counts as well: requests in flight, a navigation, documents and frames that load;
    otherwise it is foreign, and neither awaited nor reported."""
    url: str = ""
    """The URL of the document, if known; windows are learned per origin."""


class ActionsDone(Signal, frozen=True):
    """The actions have run; the wait begins."""


class BetweenActions(Signal, frozen=True):
    """An action has run and another one follows after a wait, which takes `timeout_ms` at most."""

    timeout_ms: float


class Disarmed(Signal, frozen=True):
    """Nothing waits any more: the actions were abandoned, or their wait is over."""


class CallerScriptRan(Signal, frozen=True):
    """The caller changed the page outside of a wait: later changes are not effects of the last actions."""


class Tick(Signal, frozen=True):
    """The time of a WakeAt has come."""


# -- network -------------------------------------------------------------------------------------


class RequestStarted(Signal, frozen=True, kw_only=True):
    """A request left the page or one of its workers, or was redirected (same `id`)."""

    id: str
    url: str
    method: str = "GET"
    type: str = "Other"
    loader: str = ""
    initiator: str = ""
    """The initiator, if known: a type, or `url:line:column` of the innermost script frame."""
    ad: bool = False
    body: str = ""
    """A digest of the request body; empty without a body."""
    realm: str = ""
    """The worker that started it, if any; its requests end with it."""
    began_ms: float = 0.0
    """When the page began it, in milliseconds of the browser's wall clock."""


class ResponseStarted(Signal, frozen=True):
    """The headers of a response arrived."""

    id: str
    mime_type: str = ""
    length: int | None = None
    """The length of the body in bytes as the page gets it, if the headers say so."""


class DataReceived(Signal, frozen=True):
    """Data of a response body arrived, `length` bytes."""

    id: str
    length: int = 0


class RequestEnded(Signal, frozen=True):
    """A request finished, failed or was answered from memory."""

    id: str
    failed: bool = False


class ResourcesLoaded(Signal, frozen=True):
    """A document that came back from the back-forward cache reports which resources it has loaded."""

    resources: tuple[tuple[str, float], ...]
    """The URL of each, and when the page began to load it, as in RequestStarted."""


class StreamMessage(Signal, frozen=True):
    """A server-sent event arrived; `shape` is what similar messages have in common.

    `announces` is what it announces: `more` messages, or that it is the `last`; empty if neither.
    """

    id: str
    shape: str = ""
    announces: str = ""


class SocketOpening(Signal, frozen=True):
    """A WebSocket began its handshake."""

    id: str
    url: str


class SocketSent(Signal, frozen=True):
    """The page sent a message over a WebSocket.

    `shape` is what similar messages have in common: the type that they name. `ids` are the fields that a reply may
    repeat.
    """

    id: str
    shape: str = ""
    ids: tuple[MessageId, ...] = ()


class SocketReceived(Signal, frozen=True):
    """A message came over a WebSocket; the end of its handshake counts as well.

    `shape` is what similar messages have in common: their beginning without digits. `announces` is as in StreamMessage.
    `ids` are the fields that may repeat those of a sent message.
    """

    id: str
    shape: str = ""
    announces: str = ""
    ids: tuple[MessageId, ...] = ()


class SocketClosed(Signal, frozen=True):
    """A WebSocket closed."""

    id: str


# -- documents -----------------------------------------------------------------------------------


class NavigationRequested(Signal, frozen=True):
    """A frame requested a navigation; the browser has not started it yet, and does so after the delay."""

    frame: str
    url: str
    main: bool
    delay_ms: float = 0.0


class NavigationStarted(Signal, frozen=True):
    """The browser started to load another document into a frame."""

    frame: str
    loader: str
    url: str
    main: bool


class Committed(Signal, frozen=True):
    """A frame shows another document; `restored` if it came complete from the back-forward cache."""

    frame: str
    loader: str
    url: str
    main: bool
    restored: bool = False


class NavigatedWithinDocument(Signal, frozen=True):
    """The URL changed within the same document: a fragment, or the history API."""

    frame: str
    url: str
    main: bool


class Loaded(Signal, frozen=True):
    """The load event of a document fired."""

    frame: str
    loader: str
    main: bool


class DocumentCreated(Signal, frozen=True):
    """A loader has made a document: its first one, or the one into which a style sheet transforms XML."""

    loader: str


class FrameStartedLoading(Signal, frozen=True):
    """A frame started to load."""

    frame: str
    main: bool


class FrameStoppedLoading(Signal, frozen=True):
    """A frame stopped loading, whatever the outcome."""

    frame: str
    main: bool


class FrameDetached(Signal, frozen=True):
    """A frame left the page."""

    frame: str


# -- page ----------------------------------------------------------------------------------------


class Mutated(Signal, frozen=True):
    """The document changed, not by itself; `where` is a selector of the changed element, `realm` its frame."""

    where: str = ""
    realm: str = ""


class CallsScheduled(Signal, frozen=True):
    """A document has scheduled a call and wants to be asked; `realm` is its frame."""

    realm: str = ""


class ClosedRootsRequested(Signal, frozen=True):
    """A document has elements that may have closed shadow roots; they are being handed to its observer."""

    realm: str


class ClosedRootsHandedOver(Signal, frozen=True):
    """The observer of a document has all closed shadow roots that it asked for, or cannot get them."""

    realm: str


class ExpectationMet(Signal, frozen=True):
    """The condition that the caller expects came true."""


class DialogOpened(Signal, frozen=True):
    """A JavaScript dialog opened and blocks the page; `kind` is alert, confirm, prompt or beforeunload."""

    kind: str
    message: str = ""


class DialogClosed(Signal, frozen=True):
    """The dialog was closed."""


class DialogHeld(Signal, frozen=True):
    """A dialog of the page, or of one that shares its thread, waits for the caller's answer: nothing goes on before."""


class DialogReleased(Signal, frozen=True):
    """The dialog that waited for the caller's answer is gone."""


class Download(Signal, frozen=True):
    """A download began."""

    url: str


class NewTarget(Signal, frozen=True):
    """The page opened another page."""

    url: str


class NewTargetRefused(Signal, frozen=True):
    """The browser has opened none of the pages that the page announced last."""

    url: str


class TargetOpened(Signal, frozen=True):
    """A page that this one opened is attached; it may message its opener."""

    id: str
    url: str


class TargetSettled(Signal, frozen=True):
    """A page that this one opened is still, or gone."""

    id: str


class Crashed(Signal, frozen=True):
    """The renderer of the page crashed."""


class Closed(Signal, frozen=True):
    """The page is gone: it was closed or detached, or the browser ended; `why` is the reason in words."""

    why: str = ""


# -- fences --------------------------------------------------------------------------------------


class Realm(msgspec.Struct, frozen=True):
    """A place that answers a fence: the main document (`main`), another one (`frame`) or a `worker`."""

    key: str
    kind: str
    what: str = ""
    process: str = ""
    """The process of the page that it lives in."""


class FenceSent(Signal, frozen=True):
    """A fence was sent to these realms; each answers with a FenceDone of its own."""

    id: int
    realms: tuple[Realm, ...]


class Animated(msgspec.Struct, frozen=True):
    """The finite animation that ends last: its target and its remaining time."""

    what: str
    remaining_ms: float


class Call(msgspec.Struct, frozen=True):
    """A call that a realm has scheduled since it was armed and that has not run yet, as its call hooks report it.

    A call that was cleared or has run is not reported again. A chain is reported link by link: each link is a new call.
    """

    kind: str
    """The web's own name: setTimeout, setInterval, requestAnimationFrame, indexedDB, MessagePort.postMessage, …"""
    key: str
    """Kind, delay and call site: the same the next time."""
    what: str
    """For people: `setTimeout 300 ms`."""
    age_ms: float = 0.0
    """The time since the call."""
    due_ms: float | None = None
    """The time until it runs, or runs again if it repeats; negative if overdue, None if it cannot be known."""
    site: str | None = None
    """Where the call was made, as `url:line:column`."""
    window_ms: float | None = None
    """How long after the call to wait for one whose end cannot be known, if that is not the usual time."""
    idle_ms: float | None = None
    """How long it has repeated without a visible effect; None while it has not, or not often enough."""


class Report(msgspec.Struct, frozen=True):
    """The answer of a realm to a fence."""

    quiet_ms: float | None = None
    """The time since its last change that is not noise; None if there was none since it was armed."""
    where: str = ""
    """A selector of the last changed element."""
    indicators: tuple[str, ...] = ()
    """Visible loading indicators that were not visible when it was armed."""
    working: tuple[str, ...] = ()
    """Visible parts that have said since then that they are working, mostly disabled buttons."""
    animated: Animated | None = None
    animated_earlier: tuple[Animated, ...] = ()
    """Other animations, which end before it, the later ones first."""
    ignored: tuple[Ignored, ...] = ()
    """Parts of the document that change by themselves, and calls that recurred before it was armed."""
    calls: tuple[Call, ...] = ()
    """The calls that it has scheduled and not run; reported where calls are observed."""
    round_ms: float = 0.0
    """When the slowest short loop that went on before the actions comes round; 0 if there is none."""
    acting_ms: float = 0.0
    """The same for those loops that may have made the last change."""
    check_ms: float = 0.0
    """The same for loops that may look at a changed field, whose rounds may be longer; 0 if no field has changed."""
    waited_ms: float | None = None
    """How long it waited as asked; the rest of the time is the duration of the fence."""
    elements: int | None = None
    """How many elements the document has, without shadow trees."""
    gone_messages: tuple[int, ...] = ()
    """The ids of the messages that it announced and that nobody can see any more."""
    scheme: tuple[str, str] | None = None
    """The color schemes that it showed when it was armed and shows now, if they differ: `light` and `dark`."""


class FenceDone(Signal, frozen=True):
    """A realm answered a fence; `lost` if it could not, because its document was replaced in between."""

    id: int
    realm: str
    report: Report = Report()
    lost: bool = False


class WorkerAnswered(Signal, frozen=True):
    """A worker answered the command that armed it when the actions began: its event loop was free."""

    realm: str


class RealmAttached(Signal, frozen=True):
    """A worker or an out-of-process frame was attached; its work is still to come."""

    realm: str


class RealmDetached(Signal, frozen=True):
    """A worker or an out-of-process frame is gone and does not answer any more."""

    realm: str


# -- effects ---------------------------------------------------------------------------------------


class Effect(msgspec.Struct, frozen=True):
    """Something for the shell to do."""


class RunFence(Effect, frozen=True):
    """Send a fence to all realms and confirm it with FenceSent.

    A document answers after two frames and at least `min_ms`. It also waits for `quiet_ms` without a change, if that
    does not take too long. For a `quick` fence one frame is enough if nothing changes in it.
    """

    id: int
    min_ms: float
    quiet_ms: float = 0.0
    quick: bool = False


class WakeAt(Effect, frozen=True):
    """Send a Tick at this time; replaces the previous WakeAt."""

    at: float


class Finish(Effect, frozen=True):
    """The wait is over."""

    verdict: Verdict
