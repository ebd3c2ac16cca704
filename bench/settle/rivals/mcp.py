"""`@playwright/mcp` and `chrome-devtools-mcp` as agents use them: one tool call acts, waits and replies."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from bench.settle.lanes import Act, LaneKind
from bench.settle.rivals.find import npm_program
from bench.settle.rivals.lane import ACT_TIMEOUT_S, Outcome, Rival, first_line, now_ms
from bench.settle.rivals.program import ProgramFailed

PROTOCOL_VERSION = "2025-06-18"
# With nothing but syntax where a page could have put methods of its own.
FIND = "(...all) => { for (let i = 0; i < all.length; i++) if (all[i].matches?.(SELECTOR)) return i; return -1; }"
CLIENT = {"name": "settlebench", "version": "1"}


class Reply(msgspec.Struct, frozen=True):
    """The text of a tool's reply, and whether the tool calls it an error."""

    text: str
    error: bool = False


class Mcp(Rival):
    """A lane whose program is an MCP server."""

    kind: LaneKind = "program"

    async def connect(self) -> None:
        """Shake hands."""
        hello = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": CLIENT}
        await self.program.request("initialize", hello, timeout=30)
        await self.program.notify("notifications/initialized")

    async def act(self, action: Act) -> Outcome:
        """Call the action's tool; its reply is the return."""
        tool, arguments = self.call_for(action)
        acted = now_ms()
        reply = await self.tool(tool, **arguments)
        return Outcome(acted, now_ms(), reply.text, first_line(reply.text) if reply.error else None)

    def call_for(self, action: Act) -> tuple[str, dict[str, Any]]:
        """Return the tool that does the action and its arguments."""
        raise NotImplementedError

    async def tool(self, name: str, **arguments: Any) -> Reply:
        """Call a tool and return its reply."""
        params = {"name": name, "arguments": arguments}
        told = await self.program.request("tools/call", params, timeout=ACT_TIMEOUT_S)
        texts = [part["text"] for part in told.get("content", []) if part.get("type") == "text"]
        return Reply("\n".join(texts), bool(told.get("isError")))

    async def succeed(self, name: str, **arguments: Any) -> str:
        """Call a tool and return its text; raises ProgramFailed when the tool calls it an error."""
        reply = await self.tool(name, **arguments)
        if reply.error:
            raise ProgramFailed(f"{name}: {reply.text.strip()}")
        return reply.text


class PlaywrightMcp(Mcp):
    """Playwright's own MCP server. Its replies link to a snapshot in a file: that file is part of the reply."""

    name = "@playwright/mcp"

    def __init__(self) -> None:
        super().__init__(npm_program("@playwright/mcp", "cli.js"))

    def command(self) -> list[str]:
        """Connect to our browser; the wheel is one of its optional tools."""
        return [*super().command(), "--cdp-endpoint", self.stage.endpoint, "--caps", "vision", "--output-dir", "out"]

    async def connect(self) -> None:
        """Shake hands, and have it connect to the browser, which it does at the first call."""
        await super().connect()
        await self.succeed("browser_tabs", action="list")

    async def open(self, url: str) -> None:
        """Navigate with its own tool."""
        await self.succeed("browser_navigate", url=url)

    async def prepare(self, action: Act) -> None:
        """Focus what a key is meant for, and move the mouse over what is to be scrolled.

        Elements are named by selector, as its tools allow: no snapshot is needed.
        """
        if action.kind == "scroll" and action.selector:
            await self.succeed("browser_hover", target=action.selector, element=action.selector)
        elif action.kind == "scroll":
            await self.succeed("browser_mouse_move_xy", x=200, y=200)
        if action.kind == "key" and action.selector:
            await self.succeed("browser_evaluate", target=action.selector, function="(element) => element.focus()")

    def call_for(self, action: Act) -> tuple[str, dict[str, Any]]:
        """Return the tool that does the action and its arguments."""
        place = {"target": action.selector, "element": action.selector}
        calls: dict[str, tuple[str, dict[str, Any]]] = {
            "click": ("browser_click", place),
            "type": ("browser_type", {**place, "text": action.value}),
            "key": ("browser_press_key", {"key": action.value}),
            "hover": ("browser_hover", place),
            "scroll": ("browser_mouse_wheel", {"deltaX": 0, "deltaY": scroll_pixels(action)}),
            "navigate": ("browser_navigate", {"url": action.value}),
        }
        return calls[action.kind]

    async def act(self, action: Act) -> Outcome:
        """Call the tool; the snapshot that its reply links to was taken before the reply."""
        outcome = await super().act(action)
        outcome.text = with_snapshot(outcome.text, self.stage.folder)
        return outcome

    async def unblock(self) -> None:
        """Accept the dialog."""
        await self.tool("browser_handle_dialog", accept=True)

    def shows_page(self, text: str) -> bool:
        """Replies of most tools come with a snapshot."""
        return has_snapshot(text)

    async def look(self) -> str:
        """Take a snapshot."""
        return (await self.tool("browser_snapshot")).text


SNAPSHOT_LINK = re.compile(r"\[Snapshot\]\(([^)]+)\)")
INLINE_SNAPSHOT = re.compile(r"### Snapshot\s+```yaml")


