"""What the README shows is true: its Python runs, its JSON is accepted, its tables are those of the code."""

from __future__ import annotations

import asyncio
import builtins
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from model_server import KEY, ModelServer, decided

import stillframe
from phones import Phone
from stillframe import errors
from stillframe.agent.limits import CONSEQUENTIAL, Limits
from stillframe.api.browser import Page
from stillframe.api.events import PAGE_EVENTS
from stillframe.chrome import LaunchOptions
from stillframe.cli import app
from stillframe.cli.output import ExitCode
from stillframe.demo import Shop
from stillframe.demo.scenes import WATCH_CLOCK
from stillframe.model.action_list import ALIASES, parse_actions
from stillframe.model.actions import KINDS, Click, Hover, Navigate, WaitFor
from stillframe.model.options import SequenceOptions
from stillframe.model.result import SequenceResult
from stillframe.tab.locating.selectors import parse
from stillframe.tab.options import ContextOptions

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
NOT_OPTIONS = {"sessionId"}
ON_OCCASION = {
    *("failed", "steps", "captures", "console", "errors", "clock", "pageHash", "loops", "healed", "refused"),
    *("omitted", "pageText", "observed"),
}
"""The keys of a result that are there only for some options or some pages."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def table(heading: str) -> list[list[str]]:
    """Return the rows of the first table whose head begins with `heading`, as cells."""
    _, _, rest = README.partition(f"\n| {heading} |")
    assert rest, heading
    rows = rest.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in rows]


def first_code(cell: str) -> str:
    match = re.search(r"`([^`]+)`", cell)
    assert match, cell
    return match[1]


SCRIPTS = [block for block in blocks("python") if "asyncio.run(" in block]
SYNC = [block for block in blocks("python") if "stillframe.sync" in block]
PHONE = [block for block in blocks("python") if "stillframe.android(" in block]
AGENT = [block for block in blocks("python") if "stillframe.agent" in block]
FRAGMENTS = [block for block in blocks("python") if block not in SCRIPTS + SYNC + PHONE + AGENT]
COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("stillframe ")]


def test_the_first_example_is_the_file_it_names() -> None:
    example = (ROOT / "examples" / "login.py").read_text()
    assert [example.partition('"""\n\n')[2]] == SCRIPTS


@pytest.mark.browser
async def test_the_first_example_prints_what_the_readme_says() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, ROOT / "examples" / "login.py", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert out.decode() == blocks("text")[0]


