"""The tool that computes the table of milestones, with small protocols; nothing here uses the network."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
SURFACE = {74: 563, 83: 628, 91: 677, 113: 738, 124: 772}
"""Commands and events of a milestone; a second computation from the repository's rolls found the same, and 565 for M74,
where it counts two events that went within that milestone."""


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def names() -> ModuleType:
    return load("protocol_names")


@pytest.fixture(scope="module")
def tool(names: ModuleType) -> ModuleType:
    return load("generate_protocol_history")


PROTOCOL: dict[str, Any] = {
    "product": "Chrome/80.0.1.2",
    "domains": [
        {
            "domain": "Page",
            "commands": [
                {"name": "go", "parameters": [{"name": "url"}, {"name": "clip", "$ref": "Box"}]},
                {"name": "list", "returns": [{"name": "boxes", "$ref": "Boxes"}, {"name": "all", "$ref": "DOM.Node"}]},
            ],
            "events": [{"name": "went", "parameters": [{"name": "box", "type": "array", "items": {"$ref": "Box"}}]}],
            "types": [
                {"id": "Box", "type": "object", "properties": [{"name": "x"}, {"name": "inner", "$ref": "Box"}]},
                {"id": "Boxes", "type": "array", "items": {"type": "array", "items": {"$ref": "Box"}}},
                {"id": "Id", "type": "string"},
            ],
        },
        {
            "domain": "DOM",
            "types": [{"id": "Node", "type": "object", "properties": [{"name": "id", "$ref": "Page.Id"}]}],
        },
    ],
}
"""A protocol with a struct in a struct, lists of lists, and references between domains."""


def test_the_file_is_what_the_tool_makes(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().err


def test_names_are_those_of_commands_events_and_structs_with_their_parts(names: ModuleType) -> None:
    assert names.names_of(PROTOCOL) == {
        *("Page.go", "Page.go(url)", "Page.go(clip)", "Page.list", "Page.list.boxes", "Page.list.all"),
        *("Page.went", "Page.went.box", "Page.Box", "Page.Box.x", "Page.Box.inner", "DOM.Node", "DOM.Node.id"),
    }


@pytest.mark.parametrize(
    ("name", "owner"),
    [("Page.go", None), ("Page.go(url)", "Page.go"), ("Page.list.boxes", "Page.list"), ("DOM.Node", None)],
)
def test_parts_know_their_owner(names: ModuleType, name: str, owner: str | None) -> None:
    assert names.owner_of(name) == owner


def test_links_follow_lists_and_references(names: ModuleType) -> None:
    assert names.links_of(PROTOCOL) == {
        "Page.go()": {"clip": "Page.Box"},
        "Page.go": {},
        "Page.list()": {},
        "Page.list": {"boxes": "Page.Box", "all": "DOM.Node"},
        "Page.went": {"box": "Page.Box"},
        "Page.Box": {"inner": "Page.Box"},
        "Page.Boxes": {},
        "Page.Id": {},
        "DOM.Node": {},
    }


CHANGELOG = """

