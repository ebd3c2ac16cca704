"""The tables that people wrote are those of the code: nothing is missing in them, and nothing is there that is gone."""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import stillframe
from documents import DOCS, ROOT, names_in, table
from stillframe import errors
from stillframe.agent.limits import CONSEQUENTIAL, Limits
from stillframe.api.browser import Page
from stillframe.api.events import PAGE_EVENTS
from stillframe.api.keyboard import Keyboard
from stillframe.chrome.options import LaunchOptions
from stillframe.cli.crawl_command import CRAWL_EXITS
from stillframe.cli.output import ExitCode
from stillframe.model import events
from stillframe.model.action_list import ALIASES, parse_actions
from stillframe.model.actions import KINDS
from stillframe.model.options import SequenceOptions
from stillframe.model.result import SequenceResult
from stillframe.tab.context.options import ContextOptions
from stillframe.tab.locating.selectors import parse

HOW_TO = DOCS / "how-to"
NOT_OPTIONS = {"sessionId"}


def test_every_key_of_a_result_is_explained() -> None:
    explained = {name for row in table(HOW_TO / "read-results.md", "key") for name in re.findall(r"`(\w+)`", row[0])}
    assert explained == set(SequenceResult.__struct_encode_fields__)


def test_every_action_is_named_with_its_class_and_its_call() -> None:
    shown: dict[str, tuple[str, str]] = {}
    for row in table(HOW_TO / "act.md", "JSON | Python"):
        rows = zip(*map(names_in, row), strict=True)
        shown |= {kind: (name, call) for kind, name, call in rows}
    assert {kind: name for kind, (name, _) in shown.items()} == {kind: cls.__name__ for kind, cls in KINDS.items()}
    calls = [re.fullmatch(r"page\.(keyboard\.)?(\w+)\(.*\)", call) for _, call in shown.values()]
    assert all(call and callable(getattr(Keyboard if call[1] else Page, call[2])) for call in calls), shown


def test_every_name_of_playwright_that_json_accepts_is_named() -> None:
    text = (HOW_TO / "act.md").read_text("utf-8")
    section = text.partition("JSON also accepts Playwright's names:")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(ALIASES)


def test_every_option_of_a_sequence_is_named_with_its_default() -> None:
    fields = SequenceOptions.__struct_encode_fields__
    defaults = dict(zip(fields, SequenceOptions.__struct_defaults__, strict=True))
    shown = {names_in(row[0])[0]: row[1].strip("`") for row in table(HOW_TO / "wait.md", "JSON, Python")}
    assert set(shown) == set(fields) - NOT_OPTIONS
    for name, text in shown.items():
        expected = "–" if defaults[name] is None else str(defaults[name])
        assert text.lower() == expected.lower(), name


@pytest.mark.parametrize(
    ("page", "heading", "fields"),
    [
        ("launch-and-connect.md", "option of `launch`", LaunchOptions.__struct_fields__),
        ("proxies-and-emulation.md", "option of a context", ContextOptions.__struct_fields__),
    ],
)
def test_every_option_of_a_browser_is_named(page: str, heading: str, fields: tuple[str, ...]) -> None:
    named = [name for row in table(HOW_TO / page, heading) for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(named) == sorted(fields)


def test_every_event_is_named_with_its_value() -> None:
    rows = table(HOW_TO / "routes-and-events.md", "event of a page")
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row[0])} == set(PAGE_EVENTS)
    values = {names_in(row[1])[0] for row in rows if row[1].startswith("`")}
    known = {*stillframe.__all__, *vars(events)}
    assert values <= known


def test_errors_have_the_bases_that_their_table_says() -> None:
    for named, base, _ in table(HOW_TO / "errors.md", "error"):
        classes = [getattr(errors, name) for name in re.findall(r"`(\w+)`", named)]
        assert classes
        assert all(issubclass(cls, getattr(builtins, base.strip("`")) if base else classes[0]) for cls in classes)


def test_every_exit_code_is_named() -> None:
    rows = [(int(row[0]), row[1]) for row in table(HOW_TO / "shell.md", "exit code")]
    assert rows == [(code.value, code.meaning) for code in ExitCode]


def test_every_exit_code_of_a_crawl_is_named() -> None:
    rows = table(HOW_TO / "crawl.md", "`stillframe crawl` ends with")
    named = {int(code) for row in rows for code in row[0].split(", ")}
    assert named == {int(code) for code in re.findall(r"^ *(\d+) ", CRAWL_EXITS, re.MULTILINE)}


def test_every_limit_of_the_agent_is_named_with_its_default() -> None:
    shown: dict[str, str] = {}
    for named, values, _ in table(HOW_TO / "agent.md", "limit"):
        names = re.findall(r"`(\w+)`", named)
        several = values.split(", ") if len(names) > 1 else [values]
        shown |= dict(zip(names, several if len(several) > 1 else several * len(names), strict=True))
    defaults = {field.name: field.default for field in msgspec.structs.fields(Limits)}
    words: dict[Any, str] = {None: "none", (): "none", CONSEQUENTIAL: "words", True: "true"}
    assert shown == {
        name: f"{value:,}" if type(value) in (int, float) else words[value] for name, value in defaults.items()
    }


@pytest.mark.parametrize("row", table(DOCS / "reference" / "selectors.md", "selector"), ids=lambda row: row[0])
def test_every_selector_shown_parses(row: list[str]) -> None:
    for text in names_in(row[0]):
        if "…" not in text:
            parse(text)


def test_the_sequence_file_of_the_examples_is_accepted() -> None:
    actions = msgspec.json.decode((ROOT / "examples" / "login.json").read_bytes())
    assert len(parse_actions(actions)) == 3


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- (?:[^:\n]+: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = sorted(Path(page).relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
    assert sorted(listed) == pages
