"""Testers of the protocol, run against `stillframe mcp`: the official suite from npm and three testers from PyPI.

    python -m bench.mcp.conformance        # or: make conformance

It installs them in bench/mcp/testers, prints a table, and ends with 1 if one of them finds what
bench/mcp/conformance_expected.py does not list with its reason, or no longer finds what it lists.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import venv
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.mcp.conformance_expected import EXPECTED, EXPECTED_WITH_TOOLS, FIXTURE, MAY_ONLY_FAIL_BY
from bench.mcp.token_proxy import token_proxy

TESTERS = Path(__file__).parent / "testers"
VERSIONS = ("2025-11-25", "2026-07-28")
TIMEOUT_S = 300.0
SERVER = [sys.executable, "-m", "stillframe", "mcp", "--allow-private"]
REFERENCE = [sys.executable, "-m", "bench.mcp.reference_server"]


class Found(NamedTuple):
    """What one tester found: checks that passed, failures with a reason, and those without."""

    tester: str
    passed: int
    expected: list[str]
    unexpected: list[str]


# -- installing ------------------------------------------------------------------------------------


def install() -> None:
    """Install the testers, unless they are there; raises CalledProcessError."""
    lock, modules = TESTERS / "package-lock.json", TESTERS / "node_modules"
    if not _is_newer(modules / ".package-lock.json", lock):
        # With scripts: one of them puts the program of the package `node` in its place.
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=TESTERS, check=True, stdout=subprocess.DEVNULL)
    required, environment = TESTERS / "requirements.txt", TESTERS / ".venv"
    stamp = environment / "installed"
    if not _is_newer(stamp, required):
        venv.create(environment, with_pip=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "-r", str(required)]
        subprocess.run(pip, check=True)
        stamp.touch()


def _is_newer(made: Path, source: Path) -> bool:
    return made.exists() and made.stat().st_mtime >= source.stat().st_mtime


# -- running ---------------------------------------------------------------------------------------


@asynccontextmanager
async def serving(token: str, *command: str) -> AsyncIterator[str]:
    """Run a server over HTTP for the block, and yield its URL."""
    environment = {**os.environ, "STILLFRAME_MCP_TOKEN": token}
    process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    said = ""
    try:
        while "serving " not in said:
            line = (await process.stderr.readline()).decode()
            if not line:
                raise RuntimeError(f"the server did not start: {said}")
            said += line
        drain = asyncio.create_task(process.stderr.read())
        yield said.partition("serving ")[2].split()[0]
        process.terminate()
        await process.wait()
        await drain
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def output_of(*command: str | Path, **environment: str) -> tuple[int, str]:
    """Return the exit code and the output of a program."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, out.decode("utf-8", "replace")


async def official(url: str, version: str, server: str, expected: dict[str, str]) -> Found:
    """Run the official suite for one version of the protocol."""
    name = f"conformance {version}, {server}"
    modules = TESTERS / "node_modules"
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        command = (modules / ".bin" / "node", suite, "server", "--url", url, "--requirements", version, "-o", folder)
        _, said = await output_of(*command)
        results = await asyncio.to_thread(_results, folder)
    if not results:
        return Found(name, 0, [], [f"it did not run: {said[-500:]}"])
    return judge(name, results, expected)


def judge(tester: str, results: dict[str, list[dict[str, Any]]], expected: dict[str, str]) -> Found:
    """Sort the failures of scenarios into those with a reason and those without."""
    passed = sum(check["status"] == "SUCCESS" for checks in results.values() for check in checks)
    with_reason, without = [], []
    for scenario, checks in sorted(results.items()):
        failures = [str(check.get("errorMessage")) for check in checks if check["status"] == "FAILURE"]
        reason = expected.get(scenario)
        surprising = list(_surprising(failures, reason))
        without += [f"{scenario}: {message}" for message in surprising]
        if failures and not surprising:
            with_reason.append(f"{scenario}: {reason}")
        if reason is not None and not failures:
            without.append(f"{scenario} passes: take it out of the table of expected failures")
    return Found(tester, passed, with_reason, without)


