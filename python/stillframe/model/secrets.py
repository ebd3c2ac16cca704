"""Texts that are typed into pages and shown nowhere."""

from __future__ import annotations

import logging
import re
import weakref
from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeVar, cast
from urllib.parse import quote, quote_plus

import msgspec

Value = TypeVar("Value")

REDACTED = "••••"
"""What stands wherever a secret would."""

MIN_LENGTH = 4
"""Characters of a declared secret: replacing every occurrence of a shorter text would leave nothing of a result."""


class Secret(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"name": "secretName"}
):
    """A text that is typed into the page and never shown: not in results, errors, logs or reprs.

    In JSON: `{"secret": "…"}`, or `{"secretName": "…"}` for one that was declared in a `Secrets`; see `SecretName`.
    """

    secret: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if (self.secret is None) == (self.name is None):
            raise ValueError("a secret is either its text (secret) or its name (secretName)")

    def reveal(self) -> str:
        """Return the text itself, for the one place that types it; a secret known by name has none before that."""
        return self.secret or ""

    def __repr__(self) -> str:
        return f"Secret({REDACTED})" if self.name is None else f"SecretName({self.name!r})"

    __str__ = __repr__


def SecretName(name: str) -> Secret:  # noqa: N802  it is used as a type, beside `Secret`
    """Stand for the declared secret of that name wherever a `Secret` may be; its text is filled in as it is typed."""
    return Secret(name=name)


Text = str | Secret


def reveal(text: Text) -> str:
    """Return the plain text of a value that may be a `Secret`."""
    return text.reveal() if isinstance(text, Secret) else text


def longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return secrets in the order in which they are redacted, so that none is hidden by a part of itself."""
    return tuple(sorted(secrets, key=lambda text: (-len(text), text)))


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return the text with every occurrence of each secret replaced; give the longest secrets first."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


UNRESERVED = ("!'()*-._~", "!#$&'()*+,/:;=?@~", "/", "", "!$&'()*+,/:;=@~", "-._~!$&'()*+,;=:@")
"""What encodeURIComponent, the value of an `action` or `href`, and the libraries of servers leave as it is in a URL."""
IN_FORMS = ("*-._", "-._", "")
"""The same where a space is a plus: URLSearchParams and others."""


def forms(secret: str) -> set[str]:
    """Return the texts in which a page shows a secret: as it is, in URLs, selectors, names of files and JSON."""
    json = msgspec.json.encode(secret).decode()[1:-1]
    # On the lines that its line breaks make, and as pages and those who read them treat spaces.
    words = secret.split()
    lines = {line for line in (*secret.splitlines(), " ".join(words), "".join(words)) if len(line) >= MIN_LENGTH}
    return {secret, json, *lines, *_in_urls(secret), *_in_selectors(secret), *_in_files(secret)}


def _in_urls(secret: str) -> set[str]:
    quoted = {quote(secret, safe=marks) for marks in UNRESERVED}
    quoted |= {quote_plus(secret, safe=marks) for marks in IN_FORMS}
    return quoted | set(map(_lower_escapes, quoted))


def _in_files(secret: str) -> set[str]:
    """What nothing may be called on disk is replaced, by Chrome and by us."""
    harmless = re.sub(r'[\x00-\x1f\x7f"*/:<>?\\|]', "_", secret)
    return {harmless, harmless.replace("~", "_")}


def _in_selectors(secret: str) -> set[str]:
    """In a name, at the start of one, and in quotes."""
    name = r"[\w\x80-\U0010ffff-]"
    quoted = r'[^"\\]'
    return {_css(secret, name, digit=False), _css(secret, name, digit=True), _css(secret, quoted, digit=False)}


def _css(secret: str, plain: str, digit: bool) -> str:
    """How a selector has it: all but `plain` with a backslash, as CSS.escape does; `digit` begins a name."""
    return "".join(
        f"\\{ord(char):x} "
        if char < " " or char == "\x7f" or (digit and place == 0 and char.isascii() and char.isdigit())
        else char
        if re.match(plain, char)
        else f"\\{char}"
        for place, char in enumerate(secret)
    )


def _lower_escapes(quoted: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda escape: escape[0].lower(), quoted)


class Masks:
    """The texts that are shown nowhere, of one context or one store: in every form, the longest first.

    They only ever grow. All that live are also left out of the logs; see `logger`.
    """

    _all: ClassVar[weakref.WeakSet[Masks]] = weakref.WeakSet()

    def __init__(self, above: Masks | None = None) -> None:
        self._above = above
        self._own: set[str] = set()
        self._known: tuple[int, tuple[str, ...]] = (0, ())
        self._all.add(self)

    @property
    def texts(self) -> tuple[str, ...]:
        """All forms of all secrets, longest first."""
        count = len(self)
        if self._known[0] != count:
            above = () if self._above is None else self._above.texts
            self._known = count, longest_first({*self._own, *above})
        return self._known[1]

    def __len__(self) -> int:
        return len(self._own) + (0 if self._above is None else len(self._above))

    def update(self, texts: Iterable[str]) -> None:
        """Take in texts as they are; `forms` makes them of a secret."""
        self._own.update(texts)

    def redact(self, value: Value) -> Value:
        """Return a text, a Struct or a tuple of them with every secret in it replaced."""
        return redact_all(value, self.texts) if len(self) else value

    def redact_error(self, error: BaseException) -> None:
        """Replace every secret in an exception: its words and its data, and those of what it came from."""
        seen: set[int] = set()
        while len(self) and error is not None and id(error) not in seen:
            seen.add(id(error))
            error.args = tuple(map(self.redact, error.args))
            for name, value in vars(error).items():
                if isinstance(value, str | tuple):
                    setattr(error, name, self.redact(value))
            following = error.__cause__ or error.__context__
            if following is None:
                return
            error = following

    @classmethod
    def redact_everywhere(cls, text: str) -> str:
        """Replace the secrets of all that live: for what is not known to belong to one of them."""
        return redact(text, longest_first({text for masks in cls._all for text in masks._own}))


class _Filter(logging.Filter):
    """Leaves secrets out of log records, whatever they are part of."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = Masks.redact_everywhere(_FORMAT.formatException(record.exc_info))
            record.exc_info = None
        try:
            text = record.getMessage()
        except Exception:
            # What is wrong with the record is for its handler to tell.
            return True
        record.msg, record.args = Masks.redact_everywhere(text), ()
        return True


