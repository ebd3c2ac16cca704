"""The tool `run_goal`: another model carries out a goal, with a scripted provider and real pages."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client
from model_server import HANG, Answer, ModelServer, decided

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.demo import Shop
from stillframe.demo.shop import PASSWORD, USER
from stillframe.mcp.arguments import GoalArguments
from stillframe.mcp.capabilities import EVERY
from stillframe.mcp.goal_tool import call_timeout_ms
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.mcp.tools import every_tool, tool_table
from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets

LOG_IN = {
    "status": "continue",
    "commands": [
        {"action": "set_value", "selector": "#user", "value": USER},
        {"action": "set_value", "selector": "#pass", "value": {"secretName": "shop"}},
        {"action": "click_element", "selector": "#submit"},
    ],
}
COMPLETE = {"status": "complete", "statusReasoning": "the shop welcomes Ann", "memoryUpdate": {"price": "€ 48"}}
STUCK = {"status": "stuck", "statusReasoning": "no way on"}
MAX_CHARS = 2_000
"""The schemas have 1,860 characters."""


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


def answers(server: ModelServer, *decisions: Any) -> None:
    server.answers.extend(each if isinstance(each, Answer) else decided(each) for each in decisions)


# -- the schema ----------------------------------------------------------------------------------


def test_without_a_model_there_is_no_such_tool() -> None:
    without = tool_table()
    assert "run_goal" not in without.shown | tool_table(EVERY).shown
    assert without.hidden["run_goal"] == "--agent-model"
    with_goals = tool_table(options={"--agent-model"}).shown
    assert set(with_goals) - set(without.shown) == {"run_goal"}
    assert [row.tool for row in without.shown.values()] == [
        row.tool for name, row in with_goals.items() if name != "run_goal"
    ]


def test_its_schema_is_short_and_every_field_described() -> None:
    tool = every_tool()["run_goal"].tool
    taken = tool.input_schema["properties"]
    assert set(taken) == {
        *("sessionId", "budget", "goal", "url", "check", "budgetUsd", "budgetTokens", "timeoutS"),
    }
    assert tool.output_schema is not None
    fields = [*taken.values(), *taken["check"]["properties"].values(), *tool.output_schema["properties"].values()]
    assert all(field.get("description") for field in fields)
    text = json.dumps([tool.input_schema, tool.output_schema], separators=(",", ":"), ensure_ascii=False)
    assert len(text) <= MAX_CHARS
    assert not re.search(r'"(\$ref|oneOf|anyOf|allOf)"', text)
    assert tool.annotations is not None
    assert tool.annotations.destructive_hint
    assert not tool.annotations.read_only_hint


def test_its_own_time_counts_also_beyond_that_of_the_server() -> None:
    settings = Settings(call_timeout_ms=10_000)
    assert call_timeout_ms(settings, GoalArguments(goal="g")) == 10_000
    assert call_timeout_ms(settings, GoalArguments(goal="g", timeout_s=2)) == 10_000
    assert call_timeout_ms(settings, GoalArguments(goal="g", timeout_s=600)) > 600_000


# -- runs ----------------------------------------------------------------------------------------


async def test_a_goal_is_one_call(serving, model: ModelServer) -> None:
    answers(model, LOG_IN, COMPLETE)
    secrets = Secrets({"shop": PASSWORD})
    async with Shop() as shop, serving(agent_model=model.model(), secrets=secrets) as call:
        answer = await call("run_goal", goal="Log in", url=shop.url("/login"), check={"text": "Welcome back"})
        assert not answer.is_error, answer.text
        assert answer.head.startswith("goal complete after 2 turns: 2 model calls, 200 tokens in")
        assert answer.text.index("<<page") < answer.text.index("the shop welcomes Ann")  # a model said so: data
        assert "price: € 48" in answer.text
        structured = answer.structured
        assert (structured["status"], structured["extracted"]) == ("complete", {"price": "€ 48"})
        assert structured["url"] == shop.url("/shop")
        assert structured["usage"]["outputTokens"] == 40
        assert structured["price"] > 0
        assert [step["turns"] for step in structured["steps"]] == [2]
        assert PASSWORD not in answer.text + str(structured)
        assert "Lamps" in (await call("aria_snapshot")).text  # the same session


async def test_the_model_cannot_leave_the_policy_of_the_server(serving, model: ModelServer, site: Site) -> None:
    answers(model, {"status": "continue", "commands": [{"action": "navigate", "url": "http://10.0.0.1/"}]}, STUCK)
    policy = UrlPolicy(allowed_hosts=["127.0.0.1"])
    async with serving(agent_model=model.model(), policy=policy) as call:
        answer = await call("run_goal", goal="Look", url=site.html("/a", "<p>a"))
        assert answer.structured["status"] == "stuck"
        assert "not in allowed_hosts" in model.said_to_model(1)
        refused = await call("run_goal", goal="Look", url="http://10.0.0.1/")
        assert refused.error["code"] == "url_refused"


async def test_the_model_uploads_only_what_the_server_allows(
    serving, model: ModelServer, site: Site, tmp_path: Any
) -> None:
    (tmp_path / "a.txt").write_text("a")
    upload = {"action": "upload_file", "selector": "input", "paths": [str(tmp_path / "a.txt")]}
    answers(model, {"status": "continue", "commands": [upload]}, STUCK)
    async with serving(agent_model=model.model()) as call:
        await call("run_goal", goal="Upload", url=site.html("/a", "<input type=file>"))
        assert "not one of the files of this run" in model.said_to_model(1)


async def test_dialogs_do_not_wait_for_its_model(serving, model: ModelServer, site: Site) -> None:
    url = site.html("/a", "<button onclick=\"b.textContent = confirm('Go?')\">Go</button><p id=b>-</p>")
    press = {"status": "continue", "commands": [{"action": "click_element", "selector": "button"}]}
    answers(model, press, STUCK)
    async with serving(agent_model=model.model(), context={"dialogs": "ask"}) as call:
        answer = await call("run_goal", goal="Go", url=url)
        assert answer.structured["status"] == "stuck"
        assert 'dialog: confirm "Go?", dismissed' in model.said_to_model(1)
        asked = await call.run({"action": "click_element", "selector": "button"})
        assert 'dialog open: confirm "Go?"' in asked.text
        assert (await call("run_goal", goal="Go")).error["code"] == "dialog_open"


async def test_limits_end_it_with_what_there_is(serving, model: ModelServer, site: Site) -> None:
    url = site.html("/a", "<button>go</button>")
    async with serving(agent_model=model.model()) as call:
        for limit, key in (({"budgetTokens": 0}, "budget_tokens"), ({"budgetUsd": 0}, "budget_usd")):
            answer = await call("run_goal", goal="Go", url=url, **limit)
            assert not answer.is_error
            assert answer.structured["status"] == "limit"
            assert answer.structured["reason"].startswith(f"{key}:")
    assert model.requests == []


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("server_ms", "call"),
    sampled([(120_000, {"timeoutS": 1}), (6_000, {})], keep=[(120_000, {"timeoutS": 1})]),
)
async def test_a_model_that_hangs_ends_the_run_and_not_the_call(
    serving, model: ModelServer, site: Site, server_ms: int, call: dict[str, Any]
) -> None:
    answers(model, HANG, HANG)
    async with serving(agent_model=model.model(), call_timeout_ms=server_ms) as calls:
        await calls("navigate", url=site.html("/a", "<button>go</button>"))
        answer = await calls("run_goal", goal="Go", **call)
        assert not answer.is_error, answer.text
        assert answer.structured["status"] == "limit"
        assert answer.structured["reason"].startswith("timeout:")
        assert (await calls.run({"action": "click_element", "selector": "button"})).structured["completed"] == 1


async def test_each_turn_is_a_notification(serving, model: ModelServer, site: Site) -> None:
    press = {"status": "continue", "commands": [{"action": "click_element", "selector": "button"}]}
    answers(model, press, STUCK)
    notes: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        notes.append((progress, total, message))

    async with serving(agent_model=model.model()) as call:
        url = site.html("/a", "<button>go</button>")
        await call.client.call_tool("run_goal", {"goal": "Go", "url": url}, progress_callback=note)
    assert notes == [
        (1, 50, "turn 1.1: 1 of 1 command done, continue"),
        (2, 50, "turn 1.2: 0 of 0 commands done, stuck"),
    ]


async def test_a_call_that_is_given_up_stops_asking(model: ModelServer, browser: Browser, site: Site) -> None:
    answers(model, HANG)
    server = make_server(Settings(policy=UrlPolicy(allow_private=True), agent_model=model.model()), browser)
    async with Client(server) as client:
        arguments = {"goal": "Go", "url": site.html("/a", "<button>go</button>")}
        asking = asyncio.create_task(client.call_tool("run_goal", arguments))
        async with asyncio.timeout(30):
            await model.asked.wait()
            asking.cancel()
            await asyncio.wait([asking])
            await model.abandoned.wait()
        assert len(model.requests) == 1
        assert not (await client.call_tool("aria_snapshot", {})).is_error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "goal"),
        ({"goal": " "}, "goal"),
        ({"goal": "g", "check": {}}, "exactly one"),
        ({"goal": "g", "check": {"text": "a", "url": "b"}}, "exactly one"),
        ({"goal": "g", "budgetUsd": -1}, "budgetUsd"),
        ({"goal": "g", "timeoutS": 0}, "timeoutS"),
        ({"goal": "g", "timeoutMs": 5}, "timeoutS"),
        ({"goal": "g", "sessionId": "nobody"}, "nobody"),
    ],
)
async def test_wrong_arguments_ask_no_model(serving, model: ModelServer, arguments: dict[str, Any], words: str) -> None:
    async with serving(agent_model=model.model()) as call:
        answer = await call("run_goal", **arguments)
        assert answer.is_error
        assert words in answer.text
    assert model.requests == []


async def test_a_reply_stays_within_its_budgets(serving, model: ModelServer, site: Site) -> None:
    huge = {"status": "stuck", "statusReasoning": "x" * 5_000, "memoryUpdate": {f"k{n}": "v" * 3_000 for n in range(9)}}
    answers(model, huge)
    async with serving(agent_model=model.model()) as call:
        answer = await call("run_goal", goal="Go", url=site.html("/a", "<p>a"), budget=1_000)
        assert len(answer.raw.content[0].text) <= 1_000
        assert len(json.dumps(answer.structured, ensure_ascii=False)) <= 3_600
        assert answer.structured["overflow"] == answer.links[0]
