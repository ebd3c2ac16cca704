"""MiniWoB++ by rules: page text as nodes, an honest judge, policies that keep the rules, some tasks end to end."""

from __future__ import annotations

import ast
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.miniwob import command, site
from bench.miniwob import policies as package
from bench.miniwob.episode import Episode, Policy, task_text
from bench.miniwob.harness import Outcome, Table
from bench.miniwob.nodes import find, one, parse
from bench.miniwob.playwright_side import TASKS, as_ours
from bench.miniwob.policies import policies
from bench.miniwob.policies.choosing import listed, meaning
from bench.miniwob.policies.geometry import bisector, dots
from bench.miniwob.policies.icons import misfit
from bench.miniwob.policies.tickets import tickets
from sampling import sampled
from stillframe import Click
from stillframe.api.browser import Browser
from stillframe.model.actions import Position

TEXT = """\
- text "Pick \\"Ann\\"."
- tablist
  - tab "One" [collapsed] [ref=e1]
  - tab "Two" [selected] [ref=e2]
    - button "Send" [ref=e3]
- textbox [hint="who"] [required] = "a ] \\" b" [ref=e4]
- listbox = "Ann" [options: "Ann", "Ben", 2 more] [ref=e5]
- text "Time left: 9 / 10sec"
"""
FEW = (
    "buy-ticket",
    "choose-date-easy",
    "circle-center",
    "click-checkboxes",
    "click-collapsible-2-nodelay",
    "click-shape",
)
"""Tasks of several families: tickets, calendars, points of a drawing, boxes to tick, sections, shapes by colour."""
FORBIDDEN = {
    "evaluate",
    "expose_function",
    "add_init_script",
    "content",
    "snapshot",
    "route",
    "cdp",
    "send",
    "send_raw",
    "attribute",
}
"""Calls that would let a policy look behind the page or run scripts in it."""
ALLOWED = ("bench.miniwob", "stillframe", "PIL")
SOURCES = sorted(Path(package.__file__).parent.glob("*.py"))


def ended(reward: float) -> Outcome:
    return Outcome("a", 1, reward, 0.1, 2, 3)


# -- page text ------------------------------------------------------------------------------------


def test_the_page_text_becomes_nodes_with_states_and_values() -> None:
    nodes = parse(TEXT)
    tab = one(nodes, "tab", selected=True)
    assert (tab.name, tab.selector, tab.level) == ("Two", "ref=e2", 1)
    assert [child.name for child in tab.children] == ["Send"]
    assert tab.parent is one(nodes, "tablist")
    box = one(nodes, "textbox")
    assert (box.states, box.value) == ({"hint": "who", "required": ""}, 'a ] " b')
    assert (one(nodes, "listbox").ref, one(nodes, "listbox").value) == ("e5", "Ann")
    assert one(nodes, "tablist").text == "One Two Send"


def test_a_node_that_is_not_there_is_named_with_what_is() -> None:
    nodes = parse(TEXT)
    assert find(nodes, ("tab", "button"), "Send") == [one(nodes, "button")]
    with pytest.raises(LookupError, match=r"no button named 'Save'.*button 'Send'"):
        one(nodes, "button", "Save")
    with pytest.raises(LookupError, match="no ref for tablist"):
        _ = one(nodes, "tablist").selector


def test_the_goal_and_the_rewards_are_not_part_of_the_task() -> None:
    assert task_text(TEXT, 'Pick "Ann".').splitlines()[0] == "- tablist"
    assert "Time left" not in task_text(TEXT, "")
    assert task_text(TEXT, "Something else").startswith("- text")


def test_the_page_text_of_playwright_becomes_ours() -> None:
    lines = (
        "- generic [ref=e1]:",
        '  - generic [ref=e2]: "Duration: 3"',
        '  - button "Book" [ref=e3] [cursor=pointer]',
        "  - text: 3h 4m",
    )
    nodes = parse(as_ours("\n".join(lines)))
    assert [(node.role, node.name, node.ref, node.level) for node in nodes] == [
        ("generic", "", "e1", 0),
        ("generic", "Duration: 3", "e2", 1),
        ("button", "Book", "e3", 1),
        ("text", "3h 4m", "", 1),
    ]


# -- rules ----------------------------------------------------------------------------------------


