"""`tools/check_tests.py` finds each planted bet on the machine's pace; `make lint` runs it on the tests."""

from __future__ import annotations

import ast

import pytest

import check_tests
from check_tests import Module, check

SLEEP = "async def test_x():\n    await asyncio.sleep(0.1)"
CLOCK = "async def test_x():\n    began = time.monotonic()\n    await f()\n    "
LAUNCH = "async def test_x():\n    async with stillframe.launch() as browser: ..."


def found(text: str, name: str = "tests/tab/test_x.py") -> list[str]:
    """Return what the check says of one module, without the advice."""
    return [str(problem).partition(":")[2].partition(":")[0] for problem in check([Module(name, ast.parse(text))])]


def test_every_test_module_is_read() -> None:
    """`make lint` checks them; reading them again here would cost seconds."""
    assert all(list(check_tests.ROOT.glob(f"{folder}/**/test_*.py")) for folder in check_tests.FOLDERS)


@pytest.mark.parametrize(
    "text",
    [
        SLEEP,
        "def test_x():\n    time.sleep(1)",
        "async def test_x():\n    with y:\n        if z:\n            await asyncio.sleep(2)",
        "class TestX:\n    async def test_x(self):\n        await asyncio.sleep(0.1)",
        "@pytest.fixture\nasync def x():\n    await asyncio.sleep(0.1)",
    ],
)
def test_a_fixed_wait_is_found(text: str) -> None:
    (problem,) = check([Module("tests/tab/test_x.py", ast.parse(text))])
    assert problem.message.endswith("waits for a fixed time: await an event, or look again in a loop with a limit")


@pytest.mark.parametrize(
    "text",
    [
        "async def test_x():\n    await asyncio.sleep(0)",
        "async def test_x():\n    while y:\n        await asyncio.sleep(0.1)",
        "async def test_x():\n    async def serve(request):\n        await asyncio.sleep(1)",
        "async def test_x():\n    await asyncio.sleep(seconds)",
        "async def serve(request):\n    await asyncio.sleep(1)",
    ],
)
def test_a_turn_of_the_loop_a_look_again_and_a_slow_server_are_not_a_fixed_wait(text: str) -> None:
    assert found(text) == []


def test_the_tests_of_the_loop_s_clock_may_wait() -> None:
    assert found(SLEEP, "tests/cdp/test_loop_clock.py") == []


@pytest.mark.parametrize(
    "assertion",
    [
        "assert time.monotonic() - began < 3",
        "assert 3 >= time.monotonic() - began",
        "assert time.perf_counter() - began <= BOUND",
        "took = loop.time() - began\n    assert 0.1 <= took < 3",
        "assert (time.monotonic() - began) / 3 < 1.5",
    ],
)
def test_an_upper_bound_on_wall_time_is_found(assertion: str) -> None:
    (problem,) = found(CLOCK + assertion)
    assert problem.endswith("test_x bounds wall time without the marker serial")


@pytest.mark.parametrize(
    "assertion",
    [
        "assert time.monotonic() - began >= 0.3",
        "assert time.monotonic() - began < 20",
        "assert time.process_time() - began < 1",
        "assert page.now() < 3",
    ],
)
def test_other_bounds_are_fine(assertion: str) -> None:
    assert found(CLOCK + assertion) == []


@pytest.mark.parametrize(
    "marked",
    [
        "@pytest.mark.serial\n{}",
        "@pytest.mark.serial\nclass TestX:\n    {}",
        "pytestmark = [pytest.mark.browser, pytest.mark.serial]\n{}",
    ],
)
def test_what_runs_alone_may_bound_wall_time(marked: str) -> None:
    test = "def test_x():\n    assert time.time() - began < 3"
    indented = test.replace("\n", "\n    ") if "class" in marked else test
    assert found(marked.format(indented)) == []


def test_a_browser_of_ones_own_needs_a_reason() -> None:
    (problem,) = found(LAUNCH)
    assert problem.endswith("test_x starts a browser of its own")
    assert found(f'@pytest.mark.own_browser("it is killed")\n{LAUNCH}') == []
    assert found(LAUNCH.replace("launch()", "launch(virtual_time=True)")) == []
    assert found(LAUNCH, "tests/chrome/test_launcher.py") == []


def test_the_command_says_where_and_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_tests, "read", lambda root: [Module("tests/test_x.py", ast.parse(SLEEP))])
    assert check_tests.main() == 1
    assert capsys.readouterr().out.startswith("tests/test_x.py:2 test_x waits for a fixed time: await")
