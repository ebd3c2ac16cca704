"""What a delta says first, what it puts together, and what it leaves out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sampling import sampled
from shown import change
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, PressKey
from stillframe.model.change import ChangedRow, StateChange


async def pressed(page: Page, site: Site, html: str, script: str, **options: Any) -> StateChange:
    """What changes when a button runs a script."""
    await page.goto(site.html("/news", f"{html}<button id=go>Go</button>"))
    await page.evaluate(f"document.getElementById('go').onclick = () => {{ {script} }}; 0")
    return change(await page.execute_sequence([Click("#go")], **options))


def said(state: StateChange) -> list[tuple[str, str]]:
    """The rows in the order of report: what each is about, and what it says."""
    return [(row.selector, getattr(row, "text", None) or getattr(row, "to", "") or "") for _, row in state.rows()]


TABLE = """
<table id=people><caption>3 of 40</caption><thead><tr><th id=header aria-sort=none>Name</th><th>Age</th></tr></thead>
<tbody id=rows></tbody></table><div id=state role=status></div>
<script>
  people = Array.from({ length: 40 }, (_, at) => [`Person ${String(at).padStart(2, "0")}`, 20 + at]);
  box = (name) => `<input type=checkbox aria-label="Select ${name}">`;
  row = ([name, age]) => `<tr><td>${box(name)}</td><td>${name}</td><td>${age}</td></tr>`;
  show = (list) => { document.getElementById("rows").innerHTML = list.map(row).join(""); };
  show(people);
