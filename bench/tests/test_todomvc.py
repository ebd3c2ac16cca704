"""The benchmark of TodoMVC: how a delta is compared with the oracle's lists, and the oracle on pages made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bench.doing import click
from bench.todomvc.check import State, faults
from bench.todomvc.play import ORACLE, PlayFailed, Step, ask, play, step
from bench.todomvc.report import tables
from bench.todomvc.work import BATCH, TODOS, Phase, add, churn, delete, one_by_one, tick, titles
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.change import ChangedRow, Omitted, Row, StateChange


def row(text: str = "", name: str = "", **more: Any) -> Row:
    return Row(selector="li", tag_name="li", role="listitem", name=name, text=text, ref="e1", **more)


def changed(field: str, was: str | None, now: str | None, name: str = "") -> ChangedRow:
    return ChangedRow(selector="input", tag_name="input", role="", name=name, field=field, from_=was, to=now, ref="e2")


def delta(**lists: tuple[Any, ...]) -> StateChange:
    return StateChange(**{"appeared": (), "disappeared": (), "changed": (), **lists})


A, AB = State({"A": False}, "1 item left", "all"), State({"A": False, "B": False}, "2 items left", "all")
TICKED = State({"A": True}, "0 items left", "all", clear=True)
ACTIVE = State({"A": False}, "2 items left", "active")
TWO_LEFT = changed("textContent", "1 item left", "2 items left")
ONE_LEFT = changed("textContent", "2 items left", "1 item left")
NONE_LEFT = changed("textContent", "1 item left", "0 items left")
CHECKED = changed("checked", "false", "true")
SELECTED = changed("className", None, "selected", "active")

# -- comparing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "change", "abouts"),
    [
        (A, A, None, []),
        (A, AB, delta(appeared=(row("B"),), changed=(TWO_LEFT,)), [["B"], []]),
        (A, AB, delta(appeared=(row("Some words that are c…"),), changed=(TWO_LEFT,)), [["B"], []]),
        (
            State({}),
            A,
            delta(
                appeared=(row("A"), row("1 item left")),
            ),
            [["A"], []],
        ),
        (AB, A, delta(disappeared=(row("B ×"),), changed=(ONE_LEFT,)), [None, []]),
        (A, TICKED, delta(appeared=(row("Clear completed"),), changed=(CHECKED, NONE_LEFT)), [[], ["A"], []]),
        (AB, ACTIVE, delta(disappeared=(row("B"),), changed=(SELECTED,)), [None, []]),
        (
            State({"A": False}),
            State({"B": True}),
            delta(changed=(changed("textContent", "A", "B"), CHECKED)),
            [["B"], ["B"]],
        ),
    ],
)
def test_a_delta_that_says_all(
    before: State, after: State, change: StateChange | None, abouts: Sequence[Sequence[str] | None]
) -> None:
    assert faults(before, after, change, abouts) == []


@pytest.mark.parametrize(
    ("before", "after", "change", "abouts", "fault"),
    [
        (A, AB, None, [], "no row shows that 'B' appeared"),
        (A, AB, delta(changed=(TWO_LEFT,)), [[]], "no row shows that 'B' appeared"),
        (A, AB, delta(appeared=(row("B"),)), [["B"]], "no row says '2 items left'"),
        (A, AB, delta(appeared=(row("B"), row("A")), changed=(TWO_LEFT,)), [["B"], ["A"], []], "'A' is new"),
        (A, AB, delta(changed=(TWO_LEFT, changed("className", None, "B"))), [[], ["B"]], "'B' appeared"),
        (AB, A, delta(changed=(ONE_LEFT,)), [[]], "no row says that 'B' is gone"),
        (AB, A, delta(disappeared=(row("B"), row("A")), changed=(ONE_LEFT,)), [None, None, []], "'A' is gone"),
        (A, TICKED, delta(appeared=(row("Clear completed"),), changed=(NONE_LEFT,)), [[], []], "'A' is done"),
        (A, TICKED, delta(appeared=(row("Clear completed"),), changed=(CHECKED,)), [[], ["B"]], "'A' is done"),
        (A, TICKED, delta(changed=(CHECKED, NONE_LEFT)), [["A"], []], "'Clear completed' appeared"),
        (TICKED, A, delta(changed=(changed("checked", "true", "false"),)), [["A"]], "'Clear completed' disappeared"),
        (TICKED, A, delta(changed=(CHECKED,)), [["A"]], "'A' is not done"),
        (A, A, delta(changed=(CHECKED,)), [["A"]], "'A' was ticked"),
        (AB, ACTIVE, delta(disappeared=(row("B"),)), [None], "the filter is 'active'"),
        (A, A, delta(omitted=Omitted(changed=2)), [], "2 changes are in no row"),
        (State({"A": False}), State({"A 2": False, "A": False}), delta(appeared=(row("A"),)), [[]], "'A 2' appeared"),
    ],
)
def test_a_delta_that_does_not(
    before: State, after: State, change: StateChange | None, abouts: Sequence[Sequence[str] | None], fault: str
) -> None:
    found = faults(before, after, change, abouts)
    assert any(fault in line for line in found), found


# -- the work -------------------------------------------------------------------------------------


def test_the_work_adds_ticks_deletes_filters_and_clears() -> None:
    counts = [[len(sequence) for sequence in phase.sequences] for phase in churn()]
    assert counts == [[40] * 5, [20, 20, 10], [40, 26], [1, 1, 1], [1]]
    (single,) = one_by_one()
    assert [len(sequence) for sequence in single.sequences] == [2] * TODOS
    assert f"{BATCH} at a time" in churn()[0].name


def test_no_title_is_a_part_of_another() -> None:
    every = titles()
    assert not any(one in other for one in every for other in every if one != other)


# -- real pages -----------------------------------------------------------------------------------

PAGE = """
<div id="app"><section><input class="new-todo"><ul class="todo-list"></ul><p class="todo-count"></p>
<p class="filters"><a class="selected" href="#/all">all</a></p></section></div>
<script>
  const field = document.querySelector('.new-todo'), list = document.querySelector('.todo-list');
  const count = () => { document.querySelector('.todo-count').textContent = `${list.querySelectorAll(':not(:checked).toggle').length} left`; };
  const add = (title) => {
    const item = document.createElement('li');
    item.innerHTML = '<input class="toggle" type="checkbox"><label></label><button class="destroy">x</button>';
    item.children[1].textContent = title;
    item.children[2].onclick = () => { item.remove(); count(); };
    item.children[0].onchange = count;
    list.append(item);
    count();
  };
  field.onkeydown = ({ key }) => { if (key === 'Enter') { add(field.value); field.value = ''; } };
