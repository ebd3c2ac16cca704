"""The steps of a selector: plain values that the page script can run. `selectors` documents what each means."""

from __future__ import annotations

import msgspec

Link = tuple[str, str, str, tuple["Test", ...]]
"""A compound of a complex selector: the combinator before it, its source, and if parts of it may cross shadow roots,
the rest and these parts."""

Test = tuple[str, tuple[tuple[Link, ...], ...]]
"""A test of an element: `scope`, or `is`, `where`, `not` or `has` with the selectors of its list."""


Pattern = tuple[str, str]
"""A regular expression of JavaScript: its source and its flags. A step with one has the source as its text."""


class Css(msgspec.Struct, frozen=True, tag_field="kind", tag="css"):
    """CSS; `parts` holds the links of each selector in the list, so that the page script can match across roots."""

    css: str
    parts: tuple[tuple[Link, ...], ...]

    @property
    def scoped(self) -> bool:
        """Return whether it names its scope itself, by `:scope`."""
        return any(map(_names_scope, self.parts))


def _names_scope(links: tuple[Link, ...]) -> bool:
    tests = (test for *_, tests in links for test in tests)
    return any(name == "scope" or any(map(_names_scope, parts)) for name, parts in tests)


class XPath(msgspec.Struct, frozen=True, tag_field="kind", tag="xpath"):
    """An XPath expression; it sees the document, not the content of shadow roots."""

    xpath: str


class Text(msgspec.Struct, frozen=True, tag_field="kind", tag="text"):
    """Text on the page; `exact` means the whole text, case-sensitive."""

    text: str
    exact: bool
    pattern: Pattern | None = None


class Role(msgspec.Struct, frozen=True, tag_field="kind", tag="role"):
    """A role with an optional accessible name and states; a level is an int, other states a bool or "mixed".

    `hidden` is True for elements that assistive technology does not show as well, False for none of them, and None for
    those only if there are no others.
    """

    role: str
    name: str | None
    exact: bool
    states: dict[str, bool | int | str]
    pattern: Pattern | None = None
    hidden: bool | None = None


class Label(msgspec.Struct, frozen=True, tag_field="kind", tag="label"):
    """An element by its label; `exact` means the whole label, case-sensitive."""

    text: str
    exact: bool
    pattern: Pattern | None = None


class Attribute(msgspec.Struct, frozen=True, tag_field="kind", tag="attribute"):
    """An attribute that a user perceives; `exact` means its whole value, case-sensitive."""

    attribute: str
    text: str
    exact: bool
    pattern: Pattern | None = None


class TestId(msgspec.Struct, frozen=True, tag_field="kind", tag="testid"):
    """A whole test id."""

    __test__ = False

    id: str
    pattern: Pattern | None = None


class AccessibleId(msgspec.Struct, frozen=True, tag_field="kind", tag="id"):
    """An accessibility id, as in mobile drivers."""

    id: str


class Ref(msgspec.Struct, frozen=True, tag_field="kind", tag="ref"):
    """A ref from an earlier result."""

    ref: str


class Nth(msgspec.Struct, frozen=True, tag_field="kind", tag="nth"):
    """One of the matches so far: from 0, or from the end if negative."""

    index: int


class HasText(msgspec.Struct, frozen=True, tag_field="kind", tag="has-text"):
    """The matches so far whose text contains this, ignoring case; or all others, if that is not `wanted`."""

    text: str
    pattern: Pattern | None = None
    wanted: bool = True


class Has(msgspec.Struct, frozen=True, tag_field="kind", tag="has"):
    """The matches so far that contain a match of these steps; or all others, if that is not `wanted`."""

    steps: tuple[Step, ...]
    wanted: bool = True


class And(msgspec.Struct, frozen=True, tag_field="kind", tag="and"):
    """The matches so far that these steps match, too; they begin where the whole selector does."""

    steps: tuple[Step, ...]


class Or(msgspec.Struct, frozen=True, tag_field="kind", tag="or"):
    """What the steps on the left match, and what those on the right do, which begin where the whole selector does."""

    left: tuple[Step, ...]
    right: tuple[Step, ...]


class Group(msgspec.Struct, frozen=True, tag_field="kind", tag="chain"):
    """What these steps match in each match so far by itself, so that `nth=` among them counts there."""

    steps: tuple[Step, ...]


class Visible(msgspec.Struct, frozen=True, tag_field="kind", tag="visible"):
    """The matches so far that are rendered, or that are not."""

    visible: bool


class FrameId(msgspec.Struct, frozen=True, tag_field="kind", tag="frame-id"):
    """A frame by its CDP id."""

    id: str


class FrameName(msgspec.Struct, frozen=True, tag_field="kind", tag="name"):
    """A frame by its name."""

    name: str


class FrameUrl(msgspec.Struct, frozen=True, tag_field="kind", tag="url"):
    """A frame whose URL contains this text; `*` matches anything."""

    url: str


Target = Css | XPath | Text | Role | Label | Attribute | TestId | AccessibleId | Ref | Or | Group
Filter = Nth | HasText | Visible | Has | And
Step = Target | Filter
FrameStep = Target | FrameId | FrameName | FrameUrl
FILTERS = (Nth, HasText, Visible, Has, And)


class Chain(msgspec.Struct, frozen=True):
    """The steps within one document, and the source of each."""

    steps: tuple[Step, ...] = ()
    sources: tuple[str, ...] = ()


class Hop(msgspec.Struct, frozen=True):
    """The way into a frame: its element, or the scopes that contain a frame of this name or URL."""

    frame: FrameStep
    path: Chain


class Selector(msgspec.Struct, frozen=True):
    """A parsed selector: the frames to enter, outermost first, and the chain in the last of them."""

    text: str
    hops: tuple[Hop, ...]
    chain: Chain

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return the steps in the last document."""
        return self.chain.steps

    @property
    def frames(self) -> tuple[FrameStep, ...]:
        """Return the frames to enter, outermost first."""
        return tuple(hop.frame for hop in self.hops)

    @property
    def target(self) -> Step:
        """Return the last step: a filter, or what to search for."""
        return self.chain.steps[-1]

    @property
    def kind(self) -> str:
        """Return the kind, which is the tag of its class: css, text, nth and so on."""
        return str(self.target.__struct_config__.tag)
