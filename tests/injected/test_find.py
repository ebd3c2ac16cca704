"""Finding in trees made by chance, beside a slow and obvious twin: what a text, a scope and a filter match."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from sampling import sampled
from stillframe.api.browser import Page
from stillframe.tab.locating.selectors import parse

TAGS = {"div": True, "p": True, "span": False, "b": False}
"""Tags that hold anything when a script makes them, and whether they are blocks."""

MAKE = """(tree) => {
  const make = (made) => {
    if (typeof made === "string") return document.createTextNode(made);
    const element = document.createElement(made.tag);
    if (made.cls) element.className = made.cls;
    element.append(...made.children.map(make));
    return element;
  };
  document.body.replaceChildren(...tree.children.map(make));
}"""


@dataclass(eq=False)
class Made:
    """An element of a tree made by chance."""

    tag: str
    cls: str = ""
    children: list[Made | str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        children = [child if isinstance(child, str) else child.plain() for child in self.children]
        return {"tag": self.tag, "cls": self.cls, "children": children}

    def walk(self) -> list[Made]:
        """Return this element and all in it, in document order."""
        return [self, *(inner for child in self.children if isinstance(child, Made) for inner in child.walk())]

    def raw(self, between: str) -> str:
        """Return its text, with something at both ends of each block in it."""
        if self.tag == "br":
            return " "
        pieces = []
        for child in self.children:
            if isinstance(child, str):
                pieces.append(child)
            else:
                mark = between if TAGS.get(child.tag) else ""
                pieces.append(mark + child.raw(between) + mark)
        return "".join(pieces)

    def texts(self) -> set[str]:
        """Return its text as it is seen and as the source has it."""
        return {" ".join(self.raw(between).split()) for between in (" ", "")}

    def lines(self) -> set[str]:
        """Return the runs of text between its children."""
        runs, run = set(), ""
        for child in [*self.children, Made("b")]:
            if isinstance(child, str):
                run += child
            else:
                runs.add(" ".join(run.split()))
                run = ""
        return runs


def make(rng: random.Random, depth: int) -> Made:
    """Make a tree."""
    tag = rng.choice(["div", "p", "span", "b", "br"]) if depth < 5 else "div"
    element = Made(tag, rng.choice(["", "", "x", "y"]))
    for _ in range(0 if tag == "br" else rng.randint(0, 3 if depth else 0)):
        words = rng.choice(["a", "b ", " a", "aB", " ", "\n", "b a"])
        element.children.append(words if rng.random() < 0.5 else make(rng, depth - 1))
    return element


def matches(step: str, body: Made, scopes: list[Made] | None) -> list[Made]:
    """Return what a step matches, by trying every element."""
    form, _, value = step.partition("=")
    order = body.walk()
    if form == "has-text":
        return [one for one in scopes or () if any(value.lower() in text.lower() for text in one.texts())]
    if form == "nth":
        at = int(value) + (len(scopes or ()) if value.startswith("-") else 0)
        return [one for index, one in enumerate(scopes or ()) if index == at]
    inside = order if scopes is None else [one for one in order if any(one in scope.walk() for scope in scopes)]
    if form == "text":
        exact, words = value.startswith('"'), value.strip('"')
        found = [one for one in inside if any(_says(text, words, exact) for text in one.texts())]
        found = [one for one in found if not any(other is not one and other in one.walk() for other in found)]
        return found or [one for one in inside if exact and words in one.lines()]
    strictly = order[1:] if scopes is None else [one for one in order if any(one in s.walk()[1:] for s in scopes)]
    left, _, right = step.rpartition(" ")
    found = [one for one in strictly if _fits(one, right)]
    if left:
        found = [one for one in found if any(_fits(up, left) and one in up.walk()[1:] for up in strictly)]
    return found


def _says(text: str, words: str, exact: bool) -> bool:
    return text == words if exact else words.lower() in text.lower()


def _fits(element: Made, compound: str) -> bool:
    return element.cls == compound[1:] if compound.startswith(".") else element.tag == compound


STEPS = ["text=a", "text=ab", "text=a b", 'text="a"', 'text="a b"', 'text="b a"', "div", "span", ".x", ".y", ".x span",
         "div .y", "div b", "has-text=a b", "has-text=b", "nth=0", "nth=1", "nth=-1", "nth=-2"]  # fmt: skip


def chain(rng: random.Random) -> list[str]:
    """Make up a chain that begins with no filter."""
    steps = [rng.choice(STEPS) for _ in range(rng.randint(1, 4))]
    return steps if "=" not in steps[0] or steps[0].startswith("text") else chain(rng)


@pytest.mark.parametrize("seed", sampled(range(12), (0,)))
async def test_every_chain_matches_what_trying_every_element_matches(page: Page, seed: int) -> None:
    rng = random.Random(seed)
    body = Made("body", "", [make(rng, 5) for _ in range(6)])
    await page._tab.frames.main.call(MAKE, body.plain())
    chains = [chain(rng) for _ in range(60)]
    wanted = []
    for steps in chains:
        scopes: list[Made] | None = None
        for step in steps:
            scopes = matches(step, body, scopes)
        wanted.append(len(scopes or ()))
    asked = [[msgspec.to_builtins(step) for step in parse(" >> ".join(steps)).steps] for steps in chains]
    counts = []
    for steps in asked:
        report = await page._tab.frames.main.call("(steps) => __sf.waitFor({ steps }, 'detached', 0)", steps)
        counts.append(report.get("count", 0))
    assert [(" >> ".join(c), n) for c, n in zip(chains, counts, strict=True)] == [
        (" >> ".join(c), n) for c, n in zip(chains, wanted, strict=True)
    ], body.plain()
    assert len(set(wanted)) > 2
