"""Refs in sequences: what a page renders again is found and reported, a neighbour never."""

from __future__ import annotations

import re

import pytest

from acting import locate
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import ElementNotFound, RefStale
from stillframe.model.actions import Click, SetValue, WaitFor
from stillframe.model.result import SequenceResult

ROWS = """<main><h1>People</h1><ul id=list></ul><p id=log></p></main><script>
const draw = (names) => { list.innerHTML = names.map((name) =>
  `<li>${name} <button onclick="log.textContent = 'edit ${name}'">Edit</button></li>`).join(""); };
draw(["Ann", "Bob", "Cid"]);
</script>"""

FORM = """<main><h1>Sign up</h1><div id=place></div><p id=log></p></main><script>
const draw = (name = "Account") => { place.innerHTML = `<form aria-label="${name}" onsubmit="return false">
  <label>E-mail <input oninput="log.textContent = value"></label>
  <button onclick="log.textContent = 'saved'">Save</button></form>`; };
draw();
</script>"""


async def refs_of(page: Page) -> dict[str, str]:
    """The ref of each line, by the line without it and what it is in."""
    found = {}
    for line in (await page.aria_snapshot()).text.splitlines():
        if match := re.fullmatch(r" *- (.*?) \[ref=(e\d+)\]", line):
            found[match[1]] = match[2]
        elif item := re.fullmatch(r' *- listitem "(\w+)"', line):
            found["row"] = item[1]
        if match and "row" in found:
            found[f"{found['row']} {match[1]}"] = match[2]
    return found


async def log(page: Page) -> str:
    return str(await page.evaluate("log.textContent"))


def code(result: SequenceResult) -> str:
    return result.failed.code if result.failed else "ok"


async def test_a_row_made_anew_elsewhere_is_found_by_its_words(page: Page, site: Site) -> None:
    await page.goto(site.html("/rows", ROWS))
    ref = (await refs_of(page))['Bob button "Edit"']
    await page.evaluate("draw(['Cid', 'Dan', 'Ann', 'Bob'])")
    result = await page.execute_sequence([Click(f"ref={ref}")])
    assert (code(result), await log(page)) == ("ok", "edit Bob")
    (healed,) = result.healed
    assert (healed.ref, healed.role, healed.name) == (ref, "button", "Edit")
    assert healed.new_ref != ref
    assert healed.score >= 0.7
    assert healed.margin >= 0.1
    assert healed.selector == "#list > li:nth-of-type(4) > button"
    # It means that one from now on, and says so each time.
    again = await page.execute_sequence([Click(f"ref={ref}"), Click(f"ref={healed.new_ref}")])
    assert (again.completed, again.healed) == (2, (healed,))
    assert again.to_dict()["healed"][0]["newRef"] == healed.new_ref
    assert "healed" not in (await page.execute_sequence([Click(f"ref={healed.new_ref}")])).to_dict()


SEARCHES_MS = 400
"""Time for some of the searches for an element that is gone, which go on for a second if there is time."""


@pytest.mark.parametrize("names", ["['Ann', 'Bobby']", "['Ann', 'Cid']", "['Cid']", "[]", "['Ann', 'Bob', 'Bob']"])
async def test_a_neighbour_is_never_taken(page: Page, site: Site, names: str) -> None:
    await page.goto(site.html("/rows", ROWS))
    ref = (await refs_of(page))['Bob button "Edit"']
    await page.evaluate(f"draw({names})")
    result = await page.execute_sequence([Click(f"ref={ref}")], action_timeout_ms=SEARCHES_MS)
    assert (code(result), await log(page), result.healed) == ("ref_stale", "", ())
    assert result.failed is not None
    assert "button 'Edit'" in result.failed.error


TICKING = """<main><h1>Sale</h1><ul id=list></ul><p id=log></p></main><script>let ticks = 0;
const draw = (names) => { list.innerHTML = names.map((name) =>
  `<li>${name}, ${ticks++} s left <button onclick="log.textContent = 'bid ${name}'">Bid</button></li>`).join("") }
let names = ["Ann", "Bob"]; draw(names); setInterval(() => draw(names), 250);
</script>"""


async def test_an_element_beside_a_clock_is_found_whenever_the_page_is_drawn(page: Page, site: Site) -> None:
    await page.goto(site.html("/ticking", TICKING))
    text = (await page.aria_snapshot()).text
    refs = re.findall(r'button "Bid" \[ref=(e\d+)\]', text)
    result = await page.execute_sequence([Click(f"ref={refs[1]}")])
    assert (code(result), await log(page)) == ("ok", "bid Bob")
    await page.evaluate("draw(names = ['Ann', 'Cid']), log.textContent = ''")
    result = await page.execute_sequence([Click(f"ref={refs[1]}")])
    assert (code(result), await log(page)) == ("ref_stale", "")


