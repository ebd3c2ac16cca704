"""The rivals' lanes: what they do with answers, failures and absence; and a real click with each that is installed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from bench.settle.lanes import Act, Case
from bench.settle.rivals import ChromeDevtoolsMcp, Playwright, PlaywrightMcp, Puppeteer, Rival, find, mcp, rivals
from bench.settle.rivals.find import Found
from bench.settle.rivals.lane import resolved
from bench.settle.rivals.program import Program, ProgramEnded, ProgramFailed, tree
from bench.settle.rivals.relay import COMPRESSION, Messages
from site_server import Site

FAKE = Path(__file__).parent / "fake_mcp_server.py"
LANES = (Playwright, Puppeteer, PlaywrightMcp, ChromeDevtoolsMcp)


@pytest.fixture
async def fake(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Program]:
    """The fake program with the habit that the test names in its parameter."""
    program = await Program.started((sys.executable, FAKE, getattr(request, "param", "polite")), tmp_path)
    yield program
    await program.aclose()


def habit(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fake", [name], indirect=True)


# -- the program ---------------------------------------------------------------------------------------


async def test_a_request_gets_its_result(fake: Program) -> None:
    assert await fake.request("echo", {"a": [1]}) == {"a": [1]}


async def test_an_error_in_reply(fake: Program) -> None:
    with pytest.raises(ProgramFailed, match="unknown method dance"):
        await fake.request("dance")
    assert await fake.request("echo") == {}


@habit("chatty")
async def test_lines_that_are_not_answers(fake: Program) -> None:
    assert await fake.request("echo", {"a": 1}) == {"a": 1}
    ping, roots = await fake.request("heard")
    assert ping == {"jsonrpc": "2.0", "id": "their-1", "result": {}}
    assert roots["error"]["code"] == -32601


@habit("dies")
async def test_a_program_that_dies_says_its_last_words(fake: Program) -> None:
    with pytest.raises(ProgramEnded, match="out of cheese"):
        await fake.request("echo")
    with pytest.raises(ProgramEnded):
        await fake.request("echo")


@habit("silent")
async def test_a_program_that_does_not_answer(fake: Program) -> None:
    with pytest.raises(TimeoutError):
        await fake.request("echo", timeout=0.05)


@habit("family")
async def test_its_children_end_with_it(fake: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.settle.rivals.program.EXIT_GRACE_S", 0.05)
    await fake.request("echo")
    family = tree(fake.pid)
    assert len(family) == 2
    await fake.aclose()
    _, alive = psutil.wait_procs(family, timeout=2)
    assert alive == []


# -- the relay -----------------------------------------------------------------------------------------


def frame(size: int, *, opcode: int = 1, final: bool = True, masked: bool = False) -> bytes:
    length = (
        bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2) if size < 1 << 16 else b"\x7f" + size.to_bytes(8)
    )
    head = bytes([opcode | 0x80 * final, length[0] | 0x80 * masked]) + length[1:]
    return head + b"mask" * masked + b"\0" * size


@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_messages_are_counted_whatever_the_chunks(step: int) -> None:
    head = b"HTTP/1.1 101 Switching\r\nUpgrade: WebSocket\r\n\r\n"
    frames = [frame(0), frame(125), frame(126, masked=True), frame(70_000), frame(3, opcode=9)]
    frames += [frame(5, final=False), frame(5, opcode=0)]
    stream = head + b"".join(frames)
    counter = Messages()
    for at in range(0, len(stream), step):
        counter.feed(stream[at : at + step])
    assert counter.messages == 5
    assert counter.bytes == len(stream) - len(head)


def test_plain_http_counts_nothing() -> None:
    counter = Messages()
    counter.feed(b"GET /json/version HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (counter.messages, counter.bytes) == (0, 0)


def test_the_offer_to_compress_is_taken_out() -> None:
    head = b"GET / HTTP/1.1\r\nsec-websocket-extensions: permessage-deflate\r\nUpgrade: websocket\r\n\r\n"
    assert COMPRESSION.sub(b"", head) == b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"


# -- what is missing -----------------------------------------------------------------------------------


def nothing(_: str) -> None:
    return None


def old_node(_: str) -> tuple[int, ...]:
    return (18, 3)


def test_without_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.shutil, "which", nothing)
    assert "Node is not installed" in (Puppeteer().missing or "")


def test_with_a_node_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(find, "_node_version", old_node)
    assert "20.19 or newer is needed and this is 18.3" in (PlaywrightMcp().missing or "")


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with Node and npm on which nothing has been installed."""
    monkeypatch.setattr(find, "node_problem", lambda: None)
    monkeypatch.setattr(find.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(find, "MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(find, "INSTALL_LOG", tmp_path / "install.log")
    monkeypatch.setattr(find, "ROOT", tmp_path)
    return tmp_path


def test_before_make_bench(empty: Path) -> None:
    assert ChromeDevtoolsMcp().missing == "chrome-devtools-mcp is not installed; run make bench"


def test_without_npm(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.shutil, "which", nothing)
    assert "npm is not at hand" in (ChromeDevtoolsMcp().missing or "")


def test_after_an_install_that_failed(empty: Path) -> None:
    (empty / "install.log").write_text("npm error code E404\nnpm error 404 Not Found\n\n")
    assert "npm error 404 Not Found" in (PlaywrightMcp().missing or "")


def test_without_the_python_package(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.importlib.util, "find_spec", nothing)
    assert "playwright is not installed" in (Playwright().missing or "")


async def test_a_missing_lane_starts_nothing_and_stops(empty: Path) -> None:
    lane = PlaywrightMcp()
    await lane.start()
    await lane.stop()
    assert lane.missing
    assert await lane.marks() == {}


@pytest.mark.browser
async def test_a_program_that_does_not_start_is_missing_and_leaves_nothing() -> None:
    lane = ChromeDevtoolsMcp()
    lane.missing = None
    lane._found = Found((sys.executable, str(FAKE), "dies"))
    await lane.start()
    assert "did not start" in (lane.missing or "")
    assert "out of cheese" in (lane.missing or "")


# -- what is made of replies ---------------------------------------------------------------------------


class Faked(ChromeDevtoolsMcp):
    """Chrome's lane with the fake program and no browser."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program


async def test_an_action_is_one_tool_call_on_the_element_of_the_snapshot(fake: Program) -> None:
    lane = Faked(fake)
    await mcp.Mcp.connect(lane)
    lane._page_id = mcp.selected_page(await lane.succeed("list_pages"))
    await lane.prepare(Act())
    outcome = await lane.act(Act())
    assert outcome.text == "Successfully clicked 1_1 on page 7"
    assert outcome.reason is None
    assert outcome.acted_at <= outcome.returned_at


async def test_a_tool_error_is_the_reason(fake: Program) -> None:
    outcome = await Faked(fake).act(Act(kind="hover"))
    assert outcome.reason == "Error: no tool hover"


def test_the_snapshot_that_a_reply_links_to(tmp_path: Path) -> None:
    (tmp_path / "page.yml").write_text("- button")
    text = "### Snapshot\n- [Snapshot](page.yml)"
    assert "- button" in mcp.with_snapshot(text, tmp_path)
    assert mcp.has_snapshot(text)
    assert not mcp.has_snapshot("### Page")
    assert mcp.with_snapshot("[Snapshot](gone.yml)", tmp_path) == "[Snapshot](gone.yml)"


@pytest.mark.parametrize("text", ["", "no page here"])
def test_replies_that_say_nothing(text: str) -> None:
    with pytest.raises(ProgramFailed):
        mcp.selected_page(text)
    with pytest.raises(ValueError, match="no JSON"):
        mcp.fenced_json(text)


def test_a_navigation_is_made_absolute() -> None:
    assert resolved(Act(kind="navigate", value="/b?ms=1"), "http://x/a").value == "http://x/b?ms=1"


# -- the real ones -------------------------------------------------------------------------------------

PAGE = """<button id=go>Go</button><p id=old>Old words</p><script>
window.settlebench = {marks: {}};
go.onclick = async () => {
  old.remove();
  document.body.append(['First', 'words'].join(' '));
  await fetch('/slow?ms=150');
  document.body.append(['New', 'words'].join(' '));
  settlebench.marks['New words'] = Date.now();
};</script>"""
MAY_RETURN_BEFORE = {"chrome-devtools-mcp", "Playwright, networkidle"}
"""Those that do not wait for the answer of 150 ms; for Playwright, the network has been idle since the page loaded."""


def test_every_rival_has_a_lane() -> None:
    assert [type(lane) for lane in rivals()] == list(LANES)


@pytest.mark.parametrize("make", LANES, ids=lambda make: make.__name__)
async def test_a_real_click(make: type[Rival], site: Site) -> None:
    lane = make()  # type: ignore[call-arg]
    if lane.missing:
        pytest.skip(f"{lane.name} is not installed here, so its real click is not tested: {lane.missing}")
    case = Case(name="click", set="own", page="/rival.html", why="a click that fetches", warm_ms=50)
    url = site.html("/rival.html", PAGE)
    try:
        await lane.start()
        assert lane.missing is None
        run = await lane.run(case, url)
        assert 0 < run.returned_at - run.acted_at < 45_000
        assert run.reason is None
        assert (run.sent_bytes or 0) > 0
        assert (run.received_bytes or 0) > 0
        assert run.client_cpu_ms is not None
        assert run.browser_cpu_ms is not None
        assert "First words" in run.seen
        assert "Old words" in run.seen.partition("gone:")[2]
        if lane.name not in MAY_RETURN_BEFORE:
            assert "New words" in run.seen
            marks = await lane.marks()
            assert run.acted_at < marks["New words"] < run.returned_at
    finally:
        await lane.stop()
