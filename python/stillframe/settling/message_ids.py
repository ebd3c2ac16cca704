"""Find the ids in a message of a socket: fields with a short value that a reply may repeat.

Protocols name them differently (`id`, `reqid`, `ack`, `ref`, `receipt`, `parent_header.msg_id`), so every field that
could be one is returned; `correlation` learns which of them come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

PARSED_CHARS = 16_384
"""Longer messages are not parsed: their ids are looked for at both ends."""
END_CHARS = 2048
"""How much of each end: a reply often names its request before or after a long result."""
MAX_IDS = 24
MAX_PLACES = 8
"""How many items of a message that is a list may be ids."""
MAX_DEPTH = 2
"""An id is a field of the message or of its header; deeper ones belong to what the message is about."""
UNIQUE_CHARS = 8
"""A value with digits that is as long as this is neither a count nor a number in a list."""

VALUE = re.compile(r"[\w.:/+=@-]{1,64}")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
ID_WORDS = frozenset({
    "id", "uid", "uuid", "guid", "rid", "cid", "mid", "msgid", "reqid", "requestid", "messageid", "callid", "ref",
    "ack", "seq", "sequence", "nonce", "receipt", "correlation", "transaction", "txn", "reply",
})  # fmt: skip
REQUEST_WORDS = ID_WORDS - {"id", "uid", "uuid", "guid"} | {
    "req", "request", "msg", "message", "call", "cmd", "command", "op", "operation", "invocation", "query", "callback",
}  # fmt: skip
MESSAGE_WORDS = frozenset({"msg", "message", "msgid", "messageid", "mid", "event", "seq", "sequence", "nonce"})
PAIR = re.compile(r'"([\w.-]{1,40})"\s*:\s*(?:"([\w.:/+=@-]{1,64})"|(-?\d{1,20})\b)')
SOCKET_IO = re.compile(r"4([2356])(?:\d+-)?(?:/[^,\[]*,)?(\d+)?(?=\[)")
"""An event or its acknowledgement: what it is, attachments, namespace, number."""
STOMP = re.compile(r"[A-Z]{3,12}\r?\n")
HEADER = re.compile(r"([\w-]{1,40}):([\w.:/+=@-]{1,64})\r?$")

CALL, ANSWER = "request", "answer"
"""What a message is if its protocol says so; either one is answered only by the other."""


class MessageId(NamedTuple):
    """A field that may be an id."""

    name: str
    value: str
    part: str = ""
    """`CALL` or `ANSWER` where the protocol tells requests and answers apart, else empty."""

    @property
    def is_named(self) -> bool:
        """Whether its name says that it is an id."""
        return bool(_words(self.name) & ID_WORDS)

    @property
    def is_of_job(self) -> bool:
        """Whether it may be the id of something that several messages are about, not that of the message itself."""
        return self.is_named and not _words(self.name) & MESSAGE_WORDS

    @property
    def is_unique(self) -> bool:
        """Whether no other message has this value by chance."""
        return len(self.value) >= UNIQUE_CHARS and any(map(str.isdigit, self.value))

    @property
    def rank(self) -> int:
        """How surely a reply repeats it, as far as its name says: 0 for a name that says nothing, 3 for a protocol."""
        if self.part:
            return 3 if self.part == CALL else 0
        if self.name.startswith("["):
            return int(self.value.isdecimal()) + int(self.value.isdecimal() and self.is_unique)
        if not self.is_named:
            return 0
        words = _words(self.name)
        return 2 if words & REQUEST_WORDS or words == {"id"} else 0


def message_ids(message: str) -> tuple[MessageId, ...]:
    """Return the fields of a message that may be ids."""
    found: list[MessageId] = []
    seen = set()
    for one in _ids(message):
        if (one.name, one.value) not in seen and (
            one.part or one.is_unique or one.is_named or one.name.startswith("[")
        ):
            seen.add((one.name, one.value))
            found.append(one)
        if len(found) >= MAX_IDS:
            break
    return tuple(found)


def _ids(message: str) -> Iterator[MessageId]:
    if numbered := SOCKET_IO.match(message):
        kind, number = numbered.groups()
        if number:
            yield MessageId("ack", number, CALL if kind in "25" else ANSWER)
        message = message[numbered.end() :]
    elif STOMP.match(message):
        yield from _headers(message)
        return
    elif message.startswith('a["'):  # SockJS
        message = message[1:]
    if message[:1] in ("{", "[") and len(message) <= PARSED_CHARS:
        try:
            parsed = msgspec.json.decode(message)
        except msgspec.DecodeError:
            pass
        else:
            yield from _within(parsed)
            return
    yield from _pairs(message[:END_CHARS].partition("[")[0] if message[:1] == "{" else message[:END_CHARS])
    if len(message) > END_CHARS:
        yield from _pairs(message[-END_CHARS:].rpartition("]")[2])


def _headers(message: str) -> Iterator[MessageId]:
    for line in message[:END_CHARS].partition("\n\n")[0].split("\n")[1:]:
        if header := HEADER.match(line):
            name, value = header.groups()
            part = {"receipt": CALL, "receipt-id": ANSWER}.get(name, "")
            yield MessageId(name, value, part)


def _pairs(text: str) -> Iterator[MessageId]:
    for found in PAIR.finditer(text):
        name, word, number = found.groups()
        yield MessageId(name, word or number)


def _within(value: Any) -> Iterator[MessageId]:
    if isinstance(value, dict):
        yield from _in_fields(value, MAX_DEPTH)
    elif isinstance(value, list):
        for place, item in enumerate(value[:MAX_PLACES]):
            if isinstance(item, dict):
                yield from _in_fields(item, MAX_DEPTH - 1)
            elif isinstance(item, str) and item.startswith("{"):
                yield from _ids(item)
            elif (text := _scalar(item)) is not None:
                yield MessageId(f"[{place}]", text)


def _in_fields(fields: dict[str, Any], depth: int) -> Iterator[MessageId]:
    part = (CALL if "method" in fields else ANSWER) if "jsonrpc" in fields else ""
    for name, value in fields.items():
        if (text := _scalar(value)) is not None:
            yield MessageId(name, text, part if name == "id" else "")
        elif isinstance(value, dict) and depth > 1:
            yield from _in_fields(value, depth - 1)


def _scalar(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and VALUE.fullmatch(value) else None


def _words(name: str) -> set[str]:
    return {word.lower() for word in WORD.findall(name)}
