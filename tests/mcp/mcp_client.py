"""A small client of the Model Context Protocol, written from its specification and sharing no code with any SDK.

It speaks both eras: the `initialize` handshake of 2025, and the stateless requests of 2026-07-28, each of which carries
its envelope; over the stdin and stdout of a server that it starts, or over Streamable HTTP. It can send anything:
frames that are not JSON, headers that do not fit, requests that are given up.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, NamedTuple

import aiohttp

Era = Literal["handshake", "stateless"]
VERSIONS: dict[Era, str] = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
META = "io.modelcontextprotocol/"
CLIENT = {"name": "stillframe-bench", "version": "1"}
NAMED = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
"""What of the parameters a stateless request over HTTP repeats in its `Mcp-Name` header."""

PATIENCE = 60.0
"""Seconds that an answer may take before a test or a figure is given up."""
LONGEST_LINE = 64 * 1024 * 1024


class Refused(Exception):
    """A JSON-RPC error; `status` is that of the HTTP answer it came in, 0 over stdio."""

    def __init__(self, error: Mapping[str, Any], status: int = 0) -> None:
        super().__init__(f"{error.get('message')} [{error.get('code')}]")
        self.code = error.get("code")
        self.message = str(error.get("message"))
        self.data = error.get("data")
        self.status = status


def error_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an error, which a result has instead of structured content."""
    fields: dict[str, Any] = result.get("_meta", {}).get("stillframe/error", {})
    assert not (fields and "structuredContent" in result)
    return fields


class Gone(Exception):
    """The server ended, or closed the connection, before it answered."""


class Reply(NamedTuple):
    """What a tool answered; `size` is the length of the whole message in bytes."""

    text: str
    content: list[dict[str, Any]]
    structured: dict[str, Any] | None
    is_error: bool
    size: int
    error: dict[str, Any]
    """The fields of an error that the server found, such as its code."""


class Client:
    """What both transports share: requests, tools, and what came without being asked for."""

    def __init__(self, era: Era = "handshake") -> None:
        self.era = era
        self.notifications: list[dict[str, Any]] = []
        self.strays: list[dict[str, Any]] = []
        """Answers to nothing: errors about frames that could not be read."""
        self.server: dict[str, Any] = {}
        """What the server said about itself."""
        self.size = 0
        """Bytes of the last answer."""
        self._ids = itertools.count(1)

    def next_id(self) -> int:
        """Return an id that no request has had."""
        return next(self._ids)

    async def open(self) -> dict[str, Any]:
        """Get to know the server, as the era wants it."""
        if self.era == "stateless":
            self.server = await self.request("server/discover")
            return self.server
        hello = {"protocolVersion": VERSIONS[self.era], "capabilities": {}, "clientInfo": CLIENT}
        self.server = await self.request("initialize", hello)
        await self.notify("notifications/initialized")
        return self.server

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools, over all pages of the list."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            page = await self.request("tools/list", cursor)
            found += page["tools"]
            if not page.get("nextCursor"):
                return found
            cursor = {"cursor": page["nextCursor"]}

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> Reply:
        """Call a tool; `more` goes to `request`. A tool that fails does not raise: its reply says so."""
        result = await self.request("tools/call", {"name": tool, "arguments": dict(arguments or {})}, **more)
        content = result.get("content", [])
        text = "\n".join(part["text"] for part in content if part.get("type") == "text")
        is_error = bool(result.get("isError"))
        return Reply(text, content, result.get("structuredContent"), is_error, self.size, error_of(result))

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        id: int | str | None = None,
        progress: int | str | None = None,
        timeout: float = PATIENCE,
    ) -> dict[str, Any]:
        """Send a request and return its result; raises Refused, Gone and TimeoutError."""
        message = self.message(method, params, id=self.next_id() if id is None else id, progress=progress)
        async with asyncio.timeout(timeout):
            answer = await self.exchange(message)
        if "error" in answer:
            raise Refused(answer["error"], answer.get("status", 0))
        result: dict[str, Any] = answer["result"]
        return result

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send what is not answered."""
        await self.deliver(self.message(method, params))

    async def cancel(self, id: int | str) -> None:
        """Take back a request, by its notification."""
        await self.notify("notifications/cancelled", {"requestId": id, "reason": "no longer wanted"})

    def message(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        id: int | str | None = None,
        progress: int | str | None = None,
    ) -> dict[str, Any]:
        """Return a request, or a notification if there is no id, with the envelope of the era."""
        full = dict(params or {})
        meta: dict[str, Any] = {} if progress is None else {"progressToken": progress}
        if self.era == "stateless":
            meta[f"{META}protocolVersion"] = VERSIONS[self.era]
            meta[f"{META}clientInfo"] = CLIENT
            meta[f"{META}clientCapabilities"] = {}
        if meta:
            full["_meta"] = meta | full.get("_meta", {})
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": full}
        return message if id is None else {"jsonrpc": "2.0", "id": id} | message

    async def exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the message that answers it."""
        raise NotImplementedError

    async def deliver(self, message: dict[str, Any]) -> None:
        """Send a notification."""
        raise NotImplementedError

    def _came(self, message: dict[str, Any]) -> None:
        """Sort what answers no request of ours."""
        if "method" in message and "id" not in message:
            self.notifications.append(message)
        else:
            self.strays.append(message)


