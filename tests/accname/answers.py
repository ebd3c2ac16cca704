"""Three answers for each row of the table: the page script's, the core's, and that of Chrome's own tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from accname.table import Document, Row
from stillframe.api.browser import Page
from stillframe.cdp_types import accessibility, dom
from stillframe.injected import elements_source

MARK = "data-row"
TWIN = elements_source(name="__twin")
SHOW = """(body, selectors) => {
  document.body.setHTMLUnsafe(body);
  __twin.lookAgain();
  return selectors.map((selector, i) => {
    const element = document.querySelector(selector);
    element.setAttribute("data-row", i);
    const role = __twin.roleOf(element);
    return [role, __twin.nameOf(element, role), __twin.descriptionOf(element, role)];
  });
}"""

CHROME_ROLES = {
    # Words of Chrome's own for what has no role in ARIA 1.2,
    "Abbr": "",
    "Canvas": "",
    "DescriptionList": "",
    "Figcaption": "",
    "LabelText": "",
    "Legend": "",
    "PluginObject": "",
    "Ruby": "",
    "generic": "",
    "none": "",
    # for roles that it tells apart further,
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "Iframe": "iframe",
    "LayoutTable": "table",
    "LayoutTableCell": "cell",
    "LayoutTableRow": "row",
    "MathMLMath": "math",
    "SvgRoot": "img",
    "image": "img",
    # and for fields, which are text boxes to the user who fills them.
    "ColorWell": "textbox",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one of them says of an element."""

    role: str
    name: str
    description: str

    def fits(self, row: Row) -> bool:
        """Whether it is what the row expects."""
        expected = (row.role, row.name, row.description)
        given = (self.role, self.name, self.description)
        return all(want is None or want == have for want, have in zip(expected, given, strict=True))


async def show(page: Page, document: Document) -> list[Answer]:
    """Show a document of the table and return what the page script says of its rows."""
    frame = page._tab.frames.main
    said = await frame.call(SHOW, document.body, [row.selector for row in document.rows])
    return [Answer(*answer) for answer in said]


async def marked(page: Page) -> dict[int, int]:
    """Return the backend node of each row of the document that is shown."""
    reply = await page.cdp_session.send(dom.GetDocument(depth=-1, pierce=True))
    return dict(_marks(reply.root))


def _marks(root: dom.Node) -> Iterator[tuple[int, int]]:
    stack = [root]
    while stack:
        node = stack.pop()
        attributes = node.attributes or []
        if MARK in attributes[::2]:
            yield int(attributes[attributes.index(MARK) + 1]), node.backend_node_id
        stack += [*(node.children or ()), *(node.shadow_roots or ())]


async def core_says(page: Page) -> dict[int, Answer]:
    """Return what a snapshot of the page says of the rows that are in it; it has no descriptions."""
    snapshot = await page.snapshot(fresh=True)
    found = {row: snapshot.accessible("", backend) for row, backend in (await marked(page)).items()}
    return {
        row: Answer(PLAIN.get(said.role, said.role), said.name, "") for row, said in found.items() if said is not None
    }


PLAIN = {"generic": "", "none": ""}
"""What says nothing, in the words of the core; the page script and the table have one word for both."""


async def chrome_says(page: Page) -> dict[int, Answer]:
    """Return what Chrome's tree says of the rows; rows that are not in it are left out."""
    nodes = await marked(page)
    tree = await page.cdp_session.send(accessibility.GetFullAXTree())
    shown = {node.backend_dom_node_id: node for node in tree.nodes if not node.ignored}
    return {row: _answer(shown[backend]) for row, backend in nodes.items() if backend in shown}


def _answer(node: accessibility.AXNode) -> Answer:
    role, name, description = (
        str(value.value if value and value.value is not None else "")
        for value in (node.role, node.name, node.description)
    )
    return Answer(CHROME_ROLES.get(role, role), name.strip(" \n\t"), description.strip())