def test_what_a_goal_lists() -> None:
    assert listed("Select a b, c and click Submit.") == ["a b", "c"]
    assert listed("Select nothing and click Submit.") == []
    assert listed("Select Ann from the scroll list and click Submit.") == ["Ann"]
    with pytest.raises(ValueError, match="lists nothing"):
        listed("Click the button.")


def test_words_of_one_meaning() -> None:
    assert meaning("bunnies") == meaning("rabbit")
    assert meaning("TVs") == meaning("television")
    assert meaning("unheard") == "unheard" != meaning("big")


def test_tickets_have_the_duration_above_their_button() -> None:
    nodes = parse(
        '- text "14h 18m"\n- button "Book for $390" [ref=e1]\n- text "2h 0m"\n- button "Book for $12" [ref=e2]'
    )
    assert [(ticket.minutes, ticket.price) for ticket in tickets(nodes)] == [(858, 390), (120, 12)]


def test_a_bisector_halves_the_angle() -> None:
    assert bisector((0, 0), (10, 0), (0, 10)) == (5, 5)
    x, y = bisector((0, 0), (30, 0), (0, 10))
    assert x == pytest.approx(y)


def test_dots_are_told_apart_from_lines() -> None:
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (60, 40), "white")
    draw = ImageDraw.Draw(picture)
    draw.line((10, 10, 50, 30), fill="black")
    draw.ellipse((7, 7, 13, 13), fill="black")
    draw.ellipse((47, 27, 53, 33), fill="black")
    assert [(round(x - 0.5), round(y - 0.5)) for x, y in sorted(dots(picture, (0, 0, 0)))] == [(10, 10), (50, 30)]


def test_an_icon_fits_itself_only() -> None:
    bar = frozenset((x, y) for x in range(3, 9) for y in range(2, 4))
    place = frozenset({*bar, (20, 20)})
    assert misfit(frozenset((x + 9, y) for x, y in bar), place) == 0
    assert misfit(frozenset((y, x) for x, y in bar), place) > 0.5
    assert misfit(frozenset(), place) == 1


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_policies_use_neither_scripts_nor_selectors_of_a_task(source: Path) -> None:
    tree = ast.parse(source.read_text())
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not called & FORBIDDEN
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert all(name.startswith(ALLOWED) or name.split(".")[0] in sys.stdlib_module_names for name in imported)
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not [text for text in texts if text.startswith(("css=", "xpath=", "//")) or _is_css(text)]


def _is_css(text: str) -> bool:
    """Whether a text could be the selector of an id or a class."""
    return len(text) > 1 and text[0] in "#." and text[1:].replace("-", "").replace("_", "").isalpha()


def test_every_policy_is_for_a_registered_task(tasks: list[str]) -> None:
    assert len(tasks) == len(set(tasks)) == 128
    assert set(policies()) <= set(tasks)
    assert set(TASKS) <= set(policies())


# -- figures --------------------------------------------------------------------------------------


def test_a_task_is_solved_with_19_of_20_seeds() -> None:
    assert command.is_solved([ended(1.0)] * 19 + [ended(-1.0)])
    assert not command.is_solved([ended(1.0)] * 18 + [ended(0.0)] * 2)
    assert not command.is_solved([])


def test_an_unknown_task_is_a_mistake_in_what_was_asked(tasks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["click-test", "no-such-task"]) == command.USAGE
    assert "no task is named no-such-task" in capsys.readouterr().err
    assert command.main(["click-test", "--seeds", "0"]) == command.USAGE
    assert "1 or more" in capsys.readouterr().err
    assert command.main(["click-te*", "--list"]) == 0
    assert "click-test\n" in capsys.readouterr().out


# -- end to end -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tasks() -> list[str]:
    """All registered tasks."""
    try:
        return site.tasks()
    except site.NotInstalled as error:
        pytest.skip(f"MiniWoB++ is not installed here: {error}")


@pytest.fixture
async def origin(tasks: list[str]) -> AsyncIterator[str]:
    async with site.serving() as origin:
        yield origin


async def outcomes(
    browser: Browser, origin: str, task: str, policy: Policy, seeds: int = 3, **more: bool
) -> list[Outcome]:
    async with await browser.new_context() as context:
        table = Table(await context.new_page(), task, origin, **more)
        return [await table.run(policy, seed) for seed in range(1, seeds + 1)]