def _surprising(failures: list[str], reason: str | None) -> Iterator[str]:
    for message in failures:
        if reason is None or (reason == FIXTURE and not any(part in message for part in MAY_ONLY_FAIL_BY)):
            yield message


def _results(folder: str) -> dict[str, list[dict[str, Any]]]:
    return {_scenario(path): json.loads(path.read_text()) for path in Path(folder).glob("*/checks.json")}


def _scenario(path: Path) -> str:
    """Return the name in a folder such as `server-ping-2026-11-28T15-19-03-276Z`."""
    return path.parent.name.removeprefix("server-").rpartition("T")[0][: -len("-2026-11-28")]


async def mcpcheck(url: str, token: str) -> Found:
    """Run mcpcheck, which knows the protocol of 2026-07-28."""
    code, said = await output_of(_program("mcpcheck"), url, "--json", MCPCHECK_TOKEN=token)
    report = _json(said)
    checks = report.get("checks", [])
    failed = [
        f"{each['name']}: {each.get('summary', '')}" for each in checks if each.get("status") not in ("pass", "passed")
    ]
    return Found("mcpcheck", len(checks) - len(failed), [], failed or ([] if code == 0 and checks else [said[-500:]]))


async def mcp_conform() -> Found:
    """Run mcp-conform over stdio."""
    command = ("server", "--transport", "stdio", "--timeout", "60", "--command", " ".join(SERVER), "--format", "json")
    _, said = await output_of(_program("mcp-conform"), *command)
    report = _json(said)
    failed = [f"{each['name']}: {each['message']}" for each in report.get("checks", []) if not each["passed"]]
    fatal = report.get("fatal_error") or ("" if report else said[-500:])
    return Found("mcp-conform", report.get("passed", 0), [], failed + ([fatal] if fatal else []))


async def probe(url: str, token: str) -> Found:
    """Run amagi-mcp-probe, which calls tools with arguments that it makes up."""
    header = f"Authorization: Bearer {token}"
    code, said = await output_of(_program("amagi-mcp-probe"), "--url", url, "--header", header, "--format", "json")
    report = _json(said)
    tools = [tool for server in report.get("servers", []) for tool in server.get("tools", [])]
    passed = sum(tool.get("status") == "pass" for tool in tools)
    return Found("amagi-mcp-probe", passed, [], [] if code == 0 and report else [said[-500:]])


def _program(name: str) -> Path:
    return TESTERS / ".venv" / "bin" / name


def _json(text: str) -> dict[str, Any]:
    try:
        report = json.loads(text[text.index("{") :])
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


# -- reporting -------------------------------------------------------------------------------------


def lines(found: list[Found]) -> Iterator[str]:
    """Yield the report: a table, then the failures."""
    yield "| tester | checks passed | failures with a reason | failures without |"
    yield "|---|---|---|---|"
    for each in found:
        yield f"| {each.tester} | {each.passed} | {len(each.expected)} | {len(each.unexpected)} |"
    for each in found:
        reasons = dict.fromkeys(failure.partition(": ")[2] for failure in each.expected)
        for reason in reasons:
            names = [name for name, _, why in (failure.partition(": ") for failure in each.expected) if why == reason]
            yield f"{each.tester}: {reason}: {', '.join(names)}"
        yield from (f"{each.tester}: FAILED: {failure}" for failure in each.unexpected)


async def main() -> int:
    """Install and run all testers; return the exit code."""
    await asyncio.to_thread(install)
    token = secrets.token_urlsafe()
    async with serving(token, *REFERENCE) as url, token_proxy(url, token) as proxy:
        found = [await official(proxy, version, "with the suite's tools", EXPECTED_WITH_TOOLS) for version in VERSIONS]
    async with serving(token, *SERVER, "--http") as url, token_proxy(url, token) as proxy:
        found += [await official(proxy, version, "the server", EXPECTED) for version in VERSIONS]
        found += [await mcpcheck(url, token), await mcp_conform(), await probe(url, token)]
    sys.stdout.write("\n".join(lines(found)) + "\n")
    return 1 if any(each.unexpected for each in found) else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
