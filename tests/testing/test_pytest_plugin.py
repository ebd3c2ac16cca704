"""The plugin for pytest in projects of its users, each run in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from nested_pytest import own_folder
from stillframe.testing import pytest_plugin
from stillframe.testing.pytest_fixtures import file_name
from stillframe.trace.reading import read_trace

ROOT = Path(__file__).parent.parent.parent
PLUGIN = "stillframe.testing.pytest_plugin"
LIMIT_S = 120

PAGE = """
import pytest

@pytest.fixture(scope={scope!r})
def stillframe_launch_options(stillframe_launch_options):
    return {{**stillframe_launch_options, "allow_schemes": ["data"]}}

URL = "data:text/html,<title>Shop</title><button onclick='document.title=1'>Buy</button>"
"""
PASSES = """
async def test_passes(page):
    await page.goto(URL)
    await page.click("text=Buy")
    assert await page.title() == "1"
"""
FAILS = """
async def test_fails(page, stillframe_trace):
    await page.goto(URL)
    await page.click("text=Buy")
    assert stillframe_trace(await page.context.new_page()).name == "2.trace.jsonl"
    assert await page.title() == "sold"
"""
FORGETS = """
async def test_forgets(page):
    await page.goto(URL)
    await page.click("#nowhere", action_timeout_ms=50)
"""
SOFT = """
async def test_soft(page):
    from stillframe.testing import expect
    await page.goto(URL)
    await expect.soft(page).to_have_title("A", timeout_ms=1)
    await expect.soft(page.locator("button")).to_have_text("B", timeout_ms=1)
    print("went on")
"""
TAPED = """
async def test_taped(stillframe_cassette):
    async with stillframe_cassette(allow_schemes=["data"]) as browser:
        page = await browser.new_page(URL)
        await page.click("text=Buy")
        print("launched:", browser.info.pid is not None)
        assert await page.title() == "1"
"""

IN_A_FIXTURE = """
@pytest.fixture
async def taped(stillframe_cassette):
    async with stillframe_cassette(allow_schemes=["data"]) as browser:
        yield browser

async def test_in_a_fixture(taped):
    page = await taped.new_page(URL)
    await page.click("text=Buy")
    print("launched:", taped.info.pid is not None)
    assert await page.title() == "1"
"""

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the tests in a module of a new project, and return what pytest prints."""
    given = environment() | own_folder(tmp_path_factory.mktemp("nested"))
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")

    def run(module: str, *options: str, scope: str = "function") -> str:
        (tmp_path / "test_shop.py").write_text(PAGE.format(scope=scope) + module)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *active(), *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, env=given)
        return done.stdout + done.stderr

    return run


AUTO = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")


def active() -> tuple[str, ...]:
    """Return the options that load the plugin if this environment was made before it had its entry point."""
    installed = any(entry.value == PLUGIN for entry in entry_points(group="pytest11"))
    return () if installed else ("-p", PLUGIN)


