"""The order of the rows of a delta, and how much each may say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shown import change
from site_server import Site
from stillframe.api.browser import Page
from stillframe.extend.text import change_lines
from stillframe.model.actions import Click
from stillframe.model.change import ChangedRow, StateChange


async def pressed(page: Page, site: Site, html: str, script: str, **options: Any) -> StateChange:
    """What changes when a button runs a script."""
    await page.goto(site.html("/ranks", f"{html}<button id=go>Go</button>"))
    await page.evaluate(f"document.getElementById('go').onclick = () => {{ {script} }}; 0")
    return change(await page.execute_sequence([Click("#go")], **options))


def put(html: str) -> str:
    return f"o.innerHTML = {json.dumps(html)};"


def told(state: StateChange) -> list[tuple[str, str, str]]:
    """The rows in order: list, name or text, and field with its new value."""
    rows = []
    for kind, row in state.rows():
        detail = f"{row.field}={row.to}" if isinstance(row, ChangedRow) else ""
        rows.append((kind, row.name or getattr(row, "text", ""), detail))
    return rows


# -- one order -------------------------------------------------------------------------------------


async def test_all_rows_have_one_order_in_json_too(page: Page, site: Site) -> None:
    html = "<p id=line>before</p><input type=checkbox id=box aria-label=Box><p id=gone>Gone</p>"
    script = "line.textContent = 'after'; box.checked = true; gone.remove();" + put("<p role=alert>Careful</p>")
    state = await pressed(page, site, f"{html}<div id=o></div>", script)
    decoded = json.loads(state.to_json())
    assert decoded["rows"] == ["appeared/0", "changed/0", "changed/1", "disappeared/0"]
    by_name = [decoded[name][int(at)] for name, at in (row.split("/") for row in decoded["rows"])]
    assert [row["rank"] for row in by_name] == [1, 2, 3, 4]
    assert [row["selector"] for row in by_name] == [row.selector for _, row in state.rows()]
    assert change_lines(state)[4:5] == ["nearby, unchanged:"]


# -- how much a row says ---------------------------------------------------------------------------

TABS = "<a href=#>Request</a> <a href=#>Response</a> <a href=#>Connection</a> <a href=#>Timing</a>"
BODY = "".join(f"<p>Line {at} of the answer</p>" for at in range(12))
FACT = "wrong password"


@pytest.mark.parametrize(
    ("strip", "last"),
    [
        pytest.param(f"<div>{TABS}</div>", "Request Response", id="links"),
        pytest.param(f"<nav><p>Where you are</p>{TABS}</nav>", "Where you are", id="navigation"),
        pytest.param(
            "<div role=tablist><button role=tab>Raw</button> <button role=tab>Cooked</button></div>",
            "Raw Cooked",
            id="tabs",
        ),
    ],
)
async def test_what_leads_around_in_a_long_part_comes_last(page: Page, site: Site, strip: str, last: str) -> None:
    html = f"<div class=panel>{strip}<h3>HTTP/1.1 401</h3><p>{FACT}</p>{{}}</div>"
    state = await pressed(page, site, "<div id=o></div>", put(html.format("")))
    assert state.appeared[0].text.startswith(last), "a text that fits stays as it is"
    state = await pressed(page, site, "<div id=o></div>", put(html.format(BODY)), text_limit=100)
    assert state.appeared[0].text.startswith(f"HTTP/1.1 401 {FACT} Line 0")


async def test_the_heads_of_columns_come_last(page: Page, site: Site) -> None:
    heads = "".join(f"<th>A rather long head {at}</th>" for at in range(9))
    rows = "<tr><td>GET</td><td>/slow</td><td>refused</td></tr>" + "<tr><td>1</td><td>2</td><td>3</td></tr>" * 20
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    state = await pressed(page, site, "<div id=o></div>", put(f"<section>{table}</section>"))
    assert state.appeared[0].text.startswith("GET /slow refused 1 2 3")


@pytest.mark.parametrize(("parts", "least", "most"), [(1, 250, 300), (2, 250, 300), (6, 90, 100), (12, 40, 50)])
async def test_parts_share_the_room_for_their_texts(page: Page, site: Site, parts: int, least: int, most: int) -> None:
    part = "<section id=part-{}x><p>{}</p><p>End</p></section>"
    html = "".join(part.format("abcdefghijklm"[at], f"word{at} " * 80) for at in range(parts))
    state = await pressed(
        page, site, "<div id=o>Empty</div>", f"o.insertAdjacentHTML('afterend', {json.dumps(html)})", limit=40
    )
    lengths = [len(row.text) for row in state.appeared]
    assert len(lengths) == parts
    assert all(least <= length <= most for length in lengths), lengths


# -- what opened over the page ---------------------------------------------------------------------

CELLS = """
<div id=app><table><tr><td id=a>GET / 126</td></tr><tr><td id=b>GET /x 141</td></tr></table><h2 id=h>Users 5</h2></div>
"""
POLLED = "a.textContent = 'GET / 130'; b.textContent = 'GET /x 151'; h.textContent = 'Users 6';"
FORM = "<div>Edit the test<input aria-label=Users><button>Save</button></div>"


@pytest.mark.parametrize(
    "style",
    ["position:fixed; inset:0", "position:absolute; left:20px; top:20px", "position:fixed; right:0; bottom:0"],
)
@pytest.mark.parametrize("where", ["<div id=o></div>", "<main id=o></main>"])
async def test_what_opens_over_the_page_goes_before_what_the_page_writes(
    page: Page, site: Site, style: str, where: str
) -> None:
    state = await pressed(page, site, CELLS + where, put(f"<div style='{style}'>{FORM}</div>") + POLLED)
    kind, row = state.rows()[0]
    assert (kind, row.text) == ("appeared", "Edit the test Save")  # type: ignore[union-attr]
    assert len(state.changed) == 3


async def test_what_stands_in_the_flow_of_the_page_is_not_an_overlay(page: Page, site: Site) -> None:
    html = f"{CELLS}<div style='height:60px; overflow:auto'><p>One</p><div id=o></div></div>"
    state = await pressed(page, site, html, put(FORM) + POLLED)
    assert next(kind for kind, _ in state.rows()) == "changed"


async def test_texts_that_have_changed_by_themselves_before_come_last(page: Page, site: Site) -> None:
    site.html("/ranks", f"{CELLS}<p id=c>Ann has 3 points</p><button id=go>Go</button>")
    await page.goto(site.url("/ranks"))
    beats = """new Promise((resolve) => {
        let count = 0;
        const beat = () => { a.textContent = `GET / ${130 + count}`; b.textContent = `GET /x ${150 + count}`; };
        const again = () => { beat(); if (++count < 3) setTimeout(again, [0, 100, 1000][count]); else resolve(true); };
        setTimeout(again, 1200);
        go.onclick = () => { beat(); c.textContent = 'Ann has 4 points'; h.textContent = 'All well'; };
    })"""
    await page.evaluate(beats)
    state = change(await page.execute_sequence([Click("#go")]))
    assert {row.selector for row in state.changed} == {"#c", "#h"}
    assert state.omitted is not None
    assert state.omitted.changed == 2
    # Alone they get rows: an action may well have done it.
    await page.evaluate("go.onclick = () => { a.textContent = 'GET / 777'; }; 0")
    state = change(await page.execute_sequence([Click("#go")]))
    assert [(row.selector, row.to) for row in state.changed] == [("#a", "GET / 777")]


# -- what was made again ---------------------------------------------------------------------------


def tab(name: str, chosen: bool) -> str:
    looks = " class=sel" if chosen else ""
    return f"<button role=tab aria-selected={str(chosen).lower()}{looks}>{name}</button>"


OPEN, RECENT = tab("Open", True) + tab("Recent", False), tab("Open", False) + tab("Recent", True)


def tree(expanded: bool) -> str:
    held = "<div role=group><div role=treeitem>Apple</div><div role=treeitem>Pear</div></div>" if expanded else ""
    looks = "open" if expanded else "shut"
    return (
        f"<div role=treeitem aria-expanded={str(expanded).lower()} class={looks}>Fruit{held}</div>"
        "<div role=treeitem aria-expanded=false class=shut>Roots</div>"
    )


REMADE = {
    "tabs": (OPEN, RECENT, [("changed", "Recent", "selected=true")]),
    "tabs in a list": (
        f"<div role=tablist>{OPEN}</div>",
        f"<div role=tablist>{RECENT}</div>",
        [("changed", "Recent", "selected=true")],
    ),
    "tabs and what they show": (
        f"<div class=w><div role=tablist>{OPEN}</div><p>Garden plan</p></div>",
        f"<div class=w><div role=tablist>{RECENT}</div><p>Seeds</p></div>",
        [("appeared", "Seeds", ""), ("changed", "Recent", "selected=true"), ("disappeared", "Garden plan", "")],
    ),
    "an item of a tree": (
        f"<div role=tree>{tree(expanded=False)}</div>",
        f"<div role=tree>{tree(expanded=True)}</div>",
        [("changed", "Fruit", "expanded=true"), ("appeared", "Apple Pear", "")],
    ),
    "a button with another icon": (
        "<button aria-pressed=false class=a><svg></svg>Bold</button><p>Text</p>",
        "<button aria-pressed=true class=b><i class=x></i><span>Bold</span></button><p>Text</p>",
        [("changed", "Bold", "aria-pressed=true")],
    ),
    "a current link": (
        "<ul><li class=now><a href=/a aria-current=page>Inbox</a></li><li><a href=/b>Sent</a></li></ul>",
        "<ul><li><a href=/a>Inbox</a></li><li class=now><a href=/b aria-current=page>Sent</a></li></ul>",
        [("changed", "Sent", "aria-current=page")],
    ),
}


@pytest.mark.parametrize("shape", list(REMADE))
@pytest.mark.every_row  # each is another sort of element
async def test_a_control_that_is_made_again_in_another_state_is_one_row(page: Page, site: Site, shape: str) -> None:
    was, now, expected = REMADE[shape]
    state = await pressed(page, site, f"<div id=o>{was}</div>", put(now))
    rows = sorted(row for row in told(state) if row[2] != "className=")
    assert [row for row in rows if "false" not in row[2]] == sorted(expected)


LISTS = {
    "an item": ("<p>One</p>", "<ol><li>One</li></ol>", 1),
    "two items": ("<p>One</p><p>Two</p>", "<ul><li>One</li><li>Two</li></ul>", 2),
    "two paragraphs": ("<ul><li>One</li><li>Two</li></ul>", "<p>One</p><p>Two</p>", 2),
}


@pytest.mark.parametrize("shape", list(LISTS))
async def test_paragraphs_that_become_items_of_a_list_are_rows(page: Page, site: Site, shape: str) -> None:
    was, now, count = LISTS[shape]
    state = await pressed(page, site, f"<div id=o contenteditable>{was}</div>", put(now))
    kinds = {"paragraph", "listitem"}
    assert [{row.from_, row.to} for row in state.changed if row.field == "role"] == [kinds] * count
    assert (state.appeared, state.disappeared) == ((), ())
