"""The names that a protocol file defines, and what the changelog of `devtools-protocol` says about them.

A name is one of these texts; upper and lower case are as in the protocol:

    Page.captureScreenshot              a command or an event
    Page.captureScreenshot(clip)        a parameter of a command
    Page.getLayoutMetrics.cssContentSize  a field of a result, of an event, or of a type
    DOM.Node                            a type with fields
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Item = dict[str, Any]

ROLL = re.compile(r"^## Roll protocol to r(\d+)", re.MULTILINE)
HEADING = re.compile(r"^#### `\w+`: (new|removed|modified) \w+$")
ENTRY = re.compile(r"^\* \[`([\w.]+)`\]\([^)]*\)(.*)$")


class Change(NamedTuple):
    """One entry of the changelog: what a roll to `revision` did (`new`, `removed`, `modified`) to a name."""

    revision: int
    verb: str
    name: str
    detail: str


# -- names ---------------------------------------------------------------------------------------


def names_of(protocol: Item) -> frozenset[str]:
    """Return every name that a protocol defines."""
    return frozenset(name for domain in protocol["domains"] for name in _names_in(domain))


def _names_in(domain: Item) -> Iterator[str]:
    for full, item in _items(domain, "commands", "name"):
        yield full
        yield from (f"{full}({each['name']})" for each in item.get("parameters", ()))
        yield from (f"{full}.{each['name']}" for each in item.get("returns", ()))
    for full, item in _items(domain, "events", "name"):
        yield full
        yield from (f"{full}.{each['name']}" for each in item.get("parameters", ()))
    for full, item in _items(domain, "types", "id"):
        if "properties" in item:
            yield full
            yield from (f"{full}.{each['name']}" for each in item["properties"])


def _items(domain: Item, kind: str, key: str) -> Iterator[tuple[str, Item]]:
    for item in domain.get(kind, ()):
        yield f"{domain['domain']}.{item[key]}", item


def owner_of(name: str) -> str | None:
    """Return the command, event or type that a parameter or field belongs to; None for a command, event or type."""
    if "(" in name:
        return name.partition("(")[0]
    owner, _, _ = name.rpartition(".")
    return owner if "." in owner else None


# -- which struct a field holds ------------------------------------------------------------------


def links_of(protocol: Item) -> dict[str, dict[str, str]]:
    """Return for each owner the fields that hold structs, or lists of structs, and the types of these structs.

    The parameters of a command belong to the owner `Domain.command()`, its result to `Domain.command`.
    """
    types = {full: item for domain in protocol["domains"] for full, item in _items(domain, "types", "id")}
    found = {}
    for domain in protocol["domains"]:
        for owner, fields in _structs(domain):
            links = {each["name"]: _struct_in(each, domain["domain"], types) for each in fields}
            found[owner] = {name: struct for name, struct in links.items() if struct}
    return found


def _structs(domain: Item) -> Iterator[tuple[str, list[Item]]]:
    for full, item in _items(domain, "commands", "name"):
        yield f"{full}()", item.get("parameters", [])
        yield full, item.get("returns", [])
    for full, item in _items(domain, "events", "name"):
        yield full, item.get("parameters", [])
    for full, item in _items(domain, "types", "id"):
        yield full, item.get("properties", [])


def _struct_in(item: Item, domain: str, types: dict[str, Item]) -> str | None:
    """Return the struct type that an item refers to, directly or as the element of lists."""
    if "items" in item:
        return _struct_in(item["items"], domain, types)
    if "$ref" not in item:
        return None
    full = item["$ref"] if "." in item["$ref"] else f"{domain}.{item['$ref']}"
    definition = types[full]
    return full if "properties" in definition else _struct_in(definition, full.partition(".")[0], types)


# -- the changelog -------------------------------------------------------------------------------


def changes_in(changelog: str) -> list[Change]:
    """Return the entries of a `changelog.md`, oldest roll first."""
    parts = ROLL.split(changelog)
    rolls = zip(map(int, parts[1::2]), parts[2::2], strict=True)
    return [change for revision, text in sorted(rolls) for change in _changes(revision, text)]


def _changes(revision: int, text: str) -> Iterator[Change]:
    verb = ""
    for line in text.splitlines():
        if heading := HEADING.match(line):
            verb = heading[1]
        elif (entry := ENTRY.match(line)) and verb:
            yield Change(revision, verb, entry[1], entry[2])


def roll_of(name: str, changes: Iterable[Change], verb: str = "new") -> int | None:
    """Return the revision of the roll that brought a name, or with the verb `removed` took it away.

    `changes` are those between two known protocols. An entry about a changed owner proves nothing: the changelog
    compares lists by position, so the name of an inserted parameter is often missing. Then the last change of the owner
    counts, which errs towards a later milestone.
    """
    owner = owner_of(name)
    mine = [change for change in changes if change.name == (owner or name)]
    if owner is None:
        return next((change.revision for change in mine if change.verb == verb), None)
    field = re.escape(name.removeprefix(owner).strip(".()"))
    done = "added" if verb == "new" else "removed"
    mine = [change for change in mine if change.verb in (verb, "modified")]
    named = [change for change in mine if re.search(rf"`{field}` _{done}_", change.detail)]
    return (named or mine)[-1].revision if mine else None
