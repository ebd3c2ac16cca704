"""The native core: bytes of `DOMSnapshot.captureSnapshot` go in, frozen objects and small plain values come out.

All classes are safe to use from several threads, and all except SignatureIndex and MaskLearner are immutable. The core
releases the interpreter lock while it works on more than about 128 KB of capture. In the costs below, `n` is the number
of nodes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypedDict, final, type_check_only

from typing_extensions import Buffer

from stillframe.errors import SnapshotError

__all__ = [
    "AccessibleName",
    "AppliedMask",
    "ChangedElementRow",
    "ClosedShadowRoot",
    "ControlRow",
    "Delta",
    "Digests",
    "DocumentInfo",
    "ElementId",
    "ElementRow",
    "ElementSelector",
    "Evidence",
    "Fingerprint",
    "MaskLearner",
    "MaskedDigests",
    "Masks",
    "Match",
    "Neighbours",
    "Outline",
    "Redactor",
    "RefindResult",
    "Relocation",
    "RelocationCandidate",
    "Signature",
    "SignatureIndex",
    "Similarity",
    "SimilarityLevel",
    "Snapshot",
    "SnapshotPart",
    "__version__",
    "aria_roles",
    "cbor_to_json",
    "diff_many",
    "json_to_cbor",
    "quoted",
    "secret_forms",
]

__version__: Final[str]

# -- snapshots -----------------------------------------------------------------------------------

@final
class Snapshot:
    """A DOM snapshot of a whole page: all its documents, shadow roots and frames.

    Two values identify a node: the key of its part (`frame` in rows) and its backend node id. The part of the page's
    own process has the key "". Each out-of-process frame is a part of its own; other frames belong to the part that
    holds them.

        snapshot = Snapshot.from_cdp(raw)
        for row in snapshot.rows(10):
            print(row.role, row.name, row.selector)
    """

    @staticmethod
    def from_cdp(raw: Buffer) -> Snapshot:
        """Read the result of `DOMSnapshot.captureSnapshot`, or the message that carries it, in JSON or Chrome's CBOR.

        The snapshot borrows `bytes` and copies other buffers. Request the `computedStyles` of `tab.captures.STYLES` in
        that order: without `visibility`, no element counts as hidden by it; without the other styles, names and texts
        depend on tags alone. Raises SnapshotError with the offset if `raw` is not a capture. O(bytes).
        """

    @staticmethod
    def from_parts(parts: Sequence[SnapshotPart], loaders: Mapping[str, str] | None = None) -> Snapshot:
        """Combine the captures of several renderer processes.

        `loaders` maps frame ids to loader ids where the caller knows them: they are the most reliable sign of a new
        document. Without them, a document is new if its document node, root element or origin is. Raises SnapshotError
        if the parts do not fit together. O(bytes).
        """

    def is_of(self, parts: Sequence[SnapshotPart], loaders: Mapping[str, str]) -> bool:
        """Return whether `from_parts` would make this snapshot from `parts` and `loaders`.

        Compares bytes and parses nothing. Each part must hold the bare result, as `parts` returns it. O(bytes).
        """

    @staticmethod
    def from_many(
        pages: Sequence[Buffer | Sequence[SnapshotPart]], *, threads: int | None = None
    ) -> list[Snapshot | SnapshotError]:
        """Read many pages in one call; each item is an argument of `from_cdp` or the parts of `from_parts`.

        The answers have the order of the pages. A page that is not a capture yields its SnapshotError, not raised, and
        does not affect the others. Releases the interpreter lock for the whole call. `threads` defaults to the
        environment variable STILLFRAME_THREADS, else 1. Raises ValueError if that is not a whole number of at least 1.
        O(bytes).
        """

    @property
    def node_count(self) -> int:
        """The number of nodes in all documents. O(documents)."""

    @property
    def url(self) -> str:
        """The URL of the main document. O(1)."""

    @property
    def title(self) -> str:
        """The title of the main document. O(1)."""

    @property
    def loaders(self) -> dict[str, str]:
        """The loader ids by frame id that `from_parts` received. O(frames)."""

    @property
    def documents(self) -> list[DocumentInfo]:
        """All documents in page order: each after the one that holds it. O(documents)."""

    @property
    def digests(self) -> Digests:
        """The digests of the page. O(n) the first time."""

    def masked_digests(self, masks: Masks | None = None, *, focused: tuple[str, int] | None = None) -> MaskedDigests:
        """Return digests without what changes by itself: pages that differ only there have equal ones.

        Without `masks`, only the static rules apply (`Masks()`). `focused` identifies the focused element by part key
        and backend node id: masks hide no more than texts and animated styles of what contains it. A capture does not
        record the focus, so without `focused`, every rendered control with a live value counts as focused. O(n), up to
        twice the cost of `digests`.
        """

    @property
    def signature(self) -> Signature:
        """The similarity signature of the page. O(n + bytes of text) each time."""

    @property
    def parts(self) -> list[SnapshotPart]:
        """The parts from which `from_parts` makes this snapshot again, each with the bare result. O(bytes)."""

    def diff(
        self,
        other: Snapshot,
        *,
        limit: int = 12,
        text_limit: int = 300,
        secrets: Redactor | Sequence[str] = (),
        noise: Sequence[tuple[str, int]] = (),
        habitual: Sequence[tuple[str, int]] = (),
        controls: int = 0,
        target: tuple[str, int] | str | None = None,
    ) -> Delta:
        """Return what changed from this snapshot to `other`, a later one of the same page.

        Each list holds up to `limit` rows and up to 12 more that are messages to the user. Similar changes share a row;
        parts of the page and attributes get at most half of `limit`. `noise` identifies elements that change by
        themselves, by part key and backend node id: the delta leaves out what changed in them. Changes of those in
        `habitual` get a row only if there is nothing else. `text_limit` is in characters. The core replaces each of
        `secrets`, and every password value, with "••••" before it shortens any text. With `controls`, rows list up to
        that many elements to act on, and `nearby` those next to what changed and to `target`, the element of the last
        action: its part key and id, or a selector as rows have it. O(changes) after one O(n) pass per snapshot; O(n log
        n) for a new document.
        """

    def describe(
        self, frame: str, backend_node_id: int, *, secrets: Redactor | Sequence[str] = ()
    ) -> ElementRow | None:
        """Return the row of one node, or None if the snapshot does not contain it. O(n)."""

    def accessible(self, frame: str, backend_node_id: int) -> AccessibleName | None:
        """Return the role and accessible name of a node, or None if the snapshot does not contain it.

        Rows, outlines and selectors use the same values: accname 1.2, ARIA 1.2 and HTML-AAM as Chrome implements them.
        O(n) to find the node.
        """

    def selector(self, frame: str, backend_node_id: int) -> str | None:
        """Return a short CSS selector that matches one element in its frame, or None if there is no such node.

        Frames appear as `frame=<selector> >> `. Shadow roots, open and closed, appear as the descendant combinator
        (`#host button`), never as `>`. Selectors avoid ids and classes that look generated. O(n) the first time.
        """

    def selectors(
        self, frame: str, backend_node_id: int, *, secrets: Redactor | Sequence[str] = ()
    ) -> list[ElementSelector]:
        """Return all selectors of an element, the most durable first; [] if there is no such node.

        Each matches nothing else in its frame. Selectors that would show one of `secrets` are left out. O(n + text) the
        first time, then O(path).
        """

    def fingerprint(
        self, frame: str, backend_node_id: int, *, secrets: Redactor | Sequence[str] = ()
    ) -> Fingerprint | None:
        """Return the properties by which later snapshots can recognise an element; None if there is no such node.

        The texts contain none of `secrets`, and no value that a user typed. O(n) the first time.
        """

    def relocate(self, fingerprint: Fingerprint) -> Relocation:
        """Find the element of a fingerprint in this snapshot and report how certain the answer is.

        Tries three steps: the node itself, if its document is still the same; its selector, if that matches one element
        with a similarity of at least 0.8 (and, for selectors that count siblings, if no element is more similar); and
        the elements that share its rarest tokens, of which the best must score at least 0.5 and lead by at least 0.1.
        O(n + text) the first time, then O(shared tokens).
        """

    def closed_shadow_roots(self) -> list[ClosedShadowRoot]:
        """Return the closed shadow roots that are not empty.

        A root inside another root of the same type shows only if its host is a custom element; its `child` may then be
        a child of the host itself. O(nodes in shadow roots).
        """

    def rows(self, limit: int, *, secrets: Redactor | Sequence[str] = ()) -> list[ElementRow]:
        """Return the most important elements of the page, best first.

        Those are dialogs, controls, headings, landmarks and elements with an id. O(n).
        """

    def outline(
        self,
        scope: tuple[str, tuple[str, int] | None] = ("page", None),
        *,
        budget: int = 12000,
        reference: int = 6,
        links: bool = False,
        attention: tuple[tuple[str, int] | None, Sequence[tuple[str, int]]] = (None, ()),
        secrets: Redactor | Sequence[str] = (),
    ) -> Outline | None:
        """Return the page as text for a model: one line for each meaningful element or text.

        `scope` is ("page", None), ("viewport", None), ("below", node) for one element and its content, or ("from",
        node) for everything from that node on in reading order; a node is its part key and backend node id. Returns
        None if the snapshot does not contain the node. `budget` is in characters and reserves `reference` characters
        for each ref. With `links`, links show their addresses. `attention` is what no capture shows: the node that has
        the focus, which is marked [active], and the modal dialogs, behind which everything is left out. The core
        replaces each of `secrets`, and every password value, with "••••" before it shortens any text. Texts and values
        are shortened except for ("below", node), where they are complete if the budget allows. O(n + text shown).
        """

    def refind(
        self,
        node: tuple[str, int],
        after: Snapshot,
        *,
        earlier: Snapshot | None = None,
        secrets: Redactor | Sequence[str] = (),
    ) -> RefindResult | None:
        """Find in `after` the element that replaced `node`; None if this snapshot does not contain `node`.

        Stricter than `relocate`, which finds the most similar element: role, name and place must be equal, and both
        snapshots must contain exactly one such element. `earlier` is the page a moment before `after`, while nobody
        acted: a number of the place that was another one then changes by itself, and tells nothing. O(n).
        """

    def __len__(self) -> int: ...

@final
class SnapshotPart:
    """The capture of one renderer process, and the frame element that holds it."""

    def __new__(
        cls,
        raw: Buffer,
        *,
        key: str = "",
        parent: str | None = None,
        owner: int | None = None,
        internals: Sequence[tuple[int, Sequence[tuple[str, str]]]] = (),
    ) -> SnapshotPart: ...
    @property
    def raw(self) -> bytes:
        """The result of `DOMSnapshot.captureSnapshot`. Other buffers than `bytes` are copied once."""

    @property
    def key(self) -> str:
        """The id of the frame at the root of the part; "" for the page's own process."""

    @property
    def parent(self) -> str | None:
        """The key of the part that holds this one; None for the page's own process."""

    @property
    def owner(self) -> int | None:
        """The backend node id of the frame element in `parent`; None if it is unknown."""

    @property
    def internals(self) -> list[tuple[int, list[tuple[str, str]]]]:
        """What custom elements say of themselves by `ElementInternals`, which `raw` does not contain.

        Backend node ids, each with names and values as attributes have them. They count where an element has no
        attribute of that name.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class DocumentInfo:
    """One document of a snapshot."""

    @property
    def frame(self) -> str:
        """The key of the part that contains the document."""

    @property
    def frame_id(self) -> str:
        """CDP's id of the frame; "" if the capture does not contain it."""

    @property
    def url(self) -> str:
        """The URL of the document."""

    @property
    def title(self) -> str:
        """The title of the document."""

    @property
    def backend_node_id(self) -> int:
        """The id of the document node."""

    @property
    def node_count(self) -> int:
        """The number of nodes."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ElementId:
    """The identity of an element: its part, its node in that part, and its frame."""

    @property
    def frame(self) -> str:
        """The key of the part that contains the element."""

    @property
    def backend_node_id(self) -> int:
        """The id of the node in its part."""

    @property
    def frame_id(self) -> str:
        """CDP's id of the frame; "" if the capture does not contain it."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ControlRow:
    """One element that can be acted on."""

    @property
    def role(self) -> str:
        """The ARIA role."""

    @property
    def name(self) -> str:
        """The accessible name, or the text of an element that has none, up to 80 characters."""

    @property
    def states(self) -> list[str]:
        """The states, as `Snapshot.outline` shows them."""

    @property
    def value(self) -> str:
        """What a field contains or what is selected, up to 60 characters; "" for nothing."""

    @property
    def options(self) -> list[str]:
        """Up to six options of a closed list."""

    @property
    def frame(self) -> str:
        """The key of the part that contains the element."""

    @property
    def frame_id(self) -> str:
        """CDP's id of the frame; "" if the capture does not contain it."""

    @property
    def backend_node_id(self) -> int:
        """The id of the node in its part."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ElementRow:
    """One element in a list: what it is and how to reach it."""

    @property
    def selector(self) -> str:
        """A short CSS selector; that of a removed element is valid in the snapshot before."""

    @property
    def tag_name(self) -> str:
        """The tag, in lower case unless the page's language distinguishes cases."""

    @property
    def role(self) -> str:
        """The ARIA role; "" for none."""

    @property
    def name(self) -> str:
        """The accessible name, up to 100 characters; "" for none."""

    @property
    def text(self) -> str:
        """The rendered text.

        Up to `text_limit` characters for a message or an element that contains only text. In a delta everything else
        shares 600 characters: at least 120 for a table row and 50 for others; elsewhere it has 120 and 50. In a text
        that is too long, navigation, strips of controls and column heads come last.
        """

    @property
    def frame(self) -> str:
        """The key of the part that contains the element."""

    @property
    def frame_id(self) -> str:
        """CDP's id of the frame; "" if the capture does not contain it."""

    @property
    def backend_node_id(self) -> int:
        """The id of the node in its part."""

    @property
    def count(self) -> int:
        """The number of similar elements that the row stands for."""

    @property
    def examples(self) -> list[str]:
        """The texts of up to two of those elements."""

    @property
    def rank(self) -> int:
        """The position of the row among the rows of all three lists of a delta."""

    @property
    def own_control(self) -> ControlRow | None:
        """The element itself, if it can be acted on; None unless `Snapshot.diff` was asked for controls."""

    @property
    def controls(self) -> list[ControlRow]:
        """The elements inside that can be acted on, in reading order; [] unless `Snapshot.diff` was asked for them."""

    @property
    def omitted_controls(self) -> int:
        """The number of such elements that are not listed."""

    @property
    def each(self) -> tuple[str, int] | None:
        """A selector of all elements like those that the row stands for, and the index of the first one."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ChangedElementRow:
    """One element of which a field changed: the attributes of ElementRow, and the change."""

    @property
    def selector(self) -> str:
        """A short CSS selector."""

    @property
    def tag_name(self) -> str:
        """The tag, in lower case unless the page's language distinguishes cases."""

    @property
    def role(self) -> str:
        """The ARIA role; "" for none."""

    @property
    def name(self) -> str:
        """The accessible name, up to 100 characters; "" for none."""

    @property
    def text(self) -> str:
        """The rendered text; its limits are those of `ElementRow.text`."""

    @property
    def frame(self) -> str:
        """The key of the part that contains the element."""

    @property
    def frame_id(self) -> str:
        """CDP's id of the frame; "" if the capture does not contain it."""

    @property
    def backend_node_id(self) -> int:
        """The id of the node in its part."""

    @property
    def count(self) -> int:
        """The number of similar changes that the row stands for."""

    @property
    def examples(self) -> list[str]:
        """The texts of up to two of those elements."""

    @property
    def rank(self) -> int:
        """The position of the row among the rows of all three lists of a delta."""

    @property
    def field(self) -> str:
        """The field that changed.

        One of textContent, value, className, checked, selected, disabled, expanded, hidden, readonly, required, href,
        src, title, alt, placeholder, role, type, tagName, or an aria- attribute; `parent` for a move (the values are
        selectors), `position` (1-based, among siblings), `order` ("4 rows reordered; first: …") or `rows` (of a table:
        the number of rows, and the first one).
        """

    @property
    def from_(self) -> str | None:
        """The value before; None if the attribute did not exist."""

    @property
    def to(self) -> str | None:
        """The value after; None if the attribute no longer exists."""

    @property
    def controls(self) -> list[ControlRow]:
        """The elements inside that can be acted on, in reading order; [] unless `Snapshot.diff` was asked for them."""

    @property
    def omitted_controls(self) -> int:
        """The number of such elements that are not listed."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class AccessibleName:
    """The role and accessible name of an element."""

    @property
    def role(self) -> str:
        """The role; an element without one is `generic`, or `none` if the author said so."""

    @property
    def name(self) -> str:
        """The name; "" for none.

        The core builds a name from at most 100 nodes, as Chrome does, and shortens it after about 4,000 bytes. A name
        may contain secrets from fields inside the element.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ElementSelector:
    """One selector of an element."""

    @property
    def kind(self) -> str:
        """The kind of selector.

        In the order of Playwright's generator: testid, role, placeholder, label, alt, text, title; then css (the one in
        rows), scoped (a class, attribute or tag inside an ancestor with a name) and path (from the root).
        """

    @property
    def selector(self) -> str:
        """The selector."""

    @property
    def score(self) -> float:
        """How durable the selector is, from 0 to 1: an order, not a probability."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ClosedShadowRoot:
    """A closed shadow root, identified by its host and one of its children."""

    @property
    def frame(self) -> str:
        """The key of the part that contains the host."""

    @property
    def host(self) -> int:
        """The backend node id of the host."""

    @property
    def child(self) -> int:
        """The backend node id of a child of the root."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Outline:
    """A page as text, with marks for refs."""

    @property
    def text(self) -> str:
        """The lines, with U+0000 in the place of each ref."""

    @property
    def refs(self) -> list[ElementId]:
        """The elements of those marks, in order."""

    @property
    def shown(self) -> int:
        """The number of lines shown."""

    @property
    def total(self) -> int:
        """The number of lines in the scope."""

    @property
    def cut(self) -> str:
        """What was left out, in words; "" if nothing was."""

    @property
    def approximate(self) -> bool:
        """Whether a frame was not captured, or the structure is too deep to show."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class RefindResult:
    """The result of `Snapshot.refind`."""

    @property
    def outcome(self) -> str:
        """The outcome of the search.

        One of "found"; "nameless" (the element had no name); "nothing" (no element has its role and name); "twins" (the
        earlier snapshot contains another such element); "elsewhere" (such an element is in another place); "several".
        """

    @property
    def role(self) -> str:
        """The role that the element had."""

    @property
    def name(self) -> str:
        """The name that the element had."""

    @property
    def element(self) -> ElementId | None:
        """The element that replaced it; None if none was found."""

    @property
    def selector(self) -> str | None:
        """A selector of that element; None if none was found."""

    @property
    def score(self) -> float:
        """How similar the best element is, from 0 to 1."""

    @property
    def margin(self) -> float:
        """The lead over the next element with the same role and name, from 0 to 1."""

    @property
    def candidates(self) -> list[str]:
        """Selectors of up to five elements with the same role and name, best first."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

