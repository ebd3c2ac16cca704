"""What a delta says can be acted on next: the controls in what came or changed, else those near to it."""

from __future__ import annotations

from typing import Any

import pytest

from shown import change
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, PressKey, SetValue
from stillframe.model.change import ChangedRow, Control, Row, StateChange
from stillframe.model.secret import REDACTED, Secret

AROUND = "<header><a href=#home>Home</a></header>"


async def pressed(page: Page, site: Site, html: str, script: str, **options: Any) -> StateChange:
    """What changes when a button runs a script."""
    await page.goto(site.html("/controls", f"{AROUND}{html}<button id=go>Go</button>"))
    await page.evaluate(f"document.getElementById('go').onclick = () => {{ {script} }}; 0")
    return change(await page.execute_sequence([Click("#go")], **options))


def named(controls: tuple[Control, ...]) -> list[tuple[str, str]]:
    return [(control.role, control.name) for control in controls]


def only(state: StateChange) -> Row | ChangedRow:
    """The only row that lists controls."""
    (row,) = (row for _, row in state.rows() if row.controls)
    return row


PUT = "document.getElementById('there').innerHTML = `{}`"
CONTAINERS = {
    "menu": (
        "<ul role=menu><li role=menuitem tabindex=-1>Profile</li><li role=menuitem tabindex=-1>Log out</li></ul>",
        [("menuitem", "Profile"), ("menuitem", "Log out")],
    ),
    "dialog": (
        "<div role=dialog aria-label=Delete><p>Really?</p><button>No</button><button>Yes</button></div>",
        [("button", "No"), ("button", "Yes")],
    ),
    "tree": (
        "<ul role=tree><li role=treeitem tabindex=-1>a.py</li><li role=treeitem tabindex=-1>b.py</li></ul>",
        [("treeitem", "a.py"), ("treeitem", "b.py")],
    ),
    "list box": (
        "<ul role=listbox tabindex=0><li role=option>Bern</li><li role=option>Bergen</li></ul>",
        [("option", "Bern"), ("option", "Bergen")],
    ),
    "item of a list": (
        "<ul><li><label><input type=checkbox>Call Bob</label><button>Remove</button></li></ul>",
        [("checkbox", "Call Bob"), ("button", "Remove")],
    ),
    "form": (
        "<form aria-label=Pay><label>Card <input></label><select aria-label=Bank><option>A<option>B</select></form>",
        [("textbox", "Card"), ("combobox", "Bank")],
    ),
    "what listens alone": (
        "<section aria-label=Seats><div onclick='1' style=cursor:pointer>A1</div><p>free</p></section>",
        [("generic", "A1")],
    ),
}


@pytest.mark.parametrize("kind", CONTAINERS)
async def test_what_came_lists_its_controls_in_reading_order(page: Page, site: Site, kind: str) -> None:
    html, expected = CONTAINERS[kind]
    state = await pressed(page, site, "<div id=there></div>", PUT.format(html))
    controls = only(state).controls
    assert named(controls) == expected
    assert state.nearby == ()
    for control in controls:
        found = page.locator(f"ref={control.ref}")
        assert await found.count() == 1


async def test_a_control_says_its_state_and_what_it_holds(page: Page, site: Site) -> None:
    html = (
        "<form><input aria-label=Name value=Ada placeholder=Name! required><input type=checkbox aria-label=Yes checked>"
        "<select aria-label=Size><option>S<option selected>M</select><button disabled>Send</button>"
        "<input type=password aria-label=Pin value=1234></form>"
    )
    state = await pressed(page, site, "<div id=there></div>", PUT.format(html))
    field, box, size, send, pin = only(state).controls
    assert (field.value, field.states) == ("Ada", ("required",))
    assert box.states == ("checked",)
    assert (size.value, size.options) == ("M", ("S", "M"))
    assert send.states == ("disabled",)
    assert (pin.value, pin.states) == (REDACTED, ("type=password",))


async def test_a_row_of_a_control_says_its_own_state(page: Page, site: Site) -> None:
    state = await pressed(
        page, site, "<p id=there></p>", PUT.format("<input id=new aria-label=Zip value=0150 readonly>")
    )
    (row,) = state.appeared
    assert (row.role, row.name, row.value, row.states, row.controls) == ("textbox", "Zip", "0150", ("readonly",), ())


