"""Is this the element that a script means? Compare it with the fingerprint, and with those it must not be taken for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from stillframe.core import Evidence, Fingerprint, Redactor, Snapshot
from stillframe.model.bounds import short
from stillframe.scripts.rows import CLOSE_ROW, shared_words
from stillframe.scripts.targets import Place, described

HOME = {"frame": "", "loader": "", "document": 0, "root": 0, "backendNodeId": 0}
"""What a fingerprint of no document has; no document and no node of Chrome has the id 0."""
MAX_WORDS = 300
"""Characters of what an element is called, with the text around it."""
SAME_TEXT = 0.8
"""How similar the text of an element without a name must be; counters and dates in it may change."""
IN = ", in: "
"""Separates what an element is called from its row."""


class Likeness(NamedTuple):
    """How an element compares with the one that a script means; `score` and `margin` are those of a Relocation."""

    same_role: bool
    same_name: bool
    is_other: bool
    """Whether it is one of the elements that must not be taken for it, or one of several and not clearly the one."""
    score: float
    margin: float
    words: str

    @property
    def is_same(self) -> bool:
        """Whether it is the element, by role and name, and no other one."""
        return self.same_role and self.same_name and not self.is_other

    def __str__(self) -> str:
        return f"{self.words} (score {self.score:.2f}, margin {self.margin:.2f})"


def lasting_fingerprint(fingerprint: Fingerprint) -> dict[str, Any]:
    """Return a fingerprint as JSON without the document that it was taken in, so that it fits every later one."""
    return {**_plain(fingerprint), **HOME}


def rivals(
    snapshot: Snapshot, fingerprint: Mapping[str, Any], place: Place, secrets: Redactor | Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the elements that are most like the one at `place`, in words, without those of its role and name."""
    # Without its selector the core ranks all that is like it, and reports the best five others.
    relocation = snapshot.relocate(fingerprint_of({**fingerprint, "selector": ""}))
    own = described(fingerprint_of(fingerprint))
    found = []
    for candidate in relocation.alternatives:
        other = snapshot.fingerprint(candidate.element.frame, candidate.element.backend_node_id, secrets=secrets)
        is_itself = (candidate.element.frame, candidate.element.backend_node_id) == place.key
        if other is None or is_itself or described(other) == own:
            continue
        if (other.role, other.tag_name)[not other.role] in (fingerprint["role"], fingerprint["tag"]):
            found.append(short(described(other), MAX_WORDS))
    return tuple(dict.fromkeys(found))


def compare(
    snapshot: Snapshot,
    fingerprint: Mapping[str, Any],
    others: Sequence[str],
    place: Place,
    secrets: Redactor | Sequence[str] = (),
    rows: tuple[str, str] = ("", ""),
) -> Likeness | None:
    """Return how the element at `place` compares with a fingerprint; None if the snapshot does not contain it.

    `rows` are the row that the element was in and the one it is in, if others had its role and name.
    """
    present = snapshot.fingerprint(*place.key, secrets=secrets)
    if present is None:
        return None
    now = _plain(present)
    # The fingerprint moves in where the element lives: the core then compares the two and looks for no other.
    compared = snapshot.relocate(fingerprint_of({**fingerprint, **{name: now[name] for name in (*HOME, "tag")}}))
    anywhere = snapshot.relocate(fingerprint_of(fingerprint))
    element = anywhere.element
    is_best = element is not None and (element.frame, element.backend_node_id) == place.key
    return Likeness(
        same_role=now["role"] == fingerprint["role"] and (bool(now["role"]) or now["tag"] == fingerprint["tag"]),
        same_name=_same_name(fingerprint, now, compared.evidence),
        is_other=_is_other(fingerprint, now, others, rows),
        score=compared.score,
        margin=anywhere.margin if is_best else 0.0,
        words=short(described(present), MAX_WORDS),
    )


def _same_name(old: Mapping[str, Any], new: Mapping[str, Any], evidence: Mapping[str, Evidence]) -> bool:
    if old["name"] or new["name"]:
        return bool(old["name"] == new["name"])
    text = evidence.get("text")
    return text is None or text.similarity >= SAME_TEXT


def _is_other(old: Mapping[str, Any], new: Mapping[str, Any], others: Sequence[str], rows: tuple[str, str]) -> bool:
    own, words = described(fingerprint_of(old)), short(described(fingerprint_of(new)), MAX_WORDS)
    if words != short(own, MAX_WORDS):
        return words in others
    former, row = rows
    alike = shared_words(former, row)
    elsewhere = [other.partition(IN)[2] for other in others if IN in other]
    return alike < CLOSE_ROW or any(shared_words(other, row) > alike for other in elsewhere)


def _plain(fingerprint: Fingerprint) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(fingerprint.to_json())
    return plain


def fingerprint_of(plain: Mapping[str, Any]) -> Fingerprint:
    """Return the fingerprint of its JSON; raises FingerprintInvalid."""
    return Fingerprint.from_json(msgspec.json.encode(plain).decode())
