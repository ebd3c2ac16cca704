"""What a command costs the client, beside raw websockets + msgspec and the other Python clients.

All talk to one Chromium over loopback; each sends `COUNT` evaluations of `1 + 1`, up to `WINDOW` of them at once, and
every answer is checked. The figure is CPU time of the client (and, for Playwright, of its Node driver) per command.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec
import psutil
import websockets

from bench.measure import ClientCpu, Table, interleaved, table
from stillframe import chrome
from stillframe.cdp import Connection
from stillframe.cdp_types import runtime, target

COUNT = 1000
WINDOW = 50
ROUNDS = 9
QUESTION = f"client CPU per command, {WINDOW} pipelined"

One = Callable[[], Awaitable[Any]]


async def _all(one: One, expected: int = 2) -> None:
    for _ in range(COUNT // WINDOW):
        answers = await asyncio.gather(*(one() for _ in range(WINDOW)))
        assert all(answer == expected for answer in answers), answers[:3]


def _sampler(one: One, helpers: list[psutil.Process] | None = None) -> Callable[[], Awaitable[float]]:
    async def sample() -> float:
        cpu = ClientCpu(helpers)
        await _all(one)
        return cpu.seconds() / COUNT * 1e6

    return sample


class _Envelope(msgspec.Struct):
    id: int = 0
    result: msgspec.Raw = msgspec.Raw(b"")


class _Result(msgspec.Struct):
    class Remote(msgspec.Struct):
        value: int = 0

    result: Remote


@asynccontextmanager
async def raw(endpoint: str, target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """The floor: websockets and msgspec, with no sessions, deadlines, errors or events."""
    url = f"ws://{endpoint}/devtools/page/{target_id}"
    async with websockets.connect(url, compression=None, max_size=None, ping_interval=None, proxy=None) as socket:
        pending: dict[int, asyncio.Future[int]] = {}
        decode = msgspec.json.Decoder(_Envelope).decode
        result = msgspec.json.Decoder(_Result).decode
        encode = msgspec.json.Encoder().encode
        numbers = iter(range(1, 1 << 31))

        async def read() -> None:
            async for message in socket:
                envelope = decode(message)
                pending.pop(envelope.id).set_result(result(envelope.result).result.value)

        async def one() -> int:
            number = next(numbers)
            future = pending[number] = asyncio.get_running_loop().create_future()
            params = {"expression": "1 + 1", "returnByValue": True}
            await socket.send(encode({"id": number, "method": "Runtime.evaluate", "params": params}), text=True)
            return await future

        reader = asyncio.create_task(read())
        try:
            yield _sampler(one)
        finally:
            reader.cancel()


@asynccontextmanager
async def ours(endpoint: str, target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """stillframe over a websocket, typed commands and results."""
    connection, _ = await chrome.connect(f"http://{endpoint}")
    async with connection:
        session = await connection.root.attach(target_id)

        async def one() -> Any:
            return (await session.send(runtime.Evaluate(expression="1 + 1", return_by_value=True))).result.value

        yield _sampler(one)


@asynccontextmanager
async def ours_batch(endpoint: str, target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """stillframe over a websocket, each window of commands as one batch."""
    connection, _ = await chrome.connect(f"http://{endpoint}")
    async with connection:
        session = await connection.root.attach(target_id)

        async def sample() -> float:
            cpu = ClientCpu()
            for _ in range(COUNT // WINDOW):
                async with session.batch() as batch:
                    command = runtime.Evaluate(expression="1 + 1", return_by_value=True)
                    answers = [batch.send(command) for _ in range(WINDOW)]
                assert all(answer.result().result.value == 2 for answer in answers)
            return cpu.seconds() / COUNT * 1e6

        yield sample


@asynccontextmanager
async def cdp_use(endpoint: str, target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """cdp-use: dict in, dict out."""
    client_module = importlib.import_module("cdp_use.client")
    async with client_module.CDPClient(f"ws://{endpoint}/devtools/page/{target_id}") as client:

        async def one() -> Any:
            answer = await client.send.Runtime.evaluate({"expression": "1 + 1", "returnByValue": True})
            return answer["result"]["value"]

        yield _sampler(one)


@asynccontextmanager
async def pydoll(endpoint: str, target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """pydoll's connection handler."""
    handler_module = importlib.import_module("pydoll.connection.connection_handler")
    commands = importlib.import_module("pydoll.commands.runtime_commands")
    handler = handler_module.ConnectionHandler(ws_address=f"ws://{endpoint}/devtools/page/{target_id}")

    async def one() -> Any:
        command = commands.RuntimeCommands.evaluate(expression="1 + 1", return_by_value=True)
        return (await handler.execute_command(command))["result"]["result"]["value"]

    try:
        yield _sampler(one)
    finally:
        await handler.close()


@asynccontextmanager
async def zendriver(endpoint: str, target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """zendriver's connection, whose generated bindings build dataclasses."""
    connection_module = importlib.import_module("zendriver.core.connection")
    cdp = importlib.import_module("zendriver.cdp")
    connection = connection_module.Connection(f"ws://{endpoint}/devtools/page/{target_id}")

    async def one() -> Any:
        remote, _ = await connection.send(cdp.runtime.evaluate(expression="1 + 1", return_by_value=True))
        return remote.value

    try:
        await one()
        yield _sampler(one)
    finally:
        await connection.aclose()


@asynccontextmanager
async def playwright(endpoint: str, _target_id: str) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """Playwright for Python through a CDPSession; its Node driver's CPU counts, it is part of the client."""
    module = importlib.import_module("playwright.async_api")
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    async with module.async_playwright() as driver:
        browser = await driver.chromium.connect_over_cdp(f"http://{endpoint}")
        helpers = [p for p in psutil.Process().children(recursive=True) if p.pid not in before]
        page = browser.contexts[0].pages[0]
        session = await page.context.new_cdp_session(page)

        async def one() -> Any:
            answer = await session.send("Runtime.evaluate", {"expression": "1 + 1", "returnByValue": True})
            return answer["result"]["value"]

        yield _sampler(one, helpers)
        await browser.close()


RIVALS = {"cdp-use": ("cdp_use", cdp_use), "pydoll": ("pydoll", pydoll), "zendriver": ("zendriver", zendriver)}
RIVALS["Playwright"] = ("playwright", playwright)


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure all clients that are installed; the others are named as missing."""
    missing = {name: f"pip install {module}" for name, (module, _) in RIVALS.items() if not installed(module)}
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(chrome.launched(chrome.LaunchOptions(port=0)))
        endpoint = (process.info.endpoint or "").removeprefix("http://")
        contestants = {}
        for name, open_client in _clients(missing).items():
            target_id = await _tab(process.connection)
            contestants[name] = await stack.enter_async_context(open_client(endpoint, target_id))
            await contestants[name]()
        samples = await interleaved(contestants, rounds)
    return [table(QUESTION, "µs", "raw websockets + msgspec", samples, missing=missing)]


def _clients(missing: dict[str, str]) -> dict[str, Any]:
    own = {"raw websockets + msgspec": raw, "stillframe": ours, "stillframe, batch": ours_batch}
    return own | {name: client for name, (_, client) in RIVALS.items() if name not in missing}


def installed(module: str) -> bool:
    """Whether a rival can be imported here."""
    return importlib.util.find_spec(module) is not None


async def _tab(connection: Connection) -> str:
    return (await connection.root.send(target.CreateTarget(url="about:blank"))).target_id
