r"""ARIA snapshots in YAML, as Playwright writes and matches them. Pure: the tree comes from the page.

A template names some of the nodes below an element, in their order; what it leaves out may be there:

    - heading "Orders" [level=1]
    - list:
      - listitem: /Order \d+/
      - listitem:
        - link "Details":
          - /url: /orders/7

`- /children: equal` as the first child asks for these children and no others, `deep-equal` for that at every depth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import msgspec

from stillframe.assertions.matching import Comparison, says
from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    from stillframe.tab.locating.writing import TextOrPattern

Children = Literal["contain", "equal", "deep-equal"]

PROPERTIES = ("url", "placeholder")
STATES = ("checked", "disabled", "expanded", "level", "pressed", "selected")
_KEY = re.compile(
    r'(?P<role>[a-z]+)(?:\s+(?P<name>"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/))?(?P<states>(?:\s*\[[^\]]*\])*)'
)
_LINE = re.compile(r"(?P<indent> *)- (?P<rest>.*)")
_TEXT = Comparison()


class AriaNode(msgspec.Struct, kw_only=True):
    """A node of the page's tree, or of a template, where `name`, `text` and the properties may be expressions."""

    role: str
    name: Any = None
    """None in a template that leaves the name open."""
    states: dict[str, Any] = msgspec.field(default_factory=dict)
    children: list[Any] = msgspec.field(default_factory=list)
    """Nodes and texts."""
    url: Any = None
    placeholder: Any = None
    mode: Children = "contain"


def tree_of(read: Any) -> AriaNode:
    """Return the tree that a page has read."""
    node = msgspec.convert(read, AriaNode)
    node.children = [each if isinstance(each, str) else tree_of(each) for each in node.children]
    return node


# -- templates -------------------------------------------------------------------------------------


