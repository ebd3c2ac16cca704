"""The fixtures of the plugin for pytest. They import stillframe when they are used."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from stillframe import Browser, BrowserContext, Page
    from stillframe.api.video import Video

FAILED = pytest.StashKey[bool]()
"""Whether a phase of the test has failed."""
TRACES = pytest.StashKey[list[Path]]()
"""The trace files of the test."""
SCREENSHOTS = pytest.StashKey[Path]()
"""The file of the screenshot that is taken when the test has failed."""

VIDEOS = pytest.StashKey[Path]()
"""The directory of the films of the test, which are complete when its context has closed."""

Tracer = Callable[..., Path | None]
"""Begins the trace of a page, and returns its file; None with --stillframe-trace=off."""

RIVALS = ("playwright", "playwright-asyncio", "pytest-splinter")
"""Plugins with fixtures called `browser` or `page`; beside one, only stillframe_browser and stillframe_page exist."""

CASSETTES = "cassettes"
"""The directory of cassettes, beside the module of the test."""

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]


def make_fixtures(config: pytest.Config) -> dict[str, object]:
    """Return the fixtures by name, with the scopes that fit the event loops of this run."""
    asynchronous = _asynchronous(config)
    browsers = asynchronous(_loop_scope(config))
    tests = asynchronous(None)
    fixtures: dict[str, object] = {
        "stillframe_launch_options": pytest.fixture(scope="session")(stillframe_launch_options),
        "stillframe_context_options": pytest.fixture(stillframe_context_options),
        "stillframe_trace": tests(stillframe_trace),
        "stillframe_cassette": pytest.fixture(stillframe_cassette),
        "stillframe_browser": browsers(stillframe_browser),
        "stillframe_page": tests(stillframe_page),
    }
    if not any(config.pluginmanager.hasplugin(rival) for rival in RIVALS):
        fixtures |= {"browser": browsers(browser), "page": tests(page)}
    return fixtures


def _loop_scope(config: pytest.Config) -> str:
    """Return the scope of the event loops in which tests run: a browser must not outlive its loop."""
    try:
        return str(config.getini("asyncio_default_test_loop_scope") or "function")
    except (ValueError, KeyError):  # an old pytest-asyncio, or none
        return "function"


def _asynchronous(config: pytest.Config) -> Callable[[str | None], Any]:
    """Return what makes fixtures of async functions, by their scope; None is one test."""
    loop = _loop_scope(config)
    if not config.pluginmanager.hasplugin("asyncio"):
        return lambda _scope: lambda function: pytest.fixture(_needs_pytest_asyncio(function.__name__))
    import pytest_asyncio

    fixture: Any = pytest_asyncio.fixture
    return lambda scope: fixture(scope=scope or "function", loop_scope=loop)


def _needs_pytest_asyncio(name: str) -> Callable[[], None]:
    def fixture() -> None:
        pytest.fail(
            f"the fixture {name!r} of stillframe needs pytest-asyncio: pip install 'stillframe[testing]', and set "
            'asyncio_mode = "auto" in the configuration of pytest',
            pytrace=False,
        )

    fixture.__name__ = name
    return fixture


# -- fixtures ------------------------------------------------------------------------------------


def stillframe_launch_options(pytestconfig: pytest.Config) -> dict[str, Any]:
    """Return the options of the browser of tests; override it to set others, and keep these."""
    headed, slow_mo = (pytestconfig.getoption(f"--stillframe-{option}") for option in ("headed", "slowmo"))
    return {"headless": not headed, **({"slow_mo": slow_mo} if slow_mo else {})}


def stillframe_context_options(pytestconfig: pytest.Config) -> dict[str, Any]:
    """Return the options of the context of each test's page; override it to set some, and keep these."""
    name, url = (pytestconfig.getoption(f"--stillframe-{option}") for option in ("device", "base-url"))
    return {**({"device": name} if name else {}), **({"base_url": url} if url else {})}


async def stillframe_browser(stillframe_launch_options: dict[str, Any]) -> AsyncIterator[Browser]:
    """Yield a browser for all tests that share an event loop."""
    import stillframe

    async with stillframe.launch(**stillframe_launch_options) as browser:
        yield browser


async def browser(stillframe_launch_options: dict[str, Any]) -> AsyncIterator[Browser]:
    """Return the browser for all tests that share an event loop: stillframe_browser by its short name."""
    async for browser in stillframe_browser(stillframe_launch_options):
        yield browser


async def stillframe_page(
    stillframe_browser: Browser,
    stillframe_context_options: dict[str, Any],
    stillframe_trace: Tracer,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Page]:
    """Yield a new page in a context of its own."""
    async with _new_page(stillframe_browser, stillframe_context_options, stillframe_trace, request) as page:
        yield page


async def page(
    browser: Browser,
    stillframe_context_options: dict[str, Any],
    stillframe_trace: Tracer,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Page]:
    """Yield a new page of `browser`, in a context of its own."""
    async with _new_page(browser, stillframe_context_options, stillframe_trace, request) as page:
        yield page


