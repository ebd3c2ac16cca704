"""The servers, and how an agent would use each for the same ends."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from bench.settle.rivals.find import Found, npm_program, quiet_environment
from bench.settle.rivals.mcp import has_snapshot, with_snapshot
from stillframe import __version__
from stillframe.chrome.executable import find_executable

if TYPE_CHECKING:
    import mcp_types as types

PATIENCE_S = 90


class Said(NamedTuple):
    """One reply: its text as far as a model reads it, and the milliseconds it took."""

    text: str
    ms: float
    error: bool


def taken(tools: Iterable[types.Tool]) -> int:
    """Return the characters of names, descriptions and input schemas, as tools/generate_mcp_table.py counts them."""
    return sum(
        len(tool.name)
        + len(tool.description or "")
        + len(json.dumps(tool.input_schema, separators=(",", ":"), ensure_ascii=False))
        for tool in tools
    )


class Served:
    """A server under a client of the SDK."""

    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tools: list[str] = []
        self.schema_chars = 0
        self.taken_chars = 0
        """Of names, descriptions and input schemas, which clients hand to their models."""
        self.calls = 0
        self.chars = 0
        self._client: Client

    @property
    def version(self) -> str:
        """The version that runs."""
        return self.found().version

    def found(self) -> Found:
        """How to start it."""
        raise NotImplementedError

    def problem(self) -> str | None:
        """Why it cannot run here, or None."""
        return self.found().missing

    def arguments(self) -> list[str]:
        """What makes it launch the same Chromium without a window."""
        raise NotImplementedError

    async def start(self, stack: AsyncExitStack) -> None:
        """Start it for as long as the stack lives, and read its tools."""
        command, *args = self.found().command
        home = self.folder / re.sub(r"\W", "-", self.name)
        home.mkdir()
        self.folder = home
        environment = {**quiet_environment(home), **self.environment()}
        parameters = StdioServerParameters(
            command=command, args=[*args, *self.arguments()], env=environment, cwd=str(self._cwd(home))
        )
        errors = stack.enter_context((home / "stderr.log").open("w"))
        client = Client(stdio_client(parameters, errlog=errors), mode="legacy", read_timeout_seconds=PATIENCE_S)
        self._client = await stack.enter_async_context(client)
        tools = (await self._client.list_tools()).tools
        self.tools = [tool.name for tool in tools]
        self.schema_chars = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)
        self.taken_chars = taken(tools)

    def _cwd(self, home: Path) -> Path:
        return home

    def environment(self) -> dict[str, str]:
        """Variables that it needs besides."""
        return {}

    async def call(self, tool: str, **arguments: Any) -> Said:
        """Call a tool."""
        began = time.perf_counter()
        result = await self._client.call_tool(tool, arguments)
        ms = (time.perf_counter() - began) * 1000
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.calls += 1
        self.chars += len(text)
        return Said(text, ms, bool(result.is_error))

    async def succeed(self, tool: str, **arguments: Any) -> Said:
        """Call a tool that must succeed: a bench that measures errors measures nothing."""
        said = await self.call(tool, **arguments)
        if said.error:
            raise RuntimeError(f"{self.name}: {tool}: {said.text[:300]}")
        return said

    # -- what is asked of each -----------------------------------------------------------------

    async def open(self, url: str) -> None:
        """Load a page."""
        raise NotImplementedError

    async def ready(self, selector: str) -> None:
        """Do what an agent must have done before it can name the element."""

    async def click(self, selector: str) -> Said:
        """Click it, in one call."""
        raise NotImplementedError

    async def look(self) -> Said:
        """Read the page, in one call."""
        raise NotImplementedError

    async def settled_reply(self, _reply: Said) -> Said:
        """Return what an agent reads to know what became of a click: the reply itself, or a look."""
        return await self.look()

    async def login(self, user: str, password: str) -> str:
        """Fill in and send the form of the page that was opened, and return what is read last."""
        raise NotImplementedError


class Stillframe(Served):
    """Ours: what a click did is in its reply."""

    name = "stillframe"

    def found(self) -> Found:
        return Found((sys.executable, "-m", "stillframe", "mcp"), __version__)

    def arguments(self) -> list[str]:
        return ["--allow-private"]

    def environment(self) -> dict[str, str]:
        return {name: os.environ[name] for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE") if name in os.environ}

    async def open(self, url: str) -> None:
        await self.succeed("navigate", url=url)

    async def click(self, selector: str) -> Said:
        return await self.succeed("execute_sequence", actions=[{"action": "click_element", "selector": selector}])

    async def look(self) -> Said:
        return await self.succeed("aria_snapshot")

    async def settled_reply(self, reply: Said) -> Said:
        return reply

    async def login(self, user: str, password: str) -> str:
        fill = [("#user", user), ("#pass", password)]
        actions = [{"action": "set_value", "selector": selector, "value": value} for selector, value in fill]
        actions.append({"action": "click_element", "selector": "#submit"})
        return (await self.succeed("execute_sequence", actions=actions)).text


class Playwright(Served):
    """Playwright's server: elements by selector, the form in one call, the click in another, then a snapshot."""

    name = "@playwright/mcp"

    def found(self) -> Found:
        return npm_program("@playwright/mcp", "cli.js")

    def arguments(self) -> list[str]:
        browser = ["--browser", "chromium", "--executable-path", find_executable().path, "--headless", "--no-sandbox"]
        return [*browser, "--isolated", "--output-dir", str(self.folder / "out")]

    async def open(self, url: str) -> None:
        await self.succeed("browser_navigate", url=url)

    async def click(self, selector: str) -> Said:
        return await self.succeed("browser_click", target=selector, element=selector)

    async def look(self) -> Said:
        return self._read(await self.succeed("browser_snapshot"))

    async def settled_reply(self, reply: Said) -> Said:
        """The reply links to a file with a snapshot, which the agent reads; where it does not, it takes one."""
        return self._read(reply) if has_snapshot(reply.text) else await self.look()

    def _read(self, said: Said) -> Said:
        text = with_snapshot(said.text, self.folder)
        self.chars += len(text) - len(said.text)
        return said._replace(text=text)

    async def login(self, user: str, password: str) -> str:
        fields = [
            {"name": name, "type": "textbox", "target": selector, "element": name, "value": value}
            for name, selector, value in (("name", "#user", user), ("password", "#pass", password))
        ]
        await self.succeed("browser_fill_form", fields=fields)
        return (await self.settled_reply(await self.click("#submit"))).text


