"""The elements of a page, each with its role and name by Chrome's own tree, the core, and the page script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stillframe.api.browser import Page
from stillframe.cdp_types import accessibility, dom
from stillframe.core import Snapshot
from stillframe.injected import elements_source
from stillframe.tab.frames import Frame

TIMEOUT = 60.0
HTML = 300
"""Characters of an element's markup that a report shows."""

TWIN = """((length) => {
  "use strict";
  const rootIn = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot").get;
  const inside = (parent) => Object.getOwnPropertyDescriptor(
    parent instanceof Document ? Document.prototype : parent instanceof DocumentFragment ? DocumentFragment.prototype
      : Element.prototype, "children").get.call(parent);
  const found = [], stack = [document];
  while (stack.length) {
    const at = stack.pop();
    if (at instanceof Element) found.push(at);
    const root = at instanceof Element ? rootIn.call(at) : null;
    stack.push(...[...(root ? inside(root) : []), ...inside(at)].reverse());
  }
  const { roleOf, nameOf } = globalThis.__sfBench;
  return found.map((e) => [e.localName, roleOf(e), nameOf(e), e.cloneNode(true).outerHTML.slice(0, length)]);
})"""
"""Asks the page script for the role and name of each element, shadow roots before children: the order of `_walk`."""


class Said(NamedTuple):
    """The role and name that one of the three gives an element."""

    role: str
    name: str


class Element(NamedTuple):
    """One element that Chrome's tree shows, with its role and name by each of the three."""

    frame: Frame
    backend_node_id: int
    tag: str
    html: str
    """The beginning of its markup."""
    chrome: Said
    core: Said
    twin: Said


async def elements(page: Page) -> list[Element]:
    """Return the elements of all frames that Chrome does not ignore; the page's scripts stand still meanwhile."""
    await page.cdp_session.call("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        snapshot = await page.snapshot(fresh=True)
        return [element for frame in page._tab.frames for element in await _of_frame(frame, snapshot)]
    finally:
        await page.cdp_session.call("Emulation.setScriptExecutionDisabled", {"value": False})


async def sources(element: Element) -> str:
    """Return what Chrome made the element's name of."""
    command = accessibility.GetPartialAXTree(backend_node_id=element.backend_node_id, fetch_relatives=False)
    name = (await element.frame.session.send(command)).nodes[0].name
    used = [each for each in (name and name.sources) or () if each.value is not None and not each.superseded]
    return ", ".join(each.native_source or each.attribute or each.type for each in used) or "nothing"


async def _of_frame(frame: Frame, snapshot: Snapshot) -> list[Element]:
    chrome = await _chrome(frame)
    if not chrome:
        return []
    nodes = list(_walk(await _document(frame)))
    await frame.evaluate(elements_source(name="__sfBench"))
    twin = await frame.call(TWIN, HTML, timeout=TIMEOUT)
    if [node.local_name for node in nodes] != [tag for tag, *_ in twin]:
        raise AssertionError(f"the elements of {frame.url} were not the same twice: did the page change meanwhile?")
    found = []
    for node, (tag, role, name, html) in zip(nodes, twin, strict=True):
        said = chrome.get(node.backend_node_id)
        if said is not None:
            core = _core(snapshot, frame.process_key, node.backend_node_id)
            words = " ".join(html.split())
            found.append(Element(frame, node.backend_node_id, tag, words, said, core, Said(role or "", name or "")))
    return found


def _core(snapshot: Snapshot, key: str, node: int) -> Said:
    accessible = getattr(snapshot, "accessible", None)
    if accessible is not None:
        found = accessible(key, node)
        return Said("absent", "") if found is None else Said(found.role, found.name)
    row = snapshot.describe(key, node)
    return Said("absent", "") if row is None else Said(row.role, row.name)


async def _chrome(frame: Frame) -> dict[int, Said]:
    """Return the roles and names that Chrome's tree has for a frame, by backend node id."""
    reply = await frame.session.send(accessibility.GetFullAXTree(frame_id=frame.id), timeout=TIMEOUT)
    return {
        node.backend_dom_node_id: Said(_text(node.role), _text(node.name))
        for node in reply.nodes
        if not node.ignored and node.backend_dom_node_id is not None
    }


def _text(value: accessibility.AXValue | None) -> str:
    return "" if value is None or value.value is None else str(value.value)


async def _document(frame: Frame) -> dom.Node:
    """Return the document node of a frame; its process may have others."""
    root = (await frame.session.send(dom.GetDocument(depth=-1, pierce=True), timeout=TIMEOUT)).root
    if frame.parent is None or frame.parent.session is not frame.session:
        return root
    stack = [root]
    while stack:
        node = stack.pop()
        if node.content_document is not None:
            if node.frame_id == frame.id:
                return node.content_document
            stack.append(node.content_document)
        stack += [*(node.children or ()), *(node.shadow_roots or ())]
    raise AssertionError(f"no frame element holds {frame.url}")


def _walk(document: dom.Node) -> Iterator[dom.Node]:
    stack = [document]
    while stack:
        node = stack.pop()
        if node.node_type == ELEMENT:
            yield node
        roots = [root for root in node.shadow_roots or () if root.shadow_root_type == "open"]
        inner: list[Any] = [child for root in roots for child in root.children or ()]
        stack += reversed([*inner, *(node.children or ())])


ELEMENT = 1
"""`Node.ELEMENT_NODE`."""