## Roll protocol to r600500
###### _2018-10-18_ | Diff: [a...b](https://example.com)
#### `Page`: new command
* [`Page.list`](https://example.com/#method-list)
#### `Page`: modified commands
* [`Page.go`](https://example.com/#method-go) - The parameters's `clip` _added_.
#### `Page`: removed event
* [`Page.left`](https://example.com/#event-left)


## Roll protocol to r599000 598000
###### _2018-10-12_ | Diff: [a...b](https://example.com)
#### `Page`: modified command
* [`Page.go`](https://example.com/#method-go) - The `url` in the parameters had `description` _updated_.
"""


@pytest.mark.parametrize(
    ("name", "verb", "revision"),
    [
        ("Page.list", "new", 600500),
        ("Page.list.boxes", "new", 600500),
        ("Page.go(clip)", "new", 600500),
        ("Page.go(other)", "new", 600500),
        ("Page.left", "removed", 600500),
        ("Page.left", "new", None),
        ("Page.other", "new", None),
    ],
)
def test_the_changelog_dates_names(names: ModuleType, name: str, verb: str, revision: int | None) -> None:
    changes = names.changes_in(CHANGELOG)
    assert [change.revision for change in changes] == [599000, 600500, 600500, 600500]
    assert names.roll_of(name, changes, verb) == revision


def test_an_entry_that_names_the_part_counts_more_than_a_later_one(names: ModuleType) -> None:
    later = CHANGELOG.replace("`url` in the parameters had `description` _updated_", "parameters's `referrer` _added_")
    assert names.roll_of("Page.go(referrer)", names.changes_in(later)) == 599000


@pytest.mark.parametrize(
    ("revision", "milestone"),
    [(1, 69), (576753, 69), (576754, 70), (737174, 83), (756066, 83), (1704951, 156), (9999999, 157)],
)
def test_a_revision_belongs_to_the_next_branch(tool: ModuleType, revision: int, milestone: int) -> None:
    assert tool.milestone_at(revision) == milestone


def test_branch_points_rise(tool: ModuleType) -> None:
    assert sorted(tool.MILESTONES) == tool.MILESTONES
    assert sorted(tool.POSITIONS) == tool.POSITIONS
    assert set(range(69, 157)) - set(tool.MILESTONES) == {82}


def test_recorded_names_read_back_as_they_were_written(tool: ModuleType) -> None:
    protocols = {
        574367: frozenset({"Page.go", "Page.left"}),
        609786: frozenset({"Page.go", "Page.go(clip)", "Page.list"}),
    }
    versions = list(tool.differences(protocols, CHANGELOG))
    assert versions[1].added == {"Page.go(clip)": 600500, "Page.list": 600500}
    assert versions[1].removed == {"Page.left": 600500}
    assert tool.parse_names(tool.format_names(versions)) == versions


def table(tool: ModuleType, pinned: dict[str, Any] = PROTOCOL) -> dict[str, Any]:
    text = """# comment
r574367
+ Page.go
+ Page.left
+ Page.Box
+ Page.Box.x
r609786
+ Page.go(clip)
+ Page.list @600500
+ Page.list.boxes @600500
+ Page.Box.inner @590000
- Page.left @599500
r692805
+ Page.list.all
+ DOM.Node
+ DOM.Node.id
- Page.Box.x
r699881
+ Page.Box.x
"""
    made: dict[str, Any] = tool.build(tool.parse_names(text), pinned)
    return made


def test_the_table_lists_what_is_younger_than_the_floor_and_than_its_owner(tool: ModuleType) -> None:
    made = table(tool)
    assert (made["floor"], made["newest"]) == (69, 80)
    assert made["since"] == {
        "Page": {
            "go(clip)": 72,
            "list": 72,
            "list.all": 78,
            "Box.inner": 71,
            "Box.x": 79,  # it was away for a milestone
            "went": 80,  # in no version of the package, so it came with the pinned protocol
            "go(url)": 80,
        },
    }
    assert made["gone"] == {"Page": {"left": 72}}


def test_the_table_links_only_what_leads_to_structs_with_younger_fields(tool: ModuleType) -> None:
    assert table(tool)["structs"] == {
        "Page.Box": {"inner": "Page.Box"},
        "Page.go()": {"clip": "Page.Box"},
        "Page.list": {"boxes": "Page.Box"},
        "Page.went": {"box": "Page.Box"},
    }


def test_a_pinned_protocol_older_than_the_floor_is_refused(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"Chrome/60\.0, older than the floor M69"):
        table(tool, {**PROTOCOL, "product": "Chrome/60.0"})


def test_check_notices_stale_large_and_unknown(tool: ModuleType) -> None:
    text = tool.text_of(table(tool))
    assert json.loads(text) == table(tool)
    assert tool.problems(text, text) == []
    assert tool.problems("", text) == ["is not what its inputs give"]
    (problem,) = tool.problems(" " * (tool.MAX_BYTES + 1), " " * (tool.MAX_BYTES + 1))
    assert problem.startswith("has 150001 bytes")
    misspelled = {**table(tool), "since": {"Page": {"go(clap)": 72, "left(x)": 72}}}
    assert tool.unknown(misspelled, tool.names_of(PROTOCOL)) == ["Page.go(clap)"]


def test_the_recorded_names_have_as_many_commands_and_events_as_counted_elsewhere(tool: ModuleType) -> None:
    since, gone = tool.lives(tool.parse_names(tool.NAMES.read_text()))
    owners = [name for name in since if tool.owner_of(name) is None and not tool.of_type(name)]
    for milestone, expected in SURFACE.items():
        known = [name for name in owners if since[name] <= milestone < gone.get(name, 1000)]
        assert len(known) == expected, milestone
