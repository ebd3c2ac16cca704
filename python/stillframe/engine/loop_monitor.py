"""Feed a loop guard from a page: which element each action targets, and the state of the page before it.

The page state comes once per sequence, from the snapshot that the sequence takes anyway; the element of an action is
described after it was found and before any input is sent. With a guard this costs one round trip per sequence, one per
action, and a small picture of each visible canvas if the page is otherwise unchanged; without a guard it costs nothing.
No warning takes a snapshot of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

import msgspec

from stillframe.cdp_types import page as cdp_page
from stillframe.engine.delta import is_same
from stillframe.errors import CommandError, LoopRefused, RefStale, StillframeError
from stillframe.injected import elements
from stillframe.loopguard import ActionSignature, LoopEvent, LoopGuard, LoopStep, action_signature, normalize_text
from stillframe.model import actions as a
from stillframe.model.secret import Secret
from stillframe.tab.frames import FRAME_TAGS, Frame
from stillframe.tab.locating.query import Identity
from stillframe.tab.locating.selectors import without_refs

if TYPE_CHECKING:
    from stillframe.core import Snapshot
    from stillframe.engine.history import History
    from stillframe.settling.settler import Settler
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.input.attempt import Inspector
    from stillframe.tab.tab import Tab

KEPT = 256
"""How many states of a page are remembered, oldest dropped first; more than any rule looks back."""
ATTENTION_TIMEOUT = 1.0
"""Seconds that a page may take to report its scroll position; a busier page counts as not scrolled."""


DRAWING_SIDE = 128
"""Length in pixels of the longer side of the picture that represents a canvas in comparisons."""

Box = tuple[float, float, float, float]


class Attention(msgspec.Struct, frozen=True):
    """How far a page is scrolled, what has focus, and where canvases are in view, in CSS pixels of the document."""

    scroll: str = ""
    focus: Identity | None = None
    drawings: tuple[Box, ...] = ()


# -- page states ---------------------------------------------------------------------------------


class PageStates:
    """Names the states of one page; the name stays the same while only self-changing parts change."""

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self._last: tuple[str, Snapshot] | None = None
        self.unchanged = False
        """Whether the last named state equals the one before it."""
        self.left_unchanged = False
        """Whether the last sequence changed nothing, by its own result."""

    async def name(self, settler: Settler, history: History, snapshot: Snapshot) -> str:
        """Return the name of the state that a snapshot shows; nothing has acted since the last one of `history`."""
        masks = history.identity.masks
        digest = snapshot.masked_digests(masks).visible
        name = self._names.pop(digest, None) or digest.hex()
        self.unchanged = self._last is not None and await self._is_last(settler, history, snapshot, digest)
        if self.unchanged and self._last is not None:
            name = self._last[0]
        self._names[digest] = name
        if len(self._names) > KEPT:
            del self._names[next(iter(self._names))]
        self._last = name, snapshot
        return name

    async def _is_last(self, settler: Settler, history: History, snapshot: Snapshot, digest: bytes) -> bool:
        assert self._last is not None
        before, left = self._last[1], history.last_snapshot
        # Both under the current masks: more may be masked now than when the last state was named.
        if before is snapshot or before.masked_digests(history.identity.masks).visible == digest:
            return True
        # A clock is restless only after some ticks; what a text had done by itself before, an action has hardly caused.
        restless = await settler.noise() | await settler.habits()
        if is_same(before, snapshot, restless):
            return True
        kept = self.left_unchanged or (left is not None and is_same(before, left, restless))
        return kept and left is not None and is_same(left, snapshot, restless, at_rest=True)


class _Feed:
    """What a guard knows about its page between sequences."""

    def __init__(self, tab: Tab) -> None:
        self.tab = ref(tab)
        self.states = PageStates()


_feeds: WeakKeyDictionary[LoopGuard, _Feed] = WeakKeyDictionary()


def _feed(guard: LoopGuard, tab: Tab) -> _Feed:
    """Return the feed of a guard; a guard that watched another page is reset, because its connection was replaced."""
    feed = _feeds.get(guard)
    if feed is None or feed.tab() is not tab:
        if feed is not None:
            guard.reset("reconnect")
        feed = _feeds[guard] = _Feed(tab)
    return feed


# -- one sequence --------------------------------------------------------------------------------


class LoopMonitor:
    """Reports the actions of one sequence to a loop guard."""

    def __init__(self, settler: Settler, history: History, guard: LoopGuard) -> None:
        self.tab = settler.tab
        self._settler = settler
        self._history = history
        self.guard = guard
        self.events: list[LoopEvent] = []
        self.looked = False
        """Whether an action of this sequence was judged already: later ones belong to the same batch."""
        self._state: str | None = None
        self.attention = Attention()

    async def begin(self, snapshot: Snapshot | None) -> None:
        """Record the page state at the start of the sequence; `snapshot` is None if the page could not be captured."""
        feed = _feed(self.guard, self.tab)
        if snapshot is not None:
            self._state = await feed.states.name(self._settler, self._history, snapshot)
            self.attention = await _attention(self.tab)
            if feed.states.unchanged:
                self._state += await _canvas_digest(self.tab, self.attention.drawings)

    def end(self, *, unchanged: bool) -> None:
        """Record whether the sequence has changed anything."""
        _feed(self.guard, self.tab).states.left_unchanged = unchanged

    @asynccontextmanager
    async def over(self, action: a.Action) -> AsyncIterator[Inspector]:
        """Watch one action and yield its element inspector; raises LoopRefused before any input is sent."""
        call = _MonitoredAction(self, action)
        try:
            await call.begin()
            yield call.inspect
        except StillframeError as error:
            call.failed(error)
            raise
        self.guard.after()

    async def focus(self) -> Identity | None:
        """Return the element that has focus now."""
        if self.looked:
            self.attention = await _attention(self.tab)
        return self.attention.focus

    def judge(self, signature: ActionSignature, target: str, *, already: bool = False) -> None:
        """Ask the guard about one action; raises LoopRefused."""
        focus = self.attention.focus
        step = LoopStep(
            signature=signature,
            page_state=self._state,
            element_state=target,
            already=already,
            url=address(self.tab.url),
            position=f"{self.attention.scroll} {focus.place if focus else ''}",
            starts_batch=not self.looked,
        )
        self.looked = True
        events = self.guard.before(step)
        self.events += events
        for event in events:
            if event.level != "warn":
                raise LoopRefused(event.advice, rule=event.rule, signature=str(event.signature), count=event.count)


async def _attention(tab: Tab) -> Attention:
    try:
        answer = await tab.frames.main.call(elements.attention(), timeout=ATTENTION_TIMEOUT)
        return msgspec.convert(answer, Attention)
    except (CommandError, msgspec.ValidationError):
        return Attention()


async def _canvas_digest(tab: Tab, drawings: tuple[Box, ...]) -> str:
    """Return a digest of the visible canvases: the DOM does not contain what a canvas shows.

    Canvases are only captured if the page is otherwise unchanged; an animated one differs each time.
    """
    pictures = hashlib.blake2b(digest_size=8)
    for x, y, width, height in drawings:
        scale = min(1.0, DRAWING_SIDE / max(width, height))
        clip = cdp_page.Viewport(x=x, y=y, width=width, height=height, scale=scale)
        try:
            # Chrome takes concurrent pictures of several tabs one after the other.
            async with tab.context.painting, tab.clock.running():
                command = cdp_page.CaptureScreenshot(format="png", clip=clip)
                picture = await tab.session.send(command, timeout=ATTENTION_TIMEOUT)
        except CommandError:
            continue
        pictures.update(picture.data.encode())
    return f" {pictures.hexdigest()}" if drawings else ""


def address(url: str) -> str:
    """Return a URL without its query and fragment, for comparison by the guard; a long URL becomes a hash."""
    plain = url.partition("#")[0].partition("?")[0]
    return plain if len(plain) <= 300 else hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()


# -- one action ----------------------------------------------------------------------------------


class _MonitoredAction:
    """One action in progress; the guard judges it once, as soon as its target is known."""

    def __init__(self, monitor: LoopMonitor, action: a.Action) -> None:
        self._monitor = monitor
        self._action = action
        self._secrets = monitor.tab.redactor
        self._aim = ""
        self._judged = False

    async def begin(self) -> None:
        """Judge an action that has no element, and any action after an abort.

        A navigation to another URL ends the abort.
        """
        guard, here = self._monitor.guard, address(self._monitor.tab.url)
        if guard.is_aborted(here) and _leads_away(self._action, here):
            guard.reset("navigation")
        if guard.aborted is not None:
            self._judge(self._signature(None), "")
        elif _is_keys(self._action):
            focus = await self._monitor.focus()
            self._judge(self._signature(focus), self._state(focus) + self._monitor.attention.scroll)
        elif _selector(self._action) is None or isinstance(self._action, a.WaitFor):
            self._judge(self._signature(None), "")

    def inspect(self, selector: str, frame: Frame, identity: Identity | None) -> None:
        """Record the action's element before any input is sent; raises LoopRefused."""
        if self._judged:
            return
        if selector != _selector(self._action):
            self._aim = f"{identity.role} {identity.name} in {identity.place}" if identity else without_refs(selector)
            return
        signature = self._signature(identity, _frame_place(frame, self._monitor.tab.frames))
        self._judge(signature, self._state(identity), already=_has_value(self._action, identity))

    def failed(self, error: StillframeError) -> None:
        """Record that the action failed; if its element was not found, judge it by its selector."""
        if not self._judged:
            signature = self._stale(error) if isinstance(error, RefStale) else self._signature(None)
            # A refusal adds nothing here: the action has failed already, and its own error is more specific.
            with suppress(LoopRefused):
                self._judge(signature, "")
        self._monitor.guard.after(error.code)

    def _judge(self, signature: ActionSignature, target: str, *, already: bool = False) -> None:
        self._judged = True
        self._monitor.judge(signature, target, already=already)

    # -- signatures ----------------------------------------------------------------------------

    def _signature(self, identity: Identity | None, frame: str = "") -> ActionSignature:
        """Return the signature of the action on an element; without one, the selector and arguments identify it.

        An element that is made again gets a new ref, so refs are left out.
        """
        if identity is None:
            return self._sign(place=self._secrets.redact(without_refs(_selector(self._action) or "")))
        name, place = self._secrets.redact(identity.name), self._secrets.redact(frame + identity.place)
        return self._sign(role=identity.role, name=name, place=place, hidden=identity.hidden)

    def _stale(self, error: RefStale) -> ActionSignature:
        return self._sign(role=error.role, name=self._secrets.redact(error.name))

    def _sign(self, *, hidden: bool = False, **described: Any) -> ActionSignature:
        guard = self._monitor.guard
        value = arguments(self._action) + (f" to {self._aim}" if self._aim else "")
        hidden = hidden or self._secrets.redact(value) != value or _types_secret(self._action)
        key = guard.hash_key if hidden else None
        return action_signature(self._action.kind, value=value, digits=guard.limits.digits, hash_key=key, **described)

    def _state(self, identity: Identity | None) -> str:
        """Return the state of the element, with its value normalized as in a signature."""
        if identity is None:
            return ""
        if identity.role in FRAME_TAGS:
            # The frame element has focus on behalf of an unknown element inside it, so its state matches nothing.
            return f"call {self._monitor.guard.iteration}"
        hidden = identity.hidden or self._secrets.redact(identity.value) != identity.value
        value = self._monitor.guard.hash_key.hash(identity.value) if hidden else normalize_text(identity.value)
        return f"{value} {identity.state}"