</script>
"""  # noqa: E501
LATER_S = 0.5
"""How long a page is watched: longer than what it does late."""
LATE_MS = 100


async def opened(page: Page, site: Site, more: str = "") -> None:
    await page.cdp_session.call("Page.addScriptToEvaluateOnNewDocument", {"source": ORACLE})
    await page.goto(site.html("/todos", PAGE + more), settle=True)


async def test_a_page_that_is_right(page: Page, site: Site) -> None:
    every = titles(3)
    work = (
        Phase("add", tuple(add(title) for title in every)),
        Phase("tick", (tick(every[0]) + tick(every[2]),)),
        Phase("delete", (delete(every[1]),)),
    )
    steps = await play(page, site.html("/todos", PAGE), work, last_s=LATER_S)
    assert [(each.phase, each.actions) for each in steps] == [("add", 2)] * 3 + [("tick", 2), ("delete", 2)]
    assert [each.faults for each in steps] == [[]] * 5
    assert [each.late for each in steps] == [[]] * 5
    assert all(each.stable and not each.premature and each.delta_bytes and each.ms for each in steps)
    assert await ask(page, "state().todos") == {every[0]: True, every[2]: True}


async def test_todos_in_a_shadow_root(page: Page, site: Site) -> None:
    shadow = """<script>
      const host = document.createElement('todo-app'), all = document.querySelector('#app > section');
      host.attachShadow({ mode: 'open' }).append(all);
      document.querySelector('#app').prepend(host);
      document.querySelector = (selector) => host.shadowRoot.querySelector(selector) ?? Document.prototype.querySelector.call(document, selector);
    </script>"""  # noqa: E501
    await opened(page, site, shadow)
    for actions in (add("One"), tick("One"), delete("One")):
        done = await step(page, "shadow", actions, 0)
        assert done.faults == []
    assert await ask(page, "state().todos") == {}


async def test_the_oracle_sees_what_comes_after_the_answer(page: Page, site: Site) -> None:
    await opened(page, site)
    await page.evaluate(f"void setInterval(() => add('Late'), {LATE_MS})")
    watched = await step(page, "add", add("One"), LATER_S)
    assert "childList ul.todo-list" in watched.late
    assert "another list" in watched.late


async def test_the_oracle_sees_a_box_that_is_ticked_without_a_mutation(page: Page, site: Site) -> None:
    await opened(page, site)
    await step(page, "add", add("One"), 0)
    was = await ask(page, "state().todos")
    await page.evaluate("void (document.querySelector('.toggle').checked = true)")
    assert (was, await ask(page, "state().todos")) == ({"One": False}, {"One": True})


async def test_the_oracle_knows_which_todos_an_element_is_about(page: Page, site: Site) -> None:
    await opened(page, site)
    await step(page, "add", (*add("One"), *add("Two")), 0)
    selectors = [".todo-list", "li:nth-child(2) .toggle", "li", ".filters", "no >> css"]
    assert await ask(page, f"about({selectors})") == [["One", "Two"], ["Two"], None, [], None]


async def test_an_action_that_fails_ends_the_work(page: Page, site: Site) -> None:
    work = (Phase("clear", ((click(".no-such-button", timeoutMs=100),),)),)
    with pytest.raises(PlayFailed, match=r"clear: click_element: .*no-such-button"):
        await play(page, site.html("/todos", PAGE), work, last_s=0)


# -- figures --------------------------------------------------------------------------------------


def played(**more: Any) -> Step:
    figures = {"phase": "add", "actions": 2, "ms": 50, "settle_ms": 20, "delta_bytes": 100, "text_bytes": 400}
    said = {"capture_bytes": 1000, "stable": True, "faults": [], "late": []}
    return Step(**{**figures, **said, **more})


def test_the_tables_count() -> None:
    wrong = played(faults=["no row"], late=["childList ul"], ms=70)
    shaky = played(stable=False, late=["childList ul"])
    found = tables({"Vue": [played(), wrong], "jQuery": [shaky], "Lit": []}, {"Lit": "no such field"})
    by_name = {each.question: each for each in found}
    speed = by_name["todos, add: time per action"]
    assert {each.name: each.median for each in speed.rows} == {"jQuery": 25, "Vue": 30}
    assert speed.missing == {"Lit": "no such field"}
    contradicted = {each.name: each for each in by_name["todos: deltas that the oracle contradicts"].rows}
    assert (contradicted["Vue"].median, contradicted["jQuery"].median) == (1, 0)
    assert "add: no row" in contradicted["Vue"].note
    early = {each.name: each.median for each in by_name["todos: answers before the page was still"].rows}
    assert early == {"Vue": 1, "jQuery": 0}
