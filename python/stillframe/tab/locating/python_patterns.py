r"""Translate Python's regular expressions to JavaScript's, where they mean the same. No I/O.

What is searched are texts with white space collapsed to single spaces, so `$` and `.` mean the same in both. Python's
`\d`, `\w` and `\b` know all of Unicode, so they become classes of Unicode, and every result has the flag `u`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from stillframe.errors import SelectorInvalid

if TYPE_CHECKING:
    from stillframe.tab.locating.steps import Pattern


def javascript(pattern: re.Pattern[Any]) -> Pattern:
    """Return the source and the flags of the same expression in JavaScript, with slashes escaped.

    Raises SelectorInvalid for what JavaScript lacks: possessive quantifiers, atomic groups, conditions, flags of a
    group, and patterns of bytes.
    """
    if isinstance(pattern.pattern, bytes):
        _refuse(pattern, "it is for bytes; texts take a pattern of str")
    flags = "".join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)
    return _Translation(pattern).source() or "(?:)", flags + "u"


def _refuse(pattern: re.Pattern[Any], reason: str) -> NoReturn:
    raise SelectorInvalid(
        f"the regular expression {pattern.pattern!r} has no equivalent in JavaScript: {reason}",
        selector=str(pattern.pattern),
    )


class _Translation:
    """Reads an expression from the left to the right."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.text = pattern.pattern
        self.at = 0
        self.names = _ASCII if pattern.flags & re.ASCII else _UNICODE
        self.many_lines = bool(pattern.flags & re.MULTILINE)

    def source(self) -> str:
        self._skip(_GLOBAL_FLAGS)
        parts = []
        while self.at < len(self.text):
            if not (self.pattern.flags & re.VERBOSE and self._skip(_VERBOSE)):
                parts.append(self._part())
        return "".join(parts)

    def _part(self) -> str:
        char = self._take()
        reader = _READERS.get(char)
        return _literal(char) if reader is None else reader(self, char)

    def _take(self, count: int = 1) -> str:
        taken = self.text[self.at : self.at + count]
        self.at += count
        return taken

    def _skip(self, what: re.Pattern[str]) -> str:
        """Take what an expression matches here; "" if it does not match."""
        found = what.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def _refuse(self, start: int, what: str) -> NoReturn:
        _refuse(self.pattern, f"{self.text[start : start + 10]!r} at {start} is {what}")

    # -- the parts of an expression ----------------------------------------------------------------

    def _as_it_is(self, char: str) -> str:
        return char

    def _quantifier(self, char: str) -> str:
        return char + self._mode(self.at - 1)

    def _count(self, _: str) -> str:
        start = self.at - 1
        found = _COUNT.match(self.text, start)
        if found is None or found[0] == "{}":
            return r"\{"
        self.at = found.end()
        least, most = found["least"] or "0", found["most"]
        return "{" + (least if most is None else f"{least},{most}") + "}" + self._mode(start)

    def _mode(self, start: int) -> str:
        if self.text.startswith("+", self.at):
            self._refuse(start, "a possessive quantifier")
        return self._take() if self.text.startswith("?", self.at) else ""

    def _group(self, _: str) -> str:
        start = self.at - 1
        if not self.text.startswith("?", self.at):
            return "("
        if self._skip(_COMMENT):
            return ""
        if same := self._skip(_SAME_GROUP):
            return f"({same}"
        if named := self._skip(_NAMED_GROUP):
            return f"(?<{named[3:-1]}>"
        if named := self._skip(_NAMED_REFERENCE):
            return rf"\k<{named[3:-1]}>"
        return self._refuse(start, _LACKING_GROUPS.get(self.text[self.at + 1], "a group with flags of its own"))

    def _escape(self, _: str) -> str:
        char = self._take()
        if char == "A":
            return "(?<![^])" if self.many_lines else "^"
        if char == "Z":
            return "(?![^])" if self.many_lines else "$"
        if char in self.names:
            return self.names[char]
        if char in "123456789" and not _OCTAL.match(self.text, self.at - 1):
            return rf"(?:\{char}{self._skip(_DIGIT)})"
        return _literal(self._escaped(char))

    def _escaped(self, char: str) -> str:
        """Return the character that an escape stands for."""
        if char in _LETTERS:
            return _LETTERS[char]
        if char in _HEX:
            return chr(int(self._take(_HEX[char]), 16))
        if char == "N":
            name = self.text[self.at + 1 : self.text.index("}", self.at)]
            self.at += len(name) + 2
            return unicodedata.lookup(name)
        if char.isdigit():
            self.at -= 1
            return chr(int(self._skip(_DIGITS), 8))
        return char

    # -- classes of characters ---------------------------------------------------------------------

    def _class(self, _: str) -> str:
        negated = bool(self._skip(_NOT))
        members, others = "", []
        first = True
        while first or not self.text.startswith("]", self.at):
            first = False
            member = self._member()
            if member.startswith("[^"):
                others.append(member)
                continue
            if self.text.startswith("-", self.at) and not self.text.startswith("]", self.at + 1):
                self.at += 1
                member += f"-{self._member()}"
            members += member
        self.at += 1
        if not others:
            return f"[{'^' * negated}{members}]"
        # A negated class within a class: JavaScript has it only with the flag `v`.
        either = "|".join([*([f"[{members}]"] if members else []), *others])
        return f"(?:(?!{either})[^])" if negated else f"(?:{either})"

    def _member(self) -> str:
        char = self._take()
        if char == "-":
            return r"\-"
        if char != "\\":
            return _literal(char)
        char = self._take()
        if char in "dDsSwW":
            shown = self.names[char]
            return shown[1:-1] if shown.startswith("[") and not shown.startswith("[^") else shown
        return _IN_CLASS.get(char) or _literal(self._escaped(char))