class StdioClient(Client):
    """Speaks with a server that it started, one message a line."""

    def __init__(self, process: asyncio.subprocess.Process, era: Era) -> None:
        super().__init__(era)
        self.process = process
        self.stderr: deque[str] = deque(maxlen=200)
        self._waiting: dict[int | str, asyncio.Future[dict[str, Any]]] = {}
        self._ended: Exception | None = None
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._read_stderr())]

    async def exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        if self._ended is not None:
            raise self._ended
        answer = self._waiting[message["id"]] = asyncio.get_running_loop().create_future()
        try:
            await self.deliver(message)
            return await answer
        finally:
            self._waiting.pop(message["id"], None)

    async def deliver(self, message: dict[str, Any]) -> None:
        """Send one message."""
        await self.send(json.dumps(message, separators=(",", ":")).encode())

    async def send(self, line: bytes) -> None:
        """Send any bytes as a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        await self.process.stdin.drain()

    async def close(self, *, patience: float = PATIENCE) -> int:
        """Close its stdin, which asks it to end, and return its exit status; raises TimeoutError if it does not."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            async with asyncio.timeout(patience):
                status = await self.process.wait()
        except TimeoutError:
            self.process.kill()
            raise
        finally:
            await asyncio.wait(self._tasks)
        return status

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self._end(Gone(f"the server wrote something that is not a message: {line[:200]!r}"))
                continue
            self._answer(message, len(line))
        self._end(Gone("the server closed its end; it said: " + "".join(self.stderr)[-2000:]))

    def _answer(self, message: dict[str, Any], size: int) -> None:
        waiting = self._waiting.get(message.get("id", ""))
        if waiting is None or "method" in message or waiting.done():
            self._came(message)
        else:
            self.size = size
            waiting.set_result(message)

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.stderr.append(line.decode("utf-8", "replace"))

    def _end(self, error: Gone) -> None:
        self._ended = error
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)


@asynccontextmanager
async def over_stdio(
    command: Sequence[str], *, era: Era = "handshake", env: Mapping[str, str] | None = None
) -> AsyncIterator[StdioClient]:
    """Start a server, get to know it, and end it with the block."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=None if env is None else dict(env),
        limit=LONGEST_LINE,
    )
    client = StdioClient(process, era)
    try:
        await client.open()
        yield client
    finally:
        if process.returncode is None:
            await client.close()


class Answer(NamedTuple):
    """What came back for one POST: the status, the headers, the text, and the JSON-RPC messages in it."""

    status: int
    headers: Mapping[str, str]
    text: str
    messages: list[dict[str, Any]]


class HttpClient(Client):
    """Speaks Streamable HTTP with a server that runs."""

    def __init__(self, http: aiohttp.ClientSession, url: str, era: Era, headers: Mapping[str, str]) -> None:
        super().__init__(era)
        self.http = http
        self.url = url
        self.headers = dict(headers)
        """Sent with every request: the token, for one."""

    async def exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """POST a request and return the message that answers it."""
        answer = await self.post(message)
        self._keep_session(answer)
        for came in answer.messages:
            if came.get("id") == message["id"] and "method" not in came:
                self.size = len(answer.text.encode())
                return came | {"status": answer.status}
            self._came(came)
        if answer.status >= 400:
            raise Refused({"code": answer.status, "message": answer.text[:500]}, answer.status)
        raise Gone(f"HTTP {answer.status} without an answer: {answer.text[:200]!r}")

    async def deliver(self, message: dict[str, Any]) -> None:
        """POST a notification."""
        answer = await self.post(message)
        if answer.status >= 400:
            raise Refused({"code": answer.status, "message": answer.text[:500]}, answer.status)

    async def post(self, body: Any, headers: Mapping[str, str | None] | None = None) -> Answer:
        """POST anything: bytes as they are, all else as JSON. A header that is None is left out."""
        data = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
        own: dict[str, str | None] = {**self._headers(body), **(headers or {})}
        sent = {name: value for name, value in own.items() if value is not None}
        skipped = [name for name, value in own.items() if value is None]
        try:
            async with self.http.post(self.url, data=data, headers=sent, skip_auto_headers=skipped) as response:
                text = await response.text()
                return Answer(response.status, response.headers, text, _messages(text, response.content_type))
        except aiohttp.ClientConnectionError as error:
            raise Gone(str(error)) from error

    async def end_session(self) -> int:
        """Ask the server to forget the session of the handshake era, and return the status."""
        async with self.http.delete(self.url, headers=self._headers({})) as response:
            return response.status

    def _headers(self, body: Any) -> dict[str, str]:
        """The headers that the transport wants for a message."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSIONS[self.era],
            **self.headers,
        }
        if self.era == "stateless" and isinstance(body, dict) and "method" in body:
            headers["Mcp-Method"] = str(body["method"])
            name = body.get("params", {}).get(NAMED.get(body["method"], ""))
            if name is not None:
                headers["Mcp-Name"] = str(name)
        return headers

    def _keep_session(self, answer: Answer) -> None:
        session = answer.headers.get("Mcp-Session-Id")
        if session is not None:
            self.headers["Mcp-Session-Id"] = session


@asynccontextmanager
async def over_http(
    url: str, *, era: Era = "handshake", token: str | None = None, greet: bool = True
) -> AsyncIterator[HttpClient]:
    """Connect to a server; `greet` gets to know it first."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:
        client = HttpClient(http, url, era, headers)
        if greet:
            await client.open()
        yield client


def _messages(text: str, content_type: str) -> list[dict[str, Any]]:
    """Read an answer: one JSON message, or a stream of events with one each."""
    if content_type == "text/event-stream":
        # https://html.spec.whatwg.org/#event-stream-interpretation; lines that begin with a colon are comments.
        events = text.replace("\r\n", "\n").split("\n\n")
        return [json.loads(data) for event in events if (data := _data(event))]
    if content_type == "application/json" and text:
        message = json.loads(text)
        return message if isinstance(message, list) else [message]
    return []


def _data(event: str) -> str:
    lines = (line.removeprefix("data:") for line in event.split("\n") if line.startswith("data:"))
    return "\n".join(line.removeprefix(" ") for line in lines)