async def test_a_frame_and_shadow_trees_list_what_is_in_them(page: Page, site: Site) -> None:
    script = """
      const host = document.getElementById('there').appendChild(document.createElement('x-a'));
      host.attachShadow({ mode: 'closed' }).innerHTML = '<div role=group aria-label=In><button>Inside</button></div>';
      const frame = document.createElement('iframe');
      frame.srcdoc = '<div role=group><label for=c>Card</label><input id=c><button>Confirm</button></div>';
      document.getElementById('there').append(frame);"""
    state = await pressed(page, site, "<div id=there></div>", script)
    found = [pair for row in state.appeared for pair in [(row.role, row.name), *named(row.controls)]]
    assert {("button", "Inside"), ("textbox", "Card"), ("button", "Confirm")} <= set(found)


async def test_no_element_is_listed_twice(page: Page, site: Site) -> None:
    html = "<ul role=tree><li role=treeitem aria-expanded=false tabindex=0 id=top>src</li></ul>"
    script = """
      top_ = document.getElementById('top'); top_.setAttribute('aria-expanded', 'true');
      top_.insertAdjacentHTML('beforeend', '<ul role=group><li role=treeitem tabindex=-1>a.py</li></ul>');"""
    state = await pressed(page, site, html, script)
    refs = [control.ref for _, row in state.rows() for control in row.controls] + [row.ref for _, row in state.rows()]
    assert len(refs) == len(set(refs))
    assert named(only(state).controls) == [("treeitem", "a.py")]


async def test_a_change_of_a_class_lists_nothing_of_the_page(page: Page, site: Site) -> None:
    many = "".join(f"<button>Button {number}</button>" for number in range(60))
    state = await pressed(page, site, many, "document.body.className = 'dark'")
    assert all(not row.controls for row in state.changed)
    assert len(state.nearby) <= 6


async def test_a_long_list_has_room_for_the_controls_after_it(page: Page, site: Site) -> None:
    options = "".join(f"<li role=option tabindex=-1>Option {number}</li>" for number in range(200))
    html = f"<div role=dialog aria-label=Choose><ul role=listbox>{options}</ul><button>OK</button></div>"
    state = await pressed(page, site, "<div id=there></div>", PUT.format(html), controls=10)
    row = only(state)
    assert (len(row.controls), row.omitted_controls) == (10, 191)
    assert named(row.controls)[0] == ("option", "Option 0")
    assert named(row.controls)[-1] == ("button", "OK")


async def test_all_rows_share_the_room_of_two(page: Page, site: Site) -> None:
    group = "".join(
        f"<fieldset id=f{at}><legend>{at}</legend>{''.join(f'<button>{at}.{n}</button>' for n in range(8))}</fieldset>"
        for at in range(3)
    )
    state = await pressed(page, site, "<div id=there></div>", PUT.format(group), controls=8)
    assert sum(len(row.controls) for row in state.appeared) == 16
    assert sum(row.omitted_controls for row in state.appeared) == 8


async def test_without_controls_there_are_none(page: Page, site: Site) -> None:
    html, _ = CONTAINERS["dialog"]
    state = await pressed(page, site, "<div id=there></div>", PUT.format(html), controls=0)
    assert all(not row.controls and not row.states for row in state.appeared)
    assert state.nearby == ()
    plain = await pressed(
        page, site, "<p id=there></p>", "document.getElementById('there').textContent = 1", controls=0
    )
    assert plain.nearby == ()


# -- repeated items ------------------------------------------------------------------------------


async def test_many_items_tell_how_to_reach_each(page: Page, site: Site) -> None:
    item = "<li><a href=#{0}>Item {0}</a><button onclick='document.title={0}'>Buy {0}</button></li>"
    old = "".join(item.format(number) for number in range(3))
    new = "".join(item.format(number) for number in range(3, 23))
    state = await pressed(
        page,
        site,
        f"<ul id=list>{old}</ul>",
        f"document.getElementById('list').insertAdjacentHTML('beforeend', `{new}`)",
    )
    row = only(state)
    assert isinstance(row, Row)
    assert row.count == 20
    assert row.each is not None
    items = range(3, 23)
    assert named(row.controls) == [pair for at in items for pair in (("link", f"Item {at}"), ("button", f"Buy {at}"))]
    for number in (0, 7, 19):
        await page.click(f"{row.each.selector} >> nth={row.each.first + number} >> button")
        assert await page.title() == str(3 + number)