def environment() -> dict[str, str]:
    """Return the environment of a user, who has set nothing of this run."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "STILLFRAME"))}


def outcomes(out: str) -> dict[str, int]:
    last = out.strip().splitlines()[-1]
    return {name: int(number) for number, name in re.findall(r"(\d+) (passed|failed|errors?)", last)}


def traces(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.trace.jsonl"))


def test_the_wheel_declares_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"stillframe": PLUGIN}


def test_it_imports_nothing_large_until_a_fixture_is_used() -> None:
    program = (
        f"import sys, pytest, {PLUGIN}; print([m for m in sys.modules if m.startswith(('stillframe', 'msgspec'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    inner = [
        "assertions",
        "assertions.places",
        "errors",
        "assertions.errors",
        "assertions.soft",
        "testing.pytest_fixtures",
        "testing.pytest_plugin",
    ]
    assert done.stdout.strip() == str(["stillframe", "stillframe.testing", *(f"stillframe.{name}" for name in inner)])


PIDS = "PIDS = []\n" + "".join(
    f"async def test_{n}(browser, page):\n    assert page.browser is browser\n    PIDS.append(browser.info.pid)\n"
    for n in range(2)
)
SESSION = ("-o", "asyncio_default_test_loop_scope=session", "-o", "asyncio_default_fixture_loop_scope=session")


@pytest.mark.browser
def test_traces_of_failures_and_cassettes_of_one_browser_for_all_tests(run: Run, tmp_path: Path) -> None:
    """Two runs of one project, because a process and a browser for each of its tests take longer than they do."""
    counted = PIDS + "def test_count():\n    assert len(set(PIDS)) == 1\n"
    module, session = PASSES + TAPED + IN_A_FIXTURE, ("-o", "asyncio_mode=auto", *SESSION)

    options = (*session, "--stillframe-record=once", "--screenshot=only-on-failure")
    out = run(module + FAILS + FORGETS + SOFT + counted, *options, scope="session")

    assert outcomes(out) == {"passed": 6, "failed": 3}, out
    assert re.search(
        r"^E +stillframe\.assertions\.errors\.AssertionFailed: 2 soft assertions did not hold", out, re.MULTILINE
    ), out
    assert "went on" in out
    assert re.search(r"^E +stillframe\.errors\.ElementNotFound: .*#nowhere", out, re.MULTILINE), out
    assert "def raise_for_failure" not in out, "what pytest shows ends with the call"
    folder = "test-results/test_shop.py-test_fails"
    kept = [f"{folder}/1.trace.jsonl", f"{folder}/2.trace.jsonl", f"{folder[:-5]}forgets/1.trace.jsonl"]
    assert traces(tmp_path) == [*kept, f"{folder[:-5]}soft/1.trace.jsonl"]
    assert sorted(path.parent.name for path in tmp_path.rglob("test-failed-1.png")) == [
        "test_shop.py-test_fails",
        "test_shop.py-test_forgets",
        "test_shop.py-test_soft",
    ]
    assert f"{folder}/test-failed-1.png" in out
    assert f"stillframe trace show {folder}/1.trace.jsonl" in out
    assert "test_passes" not in "".join(os.listdir(tmp_path / "test-results"))
    trace = read_trace(tmp_path / traces(tmp_path)[0])
    assert trace.is_complete
    assert {"call", "sequence", "screenshot"} <= {record["type"] for record in trace.records}
    assert out.count("launched: True") == 2, out
    before = cassettes(tmp_path)
    assert sorted(before) == ["test_in_a_fixture.cassette", "test_taped.cassette"]

    replayed = run(module, *AUTO, "--stillframe-trace", "off", "--stillframe-output", "out")

    assert outcomes(replayed) == {"passed": 3}, replayed
    assert replayed.count("launched: False") == 2
    assert cassettes(tmp_path) == before
    assert not (tmp_path / "out").exists()


@pytest.mark.browser
def test_strict_mode_works_with_markers_keeps_a_trace_if_asked_for_and_misses_a_cassette(
    run: Run, tmp_path: Path
) -> None:
    strict = ("-o", "asyncio_mode=strict", *AUTO[2:])
    module = f"@pytest.mark.asyncio{PASSES}@pytest.mark.asyncio{TAPED}"
    out = run(module, *strict, "--stillframe-trace", "on", "--stillframe-output", "out")
    assert outcomes(out) == {"passed": 1, "failed": 1}, out
    assert len(traces(tmp_path / "out")) == 1
    assert "record it with --stillframe-record=once" in out, "by default nothing is recorded"


@pytest.mark.slow  # the first test has the session
@pytest.mark.browser
@pytest.mark.parametrize(("scope", "browsers"), [("function", 2), ("session", 1)])
def test_one_browser_serves_all_tests_of_one_event_loop(run: Run, tmp_path: Path, scope: str, browsers: int) -> None:
    options = {"function": AUTO, "session": ("-o", "asyncio_mode=auto", *SESSION)}
    module = f"{PIDS}def test_count():\n    assert len(set(PIDS)) == {browsers}\n"
    no_traces = ("--stillframe-trace", "off", "--stillframe-output", "out")
    assert outcomes(run(module, *options[scope], *no_traces, scope=scope)) == {"passed": 3}
    assert not (tmp_path / "out").exists()


def test_a_project_s_own_fixtures_win_and_headed_is_passed_to_the_launch(run: Run) -> None:
    module = (
        "@pytest.fixture\ndef browser():\n    return 'mine'\n@pytest.fixture\ndef page(browser):\n    return browser\n"
        "def test_mine(page):\n    assert page == 'mine'\n"
        "def test_it(stillframe_launch_options):\n    assert stillframe_launch_options['headless'] is False\n"
    )
    out = run(module, *AUTO, "--headed")
    assert outcomes(out) == {"passed": 2}, out


def test_a_device_and_a_base_url_are_options_of_the_context(run: Run) -> None:
    module = (
        "def test_it(stillframe_context_options):\n"
        "    assert stillframe_context_options['base_url'] == 'http://a/'\n"
        "    assert stillframe_context_options['device'] == 'Pixel 7'\n"
    )
    out = run(module, *AUTO, "--base-url=http://a/", "--device=Pixel 7")
    assert outcomes(out) == {"passed": 1}, out


def films(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.webm"))


TWO_PAGES = """
async def test_two(page):
    for each in (page, await page.context.new_page()):
        await each.goto(URL)
        await each.click("text=Buy")
    assert False

