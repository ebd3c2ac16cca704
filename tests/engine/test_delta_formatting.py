"""Words that become bold, marked or a link have a row although their text is the same; equal ones have none."""

from __future__ import annotations

from site_server import Site
from stillframe.api.browser import Page
from stillframe.engine.delta import state_change

PLAIN, BOLD = "buy green tea", "buy <b>green</b> tea"
WRAP = "const e = document.createElement('{}'); e.href = '/tea'; e.append(x.firstChild); x.append(e); 0"
UNWRAP = "x.replaceChildren(...x.firstChild.childNodes); 0"


def became(html: str) -> str:
    return f"x.innerHTML = {html!r}; 0"


CASES = {
    "made bold": (PLAIN, became(BOLD), ["+ b green"]),
    "all of it made bold": (PLAIN, became(f"<strong>{PLAIN}</strong>"), [f"+ strong {PLAIN}"]),
    "wrapped as it is": (PLAIN, WRAP.format("mark"), [f"+ mark {PLAIN}"]),
    "below what only styles": (PLAIN, became("buy <span><s>green</s></span> tea"), ["+ s green"]),
    "bold no more": (BOLD, became(PLAIN), ["- b green"]),
    "bold words moved out": (f"<b>{PLAIN}</b>", UNWRAP, [f"- b {PLAIN}"]),
    "other words made bold": (BOLD, became("buy green <b>tea</b>"), ["+ b tea", "- b green"]),
    "another kind": (BOLD, became("buy <i>green</i> tea"), ["= i"]),
    "made a link": (PLAIN, WRAP.format("a"), [f"+ a {PLAIN}"]),
    "a link no more": (f"<a href=/tea>{PLAIN}</a>", UNWRAP, [f"- a {PLAIN}"]),
    "rendered again": (BOLD, became(BOLD), []),
    "styled alone": (PLAIN, became("buy <span class=hit>green</span> tea"), []),
    "an icon beside it": (PLAIN, became(f"<i class=icon></i>{PLAIN}"), []),
    "another text": (PLAIN, became("buy <b>black</b> tea"), ["= buy black tea"]),
}


async def test_formatting_has_rows(page: Page, site: Site) -> None:
    seen = {}
    for number, (name, (html, script, _)) in enumerate(CASES.items()):
        await page.goto(site.html(f"/{number}", f"<p id=x>{html}</p>"))
        before = await page.snapshot()
        await page.evaluate(script)
        state = state_change(before, await page.snapshot(), page._tab.refs, 12, ())
        seen[name] = (
            []
            if state is None
            else [
                *(f"+ {row.tag_name} {row.text}" for row in state.appeared),
                *(f"- {row.tag_name} {row.text}" for row in state.disappeared),
                *(f"= {row.to}" for row in state.changed),
            ]
        )
    assert seen == {name: rows for name, (_, _, rows) in CASES.items()}
