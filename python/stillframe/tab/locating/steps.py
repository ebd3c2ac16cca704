"""What a selector is made of: plain values that the page agent can run. `selectors` says what each means."""

from __future__ import annotations

import msgspec

Segment = tuple[str, int]
"""Compounds without a descendant combinator between them, and how many parents up its leftmost compound stands."""


class Css(msgspec.Struct, frozen=True, tag_field="kind", tag="css"):
    """CSS; `parts` holds, for every selector of the list, its segments, so that the agent can match across roots.

    `scoped` says that it names its scope itself, by `:scope`.
    """

    css: str
    parts: tuple[tuple[Segment, ...], ...]
    scoped: bool = False


class XPath(msgspec.Struct, frozen=True, tag_field="kind", tag="xpath"):
    """An XPath expression; it sees the document, not what is inside shadow roots."""

    xpath: str


class Text(msgspec.Struct, frozen=True, tag_field="kind", tag="text"):
    """Text on the page; `exact` means the whole text in this case."""

    text: str
    exact: bool


class Role(msgspec.Struct, frozen=True, tag_field="kind", tag="role"):
    """A role with an optional accessible name and states; a level is an int, other states a bool or "mixed"."""

    role: str
    name: str | None
    exact: bool
    states: dict[str, bool | int | str]


class Label(msgspec.Struct, frozen=True, tag_field="kind", tag="label"):
    """What a label names; `exact` means the whole label in this case."""

    text: str
    exact: bool


class Attribute(msgspec.Struct, frozen=True, tag_field="kind", tag="attribute"):
    """An attribute that a user perceives; `exact` means its whole value in this case."""

    attribute: str
    text: str
    exact: bool


class TestId(msgspec.Struct, frozen=True, tag_field="kind", tag="testid"):
    """A test id, whole."""

    __test__ = False

    id: str


class AccessibleId(msgspec.Struct, frozen=True, tag_field="kind", tag="id"):
    """An accessibility id, as mobile drivers call it."""

    id: str


class Ref(msgspec.Struct, frozen=True, tag_field="kind", tag="ref"):
    """A reference given out with an earlier result."""

    ref: str


class Nth(msgspec.Struct, frozen=True, tag_field="kind", tag="nth"):
    """One of the matches so far: from 0, or from the end if negative."""

    index: int


class HasText(msgspec.Struct, frozen=True, tag_field="kind", tag="has-text"):
    """Those of the matches so far whose text contains this, in any case."""

    text: str


class Visible(msgspec.Struct, frozen=True, tag_field="kind", tag="visible"):
    """Those of the matches so far that are rendered, or that are not."""

    visible: bool


class FrameId(msgspec.Struct, frozen=True, tag_field="kind", tag="frame-id"):
    """A frame by its id in CDP."""

    id: str


class FrameName(msgspec.Struct, frozen=True, tag_field="kind", tag="name"):
    """A frame by its name."""

    name: str


class FrameUrl(msgspec.Struct, frozen=True, tag_field="kind", tag="url"):
    """A frame whose URL contains this text, where `*` stands for anything."""

    url: str


Target = Css | XPath | Text | Role | Label | Attribute | TestId | AccessibleId | Ref
Filter = Nth | HasText | Visible
Step = Target | Filter
FrameStep = Target | FrameId | FrameName | FrameUrl
FILTERS = (Nth, HasText, Visible)


class Chain(msgspec.Struct, frozen=True):
    """What to look for within one document, and how each step was written."""

    steps: tuple[Step, ...] = ()
    sources: tuple[str, ...] = ()


class Hop(msgspec.Struct, frozen=True):
    """The way into a frame: its element, or the scopes within which a frame has this name or URL."""

    frame: FrameStep
    way: Chain


class Selector(msgspec.Struct, frozen=True):
    """A parsed selector: the frames to go into, outermost first, and what to look for in the last of them."""

    text: str
    hops: tuple[Hop, ...]
    chain: Chain

    @property
    def steps(self) -> tuple[Step, ...]:
        """What to look for in the last document."""
        return self.chain.steps

    @property
    def frames(self) -> tuple[FrameStep, ...]:
        """The frames to go into, outermost first."""
        return tuple(hop.frame for hop in self.hops)

    @property
    def target(self) -> Step:
        """The last step, which is a filter or says what is looked for."""
        return self.chain.steps[-1]

    @property
    def kind(self) -> str:
        """The kind of the target: css, xpath, text, role, label, attribute, testid, id, ref, nth, has-text, visible."""
        return str(self.target.__struct_config__.tag)
