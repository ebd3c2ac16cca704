"""Chrome's own accessibility tree as text, in the line format of `Page.aria_snapshot`.

It has Chrome's names and roles. Chrome computes the tree on request, which takes seconds where a capture takes a
fraction of one (bench/text.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from stillframe.cdp_types import accessibility, dom
from stillframe.core import quoted
from stillframe.errors import CdpError, SessionLost
from stillframe.model.secret import REDACTED
from stillframe.tab.refs import NodeKey

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

TIMEOUT = 60.0
"""Seconds to wait for a tree: for 20,000 elements a busy machine needs nine (measured)."""

DEEPEST = 24
"""Levels of structure that are shown, as in the compact tree."""

MAX_NAME = 200
"""Characters of a name or a value."""

ROLES = {"StaticText": "text", "Iframe": "iframe", "image": "img", "DisclosureTriangle": "button"}
"""Chrome's roles that are renamed here; all others keep their name in lower case."""

# fmt: off
SILENT = frozenset(
    {
        "abbr", "caption", "code", "emphasis", "generic", "genericcontainer", "inlinetextbox", "label", "labeltext",
        "legend", "linebreak", "listmarker", "mark", "none", "paragraph", "pdfroot", "pre", "rootwebarea", "rowgroup",
        "ruby", "section", "strong", "subscript", "superscript", "time", "webarea",
    }
)
"""Roles that add nothing to their content, so they get no line; some are those of older browsers."""

NAMED = frozenset(
    {
        "alert", "alertdialog", "banner", "button", "checkbox", "combobox", "complementary", "contentinfo", "dialog",
        "form", "gridcell", "heading", "iframe", "link", "listbox", "main", "menuitem", "menuitemcheckbox",
        "menuitemradio", "navigation", "option", "radio", "region", "search", "searchbox", "slider", "spinbutton",
        "status", "switch", "tab", "textbox", "treeitem",
    }
)
"""Roles of elements that get a ref."""
# fmt: on

STATES = {state: state for state in ("checked", "selected", "pressed", "disabled", "required", "readonly")} | {
    "modal": "modal",
    "busy": "busy",
    "focused": "active",
}
"""The word for each state of Chrome's, which are those of the compact text."""


class Line(NamedTuple):
    """One line, without its ref and indentation, and the element it describes."""

    depth: int
    text: str
    key: NodeKey | None
    frame: Frame
    loader: str
    named: bool


class Tree(NamedTuple):
    """The tree of one frame; `owner` is the node of the frame element."""

    frame: Frame
    loader: str
    nodes: dict[str, accessibility.AXNode]
    root: str
    owner: NodeKey | None


async def ax_lines(tab: Tab) -> list[Line]:
    """Return the lines of all frames, each below its frame element. Raises CommandError if the page is lost.

    Before Chrome 94 a process has a tree of its topmost frame only; the other frames are left out there.
    """
    by_frame = tab.context.capabilities.has("Accessibility.getFullAXTree(frameId)")
    main, *others = [frame for frame in tab.frames if by_frame or frame.is_process_root]
    trees = await asyncio.gather(_tree(main), *(_tree_or_none(frame) for frame in others))
    inner_trees = {tree.owner: tree for tree in trees if tree is not None and tree.owner is not None}
    secrets = tab.redactor
    return [] if trees[0] is None else list(_walk(trees[0], inner_trees, secrets.redact))


async def _tree(frame: Frame) -> Tree:
    loader = frame.loader_id
    command = accessibility.GetFullAXTree(frame_id=frame.id)
    nodes = (await frame.session.send(command, timeout=TIMEOUT)).nodes
    owner = None
    if frame.parent is not None:
        place = await frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id))
        owner = NodeKey(frame.parent.process_key, place.backend_node_id)
    root = nodes[0].node_id if nodes else ""
    return Tree(frame, loader, {node.node_id: node for node in nodes}, root, owner)


async def _tree_or_none(frame: Frame) -> Tree | None:
    try:
        return await _tree(frame)
    except (CdpError, SessionLost):
        return None  # the frame went away meanwhile