# -- finding an element again --------------------------------------------------------------------

@final
class Fingerprint:
    """The properties by which later snapshots recognise an element.

    They are its tag, role, name, texts, durable attributes, place and surroundings.

        taken = before.fingerprint(row.frame, row.backend_node_id)
        found = after.relocate(taken)
        print(found.how, found.selector, found.score)
    """

    @staticmethod
    def from_bytes(raw: Buffer) -> Fingerprint:
        """Read the output of `to_bytes`. Raises FingerprintInvalid with the offset for anything else. O(bytes)."""

    @staticmethod
    def from_json(text: str) -> Fingerprint:
        """Read the output of `to_json`. Raises FingerprintInvalid with the offset for anything else. O(bytes)."""

    def to_bytes(self) -> bytes:
        """Return the fingerprint and its version as JSON in UTF-8: about 500 bytes. O(bytes)."""

    def to_json(self) -> str:
        """Return the fingerprint and its version as JSON. O(bytes)."""

    @property
    def frame(self) -> str:
        """The key of the part that contained the element. O(1)."""

    @property
    def backend_node_id(self) -> int:
        """The node id that the element had. O(1)."""

    @property
    def selector(self) -> str:
        """The short CSS selector that the element had. O(1)."""

    @property
    def tag_name(self) -> str:
        """The tag. O(1)."""

    @property
    def role(self) -> str:
        """The role; "" for none. O(1)."""

    @property
    def name(self) -> str:
        """The accessible name; "" for none. O(1)."""

    @property
    def text(self) -> str:
        """The rendered text, at most 160 characters. O(1)."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class Relocation:
    """Where the element of a fingerprint is now; false if no element was certain enough."""

    @property
    def how(self) -> str | None:
        """The step that found it: "alive" (the same node), "selector" or "likeness"; None if none did."""

    @property
    def healed(self) -> bool:
        """Whether similarity alone found it: neither its node nor its selector led there."""

    @property
    def score(self) -> float:
        """How similar the best element is, from 0 to 1: the weighted mean of the evidence."""

    @property
    def margin(self) -> float:
        """The lead of the best element; 1.0 if it was not compared with others ("alive", "selector")."""

    @property
    def element(self) -> ElementId | None:
        """The element; None if none was found."""

    @property
    def selector(self) -> str | None:
        """The element's short CSS selector now; None if none was found."""

    @property
    def evidence(self) -> dict[str, Evidence]:
        """The comparison of each property that the element or the fingerprint has; {} if none was found."""

    @property
    def alternatives(self) -> list[RelocationCandidate]:
        """Up to five other elements, best first; the best is among them if none was found."""

    def require(self) -> ElementId:
        """Return `element`. Raises RelocationFailed with the candidates if none was found."""

    def __bool__(self) -> bool: ...