@pytest.mark.browser
async def test_another_password_gives_another_delta(tmp_path: Path) -> None:
    changed = tmp_path / "changed.py"
    changed.write_text(SCRIPTS[0].replace("lantern", "torch"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, changed, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert "+ #login-error That name and password do not go together." in out.decode().splitlines()
    assert "#welcome" not in out.decode()


def promised(fragment: str) -> str:
    """Return what a fragment prints, according to the comments after its calls of `print`."""
    return "".join(f"{text}\n" for text in re.findall(r"^ *print\(.*\)  # (.*)$", fragment, re.MULTILINE))


@pytest.mark.parametrize("fragment", FRAGMENTS)
async def test_the_fragments_run_on_the_page_that_the_readme_shows(
    page: Page, fragment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(re.findall(r"\bprint\(", fragment)) == len(promised(fragment).splitlines()) > 0
    await page.goto("data:text/html," + quote(blocks("html")[0]))
    names: dict[str, Any] = {}
    exec("async def fragment(page):\n" + textwrap.indent(fragment, "    "), names)
    await names["fragment"](page)
    assert capsys.readouterr().out == promised(fragment)


JOIN = [
    {"action": "set_value", "selector": "label=Name", "value": "Ann"},
    {"action": "click_element", "selector": "text=Join"},
]


@pytest.mark.parametrize("fragment", AGENT)
async def test_the_fragment_about_the_agent_runs(
    page: Page, fragment: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await page.goto("data:text/html," + quote(blocks("html")[0]))
    names: dict[str, Any] = {}
    exec("async def fragment(page):\n" + textwrap.indent(fragment, "    "), names)
    async with ModelServer(
        decided({"status": "continue", "commands": JOIN}), decided({"status": "complete"})
    ) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        await names["fragment"](page)
    assert capsys.readouterr().out == promised(fragment) != ""


def test_every_limit_of_the_agent_is_named_with_its_default() -> None:
    shown: dict[str, str] = {}
    for named, values, _ in table("limit"):
        names = re.findall(r"`(\w+)`", named)
        several = values.split(", ") if len(names) > 1 else [values]
        shown |= dict(zip(names, several if len(several) > 1 else several * len(names), strict=True))
    defaults = {field.name: field.default for field in msgspec.structs.fields(Limits)}
    words: dict[Any, str] = {None: "none", (): "none", CONSEQUENTIAL: "words", True: "true"}
    assert shown == {
        name: f"{value:,}" if type(value) in (int, float) else words[value] for name, value in defaults.items()
    }


SHOP_APP = """data:text/html,<input id=name><p id=state>-</p>
<button aria-label='Buy now' onclick="state.textContent = 'bought'">Buy</button>"""


@pytest.mark.parametrize("fragment", PHONE)
async def test_the_fragments_about_phones_run(
    phone: Phone, fragment: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ADB_SERVER_SOCKET", f"tcp:{phone.server.address}")
    names: dict[str, Any] = {"stillframe": stillframe}
    exec("async def fragment():\n" + textwrap.indent(fragment, "    "), names)
    async with phone.running("com.example.shop", url=SHOP_APP):
        await names["fragment"]()
    assert capsys.readouterr().out == promised(fragment) != ""


@pytest.mark.browser
@pytest.mark.parametrize("script", SYNC)
async def test_the_scripts_without_asyncio_print_what_they_say(tmp_path: Path, script: str) -> None:
    path = tmp_path / "script.py"
    path.write_text(script)
    process = await asyncio.create_subprocess_exec(sys.executable, path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert out.decode() == promised(script) != ""


def test_the_json_shown_is_what_is_accepted_and_answered() -> None:
    result, actions, form = map(json.loads, blocks("json"))
    parse_actions(actions)
    parse_actions(form["actions"])
    fields = dict(zip(SequenceResult.__struct_encode_fields__, SequenceResult.__struct_fields__, strict=True))
    assert set(result) == set(fields) - ON_OCCASION


def test_every_key_of_a_result_is_explained() -> None:
    explained = {name for row in table("key") for name in re.findall(r"`([a-zA-Z]+)`", row[0])}
    assert explained == set(SequenceResult.__struct_encode_fields__)


async def test_the_json_shown_is_what_the_shop_answers(page: Page) -> None:
    shown, actions, _ = map(json.loads, blocks("json"))
    async with Shop() as shop:
        await page.goto(shop.url("/join"))
        await page.evaluate(WATCH_CLOCK)
        # The address was typed before: the README shows what the button led to.
        await page.execute_sequence(actions[:1])
        result = (await page.execute_sequence(actions[1:])).to_dict()
        await page.goto("about:blank")

    def rows(state: dict[str, Any]) -> list[Any]:
        return [{**row, "ref": ""} for row in [*state["appeared"], *state["disappeared"], *state["changed"]]]

    assert rows(result["stateChange"]) == rows(shown["stateChange"])
    assert (result["stable"], result["reason"]) == (shown["stable"], shown["reason"])


def test_every_action_is_named_with_its_class_and_its_call() -> None:
    shown: dict[str, tuple[str, str]] = {}
    for kinds, classes, calls in table("JSON | Python"):
        rows = zip(*(re.findall(r"`([^`]+)`", cell) for cell in (kinds, classes, calls)), strict=True)
        shown |= {kind: (name, call) for kind, name, call in rows}
    assert {kind: name for kind, (name, _) in shown.items()} == {kind: cls.__name__ for kind, cls in KINDS.items()}
    methods = [re.fullmatch(r"page\.(\w+)\(.*\)", call) for _, call in shown.values()]
    assert all(match and callable(getattr(Page, match[1])) for match in methods), shown


def test_every_name_of_playwright_that_json_accepts_is_named() -> None:
    section = README.partition("JSON also accepts Playwright's names:")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(ALIASES)


@pytest.mark.parametrize(
    ("heading", "fields"),
    [
        ("option of `launch`", LaunchOptions.__struct_fields__),
        ("option of a context", ContextOptions.__struct_fields__),
    ],
)
def test_every_option_of_a_browser_is_named(heading: str, fields: tuple[str, ...]) -> None:
    named = [name for row in table(heading) for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(named) == sorted(fields)


def test_every_event_is_named() -> None:
    named = {name for row in table("event of a page") for name in re.findall(r"`(\w+)`", row[0])}
    assert named == set(PAGE_EVENTS)


def test_errors_have_the_bases_that_the_readme_says() -> None:
    for named, base, _ in table("error"):
        classes = [getattr(errors, name) for name in re.findall(r"`(\w+)`", named)]
        assert classes
        assert all(issubclass(cls, getattr(builtins, base.strip("`")) if base else classes[0]) for cls in classes)


def test_the_contents_list_headings_that_exist() -> None:
    anchors = {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in headings()}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors


def headings() -> list[str]:
    return re.findall(r"^#+ (.*)$", README, re.MULTILINE)


def test_every_option_is_named_with_its_default() -> None:
    fields = SequenceOptions.__struct_encode_fields__
    defaults = dict(zip(fields, SequenceOptions.__struct_defaults__, strict=True))
    shown = {first_code(row[0]): row[1].strip("`") for row in table("JSON, Python")}
    assert set(shown) == set(fields) - NOT_OPTIONS
    for name, text in shown.items():
        expected = "–" if defaults[name] is None else str(defaults[name])
        assert text.lower() == expected.lower(), name


@pytest.mark.parametrize("row", table("selector"))
def test_every_selector_shown_parses(row: list[str]) -> None:
    for text in re.findall(r"`([^`]+)`", row[0]):
        if "…" not in text:
            parse(text)


def test_every_exit_code_is_named() -> None:
    rows = [(int(row[0]), row[1]) for row in table("exit code")]
    assert rows == [(code.value, code.meaning) for code in ExitCode]


@pytest.mark.parametrize(
    "line", [line for block in blocks("sh") for line in block.splitlines() if "stillframe " in line]
)
def test_every_command_line_is_spelled_right(line: str) -> None:
    import typer

    words = line.partition("#")[0].split()
    command = typer.main.get_command(app.cli)
    with command.make_context("stillframe", [*words[1:]]) as context:
        name, _, rest = command.resolve_command(context, [*context._protected_args, *context.args])  # type: ignore[attr-defined]
        assert name == words[1]
        assert rest == words[2:]


def test_every_file_that_is_linked_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README + (ROOT / "CONTRIBUTING.md").read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_file_that_contributing_names_exists() -> None:
    named = set(re.findall(r"`([\w./-]+\.(?:py|md|lock|pyi))`", (ROOT / "CONTRIBUTING.md").read_text()))
    places = (ROOT, ROOT / "python" / "stillframe")
    assert named
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def test_the_sequence_file_of_the_examples_is_the_login() -> None:
    assert len(parse_actions(json.loads((ROOT / "examples" / "login.json").read_text()))) == 3


# -- what it does not do -------------------------------------------------------------------------

TIMER = """data:text/html,<button id=go onclick="setTimeout(() => document.body.append('news'), 300)">go</button>"""
NEWS = """new Promise((resolve) => {
  const look = () => document.body.textContent.includes("news") ? resolve() : requestAnimationFrame(look);
  look();
})"""


async def test_observing_the_dom_misses_a_bare_timer_and_tells_of_it_the_next_time(page: Page) -> None:
    await page.goto(TIMER)
    missed = await page.execute_sequence([Click("#go")], observe="dom")
    assert (missed.stable, missed.state_change) == (True, None)
    await page.evaluate(NEWS)
    assert [late.what for late in (await page.execute_sequence([Hover("#go")])).late] == ["body"]


@pytest.mark.parametrize(
    ("more", "options"),
    [((), {}), ((), {"settle": "quiet"}), ((WaitFor(text="news"),), {"observe": "dom"})],
)
async def test_a_bare_timer_is_seen(page: Page, more: tuple[WaitFor, ...], options: dict[str, Any]) -> None:
    await page.goto(TIMER)
    result = await page.execute_sequence([Click("#go"), *more], **options)
    assert result.state_change is not None
    assert [row.to for row in result.state_change.changed] == ["news"]


async def test_another_document_is_told_by_its_topmost_elements(page: Page) -> None:
    async with Shop() as shop:
        await page.goto(shop.url("/login"))
        change = (await page.execute_sequence([Navigate(shop.url("/join"))])).state_change
        await page.goto("about:blank")
    assert change is not None
    assert change.url is not None
    assert change.changed == ()
    words = [row.text for row in change.appeared]
    assert any("Join" in text for text in words), words
    assert change.disappeared
