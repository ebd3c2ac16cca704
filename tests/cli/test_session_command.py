"""`stillframe session`, `act`, `text` and `watch`: from words to actions, and as commands."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

import command_line
from command_line import Done, call, stillframe
from site_server import Site
from stillframe.cli.session_command import action_of
from stillframe.errors import ActionInvalid
from stillframe.model.action_list import parse_actions
from stillframe.session_server.address import VARIABLE
from stillframe.trace.reading import read_trace, traces_in

WORDS = {
    "click #buy": {"action": "click_element", "selector": "#buy"},
    "click #buy --button right --click-count 2": {
        "action": "click_element",
        "selector": "#buy",
        "button": "right",
        "clickCount": 2,
    },
    "fill #name Ann": {"action": "set_value", "selector": "#name", "value": "Ann"},
    "set_value #name 42": {"action": "set_value", "selector": "#name", "value": "42"},
    "fill #pass --secret pw": {"action": "set_value", "selector": "#pass", "value": {"secretName": "pw"}},
    "press Enter": {"action": "press_key", "key": "Enter"},
    "press #q Enter": {"action": "press_key", "selector": "#q", "key": "Enter"},
    "type hello": {"action": "type_text", "text": "hello"},
    "goto http://a/": {"action": "navigate", "url": "http://a/"},
    "scroll --direction up --pixels 200": {"action": "scroll", "direction": "up", "pixels": 200},
    "select_option #c red blue": {"action": "select_option", "selector": "#c", "value": ["red", "blue"]},
    "set_input_files #f a b": {"action": "upload_file", "selector": "#f", "paths": ["a", "b"]},
    "drag_to #a #b": {"action": "drag_to", "selector": "#a", "target": "#b"},
    "go_back": {"action": "go_back"},
    "answer_dialog dismiss": {"action": "answer_dialog", "accept": False},
    "answer_dialog accept Ann": {"action": "answer_dialog", "accept": True, "prompt_text": "Ann"},
    "click text=--all": {"action": "click_element", "selector": "text=--all"},
}


@pytest.mark.parametrize("words", WORDS)
def test_words_are_an_action(words: str) -> None:
    name, *rest = words.split()
    made = action_of(name, rest)
    assert made == WORDS[words]
    parse_actions([made])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["clik", "#a"], "did you mean 'click'"),
        (["click", "#a", "#b"], "takes 1 words, and '#b' is one more"),
        (["go_back", "now"], "takes 0 words"),
    ],
)
def test_words_that_are_none(words: list[str], message: str) -> None:
    with pytest.raises(ActionInvalid, match=message):
        action_of(words[0], words[1:])


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    # Processes start from nothing, since a process outlives them that one of them starts.
    monkeypatch.setattr(command_line, "forked", None)
    with tempfile.TemporaryDirectory(prefix="sf") as folder:
        monkeypatch.setenv(VARIABLE, folder)
        # The first command starts the background process, whose browser keeps its profile among the temporary files.
        yield {VARIABLE: folder, "TMPDIR": folder}


@pytest.mark.browser
async def test_a_session_over_several_commands(
    site: Site, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Some commands run in processes of their own, and the others in a thread of this one, which gets no signals."""
    monkeypatch.setattr("stillframe.cli.runner._ending_signals", lambda: ())
    monkeypatch.setattr("stillframe.cli.session_command.COMPLETION_S", 60.0)  # a person would have given up
    url = site.html("/page", "<button onclick=\"cart.textContent = 'Cart 1'\">Buy</button><p id=cart>Cart 0</p>")

    async def apart(*args: str) -> Done:
        return await stillframe(*args, env=env)

    async def here(*args: str) -> Done:
        return await asyncio.to_thread(call, capfd, *args)

    async def run(*args: str, code: int = 0, where: Callable[..., Awaitable[Done]] = here) -> Done:
        done = await where(*args)
        assert done.code == code, done.whole
        return done

    async def completed(words: str) -> list[str]:
        """What bash offers to complete the last word."""
        with monkeypatch.context() as environment:
            environment.setenv("COMP_WORDS", f"stillframe {words}")
            environment.setenv("COMP_CWORD", str(len(words.split(" "))))
            environment.setenv("_STILLFRAME_COMPLETE", "complete_bash")
            with pytest.raises(SystemExit):
                await here()
        return capfd.readouterr().out.split()

    try:
        assert await completed("act ") == []
        assert (await run("session", "list")).out == "no session is open\n"
        assert "stillframe session open NAME" in (await run("text", "shop", code=3)).err
        opened = await run("session", "open", "shop", "--url", url, "--trace", str(tmp_path), where=apart)
        assert opened.out == f"shop: {url}\n"
        assert url in (await run("session", "list")).out
        assert "already open" in (await run("session", "open", "shop", code=2)).err
        assert '"Cart 0" → "Cart 1"' in (await run("act", "shop", "click", "button", where=apart)).out
        assert (await run("act", "shop", "hover", "button", "--json")).json["completed"] == 1
        assert (await run("act", "shop", "click", "#none", "--timeout-ms", "100", code=1)).out
        assert 'text "Cart 1"' in (await run("text", "shop")).out
        assert await completed("act shop cl") == ["click", "click_element"]
        assert await completed("act s") == await completed("session close ") == ["shop"]
        assert await completed("session open s") == []
        await run("session", "close", "shop")
        assert await completed("watch ") == []
        ask = site.html("/ask", "<button onclick=\"said.textContent = confirm('Buy?')\">Buy</button><p id=said>-</p>")
        await run("session", "open", "asking", "--url", ask, "--dialogs", "ask")
        assert 'confirm: "Buy?" waits for answer_dialog' in (await run("act", "asking", "click", "button", code=4)).out
        assert "answer it with answer_dialog" in (await run("text", "asking", code=1)).err
        assert '"-" → "true"' in (await run("act", "asking", "answer_dialog", "accept")).out
        assert "shop" in (await run("act", "shop", "click", "button", code=2)).err
        (trace,) = map(read_trace, traces_in(tmp_path))
        assert [len(list(trace.of_type(name))) for name in ("sequence", "step")] == [3, 3]
    finally:
        await run("session", "stop")
