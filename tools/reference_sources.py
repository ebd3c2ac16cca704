"""What the reference is made of: docstrings of classes and fields, types as text, and Markdown tables of them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stillframe.model.structs import Value

PLAIN_NAMES = {type(None): "None", Any: "any", Path: "path"}
"""How types are named that their own name does not describe."""


class Field(NamedTuple):
    """One field of a Struct: its names, its type and default as text, and its docstring.

    `default` of a value that stillframe makes says whether its JSON always has the key.
    """

    name: str
    json_name: str
    type: str
    default: str
    text: str


# -- docstrings ----------------------------------------------------------------------------------


def docstring(of: Any) -> str:
    """Return a docstring without its indent, and with each paragraph on one line."""
    return joined(inspect.getdoc(of) or "")


def joined(text: str) -> str:
    """Return text with the lines of each paragraph joined; lists and sections keep a line for each item."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(_section(each) or re.sub(r"\n\s*(?!- )", " ", each).strip() for each in paragraphs)


def _section(paragraph: str) -> str:
    """Return a section of a docstring as Markdown: a list of its entries; an empty text for any other paragraph."""
    title, colon, lines = paragraph.partition(":\n")
    if not colon or title not in ("Args", "Returns", "Yields", "Raises"):
        return ""
    entries = re.sub(r"\n\s+", " ", textwrap.dedent(lines)).splitlines()
    if title in ("Returns", "Yields"):
        return f"{title}: {' '.join(entries)}"
    return "\n".join([f"{title}:\n", *(re.sub(r"([*\w]+): ", r"- `\1`: ", entry, count=1) for entry in entries)])


def summary(of: Any) -> str:
    """Return the first line of a docstring, and the errors that its section names."""
    text = inspect.getdoc(of) or ""
    errors = re.findall(r"^    (\w+): ", text.partition("\nRaises:\n")[2], re.MULTILINE)
    return text.partition("\n")[0] + (f" Raises {', '.join(errors)}." if errors else "")


@cache
def class_node(cls: type) -> ast.ClassDef:
    """Return the definition of a class in its source."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(cls) or cls))
    return next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == cls.__name__)


def attribute_docstrings(cls: type) -> dict[str, str]:
    """Return the docstrings below the fields of a class and of its bases."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("stillframe"):
            found |= dict(_documented(class_node(base).body))
    return found


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, joined(text)


# -- fields --------------------------------------------------------------------------------------


def fields_of(cls: type[msgspec.Struct]) -> list[Field]:
    """Return the fields of a Struct in their order."""
    hints = typing.get_type_hints(cls, include_extras=True)
    texts = attribute_docstrings(cls)
    shown = _presence if issubclass(cls, Value) else _default
    return [
        Field(field.name, field.encode_name, type_text(hints[field.name]), shown(field, cls), texts.get(field.name, ""))
        for field in msgspec.structs.fields(cls)
    ]


def _presence(field: msgspec.structs.FieldInfo, cls: type[msgspec.Struct]) -> str:
    return "always" if field.required or not cls.__struct_config__.omit_defaults else "if set"


def _default(field: msgspec.structs.FieldInfo, _: type[msgspec.Struct]) -> str:
    if field.required:
        return "required"
    if field.default is msgspec.NODEFAULT:
        return f"`{field.default_factory()}`"  # type: ignore[operator]  # it is set where `default` is not
    return "–" if field.default is None else f"`{field.default!r}`"


def type_text(hint: Any) -> str:
    """Return a type in words: bounds with numbers, literals by their values, functions as `function`."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    render = RENDERINGS.get(origin)
    if render is not None:
        return render(inner)
    return PLAIN_NAMES.get(hint) or getattr(hint, "__name__", str(hint))


def _union(inner: tuple[Any, ...]) -> str:
    return " or ".join(dict.fromkeys(type_text(part) for part in inner if part is not type(None)))


def _bounded(inner: tuple[Any, ...]) -> str:
    plain, *metas = inner
    bounds = [text for meta in metas if isinstance(meta, msgspec.Meta) for text in _bounds(meta)]
    return ", ".join([type_text(plain), *bounds])


def _bounds(meta: msgspec.Meta) -> Iterator[str]:
    for word, bound in (("above", meta.gt), ("at least", meta.ge), ("below", meta.lt), ("at most", meta.le)):
        if bound is not None:
            yield f"{word} {bound:,}"
    if meta.min_length == 1:
        yield "not empty"


def _tuple(inner: tuple[Any, ...]) -> str:
    return f"list of {type_text(inner[0])}" if Ellipsis in inner else f"({', '.join(map(type_text, inner))})"


RENDERINGS: Mapping[Any, Callable[[tuple[Any, ...]], str]] = {
    typing.Union: _union,
    types.UnionType: _union,
    typing.Annotated: _bounded,
    typing.Literal: lambda inner: ", ".join(f"`{value}`" for value in inner),
    tuple: _tuple,
    list: lambda inner: f"list of {type_text(inner[0])}",
    dict: lambda inner: f"dict of {type_text(inner[0])} to {type_text(inner[1])}",
    typing.get_origin(Mapping[str, str]): lambda inner: f"dict of {type_text(inner[0])} to {type_text(inner[1])}",
    typing.get_origin(Callable[[], None]): lambda _: "function",
}


def structs_in(hint: Any) -> Iterator[type[msgspec.Struct]]:
    """Yield the Structs that a type names."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for part in typing.get_args(hint):
        yield from structs_in(part)


def closure(cls: type[msgspec.Struct]) -> list[type[msgspec.Struct]]:
    """Return a Struct and all Structs that its fields lead to, each before what it leads to."""
    found = [cls]
    for known in found:
        for hint in typing.get_type_hints(known, include_extras=True).values():
            found += [new for new in dict.fromkeys(structs_in(hint)) if new not in found]
    return found


# -- Markdown ------------------------------------------------------------------------------------


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    head = list(head)
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *map(_row, rows)])


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("\n", " ").replace("|", r"\|") for cell in cells) + " |"


def field_table(fields: Iterable[Field], *, python: bool) -> str:
    """Return a table of fields, by their Python names, or by their JSON names where only those are of use."""
    fields = list(fields)
    rows = [[_names(field, python=python), field.type, field.default, field.text] for field in fields]
    made = any(field.default in ("always", "if set") for field in fields)
    head = ["name", "type", "in JSON" if made else "default", "meaning"]
    width = 4 if any(field.text for field in fields) else 3
    return table(head[:width], (row[:width] for row in rows))


def _names(field: Field, *, python: bool) -> str:
    names = [field.name] if python else dict.fromkeys([field.json_name, field.name])
    return ", ".join(f"`{name}`" for name in names)
