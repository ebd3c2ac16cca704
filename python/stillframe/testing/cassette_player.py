"""A transport that plays a cassette: it checks each command, and delivers each message in its place.

A message arrives once all commands before it have been sent, and once the engine has finished with what came before.
"""

from __future__ import annotations

import asyncio

import msgspec

from stillframe._core import __version__
from stillframe.cdp.loop_clock import loop_clock
from stillframe.cdp.transport.base import OnClose, OnFrame
from stillframe.errors import ConnectionLost
from stillframe.testing.cassette_clock import ReplayClock
from stillframe.testing.cassette_commands import Commands
from stillframe.testing.cassette_file import IDLE_TURNS, Cassette, CassetteEntry
from stillframe.testing.cassette_placeholders import Placeholders
from stillframe.testing.errors import CassetteMismatch

LOOK_S = 0.25
"""Seconds between two looks at whether the replay goes on."""
UNNEEDED = 2
"""Looks without progress after which a timer that the replay never sets is left out."""
STUCK = 20
"""Looks without progress after which a call that waits is a mismatch: 5 seconds, and a replay takes milliseconds."""
OVER = 4
"""The same at the end of the cassette, where nothing else can come: one second."""


class _Reply(msgspec.Struct):
    id: int
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    session: str = msgspec.field(name="sessionId", default="")


class _Head(msgspec.Struct):
    id: int | None = None


