"""A server on loopback that answers with the bytes that it is given, host by host, and what else an answer may be."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

Writer = asyncio.StreamWriter
Answer = bytes | Callable[[Writer], Awaitable[None]]
"""The bytes of a response, or what writes them."""


def http(body: bytes | str = b"", status: str = "200 OK", *, length: int | None = None, **headers: str) -> bytes:
    """Return the bytes of a response that says its length, or another one."""
    content = body.encode() if isinstance(body, str) else body
    lines = {"Content-Length": str(len(content) if length is None else length), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + content


async def reset(writer: Writer) -> None:
    """Break the connection without an answer."""
    writer.transport.abort()


async def hang(_: Writer) -> None:
    """Never answer."""
    await asyncio.sleep(60)


class RawServer:
    """Answers by `HOST/path`, or by path; `seen` has what each host was asked for, in order."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.seen: dict[str, list[str]] = defaultdict(list)
        self.agents: dict[str, str] = {}
        self.port = 0
        self._open: set[asyncio.Task[None] | None] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        self._open.add(asyncio.current_task())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ", 2)[1]
            fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            host = fields["host"].partition(":")[0]
            self.seen[host].append(path)
            self.agents[host] = fields.get("user-agent", "")
            answer = self.answers.get(f"{host}{path}", self.answers.get(path, http(status="404 Not Found")))
            if callable(answer):
                await answer(writer)
            else:
                writer.write(answer.replace(b"{port}", b"%d" % self.port))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def end(self) -> None:
        """End the answers that still go on."""
        tasks = [task for task in self._open if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def raw_server(answers: Mapping[str, Answer]) -> AsyncIterator[RawServer]:
    """Serve on every address of loopback: 127.0.0.2 is another host than 127.0.0.3."""
    site = RawServer(answers)
    server = await asyncio.start_server(site.serve, "0.0.0.0", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        await site.end()
