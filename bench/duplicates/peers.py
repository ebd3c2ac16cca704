"""What else tells alike pages apart in Python: sketches of token sets, and a fuzzy hash of bytes.

None of them reads a page. They are given what one would give them: for its content the words of the page's `innerText`,
three at a time; for its template the tags and classes of its source, three at a time; TLSH the source as it is.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

TAG = re.compile(r"<([a-zA-Z][\w-]*)(?:[^>]*?class=\"([^\"]*)\")?")


class Source(NamedTuple):
    """A page as the peers see it."""

    html: str
    text: str


def content(source: Source) -> list[str]:
    """Word 3-shingles of the text."""
    return _shingles(re.findall(r"\w+", source.text.lower()))


def template(source: Source) -> list[str]:
    """3-shingles of tags with their classes."""
    return _shingles(
        [f"{tag.lower()}.{'.'.join(sorted(classes.split()))}" for tag, classes in TAG.findall(source.html)]
    )


def _shingles(tokens: list[str]) -> list[str]:
    return [" ".join(tokens[at : at + 3]) for at in range(max(1, len(tokens) - 2))]


class Peer(NamedTuple):
    """How a peer signs features, how far two of its signatures are apart, and what it does not do."""

    module: str
    sign: Callable[[Any, Source, list[str]], Any]
    distance: Callable[[Any, Any], float]
    lacks: str


def _rensa(module: Any, _: Source, features: list[str]) -> Any:
    sketch = module.RMinHash(num_perm=128, seed=42)
    sketch.update(features)
    return sketch


def _datasketch(module: Any, _: Source, features: list[str]) -> Any:
    sketch = module.MinHash(num_perm=128)
    sketch.update_batch([feature.encode() for feature in features])
    return sketch


def _simhash(module: Any, _: Source, features: list[str]) -> Any:
    return module.Simhash(features)


def _tlsh(module: Any, source: Source, _: list[str]) -> Any:
    return module, module.hash(source.html.encode())


def _tlsh_distance(one: Any, other: Any) -> float:
    module, hashed = one
    return float(module.diff(hashed, other[1])) if hashed != "TNULL" != other[1] else 1000.0


PEERS = {
    "rensa": Peer("rensa", _rensa, lambda a, b: 1 - a.jaccard(b), "one sketch of tokens; no tiers, no page reading"),
    "datasketch": Peer("datasketch", _datasketch, lambda a, b: 1 - a.jaccard(b), "as rensa; an LSH index, in Python"),
    "simhash": Peer(
        "simhash", _simhash, lambda a, b: float(a.distance(b)), "bags of tokens, 64 bits; an index by blocks"
    ),
    "py-tlsh": Peer("tlsh", _tlsh, _tlsh_distance, "bytes alone: content and template are one; no index"),
}


def load(peer: Peer) -> Any:
    """Import the peer."""
    return importlib.import_module(peer.module)
