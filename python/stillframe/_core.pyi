"""The native core: bytes of `DOMSnapshot.captureSnapshot` in, frozen handles and small plain values out.

All classes are immutable and may be used from several threads. Work on more than ~128 KB of capture is done without the
interpreter lock. `n` is the number of nodes. Figures are in bench/.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from typing_extensions import Buffer

__all__ = ["Delta", "Digests", "Snapshot", "__version__", "_card_grid"]

__version__: Final[str]

@final
class Snapshot:
    """One capture of a whole page: all its documents, shadow roots and frames.

    A node is named by the key of its part (`frame` in rows) and its backend node id. The page's own part has the key
    ""; out-of-process frames are parts of their own. Frames of the same process belong to the part that holds them.
    """

    @staticmethod
    def from_cdp(raw: Buffer) -> Snapshot:
        """Read the result of `DOMSnapshot.captureSnapshot`, or the whole message that carries it.

        `bytes` are borrowed, other buffers copied. Capture with `computedStyles=["visibility"]`; without it nothing is
        taken for hidden by `visibility`. Raises SnapshotError, with the offset, for what is no capture. O(bytes).
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
    def documents(self) -> list[dict[str, Any]]:
        """All documents in page order, holders first: `frame` (part key), `frame_id` (CDP), `url`, `title`,
        `backend_node_id` of the document node, `node_count`. O(documents)."""

    @property
    def digests(self) -> Digests:
        """The digests of the page. O(n) the first time."""

    @property
    def parts(self) -> list[tuple[str, str | None, int | None, bytes]]:
        """What `from_parts` takes to make this snapshot again, each with the bytes of the result alone. O(bytes)."""

    def diff(self, other: Snapshot, *, limit: int = 12, secrets: Sequence[str] = ()) -> Delta:
        """Tell what changed from this snapshot to `other`, a later one of the same page.

        Lists hold up to `limit` rows, and besides every dialog, alert and live region. Each of `secrets` is replaced by
        "••••" wherever it would show, before anything is cut; password values always are. O(changes) after one O(n)
        pass per snapshot; a new document is O(n).
        """

    def describe(self, frame: str, backend_node_id: int, *, secrets: Sequence[str] = ()) -> dict[str, Any] | None:
        """The row of one node (see Delta.appeared); None if there is no such node. O(n)."""

    def selector(self, frame: str, backend_node_id: int) -> str | None:
        """A short CSS selector that names one element in its frame; None if there is no such node.

        Into frames: `frame=<selector> >> `. Into shadow roots, open and closed: the descendant combinator
        (`#host button`), never `>`. Ids and classes that look generated are passed over. O(n) the first time.
        """

    def closed_shadow_roots(self) -> list[tuple[str, int, int]]:
        """Closed shadow roots that are not empty: (part key, host's backend node id, that of a child of the root).

        A root inside another of the same type shows only if its host is a custom element; for those the child may
        also be a light one. O(nodes in shadow roots).
        """

    def rows(self, limit: int, *, secrets: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The elements of the page worth most, best first: dialogs, controls, headings, landmarks, those with an id.
        O(n)."""

    def __len__(self) -> int: ...

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
        """The bytes of the results as they came; 16 bytes."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Delta:
    """What changed between two snapshots; false if nothing did. All properties cost O(rows)."""

    @property
    def empty(self) -> bool:
        """Whether nothing changed that a user could see or act on."""

    @property
    def same_document(self) -> bool:
        """Whether the page's own document is the same one; else both are summarised, not compared row by row."""

    @property
    def appeared(self) -> list[dict[str, Any]]:
        """Elements that came into sight, topmost in their frame, best first; what came along in a frame is last.

        Keys: `selector`, `tag_name`, `role`, `name` (≤ 100 characters), `text` (≤ 50), `frame` (part key), `frame_id`
        (CDP's, "" if unknown), `backend_node_id`.
        """

    @property
    def disappeared(self) -> list[dict[str, Any]]:
        """Elements that went out of sight, as `appeared`; selectors hold in the snapshot before."""

    @property
    def changed(self) -> list[dict[str, Any]]:
        """Fields of elements that are on both sides: rows as `appeared` with `field`, `from_` and `to`.

        Fields: textContent, value, className, checked, selected, disabled, expanded, hidden, readonly, required, href,
        src, title, alt, placeholder, role, type, aria-…; `parent` (a move; selectors), `position` (1-based, among
        siblings), `order` ("reordered k of n"). `from_` and `to` are strings, or None where there was no attribute.
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
        """Edits by node identity: nodes inserted, deleted, moved, and nodes of which something was set."""

    @property
    def visited(self) -> int:
        """How many pairs of nodes were looked at."""

    def __bool__(self) -> bool: ...

def _card_grid(nodes: int, edited: bool) -> bytes:
    """A made-up page of about `nodes` nodes as a capture, with four edits if `edited`. For benches. O(nodes)."""