async def do_nothing(_: Episode) -> None:
    """Do nothing."""


async def click_anything(episode: Episode) -> None:
    """Click the last thing that has a ref, again and again, whatever comes."""
    for _ in range(3):
        nodes = [node for node in await episode.nodes() if node.ref]
        await episode.act(Click(nodes[-1].selector), timeout_ms=1000)


async def restart(episode: Episode) -> None:
    """Click a wrong button, and then the cover that starts another episode, in which the right one is clicked."""
    other = next(node for node in await episode.nodes() if node.role == "button" and node.name not in episode.goal)
    await episode.act(Click(other.selector))
    await episode.act(Click("text=START"))
    await policies()["click-dialog-2"](episode)


@pytest.mark.parametrize("task", sampled(FEW, keep=FEW[-1:]))
@pytest.mark.browser
async def test_rules_solve_tasks(browser: Browser, origin: str, task: str) -> None:
    for outcome in await outcomes(browser, origin, task, policies()[task]):
        assert outcome.solved, outcome
        assert 0 < outcome.calls <= outcome.single


@pytest.mark.parametrize("task", sampled(FEW, keep=FEW[:1]))
@pytest.mark.browser
async def test_who_does_nothing_solves_nothing(browser: Browser, origin: str, task: str) -> None:
    assert [outcome.reward for outcome in await outcomes(browser, origin, task, do_nothing)] == [0.0] * 3


@pytest.mark.slow  # a second episode, below, begins with a wrong click
@pytest.mark.browser
async def test_a_wrong_click_is_a_failure_and_says_why(browser: Browser, origin: str) -> None:
    failed = [each for each in await outcomes(browser, origin, "click-shape", click_anything, 4) if not each.solved]
    assert failed


@pytest.mark.browser
async def test_a_policy_or_a_task_that_fails_is_an_outcome(browser: Browser, origin: str) -> None:
    async def fail(_: Episode) -> None:
        raise RuntimeError("no rule")

    assert {each.problem for each in await outcomes(browser, origin, "click-test", fail, 1)} == {
        "RuntimeError: no rule"
    }
    (gone,) = await outcomes(browser, "http://127.0.0.1:1", "click-test", do_nothing, 1)
    assert not gone.solved
    assert gone.problem.startswith("the task did not start: NavigationFailed")


@pytest.mark.browser
async def test_a_second_episode_does_not_count(browser: Browser, origin: str) -> None:
    done = await outcomes(browser, origin, "click-dialog-2", restart, 1)
    assert not any(outcome.solved for outcome in done)


@pytest.mark.slow  # the rules above tell calls from single actions
@pytest.mark.browser
async def test_without_batching_each_action_is_a_call(browser: Browser, origin: str) -> None:
    task = "click-checkboxes-large"
    batched = await outcomes(browser, origin, task, policies()[task], 1)
    alone = await outcomes(browser, origin, task, policies()[task], 1, batch=False)
    assert all(outcome.solved for outcome in (*batched, *alone))
    assert [outcome.calls for outcome in alone] == [outcome.single for outcome in batched]
    assert all(one.calls < other.calls for one, other in zip(batched, alone, strict=True))


@pytest.mark.browser
async def test_an_episode_shows_the_task_alone(browser: Browser, origin: str) -> None:
    seen: dict[str, object] = {}

    async def look(episode: Episode) -> None:
        seen["text"] = await episode.text()
        seen["goal"] = episode.goal
        seen["size"] = (await episode.picture()).size
        button = one(await episode.nodes(), "button")
        box = await episode.box(button.ref)
        await episode.act(Click(button.selector, position=Position(box.width / 2, box.height / 2)))
        seen["calls"] = episode.calls

    assert [outcome.solved for outcome in await outcomes(browser, origin, "click-test", look, 1)] == [True]
    assert seen == {
        "text": '- button "Click Me!" [ref=e1]',
        "goal": "Click the button.",
        "size": (160, 210),
        "calls": 5,
    }


@pytest.mark.browser
def test_the_command_ends_with_the_number_of_tasks(tasks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["click-test", "click-pie", "--seeds", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "miniwob: 1 of 2 tasks"
