"""Placeholders in a cassette for what must not be in it, and for what differs from run to run without a meaning.

A placeholder stands for a text: a secret, a key that is random per process, or what the caller named (`aliases`). A
replay fills in its own texts. Credentials in headers are redacted, because no replay needs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import structs

from stillframe._core import secret_forms
from stillframe.errors import OptionInvalid
from stillframe.model.secret import REDACTED
from stillframe.security.redaction import MIN_LENGTH, Redaction, redactor_of
from stillframe.security.secret_store import Secrets
from stillframe.settling import hooks
from stillframe.tab import channel
from stillframe.tab.events import console_objects
from stillframe.testing.cassette_file import CassetteEntry
from stillframe.trace.format import without_credentials

KEYS = {"channel": channel.KEY, "hooks": hooks.KEY, "console": console_objects.KEY}
"""Texts in commands and messages that are random per process."""

ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"
SCRIPT_CHARACTERS = 5000
"""Characters of a script that is not worth its place in a cassette: those of this package have 20,000 and more."""

DECODED = (
    *(b'"headers":', b'"authChallengeResponse":', b'"postData'),
    b'"method":"Page.addScriptToEvaluateOnNewDocument"',
)
"""What frames contain that may hold credentials which nobody declared, or a script."""

POSTED, POSTED_PARTS = "postData", "postDataEntries"
"""The fields with what a page posts, the second in Base64: a form may hold anything."""

PICTURES = ("iVBORw0KGgo", "/9j/", "UklGR")
"""How PNG, JPEG and WebP begin in Base64."""
BLANK = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=="
"""A PNG of one white pixel."""

KEY_FIELDS = frozenset(
    {"text", "unmodifiedText", "key", "code", "keyIdentifier", "windowsVirtualKeyCode", "nativeVirtualKeyCode"}
)
"""The parameters of Input.dispatchKeyEvent that tell which key it is."""

PREFIX_CHARACTERS = 64
"""Characters of a secret whose beginnings have placeholders too, because pages echo each key."""

Known = Callable[[], Iterable[tuple[Secrets, Redaction]]]
"""Returns the secrets of each context, declared and typed."""

MARK = re.compile(r"\{\{stillframe:((?:[^}\\]|\\.)*)\}\}")
"""A placeholder in a text; its group is its name."""
_WHOLE_MARK = re.compile(r"(\{\{stillframe:[^}]*\}\})")
_MARK = re.compile(rb"\{\{stillframe:((?:[^}\\]|\\.)*)\}\}")


class Placeholders:
    """Replaces texts by placeholders (`hide`), and placeholders by texts (`show`), in frames of JSON."""

    def __init__(self, aliases: Mapping[str, str], known: Known) -> None:
        for name, text in aliases.items():
            if not text or not name:
                raise OptionInvalid(f"aliases: {name!r} stands for {text!r}; neither may be empty", option="aliases")
        named = {f"key:{name}": key for name, key in KEYS.items()} | {f"alias:{n}": t for n, t in aliases.items()}
        # Longest first: one text may be part of another.
        self._named = [
            (_escaped(text), _escaped(_mark(name)))
            for name, text in sorted(named.items(), key=lambda item: -len(item[1]))
        ]
        self._texts = {_escaped(name): _escaped(text) for name, text in named.items()}
        self._known = known
        self._names: dict[str, str] = {}
        """The names of the secrets so far, by their texts."""
        self._forms = _Forms({})

    @property
    def secrets(self) -> Mapping[str, str]:
        """The names of the secrets so far, by their texts."""
        return self._names

    def hide(self, frame: bytes) -> bytes:
        """Return a frame as the cassette has it."""
        for text, mark in self._named:
            frame = frame.replace(text, mark)
        self._learn()
        return self._forms.hide(frame)

    def show(self, frame: bytes) -> bytes:
        """Return a frame of the cassette with the texts of this process."""
        if b"{{stillframe:" not in frame:
            return frame
        self._learn()
        return _MARK.sub(lambda mark: self._texts.get(mark[1], mark[0]), frame)

    def bind(self, names: Mapping[str, str]) -> None:
        """Give names to texts that a replay has sent in the place of placeholders that it did not know."""
        self._add({text: name for name, text in names.items() if name.startswith(("secret:", "typed:"))})

    def _learn(self) -> None:
        """Give placeholders to the secrets that are new."""
        for secrets, redaction in self._known():
            self._add({secrets.find(name).value: f"secret:{name}" for name in secrets})
            for text in redaction.typed:
                self._add({text: f"typed:{len(self._names) + 1}"})

    def _add(self, names: Mapping[str, str]) -> None:
        new = {text: name for text, name in names.items() if len(text) >= MIN_LENGTH and text not in self._names}
        if new:
            self._names |= new
            self._forms = _Forms(self._names)
            self._texts |= {_escaped(name): _escaped(form) for form, name in self._forms.names.items()}


def hidden_late(entries: list[CassetteEntry], secrets: Mapping[str, str]) -> Iterator[CassetteEntry]:
    """Yield entries without secrets that became known after they were written, such as a text for a password field.

    Each secret (its name by its text) is hidden from the first command on that contains it: a replay learns it there.
    """
    known: dict[str, str] = {}
    forms = _Forms(known)
    for entry in entries:
        sent = bytes(entry.send)
        new = {text: name for text, name in secrets.items() if text not in known and _escaped(text) in sent}
        if new:
            known |= new
            forms = _Forms(known)
        name, frame = ("send", entry.send) if entry.send else ("recv", entry.recv)
        yield structs.replace(entry, **{name: msgspec.Raw(forms.hide(bytes(frame)))}) if known and frame else entry


class _Forms:
    """The forms in which secrets occur, and the names of their placeholders."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self.names = {form: name for text, name in secrets.items() for form, name in _forms(text, name)}
        longest_first = sorted(self.names, key=len, reverse=True)
        self._pattern = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if self.names else None
        self._redactor = redactor_of(set(secrets), set())

    def hide(self, frame: bytes) -> bytes:
        """Return a frame without secrets, pictures of them, credentials, posted data and long scripts."""
        if not frame or (self._pattern is None and not any(sign in frame for sign in DECODED)):
            return frame
        message = msgspec.json.decode(frame)
        if message.get("method") == ADD_SCRIPT and len(message["params"]["source"]) > SCRIPT_CHARACTERS:
            message["params"]["source"] = _mark("script")
        for part in ("params", "result", "error"):
            if part in message:
                message[part] = self._hidden(message[part])
        if self._pattern is not None:
            _hide_key(message)
            _hide_picture(message)
        return msgspec.json.encode(message)

    def _hidden(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._hidden(each) for each in value]
        if isinstance(value, dict):
            return {self._text(key): self._member(key, each) for key, each in value.items() if key != POSTED_PARTS}
        return value

    def _text(self, text: str) -> str:
        """Return a text with placeholders for the forms of secrets; other forms, such as Base64, are redacted."""
        if self._pattern is None:
            return text
        hidden = []
        for index, part in enumerate(_WHOLE_MARK.split(text)):
            if index % 2:
                hidden.append(part)
                continue
            for place, piece in enumerate(self._pattern.split(part)):
                hidden.append(_mark(self.names[piece]) if place % 2 else self._redactor.redact(piece))
        return "".join(hidden)

    def _member(self, key: str, value: Any) -> Any:
        if key == "headers" and isinstance(value, dict):
            return {name: self._hidden(each) for name, each in _harmless(value).items()}
        if key == POSTED and isinstance(value, str):
            return REDACTED
        if key == "authChallengeResponse" and isinstance(value, dict):
            return {name: REDACTED if name == "password" else each for name, each in value.items()}
        return self._hidden(value)


