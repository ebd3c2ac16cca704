"""Match the commands of a replay with those of its cassette, and say how two differ. No I/O."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice, repeat
from typing import Any, NamedTuple

import msgspec

from stillframe.testing.cassette_placeholders import MARK
from stillframe.testing.errors import CassetteInvalid, CassetteMismatch

AHEAD = 32
"""How many commands of a session may be sent in another order: those of one pipeline."""
SHOWN = 80
"""Characters of a value in a message."""

UNCOMPARED = {"Browser.setDownloadBehavior": ("downloadPath",), "DOM.setFileInputFiles": ("files",)}
"""Parameters that name temporary files, by method."""


INJECTED = "__sf"
"""What the calls of the injected scripts contain."""


class Command(msgspec.Struct, rename={"session": "sessionId"}):
    """A command as it is on the wire."""

    id: int
    method: str
    session: str = ""
    params: dict[str, Any] = {}
    place: int = 0
    """The index of its entry in the cassette."""
    number: int = 0
    """Its place among the commands of the cassette, from 1."""
    sent: bool = False
    """Whether the replay has sent it."""

    @property
    def compared(self) -> dict[str, Any]:
        """The parameters that must be equal."""
        left_out = UNCOMPARED.get(self.method, ())
        kept = {name: value for name, value in self.params.items() if name not in left_out}
        if self.method == "Runtime.callFunctionOn" and INJECTED in kept.get("functionDeclaration", ""):
            kept["arguments"] = [_without_time(argument) for argument in kept.get("arguments", ())]
        return kept

    def plain(self) -> dict[str, Any]:
        """Return it as an error carries it."""
        return {"method": self.method, "sessionId": self.session, "params": self.params}


def _without_time(argument: Any) -> Any:
    """Return an argument of an injected script; one that is not whole is a time that was left."""
    return {"value": "time left"} if type(argument.get("value")) is float else argument


def fits(recorded: Any, sent: Any, texts: dict[str, str]) -> bool:
    """Return whether two values of JSON are equal; a placeholder equals any text, which `texts` has afterwards."""
    if isinstance(recorded, dict) and isinstance(sent, dict):
        return recorded.keys() == sent.keys() and all(fits(recorded[key], sent[key], texts) for key in recorded)
    if isinstance(recorded, list) and isinstance(sent, list):
        return len(recorded) == len(sent) and all(map(fits, recorded, sent, repeat(texts)))
    if recorded == sent or not isinstance(recorded, str) or not isinstance(sent, str) or not MARK.search(recorded):
        return bool(recorded == sent)
    parts = MARK.split(recorded)  # texts and names by turns
    pattern = "(.+)".join(map(re.escape, parts[::2]))
    found = re.fullmatch(pattern, sent, re.DOTALL)
    if found is not None:
        texts |= dict(zip(parts[1::2], found.groups(), strict=True))
    return found is not None


class Taken(NamedTuple):
    """A command that the replay has sent: its id there, the command of the cassette, texts for its placeholders."""

    id: int
    command: Command
    texts: dict[str, str]


class Commands:
    """The commands of a cassette; each may be taken once.

    Those of one session come in their order, except within a pipeline; those of several sessions in any order.
    """

    def __init__(self, path: str, found: Iterable[tuple[int, msgspec.Raw]], note: str = "") -> None:
        self._path, self._note = path, note
        self.at: dict[int, Command] = {}
        """The commands by the index of their entries."""
        self._left: dict[str, deque[Command]] = {}
        for number, (place, raw) in enumerate(found, 1):
            command = _command(path, number, raw)
            command.place, command.number = place, number
            self.at[place] = command
            self._left.setdefault(command.session, deque()).append(command)

    def take(self, frame: bytes) -> Taken:
        """Return what the cassette has for a command; raises CassetteMismatch if it has nothing that equals it."""
        got = msgspec.json.decode(frame, type=Command)
        left = self._left.get(got.session, deque())
        for candidate in islice(left, AHEAD):
            texts: dict[str, str] = {}
            if candidate.method == got.method and fits(candidate.compared, got.compared, texts):
                left.remove(candidate)
                candidate.sent = True
                return Taken(got.id, candidate, texts)
        raise mismatch(self._path, left[0] if left else self.next, got, self._note)

    def missing(self) -> CassetteMismatch:
        """Return the error of a replay that waits and sends nothing."""
        return mismatch(self._path, self.next, None, self._note)

    @property
    def next(self) -> Command | None:
        """The first command that the replay has not sent."""
        return next((command for command in self.at.values() if not command.sent), None)


def _command(path: str, number: int, raw: msgspec.Raw) -> Command:
    try:
        return msgspec.json.decode(raw, type=Command)
    except msgspec.DecodeError as error:
        raise CassetteInvalid(f"command {number} of the cassette {path} is damaged: {error}", path=path) from None


def mismatch(path: str, expected: Command | None, got: Command | None, note: str = "") -> CassetteMismatch:
    """Return the error of a replay that sent another command than the next one, or waits and sends none."""
    wanted = "the cassette ends here" if expected is None else f"command {expected.number} is {_named(expected)}"
    if got is None:
        how = f"{wanted}, but the code waits for something that comes only after it"
        if expected is None:
            how = f"{wanted}, but the code waits for more"
    elif expected is not None and (expected.method, expected.session) == (got.method, got.session):
        how = f"{wanted}, and the code sent it with other parameters: {'; '.join(_differences(expected, got))}"
    else:
        how = f"{wanted}, but the code sent {_named(got)} {_short(got.params)}"
    return CassetteMismatch(
        f"the replay differs from the cassette {path}: {how}. If the code is right, record the cassette again{note}",
        path=path,
        method="" if got is None else got.method,
        session_id="" if got is None else got.session,
        number=None if expected is None else expected.number,
        expected=None if expected is None else expected.plain(),
        got=None if got is None else got.plain(),
    )


def _named(command: Command) -> str:
    return f"{command.method} (session {command.session[:8]})" if command.session else command.method


def _differences(expected: Command, got: Command) -> list[str]:
    return list(islice(differences(expected.compared, got.compared, ""), 3))


def differences(recorded: Any, sent: Any, path: str) -> Iterator[str]:
    """Yield where two values of JSON differ, and how, one sentence each."""
    if isinstance(recorded, dict) and isinstance(sent, dict):
        for key in {**recorded, **sent}:
            yield from differences(recorded.get(key, _NONE), sent.get(key, _NONE), f"{path}.{key}" if path else key)
    elif isinstance(recorded, list) and isinstance(sent, list) and len(recorded) == len(sent):
        for index, (one, other) in enumerate(zip(recorded, sent, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif recorded != sent:
        yield f"{path} was {_around(recorded, sent)} and is {_around(sent, recorded)}"


class _Missing:
    def __repr__(self) -> str:
        return "missing"


_NONE = _Missing()


def _around(value: Any, other: Any) -> str:
    """Return a value, and of a long text the part where it begins to differ from another one."""
    if not isinstance(value, str) or not isinstance(other, str) or len(value) <= SHOWN:
        return _short(value)
    same = next((index for index, (a, b) in enumerate(zip(value, other, strict=False)) if a != b), len(other))
    begin = max(0, same - SHOWN // 4)
    return f"{'…' if begin else ''}{_short(value[begin:])}"


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, _Missing) else msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
