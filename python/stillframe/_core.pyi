"""The native core: bytes of `DOMSnapshot.captureSnapshot` in, frozen handles and small plain values out.

All classes may be used from several threads, and all but SignatureIndex are immutable. Work on more than ~128 KB of
capture is done without the interpreter lock. `n` is the number of nodes. Figures are in bench/.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, final

from typing_extensions import Buffer

from stillframe.errors import SnapshotError

__all__ = [
    "Delta",
    "Digests",
    "Fingerprint",
    "MaskLearner",
    "MaskedDigests",
    "Masks",
    "Match",
    "Neighbours",
    "Redactor",
    "Relocation",
    "Signature",
    "SignatureIndex",
    "Similarity",
    "SimilarityLevel",
    "Snapshot",
    "__version__",
    "aria_roles",
    "cbor_to_json",
    "diff_many",
    "json_to_cbor",
    "quoted",
    "secret_forms",
]

__version__: Final[str]

@final
class Snapshot:
    """One capture of a whole page: all its documents, shadow roots and frames.

    A node is named by the key of its part (`frame` in rows) and its backend node id. The page's own part has the key
    ""; out-of-process frames are parts of their own. Frames of the same process belong to the part that holds them.
    """

    @staticmethod
    def from_cdp(raw: Buffer) -> Snapshot:
        """Read the result of `DOMSnapshot.captureSnapshot`, or the message that carries it; JSON or Chrome's CBOR.

        `bytes` are borrowed, other buffers copied. Capture with the `computedStyles` of `page.capture.STYLES`, in that
        order: without `visibility` nothing is taken for hidden by it, without the others names and texts go by tags
        alone. Raises SnapshotError, with the offset, for what is no capture. O(bytes).
        """

    @staticmethod
    def from_parts(
        parts: Sequence[tuple[str, str | None, int | None, Buffer]], loaders: Mapping[str, str] | None = None
    ) -> Snapshot:
        """Put captures of several processes together: (key, key of the holder or None, frame element's id, bytes).

        `loaders` maps frame ids to loader ids where they are known: the surest sign of a new document. Without them a
        document is another one if its document node, root element or origin is. Raises SnapshotError if the parts do
        not fit together. O(bytes).
        """

    def is_of(self, parts: Sequence[tuple[str, str | None, int | None, Buffer]], loaders: Mapping[str, str]) -> bool:
        """Whether `from_parts` made this snapshot of the same bytes, put together in the same way.

        Each part is the bare result, as `parts` has it. Nothing is parsed: O(bytes) of comparing, and a copy of what is
        not `bytes`.
        """

    @staticmethod
    def from_many(
        pages: Sequence[Buffer | Sequence[tuple[str, str | None, int | None, Buffer]]], *, threads: int | None = None
    ) -> list[Snapshot | SnapshotError]:
        """Read many pages at once, each given as `from_cdp` or as `from_parts` takes it; answers in their order.

        A page that is no capture has its SnapshotError, not raised, in its place; the others are not touched by it. The
        interpreter lock is released for the whole call. `threads`, else the environment's STILLFRAME_THREADS, else 1:
        each works on pages of its own. ValueError if that is no whole number of at least 1. O(bytes).
        """

    @property
    def node_count(self) -> int:
        """How many nodes all documents have. O(documents)."""

    @property
    def url(self) -> str:
        """The URL of the page's own document. O(1)."""

    @property
    def title(self) -> str:
        """The title of the page's own document. O(1)."""

    @property
    def loaders(self) -> dict[str, str]:
        """The loader ids by frame id that it was put together with. O(frames)."""

    @property
    def documents(self) -> list[dict[str, Any]]:
        """All documents in page order, holders first: `frame` (part key), `frame_id` (CDP), `url`, `title`,
        `backend_node_id` of the document node, `node_count`. O(documents)."""

    @property
    def digests(self) -> Digests:
        """The digests of the page. O(n) the first time."""

    def masked_digests(self, masks: Masks | None = None, *, focused: tuple[str, int] | None = None) -> MaskedDigests:
        """The digests without what changes by itself: two pages that differ only there have the same ones.

        Without `masks` only the static rules apply (`Masks()`). `focused` names the focused element by part key and
        backend node id: nothing that holds it is masked but texts and animated styles. A capture does not tell the
        focus, so without it every rendered control with a live value is taken to have it. O(n), up to
        twice as long as `digests`.
        """

    @property
    def signature(self) -> Signature:
        """What the page is like, to be compared with other pages and kept. O(n + bytes of text) each time."""

    @property
    def parts(self) -> list[tuple[str, str | None, int | None, bytes]]:
        """What `from_parts` takes to make this snapshot again, each with the bytes of the result alone. O(bytes)."""

    def diff(
        self,
        other: Snapshot,
        *,
        limit: int = 12,
        text_limit: int = 300,
        secrets: Redactor | Sequence[str] = (),
        noise: Sequence[tuple[str, int]] = (),
    ) -> Delta:
        """Tell what changed from this snapshot to `other`, a later one of the same page.

        Lists hold up to `limit` rows, and up to 12 more that are messages to the user. Like changes share a row, and
        parts of the page and attributes have room for half of `limit`. `noise` names elements that change by
        themselves, by part key and backend node id: what changed in them is left out. `text_limit` is in characters.
        Each of `secrets` is replaced by "••••" wherever it would show, before anything is cut; password values always
        are. O(changes) after one O(n) pass per snapshot; a new document is O(n log n).
        """

    def describe(
        self, frame: str, backend_node_id: int, *, secrets: Redactor | Sequence[str] = ()
    ) -> dict[str, Any] | None:
        """The row of one node (see Delta.appeared); None if there is no such node. O(n)."""

    def accessible(self, frame: str, backend_node_id: int) -> tuple[str, str] | None:
        """Role and accessible name of a node as its document has them, or None if it is not in the snapshot.

        Rows, `outline` and selectors say the same: accname 1.2, ARIA 1.2 and HTML-AAM as Chrome reads them. An element
        without a role is `generic` (`none` if an author said so), and "" is no name. A name is made of 100 nodes at
        most, as Chrome's are, and cut after about 4,000 bytes; it may hold secrets that are in fields inside it.
        O(nodes) to find the node.
        """

    def selector(self, frame: str, backend_node_id: int) -> str | None:
        """A short CSS selector that names one element in its frame; None if there is no such node.

        Into frames: `frame=<selector> >> `. Into shadow roots, open and closed: the descendant combinator
        (`#host button`), never `>`. Ids and classes that look generated are passed over. O(n) the first time.
        """

    def selectors(
        self, frame: str, backend_node_id: int, *, secrets: Redactor | Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """All selectors of an element, the one that should last longest first; [] if there is no such node.

        Keys: `kind`, `selector`, `score` (0-1: how long it can be expected to hold; an order, not a probability).
        Kinds: testid, role, placeholder, label, alt, text, title (in Playwright's order), css (what rows show), scoped
        (a class, attribute or tag inside a named ancestor), path (from the root). Each matches nothing else in its
        frame. Those that would show one of `secrets` are left out. O(n + text) the first time, then O(path).
        """

    def fingerprint(
        self, frame: str, backend_node_id: int, *, secrets: Redactor | Sequence[str] = ()
    ) -> Fingerprint | None:
        """What the element is known by in later snapshots; None if there is no such node. O(n) the first time.

        `secrets` are taken out of all texts. What a user typed is no part of it.
        """

    def relocate(self, fingerprint: Fingerprint) -> Relocation:
        """Find the element of a fingerprint in this snapshot, and say how sure that is.

        First the node itself, if it lives in the same document; then its selector, if it matches one element that is
        at least 0.8 like it (and, where the selector counts siblings, nothing is more like it); then the elements that
        share its rarest tokens, of which the best is taken if it scores at least 0.5 and leads by at least 0.1
        (bench/relocate.py). O(n + text) the first time, then O(shared tokens).
        """

    def closed_shadow_roots(self) -> list[tuple[str, int, int]]:
        """Closed shadow roots that are not empty: (part key, host's backend node id, that of a child of the root).

        A root inside another of the same type shows only if its host is a custom element; for those the child may
        also be a light one. O(nodes in shadow roots).
        """

    def rows(self, limit: int, *, secrets: Redactor | Sequence[str] = ()) -> list[dict[str, Any]]:
        """The elements of the page worth most, best first: dialogs, controls, headings, landmarks, those with an id.
        O(n)."""

    def outline(
        self,
        scope: tuple[str, tuple[str, int] | None] = ("page", None),
        *,
        budget: int = 12000,
        reference: int = 6,
        links: bool = False,
        secrets: Redactor | Sequence[str] = (),
    ) -> dict[str, Any] | None:
        """What the page says, as text for a model: a line for each element and text that says something.

        `scope`: ("page", None), ("viewport", None), or ("below", node) for an element and what it holds and ("from",
        node) for all from it on in reading order, a node being part key and backend node id; None if it is not there.
        `budget` is in characters, of which each ref takes `reference` at most. With `links` they say where they lead.

        Keys: `text`, with U+0000 where a ref goes; `refs`, the elements of those marks, in order: (part key, backend
        node id, frame id); `shown` and `total` lines; `cut`, what was left out, in words; `approximate`, whether a
        frame was not captured or structure lies too deep to be shown. Each of `secrets` is replaced by "••••" before
        anything is cut; password values always are. Texts and values are cut short, but for ("below", node): there they
        are whole if the budget has room. O(n + text shown).
        """

    def refind(
        self, node: tuple[str, int], after: Snapshot, *, secrets: Redactor | Sequence[str] = ()
    ) -> dict[str, Any] | None:
        """Find in `after` the element that was `node` here, though it was made anew; None if it was not here.

        Stricter than `relocate`, which finds what is most like: role, name and place must be the same, and there must
        be exactly one such element in both. Keys: `outcome`: "found", or "nameless", "nothing" (of its role and name),
        "twins" (it could not be told from another one here), "elsewhere" or "several"; `role` and `name` that it had;
        `element` (part key, backend node id, frame id) and `selector`, None if it was not found; `score`, and `margin`
        to the next of its role and name, 0-1; `candidates`, selectors of up to five of those, best first. O(n).
        """

    def __len__(self) -> int: ...

@final
class Fingerprint:
    """What one element is known by: its tag, role, name, texts, lasting attributes, place and surroundings."""

    @staticmethod
    def from_bytes(raw: Buffer) -> Fingerprint:
        """Read what `to_bytes` wrote; raises FingerprintInvalid, with the offset, for anything else. O(bytes)."""

    @staticmethod
    def from_json(text: str) -> Fingerprint:
        """Read what `to_json` wrote; raises FingerprintInvalid, with the offset, for anything else. O(bytes)."""

    def to_bytes(self) -> bytes:
        """The fingerprint as JSON in UTF-8, with its version: some 500 bytes. O(bytes)."""

    def to_json(self) -> str:
        """The fingerprint as JSON, with its version. O(bytes)."""

    @property
    def frame(self) -> str:
        """The key of the part that the element was in. O(1)."""

    @property
    def backend_node_id(self) -> int:
        """The node id that the element had. O(1)."""

    @property
    def selector(self) -> str:
        """The short CSS selector that it had. O(1)."""

    @property
    def tag_name(self) -> str:
        """Its tag. O(1)."""

    @property
    def role(self) -> str:
        """Its role; "" for none. O(1)."""

    @property
    def name(self) -> str:
        """Its accessible name; "" for none. O(1)."""

    @property
    def text(self) -> str:
        """Its rendered text, at most 160 characters. O(1)."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class Relocation:
    """Where the element of a fingerprint is now; false if that could not be told. Properties cost O(what they tell)."""

    @property
    def how(self) -> str | None:
        """The step that found it: "alive" (the same node), "selector", "likeness"; None if nothing did."""

    @property
    def healed(self) -> bool:
        """Whether it was recognised by likeness alone: neither its node nor its selector led there."""

    @property
    def score(self) -> float:
        """How like the fingerprint the best element is, 0-1: the weighted mean of the evidence."""

    @property
    def margin(self) -> float:
        """How far the best element leads; 1.0 where it was not compared with others ("alive", "selector")."""

    @property
    def element(self) -> tuple[str, int] | None:
        """The part key and backend node id of the element; None if it was not found."""

    @property
    def selector(self) -> str | None:
        """Its short CSS selector now; None if it was not found."""

    @property
    def evidence(self) -> dict[str, tuple[float, float]]:
        """For each property that it or the fingerprint has: (similarity 0-1, weight); {} if it was not found."""

    @property
    def alternatives(self) -> list[dict[str, Any]]:
        """Up to five other elements, best first, the best included if none was taken: `frame`, `backend_node_id`,
        `selector`, `score`, `evidence`."""

    def require(self) -> tuple[str, int]:
        """Return `element`; raises RelocationFailed with the candidates if it was not found."""

    def __bool__(self) -> bool: ...

@final
class Digests:
    """128-bit digests with a published seed: the same on every machine. Not cryptographic. Compare with `==`."""

    @property
    def exact(self) -> bytes:
        """Everything but node ids, whitespace between elements, scripts, styles and comments; 16 bytes."""

    @property
    def visible(self) -> bytes:
        """What is rendered: its text and the state of controls, without classes and styles; 16 bytes."""

    @property
    def struct(self) -> bytes:
        """Tags, roles and lasting classes; equal neighbours count once; no text; 16 bytes."""

    @property
    def raw(self) -> bytes:
        """The bytes of the results as they came, so JSON and CBOR of one page differ; 16 bytes."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class MaskedDigests:
    """Digests of a page without what masks leave out; equal if the three masked ones are. Keeps its snapshot alive.

    Masks serve to recognise a page, never to hide: no delta takes notice of them.
    """

    @property
    def exact(self) -> bytes:
        """`Digests.exact` under the masks; 16 bytes."""

    @property
    def visible(self) -> bytes:
        """`Digests.visible` under the masks: what stability and loop detection compare; 16 bytes."""

    @property
    def struct(self) -> bytes:
        """`Digests.struct` under the masks: another one only where a subtree is left out; 16 bytes."""

    @property
    def unmasked(self) -> Digests:
        """The digests of the same snapshot without masks, of the same pass. O(bytes), for the raw one."""

    @property
    def masks(self) -> list[dict[str, Any]]:
        """The masks that were used, by document and node; those inside a masked subtree are not listed.

        Keys: `selector`, `frame` (part key), `backend_node_id`; `level`, what is left out: "digits" (the numbers in the
        element's own text), "text" (that text), "style" (its style attribute), "attributes" (all of them, and its
        state), "structure" (all of the subtree but its tags, roles and lasting classes), "subtree" (its being there
        included); `why`: the rule ("clock", "time", "progress", "video", "video overlay", "canvas", "marquee", "timer",
        "aria-live=off", "animation", "ad frame") or "changed in 4 of the last 5 probes". O(n) the first time, for the
        selectors.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Masks:
    """What to leave out of a page's digests: the static rules, and what a MaskLearner has learned. Cheap to keep.

    `len()` is the number of learned masks. `Masks()` has the static rules alone, `Masks(rules=False)` nothing.
    """

    def __new__(cls, *, rules: bool = True) -> Masks: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class MaskLearner:
    """Learns what a page changes by itself, from snapshots taken while nobody acts.

    What differs from one probe to the next in 3 of the last 5 is masked, as narrowly as explains three of them; after
    10 probes without a change there it is so no more. Places are known by tags, lasting ids and classes and a number
    among siblings, and so outlive a re-render. What takes more than 30 % of the viewport or holds the focus is never
    masked beyond texts and animated styles. Keeps the last snapshot and up to 1024 places (2 kB each at most); deeper
    than 256 levels nothing is learned. The order of the calls is all that counts, not their time.
    """

    def __new__(cls) -> MaskLearner: ...
    def observe(self, snapshot: Snapshot, *, focused: tuple[str, int] | None = None) -> None:
        """Take `snapshot` as a probe: nobody has acted since the one before. The first is only compared with. O(n)."""

    def rebase(self, snapshot: Snapshot) -> None:
        """Take `snapshot` as what the next probe is compared with: somebody has acted, and that is no noise. O(1)."""

    @property
    def probes(self) -> int:
        """How many probes were compared. O(1)."""

    @property
    def masks(self) -> Masks:
        """What is masked now, with the static rules. O(learned places)."""

@final
class Delta:
    """What changed between two snapshots; false if nothing did. All properties cost O(rows)."""

    @property
    def empty(self) -> bool:
        """Whether nothing changed that a user could see or act on."""

    @property
    def same_document(self) -> bool:
        """Whether the page's own document is the same one.

        Else the two are compared by what they hold if at least half of what is rendered (texts, pictures, fields) is in
        both, as after a reload; `matched` is then more than 0. If not, both are summarised.
        """

    @property
    def appeared(self) -> list[dict[str, Any]]:
        """Elements that came into sight, topmost in their frame, best first; what came along in a frame is last.

        Keys: `selector`, `tag_name`, `role`, `name` (≤ 100 characters), `text` (≤ `text_limit` of a message or an
        element that holds nothing but text, ≤ 120 of a row of a table, ≤ 50 else), `frame` (part key), `frame_id`
        (CDP's, "" if unknown), `backend_node_id`, `count` (how many like elements it stands for), `examples` (the words
        of up to two of them), `rank` (its place among the rows of all three lists).
        """

    @property
    def disappeared(self) -> list[dict[str, Any]]:
        """Elements that went out of sight, as `appeared`; selectors hold in the snapshot before."""

    @property
    def changed(self) -> list[dict[str, Any]]:
        """Fields of elements that are on both sides: rows as `appeared` with `field`, `from_` and `to`.

        Fields: textContent, value, className, checked, selected, disabled, expanded, hidden, readonly, required, href,
        src, title, alt, placeholder, role, type, aria-…; `parent` (a move; selectors), `position` (1-based, among
        siblings), `order` ("4 rows reordered; first: …"), `rows` (of a table: how many, and the first), `tagName`.
        `from_` and `to` are strings, or None where there was no attribute.
        """

    @property
    def total_appeared(self) -> int:
        """How many elements came into sight, listed or not."""

    @property
    def total_disappeared(self) -> int:
        """How many went out of sight, listed or not."""

    @property
    def total_changed(self) -> int:
        """How many fields changed, listed or not."""

    @property
    def omitted_appeared(self) -> int:
        """How many of them `appeared` leaves out."""

    @property
    def omitted_disappeared(self) -> int:
        """How many of them `disappeared` leaves out."""

    @property
    def omitted_changed(self) -> int:
        """How many of them `changed` leaves out."""

    @property
    def rerendered(self) -> int:
        """How many subtrees were taken out and put in again just the same."""

    @property
    def script_length(self) -> int:
        """Edits: nodes inserted, deleted, moved, and nodes of which something was set.

        By node identity; in another document by what was matched, 0 if it was summarised.
        """

    @property
    def visited(self) -> int:
        """How many pairs of nodes were looked at."""

    @property
    def matched(self) -> int:
        """How many pairs of nodes were matched by what they hold: in another document, in what was rendered anew."""

    @property
    def approximate(self) -> bool:
        """Whether matching ran out of work (20 steps per node): what appeared and disappeared may be the same."""

    def __bool__(self) -> bool: ...

def diff_many(
    pairs: Sequence[tuple[Snapshot, Snapshot]],
    *,
    limit: int = 12,
    secrets: Redactor | Sequence[str] = (),
    threads: int | None = None,
) -> list[Delta]:
    """Tell what changed in each pair (before, after), as `Snapshot.diff` does; answers in the order of the pairs.

    `threads` as for `Snapshot.from_many`; the interpreter lock is released for the whole call.
    """

@final
class Redactor:
    """Takes secrets out of texts, in every form in which pages show them (`secret_forms`), whatever the normal form.

    `secrets` are masked wherever they stand. Of what was `typed`, texts of at least 4 characters are too, and their
    beginnings of at least 4 characters where they stand as words (no letter, digit or mark goes on at either end),
    which is how a page echoes each key; texts of 2 and 3 characters, and of up to 7 ASCII letters and nothing else, are
    masked as words, those of 1 where they are all of a text. Masked ranges that touch or overlap are one. O(bytes of
    all forms) to make, O(text) to use, however many secrets there are; half surrogates are taken for U+FFFD.
    """

    def __new__(cls, secrets: Sequence[str] = (), *, typed: Sequence[str] = ()) -> Redactor: ...
    def __len__(self) -> int:
        """How many secrets it was given."""

    def redact(self, text: str) -> str:
        """The text with "••••" in the place of each secret; the same object if there is none. O(text)."""

    def hidden_in(self, texts: Sequence[str]) -> list[int]:
        """Which texts, drawn one after the other, show a secret or a part of one, whatever their case and spaces.

        O(text).
        """

def secret_forms(secret: str) -> list[str]:
    """The texts in which a page shows a secret: as it is, in URLs, selectors, names of files, JSON and HTML, on the
    lines that its line breaks make, without its spaces; each in the normal forms NFC and NFD. O(bytes)."""

@final
class SimilarityLevel:
    """How close two pages are; the closer one is greater. `str` gives its words."""

    NEW: ClassVar[SimilarityLevel]
    """Another page."""
    RELATED: ClassVar[SimilarityLevel]
    """Shares much of the structure (Jaccard ≥ 0.4), as pages of one site do."""
    SAME_TEMPLATE: ClassVar[SimilarityLevel]
    """The same template (Jaccard ≥ 0.65) with other content."""
    NEAR_DUPLICATE: ClassVar[SimilarityLevel]
    """The same template, and a text that differs in at most 12 of 64 bits; fewer where there are under 768 letters."""
    DUPLICATE: ClassVar[SimilarityLevel]
    """The same but for node ids, scripts, comments and the like: equal `Digests.exact`."""

    @property
    def value(self) -> str:
        """`new`, `related`, `same template`, `near-duplicate` or `duplicate`."""

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
    """How close two pages are, and what speaks for it. All properties are O(1)."""

    @property
    def level(self) -> SimilarityLevel:
        """How close they are. The thresholds were chosen by bench/duplicates."""

    @property
    def exact(self) -> bool:
        """Whether the exact digests are equal."""

    @property
    def template(self) -> bool:
        """Whether the structures are equal once repeated siblings are counted once."""

    @property
    def structure(self) -> float:
        """The estimated Jaccard similarity of the structures, 0 to 1; standard error ≤ 0.044."""

    @property
    def text_distance(self) -> int:
        """In how many of 64 bits the SimHashes of the texts differ; about 32 for unrelated ones."""

    @property
    def url_pattern(self) -> bool:
        """Whether the URLs are of one pattern; this does not count towards the level."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Signature:
    """What a page is like, in 344 bytes. The same on every machine, and free of masks and session state.

    Frames of another origin count as the frame element alone. Compare with `compare`; `==` is equality of all fields.
    Signatures can be pickled. Not cryptographic: a page can be made to look like another one.
    """

    VERSION: ClassVar[int]
    SEED: ClassVar[int]

    @staticmethod
    def from_bytes(raw: Buffer) -> Signature:
        """Read what `to_bytes` wrote. Raises SignatureError, with the offset, for anything else, also for another
        VERSION or SEED. O(1)."""

    def to_bytes(self) -> bytes:
        """The stored form, 344 bytes with version, seed and checksum. O(1)."""

    def compare(self, other: Signature) -> Similarity:
        """Say how close the two pages are; symmetric. O(1)."""

    @property
    def exact(self) -> bytes:
        """`Digests.exact` of the page; 16 bytes."""

    @property
    def template(self) -> bytes:
        """A hash of the set of pq-grams of tags, roles and lasting classes; 16 bytes. Good to shard by."""

    @property
    def structure(self) -> list[int]:
        """The MinHash sketch of that set: 128 slots of 16 bits."""

    @property
    def text(self) -> int:
        """The 64-bit SimHash of the rendered words, three at a time, the main content weighing most."""

    @property
    def url_pattern(self) -> int:
        """A 64-bit hash of the URL without numbers, made-up names, slugs, values and the fragment."""

    @property
    def node_count(self) -> int:
        """Nodes of the canonical form."""

    @property
    def text_length(self) -> int:
        """Letters and digits of the rendered words."""

    @property
    def link_count(self) -> int:
        """Links with an address."""

    @property
    def form_count(self) -> int:
        """Forms."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

@final
class Match:
    """A signature of an index that is like the one asked for."""

    @property
    def key(self) -> str:
        """What it was added under."""

    @property
    def level(self) -> SimilarityLevel:
        """How close it is."""

    @property
    def similarity(self) -> Similarity:
        """How close it is, with evidence."""

@final
class Neighbours:
    """The answer to a query; `len` is the number of matches."""

    @property
    def level(self) -> SimilarityLevel:
        """That of the closest match; NEW if there is none."""

    @property
    def matches(self) -> list[Match]:
        """The closest first, of equally close ones the oldest; none is NEW. O(matches)."""

    @property
    def truncated(self) -> bool:
        """Whether there were more matches than `limit`, or more candidates than a query looks at."""

    def __len__(self) -> int: ...

@final
class SignatureIndex:
    """Signatures by key, and which of them are like a given one. For millions; may be used from several threads.

    An equal page, and one whose text differs in ≤ 3 bits, is found; one of similar structure J with probability
    1 - (1 - J⁶)²¹ (94 % at 0.71, 80 % at 0.65), as long as no more than ~16 newer pages have its template. A query
    looks at no more than ~2,700 entries, however many equal pages there are, and says in `truncated` when there was
    more to look at. Memory: ~650 bytes and the key per signature, and 6 MB; see `memory`.
    """

    def __new__(cls) -> SignatureIndex: ...
    @staticmethod
    def from_bytes(raw: Buffer) -> SignatureIndex:
        """Read what `to_bytes` wrote. Raises SignatureError, with the offset, for anything else. O(bytes)."""

    def to_bytes(self) -> bytes:
        """The stored form: 24 bytes, and 332 and the key per signature. O(signatures)."""

    def add(self, key: str, signature: Signature) -> None:
        """Put a signature in, in the place of one that has this key. O(1), amortised."""

    def add_many(self, pairs: Iterable[tuple[str, Signature]]) -> None:
        """Put many in, without the interpreter lock; on an invalid pair none is put in."""

    def query(self, signature: Signature, *, limit: int = 10) -> Neighbours:
        """The closest signatures, RELATED or closer. Bounded work; figures in bench/duplicates."""

    def query_many(self, signatures: Iterable[Signature], *, limit: int = 10) -> list[Neighbours]:
        """An answer for each, in order, without the interpreter lock."""

    def remove(self, key: str) -> bool:
        """Take one out; whether it was there. The memory comes back when a third has been taken out or replaced."""

    def get(self, key: str) -> Signature | None:
        """The signature of a key, if it is there."""

    @property
    def memory(self) -> int:
        """Bytes that the index has taken from the heap. O(65,536)."""

    def __contains__(self, key: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

def aria_roles() -> dict[str, dict[str, bool | str]]:
    """Return the table of roles: every word that counts in a `role` attribute, with what ARIA says of it.

    Of each word: `content` (what the element holds names it), `prohibited` (ARIA lets no author name it), `leaf` (what
    it holds has no roles of its own), `control` (users can act on it). Abstract roles are not in it. A word that means
    the same as another one has `synonym` too, the word to use: `image` is `img`, `presentation` is `none`. `iframe`,
    the role of frame elements, is no word of ARIA: it does not count in a `role` attribute. ARIA 1.2 and what Chrome
    156 knows of ARIA 1.3, Graphics-ARIA 1.0, DPUB-ARIA 1.1.
    """

def quoted(text: str) -> str:
    """The text in double quotes, escaped as JSON escapes it, and so that it reads as it stands.

    Escaped too are marks of direction, invisible letters, line separators and all but the first of several backticks.
    Lone surrogates are refused: UnicodeEncodeError. O(text).
    """

def cbor_to_json(frame: Buffer) -> bytes:
    """A message in Chrome's CBOR as the JSON Chrome would have sent; strict readers take all of it.

    Lone surrogates become U+FFFD, binary becomes base64, NaN and infinities become null. A member nested more than 300
    levels deep is left out, and `error` stands in its place, as Chrome has it. Raises ValueError, with the offset, for
    what is no such message. O(bytes); the JSON is at most six times as long.
    """

def json_to_cbor(frame: Buffer) -> bytes:
    """A message in JSON as Chrome's CBOR: whole numbers that fit 32 bits are integers, all others doubles.

    Raises ValueError, with the offset, for what is no JSON object. O(bytes); the CBOR is at most nine times as long.
    """