async def test_a_form_made_anew_goes_on_within_one_sequence(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    refs = await refs_of(page)
    await page.evaluate("draw()")
    mail, save = refs['textbox "E-mail"'], refs['button "Save"']
    result = await page.execute_sequence([SetValue(f"ref={mail}", "ann@x.test"), Click(f"ref={save}")])
    assert (code(result), await log(page)) == ("ok", "saved")
    assert [healed.ref for healed in result.healed] == [mail, save]


async def test_another_place_is_another_element(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    ref = (await refs_of(page))['button "Save"']
    twin = "draw(); place.firstChild.innerHTML += '<button>Save'"
    for change in ("draw('Billing')", twin, "draw(); place.setAttribute('role', 'dialog')"):
        await page.evaluate(change)
        with pytest.raises(RefStale) as caught:
            await locate(page._tab, f"ref={ref}", timeout=SEARCHES_MS / 1000)
        assert caught.value.candidates
        assert (caught.value.role, caught.value.name) == ("button", "Save")


async def test_healing_can_be_switched_off(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    ref = (await refs_of(page))['button "Save"']
    await page.evaluate("draw()")
    result = await page.execute_sequence([Click(f"ref={ref}")], heal=False)
    assert (code(result), await log(page)) == ("ref_stale", "")
    assert code(await page.execute_sequence([Click(f"ref={ref}")])) == "ok"
    assert code(await page.execute_sequence([Click(f"ref={ref}")], heal=False)) == "ref_stale"


async def test_a_page_loaded_again_has_the_same_elements_and_another_one_has_not(page: Page, site: Site) -> None:
    url = site.html("/form", FORM)
    await page.goto(url)
    ref = (await refs_of(page))['button "Save"']
    await page.reload()
    result = await page.execute_sequence([Click(f"ref={ref}")])
    assert (code(result), len(result.healed)) == ("ok", 1)
    await page.goto(site.html("/other", FORM))
    assert code(await page.execute_sequence([Click(f"ref={ref}")])) == "ref_stale"
    # The same address, another page.
    site.html("/form", FORM.replace("Sign up", "Log in"))
    await page.goto(url)
    assert code(await page.execute_sequence([Click(f"ref={ref}")])) == "ref_stale"


async def test_a_frame_that_shows_another_document_does_not_lend_its_node_ids(page: Page, site: Site) -> None:
    """A new process counts its nodes from the beginning: the number of a ref may be another element's."""
    near, far = site.html("/in", "<h1>In</h1><button>Go</button>"), site.url("/out", host="localhost")
    site.html("/out", "<h1>Out</h1><button>Stop</button>")
    await page.goto(site.html("/outer", f"<iframe id=f src='{far}'></iframe>"))
    await page.settle()
    ref = (await refs_of(page))['button "Stop"']
    again = site.url("/in", host="localhost")
    for url in (again, near):
        await page.evaluate(f"f.src = '{url}'")
        await page.execute_sequence([WaitFor(selector="frame=#f >> text=Go")])
        with pytest.raises(RefStale):
            await locate(page._tab, f"ref={ref}", timeout=SEARCHES_MS / 1000)
    await page.evaluate(f"f.src = '{far}'")
    await page.execute_sequence([WaitFor(selector="frame=#f >> text=Stop")])
    result = await page.execute_sequence([Click(f"ref={ref}")])
    assert (code(result), len(result.healed)) == ("ok", 1)


async def test_a_ref_is_of_one_page_alone(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        one = await context.new_page(site.html("/rows", ROWS))
        other = await context.new_page(one.url)
        first, second = await refs_of(one), await refs_of(other)
        assert not {*first.values()} & {*second.values()} - {"Cid"}
        with pytest.raises(RefStale):
            await locate(other._tab, "ref=" + first['Bob button "Edit"'])
        with pytest.raises(ElementNotFound, match="was never assigned"):
            await locate(one._tab, "ref=e9999")


async def test_what_is_gone_is_hidden_and_pictures_and_waits_heal(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    ref = (await refs_of(page))['button "Save"']
    await page.evaluate("draw()")
    assert await page.screenshot(selector=f"ref={ref}")
    assert (await page.aria_snapshot(scope=f"ref={ref}")).text.startswith('- button "Save"')
    result = await page.execute_sequence([WaitFor(selector=f"ref={ref}")])
    assert (code(result), len(result.healed)) == ("ok", 1)
    await page.evaluate("place.innerHTML = ''")
    assert code(await page.execute_sequence([WaitFor(selector=f"ref={ref}", state="hidden")])) == "ok"


async def test_every_row_of_a_delta_has_a_ref_that_resolves(page: Page, site: Site) -> None:
    await page.goto(site.html("/rows", ROWS + "<button id=more onclick=\"draw(['Dan', 'Eve'])\">More</button>"))
    result = await page.execute_sequence([Click("#more")])
    assert result.state_change is not None
    rows = [*result.state_change.appeared, *result.state_change.changed]
    assert rows
    for row in rows:
        handle = await locate(page._tab, f"ref={row.ref}")
        assert (await handle.call("function() { return this.tagName }")).lower() == row.tag_name
        await handle.release()
    for row in result.state_change.disappeared:
        with pytest.raises(RefStale):
            await locate(page._tab, f"ref={row.ref}", timeout=0.2)
