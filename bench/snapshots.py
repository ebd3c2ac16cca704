"""What a 2 MB snapshot costs the client, from the socket to the delta.

Each contestant asks the same Chromium for the same page and is timed in CPU of the client alone. The floor receives the
frame and never looks into it; the other clients stop at their decoded reply, which is where comparing would begin;
stillframe goes on to parse, digest and diff against the snapshot before.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import websockets

from bench.commands import RIVALS, installed
from bench.measure import ClientCpu, Table, interleaved, table
from stillframe import chrome
from stillframe.cdp_types import dom_snapshot, runtime, target
from stillframe.core import Snapshot

CARDS = 2500
ROUNDS = 9
FLOOR = "raw frame, never decoded"
QUESTION = "client CPU for one large snapshot"
MIN_BYTES = 1_500_000
FILL = f"""
document.body.innerHTML = Array.from({{length: {CARDS}}}, (_, i) => `
  <article class="card product" data-id="${{i}}"><h3 class="title">Product ${{i}}</h3><p>Some words about ${{i}}.</p>
  <a href="/p/${{i}}" class="more link">More</a><button type="button" aria-label="Add ${{i}}">Add</button></article>`
).join(''); document.querySelectorAll('*').length"""

Sampler = Callable[[], Awaitable[float]]


def _sampler(ask: Callable[[], Awaitable[int]]) -> Sampler:
    async def sample() -> float:
        cpu = ClientCpu()
        size = await ask()
        assert size > 0, size
        return cpu.seconds() * 1000

    return sample


@asynccontextmanager
async def floor(endpoint: str, target_id: str) -> AsyncIterator[Sampler]:
    """websockets alone: the frame arrives and is left as it is."""
    url = f"ws://{endpoint}/devtools/page/{target_id}"
    async with websockets.connect(url, compression=None, max_size=None, ping_interval=None, proxy=None) as socket:

        async def ask() -> int:
            await socket.send('{"id":1,"method":"DOMSnapshot.captureSnapshot","params":{"computedStyles":[]}}')
            frame = await socket.recv(decode=False)
            assert len(frame) > MIN_BYTES, len(frame)
            return len(frame)

        yield _sampler(ask)


@asynccontextmanager
async def ours(endpoint: str, target_id: str) -> AsyncIterator[Sampler]:
    """stillframe: socket, parse, digest, diff with the one before; one text changes in between."""
    connection, _ = await chrome.connect(f"http://{endpoint}")
    async with connection:
        session = await connection.root.attach(target_id)
        command = dom_snapshot.CaptureSnapshot(computed_styles=[])
        before = Snapshot.from_cdp(await session.send_raw(command))

        async def sample() -> float:
            nonlocal before
            change = "document.querySelector('h3').textContent += '!'"
            await session.send(runtime.Evaluate(expression=change))
            cpu = ClientCpu()
            after = Snapshot.from_cdp(await session.send_raw(command))
            delta = before.diff(after)
            elapsed = cpu.seconds() * 1000
            assert len(delta.changed) == 1, delta.changed
            before = after
            return elapsed

        yield sample


@asynccontextmanager
async def cdp_use(endpoint: str, target_id: str) -> AsyncIterator[Sampler]:
    """cdp-use: a dict."""
    module = importlib.import_module("cdp_use.client")
    async with module.CDPClient(f"ws://{endpoint}/devtools/page/{target_id}") as client:

        async def ask() -> int:
            answer = await client.send.DOMSnapshot.captureSnapshot({"computedStyles": []})
            return len(answer["documents"][0]["nodes"]["nodeType"])

        yield _sampler(ask)


@asynccontextmanager
async def pydoll(endpoint: str, target_id: str) -> AsyncIterator[Sampler]:
    """pydoll's connection handler: a dict."""
    module = importlib.import_module("pydoll.connection.connection_handler")
    handler = module.ConnectionHandler(ws_address=f"ws://{endpoint}/devtools/page/{target_id}")

    async def ask() -> int:
        answer = await handler.execute_command(
            {"method": "DOMSnapshot.captureSnapshot", "params": {"computedStyles": []}}
        )
        return len(answer["result"]["documents"][0]["nodes"]["nodeType"])

    try:
        yield _sampler(ask)
    finally:
        await handler.close()


@asynccontextmanager
async def zendriver(endpoint: str, target_id: str) -> AsyncIterator[Sampler]:
    """zendriver: generated dataclasses."""
    connection_module = importlib.import_module("zendriver.core.connection")
    cdp = importlib.import_module("zendriver.cdp")
    connection = connection_module.Connection(f"ws://{endpoint}/devtools/page/{target_id}")

    async def ask() -> int:
        documents, _ = await connection.send(cdp.dom_snapshot.capture_snapshot(computed_styles=[]))
        return len(documents[0].nodes.node_type)

    try:
        yield _sampler(ask)
    finally:
        await connection.aclose()


CLIENTS: dict[str, Any] = {"cdp-use": cdp_use, "pydoll": pydoll, "zendriver": zendriver}


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure all clients that are installed; the others are named as missing."""
    missing = {name: f"pip install {RIVALS[name][0]}" for name in CLIENTS if not installed(RIVALS[name][0])}
    chosen = {FLOOR: floor, "stillframe, to the delta": ours}
    chosen |= {f"{name}, decoded only": client for name, client in CLIENTS.items() if name not in missing}
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(chrome.launched(chrome.LaunchOptions(port=0)))
        root = process.connection.root
        contestants = {}
        for name, open_client in chosen.items():
            target_id = (await root.send(target.CreateTarget(url="about:blank"))).target_id
            session = await root.attach(target_id)
            await session.send(runtime.Evaluate(expression=FILL))
            endpoint = (process.info.endpoint or "").removeprefix("http://")
            contestants[name] = await stack.enter_async_context(open_client(endpoint, target_id))
            await contestants[name]()
        samples = await interleaved(contestants, rounds)
    return [table(QUESTION, "ms", FLOOR, samples, missing=missing)]
