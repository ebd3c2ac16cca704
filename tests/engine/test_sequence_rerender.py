"""What was rendered again is compared by its content: after a reload, a remount, a page written again."""

from __future__ import annotations

import pytest

from shown import change, fields, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, Reload

GOODS = {"Milk": "1 €", "Bread": "3 €", "Salt": "2 €", "Honey": "7 €"}


def shop(goods: dict[str, str]) -> str:
    rows = "".join(f"<tr><td>{name}<td class=price>{price}" for name, price in goods.items())
    return (
        f"<title>Shop</title><nav><a href=/a>Home</a> <a href=/b>Basket</a></nav><h1>Goods</h1>"
        f"<table id=goods><tbody>{rows}</table><footer>Open every day</footer>"
    )


async def test_a_reload_tells_what_changed(page: Page, site: Site) -> None:
    await page.goto(site.html("/shop", shop(GOODS)))
    site.html("/shop", shop({**GOODS, "Bread": "4 €", "Figs": "6 €"}))
    state = change(await page.execute_sequence([Reload()]))
    assert [(row.from_, row.to) for row in state.changed] == [("3 €", "4 €")]
    assert [row.text for row in state.appeared] == ["Figs 6 €"]
    assert (state.disappeared, state.url, state.title, state.approximate) == ((), None, None, False)


async def test_a_reload_that_changes_nothing_is_not_a_change(page: Page, site: Site) -> None:
    await page.goto(site.html("/shop", shop(GOODS)))
    result = await page.execute_sequence([Reload()])
    assert (result.completed, result.state_change) == (1, None)


RENDER = """
const render = (bread) => {
  const rows = [["Milk", 1], ["Bread", bread], ["Salt", 2], ["Honey", 7]];
  return `<div class=app>${rows.map(([name, price]) =>
    `<div class=card><b>${name}</b> <span class=price>${price} €</span><button>Buy</button></div>`).join("")}</div>`;
};
const build = (bread) => {
  const app = document.createElement("div");
  app.innerHTML = render(bread);
  return app.firstElementChild;
};
root.innerHTML = render(3);
"""


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param("root.innerHTML = render(4)", id="inner_html"),
        pytest.param("root.replaceChildren(build(4))", id="remount", marks=pytest.mark.slow),
        pytest.param(
            "root.firstElementChild.replaceChildren(...build(4).children)", id="children", marks=pytest.mark.slow
        ),
    ],
)
async def test_a_render_tells_what_changed(page: Page, site: Site, turn: str) -> None:
    script = f"<script>{RENDER}go.onclick = () => {{ {turn} }}</script>"
    html = f"<h1>Goods</h1><button id=go>Go</button><div id=root></div>{script}"
    await page.goto(site.html("/app", html))
    state = change(await page.execute_sequence([Click("#go")]))
    assert {(row.field, row.from_, row.to) for row in state.changed} == {("textContent", "3 €", "4 €")}
    assert (state.appeared, state.disappeared) == ((), ())


async def test_a_page_written_again_tells_what_changed(page: Page, site: Site) -> None:
    html = shop(GOODS)
    again = html.replace("3 €", "4 €")
    await page.goto(site.html("/shop", html))
    before = await page.snapshot()
    await page.evaluate(f"document.open(); document.write({again!r}); document.close(); 0")
    delta = before.diff(await page.snapshot())
    assert [(row.from_, row.to) for row in delta.changed] == [("3 €", "4 €")]
    assert (delta.appeared, delta.disappeared) == ([], [])
    assert delta.matched > 20
    assert delta.rerendered > 3
    assert not delta.approximate


async def test_a_list_sorted_by_a_render_is_one_row(page: Page, site: Site) -> None:
    html = f"{shop(GOODS)}<button id=go>Sort</button><script>go.onclick = () => {{ goods.tBodies[0].innerHTML = "
    rows = "".join(f"<tr><td>{name}<td class=price>{GOODS[name]}" for name in reversed(GOODS))
    await page.goto(site.html("/shop", f"{html}`{rows}` }}</script>"))
    state = change(await page.execute_sequence([Click("#go")]))
    assert {(row.field, row.to) for row in state.changed} == {("order", "4 rows reordered; first: Honey 7 €")}
    assert (state.appeared, state.disappeared) == ((), ())


async def test_another_page_is_not_compared_row_by_row(page: Page, site: Site) -> None:
    basket = "<title>Basket</title><nav><a href=/a>Home</a> <a href=/b>Basket</a></nav><h1 id=top>Your basket</h1>"
    site.html("/basket", f"{basket}<p>It is empty.</p><p>Come back soon!</p><form id=mail><input name=mail></form>")
    await page.goto(site.html("/shop", shop(GOODS) + "<a id=go href=/basket>Go</a>"))
    state = change(await page.execute_sequence([Click("#go")]))
    assert state.changed == ()
    assert {"#top", "#mail"} <= set(selectors(state.appeared))
    assert "#goods" in selectors(state.disappeared)
    assert fields(state.changed) == set()
