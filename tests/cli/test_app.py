"""The command line as scripts see it: output and exit codes."""

from __future__ import annotations

import asyncio
import inspect
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import COMMAND, call, stillframe
from stillframe.cli import app, commands
from stillframe.demo import Shop
from stillframe.demo.shop import PASSWORD, USER
from stillframe.model.options import SequenceOptions

LOGIN = [
    {"action": "set_value", "selector": "#user", "value": USER},
    {"action": "set_value", "selector": "#pass", "value": {"secret": PASSWORD}},
    {"action": "click_element", "selector": "#submit"},
]


def saved(folder: Path, value: Any) -> Path:
    path = folder / "sequence.json"
    path.write_text(json.dumps(value))
    return path


# -- without a browser ---------------------------------------------------------------------------


def test_the_version_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd, "--version")
    assert done.code == 0
    assert done.out.startswith("stillframe 0.")


def test_help_names_every_command_and_exit_code(capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd, "--help")
    assert done.code == 0
    commands = ("demo", "run", "settle", "snapshot", "diff", "doctor")
    for word in (*commands, "Exit codes", "  4 all actions done", "130 interrupted"):
        assert word in done.out


def test_no_command_shows_help_and_is_a_mistake(capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd)
    assert done.code == 2
    assert "Usage" in done.out


@pytest.mark.parametrize(
    "args",
    [
        ("dance",),
        ("run",),
        ("run", "x.json", "--settle", "later"),
        ("run", "x.json", "--limit", "many"),
        ("run", "no/such/file.json"),
        ("snapshot",),
        ("diff", "only-one"),
        ("diff", "no/such/a", "no/such/b"),
        ("demo", "--port", "70000"),
        ("--unknown",),
    ],
)
def test_a_mistake_is_one_sentence_or_one_object(capfd: pytest.CaptureFixture[str], args: tuple[str, ...]) -> None:
    done = call(capfd, *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("stillframe: ")
    assert "Traceback" not in done.err
    # At the front it would be an option of `stillframe` itself, which has no such option.
    done = call(capfd, *args, "--json")
    assert done.code == 2
    assert set(done.json["error"]) == {"code", "message"}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "empty"),
        ({"steps": []}, "needs a navigate step"),
        ({"tasks": []}, "has no actions"),
        ("click", "has no actions"),
        ([{"action": "clik_element", "selector": "#a"}], "click_element"),
        ([{"action": "click_element"}], "selector"),
        ({"actions": [{"action": "reload"}], "timoutMs": 5}, "timeout_ms"),
    ],
)
def test_a_wrong_file_is_reported_before_any_browser_starts(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: Any, words: str
) -> None:
    monkeypatch.setattr(commands, "execute", pytest.fail)
    done = call(capfd, "run", str(saved(tmp_path, value)), "--json")
    assert done.code == 2
    assert words in done.json["error"]["message"]