class ChromeDevtools(Served):
    """Chrome's server: elements by the uids of a snapshot, which has to be taken first."""

    name = "chrome-devtools-mcp"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._page: dict[str, Any] = {}
        self._uid = ""
        self._snapshot = ""

    def found(self) -> Found:
        return npm_program("chrome-devtools-mcp", "build/src/bin/chrome-devtools-mcp.js")

    def arguments(self) -> list[str]:
        quiet = ["--no-usage-statistics", "--no-performance-crux", "--chromeArg=--no-sandbox"]
        return ["--executablePath", find_executable().path, "--headless", "--isolated", *quiet]

    async def open(self, url: str) -> None:
        if not self._page:
            listed = (await self.succeed("list_pages")).text
            number = re.search(r"^(\d+): ", listed, re.MULTILINE)
            assert number is not None
            self._page = {"pageId": int(number[1])}
        await self.succeed("navigate_page", **self._page, type="url", url=url)

    async def ready(self, _selector: str) -> None:
        self._snapshot = (await self.look()).text
        self._uid = self._named("(?:button|link)")

    def _named(self, role: str, name: str = "") -> str:
        found = re.search(rf'uid=(\S+) {role} "{name}', self._snapshot)
        assert found is not None, self._snapshot[:400]
        return found[1]

    async def click(self, _selector: str) -> Said:
        return await self.succeed("click", **self._page, uid=self._uid)

    async def look(self) -> Said:
        return await self.succeed("take_snapshot", **self._page)

    async def login(self, user: str, password: str) -> str:
        self._snapshot = (await self.look()).text
        elements = [
            {"uid": self._named("textbox", "Name"), "value": user},
            {"uid": self._named("textbox", "Password"), "value": password},
        ]
        await self.succeed("fill_form", **self._page, elements=elements)
        self._uid = self._named("button", "Log in")
        await self.click("#submit")
        return (await self.look()).text


S = TypeVar("S", bound=Served)


async def started(kinds: Sequence[type[S]], folder: Path, stack: AsyncExitStack) -> tuple[list[S], dict[str, str]]:
    """Start the servers that are installed for as long as the stack lives; return them, and why others are missing."""
    servers: list[S] = []
    missing: dict[str, str] = {}
    for kind in kinds:
        server = kind(folder)
        if (problem := server.problem()) is not None:
            missing[server.name] = problem
            continue
        await server.start(stack)
        servers.append(server)
    return servers, missing


SERVERS: tuple[type[Served], ...] = (Stillframe, Playwright, ChromeDevtools)
