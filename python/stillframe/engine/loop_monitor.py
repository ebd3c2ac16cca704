"""Feeding a loop guard from a page: what is done to which element, and what the page looked like before.

The page is looked at once for a whole sequence, by the snapshot that is taken anyway; the element of an action when it
has been found and nothing has been done to it yet. That costs one round trip per sequence and one per action, a small
picture of each canvas in view where the page is otherwise as it was, and nothing at all without a guard. No warning
takes a snapshot of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary, ref

import msgspec

from stillframe.cdp_types import page as cdp_page
from stillframe.core import Masks, Snapshot
from stillframe.engine.delta import is_same
from stillframe.engine.history import History
from stillframe.engine.page_identity import PageIdentity
from stillframe.errors import CommandError, LoopRefused, RefStale, StillframeError
from stillframe.loopguard import ActionSignature, LoopEvent, LoopGuard, LoopStep, action_signature, normalize_text
from stillframe.model import actions as a
from stillframe.model.secret import Secret
from stillframe.settling.settler import Settler
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.frames import FRAME_TAGS, Frame
from stillframe.tab.input.attempt import Inspector
from stillframe.tab.locating.sought import Identity
from stillframe.tab.tab import Tab

KEPT = 256
"""States of a page that are remembered, the oldest going first; more than any rule looks back."""
ATTENTION_TIMEOUT = 1.0
"""Seconds that a page may take to say where it is scrolled to; a busier one is taken to be where it was."""


DRAWING_SIDE = 128
"""Pixels of the longer side of the picture by which a drawing is compared."""

Box = tuple[float, float, float, float]


class Attention(msgspec.Struct, frozen=True):
    """How far a page is scrolled, what has its focus, and where canvases are in view, in CSS pixels of the document."""

    scroll: str = ""
    focus: Identity | None = None
    drawings: tuple[Box, ...] = ()


# -- what the page looks like --------------------------------------------------------------------


class PageStates:
    """Names for the states of one page: the same name as long as only what changes by itself has changed."""

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self._last: tuple[str, Snapshot] | None = None
        self.unchanged = False
        """Whether the last state was the one before it."""

    async def name(self, settler: Settler, identity: PageIdentity, snapshot: Snapshot) -> str:
        """Return the name of the state that a snapshot shows."""
        masks = identity.masks
        digest = snapshot.masked_digests(masks).visible
        name = self._names.pop(digest, None) or digest.hex()
        self.unchanged = self._last is not None and await self._is_last(settler, masks, snapshot, digest)
        if self.unchanged and self._last is not None:
            name = self._last[0]
        self._names[digest] = name
        if len(self._names) > KEPT:
            del self._names[next(iter(self._names))]
        self._last = name, snapshot
        return name

    async def _is_last(self, settler: Settler, masks: Masks, snapshot: Snapshot, digest: bytes) -> bool:
        assert self._last is not None
        before = self._last[1]
        # Under the masks of now, for more may be masked than was when the last state got its name.
        same = before is snapshot or before.masked_digests(masks).visible == digest
        return same or is_same(before, snapshot, await settler.noise())


class _Feed:
    """What is known between sequences of the page that a guard watches."""

    def __init__(self, tab: Tab) -> None:
        self.tab = ref(tab)
        self.states = PageStates()


_feeds: WeakKeyDictionary[LoopGuard, _Feed] = WeakKeyDictionary()


def _feed(guard: LoopGuard, tab: Tab) -> _Feed:
    """Return the feed of a guard; one that has watched another page begins anew: its connection was made anew."""
    feed = _feeds.get(guard)
    if feed is None or feed.tab() is not tab:
        if feed is not None:
            guard.reset("reconnect")
        feed = _feeds[guard] = _Feed(tab)
    return feed


# -- one sequence --------------------------------------------------------------------------------


class LoopMonitor:
    """Shows the actions of one sequence to a loop guard."""

    def __init__(self, settler: Settler, history: History, guard: LoopGuard) -> None:
        self.tab = settler.tab
        self._settler = settler
        self._history = history
        self.guard = guard
        self.events: list[LoopEvent] = []
        self.looked = False
        """Whether a call of this sequence has been judged: those after it are of the same batch."""
        self._state: str | None = None
        self.attention = Attention()

    async def begin(self, snapshot: Snapshot | None) -> None:
        """Take in what the sequence finds; None if nobody could look."""
        feed = _feed(self.guard, self.tab)
        if snapshot is not None:
            self._state = await feed.states.name(self._settler, self._history.identity, snapshot)
            self.attention = await _attention(self.tab)
            if feed.states.unchanged:
                self._state += await _pictured(self.tab, self.attention.drawings)

    @asynccontextmanager
    async def over(self, action: a.Action) -> AsyncIterator[Inspector]:
        """Watch one action, and yield what must see its element; raises LoopRefused before anything is sent for it."""
        call = _MonitoredAction(self, action)
        try:
            await call.begin()
            yield call.inspect
        except StillframeError as error:
            call.failed(error)
            raise
        self.guard.after()

    async def focus(self) -> Identity | None:
        """Return what has the focus now."""
        if self.looked:
            self.attention = await _attention(self.tab)
        return self.attention.focus

    def judge(self, signature: ActionSignature, target: str) -> None:
        """Ask the guard about a call; raises LoopRefused."""
        focus = self.attention.focus
        step = LoopStep(
            signature=signature,
            page_state=self._state,
            element_state=target,
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
        answer = await tab.frames.main.call("() => __sf.attention()", timeout=ATTENTION_TIMEOUT)
        return msgspec.convert(answer, Attention)
    except (CommandError, msgspec.ValidationError):
        return Attention()


async def _pictured(tab: Tab, drawings: tuple[Box, ...]) -> str:
    """Return what stands for the looks of drawings: of a canvas the document does not tell what it shows.

    They are only looked at where the page is otherwise as it was; one that moves by itself is another each time.
    """
    pictures = hashlib.blake2b(digest_size=8)
    for x, y, width, height in drawings:
        scale = min(1.0, DRAWING_SIDE / max(width, height))
        clip = cdp_page.Viewport(x=x, y=y, width=width, height=height, scale=scale)
        try:
            # Pictures of several tabs at once wait for each other inside Chrome.
            async with tab.context.painting, tab.clock.running():
                command = cdp_page.CaptureScreenshot(format="png", clip=clip)
                picture = await tab.session.send(command, timeout=ATTENTION_TIMEOUT)
        except CommandError:
            continue
        pictures.update(picture.data.encode())
    return f" {pictures.hexdigest()}" if drawings else ""


def address(url: str) -> str:
    """Return a URL without what is behind `?` and `#`, as it counts for a guard; a long one as a hash."""
    plain = url.partition("#")[0].partition("?")[0]
    return plain if len(plain) <= 300 else hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()


# -- one call ------------------------------------------------------------------------------------


class _MonitoredAction:
    """One action on its way: judged once, as soon as it is known what it is done to."""

    def __init__(self, monitor: LoopMonitor, action: a.Action) -> None:
        self._monitor = monitor
        self._action = action
        self._secrets = monitor.tab.redactor
        self._aim = ""
        self._judged = False

    async def begin(self) -> None:
        """Judge an action without an element, and any action where nothing is performed any more.

        To go to another URL is the way out of an abort.
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
        """Take in the element of the action, before anything is done to it; raises LoopRefused."""
        if self._judged:
            return
        if selector != _selector(self._action):
            self._aim = f"{identity.role} {identity.name} in {identity.place}" if identity else _lasting(selector)
            return
        self._judge(self._signature(identity, _frame_place(frame, self._monitor.tab.frames)), self._state(identity))

    def failed(self, error: StillframeError) -> None:
        """Take in that the action has failed; one whose element was not found is judged by its selector."""
        if not self._judged:
            signature = self._stale(error) if isinstance(error, RefStale) else self._signature(None)
            # If it would have been refused: it has failed anyway, and its own error says more.
            with suppress(LoopRefused):
                self._judge(signature, "")
        self._monitor.guard.after(error.code)

    def _judge(self, signature: ActionSignature, target: str) -> None:
        self._judged = True
        self._monitor.judge(signature, target)

    # -- words ---------------------------------------------------------------------------------

    def _signature(self, identity: Identity | None, frame: str = "") -> ActionSignature:
        """The signature of the action on an element; without one its selector and its arguments stand for it."""
        if identity is None:
            return self._sign(place=self._secrets.redact(_lasting(_selector(self._action) or "")))
        name, place = self._secrets.redact(identity.name), self._secrets.redact(frame + identity.place)
        return self._sign(role=identity.role, name=name, place=place, hidden=identity.hidden)

    def _stale(self, error: RefStale) -> ActionSignature:
        return self._sign(role=error.role, name=self._secrets.redact(error.name))

    def _sign(self, *, hidden: bool = False, **said: Any) -> ActionSignature:
        guard = self._monitor.guard
        value = arguments(self._action) + (f" to {self._aim}" if self._aim else "")
        hidden = hidden or self._secrets.redact(value) != value or _types_secret(self._action)
        key = guard.hash_key if hidden else None
        return action_signature(self._action.kind, value=value, digits=guard.limits.digits, hash_key=key, **said)

    def _state(self, identity: Identity | None) -> str:
        """The state of the element: two values are the same here if they would be the same in a signature."""
        if identity is None:
            return ""
        if identity.role in FRAME_TAGS:
            # They stand for what has the focus in them; that is not known, so it is like nothing.
            return f"call {self._monitor.guard.iteration}"
        hidden = identity.hidden or self._secrets.redact(identity.value) != identity.value
        value = self._monitor.guard.hash_key.hash(identity.value) if hidden else normalize_text(identity.value)
        return f"{value} {identity.state}"


