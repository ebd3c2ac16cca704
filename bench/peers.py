"""What one would use in Python to tell that, or what, changed between two captures of a page."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Case(NamedTuple):
    """One page before and after the edits, as a capture and, where a browser made it, as XML."""

    before: bytes
    after: bytes
    xml_before: str | None
    xml_after: str | None


class Peer(NamedTuple):
    """A peer: how to get it, how to set it up, up to how many nodes, and what it does not do.

    It tells what changed in the tree, in which lines, or only whether anything did.
    """

    name: str
    package: str
    modules: tuple[str, ...]
    prepare: Callable[[Case], Callable[[], object]]
    up_to: int
    lacks: str
    tells: str = "what"
    needs_xml: bool = False


# -- a page as plain values -----------------------------------------------------------------------------------------


def _tree(raw: bytes) -> dict[str, Any]:
    """The page's document as nested dicts: what path differs and Merkle hashes are given."""
    capture = importlib.import_module("orjson").loads(raw)
    strings, nodes = capture["strings"], capture["documents"][0]["nodes"]
    made: list[dict[str, Any]] = []
    for at, parent in enumerate(nodes["parentIndex"]):
        pairs = nodes["attributes"][at]
        value = nodes["nodeValue"][at]
        node = {
            "name": strings[nodes["nodeName"][at]],
            "text": strings[value] if value >= 0 else "",
            "attributes": {strings[key]: strings[text] for key, text in zip(pairs[::2], pairs[1::2], strict=True)},
            "children": [],
        }
        made.append(node)
        if parent >= 0:
            made[parent]["children"].append(node)
    return made[0]


def _lines(raw: bytes) -> list[str]:
    """The page as one line per node, in document order, indented by depth."""
    lines: list[str] = []
    stack = [(_tree(raw), 0)]
    while stack:
        node, depth = stack.pop()
        lines.append(f"{' ' * depth}{node['name']} {node['attributes']} {node['text']}")
        stack.extend((child, depth + 1) for child in reversed(node["children"]))
    return lines


# -- peers that say whether anything changed ------------------------------------------------------------------------


def _orjson(case: Case) -> Callable[[], object]:
    orjson, xxhash = importlib.import_module("orjson"), importlib.import_module("xxhash")

    def digest(raw: bytes) -> bytes:
        found = orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS)
        return bytes(xxhash.xxh3_128_digest(found))

    before = digest(case.before)
    return lambda: digest(case.after) != before


def _c14n(case: Case) -> Callable[[], object]:
    etree = importlib.import_module("lxml.etree")
    parser = etree.XMLParser(huge_tree=True)

    def digest(xml: str | None) -> bytes:
        found = etree.tostring(etree.fromstring(xml, parser), method="c14n")
        return hashlib.sha256(found).digest()

    before = digest(case.xml_before)
    return lambda: digest(case.xml_after) != before


def _sha256(case: Case) -> Callable[[], object]:
    before = hashlib.sha256(case.before).digest()
    return lambda: hashlib.sha256(case.after).digest() != before


def _merkle(case: Case) -> Callable[[], object]:
    def digest(node: dict[str, Any]) -> bytes:
        found = hashlib.blake2b(node["name"].encode(), digest_size=16)
        found.update(json.dumps(node["attributes"], sort_keys=True).encode())
        found.update(node["text"].encode(errors="replace"))
        for child in node["children"]:
            found.update(digest(child))
        return found.digest()

    before = digest(_tree(case.before))
    return lambda: digest(_tree(case.after)) != before


# -- peers that say what changed -------------------------------------------------------------------------------------


def _difflib(case: Case) -> Callable[[], object]:
    difflib = importlib.import_module("difflib")
    before = _lines(case.before)
    return lambda: list(difflib.unified_diff(before, _lines(case.after), n=0))


def _deepdiff_rs(case: Case) -> Callable[[], object]:
    module = importlib.import_module("deepdiff_rs")
    before = _tree(case.before)
    return lambda: module.DeepDiff(before, _tree(case.after)).to_dict()


def _deepdiff(case: Case) -> Callable[[], object]:
    module = importlib.import_module("deepdiff")
    before = _tree(case.before)
    return lambda: module.DeepDiff(before, _tree(case.after))


def _dictdiffer(case: Case) -> Callable[[], object]:
    module = importlib.import_module("dictdiffer")
    before = _tree(case.before)
    return lambda: list(module.diff(before, _tree(case.after)))