def _has_value(action: a.Action, identity: Identity | None) -> bool:
    """Return whether a field has the value already that an action sets, apart from case and spaces."""
    if identity is None or identity.hidden or not isinstance(action, a.SetValue) or not isinstance(action.value, str):
        return False
    return normalize_text(identity.value) == normalize_text(action.value)


def _selector(action: a.Action) -> str | None:
    selector: str | None = getattr(action, "selector", None)
    return selector


def _frame_place(frame: Frame, frames: FrameTree) -> str:
    """Return which frame of the page it is, by its name or URL; "" for the main frame."""
    if frame.parent is None:
        return ""
    alike = [each for each in frames if _frame_name(each) == _frame_name(frame)]
    ordinal = f" {alike.index(frame) + 1}" if len(alike) > 1 else ""
    return f"frame[{_frame_name(frame)}{ordinal}] > "


def _frame_name(frame: Frame) -> str:
    return frame.name or address(frame.url)


def _leads_away(action: a.Action, here: str) -> bool:
    return isinstance(action, a.Navigate) and address(action.url) != here


def _is_keys(action: a.Action) -> bool:
    """Return whether the action targets whatever has focus."""
    return (
        isinstance(action, a.PressKey | a.TypeText | a.InsertText | a.KeyDown)
        and getattr(action, "selector", None) is None
    )