def test_what_is_not_json_is_reported(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[{")
    assert "is not JSON" in call(capfd, "run", str(path)).err
    done = call(capfd, "diff", str(path), str(path), "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "snapshot_invalid")


def test_every_option_of_a_sequence_can_be_given() -> None:
    given = set(inspect.signature(app.run_file).parameters)
    # A new process has no sessions.
    assert set(SequenceOptions.__struct_fields__) - given == {"session_id"}


def test_options_of_the_command_line_win_over_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: dict[str, Any] = {}

    async def note(choice: commands.BrowserChoice, actions: Any, options: dict[str, Any], url: str | None) -> Any:
        seen.update(options, url=url)
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "execute", note)
    path = saved(tmp_path, {"actions": LOGIN, "limit": 3, "settle": "quiet"})
    args = ["--url", "about:blank", "--limit", "5", "--guard", "--expect-text", "hi"]
    assert app.run(["run", str(path), *args, "--json"]) == 130
    assert seen == {"limit": 5, "settle": "quiet", "guard": True, "expect": {"text": "hi"}, "url": "about:blank"}


def test_a_fault_of_ours_is_an_object_too(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def fall(*_: object) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(commands, "execute", fall)
    done = call(capfd, "run", str(saved(tmp_path, LOGIN)), "--json")
    assert (done.code, done.json["error"]["code"]) == (70, "internal")
    assert "Traceback" in done.err


def test_without_the_core_there_is_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delitem(sys.modules, "stillframe.cli.commands")
    monkeypatch.delattr("stillframe.cli.commands")
    monkeypatch.delitem(sys.modules, "stillframe.core")
    monkeypatch.delattr("stillframe.core", raising=False)
    monkeypatch.setitem(sys.modules, "stillframe._core", None)
    done = call(capfd, "run", str(saved(tmp_path, LOGIN)))
    assert (done.code, done.out) == (70, "")
    assert done.err.startswith("stillframe: the native core is not built")


async def test_without_the_extra_there_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError('No module named typer', name='typer')")
    done = await stillframe("doctor", env={"PYTHONPATH": str(tmp_path)})
    assert (done.code, done.out) == (2, "")
    assert done.err == "stillframe: the command line needs typer and rich: pip install 'stillframe[cli]'\n"


# -- with a browser ------------------------------------------------------------------------------


@pytest.mark.browser
async def test_run_prints_the_result_as_one_object(tmp_path: Path) -> None:
    async with Shop() as shop:
        done = await stillframe("run", saved(tmp_path, LOGIN), "--url", shop.url("/login"), "--json")
    assert done.code == 0, done.whole
    assert done.json["completed"] == 3
    assert done.json["stable"] is True
    assert "failed" not in done.json
    assert "steps" not in done.json
    assert done.json["stateChange"]["url"]["to"] == shop.url("/shop")
    assert "#welcome" in [row["selector"] for row in done.json["stateChange"]["appeared"]]
    assert PASSWORD not in done.out


@pytest.mark.browser
async def test_run_reads_standard_input_and_reports_to_a_person(connecting: tuple[str, str]) -> None:
    async with Shop() as shop:
        where = ("--url", shop.url("/login"), *connecting)
        done = await stillframe("run", "-", *where, stdin=json.dumps(LOGIN).encode())
    assert done.code == 0, done.whole
    assert "✓  click_element" in done.out
    assert '"Welcome back!"' in done.out
    assert PASSWORD not in done.out


@pytest.mark.browser
async def test_a_file_answers_the_dialogs_that_it_raises(tmp_path: Path) -> None:
    """In a browser of its own: another client of the browser would answer the dialog, too."""
    url = "data:text/html,<button onclick=\"p.textContent = confirm('Go?')\">Go</button><p id=p>-</p>"
    actions = [{"action": "click_element", "selector": "button"}, {"action": "answer_dialog", "accept": True}]
    path = saved(tmp_path, actions)
    done = await stillframe("run", path, "--url", url, "--dialogs", "ask", "--json")
    assert done.code == 0, done.whole
    assert [row["to"] for row in done.json["stateChange"]["changed"]] == ["true"]


@pytest.mark.browser
async def test_a_failed_action_exits_with_1_and_keeps_what_changed(connecting: tuple[str, str], tmp_path: Path) -> None:
    actions = [{"action": "click_element", "selector": selector} for selector in ("#add-ember", "#add-tyde")]
    async with Shop() as shop:
        path = saved(tmp_path, {"actions": actions, "actionTimeoutMs": 300})
        done = await stillframe("run", path, "--url", shop.url("/shop"), "--json", "--verbose", *connecting)
    assert done.code == 1, done.whole
    assert done.json["failed"]["code"] == "element_not_found"
    assert [step["result"] for step in done.json["steps"]] == ["ok", "error"]
    assert {"from": "0", "to": "1"}.items() <= next(
        row for row in done.json["stateChange"]["changed"] if row["selector"] == "#cart-count"
    ).items()


@pytest.mark.browser
async def test_a_page_that_does_not_come_to_rest_exits_with_4(connecting: tuple[str, str], tmp_path: Path) -> None:
    async with Shop(login_delay_ms=60_000) as shop:
        path = saved(tmp_path, LOGIN)
        where = ("--url", shop.url("/login"), *connecting)
        done = await stillframe("run", path, *where, "--json", "--timeout-ms", "300")
    assert done.code == 4, done.whole
    assert done.json["stable"] is False
    assert done.json["pending"]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--url", "http://127.0.0.1:9/"), "navigation_failed"),
        (("--connect", "http://127.0.0.1:9"), "connect_failed"),
    ],
)
async def test_a_browser_problem_exits_with_3(
    connecting: tuple[str, str], tmp_path: Path, args: tuple[str, ...], code: str
) -> None:
    args = args if "--connect" in args else (*args, *connecting)
    done = await stillframe("run", saved(tmp_path, LOGIN), *args, "--json")
    assert done.code == 3, done.whole
    assert done.json["error"]["code"] == code


async def test_no_browser_exits_with_3_and_says_what_to_do(tmp_path: Path) -> None:
    env = {"STILLFRAME_CHROME": str(tmp_path / "chrome")}
    done = await stillframe("run", saved(tmp_path, LOGIN), env=env)
    assert (done.code, done.out) == (3, "")
    assert "STILLFRAME_CHROME" in done.err


@pytest.mark.browser
async def test_a_refused_url_exits_with_2(connecting: tuple[str, str], tmp_path: Path) -> None:
    where = ("--url", "file:///etc/passwd", *connecting)
    done = await stillframe("run", saved(tmp_path, LOGIN), *where, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "url_refused")


@pytest.mark.browser
async def test_snapshots_are_saved_described_and_compared(connecting: tuple[str, str], tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    plain, more = "data:text/html,<title>t</title><p id=p>a", "data:text/html,<title>t</title><p id=p>b<p id=q>c"
    described = await stillframe("snapshot", plain, "-o", one, "--json")
    assert described.code == 0, described
    assert described.json["title"] == "t"
    assert described.json["nodes"] > 3
    assert set(described.json["digests"]) == {"exact", "visible", "struct"}
    assert (await stillframe("snapshot", more, "-o", two, *connecting)).code == 0
    same = await stillframe("diff", one, one, "--json")
    assert (same.code, same.json) == (0, {"stateChange": None})
    differ = await stillframe("diff", one, two, "--json")
    assert differ.code == 1, differ
    assert "#q" in [row["selector"] for row in differ.json["stateChange"]["appeared"]]


@pytest.mark.browser
async def test_a_page_is_printed_as_text(connecting: tuple[str, str]) -> None:
    page = "data:text/html,<title>t</title><button>Save [b] :smile:</button>" + "<p>words</p>" * 100
    told = await stillframe("snapshot", page, "--aria", "--budget", "300", *connecting)
    assert told.code == 0, told
    assert told.out.startswith('- button "Save [b] :smile:" [ref=e1]\n- text "words"\n')
    assert len(told.out.rstrip("\n")) <= 300
    assert "left out: " in told.err
    assert (await stillframe("snapshot", page, "--aria", "--json", *connecting)).json["total"] == 101


@pytest.mark.serial  # a busy machine makes its clock uneven, and then the clock is news
@pytest.mark.browser
async def test_the_demo_is_as_it_is_meant_to_be() -> None:
    done = await stillframe("demo", "--json")
    assert done.code == 0, done.whole
    assert done.json["asExpected"] is True
    login, mistake, broken = (told["result"] for told in done.json["sequences"])
    assert (login["completed"], mistake["completed"], broken["completed"]) == (3, 2, 1)
    assert {"field": "className", "from": "input", "to": "input error"}.items() <= next(
        row for row in mistake["stateChange"]["changed"] if row["field"] == "className"
    ).items()
    assert broken["failed"]["index"] == 1
    assert "#add-tide" in broken["failed"]["error"]
    assert "clock" not in json.dumps([login["stateChange"], mistake["stateChange"], broken["stateChange"]])
    assert PASSWORD not in done.out


@pytest.mark.browser
async def test_the_demo_reads_well(connecting: tuple[str, str]) -> None:
    done = await stillframe("demo", *connecting, env={"COLUMNS": "100"})
    assert done.code == 0, done.whole
    for words in ("1. Log in", "✓  set_value", "••••", "still after", '"input" → "input error"', "not run"):
        assert words in done.out
    assert PASSWORD not in done.out


@pytest.mark.browser
async def test_the_doctor_finds_what_the_tests_need() -> None:
    done = await stillframe("doctor", "--json")
    assert done.code == 0, done.whole
    assert done.json["ok"] is True
    assert {"python", "native core", "browser", "browser start"} <= {found["name"] for found in done.json["findings"]}


@pytest.mark.parametrize("options", [("--serve",), ()])
def test_a_busy_port_is_one_sentence(capfd: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call(capfd, "demo", "--port", str(port), *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"stillframe: cannot listen on 127.0.0.1:{port}: Address already in use")
    assert done.err.count("\n") == 1


async def test_the_shop_stays_open_until_a_signal() -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "demo", "--serve", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(30):
            assert b"the shop is open at http://127.0.0.1:" in await process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 130
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
