"""Action signatures: normalized texts, so that differences without meaning do not count."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from typing import Literal

from stillframe.model.loops import ActionSignature

Digits = Literal["fold", "keep"]
"""What happens to digits in names: `fold` makes "Cart (1)" and "Cart (2)" one name, `keep` keeps them apart."""

MAX_CHARS = 200
"""Characters to keep of a name or value; a hash stands for the rest. Pages have names of thousands of characters, and a
loop guard keeps many of them."""
HASH_BYTES = 8

_DIGITS = re.compile(r"\d+")


def action_signature(
    action: str,
    *,
    role: str = "",
    name: str = "",
    value: object = "",
    place: str = "",
    digits: Digits = "fold",
    hash_key: HashKey | None = None,
) -> ActionSignature:
    """Return the signature of an action on an element, or of one without (`value` then holds its arguments).

    Pass `hash_key` for a password or another secret: a keyed hash then replaces the value, and its case and spaces
    matter.
    """
    return ActionSignature(
        action=action,
        role=role.strip().lower(),
        name=normalize_name(name, digits),
        value=hash_key.hash(str(value)) if hash_key is not None else normalize_text(str(value)),
        place=place,
    )


class HashKey:
    """A random key for hashes of values that nobody may read."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def __repr__(self) -> str:
        return "HashKey()"

    def hash(self, text: str) -> str:
        """Return a hash that is equal only for equal texts under this key; "" stays ""."""
        return f"#{_hash(text, self._key)}" if text else ""


def normalize_text(text: str) -> str:
    """Return a text without differences of case, width, composition and white space; a hash ends a long one."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain if len(plain) <= MAX_CHARS else f"{plain[:MAX_CHARS]}…{_hash(plain)}"


def normalize_name(name: str, digits: Digits = "fold") -> str:
    """Return a normalized name; `fold` replaces each run of digits with "#"."""
    return normalize_text(_DIGITS.sub("#", name) if digits == "fold" else name)


def _hash(text: str, key: bytes = b"") -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=HASH_BYTES).hexdigest()
