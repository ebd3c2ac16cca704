"""Fixtures for all tests: a shared browser, a fresh page, a page server, and a check for leaks after every test."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest
from cdp_support import Wired
from hypothesis import settings

import needing
import processes
import rows
import stillframe
from launched import chrome_itself, shell_by_default
from page_pool import PagePool
from phones import Phone, lanes_of
from site_server import PAGES, Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp import Connection
from stillframe.chrome.profile import OWNER_FILE, Owner
from stillframe.testing import AdbServerProcess, MemoryTransport

pytest_plugins = ["durations", "machine_load"]

settings.register_profile("the same cases", deadline=None, derandomize=True)
settings.register_profile("other cases", deadline=None)
settings.load_profile(os.environ.get("STILLFRAME_CASES", "the same cases"))

PIPE = os.environ.get("STILLFRAME_TEST_PIPE", "auto")
"""What the shared browser speaks: with "json" here everything is tested over a JSON pipe."""

GRACE = 2.0
"""Seconds that tasks and processes have to end after a test; most need one turn of the loop."""

BROWSER_FIXTURES = frozenset(
    {"browser", "chrome_browser", "virtual_time_browser", "webmcp_browser", "phone", "headed_browser", "page_source"}
)

SHARED = (
    *(
        "site_server",
        "browser",
        "chrome_browser",
        "virtual_time_browser",
        "webmcp_browser",
        "adb_server",
        "phone",
        "page_source",
    ),
    *("display", "headed_browser", "other_connection"),
)
"""The fixtures of the session; a test that is the first one to use one of them does not leak it."""

OVER_ADB = ("tests/engine/",)
"""Folders whose tests with a page run on a WebView over adb as well, but for those marked `desktop`."""


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(needing)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what runs in the background that way, and the programs that tests interrupt would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help="run the tests marked slow as well, every row, every lane of the sequences, and each page in a new tab",
    )


@pytest.hookimpl(tryfirst=True)  # before the option -m selects by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that uses a shared browser, and leave out what only `make test-all` runs.

    Tests that start a browser themselves carry the marker in their file.
    """
    for item in items:
        if BROWSER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)
        if item.get_closest_marker("serial") and "pytest.mark.serial" not in item.path.read_text():
            raise pytest.UsageError(
                f"{item.path} gets its marker serial elsewhere, where tools/python_tests.sh cannot find it"
            )
    if not config.getoption("--all"):
        left = {item for item in items if item.get_closest_marker("slow")} | rows.left_out(items)
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = [item for item in items if item not in left]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without collecting garbage, which takes 9 s instead of 14 for 12,000 of them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let tests of sequences run over adb as well: on a modern WebView, or on an old one."""
    test = metafunc.definition
    if "lane" in metafunc.fixturenames and test.nodeid.startswith(OVER_ADB):
        names = {name for name in ("desktop", "modern") if test.get_closest_marker(name)}
        lanes = lanes_of(test.nodeid, names, every=bool(metafunc.config.getoption("--all")))
        metafunc.parametrize("lane", lanes, indirect=True, scope="session")


@pytest.fixture(scope="session")
def lane(request: pytest.FixtureRequest) -> str:
    """How the test reaches its page; see `phones.LANES`."""
    return str(getattr(request, "param", "desktop"))


@pytest.fixture(scope="session")
async def adb_server() -> AsyncIterator[AdbServerProcess]:
    """One adb server for all tests that do not end it."""
    needing.require("adb")
    async with AdbServerProcess() as server:
        yield server


@pytest.fixture(scope="session")
async def phone() -> AsyncIterator[Phone]:
    """One phone for all tests that do not end its adb server."""
    needing.require("adb")
    async with Phone.connected() as phone:
        yield phone


@pytest.fixture(scope="session")
async def site_server() -> AsyncIterator[Site]:
    async with Site(PAGES) as site:
        yield site


@pytest.fixture
def site(site_server: Site) -> Site:
    site_server.reset()
    return site_server


@pytest.fixture(scope="session", autouse=True)
def launched_browsers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Decide which browser the tests launch; see tests/launched.py."""
    measured = any(item.get_closest_marker("serial") for item in request.session.items)
    with nullcontext() if measured or request.config.getoption("--all") else shell_by_default():
        yield


@pytest.fixture(autouse=True)
def chrome_where_marked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have a test with the marker `chrome` launch Chrome itself."""
    with chrome_itself() if request.node.get_closest_marker("chrome") else nullcontext():
        yield


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One browser for all tests that do not end it."""
    async with stillframe.launch(pipe=PIPE) as browser:
        yield browser