# -- nothing to act on in the rows ---------------------------------------------------------------

FORM = """
<form onsubmit="return false"><label>Email <input id=mail></label><p id=error></p><button id=send>Send</button></form>
"""


async def test_a_filled_field_names_the_next_ones(page: Page, site: Site) -> None:
    fields = "<label>First <input id=a></label><label>Last <input id=b></label><button>Save</button>"
    await page.goto(site.html("/fields", AROUND + fields))
    state = change(await page.execute_sequence([SetValue("#a", value="Ada")]))
    assert named(state.nearby) == [("textbox", "Last"), ("button", "Save")]


async def test_an_error_names_the_field_and_the_button(page: Page, site: Site) -> None:
    await page.goto(site.html("/error", AROUND + FORM))
    await page.evaluate("send.onclick = () => { error.textContent = 'Not an address' }; 0")
    state = change(await page.execute_sequence([Click("#send")]))
    assert named(state.nearby) == [("textbox", "Email"), ("button", "Send")]


async def test_a_removal_names_what_is_left_beside_it(page: Page, site: Site) -> None:
    rows = "".join(f"<li id=i{n}>Item {n} <button>Delete {n}</button></li>" for n in range(1, 4))
    await page.goto(site.html("/removal", f"{AROUND}<ul>{rows}</ul>"))
    await page.evaluate("i2.querySelector('button').onclick = () => i2.remove(); 0")
    state = change(await page.execute_sequence([Click("#i2 button")]))
    assert named(state.nearby) == [("button", "Delete 1"), ("button", "Delete 3")]


@pytest.mark.parametrize("by", ["selector", "ref"])
async def test_a_change_elsewhere_names_controls_at_both_places(page: Page, site: Site, by: str) -> None:
    products = "".join(f"<article>Lamp {n} <button id=buy{n}>Buy {n}</button></article>" for n in range(1, 9))
    cart = "<div>Cart: <b id=count>0</b> <button>Check out</button></div>"
    await page.goto(site.html("/shop", f"{AROUND}{cart}<div style=height:1px></div>{products}"))
    await page.evaluate("buy5.onclick = () => { count.textContent++ }; 0")
    text = (await page.aria_snapshot()).text
    ref = text.partition('button "Buy 5" [ref=')[2].partition("]")[0]
    state = change(await page.execute_sequence([Click("#buy5" if by == "selector" else f"ref={ref}")]))
    names = [name for _, name in named(state.nearby)]
    assert "Check out" in names
    assert {"Buy 5", "Buy 6"} <= set(names)
    assert "Home" not in names


async def test_what_leads_around_the_site_is_named_where_there_is_nothing_else(page: Page, site: Site) -> None:
    await page.goto(site.html("/text", AROUND + "<main><p id=text>one</p></main>"))
    await page.evaluate("onkeydown = () => { text.textContent = 'two' }; 0")
    state = change(await page.execute_sequence([PressKey("a")]))
    assert named(state.nearby) == [("link", "Home")]


async def test_a_field_that_holds_a_letter_of_a_secret_does_not_show_it(page: Page, site: Site) -> None:
    boxes = "".join(f"<input id=b{n} maxlength=1 aria-label='Digit {n}'>" for n in range(4))
    await page.goto(site.html("/code", f"{boxes}<p id=note></p><button id=go>Go</button>"))
    await page.evaluate(
        """for (const box of document.querySelectorAll('input')) box.oninput = () => box.nextElementSibling?.focus();
        go.onclick = () => { note.textContent = 'Wrong' }; 0"""
    )
    await page.execute_sequence([{"action": "type_text", "selector": "#b0", "text": Secret("8264")}])
    state = change(await page.execute_sequence([Click("#go")]))
    assert state.nearby
    assert all(control.value in ("", REDACTED) for control in state.nearby)