def _literal(char: str) -> str:
    """Return a character as JavaScript has it, inside a class or outside of one."""
    if char in _SYNTAX:
        return f"\\{char}"
    if char.isprintable():
        return char
    return f"\\u{{{ord(char):x}}}"


_READERS: dict[str, Callable[[_Translation, str], str]] = {
    **dict.fromkeys("^$.|)", _Translation._as_it_is),
    **dict.fromkeys("*+?", _Translation._quantifier),
    "{": _Translation._count,
    "(": _Translation._group,
    "[": _Translation._class,
    "\\": _Translation._escape,
}
_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
_SYNTAX = "^$\\.*+?()[]{}|/"
_WORD = r"\p{L}\p{N}_"
_IS = f"[{_WORD}]"
_UNICODE = {
    "d": r"\p{Nd}",
    "D": r"\P{Nd}",
    "s": r"\s",
    "S": r"\S",
    "w": _IS,
    "W": f"[^{_WORD}]",
    "b": f"(?:(?<={_IS})(?!{_IS})|(?<!{_IS})(?={_IS}))",
    "B": f"(?:(?<={_IS})(?={_IS})|(?<!{_IS})(?!{_IS}))",
}
_ASCII = {
    "d": r"\d",
    "D": r"\D",
    "s": r"[ \t\n\r\f\v]",
    "S": r"[^ \t\n\r\f\v]",
    "w": r"\w",
    "W": r"\W",
    "b": r"\b",
    "B": r"\B",
}
_IN_CLASS = {"b": r"\x08", "-": r"\-"}
_LETTERS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEX = {"x": 2, "u": 4, "U": 8}
_LACKING_GROUPS = {">": "an atomic group", "(": "a condition"}
_GLOBAL_FLAGS = re.compile(r"\(\?[aiLmsux]+\)")
_VERBOSE = re.compile(r"[ \t\n\r\v\f]+|#[^\n]*")
_COMMENT = re.compile(r"\?#[^)]*\)")
_SAME_GROUP = re.compile(r"\?(?:[:=!]|<[=!])")
_NAMED_GROUP = re.compile(r"\?P<[^>]+>")
_NAMED_REFERENCE = re.compile(r"\?P=[^)]+\)")
_COUNT = re.compile(r"\{(?P<least>[0-9]*)(?:,(?P<most>[0-9]*))?\}")
_NOT = re.compile(r"\^")
_DIGIT = re.compile(r"[0-9]?")
_DIGITS = re.compile(r"[0-7]{1,3}")
_OCTAL = re.compile(r"[0-3][0-7]{2}")
