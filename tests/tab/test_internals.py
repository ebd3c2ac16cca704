"""Custom elements that tell their role, name and states by `ElementInternals`, as Fluent and Material Web do."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click

ELEMENTS = """<meta charset=utf-8><body><script>
class Speaker extends HTMLElement {
  constructor() { super(); this.internals = this.attachInternals(); }
  connectedCallback() {
    this.style.cssText = "display: inline-block; width: 60px; height: 20px";
    this.internals.role = this.dataset.role;
    if (this.dataset.name) this.internals.ariaLabel = this.dataset.name;
    if (this.dataset.role === "radio") this.internals.ariaChecked = "false";
  }
}
customElements.define("x-go", class extends Speaker {});
customElements.define("x-field", class extends Speaker { static formAssociated = true; });
customElements.define("x-radio", class extends Speaker {
  constructor() {
    super();
    this.onclick = () => setTimeout(() => {
      for (const each of document.querySelectorAll("x-radio")) each.internals.ariaChecked = String(each === this);
    }, this.dataset.ms || 0);
  }
});
customElements.define("x-shut", class extends Speaker {
  constructor() {
    super();
    this.attachShadow({ mode: "closed" }).innerHTML = "<x-go id=within data-role=button data-name=Within></x-go>";
  }
});
</script>"""
RADIOS = """<x-radio id=red data-role=radio data-name=Red></x-radio>
<x-radio id=green data-role=radio data-name=Green data-ms=150></x-radio>"""


def changes(result: object) -> list[tuple[str, str, str]]:
    return [(row.selector, row.field, row.to) for row in result.state_change.changed]  # type: ignore[attr-defined]


async def test_a_state_that_an_element_keeps_to_itself_is_a_row(page: Page, site: Site) -> None:
    await page.goto(site.html("/radios", ELEMENTS + RADIOS))
    first = await page.execute_sequence([Click("role=radio[name='Red']")])
    assert changes(first) == [("#red", "checked", "true")]
    second = await page.execute_sequence([Click("role=radio[name='Green']")])
    assert sorted(changes(second)) == [("#green", "checked", "true"), ("#red", "checked", "false")]
    assert await page.locator("role=radio[checked=true]").count() == 1


@pytest.mark.every_row
@pytest.mark.parametrize(
    "selector",
    ["role=button[name='Start']", "label=Start", "role=button[name='Within']", "role=button[name='Inside']"],
)
async def test_an_element_is_found_by_what_it_says(page: Page, site: Site, selector: str) -> None:
    site.html("/inside", ELEMENTS + "<x-go data-role=button data-name=Inside></x-go>")
    html = "<x-go data-role=button data-name=Start></x-go><x-shut></x-shut><iframe src=/inside></iframe>"
    await page.goto(site.html("/speakers", ELEMENTS + html))
    frame = "frame=iframe >> " if "Inside" in selector else ""
    assert await page.locator(frame + selector).count() == 1
    text = (await page.aria_snapshot()).text
    assert all(f'button "{name}"' in text for name in ("Start", "Within", "Inside"))


async def test_an_attribute_overrides_what_an_element_says(page: Page, site: Site) -> None:
    html = "<x-go data-role=button data-name=Start role=link aria-label=Docs></x-go>"
    await page.goto(site.html("/both", ELEMENTS + html))
    assert await page.locator("role=link[name='Docs']").count() == 1
    assert await page.locator("role=button").count() == 0
    assert await page.locator("x-go").attribute("role") == "link"


async def test_an_attribute_that_is_asked_for_is_that_of_the_document(page: Page, site: Site) -> None:
    await page.goto(site.html("/plain", ELEMENTS + "<x-go data-role=button></x-go>"))
    assert await page.locator("x-go").attribute("role") is None


async def test_elements_that_label_an_element_name_it(page: Page, site: Site) -> None:
    html = """<p id=a>First</p><p id=b>name</p><x-go id=go data-role=textbox></x-go>
    <script>go.internals.ariaLabelledByElements = [a, b]</script>"""
    await page.goto(site.html("/labelled", ELEMENTS + html))
    assert await page.locator("role=textbox[name='First name']").count() == 1
    assert 'textbox "First name"' in (await page.aria_snapshot()).text


async def test_a_label_names_a_field_that_speaks_for_itself(page: Page, site: Site) -> None:
    html = """<label for=red>Red</label><x-field id=red data-role=radio></x-field>
    <label><x-field data-role=checkbox></x-field>News</label>"""
    await page.goto(site.html("/fields", ELEMENTS + html))
    text = (await page.aria_snapshot()).text
    for role, name in (("radio", "Red"), ("checkbox", "News")):
        assert f'{role} "{name}"' in text
        assert await page.locator(f"role={role}[name='{name}']").count() == 1


async def test_a_new_element_and_one_that_went_are_told_apart(page: Page, site: Site) -> None:
    html = """<button id=b>Swap</button><div id=at><x-go data-role=button data-name=Old></x-go></div>
    <script>b.onclick = () => at.innerHTML = "<x-go data-role=link data-name=New></x-go>"</script>"""
    await page.goto(site.html("/swap", ELEMENTS + html))
    assert 'button "Old"' in (await page.aria_snapshot()).text
    await page.click("#b")
    text = (await page.aria_snapshot()).text
    assert 'link "New"' in text
    assert "Old" not in text


async def test_the_page_sees_no_difference(page: Page, site: Site) -> None:
    html = """<script>
    const { attachInternals } = HTMLElement.prototype;
    let error = "";
    try { document.createElement("p").attachInternals() } catch ({ name }) { error = name }
    document.title = [attachInternals.name, attachInternals.length, typeof attachInternals.prototype, error,
      new (customElements.get("x-go"))().internals.constructor.name].join();
    </script>"""
    await page.goto(site.html("/seen", ELEMENTS + html))
    assert await page.title() == "attachInternals,0,undefined,NotSupportedError,ElementInternals"