@pytest.fixture(scope="session")
async def chrome_browser() -> AsyncIterator[Browser]:
    """One Chrome, whatever `browser` is."""
    with chrome_itself():
        chrome = await stillframe.launch(pipe=PIPE)
    async with chrome:
        yield chrome


@pytest.fixture(scope="session")
async def virtual_time_browser() -> AsyncIterator[Browser]:
    """One browser whose pages let their clocks be taken."""
    async with stillframe.launch(virtual_time=True) as browser:
        yield browser


@pytest.fixture(scope="session")
async def webmcp_browser() -> AsyncIterator[Browser]:
    """One browser whose pages may offer tools to agents."""
    async with stillframe.launch(webmcp=True) as browser:
        yield browser


@pytest.fixture(scope="session")
def page_pools() -> dict[Browser, PagePool]:
    """The pages of each browser that tests share; they end with their browser."""
    return {}


@pytest.fixture
async def page(lane: str, page_source: PagePool | Phone) -> AsyncIterator[Page]:
    """A page in a context of its own in which nothing of another test is left; see tests/page_pool.py."""
    async with page_source.page() if isinstance(page_source, PagePool) else page_source.page(lane) as page:
        yield page


@pytest.fixture
def page_source(lane: str, request: pytest.FixtureRequest) -> PagePool | Phone:
    """What gives the page of a test, started before it."""
    if lane != "desktop":
        return request.getfixturevalue("phone")  # type: ignore[no-any-return]
    browser, site = request.getfixturevalue("browser"), request.getfixturevalue("site_server")
    pools = request.getfixturevalue("page_pools")
    fresh = bool(request.config.getoption("--all"))
    return pools.setdefault(browser, PagePool(browser, site.url("").rstrip("/"), fresh=fresh))  # type: ignore[no-any-return]


@pytest.fixture
async def wired() -> AsyncIterator[Wired]:
    """A connection to a scripted peer in memory."""
    transport = MemoryTransport()
    async with Connection(transport) as connection:
        yield Wired(connection, transport.peer_side)
    assert not connection.pending


@pytest.fixture
def shared_parts(request: pytest.FixtureRequest) -> None:
    """Start the shared parts a test uses first, so that they are not taken for its leaks."""
    for shared in SHARED:
        if shared in request.fixturenames:
            request.getfixturevalue(shared)


@pytest.fixture(autouse=True)
async def no_leaks(shared_parts: None) -> AsyncIterator[None]:  # noqa: ARG001  it comes first
    """Fail the test that leaves a task, a child process, a pipe or file, or a profile behind."""
    before = _owned()
    yield
    async with asyncio.timeout(GRACE + 10):  # noqa: TID251  by the wall clock, however the loop runs
        left = await _left_over(before)
    assert not left, f"left behind: {left}"


async def _left_over(before: dict[str, set[str]]) -> dict[str, set[str]]:
    deadline = asyncio.get_running_loop().time() + GRACE
    while True:
        left = {kind: more for kind, names in _owned().items() if (more := names - before[kind])}
        if not left or asyncio.get_running_loop().time() > deadline:
            return left
        # Real time is unavoidable here: processes end when the kernel says so.
        await asyncio.sleep(0.01)


def _owned() -> dict[str, set[str]]:
    return {
        "tasks": {task.get_name() for task in asyncio.all_tasks() if not _of_the_harness(task)},
        "processes": {str(pid) for pid in processes.children()},
        "descriptors": _descriptors(),
        "profiles": {path.name for path in Path(tempfile.gettempdir()).glob("stillframe-*") if _is_ours(path)},
    }


def _is_ours(profile: Path) -> bool:
    """Whether a profile is of this process: several test runs may share a machine."""
    try:
        owner = msgspec.json.decode((profile / OWNER_FILE).read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError):
        return False
    return owner.pid == os.getpid()


def _of_the_harness(task: asyncio.Task[object]) -> bool:
    module = getattr(task.get_coro(), "__module__", "") or ""
    code = getattr(task.get_coro(), "cr_code", None)
    home = code.co_filename if code is not None else ""
    return task is asyncio.current_task() or "pytest" in home or "aiohttp" in home or "aiohttp" in module


def _descriptors() -> set[str]:
    """Open pipes and files; sockets are left out because the test site's come and go with the browser's."""
    names = set()
    for fd in Path("/proc/self/fd").iterdir():
        try:
            target = str(fd.readlink())
        except OSError:
            continue
        if not target.startswith(("socket:", "/proc/", "/dev/")):
            names.add(f"{fd.name}:{target}")
    return names
