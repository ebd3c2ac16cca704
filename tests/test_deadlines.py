"""`tools/check_deadlines.py` finds each planted limit in seconds; `make lint` runs it on stillframe."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_deadlines as deadlines

TAKES = "{place}:1 takes `{parameter}`: take `deadline: Deadline` and pass it on"


@pytest.fixture(autouse=True)
def no_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "WIRE", {})


def checked(root: Path, text: str, module: str = "tab/asked.py") -> list[str]:
    path = root / module
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return list(deadlines.check(list(deadlines.parameters(root, path))))


@pytest.mark.parametrize(
    ("text", "place", "parameter"),
    [
        ("def ask(tab, timeout: float): ...", "tab.asked.ask", "timeout: float"),
        ("async def ask(tab, *, seconds: float | None = 30.0): ...", "tab.asked.ask", "seconds: float | None"),
        ("def ask(limit: 'float | None', /): ...", "tab.asked.ask", "limit: float | None"),
    ],
)
def test_a_limit_in_seconds_is_found(tmp_path: Path, text: str, place: str, parameter: str) -> None:
    (problem,) = checked(tmp_path, text)
    assert problem.startswith(TAKES.format(place=place, parameter=parameter))


def test_methods_and_inner_functions_are_found_by_their_dotted_names(tmp_path: Path) -> None:
    text = "class Page:\n    def ask(self, timeout: float):\n        def again(seconds: float): ..."
    assert [problem.partition(" ")[0] for problem in checked(tmp_path, text)] == [
        "tab.asked.Page.ask:2",
        "tab.asked.Page.ask.again:3",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "def ask(deadline: Deadline): ...",
        "def ask(timeout_ms: float): ...",
        "def ask(interval_s: float, quiet_s: float): ...",
        "def ask(limit: Limit): ...",
        "def ask(limit: int): ...",
        "def ask(timeout): ...",
    ],
)
def test_what_is_no_limit_in_seconds_passes(tmp_path: Path, text: str) -> None:
    assert checked(tmp_path, text) == []


def test_a_function_or_a_module_of_the_wire_may_take_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "WIRE", {"tab.asked.Frame": "its commands take seconds"})
    text = (
        "class Frame:\n    def call(self, timeout: float): ...\nclass Frames:\n    def call(self, timeout: float): ..."
    )
    assert [problem.partition(" ")[0] for problem in checked(tmp_path, text)] == ["tab.asked.Frames.call:4"]


def test_an_entry_of_the_wire_that_takes_no_seconds_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(deadlines, "WIRE", {"tab.gone": "it took seconds"})
    assert (deadlines.main(tmp_path), capsys.readouterr().out) == (
        1,
        "WIRE in tools/check_deadlines.py names tab.gone, where nothing takes seconds: remove it\n",
    )


def test_every_room_of_the_check_has_modules() -> None:
    assert all(deadlines.files(deadlines.SOURCE, room) for room in deadlines.ROOMS)
