"""Every block of Python in the documents runs, and prints what it says.

The first rule of `WAYS` that matches a block decides how it runs; `docs/how-to/index.md` tells readers the same:

- Code for another tool (`# Playwright`, `# Appium` in its first line) must compile.
- A loop around a model of one's own (`AsyncOpenAI(`) runs in tests/test_own_agent_loop.py.
- A whole script runs in a process of its own. A `text` block right below it is its output. A demo shop stands in for
  the one that `stillframe demo --serve --port 8000` would serve. `make test` runs most scripts in the process of the
  tests, on their browser.
- Tests (`def test_…`) run with pytest in a process of their own.
- Settings of Scrapy name classes that exist.
- What opens a phone runs on the emulated one, whose app com.example.shop shows `SHOP_APP`.
- What asks a model asks a server of this machine, which answers with `JOIN` and then that the goal is reached.
- Anything else is a fragment: the body of an `async def` with `page`, `browser` and `stillframe`. The page shows the
  nearest HTML block above the fragment in its document, or that of `docs/how-to/index.md`.

What is printed must be in the comments after the calls of `print`, `print(x)  # 1`, or in the `text` block below.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from model_server import KEY, ModelServer, decided

import stillframe
from documents import DOCS, ROOT, Block, all_blocks, blocks
from launched import chrome_itself
from nested_pytest import own_folder
from phones import Phone
from stillframe.api.browser import Browser, Page
from stillframe.demo import Shop

COMMON_PAGE = next(block.text for block in blocks(DOCS / "how-to" / "index.md") if block.language == "html")
SHOP_APP = """data:text/html,<input id=name><p id=state>-</p>
<button aria-label='Buy now' onclick="state.textContent = 'bought'">Buy</button>"""
JOIN = [
    {"action": "set_value", "selector": "label=Name", "value": "Ann"},
    {"action": "click_element", "selector": "text=Join"},
]
SERVED = "http://127.0.0.1:8000/"
"""Where documents have the demo shop."""
FOREIGN = re.compile(r"# (Playwright|Appium|Selenium|scrapy-playwright)\b")

WAYS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("foreign", FOREIGN.match),
    ("test", re.compile(r"^(async )?def test_", re.MULTILINE).search),
    ("model", re.compile(r"\bAsyncOpenAI\(").search),
    ("script", re.compile(r"asyncio\.run\(|stillframe\.sync|CrawlerProcess\(").search),
    ("settings", re.compile(r"^DOWNLOAD_HANDLERS", re.MULTILINE).search),
    ("phone", re.compile(r"stillframe\.android\(").search),
    ("agent", re.compile(r"stillframe\.agent").search),
    ("fragment", lambda text: True),
)


def way(block: Block) -> str:
    """Return how a block runs."""
    return next(name for name, matches in WAYS if matches(block.text))


def of_way(name: str) -> pytest.MarkDecorator:
    """Parametrize a test with the blocks that run one way."""
    found = [pytest.param(block, id=block.name) for block in all_blocks("python") if way(block) == name]
    return pytest.mark.parametrize("block", found)


def promised(block: Block) -> str:
    """Return what a block prints, according to the text below it or the comments after its calls of `print`."""
    if block.output is not None:
        return block.output
    return "".join(f"{text}\n" for text in re.findall(r"^ *print\(.*\)  # (.*)$", block.text, re.MULTILINE))


def fragment(block: Block, parameters: Iterable[str]) -> Callable[..., Any]:
    """Return a block as a coroutine function, after checking that it says what it prints."""
    if block.output is None:
        printed = len(re.findall(r"\bprint\(", block.text))
        assert printed == len(promised(block).splitlines()), "each print needs a comment with what it prints"
    assert promised(block), "a block shows what it does by printing something"
    names: dict[str, Any] = {"stillframe": stillframe}
    source = f"async def fragment({', '.join(parameters)}):\n" + textwrap.indent(block.text, "    ")
    exec(compile(source, block.name, "exec"), names)
    return names["fragment"]  # type: ignore[no-any-return]


async def output_of(*command: str | Path, folder: Path) -> str:
    """Run a program in a folder and return what it prints; it must not fail."""
    process = await asyncio.create_subprocess_exec(
        *map(os.fspath, command),
        cwd=folder,
        env=os.environ | own_folder(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, out.decode() + err.decode()
    return out.decode()


async def on_page(page: Page, block: Block) -> None:
    """Run a fragment on the page that its document shows."""
    await page.goto("data:text/html," + quote(block.html or COMMON_PAGE))
    await fragment(block, ("page", "browser"))(page, page.browser)


FRAGMENTS = [block for block in all_blocks("python") if way(block) == "fragment"]
LEAVES = re.compile(
    r"browser|context|\.on\(|route|dialog|cookie|init_script|expose|clock|virtual|popup|session|trace|ref=e"
)
"""What a fragment may leave in a page beside its document, or be the first one to do: refs are counted in a page."""


def leaves(block: Block) -> bool:
    """Whether a fragment needs a page of its own."""
    return bool(LEAVES.search(block.text + promised(block)))


@pytest.mark.parametrize("part", range(3))
async def test_fragments_print_what_they_say_one_after_the_other(
    page: Page, part: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that leave nothing share a page, which takes longer to make than a fragment to run."""
    shared = [block for block in FRAGMENTS if not leaves(block)]
    printed = {}
    for block in shared[part::3]:
        monkeypatch.chdir(tmp_path_of(block, tmp_path))
        await on_page(page, block)
        printed[block.name] = capsys.readouterr().out
    assert printed == {block.name: promised(block) for block in shared[part::3]} != {}


