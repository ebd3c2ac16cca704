#!/usr/bin/env python3
"""Generate `stillframe/chrome/protocol_history.json`: the Chromium milestone that brought each part of the protocol.

    tools/generate_protocol_history.py                write the table
    tools/generate_protocol_history.py --check        exit with 1 if the table is stale; needs no network
    tools/generate_protocol_history.py --fetch        first renew the recorded names from the npm registry

The table comes from three inputs:

* `BRANCHES` below: the revision at which each milestone left Chromium's main branch;
* `tools/protocol/names.txt`, written by --fetch: the names in the last version of the npm package `devtools-protocol`
  before each branch point (a version 0.0.N is the protocol at revision N), as differences to the version before.
  npm has few versions before M83; for those the package's changelog, which lists each roll of the protocol, says
  between two versions when a name came;
* `tools/protocol/protocol.json`: the pinned protocol, which decides what is in the table at all. What is in it and in
  no version of the package came with its own milestone.

--check sees a table that was edited or is not what the inputs give, a name in it that the pinned protocol has not and
that is not listed as gone, and a pinned milestone older than the floor. It cannot see whether the recorded names are
what the registry has, nor whether a newer milestone should be added: for that, add a line to BRANCHES and run --fetch.

Milestones are exact for what landed before a branch point and was rolled by the next version of the package; what
landed in the days between, or was merged into a branch, can be off by one, towards the later milestone.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools")]

from protocol_names import changes_in, links_of, names_of, owner_of, roll_of  # noqa: E402  found by the line above

PINNED = ROOT / "tools/protocol/protocol.json"
NAMES = ROOT / "tools/protocol/names.txt"
OUTPUT = ROOT / "python/stillframe/chrome/protocol_history.json"
PACKAGE = "devtools-protocol"
CHANGELOG_IN = 894172
"""The newest version of the package that has a changelog.md (npm; 1001033 has none)."""
FLOOR = 69
"""The first milestone that is looked at: flat sessions and `DOMSnapshot.captureSnapshot` came with it."""
MAX_BYTES = 150_000

# Milestone → position on the main branch where its release branch began. Source: the line `Cr-Branched-From` of commits
# on these branches; from M150 on, the version of devtools-protocol that Puppeteer's release for that milestone depends
# on (puppeteer-core 25.2.1 for M150 … 25.16.0 for M156), the last one before the branch point. There was no M82.
BRANCHES = {
    69: 576753,
    70: 587811,
    71: 599034,
    72: 612437,
    73: 625896,
    74: 638880,
    75: 652427,
    76: 665002,
    77: 681094,
    78: 693954,
    79: 706915,
    80: 722274,
    81: 737173,
    83: 756066,
    84: 768962,
    85: 782793,
    86: 800218,
    87: 812852,
    88: 827102,
    89: 843830,
    90: 857950,
    91: 870763,
    92: 885287,
    93: 902210,
    94: 911515,
    95: 920003,
    96: 929512,
    97: 938553,
    98: 950365,
    99: 961656,
    100: 972766,
    101: 982481,
    102: 992738,
    103: 1002911,
    104: 1012729,
    105: 1027018,
    106: 1036826,
    107: 1047731,
    108: 1058933,
    109: 1070088,
    110: 1084008,
    111: 1097615,
    112: 1109224,
    113: 1121455,
    114: 1135570,
    115: 1148114,
    116: 1160321,
    117: 1181205,
    118: 1192594,
    119: 1204232,
    120: 1217362,
    121: 1233107,
    122: 1250580,
    123: 1262506,
    124: 1274542,
    125: 1287751,
    126: 1300313,
    127: 1313161,
    128: 1331488,
    129: 1343869,
    130: 1356013,
    131: 1368529,
    132: 1381561,
    133: 1402768,
    134: 1415337,
    135: 1427262,
    136: 1440670,
    137: 1453031,
    138: 1465706,
    139: 1477651,
    140: 1496484,
    141: 1509326,
    142: 1522585,
    143: 1536371,
    144: 1552494,
    145: 1568190,
    146: 1582197,
    147: 1596535,
    148: 1610480,
    149: 1625079,
    150: 1638949,
    151: 1653615,
    152: 1666840,
    153: 1680125,
    154: 1687809,
    155: 1696802,
    156: 1704951,
}
MILESTONES, POSITIONS = list(BRANCHES), list(BRANCHES.values())

Item = dict[str, Any]
Table = dict[str, int]
Rolls = dict[str, int | None]


class Version(NamedTuple):
    """One version of the package: the names that it brought and lost, with the revision of the roll where known."""

    revision: int
    added: Rolls
    removed: Rolls


def milestone_at(revision: int) -> int:
    """Return the first milestone whose branch has what landed at `revision`."""
    index = bisect_left(POSITIONS, revision)
    return MILESTONES[index] if index < len(MILESTONES) else MILESTONES[-1] + 1


# -- the recorded names --------------------------------------------------------------------------


def parse_names(text: str) -> list[Version]:
    """Parse `names.txt`: `r574367` begins a version, then `+ name`, `+ name @576560`, `- name` or `- name @576560`."""
    versions: list[Version] = []
    for line in text.splitlines():
        sign, _, rest = line.partition(" ")
        name, _, roll = rest.partition(" @")
        if re.fullmatch(r"r\d+", line):
            versions.append(Version(int(line[1:]), {}, {}))
        elif sign in ("+", "-"):
            rolls = versions[-1].added if sign == "+" else versions[-1].removed
            rolls[name] = int(roll) if roll else None
    return versions


def format_names(versions: Iterable[Version]) -> str:
    """Return the text of `names.txt`."""
    lines = ["# Written by tools/generate_protocol_history.py --fetch; do not edit."]
    for version in versions:
        lines.append(f"r{version.revision}")
        for sign, rolls in (("+", version.added), ("-", version.removed)):
            lines += [f"{sign} {name}" + (f" @{roll}" if roll else "") for name, roll in sorted(rolls.items())]
    return "\n".join(lines) + "\n"


def differences(protocols: dict[int, frozenset[str]], changelog: str) -> Iterator[Version]:
    """Yield a version for each revision, with the rolls that the changelog names between it and the one before."""
    changes = changes_in(changelog)
    revisions = sorted(protocols)
    yield Version(revisions[0], dict.fromkeys(protocols[revisions[0]]), {})
    for before, after in pairwise(revisions):
        between = [change for change in changes if before < change.revision <= after]
        added = {name: roll_of(name, between) for name in protocols[after] - protocols[before]}
        removed = {name: roll_of(name, between, "removed") for name in protocols[before] - protocols[after]}
        yield Version(after, added, removed)


# -- the registry --------------------------------------------------------------------------------


def fetch() -> list[Version]:
    """Return the versions that BRANCHES select, from the npm registry by way of npm; some 40 MB."""
    listed = json.loads(_npm("view", PACKAGE, "versions", "--json"))
    revisions = sorted(int(version.rpartition(".")[2]) for version in listed)
    chosen = {max(each for each in revisions if each <= position) for position in POSITIONS}
    with tempfile.TemporaryDirectory() as folder:
        specs = [f"{PACKAGE}@0.0.{revision}" for revision in sorted(chosen | {CHANGELOG_IN})]
        _npm("pack", "--silent", "--pack-destination", folder, *specs)
        archives = {revision: Path(folder, f"{PACKAGE}-0.0.{revision}.tgz") for revision in chosen | {CHANGELOG_IN}}
        changelog = _member(archives[CHANGELOG_IN], "changelog.md")
        protocols = {revision: names_of(_protocol(archives[revision])) for revision in chosen}
    return list(differences(protocols, changelog))


def _npm(*arguments: str) -> str:
    return subprocess.run(["npm", *arguments], check=True, capture_output=True, text=True).stdout


def _member(archive: Path, name: str) -> str:
    with tarfile.open(archive) as package:
        file = package.extractfile(f"package/{name}")
        assert file is not None, name
        return file.read().decode()


def _protocol(archive: Path) -> Item:
    parts = [json.loads(_member(archive, f"json/{part}_protocol.json")) for part in ("browser", "js")]
    return {"domains": [domain for part in parts for domain in part["domains"]]}


# -- the table -----------------------------------------------------------------------------------


def build(versions: list[Version], pinned: Item) -> Item:
    """Return the table; raises ValueError if the pinned protocol is older than the floor."""
    newest = pinned_milestone(pinned)
    names = names_of(pinned)
    since, ends = lives(versions)
    since |= dict.fromkeys(names - since.keys(), newest)
    gone = {name: milestone for name, milestone in ends.items() if name not in names and not of_type(name)}
    told = {name: since[name] for name in names | gone.keys()}
    return {
        "source": f"npm {PACKAGE} 0.0.{versions[0].revision} to 0.0.{versions[-1].revision}; {pinned['product']}",
        "floor": FLOOR,
        "newest": newest,
        "since": by_domain(surprising(told)),
        "gone": by_domain(surprising_ends(gone)),
        "structs": interesting(links_of(pinned), told),
    }


def pinned_milestone(pinned: Item) -> int:
    """Return the milestone of the pinned protocol; raises ValueError if it is older than the floor."""
    milestone = int(re.search(r"/(\d+)", pinned["product"])[1])  # type: ignore[index]
    if milestone < FLOOR:
        raise ValueError(f"{PINNED} is of {pinned['product']}, older than the floor M{FLOOR}; pin a newer protocol")
    return milestone


def lives(versions: list[Version]) -> tuple[Table, Table]:
    """Return the first milestone of each name, and the first one without it for those that went.

    A name that came back has the milestone of its return, so that nobody relies on the gap.
    """
    since: Table = {}
    gone: Table = {}
    for version in versions:
        for name, roll in version.added.items():
            since[name] = max(FLOOR, milestone_at(roll or version.revision))
            gone.pop(name, None)
        gone |= {name: milestone_at(roll or version.revision) for name, roll in version.removed.items()}
    return since, gone


def surprising(since: Table) -> Table:
    """Leave out types, what was there at the floor, and parameters and fields as old as their owner."""
    return {
        name: milestone
        for name, milestone in since.items()
        if milestone > since.get(owner_of(name) or "", FLOOR) and not (of_type(name) and owner_of(name) is None)
    }


def surprising_ends(gone: Table) -> Table:
    """Leave out parameters and fields that went with their owner."""
    return {name: milestone for name, milestone in gone.items() if milestone != gone.get(owner_of(name) or "")}


def of_type(name: str) -> bool:
    """Return whether a name is a type or a field of one: those begin with a capital letter."""
    return name.partition(".")[2][0].isupper()


def interesting(links: dict[str, dict[str, str]], since: Table) -> dict[str, dict[str, str]]:
    """Return the links that lead to a struct with fields younger than itself."""
    younger = {owner for name in surprising(since) if of_type(name) and (owner := owner_of(name))}
    wanted = set(younger)
    while more := {owner for owner, fields in links.items() if wanted & set(fields.values())} - wanted:
        wanted |= more
    kept = {owner: {n: t for n, t in fields.items() if t in wanted} for owner, fields in links.items()}
    return {owner: fields for owner, fields in sorted(kept.items()) if fields}


def by_domain(table: Table) -> dict[str, Table]:
    """Group `Domain.rest` by domain."""
    grouped: dict[str, Table] = {}
    for name in sorted(table):
        domain, _, rest = name.partition(".")
        grouped.setdefault(domain, {})[rest] = table[name]
    return grouped


def text_of(table: Item) -> str:
    """Return the file's text: a line for each domain and each struct, so that changes can be read."""
    lines = []
    for key, value in table.items():
        if isinstance(value, dict):
            inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(item)}" for name, item in value.items())
            lines.append(f" {json.dumps(key)}: {{\n{inner}\n }}")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