def _walk(tree: Tree, inner_trees: dict[NodeKey, Tree], redact: Callable[[str], str]) -> Iterator[Line]:
    # Each node comes with its depth and its container's name, which texts inside do not repeat.
    stack: list[tuple[Tree, str, int, str]] = [(tree, tree.root, 0, "")]
    while stack:
        tree, node_id, depth, container_name = stack.pop()
        node = tree.nodes.get(node_id)
        if node is None:
            continue
        key = None
        if node.backend_dom_node_id is not None:
            key = NodeKey(tree.frame.process_key, node.backend_dom_node_id)
        role, name = _role(node), _text(node.name)
        silent = node.ignored or role in SILENT or depth > DEEPEST or (role == "text" and name in container_name)
        if not silent:
            yield Line(depth, _line(node, role, name, redact), key, tree.frame, tree.loader, role in NAMED)
            depth, container_name = depth + 1, name
        if key in inner_trees:
            inner = inner_trees[key]
            stack.append((inner, inner.root, depth, ""))
        elif role != "text":
            stack.extend((tree, child, depth, container_name) for child in reversed(node.child_ids or ()))


def _role(node: accessibility.AXNode) -> str:
    role = str(node.role.value) if node.role else "none"
    role = ROLES.get(role, role).lower()
    # A page may write any word as a role.
    return role if re.fullmatch("[a-z]{1,24}", role) else "generic"


def _text(value: accessibility.AXValue | None) -> str:
    if value is None or value.value is None:
        return ""
    # A lone surrogate, which a page can produce, has no UTF-8 encoding.
    return " ".join(str(value.value).split()).encode("utf-8", "replace").decode()


def _line(node: accessibility.AXNode, role: str, name: str, redact: Callable[[str], str]) -> str:
    line = f"- {role}"
    if name:
        line += f" {quoted(_cut(redact(name)))}"
    properties = {item.name: item.value.value for item in node.properties or ()}
    if properties.get("level"):
        line += f" [level={int(properties['level'])}]"
    line += "".join(
        f" [{word}]" for state, word in STATES.items() if properties.get(state) not in (None, False, "false")
    )
    if "expanded" in properties:
        line += " [expanded]" if properties["expanded"] else " [collapsed]"
    value = _text(node.value)
    if value and value != name:
        # Chrome reports a password as a row of bullets.
        line += f" = {quoted(REDACTED if not value.strip('•') else _cut(redact(value)))}"
    return line


def _cut(text: str) -> str:
    return text if len(text) <= MAX_NAME else f"{text[:MAX_NAME]}…"


def lines_from(lines: list[Line], scope: str, key: NodeKey | None) -> list[Line] | None:
    """Return the lines of a scope: "page", or "below" or "from" a node as in the core; None if the node is gone."""
    if scope == "page":
        return lines
    start = next((at for at, line in enumerate(lines) if line.key == key), None)
    if start is None:
        return None
    depth = lines[start].depth
    end = len(lines)
    if scope == "below":
        deeper = enumerate(lines[start + 1 :], start + 1)
        end = next((at for at, line in deeper if line.depth <= depth), len(lines))
    top = min(line.depth for line in lines[start:end])
    return [line._replace(depth=line.depth - top) for line in lines[start:end]]


def fitted(lines: list[Line], budget: int, name: Callable[[Line], str]) -> tuple[str, int]:
    """Return as many lines as fit the budget, with a note on the omitted ones, and the number of lines shown.

    The text ends where the budget does; `from=` in the note continues there.
    """
    output: list[str] = []
    note = 80  # the longest note
    left = budget
    for at, line in enumerate(lines):
        text = "  " * line.depth + line.text
        if line.named and line.key is not None:
            text += f" [ref={name(line)}]"
        last = at == len(lines) - 1
        if len(text) + 1 + (0 if last else note) > left:
            output.append(f"… {len(lines) - at} more lines ({_continuation(lines[at:], name)})")
            return "\n".join(output), at
        output.append(text)
        left -= len(text) + 1
    return "\n".join(output), len(lines)


def _continuation(lines: list[Line], name: Callable[[Line], str]) -> str:
    first = next((line for line in lines if line.key is not None), None)
    return f"from={name(first)} shows them" if first else "a larger budget shows them"