</script>
"""


@pytest.mark.parametrize("way", ["made again", "moved", "written over"])
async def test_a_sorted_table_says_what_is_first_now(page: Page, site: Site, way: str) -> None:
    sort = {
        "made again": "show([...people].reverse());",
        "moved": "rows.append(...[...rows.children].reverse());",
        "written over": """
            const all = [...people].reverse();
            [...rows.rows].forEach((row, at) => {
              row.cells[1].textContent = all[at][0]; row.cells[2].textContent = all[at][1];
            });""",
    }[way]
    state = await pressed(page, site, TABLE, f"{sort} header.setAttribute('aria-sort', 'descending');")
    (first, table), (_, header) = state.rows()[:2]
    assert (first, table.selector, table.count) == ("changed", "#people", 40)
    assert table.to.startswith("40 rows reordered; first: Person 39 59")  # type: ignore[union-attr]
    assert (header.selector, header.field, header.to) == ("#header", "aria-sort", "descending")  # type: ignore[union-attr]
    assert len(state.rows()) == 2


async def test_a_filtered_table_says_how_many_are_left(page: Page, site: Site) -> None:
    script = """
        show(people.slice(5, 10)); state.textContent = '5 people found';
        document.querySelector('caption').textContent = '5 of 40';"""
    state = await pressed(page, site, TABLE, script)
    assert said(state)[:3] == [
        ("#state", "5 people found"),
        ("#people", "5 rows; first: Person 05 25"),
        ("#people > caption", "5 of 40"),
    ]
    assert len(state.rows()) == 3


async def test_cells_are_reported_by_their_row(page: Page, site: Site) -> None:
    script = "rows.rows[3].cells[1].textContent = 'Zoe'; rows.rows[3].cells[2].textContent = '99';"
    state = await pressed(page, site, TABLE, script)
    ((_, row),) = state.rows()
    assert (row.tag_name, row.from_, row.to) == ("tr", "Person 03 23", "Zoe 99")  # type: ignore[union-attr]


async def test_boxes_that_are_checked_are_one_row(page: Page, site: Site) -> None:
    boxes = "document.querySelectorAll('#rows input').forEach((box) => { box.checked = true; });"
    state = await pressed(page, site, TABLE, boxes)
    ((_, row),) = state.rows()
    assert (row.field, row.to, row.count) == ("checked", "true", 40)  # type: ignore[union-attr]
    assert row.examples == ("Select Person 00", "Select Person 01")
    assert state.omitted is not None
    assert state.omitted.changed == 39
    assert state.unlisted() == 0


async def test_a_few_like_rows_are_listed(page: Page, site: Site) -> None:
    boxes = "[...document.querySelectorAll('#rows input')].slice(0, 3).forEach((box) => { box.checked = true; });"
    state = await pressed(page, site, TABLE, boxes)
    assert [row.name for _, row in state.rows()] == ["Select Person 00", "Select Person 01", "Select Person 02"]
    assert state.omitted is None


@pytest.mark.parametrize(
    ("made", "selector", "roles"),
    [
        pytest.param("<h1 id=new>The same words</h1>", "#new", ("paragraph", "heading"), marks=pytest.mark.slow),
        ("<ul><li id=new>The same words</li></ul>", "#new", ("paragraph", "listitem")),
    ],
)
async def test_an_element_of_another_kind_is_one_row(
    page: Page, site: Site, made: str, selector: str, roles: tuple[str, str]
) -> None:
    state = await pressed(page, site, "<div><p id=old>The same words</p></div>", f"old.outerHTML = `{made}`;")
    ((kind, row),) = state.rows()
    assert (kind, row.selector, row.field) == ("changed", selector, "role")  # type: ignore[union-attr]
    assert (row.from_, row.to) == roles  # type: ignore[union-attr]


NOISY = """
<a id=link href="/items?page=1">Items</a><div id=box class="css-1a2b3c card">Box</div><ul id=menu><li>One</li></ul>
<p id=line>before</p>
"""
CHURN = """
line.textContent = 'after';
link.href = '/items?page=1&from=box';
box.className = 'css-9z8y7x card';
menu.setAttribute('aria-owns', 'x1'); menu.setAttribute('aria-hidden', 'true');
"""


async def test_what_only_the_page_cares_for_does_not_get_a_row(page: Page, site: Site) -> None:
    state = await pressed(page, site, NOISY, CHURN)
    assert said(state) == [("#line", "after")]
    assert state.omitted is not None
    assert state.omitted.changed >= 3


async def test_what_only_the_page_cares_for_is_reported_where_there_is_room(page: Page, site: Site) -> None:
    state = await pressed(page, site, NOISY, CHURN, limit=40)
    assert {"textContent", "href", "className", "aria-owns", "aria-hidden"} <= {row.field for row in state.changed}
    assert said(state)[0] == ("#line", "after")


async def test_a_class_of_the_pages_own_is_a_row(page: Page, site: Site) -> None:
    state = await pressed(page, site, "<p id=line>text</p>", "line.className = 'highlight';")
    assert [(row.field, row.to) for row in state.changed] == [("className", "highlight")]


async def test_messages_come_first_and_whole(page: Page, site: Site) -> None:
    words = "The card was declined by the bank. " * 7
    script = f"""
        for (let at = 0; at < 3; at++) document.body.insertAdjacentHTML('beforeend', '<h2>Part ' + at + '</h2>');
        document.body.insertAdjacentHTML('beforeend', `<div class="form-errors"><p>{words}</p></div>`);
        document.body.insertAdjacentHTML('beforeend', `<section id=long><p>{words}</p><p>{words}</p></section>`);
    """
    state = await pressed(page, site, "", script)
    rows = [row for _, row in state.rows()]
    assert rows[0].text == words.strip()  # type: ignore[union-attr]
    (part,) = [row for row in rows if row.selector == "#long"]
    assert part.text == f"{(words * 2)[:299].rstrip()}…"  # type: ignore[union-attr]


async def test_text_limit_bounds_the_longest_texts(page: Page, site: Site) -> None:
    script = "document.body.insertAdjacentHTML('beforeend', `<p role=alert id=long>${'word '.repeat(500)}</p>`);"
    state = await pressed(page, site, "", script)
    assert len(state.appeared[0].text) == 300
    assert state.appeared[0].text.endswith("…")
    state = await pressed(page, site, "", script, text_limit=1000)
    assert 990 <= len(state.appeared[0].text) <= 1000
    state = await pressed(page, site, "", script, textLimit=0)
    assert (state.appeared[0].selector, state.appeared[0].text) == ("#long", "")


async def test_a_delta_has_never_no_effect(page: Page, site: Site) -> None:
    await page.goto(site.html("/field", "<input id=field aria-label=Field>"))
    result = await page.execute_sequence([{"action": "set_value", "selector": "#field", "value": "x"}])
    assert change(result).changed[0].to == "x"
    assert result.reason != "no_effect"


@pytest.mark.slow  # tests/engine/test_sequence_floods.py has a limit of zero
async def test_a_limit_of_zero_counts(page: Page, site: Site) -> None:
    state = await pressed(
        page, site, "", "document.body.append('text'); document.body.innerHTML += '<p>a</p>';", limit=0
    )
    assert state.rows() == ()
    assert state.omitted is not None
    assert state.omitted.appeared > 0


@pytest.mark.parametrize("number", sampled((60, 400), (60,)))
async def test_a_flood_of_alerts_is_bounded(page: Page, site: Site, number: int) -> None:
    script = f"""
        for (let at = 0; at < {number}; at++) {{
          const alert = document.createElement('div');
          alert.setAttribute('role', 'alert');
          alert.textContent = `${{at}} ${{'x'.repeat(20000)}}`;
          document.body.append(alert);
        }}"""
    state = await pressed(page, site, "", script)
    assert len(msgspec.json.encode(state)) < 2_000
    assert state.appeared[0].count == number
    assert state.omitted is not None
    assert state.omitted.appeared == number - 1


@pytest.mark.desktop
@pytest.mark.every_row
@pytest.mark.parametrize("number", sampled((1000, 10_000, 100_000), (1000,)))
@pytest.mark.parametrize("tag", ["tr", "p"])
async def test_a_change_of_many_rows_is_bounded(page: Page, site: Site, tag: str, number: int) -> None:
    made = {"tr": "`<tr><td>${at}<td>Row</tr>`", "p": "`<p>Row ${at}</p>`"}[tag]
    script = f"body.insertAdjacentHTML('beforeend', Array.from({{ length: {number} }}, (_, at) => {made}).join(''));"
    html = {"tr": "<table><tbody id=body></tbody></table>", "p": "<div id=body></div>"}[tag]
    state = await pressed(page, site, html, script, timeout_ms=60_000, action_timeout_ms=60_000)
    assert len(msgspec.json.encode(state)) < 1_000
    assert max(row.count for _, row in state.rows()) == number
    assert state.omitted is not None
    assert sum(msgspec.structs.astuple(state.omitted)) >= number - 1


async def test_what_comes_late_has_its_rows(page: Page, site: Site) -> None:
    html = "<p id=line>before</p><button id=later>Later</button><button id=none>None</button>"
    await page.goto(site.html("/late", html))
    await page.evaluate("go = new Promise((done) => { later.onclick = () => { finish = done; }; }); 0")
    await page.execute_sequence([Click("#later")])
    await page.evaluate("new Promise((done) => { setTimeout(() => { line.textContent = 'after'; done(); }, 0); })")
    result = await page.execute_sequence([Click("#none")])
    assert result.state_change is None
    (late,) = [row for row in result.late if row.kind == "changes"][-1:]
    assert late.state_change is not None
    assert [(row.from_, row.to) for row in late.state_change.changed] == [("before", "after")]


async def test_page_text_comes_on_request(page: Page, site: Site) -> None:
    await page.goto(site.html("/text", "<h1>Shop</h1><p>Ten lamps</p><button>Buy</button>"))
    result = await page.execute_sequence([Click("button")], pageText=500)
    assert result.page_text is not None
    assert 'heading "Shop"' in result.page_text.text
    assert result.to_dict()["pageText"]["text"] == result.page_text.text
    assert (await page.execute_sequence([Click("button")])).page_text is None


async def test_another_page_of_the_site_says_what_is_new_on_it(page: Page, site: Site) -> None:
    nav = "<nav><a href=/one>One</a><a href=/two>Two</a><a href=/three>Three</a></nav><footer><p>Imprint</p></footer>"
    site.html(
        "/two", f"<title>Two</title>{nav}<main><div class=alert>Saved.</div><h1>Second</h1><p>Its words.</p></main>"
    )
    await page.goto(site.html("/one", f"<title>One</title>{nav}<main><h1>First</h1><p>Other words.</p></main>"))
    state = change(await page.execute_sequence([Click("text=Two")]))
    assert said(state)[0][1] == "Saved."
    words = {text for _, text in said(state)}
    assert {"Saved.", "Second", "Its words."} <= words


async def test_an_option_that_goes_to_another_list_is_a_row(page: Page, site: Site) -> None:
    html = """
        <select id=one multiple size=6 aria-label=One><option value=1>Red<option value=2>Blue</select>
        <select id=two multiple size=6 aria-label=Two><option value=3>Green</select>"""
    script = "one.innerHTML = '<option value=2>Blue'; two.innerHTML = '<option value=3>Green<option value=1>Red';"
    state = await pressed(page, site, html, script)
    assert [(row.name, row.field, row.from_, row.to) for row in state.changed] == [("Red", "parent", "#one", "#two")]
    assert (state.appeared, state.disappeared) == ((), ())


async def test_an_animation_in_a_shadow_tree_is_awaited(page: Page, site: Site) -> None:
    """It ends, and only then the page takes the dialog away: no timer tells."""
    html = "<div id=host></div>"
    script = """
        const root = host.attachShadow({ mode: 'open' });
        root.innerHTML = '<p>Going</p>';
        const moved = root.querySelector('p').animate([{ opacity: 1 }, { opacity: 0 }], { duration: 400 });
        moved.finished.then(() => { root.innerHTML = '<b>Gone</b>'; });"""
    state = await pressed(page, site, html, script)
    assert [row.text for row in state.appeared] == ["Gone"]


async def test_a_number_that_css_takes_from_an_attribute_is_a_row(page: Page, site: Site) -> None:
    html = "<style>b::after{content:attr(data-count)}</style><b id=cart data-count=2>Cart </b><p id=p data-seen=1>A"
    state = await pressed(page, site, html, "cart.dataset.count = 3; p.dataset.seen = 2;")
    assert [(row.selector, row.from_, row.to) for row in state.changed] == [("#cart", "Cart 2", "Cart 3")]


@pytest.mark.parametrize(
    ("script", "row"),
    [
        ("done.append(card);", ("#card", "Write tests", "parent")),
        ("card.className = 'finished';", ("#card", "Write tests", "className")),
        ("page.className = 'finished';", ("#page", "", "className")),
    ],
)
@pytest.mark.every_row  # the last one is a part of the page, and its words are not a name
async def test_what_has_no_name_is_called_by_its_words(
    page: Page, site: Site, script: str, row: tuple[str, str, str]
) -> None:
    html = (
        "<style>.finished{opacity:.5}</style><main id=page><ul id=open><li id=card>Write tests<li>Review</ul>"
        f"<ul id=done><li>Plan</ul><p>{'All that is to be done this week. ' * 3}</main>"
    )
    state = await pressed(page, site, html, script)
    assert [(each.selector, each.name, each.field) for each in state.changed] == [row]


SMOOTH = "<style>html{scroll-behavior:smooth}</style>"
SCROLLS = {
    "a call": ("", "last.scrollIntoView({ behavior: 'smooth' })"),
    "a call to the window": ("", "scrollTo({ top: 3000, behavior: 'smooth' })"),
    "a call to an element": ("", "box.scrollTo({ top: 900, behavior: 'smooth' })"),
    "a call, by style": (SMOOTH, "last.scrollIntoView()"),
    "a link": (SMOOTH, "link.click()"),
    "a position": (SMOOTH, "document.documentElement.scrollTop = 2000"),
    "the fragment": (SMOOTH, "location.hash = 'last'"),
    "the focus": (SMOOTH, "far.focus()"),
    "a link into a box": ("<style>#box{scroll-behavior:smooth}</style>", "inner.click()"),
}


@pytest.mark.parametrize("kind", SCROLLS)
@pytest.mark.every_row
async def test_smooth_scrolling_is_awaited(page: Page, site: Site, kind: str) -> None:
    style, script = SCROLLS[kind]
    html = (
        "<style>#go{position:fixed;top:0} #box{height:200px;overflow:auto}</style><p id=out></p>"
        "<a id=link href=#last>Last</a><a id=inner href=#part>Part</a>"
        "<div id=box><div style='height:1000px'></div><p id=part>Part</div>"
        f"<div style='height:3000px'></div><p id=last>Last <button id=far>Far</button>{style}"
    )
    ended = "addEventListener('scrollend', () => { out.textContent = 'there' }, { once: true, capture: true });"
    state = await pressed(page, site, html, f"{ended} {script}")
    assert "there" in [row.to for row in state.changed]


@pytest.mark.parametrize("key", ["PageDown", "End", " ", "ArrowDown"])
async def test_scrolling_by_a_key_is_awaited(page: Page, site: Site, key: str) -> None:
    ended = "onscrollend = () => { out.textContent = 'there' }"
    await page.goto(site.html("/tall.html", f"<p id=out></p><div style='height:3000px'></div><script>{ended}</script>"))
    result = await page.execute_sequence([PressKey(key)])
    assert await page.evaluate("out.textContent") == "there"
    assert result.stable


@pytest.mark.parametrize(("count", "rows"), [(5, 5), (20, 1)])
async def test_a_few_texts_that_come_have_a_row_each(page: Page, site: Site, count: int, rows: int) -> None:
    script = f"for (let at = 0; at < {count}; at++) box.insertAdjacentHTML('beforeend', `<p>part ${{at}}`)"
    state = await pressed(page, site, "<div id=box></div>", script)
    assert len(state.appeared) == rows
    assert sum(row.count for row in state.appeared) == count


STEPS = {
    "elements, by frames": ("box.style.marginTop = `${step}px`", "requestAnimationFrame(loop)"),
    "elements, by a timer": ("box.style.marginTop = `${step}px`", "setTimeout(loop, 30)"),
    "elements, by an interval": ("box.style.marginTop = `${step}px`", ""),
    "the view, by frames": ("scrollTo(0, 20 * step)", "requestAnimationFrame(loop)"),
    "the view, by an interval": ("document.documentElement.scrollTop += 20", ""),
}


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.every_row
async def test_a_loop_of_the_page_that_acts_is_awaited_until_it_acts_no_more(page: Page, site: Site, kind: str) -> None:
    """The loop was there before, with a rhythm, so it is not an effect of the action; what it does is."""
    move, again = STEPS[kind]
    html = (
        "<style>#go{position:fixed;top:0}</style><div id=box style='height:3000px'>tall</div>"
        f"<script>step = goal = rounds = 0; loop = () => {{ rounds++; if (step < goal) {{ step++; {move} }} {again} }};"
        f"{'loop()' if again else 'setInterval(loop, 30)'}</script>"
    )
    await page.goto(site.html("/loop.html", f'{html}<button id=go onclick="goal = 12">Go</button>'))
    await page.evaluate("new Promise((seen) => { look = () => rounds > 6 ? seen() : setTimeout(look, 10); look() })")
    result = await page.execute_sequence([Click("#go")])
    assert await page.evaluate("step") == 12
    assert result.stable


async def test_what_comes_in_above_the_view_is_not_scrolling(page: Page, site: Site) -> None:
    """It moves the page, which reports a scroll and no end of it."""
    script = "first.insertAdjacentHTML('beforebegin', '<p style=height:200px>more')"
    html = "<style>#go{position:fixed;top:0}</style><p id=first>first<div style='height:3000px'>tall</div>"
    await page.goto(site.html("/anchored.html", f'{html}<button id=go onclick="{script}">Go</button>'))
    await page.evaluate("new Promise((heard) => { onscrollend = heard; scrollTo(0, 500) })")
    result = await page.execute_sequence([Click("#go")])
    assert await page.evaluate("scrollY") > 600
    assert result.stability_wait_ms < 600


EDITOR = """
<div id=editor contenteditable><div class=line><br></div></div><p id=count>0 words</p>
<script>
  write = (line, words) => {
    line.innerHTML = words.map((word) => `<span class=token>${word}</span>`).join(" ");
  };