def _forms(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the forms in which a page may show a secret, and its beginnings, with their names."""
    if len(text) <= PREFIX_CHARACTERS:
        yield from ((text[:end], f"{name}:to{end}") for end in range(MIN_LENGTH, len(text)))
    for number, form in enumerate(secret_forms(text)):
        if len(form) >= MIN_LENGTH:
            yield form, f"{name}:{number}"
    yield text, name


def _harmless(headers: dict[str, Any]) -> dict[str, Any]:
    """Return headers without the values of those that carry credentials."""
    safe = without_credentials({name.lower(): "" for name in headers})
    return {name: REDACTED if safe[name.lower()] else value for name, value in headers.items()}


def _hide_key(message: dict[str, Any]) -> None:
    """Remove which character a command types: once anything secret is known, the characters may spell it."""
    if message.get("method") == "Input.dispatchKeyEvent" and len(message["params"].get("key", "")) <= 1:
        params = message["params"]
        message["params"] = {name: REDACTED if name in KEY_FIELDS else params[name] for name in params}


def _hide_picture(message: dict[str, Any]) -> None:
    """Replace a screenshot by a white pixel: what shows a secret is painted over only after Chrome has sent it."""
    picture = message.get("result", {}).get("data")
    if isinstance(picture, str) and picture.startswith(PICTURES):
        message["result"]["data"] = BLANK


def _mark(name: str) -> str:
    return f"{{{{stillframe:{name}}}}}"


def _escaped(text: str) -> bytes:
    """Return a text as it stands between the quotes of JSON."""
    return msgspec.json.encode(text)[1:-1]