def with_snapshot(text: str, folder: Path) -> str:
    """Return a reply with the snapshot in it that it links to by a path under `folder`."""
    link = SNAPSHOT_LINK.search(text)
    file = folder / link[1] if link else None
    return f"{text}\n```yaml\n{file.read_text()}\n```" if file is not None and file.is_file() else text


def has_snapshot(text: str) -> bool:
    """Whether a reply carries a snapshot, inline or by link."""
    return bool(SNAPSHOT_LINK.search(text) or INLINE_SNAPSHOT.search(text))


class ChromeDevtoolsMcp(Mcp):
    """Chrome's own MCP server. Its tools take uids of its snapshot, so one is taken before the time counts."""

    name = "chrome-devtools-mcp"

    def __init__(self) -> None:
        super().__init__(npm_program("chrome-devtools-mcp", "build/src/bin/chrome-devtools-mcp.js"))
        self._page_id = 1
        self._uid = ""

    def command(self) -> list[str]:
        """Connect to our browser, and tell nobody."""
        return [
            *super().command(),
            *("--browserUrl", self.stage.endpoint, "--no-usage-statistics", "--no-performance-crux"),
        ]

    async def connect(self) -> None:
        """Shake hands and learn the number of the page."""
        await super().connect()
        self._page_id = selected_page(await self.succeed("list_pages"))

    async def open(self, url: str) -> None:
        """Navigate with its own tool."""
        await self.succeed("navigate_page", pageId=self._page_id, type="url", url=url)

    async def prepare(self, action: Act) -> None:
        """Take a snapshot and find the uid of the action's element; focus what a key is meant for."""
        if action.kind == "navigate" or not action.selector:
            return
        self._uid = await self._find(action.selector)
        if action.kind == "key":
            await self._on_element("(element) => element.focus()", self._uid)

    def call_for(self, action: Act) -> tuple[str, dict[str, Any]]:
        """Return the tool that does the action and its arguments."""
        place = {"uid": self._uid}
        calls: dict[str, tuple[str, dict[str, Any]]] = {
            "click": ("click", place),
            "type": ("fill", {**place, "value": action.value}),
            "key": ("press_key", {"key": action.value}),
            "hover": ("hover", place),
            # It has no tool for the wheel.
            "scroll": ("evaluate_script", scroll_script(action, self._uid)),
            "navigate": ("navigate_page", {"type": "url", "url": action.value}),
        }
        tool, arguments = calls[action.kind]
        return tool, {"pageId": self._page_id, **arguments}

    async def unblock(self) -> None:
        """Accept the dialog."""
        await self.tool("handle_dialog", pageId=self._page_id, action="accept")

    async def look(self) -> str:
        """Take a snapshot: replies to actions carry no page."""
        return (await self.tool("take_snapshot", pageId=self._page_id)).text

    async def _find(self, selector: str) -> str:
        """Return the uid of the element that a selector names, by asking the elements themselves."""
        snapshot = await self.succeed("take_snapshot", pageId=self._page_id, verbose=True)
        uids: list[str] = re.findall(r"^\s*uid=(\S+)", snapshot, re.MULTILINE)
        asks = FIND.replace("SELECTOR", json.dumps(selector))
        reply = await self._on_element(asks, *uids)
        if not reply.error:
            found = fenced_json(reply.text)
            return uids[found] if found >= 0 else ""
        for uid in uids:  # elements of several frames are refused together
            reply = await self._on_element(asks, uid)
            if not reply.error and fenced_json(reply.text) == 0:
                return uid
        # A page may have replaced what the tool itself evaluates with; an agent would read the snapshot then.
        button = re.search(r"^\s*uid=(\S+) button ", snapshot, re.MULTILINE)
        return button[1] if button else ""

    async def _on_element(self, function: str, *uids: str) -> Reply:
        return await self.tool("evaluate_script", pageId=self._page_id, function=function, args=list(uids))


def scroll_pixels(action: Act) -> int:
    """Return how far a scroll goes: its value, or 500 pixels."""
    return int(action.value or 500) if action.kind == "scroll" else 0


def scroll_script(action: Act, uid: str) -> dict[str, Any]:
    """Return the arguments of a script that scrolls an element, or the page where none is named."""
    pixels = scroll_pixels(action)
    if action.selector:
        return {"function": f"(element) => element.scrollBy(0, {pixels})", "args": [uid]}
    return {"function": f"() => scrollBy(0, {pixels})"}


def selected_page(text: str) -> int:
    """Return the number of the page that `list_pages` calls selected; raises ProgramFailed when there is none."""
    found = re.search(r"^(\d+): .*\[selected\]", text, re.MULTILINE)
    if found is None:
        raise ProgramFailed(f"no page is selected in: {text.strip()[:200]}")
    return int(found[1])


def fenced_json(text: str) -> Any:
    """Return the value of the first fenced block of JSON in a reply; raises ValueError when there is none."""
    found = re.search(r"```json\s*(.*?)\s*```", text, re.DOTALL)
    if found is None:
        raise ValueError(f"no JSON in: {text.strip()[:200]}")
    return json.loads(found[1])