</script>
"""


async def test_what_an_editor_makes_of_a_text_is_its_text(page: Page, site: Site) -> None:
    script = """
        const [line] = editor.children;
        write(line, ['const', 'answer', '=', '42']);
        line.insertAdjacentHTML('afterend', '<div class=line>second line</div>');
        count.textContent = '6 words';"""
    state = await pressed(page, site, EDITOR, script)
    assert said(state) == [("#count", "6 words"), ("#editor", "const answer = 42 second line")]


async def test_a_picture_in_an_editor_has_a_row_though_no_word_changed(page: Page, site: Site) -> None:
    picture = "editor.insertAdjacentHTML('beforeend', '<img id=%s alt=%s width=9 height=9>')"
    state = await pressed(page, site, EDITOR, f"{picture % ('one', 'Boat')}; {picture % ('two', 'Oar')};")
    assert {selector for selector, _ in said(state)} == {"#one", "#two"}


async def test_the_one_text_in_wrappers_is_reported_whole(page: Page, site: Site) -> None:
    text = "Traceback (most recent call last): in line 1 of the first cell: ZeroDivisionError: division by zero"
    html = f"<div class=area><div class=prompt></div><div class=output><pre>{text}</pre></div></div>"
    state = await pressed(
        page, site, "<div id=cell><p>1 / 0</p></div>", f"cell.insertAdjacentHTML('beforeend', {html!r})"
    )
    assert said(state) == [(".output > pre", text)]


async def test_a_menu_of_boxes_that_others_had_too_is_one_row(page: Page, site: Site) -> None:
    item = "<li role=menuitem><div class=icon></div><div>{}</div><div class=key></div><div class=arrow></div></li>"
    menu = f"<div><ul role=menu>{''.join(item.format(word) for word in ('Cut', 'Copy', 'Paste'))}</ul></div>"
    boxes = "<div id=bar><div class=icon></div><div class=key></div><div class=arrow></div></div>"
    script = f"bar.remove(); document.body.insertAdjacentHTML('beforeend', {menu!r})"
    state = await pressed(page, site, boxes, script)
    assert [(row.role, row.text) for row in state.appeared] == [("menu", "Cut Copy Paste")]


async def test_a_text_that_stands_in_two_places_is_one_row(page: Page, site: Site) -> None:
    counter = "<div class=bar><span class=counter>0 of 100 selected</span></div>"
    script = "for (const each of document.querySelectorAll('.counter')) each.textContent = '0 of 11 selected';"
    state = await pressed(page, site, f"{counter}<p>Products</p>{counter}", script)
    ((_, row),) = state.rows()
    assert isinstance(row, ChangedRow)
    assert (row.from_, row.to, row.count) == ("0 of 100 selected", "0 of 11 selected", 2)
    assert row.examples == ("0 of 11 selected",)


async def test_the_footer_of_a_page_that_was_loaded_again_comes_last(page: Page, site: Site) -> None:
    body = "<form><button id=ask>Ask</button></form><main>{}</main><footer>Made in {} ms</footer>"
    url = site.html("/asked", body.format("<p>Ask for it.</p>", 12))
    await page.goto(url)
    site.html("/asked", body.format("<table><tr><th>longest</th></tr><tr><td>3147</td></tr></table>", 345))
    state = change(await page.execute_sequence([Click("#ask")]))
    tags = [row.tag_name for _, row in state.rows()]
    assert (tags[0], tags[-1]) == ("table", "footer")


# -- many like elements --------------------------------------------------------------------------

AROUND = """<nav aria-label=Main><a href=#orders>Orders</a></nav><h1 id=welcome>Hi</h1>
<form role=search><input aria-label=Find><button>Search</button></form>"""
NUMBERED = {
    "rows with ids": "<div id=row{0}>row {0} with much more text than the heading has</div>",
    "cards with ids": "<div id=card{0}><p>row {0} with more text than the heading</p><button>Buy {0}</button></div>",
    "paragraphs": "<p>row {0} with much more text than the heading has</p>",
    "groups": "<h2>Group {0} with a longer title than that of the page</h2><ul><li>row {0}</li></ul>",
}


@pytest.mark.parametrize("kind", NUMBERED)
@pytest.mark.parametrize("way", ["another page", "put in"])
async def test_many_like_rows_push_out_nothing_else(page: Page, site: Site, kind: str, way: str) -> None:
    html = AROUND + "".join(NUMBERED[kind].format(number) for number in range(200))
    if way == "put in":
        state = await pressed(page, site, "<div id=app></div>", f"document.getElementById('app').innerHTML = `{html}`")
    else:
        await page.goto(site.html("/login", f"<a id=in href='{site.html('/home', html)}'>In</a>"))
        state = change(await page.execute_sequence([Click("#in")]))
    shown = [row for name, row in state.rows() if name == "appeared"]
    roles = [row.role for row in shown]
    assert {"navigation", "heading", "search"} <= set(roles)
    assert next(row.selector for row in shown if row.role == "heading") == "#welcome"
    assert any(row.count == 200 for row in shown)
    assert len(shown) <= 6


async def test_a_dozen_elements_with_ids_keep_a_row_each(page: Page, site: Site) -> None:
    html = "".join(f"<p id=p{number}>text {number}</p>" for number in range(12))
    state = await pressed(page, site, "<div id=app></div>", f"document.getElementById('app').innerHTML = `{html}`")
    assert [row.count for row in state.appeared] == [1] * 12
