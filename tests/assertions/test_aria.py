"""ARIA snapshots in YAML: templates, what they match, and how a tree is written."""

from __future__ import annotations

import re

import pytest

from stillframe.assertions.aria import AriaNode, is_in, parse, tree_of, written
from stillframe.errors import OptionInvalid

TREE = tree_of(
    {
        "role": "",
        "name": "",
        "states": {},
        "children": [
            {"role": "heading", "name": "Orders", "states": {"level": 1}, "children": []},
            {
                "role": "list",
                "name": "",
                "states": {},
                "children": [
                    {"role": "listitem", "name": "", "states": {}, "children": ["Order 7"]},
                    {
                        "role": "listitem",
                        "name": "",
                        "states": {},
                        "children": [
                            "see",
                            {"role": "link", "name": "Details: all", "states": {}, "children": [], "url": "/orders/7"},
                        ],
                    },
                ],
            },
            {"role": "checkbox", "name": "ok", "states": {"checked": "mixed"}, "children": []},
            {"role": "textbox", "name": "Name", "states": {}, "children": ["Ann"], "placeholder": "who"},
            "the end",
        ],
    }
)
WRITTEN = """\
- heading "Orders" [level=1]
- list:
  - listitem: Order 7
  - listitem:
    - text: see
    - 'link "Details: all"':
      - /url: "/orders/7"
- checkbox "ok" [checked=mixed]
- textbox "Name":
  - /placeholder: who
  - text: Ann
- text: the end"""


def test_a_tree_is_written_as_a_template_of_itself() -> None:
    assert written(TREE) == WRITTEN
    assert is_in(parse(WRITTEN), TREE)
    assert is_in(parse("- /children: deep-equal\n" + WRITTEN), TREE)


@pytest.mark.parametrize(
    "template",
    [
        '- heading "Orders"',
        "- heading",
        "- heading: Orders",
        "- heading /ord.rs/\n- text: the end".replace("ord", "Ord"),
        "- heading [level=1]",
        "- listitem: /Order \\d+/",
        "- list:\n  - listitem:\n    - link:\n      - /url: /^.orders/",
        "- list:\n  - listitem\n  - listitem",
        '# a comment\n\n- textbox "Name": Ann',
        "- checkbox [checked=mixed]",
        "- list:\n  - /children: equal\n  - listitem\n  - listitem",
        "- 'link \"Details: all\"'",
        "- link /Details: all/",
        '- text: "the end"',
        "- textbox:\n  - /placeholder: who",
    ],
)
def test_it_matches(template: str) -> None:
    assert is_in(parse(template), TREE)


@pytest.mark.parametrize(
    "template",
    [
        '- heading "orders"',
        "- heading [level=2]",
        "- text: the end\n- heading",
        "- list:\n  - listitem: Order 8",
        "- checkbox [checked]",
        "- list:\n  - /children: equal\n  - listitem",
        "- /children: deep-equal\n- list",
        "- link:\n  - /url: /orders/8",
        "- button",
        "- heading [disabled]",
    ],
)
def test_it_does_not_match(template: str) -> None:
    assert not is_in(parse(template), TREE)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "it names no node"),
        ("heading", "line 1 of the ARIA snapshot, 'heading': each line is"),
        ("- list:\n  - Button", "line 2 of the ARIA snapshot, '- Button': 'Button' is not a role"),
        ("- list [size=3]", "there is no state 'size'"),
        ("- link:\n  - /href: x", "there is no /href"),
        ("- list:\n  - /children: some", "/children is contain, equal or deep-equal"),
    ],
)
def test_what_does_not_parse_is_named_with_its_line(template: str, message: str) -> None:
    with pytest.raises(OptionInvalid, match=re.escape(message)):
        parse(template)


def test_names_and_values_may_be_quoted_in_every_way_of_yaml() -> None:
    (node,) = parse("""- 'button "it''s: \\"so\\""': 'a ''b'''""").children
    assert isinstance(node, AriaNode)
    assert (node.name, node.children) == ('it\'s: "so"', ["a 'b'"])