class ReplayTransport:
    """Plays a cassette for one `Connection`."""

    def __init__(self, cassette: Cassette, placeholders: Placeholders) -> None:
        self._path, self._entries = cassette.path, cassette.entries
        self.peer = f"the cassette {cassette.path}"
        self._loop = asyncio.get_running_loop()
        self.clock = ReplayClock(self._loop, self._on_read, self._wake)
        """The clock that the replay needs; see `using_clock`."""
        if self._entries:
            self.clock.set(self._entries[0].at)
        sends = ((place, entry.send) for place, entry in enumerate(self._entries) if entry.send)
        self._commands = Commands(cassette.path, sends, _note(cassette))
        self._placeholders = placeholders
        self._at = 0
        """The index of the next entry."""
        self._ids: dict[int, int] = {}
        """The ids of commands that were sent and not answered, by their ids in the cassette."""
        self._furthest = -1
        """The largest index of a command that was sent."""
        self._turns = 0
        """Turns of the loop since the last entry was played."""
        self._quiet_turns = 0
        """Turns of the loop since then in which the code sent nothing either."""
        self._turning = False
        self._idle = 0
        self._look: asyncio.TimerHandle | None = None
        self._on_frame: OnFrame | None = None
        self._on_close: OnClose | None = None
        self.mismatch: CassetteMismatch | None = None
        """Why the replay ended early."""

    # -- the transport

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to deliver the recorded frames."""
        self._on_frame, self._on_close = on_frame, on_close
        self._look = self._loop.call_later(LOOK_S, self._check)
        self._wake()

    def send(self, frame: bytes) -> None:
        """Take a command that the recording has; any other one ends the replay."""
        if self._on_close is None:
            return
        if loop_clock() is not self.clock:
            self._loop.call_soon(self._fail, _elsewhere(self._path))
            return
        self.clock.on_entry()
        try:
            number, command, texts = self._commands.take(self._placeholders.hide(frame))
        except CassetteMismatch as error:
            self._loop.call_soon(self._fail, error)
            return
        self._placeholders.bind(texts)
        self._ids[command.id] = number
        self._furthest = max(self._furthest, command.place)
        self._wake()

    async def aclose(self) -> None:
        """End the replay. Idempotent."""
        self._end("closed by this client")

    def _end(self, reason: str | ConnectionLost) -> None:
        on_close, self._on_close = self._on_close, None
        if self._look is not None:
            self._look.cancel()
        self.clock.release()
        if on_close is not None:
            on_close(reason)

    def _fail(self, error: CassetteMismatch) -> None:
        self.mismatch = self.mismatch or error
        self._end(error)

    # -- playing

    def _wake(self) -> None:
        """Play on, because the code has done something."""
        self._quiet_turns = self._idle = 0
        if not self._turning:
            self._turning = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        """Play what comes in this turn of the loop: after all that the last message has caused in it."""
        self._turns += 1
        self._quiet_turns += 1
        while self._on_close is not None and self._play():
            self._turns = self._quiet_turns = self._idle = 0
        self._turning = self._on_close is not None and self._quiet_turns < IDLE_TURNS
        if self._turning:
            self._loop.call_soon(self._turn)

    def _play(self) -> bool:
        """Play the next entry if its turn has come; return whether it was played."""
        entry = self._following
        if entry is None:
            return False
        is_due = self._quiet_turns >= IDLE_TURNS or (entry.turns is not None and self._turns >= entry.turns)
        return is_due and self._happens(entry)

    def _happens(self, entry: CassetteEntry) -> bool:
        """Deliver a message or fire a timer; return False if the replay has to go on first."""
        if entry.recv:
            self._deliver(entry, entry.recv)
            return True
        if entry.timer is not None and (timer := self.clock.timer(entry.timer)) is not None:
            self._at += 1
            self.clock.set(entry.at)
            timer.fire()
            return True
        if entry.lost is not None:
            self._end(entry.lost)
        return False

    @property
    def _entry(self) -> CassetteEntry | None:
        return self._entries[self._at] if self._at < len(self._entries) else None

    @property
    def _following(self) -> CassetteEntry | None:
        """The next entry that is not done: commands that were sent are, and what the replay has done without."""
        while (entry := self._entry) is not None:
            if entry.send:
                done = self._commands.at[self._at].sent
            elif entry.timer is not None:
                done = self._at < self._furthest and self.clock.timer(entry.timer) is None
            else:
                done = entry.jump is not None and (self._at < self._furthest or not self._is_before_command())
            if not done:
                break
            self._at += 1
        return entry

    def _is_before_command(self) -> bool:
        """Return whether the entry after the current one waits for the code, which may read the clock until then."""
        following = self._entries[self._at + 1 : self._at + 2]
        return not following or bool(following[0].send) or following[0].end is not None

    def _deliver(self, entry: CassetteEntry, message: msgspec.Raw) -> None:
        assert self._on_frame is not None  # started
        self._at += 1
        self.clock.set(entry.at)
        frame = self._placeholders.show(bytes(message))
        if msgspec.json.decode(frame, type=_Head).id is not None:
            reply = msgspec.json.decode(frame, type=_Reply)
            number = self._ids.pop(reply.id, None)
            if number is None:
                return  # to a command from before the recording
            frame = _answer(number, reply)
        self._on_frame(frame)

    def _on_read(self, reads: int) -> None:
        """Let time jump where it jumped in the recording."""
        entry = self._entry
        if entry is not None and entry.jump is not None and reads >= entry.jump:
            self._at += 1
            self.clock.set(entry.at)
            self._wake()

    # -- when nothing happens

    def _check(self) -> None:
        self._idle += 1
        entry = self._entry
        if self._idle >= UNNEEDED and entry is not None and entry.timer is not None:
            self._at += 1
            self._wake()
        elif self._idle >= (STUCK if entry is not None and entry.send else OVER) and self._is_awaited():
            self._fail(self._commands.missing())
            return
        self._look = self._loop.call_later(LOOK_S, self._check)

    def _is_awaited(self) -> bool:
        """Return whether a call waits for what cannot come: a limit runs, or a command has no answer left."""
        at_end = self._at >= len(self._entries) - 1
        return any(timer.is_limit for timer in self.clock.timers) or (at_end and bool(self._ids))


def _answer(number: int, reply: _Reply) -> bytes:
    """Return a reply with another id, in Chrome's order of members, which large ones need."""
    kind, value = ("error", reply.error) if reply.error else ("result", reply.result)
    session = b',"sessionId":' + msgspec.json.encode(reply.session) if reply.session else b""
    return b'{"id":%d,"%b":%b%b}' % (number, kind.encode(), bytes(value), session)


def _elsewhere(path: str) -> CassetteMismatch:
    return CassetteMismatch(
        f"the replay of the cassette {path} cannot go on: its browser was used by a task or callback that began outside"
        " of the block, where another clock runs; begin it inside the block",
        path=path,
    )


def _note(cassette: Cassette) -> str:
    """Return what else may explain a mismatch."""
    notes = []
    if cassette.header.version != __version__:
        notes.append(f"; stillframe {cassette.header.version} recorded it, and this is {__version__}")
    if not cassette.is_complete:
        notes.append("; its recording was cut off")
    return "".join(notes)
