"""A program that speaks JSON-RPC 2.0 over its stdin and stdout, one message a line: MCP servers and our own workers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import psutil

LINE_LIMIT = 64 << 20
"""A reply is one line; the snapshot of a large page has some megabytes."""
EXIT_GRACE_S = 3.0
"""How long a program may take to end after its stdin has closed; all that we run end within one second."""
STDERR_TAIL = 300
METHOD_NOT_FOUND = -32601


class ProgramEnded(Exception):
    """The program is gone or cannot be understood; the message has its last words."""


class ProgramFailed(Exception):
    """The program answered a request with an error."""


class Program:
    """A running program; made by `Program.started`, ended by `aclose`.

    Messages that do not answer us are read and dropped. Requests are answered, so that a program never waits for us:
    `ping` with the empty answer, and any other with JSON-RPC's error for unknown methods.
    """

    def __init__(self, process: asyncio.subprocess.Process, stderr: Path) -> None:
        self.pid = process.pid
        self._process = process
        self._stderr = stderr
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._error: ProgramEnded | None = None
        self._reader = asyncio.create_task(self._read(), name=f"reader of program {process.pid}")

    @classmethod
    async def started(
        cls, command: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None
    ) -> Program:
        """Start a program in `folder`, where its stderr is kept too; `env` is added to our environment.

        It gets a session of its own: an interrupt at the terminal reaches us alone, and we end it.
        """
        stderr = folder / f"{Path(command[1] if len(command) > 1 else command[0]).name}.stderr"
        with stderr.open("wb") as sink:
            process = await asyncio.create_subprocess_exec(
                *map(str, command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=sink,
                cwd=folder,
                env={**os.environ, **(env or {})},
                limit=LINE_LIMIT,
                start_new_session=True,
            )
        return cls(process, stderr)

    async def request(self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float = 30) -> Any:
        """Send a request and return its result.

        Raises ProgramFailed for an error in reply, ProgramEnded when the program is gone, TimeoutError.
        """
        if self._error is not None:
            raise self._error
        number = next(self._numbers)
        future = self._pending[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params or {})})
            async with asyncio.timeout(timeout):
                return await future
        finally:
            self._pending.pop(number, None)

    async def notify(self, method: str) -> None:
        """Send a notification."""
        await self._send({"jsonrpc": "2.0", "method": method})

    async def aclose(self) -> None:
        """End the program and whatever it started: politely by closing its stdin, then by signal. Idempotent."""
        family = _family(self.pid)
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EXIT_GRACE_S):
                    await self._process.wait()
        finally:
            _kill({*family, *_family(self.pid)})
            self._reader.cancel()
        await self._process.wait()
        await asyncio.wait({self._reader})

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(msgspec.json.encode(message) + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise self._error or self._ended("closed its input") from None

    async def _read(self) -> None:
        what = "was closed"
        try:
            assert self._process.stdout is not None
            while line := await self._process.stdout.readline():
                await self._take(line)
            what = "ended"
        except (ValueError, ProgramEnded) as error:
            what = f"sent a line that is too long ({error})"
        finally:
            self._error = self._ended(what)
            for future in self._pending.values():
                if not future.done():
                    future.set_exception(self._error)

    async def _take(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line)
        except msgspec.DecodeError:
            return  # a program that logs to its stdout
        if not isinstance(message, dict):
            return
        if "method" in message:
            await self._answer(message)
            return
        future = self._pending.get(message.get("id", 0))
        if future is None or future.done():
            return
        if error := message.get("error"):
            future.set_exception(ProgramFailed(str(error.get("message", error))))
        else:
            future.set_result(message.get("result"))

    async def _answer(self, request: dict[str, Any]) -> None:
        if "id" not in request:
            return
        unknown = {"error": {"code": METHOD_NOT_FOUND, "message": f"{request['method']} is not served here"}}
        await self._send(
            {"jsonrpc": "2.0", "id": request["id"], **({"result": {}} if request["method"] == "ping" else unknown)}
        )

    def _ended(self, what: str) -> ProgramEnded:
        with contextlib.suppress(OSError):
            words = self._stderr.read_text(errors="replace").strip()[-STDERR_TAIL:]
            if words:
                return ProgramEnded(f"the program {what}; its last words: {words}")
        return ProgramEnded(f"the program {what}")


def tree(pid: int) -> list[psutil.Process]:
    """Return a process and all its descendants, as far as they still run."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _family(pid: int) -> set[psutil.Process]:
    return set(tree(pid))


def _kill(processes: set[psutil.Process]) -> None:
    # psutil compares start times, so a number that was given to another process since is left alone.
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGKILL)