def _selector(action: a.Action) -> str | None:
    selector: str | None = getattr(action, "selector", None)
    return selector


def _lasting(selector: str) -> str:
    """A selector, if it is none by ref: the number of a ref is a new one for every element that is made anew."""
    return "" if selector.startswith("ref=") else selector


def _frame_place(frame: Frame, frames: FrameTree) -> str:
    """Which frame of its page it is, by its name or its URL; "" for the page itself."""
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
    """Whether it is done to what has the focus."""
    return isinstance(action, a.PressKey | a.TypeText) and action.selector is None


def _types_secret(action: a.Action) -> bool:
    return any(isinstance(getattr(action, name), Secret) for name in type(action).__struct_fields__)


SAID_ELSEWHERE = frozenset({"selector", "target", "timeout_ms"})
"""Fields of actions that are no part of their value: the element, and how long it is looked for."""


USUAL: dict[type[a.Action], dict[str, object]] = {a.Click: {"button": "left", "click_count": 1}}
"""Fields that say nothing when they are as usual: a click is just a click."""


def arguments(action: a.Action) -> str:
    """Return the value of an action's signature: all its fields that tell what is done, in their order."""
    named = SAID_ELSEWHERE - {"selector"} if isinstance(action, a.WaitFor) else SAID_ELSEWHERE
    usual = USUAL.get(type(action), {})
    fields = (
        getattr(action, name)
        for name in type(action).__struct_fields__
        if name not in named and getattr(action, name) != usual.get(name)
    )
    return " ".join(text for value in fields if value not in (None, ()) and (text := _lasting(_text(value))))


def _text(value: object) -> str:
    if isinstance(value, Secret):
        return value.secret if value.secret is not None else f"secret {value.name}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
