"""Replies keep their budget on pages of any size, and a delta is never larger than the snapshot it replaces."""

from __future__ import annotations

import json
import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling import sampled
from site_server import Site
from stillframe.mcp.replies import STRUCTURED_FACTOR, Reply, fit_structured, to_result
from stillframe.mcp.resource_store import ResourceStore
from stillframe.mcp.settings import BUDGET, MIN_BUDGET

ROW = "<li><a href='#{n}'>Row {n}</a><button>Buy {n}</button><span>{n} in stock</span></li>"


def page_of(site: Site, elements: int) -> str:
    rows = "".join(ROW.format(n=number) for number in range(elements // 4))
    redo = "for(const b of document.querySelectorAll('li>span'))b.textContent='sold out '+'x'.repeat(40)"
    extra = "const u=document.querySelector('ul');u.innerHTML=u.innerHTML.replaceAll('Row','Line')"
    buttons = f'<button id=redo onclick="{redo}">redo</button><button id=remake onclick="{extra}">remake</button>'
    return site.html(f"/rows/{elements}", f"{buttons}<ul>{rows}</ul>")


def assert_within(answer, budget: int) -> None:
    assert len(answer.text) <= budget
    structured = json.dumps(answer.structured, ensure_ascii=False, separators=(",", ":"))
    assert len(structured) <= budget * STRUCTURED_FACTOR + 100


@pytest.mark.every_row
@pytest.mark.parametrize("elements", sampled([2_400, 4_400, 20_000], keep=[2_400, 4_400]))
async def test_replies_about_large_pages_keep_to_their_budget(call, site: Site, elements: int) -> None:
    opened = await call("navigate", url=page_of(site, elements))
    assert_within(opened, BUDGET)
    for budget in (MIN_BUDGET, 2_000, BUDGET):
        looked = await call("aria_snapshot", budget=budget)
        assert_within(looked, budget)
        assert looked.structured["pageText"]["total"] > looked.structured["pageText"]["shown"]
        assert looked.structured["pageText"]["cut"]
    many = await call.run({"action": "click_element", "selector": "#redo"}, limit=1000, budget=1_500)
    assert_within(many, 1_500)
    if elements // 4 <= 1000:
        assert many.links
        assert "more lines: read stillframe://reply/" in many.text
        whole = (await call.client.read_resource(many.links[0])).contents[0].text
        assert whole.count("sold out") > 500
    else:
        assert f"×{elements // 4}, such as" in many.text, many.text
    remade = await call.run({"action": "click_element", "selector": "#remake"})
    assert_within(remade, BUDGET)
    omitted = many.structured["stateChange"]["omitted"]["changed"]
    assert omitted + len(many.structured["stateChange"]["changed"]) >= elements // 4


async def test_a_delta_is_never_larger_than_the_snapshot_it_replaces(call, site: Site) -> None:
    rows = "".join(f"<p id=p{number}>{number}</p>" for number in range(9))
    for count in (1, 9):
        code = f"for(let i=0;i<{count};i++)document.getElementById('p'+i).textContent='now '+i"
        await call("navigate", url=site.html(f"/some/{count}", f'{rows}<button onclick="{code}">go</button>'))
        answer = await call.run({"action": "click_element", "selector": "button"}, limit=40)
        looked = await call("aria_snapshot")
        assert len(inside(answer.text)) <= len(inside(looked.text))
        assert ("most of the page changed" in answer.text) == (count == 9)


@pytest.mark.slow  # the test above has chosen pages
@pytest.mark.every_row
@pytest.mark.parametrize("seed", sampled(range(4), keep=[0]))
async def test_whatever_changes_the_reply_is_no_longer_than_the_page(call, site: Site, seed: int) -> None:
    draw = random.Random(seed)
    for number in range(4):
        count = draw.randint(1, 40)
        rows = "".join(f"<p id=p{n}>{'w' * draw.randint(0, 60)} {n}</p>" for n in range(count))
        steps = "".join(_step(draw, count) for _ in range(draw.randint(0, 30)))
        url = site.html(f"/draw/{seed}/{number}", f"{rows}<button onclick='{steps}'>go</button>")
        await call("navigate", url=url)
        answer = await call.run({"action": "click_element", "selector": "button"})
        looked = await call("aria_snapshot")
        assert len(inside(answer.text)) <= max(len(inside(looked.text)), len("nothing changed"))


def _step(draw: random.Random, count: int) -> str:
    element = f"document.getElementById(`p{draw.randrange(count)}`)"
    step = draw.choice(["textContent=`x`", "className=`c`", "remove()", "ariaLabel=`named`", "after(`more`)"])
    return f"{element}?.{step};" if "(" in step else f"if({element}){element}.{step};"


def inside(text: str) -> str:
    return text.partition(">>\n")[2].rpartition("\n<<")[0]


TEXTS = st.text(max_size=300)
ROWS = st.lists(st.fixed_dictionaries({"text": TEXTS, "from": TEXTS}), max_size=40)


@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 25)
@given(lines=st.lists(TEXTS, max_size=80), rows=ROWS, budget=st.integers(MIN_BUDGET, 4_000))
def test_no_reply_is_longer_than_its_budget(lines: list[str], rows: list[dict[str, str]], budget: int) -> None:
    store = ResourceStore(lambda: 0.0)
    structured = {"completed": 1, "stateChange": {"appeared": rows, "disappeared": [], "changed": rows}}
    reply = Reply(heads=["1 of 1 action done"], lines=lines, structured=structured)
    result = to_result(reply, budget=budget, session="s", title="t", store=store)
    text = result.content[0].text
    assert len(text) <= budget
    assert len(json.dumps(result.structured_content, ensure_ascii=False)) <= budget * STRUCTURED_FACTOR * 1.2 + 200
    if len(result.content) > 1:
        assert store.get(result.content[1].uri) is not None


async def test_a_reply_says_how_many_rows_a_list_left_out(call, site: Site) -> None:
    alerts = "<button id=go onclick='for (let i = 0; i < 30; i++) alert(i)'>Go</button>"
    await call("navigate", url=site.html("/alerts", alerts))
    many = await call.run({"action": "click_element", "selector": "#go"})
    assert many.structured["omitted"] == {"dialogs": 18}
    assert "… not listed: 18 dialogs" in many.text


def test_structured_content_that_is_cut_counts_what_it_left_out() -> None:
    rows = [{"url": "u" * 100} for _ in range(100)]
    told = {"refused": rows, "omitted": {"refused": 5, "late": 1}, "sessions": rows}
    short = fit_structured(told, 4_000)
    assert len(short["refused"]) < 100
    assert short["omitted"] == {"refused": 105 - len(short["refused"]), "late": 1}
    assert len(short["sessions"]) < 100
