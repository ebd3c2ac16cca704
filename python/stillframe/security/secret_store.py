"""Declared secrets: named texts that actions refer to, each for the hosts it is meant for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from stillframe.errors import OptionInvalid, SecretRefused, SecretUnknown
from stillframe.model.secret import REDACTED
from stillframe.model.suggest import did_you_mean
from stillframe.security.policy import Rules
from stillframe.security.redaction import MIN_LENGTH, Redaction
from stillframe.security.urls import parse_url

READ_BY_OTHERS = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH


class Declared(msgspec.Struct, frozen=True):
    """A secret by its name; `hosts` are those it may be typed on, all if there are none."""

    name: str
    value: str
    hosts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Declared({self.name!r}, {REDACTED!r}, hosts={self.hosts!r})"

    __str__ = __repr__

    def check_url(self, url: str) -> None:
        """Raise SecretRefused unless the secret may be typed into a frame with that URL."""
        if not self.hosts:
            return
        try:
            read = parse_url(url)
        except ValueError:
            read = None
        host = read.host if read else None
        if read is None or host is None or not Rules(self.hosts).match(host, read.port):
            raise SecretRefused(
                f"the secret {self.name!r} is meant for {', '.join(self.hosts)} and was not typed into a frame of "
                f"{host or 'no host'}",
                name=self.name,
                host=str(host or ""),
            )


class Secrets:
    """Named secrets for `SecretName`; none of their texts is ever shown.

    One store may serve many contexts; what is added later counts from then on.
    """

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.redaction = Redaction()
        """What must be shown nowhere because of these."""
        self._declared: dict[str, Declared] = {}
        for name, value in (values or {}).items():
            self.add(name, value)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self)})"

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._declared))

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, name: object) -> bool:
        return name in self._declared

    def add(self, name: str, value: str, hosts: Iterable[str] = ()) -> None:
        """Declare a secret, or give it another text; the former one stays masked.

        `hosts` are entries as in `UrlPolicy`: it is then typed into frames of these alone. Raises OptionInvalid, also
        for a text of fewer than 4 characters, which would have to be masked all over every result.
        """
        _check(name, value)
        entries = _hosts(name, hosts)
        self._declared[name] = Declared(name, value, entries)
        self.redaction.add(value)

    def find(self, name: str) -> Declared:
        """Return a declared secret; raises SecretUnknown that names the nearest one."""
        declared = self._declared.get(name)
        if declared is None:
            known = f"; declared: {', '.join(self)}" if self._declared else "; none is: give secrets= to launch"
            raise SecretUnknown(f"no secret {name!r} is declared{did_you_mean(name, self)}{known}", name=name)
        return declared

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Secrets:
        """Read secrets from a file that nobody but its owner may read.

        A name that ends in `.json` is an object of `"name": "text"` or `"name": {"value": "text", "hosts": […]}`, any
        other a dotenv file of `NAME=text` lines, read as python-dotenv reads it, but `${NAME}` is text like any other.
        Raises OptionInvalid, which quotes nothing of the file.
        """
        content = _read_private(Path(path))
        secrets = cls()
        for name, value, hosts in _json(path, content) if str(path).endswith(".json") else _dotenv(path, content):
            secrets.add(name, value, hosts)
        return secrets


def parse_secrets(value: Any) -> Secrets:
    """Return a store given as such or by its names and texts; raises OptionInvalid."""
    if isinstance(value, Secrets):
        return value
    if not isinstance(value, Mapping):
        raise OptionInvalid("option secrets: it is a Secrets, or a mapping of names to texts", option="secrets")
    return Secrets(value)


Entry = tuple[str, Any, Any]


def _check(name: Any, value: Any) -> None:
    if not isinstance(name, str) or not name.strip():
        raise OptionInvalid("option secrets: a secret has no name", option="secrets")
    if not isinstance(value, str):
        raise OptionInvalid(f"option secrets: the text of {name!r} is no text", option="secrets")
    if len(value.strip()) < MIN_LENGTH:
        raise OptionInvalid(
            f"option secrets: {name!r} has fewer than {MIN_LENGTH} characters, and masking so short a text would leave "
            "nothing of a result to read; type it as Secret(…) where it is needed",
            option="secrets",
        )


def _hosts(name: str, hosts: Any) -> tuple[str, ...]:
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise OptionInvalid(f"option secrets: the hosts of {name!r} are no list", option="secrets")
    entries = tuple(hosts)
    try:
        Rules(entries)
    except (ValueError, AttributeError, TypeError) as error:
        raise OptionInvalid(f"option secrets: the hosts of {name!r}: {error}", option="secrets") from None
    return entries


def _read_private(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            # Of the open file: what is at the path may be another one by now.
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & READ_BY_OTHERS:
                raise OptionInvalid(
                    f"option secrets: others may read {path} ({stat.filemode(mode)}); chmod 600 {path}",
                    option="secrets",
                )
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OptionInvalid(f"option secrets: {path} cannot be read: {words}", option="secrets") from None


def _json(path: Any, content: str) -> Iterator[Entry]:
    try:
        entries = msgspec.json.decode(content, type=dict[str, str | dict[str, Any]])
    except (msgspec.DecodeError, msgspec.ValidationError):
        entries = None
    if entries is None:
        raise OptionInvalid(f"option secrets: {path} is no JSON object of names and texts", option="secrets")
    for name, entry in entries.items():
        fields = {"value": entry} if isinstance(entry, str) else entry
        if set(fields) - {"value", "hosts"}:
            raise OptionInvalid(f"option secrets: {name!r} in {path} has more than value and hosts", option="secrets")
        yield name, fields.get("value"), fields.get("hosts", ())


def _dotenv(path: Any, content: str) -> Iterator[Entry]:
    from dotenv.parser import parse_stream  # 15 ms that only those pay who have such a file

    # Not `dotenv_values`: it warns of a line that is none and goes on, and it puts other variables into values.
    for binding in parse_stream(StringIO(content)):
        if binding.error or (binding.key is not None and binding.value is None):
            line = binding.original.line + _blank_lines(binding.original.string)
            raise OptionInvalid(f"option secrets: line {line} of {path} is not NAME=text", option="secrets")
        if binding.key is not None:
            yield binding.key, binding.value, ()


def _blank_lines(text: str) -> int:
    """Count the lines before the first that says anything; a binding begins with the blank ones above it."""
    return len(text[: len(text) - len(text.lstrip())].splitlines())