def parse(template: str) -> AriaNode:
    """Return a template as the content of a nameless node; raises OptionInvalid with the line that does not parse."""
    root = AriaNode(role="")
    open_nodes: list[tuple[int, AriaNode]] = [(-1, root)]
    for number, line in enumerate(template.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        shape = _LINE.fullmatch(line.rstrip())
        if shape is None:
            raise _wrong(number, line, 'each line is `- role "name" [state]`, `- text: …` or `- /url: …`')
        indent = len(shape["indent"])
        while open_nodes[-1][0] >= indent:
            open_nodes.pop()
        parent = open_nodes[-1][1]
        node = _add(parent, shape["rest"], number, line)
        if node is not None:
            open_nodes.append((indent, node))
    if not root.children:
        raise OptionInvalid("the ARIA snapshot is empty: it names no node", option="expected")
    return root


def _add(parent: AriaNode, written: str, number: int, line: str) -> AriaNode | None:
    """Add what a line says to a node; return the node that it opens, if it does."""
    key, value = _split(written)
    if key == "text":
        parent.children.append(_text(value))
        return None
    if key.startswith("/"):
        _set(parent, key[1:], value, number, line)
        return None
    shape = _KEY.fullmatch(key)
    if shape is None:
        raise _wrong(
            number, line, f"{key!r} is not a role, followed by a name in double quotes and by states in brackets"
        )
    node = AriaNode(role=shape["role"], name=_name(shape["name"]), states=dict(_states(shape["states"], number, line)))
    if value:
        node.children.append(_text(value))
    parent.children.append(node)
    return node


def _set(node: AriaNode, name: str, value: str, number: int, line: str) -> None:
    if name == "children":
        if value not in get_args(Children):
            raise _wrong(number, line, "/children is contain, equal or deep-equal")
        node.mode = cast("Children", value)
    elif name in PROPERTIES:
        setattr(node, name, _text(value))
    else:
        raise _wrong(number, line, f"there is no /{name}, only /children, /url and /placeholder")


def _split(written: str) -> tuple[str, str]:
    """Return the key and the value of a line; YAML may put quotes around the key."""
    if written.startswith("'"):
        shape = re.match(r"'((?:[^']|'')*)'", written)
        if shape is not None:
            return shape[1].replace("''", "'"), written[shape.end() :].removeprefix(":").strip()
    if written.startswith("/"):
        name, _, value = written.partition(":")
        return name, value.strip()
    shape = re.match(r'(?:[^":/]|"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/|:(?! |$))*', written)
    end = shape.end() if shape else len(written)
    return written[:end].strip(), written[end:].removeprefix(":").strip()


def _text(value: str) -> TextOrPattern:
    if len(value) > 2 and value.startswith("/") and value.endswith("/"):
        return re.compile(value[1:-1])
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    if value.startswith("'") and value.endswith("'") and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return value


def _name(written: str | None) -> TextOrPattern | None:
    return None if written is None else _text(written)


def _states(written: str, number: int, line: str) -> Iterator[tuple[str, Any]]:
    for each in re.findall(r"\[([^\]]*)\]", written):
        name, _, value = each.partition("=")
        if name not in STATES:
            raise _wrong(number, line, f"there is no state {name!r}, only {', '.join(STATES)}")
        yield name, {"": True, "true": True, "false": False}.get(value, int(value) if value.isdigit() else value)


def _wrong(number: int, line: str, what: str) -> OptionInvalid:
    return OptionInvalid(f"line {number} of the ARIA snapshot, {line.strip()!r}: {what}", option="expected")


# -- matching --------------------------------------------------------------------------------------


def is_in(template: AriaNode, tree: AriaNode) -> bool:
    """Return whether a template is the content, or a part of the content, of a node or of one below it."""
    deep = template.mode == "deep-equal"
    return _children_match(tree, template, deep=deep) or any(
        is_in(template, child) for child in tree.children if isinstance(child, AriaNode)
    )


def _matches(found: Any, wanted: Any, *, deep: bool) -> bool:
    if not isinstance(wanted, AriaNode):
        return says(found, wanted, _TEXT)
    return (
        isinstance(found, AriaNode)
        and found.role == wanted.role
        and (wanted.name is None or says(found.name, wanted.name, _TEXT))
        and all(found.states.get(name, False) == state for name, state in wanted.states.items())
        and all(
            getattr(wanted, name) is None or says(getattr(found, name), getattr(wanted, name), _TEXT)
            for name in PROPERTIES
        )
        and _children_match(found, wanted, deep=deep or wanted.mode == "deep-equal")
    )


def _children_match(found: AriaNode, wanted: AriaNode, *, deep: bool) -> bool:
    if deep or wanted.mode == "equal":
        return len(found.children) == len(wanted.children) and all(
            _matches(one, other, deep=deep) for one, other in zip(found.children, wanted.children, strict=True)
        )
    # A text that is all a node has is its name in the tree, and may be written as its child.
    rest = iter(found.children or ([found.name] if found.name else []))
    return all(any(_matches(child, each, deep=deep) for child in rest) for each in wanted.children)


# -- writing ---------------------------------------------------------------------------------------


def written(tree: AriaNode) -> str:
    """Return the content of a node as YAML."""
    return "\n".join(_lines(tree.children, 0))


def _lines(children: Sequence[Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for child in children:
        if not isinstance(child, AriaNode):
            yield f"{indent}- text: {_value(child)}"
            continue
        key = _key(child)
        texts = [each for each in child.children if not isinstance(each, AriaNode)]
        properties = [(name, getattr(child, name)) for name in PROPERTIES if getattr(child, name) is not None]
        if not child.children and not properties:
            yield f"{indent}- {key}"
        elif len(child.children) == 1 and texts and not properties:
            yield f"{indent}- {key}: {_value(texts[0])}"
        else:
            yield f"{indent}- {key}:"
            yield from (f"{indent}  - /{name}: {_value(value)}" for name, value in properties)
            yield from _lines(child.children, depth + 1)


def _key(node: AriaNode) -> str:
    name = f" {json.dumps(node.name, ensure_ascii=False)}" if node.name else ""
    states = "".join(f" [{key}]" if value is True else f" [{key}={value}]" for key, value in node.states.items())
    key = f"{node.role}{name}{states}"
    return f"'{key.replace(chr(39), chr(39) * 2)}'" if re.search(r": |#", key) else key


def _value(text: str) -> str:
    """Return a text as a value of YAML, in quotes where it would be read as something else."""
    is_plain = text == text.strip() and not re.search(r"^[-?:,\[\]{}#&*!|>'\"%@`/]|: |:$| #|\n", text)
    return text if is_plain and not re.fullmatch(r"[\d.+-]+|true|false|null|yes|no|~|", text) else json.dumps(text)