@asynccontextmanager
async def _new_page(
    browser: Browser, options: Mapping[str, Any], trace: Tracer, request: pytest.FixtureRequest
) -> AsyncIterator[Page]:
    async with _filmed_context(browser, options, request) as context, await context.new_page() as page:
        trace(page)
        mode, folder = request.config.getoption("--stillframe-screenshot"), folder_of(request.node)
        if mode != "off":
            request.node.stash[SCREENSHOTS] = folder / "test-failed-1.png"
        yield page
        failed = request.node.stash.get(FAILED, False)
        if mode == "on" or (mode == "only-on-failure" and failed):
            await _take_screenshot(page, folder / f"test-{'failed' if failed else 'finished'}-1.png")


@asynccontextmanager
async def _filmed_context(
    browser: Browser, options: Mapping[str, Any], request: pytest.FixtureRequest
) -> AsyncIterator[BrowserContext]:
    """Open a context, whose pages are filmed if the options of the run say so, and those of the test do not."""
    mode, folder = request.config.getoption("--stillframe-video"), folder_of(request.node)
    if mode == "off" or "record_video_dir" in options:
        async with await browser.new_context(**options) as context:
            yield context
        return
    from stillframe.extend import on_page

    pages: list[Page] = []
    for path in folder.glob("video*.webm"):  # those of an earlier run
        path.unlink()
    request.node.stash[VIDEOS] = folder
    async with await browser.new_context(**options, record_video_dir=folder) as context:
        on_page(context, pages.append)
        yield context
    films = [film for page in pages if page.video is not None and (film := await _film_of(page.video)) is not None]
    if mode == "retain-on-failure" and not request.node.stash.get(FAILED, False):
        _remove(folder, films)
    else:
        _name(films)


async def _film_of(video: Video) -> Path | None:
    """Return the file of a page's film; None if it could not be made, which the log says."""
    from stillframe.video.errors import VideoFailed

    with contextlib.suppress(VideoFailed):
        path = await video.path()
        return path if path.exists() else None
    return None


def _name(films: Sequence[Path]) -> None:
    """Give the films of a test the names that pytest-playwright gives them."""
    for number, film in enumerate(films, 1):
        film.replace(film.with_name("video.webm" if len(films) == 1 else f"video-{number}.webm"))


async def _take_screenshot(page: Page, path: Path) -> None:
    """Take the screenshot of a test that has ended; that of a page that cannot be drawn any more is left out."""
    from stillframe.errors import StillframeError

    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(StillframeError):
        await page.screenshot(path=path)


def folder_of(item: pytest.Item) -> Path:
    """Return the directory for what is kept of a test."""
    folder: Path = item.config.rootpath / item.config.getoption("--stillframe-output")
    return folder / file_name(item.nodeid)


async def stillframe_trace(request: pytest.FixtureRequest) -> AsyncIterator[Tracer]:
    """Return a function that begins a trace of a page and returns its file; the page of the fixture has one already.

    The function returns None with --stillframe-trace=off. With retain-on-failure, the files of a test that passes are
    removed.
    """
    config, node = request.config, request.node
    mode, directory = config.getoption("--stillframe-trace"), folder_of(request.node)
    paths = node.stash.setdefault(TRACES, [])
    async with AsyncExitStack() as stack:

        def trace(page: Page) -> Path | None:
            if mode == "off":
                return None
            path: Path = directory / f"{len(paths) + 1}.trace.jsonl"
            path.unlink(missing_ok=True)  # that of an earlier run
            tracing = page.trace(path, screenshots=True)
            stack.push_async_exit(tracing)
            paths.append(path)
            return path

        yield trace
    if mode == "retain-on-failure" and not node.stash.get(FAILED, False):
        _remove(directory, paths)


def _remove(directory: Path, paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # files of another program are in it
        directory.rmdir()
        directory.parent.rmdir()


def stillframe_cassette(request: pytest.FixtureRequest) -> Callable[..., AbstractAsyncContextManager[Browser]]:
    """Return a function that opens the cassette of the test: `async with stillframe_cassette() as browser: …`.

    The cassette is `cassettes/MODULE/TEST.cassette` beside the module; a name in the call is added to that of the test.
    Other arguments are those of `stillframe.testing.record`. --stillframe-record says whether it is recorded.
    """
    mode = request.config.getoption("--stillframe-record")
    home = request.path.parent / CASSETTES / request.path.stem

    def opened(name: str = "", **options: Any) -> AbstractAsyncContextManager[Browser]:
        from stillframe.testing.cassette import cassette_browser

        path = home / f"{file_name(f'{request.node.name} {name}')}.cassette"
        if mode == "none" and not path.exists():
            pytest.fail(f"there is no cassette {path}: record it with --stillframe-record=once", pytrace=False)
        headless = not request.config.getoption("--stillframe-headed")
        return cassette_browser(path, mode, **{"headless": headless, **options})

    return opened


def file_name(test: str) -> str:
    """Return the id of a test as a file name of at most 150 characters that no system and no shell takes amiss.

    >>> file_name("tests/test_shop.py::test_login[ann-1]")
    'tests-test_shop.py-test_login-ann-1'
    """
    return re.sub(r"[^\w.]+", "-", test).strip("-")[:150]