_FORMAT = logging.Formatter()


def logger(name: str) -> logging.Logger:
    """Return a logger that shows no secret; every module of ours takes its own from here.

    A filter on `stillframe` would not do: what is logged further down does not pass it.
    """
    log = logging.getLogger(name)
    if not any(isinstance(kept, _Filter) for kept in log.filters):
        log.addFilter(_Filter())
    return log


def hidden_in(texts: Sequence[str], secrets: Iterable[str]) -> set[int]:
    """Return which texts show a secret or a part of one, read one after the other, whatever the case and the spaces."""
    flat: list[str] = []
    owners: list[int] = []
    for number, text in enumerate(texts):
        kept = _flat(text)
        flat.append(kept)
        owners.extend([number] * len(kept))
    whole = "".join(flat)
    found: set[int] = set()
    for needle in filter(None, map(_flat, secrets)):
        start = whole.find(needle)
        while start >= 0:
            found.update(owners[start : start + len(needle)])
            start = whole.find(needle, start + 1)
    return found


def _flat(text: str) -> str:
    return "".join(text.split()).casefold()


def redact_all(value: Value, secrets: Iterable[str]) -> Value:
    """Return a text, a Struct or a collection with every text in it redacted; give the longest secrets first."""
    if isinstance(value, str):
        return cast(Value, redact(value, secrets))
    if isinstance(value, tuple | list):
        made = getattr(type(value), "_make", type(value))
        return cast(Value, made(redact_all(each, secrets) for each in value))
    if isinstance(value, dict):
        plain = {redact_all(key, secrets): redact_all(each, secrets) for key, each in value.items()}
        return cast(Value, plain)
    if isinstance(value, msgspec.Struct):
        named = {name: redact_all(getattr(value, name), secrets) for name in value.__struct_fields__}
        made = type(value)(**named)
        # What a Struct carries beside its fields is no text.
        if hasattr(value, "__dict__"):
            made.__dict__.update(value.__dict__)
        return made
    return value