def tmp_path_of(block: Block, folder: Path) -> Path:
    """Make an empty folder for a block."""
    made = folder / re.sub(r"\W", "-", block.name)
    made.mkdir()
    return made


def fragments() -> list[Any]:
    """Return the fragments as rows; those that share a page in `make test` are slow."""
    return [pytest.param(block, id=block.name, marks=marks_of(block)) for block in FRAGMENTS]


def marks_of(block: Block) -> list[pytest.MarkDecorator]:
    """Return the markers of a fragment that runs alone."""
    films = [pytest.mark.needs("ffmpeg")] if "record_video_dir" in block.text else []
    return films if leaves(block) else [*films, pytest.mark.slow]


@pytest.mark.parametrize("block", fragments())
async def test_a_fragment_prints_what_it_says(
    page: Page, block: Block, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await on_page(page, block)
    assert capsys.readouterr().out == promised(block)


@of_way("agent")
async def test_a_fragment_that_asks_a_model_prints_what_it_says(
    page: Page, block: Block, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = (decided({"status": "continue", "commands": JOIN}), decided({"status": "complete"}))
    async with ModelServer(*replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        await on_page(page, block)
    assert capsys.readouterr().out == promised(block)


@of_way("phone")
async def test_a_fragment_about_a_phone_prints_what_it_says(
    phone: Phone, block: Block, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ADB_SERVER_SOCKET", f"tcp:{phone.server.address}")
    async with phone.running("com.example.shop", url=SHOP_APP):
        await fragment(block, ())()
    assert capsys.readouterr().out == promised(block)


def is_shared(block: Block) -> bool:
    """Whether a script can run on the browser of the tests: it launches one, in which it need not be the first.

    One that finds the demo shop served does not: it runs beside a shop.
    """
    is_first = block.path.name == "README.md" or "ref=e" in block.text or SERVED in block.text
    return "asyncio.run(main())" in block.text and "stillframe.launch(" in block.text and not is_first


def script(block: Block) -> Any:
    """Return a script as a row; slow are those of which `make test` runs the parts."""
    # The crawlers: the tests of tests/farm go through all that these scripts call, in processes of their own too.
    is_crawl = bool(re.search(r"CrawlerProcess|StillframeCrawler", block.text))
    return pytest.param(block, id=block.name, marks=[pytest.mark.slow] if is_crawl or is_shared(block) else [])


SCRIPTS = [block for block in all_blocks("python") if way(block) == "script"]
TAKES_LONG = "join_delay_ms=4_000"
"""A script that waits for seconds; tests/engine/test_settle.py has what it shows, a horizon and an expected text."""


def shared_scripts() -> list[Any]:
    """Return the scripts that run on the browser of the tests, as rows."""
    return [
        pytest.param(block, id=block.name, marks=[pytest.mark.slow] if TAKES_LONG in block.text else [])
        for block in SCRIPTS
        if is_shared(block)
    ]


@pytest.mark.parametrize("block", shared_scripts())
async def test_a_script_prints_what_it_says_on_the_browser_of_the_tests(
    page: Page, block: Block, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Use the browser of the tests, unless the script launches one with options, which that browser does not have."""
    launch = stillframe.launch

    @asynccontextmanager
    async def launched(**options: Any) -> AsyncIterator[Browser]:
        if not options:
            yield page.browser
            return
        with chrome_itself():  # what a document says about a browser is about Chrome
            own = await launch(**options)
        async with own:
            yield own

    begun: list[Awaitable[None]] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stillframe, "launch", launched)
    monkeypatch.setattr(asyncio, "run", begun.append)
    exec(compile(block.text, block.name, "exec"), {"__name__": "__main__"})
    (main,) = begun
    await main
    assert capsys.readouterr().out == promised(block) != ""


@pytest.mark.browser
@pytest.mark.parametrize("block", [script(block) for block in SCRIPTS])
async def test_a_script_prints_what_it_says(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    async with Shop() as shop:
        path.write_text(block.text.replace(SERVED, shop.url("/")))
        assert await output_of(sys.executable, path, folder=tmp_path) == promised(block) != ""


@pytest.mark.browser
async def test_tests_pass(tmp_path: Path) -> None:
    """All in one run, which launches one browser; a test that fails is shown with the line of its document."""
    names: set[str] = set()
    for block in (block for block in all_blocks("python") if way(block) == "test"):
        name = f"test_{block.path.stem.replace('-', '_')}_{block.line}.py"
        (tmp_path / name).write_text(block.text)
        names.add(name)
    options = ("-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "--stillframe-record=once", "-rA")
    out = await output_of(sys.executable, "-m", "pytest", *options, folder=tmp_path)
    passed = set(re.findall(r"^PASSED (\w+\.py)", out, re.MULTILINE))
    assert passed == names != set(), out


@of_way("settings")
def test_settings_name_what_exists(block: Block) -> None:
    names: dict[str, Any] = {}
    exec(compile(block.text, block.name, "exec"), names)
    for path in names["DOWNLOAD_HANDLERS"].values():
        module, _, name = path.rpartition(".")
        assert hasattr(import_module(module), name), path


@of_way("foreign")
def test_code_for_another_tool_compiles(block: Block) -> None:
    compile("async def other():\n" + textwrap.indent(block.text, "    "), block.name, "exec")


def test_no_python_hides_in_a_block_of_another_name() -> None:
    hidden = [block.name for language in ("py", "python3", "pycon", "") for block in all_blocks(language)]
    assert hidden == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Playwright\nawait page.click('x')", "foreign"),
        ("import asyncio\nasyncio.run(main())", "script"),
        ("async def test_login(page):\n    pass", "test"),
        ("result = await page.click('x')", "fragment"),
    ],
)
def test_the_text_of_a_block_decides_how_it_runs(text: str, expected: str) -> None:
    assert way(Block(ROOT, 1, "python", text, None, None)) == expected


@pytest.mark.parametrize(("text", "problem"), [("print(1)", "needs a comment"), ("x = 1", "by printing something")])
def test_a_fragment_that_does_not_say_what_it_prints_is_refused(text: str, problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        fragment(Block(ROOT, 1, "python", text, None, None), ())