def _types_secret(action: a.Action) -> bool:
    return any(isinstance(getattr(action, name), Secret) for name in type(action).__struct_fields__)


NOT_IN_VALUE = frozenset({"selector", "target", "timeout_ms"})
"""Fields of actions that are not part of their value: they say which element, and how long to search for it."""


DEFAULTS: dict[type[a.Action], dict[str, object]] = {
    a.Click: {"button": "left", "click_count": 1, "delay_ms": 0},
    a.DoubleClick: {"button": "left", "delay_ms": 0},
    a.PressKey: {"delay_ms": 0},
}
"""Fields that are left out at their default value, so that a click is just a click."""


def arguments(action: a.Action) -> str:
    """Return the value part of an action's signature: all fields that describe what it does, in order."""
    excluded = NOT_IN_VALUE - {"selector"} if isinstance(action, a.WaitFor) else NOT_IN_VALUE
    defaults = DEFAULTS.get(type(action), {})
    fields = (
        without_refs(getattr(action, name) or "") if name == "selector" else getattr(action, name)
        for name in type(action).__struct_fields__
        if name not in excluded and getattr(action, name) != defaults.get(name)
    )
    return " ".join(text for value in fields if value not in (None, ()) and (text := _text(value)))


def _text(value: object) -> str:
    if isinstance(value, Secret):
        return value.secret if value.secret is not None else f"secret {value.name}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
