"""The delta: one row for one thing, nothing for nothing.

Cases W5, W6, W8 to W11, W17c, W27, W28 and W30 to W32 of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import pytest

from sampling import sampled
from shown import EACH_RULE, change, fields, only_changed, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, Focus


async def test_w5_a_click_that_does_nothing_changes_nothing(page: Page, site: Site) -> None:
    await page.goto(site.url("/w05-no-op.html"))
    result = await page.execute_sequence([Click("#nothing")])
    assert await page.evaluate("clicks") == 1
    assert (result.completed, result.stable, result.reason) == (1, True, "no_effect")
    assert result.state_change is None
    assert result.to_dict()["stateChange"] is None


async def test_w6_a_text_node_is_one_changed_row(page: Page, site: Site) -> None:
    await page.goto(site.url("/w06-small-changes.html"))
    result = await page.execute_sequence([Click("#change-text")])
    assert only_changed(result) == {("#text", "textContent", "before", "after")}


async def test_w8_a_class_is_one_changed_row(page: Page, site: Site) -> None:
    await page.goto(site.url("/w06-small-changes.html"))
    result = await page.execute_sequence([Click("#change-class")])
    assert only_changed(result) == {("#class", "className", "calm", "calm bold")}


@EACH_RULE
async def test_w8_an_animation_without_end_does_not_block(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w06-small-changes.html"))
    result = await page.execute_sequence([Click("#animate")], settle=settle)
    assert result.stable, result.reason
    assert only_changed(result) == {("#wheel", "className", "", "busy")}


@pytest.mark.parametrize("button", ["#move", "#shuffle"])
async def test_w9_what_moved_is_one_thing(page: Page, site: Site, button: str) -> None:
    await page.goto(site.url("/w09-move.html"))
    result = await page.execute_sequence([Click(button)])
    state = change(result)
    assert (state.appeared, state.disappeared) == ((), ())
    assert selectors(state.changed) == ["#milk"]


async def test_w10_one_inserted_in_front_of_fifty(page: Page, site: Site) -> None:
    await page.goto(site.url("/w10-list.html"))
    result = await page.execute_sequence([Click("#insert")])
    state = change(result)
    assert [(row.tag_name, row.role, row.text) for row in state.appeared] == [("li", "listitem", "The same")]
    assert (state.disappeared, state.changed, state.omitted) == ((), (), None)
    # The row names the new one, not one of the fifty that look like it.
    assert await page.evaluate(f"document.querySelector({state.appeared[0].selector!r}) === list.firstElementChild")


async def test_w11_two_elements_of_one_look_keep_their_own_rows(page: Page, site: Site) -> None:
    await page.goto(site.url("/w11-same-selector.html"))
    state = change(await page.execute_sequence([Click("#go")]))
    assert {(row.field, row.from_, row.to) for row in state.changed} == {
        ("textContent", "left", "left changed"),
        ("textContent", "right", "right changed"),
    }
    assert len(state.changed) == 2
    assert len({row.ref for row in state.changed}) == 2
    for row in state.changed:
        assert await page.evaluate(f"document.querySelector({row.selector!r}).textContent") == row.to


async def test_w17c_one_replaced_by_another_is_both(page: Page, site: Site) -> None:
    await page.goto(site.url("/w17-late-render.html"))
    state = change(await page.execute_sequence([Click("#replace")]))
    assert [(row.selector, row.text) for row in state.appeared] == [("#new-row", "Quite another one")]
    assert [(row.selector, row.text) for row in state.disappeared] == [("#old-row", "Old row")]
    assert state.changed == ()


@pytest.mark.parametrize(
    ("button", "text"),
    [
        ("#plain", "0123456789" * 5),
        # A character outside the basic plane is one character, never half of one.
        ("#astral", "x" + "😀" * 49),
        # Seven code points make one family; an eighth does not fit whole.
        ("#family", "👩‍👩‍👧‍👦" * 7),
    ],
)
async def test_w27_long_text_is_cut_between_graphemes(page: Page, site: Site, button: str, text: str) -> None:
    await page.goto(site.url("/w27-long-text.html"))
    result = await page.execute_sequence([Click(button)], textLimit=50)
    (row,) = change(result).appeared
    assert row.selector == "#long"
    assert len(row.text) <= 50
    assert row.text.rstrip("…") in text
    assert len(row.text) >= 49
    result.to_json().decode()


async def test_w28_what_is_over_the_limit_is_counted(page: Page, site: Site) -> None:
    await page.goto(site.url("/w10-list.html"))
    state = change(await page.execute_sequence([Click("#flood")], limit=5))
    # Like changes share a row.
    lists = (state.appeared, state.disappeared, state.changed)
    assert [[row.count for row in rows] for rows in lists] == [[40], [30], [20]]
    assert state.omitted is not None
    assert (state.omitted.appeared, state.omitted.disappeared, state.omitted.changed) == (39, 29, 19)


async def test_w28_what_is_within_the_limit_is_not_counted(page: Page, site: Site) -> None:
    await page.goto(site.url("/w10-list.html"))
    state = change(await page.execute_sequence([Click("#flood")], limit=40))
    assert (len(state.appeared), len(state.disappeared), len(state.changed)) == (40, 30, 20)
    assert state.omitted is None


async def test_w30_focus_alone_is_not_a_change(page: Page, site: Site) -> None:
    await page.goto(site.url("/w05-no-op.html"))
    result = await page.execute_sequence([Focus("#field")])
    assert await page.evaluate("document.activeElement.id") == "field"
    assert (result.completed, result.state_change) == (1, None)


@pytest.mark.parametrize("kind", sampled(("open", "closed"), ("closed",)))
async def test_w31_a_change_in_a_shadow_root_is_reported(page: Page, site: Site, kind: str) -> None:
    await page.goto(site.url("/w31-depths.html"))
    state = change(await page.execute_sequence([Click(f"#{kind}-go")]))
    assert [row.text for row in state.appeared] == ["In the shadow"]
    assert {(row.field, row.from_, row.to) for row in state.changed} == {("textContent", "before", "after")}
    assert state.disappeared == ()


@pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("127.0.0.1",)))
async def test_w31_a_change_in_a_frame_is_reported(page: Page, site: Site, host: str) -> None:
    """`localhost` is another site than `127.0.0.1`, so that frame lives in another process."""
    await page.goto(site.url(f"/w31-depths.html?host={host}:{site.port}"))
    state = change(await page.execute_sequence([Click("#frame-go")]))
    assert [row.text for row in state.appeared] == ["In the frame"]
    assert {(row.field, row.from_, row.to) for row in state.changed} == {("textContent", "before", "after")}
    assert state.disappeared == ()


@pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
async def test_w31_acting_inside_a_frame_is_reported(page: Page, site: Site, host: str) -> None:
    await page.goto(site.url(f"/w31-depths.html?host={host}:{site.port}"))
    state = change(await page.execute_sequence([Click("frame=#frame >> #inner-go")]))
    assert [row.text for row in state.appeared] == ["In the frame"]
    assert len(state.changed) == 1


FORM = "<h2 id=sum>To pay: 20</h2><form id=card><input name=number><button type=button>Pay</button></form>"


@pytest.mark.parametrize("kind", sampled(("127.0.0.1", "srcdoc", "localhost"), ("localhost",)))
async def test_w31_a_frame_put_in_tells_what_is_inside(page: Page, site: Site, kind: str) -> None:
    """Both ways, whichever process it lives in, with refs that can be acted on."""
    site.html("/inner", FORM)
    content = f'srcdoc="{FORM}"' if kind == "srcdoc" else f"src={site.url('/inner', host=kind)}"
    frame = f"<div id=modal role=dialog><h1>Checkout</h1><iframe id=pay {content}></iframe></div>"
    await page.goto(site.html("/outer", "<button id=go>Go</button><button id=leave>Leave</button>"))
    await page.evaluate(
        f"go.onclick = () => document.body.insertAdjacentHTML('beforeend', {frame!r});"
        "leave.onclick = () => document.getElementById('modal').remove(); 0"
    )
    state = change(await page.execute_sequence([Click("#go")]))
    inside = ["frame=#pay >> #card", "frame=#pay >> #sum"]
    assert selectors(state.appeared)[0] == "#modal"
    assert sorted(selectors(state.appeared)[1:]) == inside
    assert {row.text for row in state.appeared} == {"Checkout", "Pay", "To pay: 20"}
    refs = {row.selector: row.ref for row in state.appeared}
    result = await page.execute_sequence([Click(f"ref={refs['frame=#pay >> #sum']}")])
    assert (result.failed, result.completed) == (None, 1)
    state = change(await page.execute_sequence([Click("#leave")]))
    assert sorted(selectors(state.disappeared)) == ["#modal", *inside]
    assert {row.selector: row.ref for row in state.disappeared} == refs
    assert (state.appeared, state.changed) == ((), ())


async def test_w31_a_page_with_a_frame_tells_what_is_inside(page: Page, site: Site) -> None:
    site.html("/inner", FORM)
    site.html("/shop", f"<h1 id=top>Shop</h1><iframe id=pay src={site.url('/inner', host='localhost')}></iframe>")
    await page.goto(site.html("/outer", "<a id=go href=/shop>Go</a>"))
    state = change(await page.execute_sequence([Click("#go")]))
    assert selectors(state.appeared)[:2] == ["#top", "#pay"]
    assert sorted(selectors(state.appeared)[2:]) == ["frame=#pay >> #card", "frame=#pay >> #sum"]
    assert selectors(state.disappeared) == ["#go"]


@pytest.mark.parametrize("kind", sampled(("open", "closed"), ("closed",)))
async def test_w31_the_ref_of_a_row_finds_its_element(page: Page, site: Site, kind: str) -> None:
    await page.goto(site.url("/w31-depths.html"))
    first = change(await page.execute_sequence([Click(f"#{kind}-go")]))
    result = await page.execute_sequence([Click(f"ref={first.appeared[0].ref}")])
    assert (result.failed, result.completed) == (None, 1)


async def test_w32_what_is_off_screen_is_reported(page: Page, site: Site) -> None:
    await page.goto(site.url("/w32-off-screen.html"))
    state = change(await page.execute_sequence([Click("#go")]))
    assert selectors(state.appeared) == ["#farther"]
    assert fields(state.changed) == {("#far", "textContent", "far away", "still far away")}


async def test_what_a_closed_details_holds_does_not_appear_when_a_script_measures_it(page: Page) -> None:
    """Chrome lays such content out once a script asks for its box, and captures show the box from then on."""
    await page.goto(
        "data:text/html,<details id=more><summary>More</summary><button id=deep>Deep</button></details>"
        "<button id=go onclick='deep.getBoundingClientRect(); said.textContent = `measured`'>Go</button><p id=said></p>"
    )
    change = (await page.execute_sequence([Click("#go")])).state_change
    assert change is not None
    assert [row.selector for row in change.appeared] == []
    assert [(row.selector, row.to) for row in change.changed] == [("#said", "measured")]
    opened = (await page.execute_sequence([Click("text=More")])).state_change
    assert opened is not None
    assert [row.selector for row in opened.appeared] == ["#deep"]
