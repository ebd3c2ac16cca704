"""Texts that are typed into pages and shown nowhere."""

from __future__ import annotations

import logging
import weakref
from typing import ClassVar, TypeVar, cast

import msgspec

from stillframe._core import Redactor
from stillframe.model.structs import mapped

Value = TypeVar("Value")

MIN_LENGTH = 4
"""Characters of a declared secret: replacing every occurrence of a shorter text would leave nothing of a result."""

MOST_TYPED = 100_000
"""Characters of typed texts that one context remembers, the oldest go first: a page decides what its fields hold, so it
could otherwise fill the memory with every key."""


class Redaction:
    """The texts that are shown nowhere, of one context or one store; `Redactor` says in which forms and where.

    All that live are also left out of the logs; see `logger`.
    """

    _all: ClassVar[weakref.WeakSet[Redaction]] = weakref.WeakSet()
    _everywhere: ClassVar[tuple[dict[int, int], Redactor]] = ({}, Redactor())

    def __init__(self, above: Redaction | None = None) -> None:
        self._above = above
        self._declared: set[str] = set()
        self._typed: dict[str, None] = {}
        self._changes = 0
        self._made = (0, Redactor())
        self._all.add(self)

    @property
    def redactor(self) -> Redactor:
        """What takes out all secrets there are by now; it has no length if there are none."""
        if self._made[0] != self._version:
            declared, typed = self._texts()
            self._made = self._version, Redactor(sorted(declared), typed=sorted(typed))
        return self._made[1]

    @property
    def _version(self) -> int:
        return self._changes + (0 if self._above is None else self._above._version)

    def _texts(self) -> tuple[set[str], set[str]]:
        declared, typed = (set(), set()) if self._above is None else self._above._texts()
        return declared | self._declared, typed | self._typed.keys()

    def add(self, text: str) -> None:
        """Mask a text wherever it stands."""
        if text and text not in self._declared:
            self._declared.add(text)
            self._changes += 1

    def add_typed(self, text: str, *, instead_of: str = "") -> None:
        """Mask a text that was typed into a field, and its beginnings, which a page may show as they are typed.

        With `instead_of` it is what the same field holds after another key: that text is a beginning of this one.
        """
        if not text.strip() or text in self._typed:
            return
        if instead_of and text.startswith(instead_of):
            self._typed.pop(instead_of, None)
        self._typed[text[:MOST_TYPED]] = None
        while sum(map(len, self._typed)) > MOST_TYPED:
            del self._typed[next(iter(self._typed))]
        self._changes += 1

    def redact(self, value: Value) -> Value:
        """Return a text, a Struct or a tuple of them with every secret in it replaced."""
        return redact_all(value, self.redactor) if self.redactor else value

    def redact_error(self, error: BaseException) -> None:
        """Replace every secret in an exception: its words and its data, and those of what it came from."""
        seen: set[int] = set()
        while self.redactor and error is not None and id(error) not in seen:
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
        versions = {id(redaction): redaction._version for redaction in cls._all}
        if cls._everywhere[0] != versions:
            texts = [redaction._texts() for redaction in cls._all]
            declared = set().union(*(declared for declared, _ in texts))
            typed = set().union(*(typed for _, typed in texts))
            cls._everywhere = versions, Redactor(sorted(declared), typed=sorted(typed))
        return cls._everywhere[1].redact(text)


class _Filter(logging.Filter):
    """Leaves secrets out of log records, whatever they are part of."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = Redaction.redact_everywhere(_FORMAT.formatException(record.exc_info))
            record.exc_info = None
        try:
            text = record.getMessage()
        except Exception:
            # What is wrong with the record is for its handler to tell.
            return True
        record.msg, record.args = Redaction.redact_everywhere(text), ()
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


OWN_WORDS = frozenset(
    {"kind", "type", "code", "action", "result", "state", "field", "level", "role"}
    | {"target_id", "ref", "new_ref", "exact", "visible", "struct"}
)
"""Fields that hold words of ours or of a standard, ids and digests, and nothing of a page: a password `button` or
`beef` is no reason to take those out."""


def redact_all(value: Value, redactor: Redactor) -> Value:
    """Return a text, a Struct or a collection with every text in it redacted."""
    if isinstance(value, str):
        return cast(Value, redactor.redact(value))
    if isinstance(value, tuple | list):
        made = getattr(type(value), "_make", type(value))
        return cast(Value, made(redact_all(each, redactor) for each in value))
    if isinstance(value, dict):
        plain = {redact_all(key, redactor): redact_all(each, redactor) for key, each in value.items()}
        return cast(Value, plain)
    if isinstance(value, msgspec.Struct):
        return cast(Value, mapped(value, lambda name, each: _field(name, each, redactor)))
    return value


def _field(name: str, value: Value, redactor: Redactor) -> Value:
    # No element of HTML has a hyphen in its name; one of the page's own making may have anything behind it.
    ours = name in OWN_WORDS or (name == "tag_name" and isinstance(value, str) and "-" not in value)
    return value if ours else redact_all(value, redactor)
