"""`stillframe agent` as a shell sees it, with a scripted provider of models and a real browser."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest
from model_server import HANG, KEY, Answer, ModelServer, decided

from command_line import Done, call, stillframe
from sampling import sampled
from stillframe.demo import Shop
from stillframe.demo.shop import PASSWORD, USER
from stillframe.scripts.script import load_script

MODEL = "openai-chat:gpt-4o"
LOG_IN = {
    "status": "continue",
    "reasoning": "log in first",
    "commands": [
        {"action": "set_value", "selector": "#user", "value": USER},
        {"action": "set_value", "selector": "#pass", "value": {"secretName": "shop"}},
        {"action": "click_element", "selector": "#submit"},
    ],
}
COMPLETE = {"status": "complete", "statusReasoning": "the shop welcomes Ann", "memoryUpdate": {"price": "€ 48"}}
STUCK = {"status": "stuck", "statusReasoning": "there is no such lamp"}
START = "from stillframe.cli import main; main()"
BOUND = 120
"""Seconds for every wait; a browser starts and ends within one or two."""


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    file = tmp_path / "secrets.env"
    file.write_text(f"shop={PASSWORD}\n")
    file.chmod(0o600)
    return file


def environment(server: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}


async def log_in(shop: Shop, server: ModelServer, secrets: Path, *args: str | Path) -> Done:
    command = ("agent", "Log in as ann", "--url", shop.url("/login"), "--model", MODEL, "--secrets", secrets)
    return await stillframe(*command, *args, env=environment(server))


def lines(done: Done) -> list[Any]:
    return [json.loads(line) for line in done.out.splitlines()]


# -- without a browser ---------------------------------------------------------------------------


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STILLFRAME_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--url", "about:blank"], ["--model", "STILLFRAME_MODEL"]),
        (["--model", "test"], ["--url"]),
        (["--url", "about:blank", "--model", "gpt"], ["name the provider as well"]),
        (["--url", "about:blank", "--model", MODEL], ["OPENAI_API_KEY"]),
        (["--url", "about:blank", "--model", "test", "--check-text", "a", "--check-url", "b"], ["give one check"]),
        (["--url", "about:blank", "--model", "test", "--budget-usd", "-1"], ["--budget-usd"]),
        (["--url", "about:blank", "--model", "test", "--timeout", "1e9"], ["field timeout"]),
        (["--url", "about:blank", "--model", "test", "--script", "no/such/folder/a.json"], ["cannot write"]),
        (["--url", "about:blank", "--replies", "no/such/file"], ["cannot be read"]),
        (["--url", "about:blank", "--model", "test", "--secrets", "no/such/file"], ["secrets"]),
    ],
)
def test_wrong_options_are_named_before_a_browser_starts(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, args: list[str], words: list[str]
) -> None:
    monkeypatch.setattr("stillframe.cli.choice.BrowserChoice.page", pytest.fail)
    done = call(capfd, "agent", "Buy a lamp", *args)
    assert (done.code, done.out) == (2, "")
    assert all(word in done.err for word in words), done.err
    assert done.err.count("\n") == 1


def test_no_library_advertises_before_the_first_turn(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """pydantic-ai prints a banner, but never in a test: only its switch can be seen here."""
    monkeypatch.setenv("PYDANTIC_AI_NO_BANNER", "restored after the test")
    monkeypatch.delenv("PYDANTIC_AI_NO_BANNER")
    unwritable = ["--script", "no/such/folder/a.json"]
    assert call(capfd, "agent", "Buy", "--url", "about:blank", "--model", "test", *unwritable).code == 2
    assert os.environ["PYDANTIC_AI_NO_BANNER"]


@pytest.mark.heavy
def test_nothing_but_a_run_imports_the_library_of_models_and_without_it_one_sentence_says_how_to_get_it() -> None:
    """In one process, which takes most of its time for imports."""
    code = """if True:
        import importlib, sys
        for name in ("stillframe", "stillframe.agent", "stillframe.mcp.server", "stillframe.cli.app"):
            importlib.import_module(name)
            sys.modules["stillframe"].launch
            print(name, "pydantic_ai" in sys.modules)
        sys.modules["pydantic_ai"] = None
        for command in (["agent", "Buy", "--url", "about:blank"], ["mcp", "--agent-model", sys.argv[1]]):
            try:
                sys.modules["stillframe.cli"].main(command)
            except SystemExit as ended:
                print(command[0], ended.code)
    """
    env = {**os.environ, "STILLFRAME_MODEL": MODEL}
    done = subprocess.run([sys.executable, "-c", code, MODEL], capture_output=True, text=True, env=env, check=True)
    imported = ["stillframe", "stillframe.agent", "stillframe.mcp.server", "stillframe.cli.app"]
    assert done.stdout.splitlines() == [*(f"{name} False" for name in imported), "agent 2", "mcp 2"]
    assert done.stderr == 2 * "stillframe: the agent needs pydantic-ai: pip install 'stillframe[agent]'\n"


# -- runs ----------------------------------------------------------------------------------------


@pytest.mark.browser
async def test_a_person_reads_a_line_per_event_and_the_bill(secrets: Path, connecting: tuple[str, str]) -> None:
    async with Shop() as shop, ModelServer(decided(LOG_IN), decided(COMPLETE)) as server:
        done = await log_in(shop, server, secrets, "--check-text", "Welcome back", *connecting)
    assert done.code == 0, done.whole
    told = done.out.splitlines()
    assert told[0] == "goal: Log in as ann (gpt-4o, 1 step)"
    assert "1.1 iteration 1/8: log in first" in told
    assert any(line.startswith("  ok: click_element") for line in told)
    assert "complete: the shop welcomes Ann" in told
    assert told[-2].startswith("2 model calls, 200 tokens in (80 read from the cache), 40 out, $0.00"), told
    assert told[-1] == "price: € 48"
    assert PASSWORD not in done.out + done.err
    assert PASSWORD not in server.said_to_model(0) + server.said_to_model(1)
    assert server.authorizations == [f"Bearer {KEY}"] * 2


@pytest.mark.browser
async def test_json_has_one_event_per_line_and_the_outcome_last(
    secrets: Path, connecting: tuple[str, str], tmp_path: Path
) -> None:
    script, program = tmp_path / "login.json", tmp_path / "login.py"
    async with Shop() as shop, ModelServer(decided(LOG_IN), decided(COMPLETE)) as server:
        done = await log_in(shop, server, secrets, "--json", "--script", script, "--python", program, *connecting)
    assert done.code == 0, done.whole
    *events, outcome = lines(done)
    names = [event["event"] for event in events]
    assert names == [
        *("run_started", "step_started", "model_called", "turn_ended", "model_called", "turn_ended", "step_ended"),
        "run_ended",
    ]
    assert (outcome["status"], outcome["extracted"]) == ("complete", {"price": "€ 48"})
    assert outcome["usage"]["inputTokens"] == 200
    assert PASSWORD not in done.out
    (step,) = load_script(script).steps
    assert [action.action["action"] for action in step.actions] == ["set_value", "set_value", "click_element"]
    assert PASSWORD not in script.read_text()
    compile(program.read_text(), program, "exec")


@pytest.mark.browser
async def test_a_goal_that_is_not_reached_exits_with_1(secrets: Path, connecting: tuple[str, str]) -> None:
    async with Shop() as shop, ModelServer(decided(STUCK)) as server:
        done = await log_in(shop, server, secrets, "--json", *connecting)
    assert done.code == 1, done.whole
    assert lines(done)[-1]["status"] == "stuck"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("limit", "key"),
    [
        (("--budget-tokens", "0"), "budget_tokens"),
        (("--timeout", "0"), "timeout"),
        (("--budget-usd", "0"), "budget_usd"),
    ],
)
async def test_limits_end_a_run(secrets: Path, connecting: tuple[str, str], limit: tuple[str, ...], key: str) -> None:
    async with Shop() as shop, ModelServer() as server:
        done = await log_in(shop, server, secrets, "--json", *limit, *connecting)
    outcome = lines(done)[-1]
    assert (done.code, outcome["status"]) == (1, "limit")
    assert outcome["reason"].startswith(f"{key}:")
    assert server.requests == []


@pytest.mark.browser
async def test_only_allowed_domains_are_loaded(secrets: Path, connecting: tuple[str, str]) -> None:
    away = {"status": "continue", "commands": [{"action": "navigate", "url": "http://other.example/"}]}
    async with Shop() as shop, ModelServer(decided(away), decided(STUCK)) as server:
        done = await log_in(shop, server, secrets, "--json", "--allowed-domain", "127.0.0.1", *connecting)
    turn = next(event["turn"] for event in lines(done) if event.get("event") == "turn_ended")
    assert "other.example" in turn["commands"][0]["error"]


@pytest.mark.browser
async def test_the_steps_and_the_model_of_the_environment(secrets: Path, connecting: tuple[str, str]) -> None:
    answers = (decided(LOG_IN), decided(COMPLETE), decided(COMPLETE))
    async with Shop() as shop, ModelServer(*answers) as server:
        env = environment(server) | {"STILLFRAME_MODEL": MODEL}
        steps = ("--step", "Log in", "--step", "Look at the lamps")
        where = ("--url", shop.url("/login"), "--secrets", secrets, "--json", *connecting)
        done = await stillframe("agent", "Look at the lamps as ann", *where, *steps, env=env)
    assert done.code == 0, done.whole
    assert [step["goal"] for step in lines(done)[-1]["steps"]] == ["Log in", "Look at the lamps"]


@pytest.mark.browser
async def test_a_recording_replays_without_a_model_and_holds_no_secret(
    secrets: Path, connecting: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "run.jsonl"
    async with Shop() as shop, ModelServer(decided(LOG_IN), decided(COMPLETE)) as server:
        recorded = await log_in(shop, server, secrets, "--json", "--record", file, *connecting)
        where = ("--url", shop.url("/login"), "--secrets", secrets, "--json", *connecting)
        replayed = await stillframe("agent", "Log in as ann", *where, "--replies", file)
    assert (recorded.code, replayed.code) == (0, 0), replayed
    assert len(server.requests) == 2
    assert lines(replayed)[-1]["usage"] == lines(recorded)[-1]["usage"]
    content = file.read_text()
    assert PASSWORD not in content
    assert KEY not in content
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.browser
async def test_text_of_a_model_cannot_command_the_terminal(secrets: Path, connecting: tuple[str, str]) -> None:
    hostile = {"status": "stuck", "statusReasoning": "\x1b]0;owned\x07\x1b[2J done", "memoryUpdate": {"a": "\x1b[2J"}}
    async with Shop() as shop, ModelServer(decided(hostile)) as server:
        done = await log_in(shop, server, secrets, *connecting)
    assert "\x1b" not in done.out
    assert "\\u001b]0;owned" in done.out


# -- interruptions -------------------------------------------------------------------------------


async def interrupted(
    shop: Shop, secrets: Path, answers: tuple[Answer, ...], number: signal.Signals, *args: str
) -> tuple[int | None, str, list[psutil.Process]]:
    """Send a signal once the model was asked for the last time; return the exit code, the output and the browser."""
    with tempfile.TemporaryDirectory() as folder:
        async with ModelServer(*answers) as server:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", f"import signal; signal.signal(2, signal.default_int_handler); {START}"),
                *("agent", "Log in as ann", "--url", shop.url("/login"), "--model", MODEL, "--secrets", secrets, *args),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, **environment(server), "TMPDIR": folder},
            )
            try:
                async with asyncio.timeout(BOUND):
                    while len(server.requests) < len(answers):
                        server.asked.clear()
                        await server.asked.wait()
                    browser = psutil.Process(process.pid).children(recursive=True)
                    process.send_signal(number)
                    out, _ = await process.communicate()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        assert os.listdir(folder) == []
    return process.returncode, out.decode(), browser


@pytest.mark.browser
@pytest.mark.parametrize("number", sampled([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
async def test_a_signal_returns_what_there_is_and_ends_the_browser(secrets: Path, number: signal.Signals) -> None:
    async with Shop() as shop:
        answers = (decided(LOG_IN), HANG)
        code, out, browser = await interrupted(shop, secrets, answers, number, "--json")
    assert code == 130
    outcome = json.loads(out.splitlines()[-1])
    assert (outcome["status"], outcome["usage"]["calls"]) == ("cancelled", 1)
    assert [command["result"] for command in outcome["steps"][0]["turns"][0]["commands"]] == ["ok", "ok", "ok"]
    assert len(outcome["script"]["steps"][0]["actions"]) == 3
    assert browser
    _, alive = psutil.wait_procs(browser, timeout=BOUND)
    assert not alive


@pytest.mark.browser
async def test_a_reader_that_goes_away_ends_the_run(secrets: Path, connecting: tuple[str, str]) -> None:
    async with Shop() as shop, ModelServer(decided(LOG_IN), HANG) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", START),
            *("agent", "Log in as ann", "--url", shop.url("/login"), "--model", MODEL, "--secrets", secrets),
            *connecting,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **environment(server)},
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(BOUND):
                await process.stdout.readline()
                process.stdout._transport.close()  # type: ignore[attr-defined]
                assert await process.wait() == 130
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert len(server.requests) <= 1
