"""What the shell of an emulated device does to words: fields, patterns, arithmetic."""

from __future__ import annotations

import ast
import fnmatch
import operator
import re
from collections.abc import Callable, Iterable, Mapping

from stillframe_phone.emulated.files import EmulatedFiles

Run = tuple[str, bool]
"""A piece of a field, and whether it is quoted."""
Field = list[Run]

BLANKS = " \t\n"
MAGIC = re.compile(r"[*?[]")


class Fields:
    """Collects the fields of one word from its expanded parts; unless `split` is False, values split at blanks."""

    def __init__(self, *, split: bool = True) -> None:
        self.fields: list[Field] = []
        self._split = split
        self._open = False

    def add(self, text: str, quoted: bool) -> None:
        """Append to the field that is open, or open one."""
        if not self._open:
            self.fields.append([])
            self._open = True
        self.fields[-1].append((text, quoted))

    def add_value(self, text: str, quoted: bool) -> None:
        """Append the value of a parameter or a substitution, with a new field at each blank unless it is quoted."""
        if quoted or not self._split:
            self.add(text, quoted)
            return
        for piece in re.split(rf"([{BLANKS}]+)", text):
            if piece and piece[0] in BLANKS:
                self._open = False
            elif piece:
                self.add(piece, quoted=False)

    def joined(self) -> Field:
        """Return everything as one field: what happens where words are not split."""
        found = Field()
        for number, field in enumerate(self.fields):
            found += [*([(" ", True)] if number else []), *field]
        return found

    def add_all(self, texts: Iterable[str]) -> None:
        """Append each text as a field of its own, as "$@" does."""
        for number, text in enumerate(texts):
            if number:
                self._open = False
            self.add(text, quoted=True)


def text_of(field: Field) -> str:
    """Return a field without its quotes."""
    return "".join(text for text, _ in field)


def pattern_of(field: Field) -> str:
    """Return a field as a pattern of fnmatch, in which quoted characters stand for themselves."""
    return "".join(MAGIC.sub(r"[\g<0>]", text) if quoted else text for text, quoted in field)


def paths_of(field: Field, files: EmulatedFiles) -> list[str]:
    """Return the paths that a field matches, or the field itself if it is not a pattern or nothing matches."""
    if not any(not quoted and MAGIC.search(text) for text, quoted in field):
        return [text_of(field)]
    pattern = pattern_of(field)
    if pattern.startswith("/"):
        return files.glob(pattern) or [text_of(field)]
    return [path.lstrip("/") for path in files.glob(f"/{pattern}")] or [text_of(field)]


def matches(text: str, field: Field) -> bool:
    """Return whether a field, as a pattern, matches the whole text."""
    return fnmatch.fnmatchcase(text, pattern_of(field))


def trimmed(value: str, operator: str, pattern: str) -> str:
    """Return a value without the prefix (`#`, `##`) or suffix (`%`, `%%`) that matches; doubled, the longest.

    >>> trimmed("webview_devtools_remote_42", "##", "*_"), trimmed("com.shop:web", "%", ":*")
    ('42', 'com.shop')
    """
    cuts = range(len(value) + 1)
    if operator in ("#", "%%"):
        ordered: Iterable[int] = cuts
    else:
        ordered = reversed(cuts)
    for cut in ordered:
        head, tail = value[:cut], value[cut:]
        if fnmatch.fnmatchcase(head if operator[0] == "#" else tail, pattern):
            return tail if operator[0] == "#" else head
    return value


# -- arithmetic

BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Div: lambda left, right: int(left / right),
    ast.Mod: lambda left, right: left - right * int(left / right),
}
COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
UNARY: dict[type[ast.unaryop], Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: lambda value: int(not value),
}


def calculate(expression: str, variables: Mapping[str, str]) -> int:
    """Return the value of `$((expression))`. Raises ValueError for one that this shell does not know.

    >>> calculate("pid % 10 + 2 * (1 < 2)", {"pid": "4321"})
    3
    """
    text = re.sub(r"\$\{?(\w+)\}?", r"\1", expression).strip() or "0"
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, variables)
    except (SyntaxError, ZeroDivisionError, KeyError, RecursionError) as failure:
        raise ValueError(f"{expression}: bad arithmetic expression") from failure


def _value(node: ast.expr, variables: Mapping[str, str]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return int(number)
        case ast.Name(id=name):
            return int(variables.get(name) or "0")
        case ast.BinOp(left=left, op=how, right=right):
            return BINARY[type(how)](_value(left, variables), _value(right, variables))
        case ast.UnaryOp(op=how_one, operand=operand):
            return UNARY[type(how_one)](_value(operand, variables))
        case ast.Compare(left=left, ops=[how_compared], comparators=[right]):
            return int(COMPARISONS[type(how_compared)](_value(left, variables), _value(right, variables)))
        case ast.BoolOp(op=ast.And(), values=values):
            return int(all(_value(each, variables) for each in values))
        case ast.BoolOp(values=values):
            return int(any(_value(each, variables) for each in values))
    raise KeyError(type(node).__name__)
