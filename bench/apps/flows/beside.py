"""Ten of the flows beside `@playwright/mcp` and Playwright: what it takes until an agent knows the outcome.

Each contestant has a Chromium of its own and begins at the same place of the same application. stillframe's MCP server
acts and answers in one call. Playwright's server takes a call for each action (one for several fields of a form) and
replies with a link to a snapshot, of which the agent reads the last. With Playwright itself a program acts, waits until
the network is idle and reads the accessible tree of the page. Counted are the calls, the characters read and the
milliseconds from the first action to the answer; an answer is right if the key fact is in what was read.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median_high
from typing import Any, Generic, NamedTuple, TypeVar

from bench.apps.flows.flow import Flow
from bench.apps.flows.run import SERVED, LeftOut
from bench.apps.flows.score import says
from bench.apps.flows.tables import FLOWS
from bench.apps.install import NotInstalled
from bench.apps.launch import AppFailed, started
from bench.doing import Do
from bench.mcp import servers
from bench.measure import Table, table
from stillframe.chrome.executable import find_executable

TEN = (
    "django-admin: login refused",
    "flask-admin: search",
    "datasette: filter by sea",
    "mkdocs-material: search",
    "tabulator: next page",
    "tabulator: filter by name",
    "sb-admin: nothing found",
    "todomvc-react: add",
    "jquery-ui: open the dialog",
    "ant-design: next page of the table",
)
OURS = "stillframe"
ROUNDS = 3
IDLE_MS = 10_000
Samples = dict[str, list[float]]
Server = TypeVar("Server", bound=servers.Served)


class Read(NamedTuple):
    """What an agent has read when it knows the outcome, and what that took."""

    text: str
    calls: int
    chars: int
    ms: float


def merged(actions: Sequence[Do]) -> list[list[Do]]:
    """Return the actions with fields that are filled in one after the other as one group: a form is one call."""
    groups: list[list[Do]] = []
    for action in actions:
        if groups and action["action"] == groups[-1][-1]["action"] == "set_value":
            groups[-1].append(action)
        else:
            groups.append([action])
    return groups


def is_right(flow: Flow, text: str) -> bool:
    """Whether a text says one of the flow's key facts in words, whatever markup parts them."""
    facts = [fact for fact in flow.key if fact.words and not fact.gone and not fact.field]
    return any(says(_words(text), map(_words, fact.words)) for fact in facts)


def _words(text: str) -> str:
    # A text that stands by itself in the page is a line of its own in Playwright's tree, with this before it.
    text = re.sub(r"(?m)^\s*- text:", " ", text)
    return " ".join(re.findall(r"\w+", text.casefold()))


# -- contestants ----------------------------------------------------------------------------------


class McpServer(Generic[Server]):
    """A contestant that acts through an MCP server."""

    made: type[Server]

    def __init__(self, folder: Path) -> None:
        self._server = self.made(folder)

    def problem(self) -> str | None:
        """Why it cannot run here, or None."""
        return self._server.problem()

    async def start(self, stack: AsyncExitStack) -> None:
        """Start it for as long as the stack lives."""
        await self._server.start(stack)


class Ours(McpServer[servers.Stillframe]):
    """stillframe's MCP server."""

    name = OURS
    made = servers.Stillframe

    async def begin(self, url: str, flow: Flow) -> None:
        """Go to where the flow begins."""
        await self._server.open(url)
        before = [*([_shown(flow.ready)] if flow.ready else []), *flow.before]
        if before:
            await self._server.succeed("execute_sequence", actions=before)

    async def act(self, flow: Flow) -> Read:
        """Act in one call."""
        said = await self._server.succeed("execute_sequence", actions=list(flow.act))
        return Read(said.text, 1, len(said.text), said.ms)


def _shown(selector: str) -> Do:
    return {"action": "wait_for", "selector": selector, "timeoutMs": 30_000}


class PlaywrightServer(McpServer[servers.Playwright]):
    """`@playwright/mcp`."""

    name = "@playwright/mcp"
    made = servers.Playwright

    async def begin(self, url: str, flow: Flow) -> None:
        """Go to where the flow begins."""
        await self._server.open(url)
        if flow.ready:
            # One tick of its own: the tools have no wait for a selector.
            wait = "async () => { while (!document.querySelector(%s)) await new Promise(requestAnimationFrame); }"
            await self._server.succeed("browser_evaluate", function=wait % json.dumps(flow.ready))
        for group in merged(flow.before):
            await self._call(group)

    async def act(self, flow: Flow) -> Read:
        """Act with a call for each group, and read the snapshot of the last reply."""
        self._server.calls = self._server.chars = 0
        began = time.perf_counter()
        for group in merged(flow.act):
            said = await self._call(group)
        read = await self._server.settled_reply(said)
        ms = (time.perf_counter() - began) * 1000
        return Read(read.text, self._server.calls, self._server.chars, ms)

    async def _call(self, group: Sequence[Do]) -> servers.Said:
        if len(group) > 1:
            fields = [{**_place(one), **_field(one)} for one in group]
            return await self._server.succeed("browser_fill_form", fields=fields)
        tool, arguments = _tool(group[0])
        return await self._server.succeed(tool, **arguments)


def _place(action: Do) -> dict[str, Any]:
    return {"target": action["selector"], "element": action["selector"]}


def _field(action: Do) -> dict[str, Any]:
    return {"name": action["selector"], "type": "textbox", "value": action["value"]}


