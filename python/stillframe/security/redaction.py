"""Replaces secrets in results, errors and logs."""

from __future__ import annotations

import base64
import logging
import weakref
from collections.abc import Iterator, Set
from typing import ClassVar, TypeVar, cast, get_args

import msgspec

from stillframe._core import Redactor
from stillframe.model.structs import mapped
from stillframe.model.verdict import SequenceReason

Value = TypeVar("Value")

MIN_LENGTH = 4
"""Characters of the shortest declared secret: shorter texts occur in ordinary words, so replacing them would destroy
a result."""

MIN_TYPED = 2
"""Characters of the shortest typed text that is replaced."""

MAX_TYPED = 100_000
"""Characters of typed texts that a context remembers; beyond that it forgets the oldest. A page chooses what its fields
hold, so without a limit it could fill the memory with every key."""


class Redaction:
    """The secret texts of one context or store; `Redactor` defines which of their forms are replaced.

    The logs omit the texts of all live instances; see `logger`.
    """

    _instances: ClassVar[weakref.WeakSet[Redaction]] = weakref.WeakSet()
    _combined: ClassVar[tuple[dict[int, int], Redactor]] = ({}, Redactor())

    def __init__(self, parent: Redaction | None = None) -> None:
        self._parent = parent
        self._declared: set[str] = set()
        self._typed: dict[str, None] = {}
        self._changes = 0
        self._cached = (0, Redactor())
        self._instances.add(self)

    @property
    def redactor(self) -> Redactor:
        """The redactor for all texts so far; its length is 0 if there are none."""
        if self._cached[0] != self._version:
            declared, typed = self._texts()
            self._cached = self._version, redactor_of(declared, typed)
        return self._cached[1]

    @property
    def typed(self) -> tuple[str, ...]:
        """The texts that were typed into fields that hide them, oldest first."""
        return tuple(self._typed)

    @property
    def _version(self) -> int:
        return self._changes + (0 if self._parent is None else self._parent._version)

    def _texts(self) -> tuple[set[str], set[str]]:
        declared, typed = (set(), set()) if self._parent is None else self._parent._texts()
        return declared | self._declared, typed | self._typed.keys()

    def add(self, text: str) -> None:
        """Redact a text wherever it occurs."""
        if text and text not in self._declared:
            self._declared.add(text)
            self._changes += 1

    def add_typed(self, text: str, *, instead_of: str = "") -> None:
        """Redact a text that was typed into a field, and its prefixes, which a page may show during the typing.

        `instead_of` is the earlier content of the same field; this text replaces it if it starts with it. A single
        character is not a secret: a box of a code holds one, and every page shows it somewhere.
        """
        if len(text.strip()) < MIN_TYPED or text in self._typed:
            return
        if instead_of and text.startswith(instead_of):
            self._typed.pop(instead_of, None)
        self._typed[text[:MAX_TYPED]] = None
        while sum(map(len, self._typed)) > MAX_TYPED:
            del self._typed[next(iter(self._typed))]
        self._changes += 1

    def redact(self, value: Value) -> Value:
        """Return a text, a Struct or a collection with every secret in it replaced."""
        return redact_all(value, self.redactor) if self.redactor else value

    def redact_error(self, error: BaseException) -> None:
        """Replace every secret in an exception: in its message, its attributes and its causes."""
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
        """Replace the secrets of all live instances, for a text that belongs to no known one."""
        versions = {id(each): each._version for each in cls._instances}
        if cls._combined[0] != versions:
            texts = [each._texts() for each in cls._instances]
            declared = set().union(*(declared for declared, _ in texts))
            typed = set().union(*(typed for _, typed in texts))
            cls._combined = versions, redactor_of(declared, typed)
        return cls._combined[1].redact(text)


def redactor_of(declared: Set[str], typed: Set[str]) -> Redactor:
    """Return the redactor of some secrets, in Base64 as well."""
    in_base64 = {form for text in declared | typed if len(text) >= MIN_LENGTH for form in base64_forms(text)}
    return Redactor(sorted(declared | in_base64), typed=sorted(typed))


def base64_forms(text: str) -> Iterator[str]:
    """Yield what Base64 of anything that contains a text contains, in both alphabets.

    Three bytes make four characters, so there is one form for each place that the text may begin at; the characters
    that depend on its neighbours are left out. Basic authentication is such a case: `user:password`.
    """
    content = text.encode(errors="replace")
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode()
        form = encoded[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
        if len(form) >= MIN_BASE64:
            yield form
            yield form.translate(URL_SAFE)


MIN_BASE64 = 5
"""Characters of the shortest form: four would occur in ordinary words."""
URL_SAFE = str.maketrans("+/", "-_")


class _Filter(logging.Filter):
    """Replaces secrets in log records, including their tracebacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = Redaction.redact_everywhere(_FORMAT.formatException(record.exc_info))
            record.exc_info = None
        try:
            text = record.getMessage()
        except Exception:
            # The handler reports a record that cannot be formatted.
            return True
        record.msg, record.args = Redaction.redact_everywhere(text), ()
        return True


_FORMAT = logging.Formatter()


def logger(name: str) -> logging.Logger:
    """Return a logger that redacts secrets; every module of the package gets its logger here.

    A filter on the logger `stillframe` would not work, because records of its child loggers bypass it.
    """
    log = logging.getLogger(name)
    if not any(isinstance(each, _Filter) for each in log.filters):
        log.addFilter(_Filter())
    return log


PLAIN_FIELDS = frozenset(
    {"kind", "type", "code", "action", "result", "state", "field", "level", "role"}
    | {"target_id", "ref", "new_ref", "exact", "visible", "struct"}
)
"""Fields with words of this package or of a standard, ids and digests, but no text of a page: a password such as
`button` or `beef` must not change them."""


REASONS: frozenset[object] = frozenset(get_args(SequenceReason))


def redact_all(value: Value, redactor: Redactor) -> Value:
    """Return a text, a Struct or a collection with every text in it redacted."""
    if isinstance(value, str):
        return cast("Value", redactor.redact(value))
    if isinstance(value, tuple | list):
        made = getattr(type(value), "_make", type(value))
        return cast("Value", made(redact_all(each, redactor) for each in value))
    if isinstance(value, dict):
        plain = {redact_all(key, redactor): redact_all(each, redactor) for key, each in value.items()}
        return cast("Value", plain)
    if isinstance(value, msgspec.Struct):
        return cast("Value", mapped(value, lambda name, each: _field(name, each, redactor)))
    return value


def _field(name: str, value: Value, redactor: Redactor) -> Value:
    # Names of HTML elements have no hyphen; the name of a custom element is text of the page.
    ours = name in PLAIN_FIELDS or (name == "tag_name" and isinstance(value, str) and "-" not in value)
    # The reason of a verdict is one of our words; that of an error or of an agent's outcome is text.
    ours = ours or (name in ("reason", "wait_reason") and isinstance(value, str) and value in REASONS)
    return value if ours else redact_all(value, redactor)
