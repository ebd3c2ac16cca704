"""A made-up page of any size, as a browser would send it: the same card grid that the core's own tests make in Rust."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

PER_CARD = 18
INLINE = frozenset({"A", "BUTTON", "IMG", "SPAN"})
UNSEEN = frozenset({"HEAD"})
ELEMENT, TEXT, DOCUMENT = 1, 3, 9


@dataclass
class Node:
    """An element, or a text if it has a value; the ids are those of the order in which nodes were made."""

    id: int
    name: str
    value: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def kind(self) -> int:
        return {"#document": DOCUMENT, "#text": TEXT}.get(self.name, ELEMENT)

    @property
    def has_box(self) -> bool:
        return self.name not in UNSEEN and (self.kind != TEXT or bool(self.value.strip()))

    def walk(self, parent: int, order: list[tuple[Node, int]]) -> list[tuple[Node, int]]:
        """Append all nodes in document order, each with the position of its parent."""
        here = len(order)
        order.append((self, parent))
        for child in self.children:
            child.walk(here, order)
        return order


class Tree:
    """A page; `add` appends a node and returns it."""

    def __init__(self) -> None:
        self._made = 0
        self.root = self._node("#document")
        html = self.add(self.root, "HTML")
        self.add(html, "HEAD")
        self.body = self.add(html, "BODY")

    def _node(self, name: str, value: str = "", attributes: dict[str, str] | None = None) -> Node:
        self._made += 1
        return Node(self._made, name, value, attributes or {})

    def add(self, parent: Node, name: str, text: str = "", /, **attributes: str) -> Node:
        """Append an element, with a text if there is one; `class_` and `data_x` stand for `class` and `data-x`."""
        names = {key.strip("_").replace("_", "-"): value for key, value in attributes.items()}
        node = self._node(name, attributes=names)
        parent.children.append(node)
        if text:
            self.add_text(node, text)
        return node

    def add_text(self, parent: Node, text: str) -> None:
        parent.children.append(self._node("#text", text))


def card_grid(nodes: int, edited: bool) -> bytes:
    """Return a shop's list of product cards, of about `nodes` nodes, with four edits if `edited`."""
    tree = Tree()
    tree.add(tree.add(tree.body, "HEADER", class_="top bar"), "H1", "All products", id="title")
    main = tree.add(tree.body, "MAIN", id="list", class_="grid grid-4")
    cards = [_card(tree, main, number) for number in range(-(-max(nodes - 12, 0) // PER_CARD))]
    tree.add(tree.body, "FOOTER", "© a shop", class_="bottom")
    if edited:
        _edit(tree, main, cards)
    return _encoded(tree)


def _card(tree: Tree, main: Node, number: int) -> Node:
    tree.add_text(main, "\n  ")
    card = tree.add(main, "DIV", class_="card product", data_key=str(number))
    link = tree.add(card, "A", class_="image", href=f"/product/{number}")
    tree.add(link, "IMG", src=f"/img/{number}.webp", alt=f"Product {number}")
    tree.add_text(card, "\n    ")
    tree.add(card, "H3", f"Product {number}", class_="name")
    tree.add(card, "P", f"{number % 300}.{number % 100:02} €", class_="price")
    tree.add(card, "P", "In stock, delivered tomorrow", class_="note")
    bar = tree.add(card, "DIV", class_="bar")
    tree.add(bar, "BUTTON", "Add to cart", class_="buy", type="button", data_id=str(number))
    like = tree.add(bar, "BUTTON", class_="like", aria_label="Like")
    tree.add(like, "SPAN", "♥", class_="icon icon-heart")
    return card


def _edit(tree: Tree, main: Node, cards: list[Node]) -> None:
    """One text, one removal, one move, one insertion."""
    heading = next(child for child in cards[1].children if child.name == "H3")
    heading.children[0].value = "A new name"
    main.children.remove(cards[len(cards) // 2])
    main.children.remove(cards[2])
    main.children.append(cards[2])
    tree.add(tree.body, "DIV", "Removed from the list", role="alert", class_="toast")


def _encoded(tree: Tree) -> bytes:
    order = tree.root.walk(-1, [])
    strings: dict[str, int] = {}

    def string(text: str) -> int:
        return strings.setdefault(text, len(strings)) if text else -1

    nodes = {
        "parentIndex": [parent for _, parent in order],
        "nodeType": [node.kind for node, _ in order],
        "nodeName": [string(node.name) for node, _ in order],
        "nodeValue": [string(node.value) for node, _ in order],
        "backendNodeId": [node.id for node, _ in order],
        "attributes": [[string(text) for pair in node.attributes.items() for text in pair] for node, _ in order],
    }
    rows = [(at, node) for at, (node, _) in enumerate(order) if node.has_box]
    layout: dict[str, Any] = {
        "nodeIndex": [at for at, _ in rows],
        "styles": [[string(style) for style in _styles(order, at)] for at, _ in rows],
        "bounds": [[8, at * 18, 301.25, 17] if at else [0, 0, 1280, 720] for at, _ in rows],
        "text": [string(node.value) for _, node in rows],
    }
    document = {
        "documentURL": string("https://shop.test/list"),
        "title": string("A page"),
        "frameId": string("FRAME0"),
        "nodes": nodes,
        "layout": layout,
    }
    return json.dumps({"documents": [document], "strings": list(strings)}).encode()


def _styles(order: list[tuple[Node, int]], at: int) -> Iterator[str]:
    """The computed styles that a capture asks for; a text has those of the element that holds it."""
    node, parent = order[at]
    holder = order[parent][0] if node.kind == TEXT else node
    yield from ("visible", "inline" if holder.name in INLINE else "block", "normal", "auto", "collapse")
