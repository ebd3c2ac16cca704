"""Making signatures: texts that differ only in ways that make no difference become equal."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from typing import Literal

from stillframe.model.loops import Signature

Digits = Literal["fold", "keep"]
"""What becomes of digits in names: `fold` makes "Cart (1)" and "Cart (2)" one name, `keep` leaves them two."""

LONGEST = 200
"""Characters of a name or value that are kept as text; what is longer is told apart by a hash. Pages have names of
thousands of characters, and a guard keeps many."""
HASH_BYTES = 8

_DIGITS = re.compile(r"\d+")


def sign(
    action: str,
    *,
    role: str = "",
    name: str = "",
    value: object = "",
    place: str = "",
    digits: Digits = "fold",
    hide_with: Key | None = None,
) -> Signature:
    """Return the signature of a call on an element, or of one without (`value` then holds its arguments).

    With `hide_with` the value is one whose case and spaces matter and that must not be kept: a password, a secret. It
    is replaced by a keyed hash.
    """
    return Signature(
        action=action,
        role=role.strip().lower(),
        name=normal_name(name, digits),
        value=hide_with.hide(str(value)) if hide_with is not None else normal(str(value)),
        place=place,
    )


class Key:
    """A key drawn by lot, under which values are hashed that must not be kept as text."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def __repr__(self) -> str:
        return "Key()"

    def hide(self, text: str) -> str:
        """Return what is equal for equal texts under this key only, and tells nothing of the text; "" stays ""."""
        return f"#{_hash(text, self._key)}" if text else ""


def normal(text: str) -> str:
    """Return a text without differences of case, width, composition and white space; long ones are cut and hashed."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…{_hash(plain)}"


def normal_name(name: str, digits: Digits = "fold") -> str:
    """Return a name as it counts: normal, and with every run of digits as one "#" unless they are to be kept."""
    return normal(_DIGITS.sub("#", name) if digits == "fold" else name)


def _hash(text: str, key: bytes = b"") -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=HASH_BYTES).hexdigest()