def _tool(action: Do) -> tuple[str, dict[str, Any]]:
    """Return the tool of Playwright's server that does the action, and its arguments."""
    match action["action"]:
        case "click_element":
            return "browser_click", _place(action)
        case "set_value":
            return "browser_type", {**_place(action), "text": action["value"]}
        case "type_text":
            return "browser_type", {**_place(action), "text": action["text"], "slowly": True}
        case "press_key":
            return "browser_press_key", {"key": action["key"]}
        case "select_option":
            return "browser_select_option", {**_place(action), "values": [action["value"]]}
    raise ValueError(f"no tool of Playwright's server for {action['action']}")


class PlaywrightItself:
    """Playwright, called by a program that waits for an idle network and reads the accessible tree."""

    name = "Playwright"

    def __init__(self, _: Path) -> None:
        self._context: Any = None
        self._browser: Any = None
        self._page: Any = None

    def problem(self) -> str | None:
        """Why it cannot run here, or None."""
        try:
            import playwright  # noqa: F401 - only the benchmarks' environment has it
        except ImportError:
            return "the Python package playwright is not installed; run make apps"
        return None

    async def start(self, stack: AsyncExitStack) -> None:
        """Launch its browser for as long as the stack lives."""
        from playwright.async_api import async_playwright

        driver = await stack.enter_async_context(async_playwright())
        self._browser = await driver.chromium.launch(executable_path=find_executable().path, args=["--no-sandbox"])
        stack.push_async_callback(self._browser.close)

    async def begin(self, url: str, flow: Flow) -> None:
        """Go to where the flow begins."""
        if self._context is not None:
            await self._context.close()
        self._context = await self._browser.new_context()
        self._page = await self._context.new_page()
        await self._page.goto(url)
        if flow.ready:
            await self._page.wait_for_selector(flow.ready)
        for action in flow.before:
            await self._do(action)

    async def act(self, flow: Flow) -> Read:
        """Act, wait and read."""
        began = time.perf_counter()
        for action in flow.act:
            await self._do(action)
        await self._page.wait_for_load_state("networkidle", timeout=IDLE_MS)
        text = await self._page.locator("body").aria_snapshot()
        return Read(text, len(flow.act) + 2, len(text), (time.perf_counter() - began) * 1000)

    async def _do(self, action: Do) -> None:
        page, selector = self._page, action.get("selector")
        match action["action"]:
            case "click_element":
                await page.click(selector)
            case "set_value":
                await page.fill(selector, action["value"])
            case "type_text":
                await page.locator(selector).press_sequentially(action["text"])
            case "press_key" if selector:
                await page.press(selector, action["key"])
            case "press_key":
                await page.keyboard.press(action["key"])
            case "select_option":
                await page.select_option(selector, action["value"])
            case kind:
                raise ValueError(f"no method of Playwright for {kind}")


CONTESTANTS = (Ours, PlaywrightServer, PlaywrightItself)
Contestant = Ours | PlaywrightServer | PlaywrightItself


# -- the comparison -------------------------------------------------------------------------------


async def beside(rounds: int = ROUNDS) -> tuple[list[Table], list[LeftOut]]:
    """Play the ten flows with each contestant, interleaved, and return the tables and what was left out."""
    flows = [flow for flow in FLOWS if flow.title in TEN]
    reads: dict[str, dict[str, list[Read]]] = defaultdict(lambda: defaultdict(list))
    left_out: list[LeftOut] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-beside-")))
        made = [kind(folder) for kind in CONTESTANTS]
        missing = {each.name: problem for each in made if (problem := each.problem()) is not None}
        contestants = [each for each in made if each.name not in missing]
        for each in contestants:
            await each.start(stack)
        for app in dict.fromkeys(flow.app for flow in flows):
            own = [flow for flow in flows if flow.app == app]
            try:
                async with started(SERVED[app]) as origin:
                    for flow in own:
                        await _compare(contestants, origin, flow, rounds, reads[flow.title])
            except (AppFailed, NotInstalled, TimeoutError) as error:
                left_out.append(LeftOut(app, str(error), len(own)))
    return _tables(reads, missing), left_out


async def _compare(
    contestants: Sequence[Contestant], origin: str, flow: Flow, rounds: int, reads: dict[str, list[Read]]
) -> None:
    order = list(contestants)
    for round_ in range(rounds):
        random.Random(round_).shuffle(order)
        for each in order:
            await each.begin(origin + flow.path, flow)
            reads[each.name].append(await each.act(flow))


def _tables(reads: dict[str, dict[str, list[Read]]], missing: dict[str, str]) -> list[Table]:
    by_title = {flow.title: flow for flow in FLOWS}
    whole: dict[str, Samples] = {figure: defaultdict(list) for figure in ("chars", "calls", "ms")}
    right: dict[str, list[bool]] = defaultdict(list)
    tables = []
    for title, by_name in reads.items():
        notes = {}
        for name, taken in by_name.items():
            good = [is_right(by_title[title], read.text) for read in taken]
            right[name] += good
            ms = median_high(read.ms for read in taken)
            notes[name] = f"{taken[-1].calls} calls, {sum(good)} of {len(good)} right, {ms:.0f} ms"
            for figure, samples in whole.items():
                samples[name] += [float(getattr(read, figure)) for read in taken]
        chars = {name: [float(read.chars) for read in taken] for name, taken in by_name.items()}
        question = f"{title}: what is read until the outcome is known"
        tables.append(table(question, "characters", OURS, chars, notes=notes))
    notes = {name: f"{sum(good)} of {len(good)} right" for name, good in right.items()}
    units = {"chars": "characters", "calls": "calls", "ms": "ms"}
    totals = [
        table(f"ten flows, until the outcome is known: {units[figure]}", units[figure], OURS, samples, notes=notes)
        for figure, samples in whole.items()
    ]
    for each in (*totals, *tables):
        each.missing = missing
    return [*totals, *tables]
