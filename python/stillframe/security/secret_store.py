"""The secret store: named secrets for actions, each optionally limited to some hosts."""

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
from stillframe.security.input_files import InputRefused, decode_text, read_file, read_json
from stillframe.security.policy import Rules
from stillframe.security.redaction import MIN_LENGTH, Redaction
from stillframe.security.urls import parse_url

ACCESSIBLE_TO_OTHERS = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
"""Mode bits that a file with secrets must not have."""


class StoredSecret(msgspec.Struct, frozen=True):
    """A named secret; `hosts` lists the hosts where it may be typed, and an empty list allows all hosts."""

    name: str
    value: str
    hosts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"StoredSecret({self.name!r}, {REDACTED!r}, hosts={self.hosts!r})"

    __str__ = __repr__

    def check_url(self, url: str) -> None:
        """Raise SecretRefused if the secret must not be typed into a frame with this URL."""
        if not self.hosts:
            return
        try:
            parsed = parse_url(url)
        except ValueError:
            parsed = None
        host = parsed.host if parsed else None
        if parsed is None or host is None or not Rules(self.hosts).match(host, parsed.port):
            raise SecretRefused(
                f"the secret {self.name!r} is limited to {', '.join(self.hosts)} and was not typed into a frame of "
                f"{host or 'an unknown host'}",
                name=self.name,
                host=str(host or ""),
            )


class Secrets:
    """Named secrets for `SecretName`; results, errors and logs never show their texts.

    Several contexts may share one store; a secret added later is available at once.

    Args:
        values: The first secrets: their texts by their names.
    """

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.redaction = Redaction()
        """Replaces the texts of this store."""
        self._secrets: dict[str, StoredSecret] = {}
        for name, value in (values or {}).items():
            self.add(name, value)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self)})"

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._secrets))

    def __len__(self) -> int:
        return len(self._secrets)

    def __contains__(self, name: object) -> bool:
        return name in self._secrets

    def add(self, name: str, value: str, hosts: Iterable[str] = ()) -> None:
        """Add a secret, or replace its text; the former text stays redacted.

        Args:
            name: Its name.
            value: Its text, of at least 4 characters: the redaction of a shorter one would destroy every result.
            hosts: The frames that it may be typed into, by entries as in `UrlPolicy`; by default all.

        Raises:
            OptionInvalid: The name, the text or a host is invalid.
        """
        _check(name, value)
        entries = _hosts(name, hosts)
        self._secrets[name] = StoredSecret(name, value, entries)
        self.redaction.add(value)

    def discard(self, name: str) -> None:
        """Forget a secret, if there is one; its text stays redacted."""
        self._secrets.pop(name, None)

    def find(self, name: str) -> StoredSecret:
        """Return a secret by its name.

        Args:
            name: Its name.

        Raises:
            SecretUnknown: There is none; the message names the nearest one.
        """
        secret = self._secrets.get(name)
        if secret is None:
            known = f"; the secrets are: {', '.join(self)}" if self._secrets else "; pass secrets= to launch"
            raise SecretUnknown(f"there is no secret {name!r}{did_you_mean(name, self)}{known}", name=name)
        return secret

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Secrets:
        """Read secrets from a file that only its owner may read.

        A `.json` file contains an object of `"name": "text"` or `"name": {"value": "text", "hosts": […]}`. Any other
        file is a dotenv file of `NAME=text` lines, parsed by python-dotenv without expanding `${NAME}`.

        Args:
            path: The file.

        Raises:
            OptionInvalid: It cannot be read, is not private, or does not parse; the message never quotes it.
        """
        content = _read_private(Path(path))
        secrets = cls()
        for name, value, hosts in _json(path, content) if str(path).endswith(".json") else _dotenv(path, content):
            secrets.add(name, value, hosts)
        return secrets


def parse_secrets(value: Any) -> Secrets:
    """Return a store from a Secrets or from a mapping of names to texts; raises OptionInvalid."""
    if isinstance(value, Secrets):
        return value
    if not isinstance(value, Mapping):
        raise OptionInvalid("option secrets: expected a Secrets or a mapping of names to strings", option="secrets")
    return Secrets(value)


MAX_FILE_BYTES = 1_000_000
"""The largest file of secrets that is read; one of a thousand secrets has a tenth of that."""

Entry = tuple[str, Any, Any]


def _check(name: Any, value: Any) -> None:
    if not isinstance(name, str) or not name.strip():
        raise OptionInvalid("option secrets: the name of a secret must be a string that is not empty", option="secrets")
    if not isinstance(value, str):
        raise OptionInvalid(f"option secrets: the value of {name!r} must be a string", option="secrets")
    if len(value.strip()) < MIN_LENGTH:
        raise OptionInvalid(
            f"option secrets: {name!r} has fewer than {MIN_LENGTH} characters, and redacting so short a text would "
            "destroy every result; pass it as Secret(…) to the action that types it",
            option="secrets",
        )


def _hosts(name: str, hosts: Any) -> tuple[str, ...]:
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise OptionInvalid(f"option secrets: the hosts of {name!r} must be a list", option="secrets")
    entries = tuple(hosts)
    try:
        Rules(entries)
    except (ValueError, AttributeError, TypeError) as error:
        raise OptionInvalid(f"option secrets: the hosts of {name!r}: {error}", option="secrets") from None
    return entries


def _read_private(path: Path) -> str:
    def check(mode: int) -> None:
        if os.name == "posix" and mode & ACCESSIBLE_TO_OTHERS:
            raise OptionInvalid(
                f"option secrets: other users may access {path} ({stat.filemode(mode)}); run: chmod 600 {path}",
                option="secrets",
            )

    try:
        return decode_text(read_file(path, max_bytes=MAX_FILE_BYTES, check=check))
    except InputRefused as error:
        raise OptionInvalid(f"option secrets: cannot read {path}: {error}", option="secrets") from None


def _json(path: Any, content: str) -> Iterator[Entry]:
    try:
        entries = read_json(content.encode(), dict[str, str | dict[str, Any]])
    except InputRefused:  # whose reason may quote a value
        raise OptionInvalid(
            f"option secrets: {path} is not a JSON object of names and strings", option="secrets"
        ) from None
    for name, entry in entries.items():
        fields = {"value": entry} if isinstance(entry, str) else entry
        if set(fields) - {"value", "hosts"}:
            raise OptionInvalid(
                f"option secrets: {name!r} in {path} has fields other than value and hosts", option="secrets"
            )
        yield name, fields.get("value"), fields.get("hosts", ())


def _dotenv(path: Any, content: str) -> Iterator[Entry]:
    from dotenv.parser import parse_stream  # takes 15 ms, which only callers with such a file pay

    # Not `dotenv_values`, which only warns about invalid lines, and expands variables in values.
    for binding in parse_stream(StringIO(content)):
        if binding.error or (binding.key is not None and binding.value is None):
            line = binding.original.line + _blank_lines(binding.original.string)
            raise OptionInvalid(f"option secrets: line {line} of {path} is not NAME=text", option="secrets")
        if binding.key is not None:
            yield binding.key, binding.value, ()


def _blank_lines(text: str) -> int:
    """Count the blank lines at the start of a binding, which includes those above it."""
    return len(text[: len(text) - len(text.lstrip())].splitlines())