# -- checking ------------------------------------------------------------------------------------


def problems(text: str, expected: str) -> list[str]:
    """Return a sentence for each thing that is wrong with the file's text."""
    found = []
    if text != expected:
        found.append("is not what its inputs give")
    if len(text.encode()) > MAX_BYTES:
        found.append(f"has {len(text.encode())} bytes, more than {MAX_BYTES}")
    return found


def unknown(table: Item, names: frozenset[str]) -> list[str]:
    """Return the names in the table that are neither in the protocol nor listed as gone."""
    gone = {f"{domain}.{rest}" for domain, entries in table["gone"].items() for rest in entries}
    listed = (f"{domain}.{rest}" for domain, entries in table["since"].items() for rest in entries)
    return sorted(name for name in listed if name not in names | gone and owner_of(name) not in gone)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the table is stale")
    parser.add_argument("--fetch", action="store_true", help="first renew the recorded names from the npm registry")
    options = parser.parse_args(argv)
    if options.fetch:
        NAMES.write_text(format_names(fetch()))
    pinned = json.loads(PINNED.read_text())
    table = build(parse_names(NAMES.read_text()), pinned)
    expected = text_of(table)
    if not options.check:
        OUTPUT.write_text(expected)
        return 0
    found = problems(OUTPUT.read_text() if OUTPUT.exists() else "", expected)
    found += [f"names {name}, which no protocol has" for name in unknown(table, names_of(pinned))]
    for problem in found:
        print(f"{OUTPUT.name} {problem}; run tools/generate_protocol_history.py", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