@final
class RelocationCandidate:
    """An element that may be the one that a fingerprint describes."""

    @property
    def element(self) -> ElementId:
        """The element."""

    @property
    def selector(self) -> str:
        """Its short CSS selector."""

    @property
    def score(self) -> float:
        """How similar it is, from 0 to 1."""

    @property
    def evidence(self) -> dict[str, Evidence]:
        """The comparison of each property."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Evidence:
    """How one property of an element compares with a fingerprint."""

    @property
    def similarity(self) -> float:
        """From 0 to 1."""

    @property
    def weight(self) -> float:
        """How much the property counts on this page."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

# -- digests and masks ---------------------------------------------------------------------------

@final
class Digests:
    """128-bit digests with a published seed: equal on every machine. Not cryptographic. Compare them with `==`."""

    @property
    def exact(self) -> bytes:
        """Everything except node ids, whitespace between elements, scripts, styles and comments; 16 bytes."""

    @property
    def visible(self) -> bytes:
        """Rendered text and the state of controls, without classes and styles; 16 bytes."""

    @property
    def struct(self) -> bytes:
        """Tags, roles and durable classes, without text; equal neighbours count once; 16 bytes."""

    @property
    def raw(self) -> bytes:
        """The bytes of the results themselves, so JSON and CBOR of one page differ; 16 bytes."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class MaskedDigests:
    """Digests of a page without what masks leave out; equal if the three masked digests are. Keeps its snapshot alive.

    Masks help to recognise a page. They never hide anything from a delta.
    """

    @property
    def exact(self) -> bytes:
        """`Digests.exact` under the masks; 16 bytes."""

    @property
    def visible(self) -> bytes:
        """`Digests.visible` under the masks, which stability and loop detection compare; 16 bytes."""

    @property
    def struct(self) -> bytes:
        """`Digests.struct` under the masks; differs from it only if a mask leaves out a subtree; 16 bytes."""

    @property
    def unmasked(self) -> Digests:
        """The digests of the same snapshot without masks. O(bytes), for the raw one."""

    @property
    def masks(self) -> list[AppliedMask]:
        """The masks that were applied, by document and node, without those inside a masked subtree.

        O(n) the first time, for the selectors.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AppliedMask:
    """One mask that matched a node of a snapshot."""

    @property
    def selector(self) -> str:
        """A selector of the element."""

    @property
    def frame(self) -> str:
        """The key of the part that contains the element."""

    @property
    def backend_node_id(self) -> int:
        """The id of the node in its part."""

    @property
    def level(self) -> str:
        """What the mask leaves out.

        "digits" (the numbers in the element's own text), "text" (that text), "style" (its style attribute),
        "attributes" (all attributes, and its state), "structure" (everything in the subtree except tags, roles and
        durable classes) or "subtree" (the whole subtree, even whether it exists).
        """

    @property
    def why(self) -> str:
        """The rule or the observation behind the mask.

        "clock", "time", "progress", "video", "video overlay", "canvas", "marquee", "timer", "aria-live=off",
        "animation", "ad frame", or for example "changed in 4 of the last 5 probes".
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Masks:
    """What to leave out of the digests of a page: the static rules, and what a MaskLearner learned. Cheap to keep.

    `len()` is the number of learned masks. `Masks()` holds only the static rules, `Masks(rules=False)` nothing.
    """

    def __new__(cls, *, rules: bool = True) -> Masks: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class MaskLearner:
    """Learns what a page changes by itself, from snapshots taken while nobody acts.

    A place that differs between two probes in 3 of the last 5 gets a mask, as narrow as those changes allow; 10 probes
    without a change there remove it. Tags, durable ids and classes and a number among siblings identify a place, so it
    survives a re-render. Elements that take more than 30 % of the viewport or contain the focus get no masks beyond
    texts and animated styles. The learner keeps the last snapshot and up to 1024 places (at most 2 kB each), down to
    256 levels deep. Only the order of the calls counts, not their time.

        learner = MaskLearner()
        for snapshot in probes:
            learner.observe(snapshot)
        page_hash = snapshot.masked_digests(learner.masks)
    """

    def __new__(cls) -> MaskLearner: ...
    def observe(self, snapshot: Snapshot, *, focused: tuple[str, int] | None = None) -> None:
        """Add `snapshot` as a probe: nobody acted since the previous one. The first is only a base. O(n)."""

    def rebase(self, snapshot: Snapshot) -> None:
        """Compare the next probe with `snapshot`: somebody acted, and that change is not noise. O(1)."""

    @property
    def probes(self) -> int:
        """The number of probes compared. O(1)."""

    @property
    def masks(self) -> Masks:
        """The current masks, including the static rules. O(learned places)."""

# -- deltas --------------------------------------------------------------------------------------

@final
class Delta:
    """What changed between two snapshots; false if nothing did. All properties cost O(rows).

    delta = before.diff(after)
    for row in delta.changed:
        print(row.selector, row.field, row.from_, row.to)
    """

    @property
    def empty(self) -> bool:
        """Whether nothing changed that a user could see or act on."""

    @property
    def same_document(self) -> bool:
        """Whether the main document is the same one.

        For another document, the core matches content if both contain at least half of what is rendered (texts,
        pictures, fields), for example after a reload; `matched` is then positive. Otherwise it summarises both.
        """

    @property
    def appeared(self) -> list[ElementRow]:
        """Elements that became visible, the topmost ones of their frame, best first.

        Content that arrived inside a new frame comes last.
        """

    @property
    def disappeared(self) -> list[ElementRow]:
        """Elements that are no longer visible, in the same order; their selectors are valid in the snapshot before."""

    @property
    def changed(self) -> list[ChangedElementRow]:
        """Fields of elements that both snapshots contain, best first."""

    @property
    def nearby(self) -> list[ControlRow]:
        """Elements to act on next to what changed, if the rows name none; [] unless `Snapshot.diff` was asked."""

    @property
    def total_appeared(self) -> int:
        """The number of elements that became visible, listed or not."""

    @property
    def total_disappeared(self) -> int:
        """The number of elements that are no longer visible, listed or not."""

    @property
    def total_changed(self) -> int:
        """The number of fields that changed, listed or not."""

    @property
    def omitted_appeared(self) -> int:
        """The number of elements that `appeared` leaves out."""

    @property
    def omitted_disappeared(self) -> int:
        """The number of elements that `disappeared` leaves out."""

    @property
    def omitted_changed(self) -> int:
        """The number of fields that `changed` leaves out."""

    @property
    def rerendered(self) -> int:
        """The number of subtrees that the page removed and inserted again unchanged."""

    @property
    def script_length(self) -> int:
        """The number of edits: nodes inserted, deleted or moved, and nodes with a changed field.

        Counted by node identity; by matched content in another document, 0 if that was summarised.
        """

    @property
    def visited(self) -> int:
        """The number of node pairs that the core compared."""

    @property
    def matched(self) -> int:
        """The number of node pairs matched by content: in another document, or in a re-rendered part."""

    @property
    def approximate(self) -> bool:
        """Whether matching reached its limit of 20 steps per node.

        Some elements that appeared may then be the same as some that disappeared.
        """

    def __bool__(self) -> bool: ...

def diff_many(
    pairs: Sequence[tuple[Snapshot, Snapshot]],
    *,
    limit: int = 12,
    secrets: Redactor | Sequence[str] = (),
    threads: int | None = None,
) -> list[Delta]:
    """Return what changed in each pair (before, after), as `Snapshot.diff` does, in the order of the pairs.

    `threads` works as in `Snapshot.from_many`. Releases the interpreter lock for the whole call.
    """

# -- secrets -------------------------------------------------------------------------------------

@final
class Redactor:
    """Removes secrets from texts, in every form in which pages show them (`secret_forms`).

    Each of `secrets` is redacted wherever it occurs. Of the `typed` texts, those of at least 4 characters are redacted
    too, and so are their beginnings of at least 4 characters that stand as words (no letter, digit or mark adjoins
    them), because pages echo each key. Texts of 2 and 3 characters, and those of up to 7 ASCII letters only, are
    redacted as words; single characters only if they are the whole text. Ranges that touch or overlap merge. Half
    surrogates count as U+FFFD. O(bytes of all forms) to make, O(text) to use, for any number of secrets.

        Redactor(["hunter2"]).redact("the password is hunter2")  # 'the password is ••••'
    """

    def __new__(cls, secrets: Sequence[str] = (), *, typed: Sequence[str] = ()) -> Redactor: ...
    def __len__(self) -> int:
        """Return the number of secrets."""

    def redact(self, text: str) -> str:
        """Return the text with "••••" in the place of each secret; the same object if there is none. O(text)."""

    def hidden_in(self, texts: Sequence[str]) -> list[int]:
        """Return the indexes of the texts that show a secret, or part of one, when drawn one after the other.

        Ignores case and spaces. O(text).
        """

def secret_forms(secret: str) -> list[str]:
    """Return the texts in which a page may show a secret.

    Those are the secret itself; its forms in URLs, selectors, file names, JSON and HTML; its single lines; and the
    secret without spaces; each in the normal forms NFC and NFD. O(bytes).
    """

# -- similar pages -------------------------------------------------------------------------------

@final
class SimilarityLevel:
    """How similar two pages are; more similar is greater. `str` returns its words."""

    NEW: ClassVar[SimilarityLevel]
    """A different page."""
    RELATED: ClassVar[SimilarityLevel]
    """Much of the structure is equal (Jaccard ≥ 0.4), as on pages of one site."""
    SAME_TEMPLATE: ClassVar[SimilarityLevel]
    """The same template (Jaccard ≥ 0.65) with other content."""
    NEAR_DUPLICATE: ClassVar[SimilarityLevel]
    """The same template, and texts that differ in at most 12 of 64 bits; in fewer below 768 letters."""
    DUPLICATE: ClassVar[SimilarityLevel]
    """Equal except for node ids, scripts, comments and the like: equal `Digests.exact`."""

    @property
    def value(self) -> Literal["new", "related", "same template", "near-duplicate", "duplicate"]:
        """The level in words."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: SimilarityLevel, /) -> bool: ...
    def __le__(self, other: SimilarityLevel, /) -> bool: ...
    def __gt__(self, other: SimilarityLevel, /) -> bool: ...
    def __ge__(self, other: SimilarityLevel, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class Similarity:
    """How similar two pages are, with the evidence. All properties are O(1)."""

    @property
    def level(self) -> SimilarityLevel:
        """The level that follows from the evidence."""

    @property
    def exact(self) -> bool:
        """Whether the exact digests are equal."""

    @property
    def template(self) -> bool:
        """Whether the structures are equal when repeated siblings count once."""

    @property
    def structure(self) -> float:
        """The estimated Jaccard similarity of the structures, from 0 to 1; standard error ≤ 0.044."""

    @property
    def text_distance(self) -> int:
        """The number of bits, of 64, in which the SimHashes of the texts differ; about 32 for unrelated texts."""

    @property
    def url_pattern(self) -> bool:
        """Whether the URLs have the same pattern; this does not affect the level."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Signature:
    """The similarity signature of a page: 344 bytes, equal on every machine, without masks and session state.

    A frame of another origin counts as its frame element only. `compare` measures similarity; `==` compares all fields.
    Signatures can be pickled. Not cryptographic: a page can imitate another one.
    """

    VERSION: ClassVar[int]
    SEED: ClassVar[int]

    @staticmethod
    def from_bytes(raw: Buffer) -> Signature:
        """Read the output of `to_bytes`.

        Raises SignatureError with the offset for anything else, including another VERSION or SEED. O(1).
        """

    def to_bytes(self) -> bytes:
        """Return the stored form: 344 bytes with version, seed and checksum. O(1)."""

    def compare(self, other: Signature) -> Similarity:
        """Return how similar the two pages are; symmetric. O(1)."""

    @property
    def exact(self) -> bytes:
        """`Digests.exact` of the page; 16 bytes."""

    @property
    def template(self) -> bytes:
        """A hash of the set of pq-grams of tags, roles and durable classes; 16 bytes. Suitable as a shard key."""

    @property
    def structure(self) -> list[int]:
        """The MinHash sketch of that set: 128 slots of 16 bits."""

    @property
    def text(self) -> int:
        """The 64-bit SimHash of the rendered words in groups of three; the main content has the highest weight."""

    @property
    def url_pattern(self) -> int:
        """A 64-bit hash of the URL without numbers, generated names, slugs, values and the fragment."""

    @property
    def node_count(self) -> int:
        """The number of nodes in the canonical form."""

    @property
    def text_length(self) -> int:
        """The number of letters and digits in the rendered words."""

    @property
    def link_count(self) -> int:
        """The number of links with an address."""

    @property
    def form_count(self) -> int:
        """The number of forms."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

@final
class Match:
    """A signature of an index that is similar to the one in the query."""

    @property
    def key(self) -> str:
        """The key of the signature."""

    @property
    def level(self) -> SimilarityLevel:
        """How similar it is."""

    @property
    def similarity(self) -> Similarity:
        """How similar it is, with the evidence."""

@final
class Neighbours:
    """The answer to a query; `len` is the number of matches."""

    @property
    def level(self) -> SimilarityLevel:
        """The level of the closest match; NEW if there is none."""

    @property
    def matches(self) -> list[Match]:
        """The matches, closest first, then oldest first; none is NEW. O(matches)."""

    @property
    def truncated(self) -> bool:
        """Whether there were more matches than `limit`, or more candidates than a query examines."""

    def __len__(self) -> int: ...

@final
class SignatureIndex:
    """Signatures by key, and a search for similar ones. For millions of signatures; safe to use from several threads.

    A query finds an equal page, and one whose text differs in ≤ 3 bits, for certain; it finds one with structure
    similarity J with probability 1 - (1 - J⁶)²¹ (94 % at 0.71, 80 % at 0.65), unless more than about 16 newer pages
    have its template. A query examines at most about 2,700 entries; `truncated` tells whether there were more. Memory:
    about 650 bytes and the key per signature, plus 6 MB; see `memory`.

        index = SignatureIndex()
        index.add("https://shop.test/1", first.signature)
        print(index.query(second.signature).level)
    """

    def __new__(cls) -> SignatureIndex: ...
    @staticmethod
    def from_bytes(raw: Buffer) -> SignatureIndex:
        """Read the output of `to_bytes`. Raises SignatureError with the offset for anything else. O(bytes)."""

    def to_bytes(self) -> bytes:
        """Return the stored form: 24 bytes, plus 332 bytes and the key per signature. O(signatures)."""

    def add(self, key: str, signature: Signature) -> None:
        """Add a signature, replacing the one with this key. Amortised O(1)."""

    def add_many(self, pairs: Iterable[tuple[str, Signature]]) -> None:
        """Add many signatures without the interpreter lock; adds none if a pair is invalid."""

    def query(self, signature: Signature, *, limit: int = 10) -> Neighbours:
        """Return the closest signatures that are RELATED or closer. The work is bounded."""

    def query_many(self, signatures: Iterable[Signature], *, limit: int = 10) -> list[Neighbours]:
        """Return the answers for many signatures in order, without the interpreter lock."""

    def remove(self, key: str) -> bool:
        """Remove a signature and return whether the key existed.

        The index frees memory once a third of its entries are removed or replaced.
        """

    def get(self, key: str) -> Signature | None:
        """Return the signature of a key, or None."""

    @property
    def memory(self) -> int:
        """The bytes that the index occupies on the heap. O(65,536)."""

    def __contains__(self, key: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

# -- the rest ------------------------------------------------------------------------------------

@type_check_only
class _RoleFacts(TypedDict, total=False):
    """What ARIA says of one word of a `role` attribute."""

    content: bool
    prohibited: bool
    leaf: bool
    control: bool
    synonym: str

def aria_roles() -> dict[str, _RoleFacts]:
    """Return the table of roles: every valid word of a `role` attribute with its facts.

    `content`: the content of the element names it. `prohibited`: ARIA does not allow authors to name it. `leaf`: its
    content has no roles. `control`: users can act on it. `synonym`: the preferred word with the same meaning: `img` for
    `image`, `none` for `presentation`. Abstract roles are absent. `iframe`, the role of frame elements, is not a word
    of ARIA and has no effect in a `role` attribute. ARIA 1.2, and what Chrome 156 implements of ARIA 1.3, Graphics-ARIA
    1.0 and DPUB-ARIA 1.1.
    """

def quoted(text: str) -> str:
    """Return the text in double quotes, escaped as in JSON, with nothing hidden from a reader.

    Also escapes direction marks, invisible letters, line separators, and all but the first of several backticks. Raises
    UnicodeEncodeError for lone surrogates. O(text).
    """

def cbor_to_json(frame: Buffer) -> bytes:
    """Convert a message in Chrome's CBOR to the JSON that Chrome would have sent; strict readers accept it.

    Lone surrogates become U+FFFD, binary becomes base64, NaN and infinities become null. A member nested more than 300
    levels deep is replaced by `error`, as Chrome does. Raises ValueError with the offset if `frame` is not such a
    message. O(bytes); the JSON is at most six times as long.
    """

def json_to_cbor(frame: Buffer) -> bytes:
    """Convert a message in JSON to Chrome's CBOR: integers of 32 bits stay integers, all other numbers become doubles.

    Raises ValueError with the offset if `frame` is not a JSON object. O(bytes); the CBOR is at most nine times as long.
    """