class TestOwn:
    @pytest.fixture
    def stillframe_context_options(self, stillframe_context_options):
        return {**stillframe_context_options, "record_video_dir": "own"}

    async def test_own(self, page, stillframe_launch_options):
        await page.goto(URL)
        await page.click("text=Buy")
        assert stillframe_launch_options["slow_mo"] == 1.5
"""


@pytest.mark.needs("ffmpeg")
def test_films_of_failures_are_kept_and_actions_are_slow_if_asked_for(run: Run, tmp_path: Path) -> None:
    stale = tmp_path / "test-results" / file_name("test_shop.py::test_forgets") / "video-2.webm"
    stale.parent.mkdir(parents=True)
    stale.touch()
    session = (*AUTO[:2], *SESSION)
    options = (*session, "--video=retain-on-failure", "--slowmo=1.5", "--stillframe-trace=off")
    out = run(PASSES + FORGETS + TWO_PAGES, *options, scope="session")
    assert outcomes(out) == {"passed": 2, "failed": 2}, out
    own, *others = films(tmp_path)
    assert own.startswith("own/")
    home = "test-results/test_shop.py-test"
    assert others == [f"{home}_forgets/video.webm", f"{home}_two/video-1.webm", f"{home}_two/video-2.webm"]
    assert f"in {home}_forgets" in out


@pytest.mark.parametrize(
    ("installed", "names"),
    [
        ((), {"headed": 2, "video": 2, "slowmo": 2, "base-url": 2, "record": 1}),
        (("pytest-base-url",), {"headed": 2, "video": 2, "slowmo": 2, "base-url": 1, "record": 1}),
        (("pytest-playwright",), {"headed": 1, "video": 1, "slowmo": 1, "base-url": 1, "record": 1}),
    ],
)
def test_short_options_exist_where_no_other_plugin_has_them(
    monkeypatch: pytest.MonkeyPatch, installed: tuple[str, ...], names: dict[str, int]
) -> None:
    monkeypatch.setattr(pytest_plugin, "_is_installed", installed.__contains__)
    assert {name: len(pytest_plugin.names_of(name)) for name in names} == names


def test_beside_a_plugin_with_the_same_names_only_the_long_ones_exist(run: Run, tmp_path: Path) -> None:
    rival = "import pytest\n@pytest.fixture\ndef page():\n    return 'theirs'\n"
    (tmp_path / "rival.py").write_text(rival)
    conftest = "import rival\ndef pytest_configure(config):\n    config.pluginmanager.register(rival, 'playwright')\n"
    (tmp_path / "conftest.py").write_text(conftest)
    out = run("def test_theirs(page):\n    assert page == 'theirs'\ndef test_none(browser):\n    pass\n", *AUTO)
    assert outcomes(out) == {"passed": 1, "error": 1}, out
    assert "fixture 'browser' not found" in out


def test_without_pytest_asyncio_a_fixture_says_what_to_install(run: Run) -> None:
    out = run("def test_page(page):\n    pass\ndef test_other():\n    pass\n", "-p", "no:asyncio")
    assert outcomes(out) == {"passed": 1, "error": 1}, out
    assert "the fixture 'page' of stillframe needs pytest-asyncio: pip install 'stillframe[testing]'" in out


@pytest.mark.slow  # tests/testing/test_cassette.py has each mode; here they are options of pytest
@pytest.mark.browser
def test_a_cassette_is_recorded_again_only_if_all_are(run: Run, tmp_path: Path) -> None:
    run(TAPED, *AUTO, "--stillframe-record=once")
    before = cassettes(tmp_path)
    for mode in ("once", "none"):
        replayed = run(TAPED, *AUTO, f"--stillframe-record={mode}")
        assert outcomes(replayed) == {"passed": 1}, replayed
        assert "launched: False" in replayed
    assert cassettes(tmp_path) == before
    assert "launched: True" in run(TAPED, *AUTO, "--stillframe-record=all")
    assert cassettes(tmp_path) != before


def cassettes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "cassettes" / "test_shop").iterdir()}


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("tests/test_shop.py::test_login[ann-1]", "tests-test_shop.py-test_login-ann-1"),
        ("test_x.py::test[../../etc/passwd]", "test_x.py-test-..-..-etc-passwd"),
        ("test_x.py::test[ü $(rm) ;]", "test_x.py-test-ü-rm"),
        ("x" * 400, "x" * 150),
    ],
)
def test_the_id_of_a_test_becomes_a_file_name(test: str, name: str) -> None:
    assert file_name(test) == name