def _jsonpatch(case: Case) -> Callable[[], object]:
    module = importlib.import_module("jsonpatch")
    before = _tree(case.before)
    return lambda: module.make_patch(before, _tree(case.after)).patch


def _xmldiff(*, fast: bool) -> Callable[[Case], Callable[[], object]]:
    def prepare(case: Case) -> Callable[[], object]:
        main = importlib.import_module("xmldiff.main")
        return lambda: main.diff_texts(case.xml_before, case.xml_after, diff_options={"fast_match": fast})

    return prepare


def _htmldiff(case: Case) -> Callable[[], object]:
    module = importlib.import_module("lxml.html.diff")
    return lambda: "<ins" in module.htmldiff(case.xml_before, case.xml_after)


def _apted(case: Case) -> Callable[[], object]:
    module, config = importlib.import_module("apted"), importlib.import_module("apted.config")

    class Names(config.Config):  # type: ignore[misc, name-defined]
        def rename(self, one: dict[str, Any], other: dict[str, Any]) -> int:
            return int(one["name"] != other["name"] or one["text"] != other["text"])

        def children(self, node: dict[str, Any]) -> list[dict[str, Any]]:
            return list(node["children"])

    before = _tree(case.before)
    return lambda: module.APTED(before, _tree(case.after), Names()).compute_edit_distance()


def _zss(case: Case) -> Callable[[], object]:
    module = importlib.import_module("zss")
    before = _tree(case.before)

    def distance() -> object:
        return module.simple_distance(
            before,
            _tree(case.after),
            get_children=lambda node: node["children"],
            get_label=lambda node: node["name"] + node["text"],
            label_dist=lambda one, other: int(one != other),
        )

    return distance


TINY, SMALL, MEDIUM, LARGE, ANY = 200, 2_000, 20_000, 200_000, 2_000_000

PEERS = (
    Peer(
        "sha256 of the capture",
        "(standard library)",
        ("hashlib",),
        _sha256,
        ANY,
        "equality of bytes; node ids count",
        tells="whether",
    ),
    Peer(
        "orjson, sorted + xxh3",
        "orjson xxhash",
        ("orjson", "xxhash"),
        _orjson,
        ANY,
        "equality of JSON; node ids count",
        tells="whether",
    ),
    Peer(
        "lxml C14N + sha256",
        "lxml",
        ("lxml",),
        _c14n,
        LARGE,
        "equality of markup; no state of fields",
        tells="whether",
        needs_xml=True,
    ),
    Peer(
        "json.dumps + blake2b Merkle",
        "(standard library) orjson",
        ("orjson",),
        _merkle,
        LARGE,
        "equality of subtrees",
        tells="whether",
    ),
    Peer(
        "difflib on lines",
        "(standard library) orjson",
        ("orjson",),
        _difflib,
        LARGE,
        "lines; no tree, no moves",
        tells="lines",
    ),
    Peer("deepdiff-rs", "deepdiff-rs", ("deepdiff_rs", "orjson"), _deepdiff_rs, MEDIUM, "paths; no identity, no moves"),
    Peer("deepdiff", "deepdiff", ("deepdiff", "orjson"), _deepdiff, SMALL, "paths; no identity, no moves"),
    Peer("dictdiffer", "dictdiffer", ("dictdiffer", "orjson"), _dictdiffer, MEDIUM, "paths; no identity, no moves"),
    Peer("jsonpatch", "jsonpatch", ("jsonpatch", "orjson"), _jsonpatch, MEDIUM, "a patch by path; no identity"),
    Peer(
        "xmldiff, fast",
        "xmldiff",
        ("xmldiff",),
        _xmldiff(fast=True),
        MEDIUM,
        "an edit script by position; no ranking, no state of fields",
        needs_xml=True,
    ),
    Peer(
        "xmldiff",
        "xmldiff",
        ("xmldiff",),
        _xmldiff(fast=False),
        SMALL,
        "an edit script by position; no ranking, no state of fields",
        needs_xml=True,
    ),
    Peer(
        "lxml htmldiff", "lxml", ("lxml",), _htmldiff, MEDIUM, "marked-up text; no attributes, no moves", needs_xml=True
    ),
    Peer("apted", "apted", ("apted", "orjson"), _apted, TINY, "a distance, optimal; no moves, no rows"),
    Peer("zss", "zss", ("zss", "orjson"), _zss, TINY, "a distance, optimal; no moves, no rows"),
)
