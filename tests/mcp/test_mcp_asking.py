"""Asking the person: to confirm actions, and to type secrets that neither the model nor the client sees."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult

from site_server import Site
from stillframe.cli.mcp_command import checked_kinds
from stillframe.errors import OptionInvalid
from stillframe.mcp.capabilities import parse_capabilities
from stillframe.mcp.secret_pages import MAX_PAGES, TTL_S, SecretPages
from stillframe.security.secret_store import Secrets

CODE = "canary-739154"
FIELD = "<label>Code <input oninput=\"out.textContent = value.length + ' typed'\"></label><p id=out>"
TYPE = {"action": "set_value", "selector": "label=Code", "value": {"secretName": "one-time code"}}
ACTIONS = parse_capabilities("actions")
ASK = parse_capabilities("ask")
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


class Person:
    """Answers what a client shows: forms by `answer`, pages by typing `types` there."""

    def __init__(self, answer: ElicitResult | None = None, types: str = CODE) -> None:
        self.answer = answer or ElicitResult(action="accept", content={"confirm": True})
        self.types = types
        self.asked: list[Any] = []
        self.pages: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def __call__(self, _: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        if isinstance(params, ElicitRequestURLParams) and self.answer.action == "accept":
            # Agreeing to open the page comes first, and the person types later.
            self.tasks.append(asyncio.create_task(self._visit(params.url)))
            return ElicitResult(action="accept")
        return self.answer

    async def _visit(self, url: str) -> None:
        async with aiohttp.ClientSession() as http:
            async with http.get(url) as answer:
                self.pages.append(await answer.text())
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                assert answer.headers["Cache-Control"] == "no-store"
            async with http.post(url, data={"value": "abc"}) as answer:
                assert answer.status == 400  # too short, and can be corrected
            async with http.post(url, data={"value": self.types}) as answer:
                self.pages.append(await answer.text())
            async with http.post(url, data={"value": "again"}) as answer:
                assert answer.status == 404
            async with http.get(url, headers={"Host": "evil.example"}) as answer:
                assert answer.status == 421


@MODES
async def test_a_secret_that_the_server_lacks_is_typed_by_the_person(serving, site: Site, mode: str) -> None:
    person, secrets = Person(), Secrets({"other": "x" * 12})
    async with serving(mode=mode, elicit=person, secrets=secrets) as call:
        await call("navigate", url=site.html("/code", FIELD))
        answer = await call.run(TYPE, verbose=True)
        await asyncio.gather(*person.tasks)
        assert '"13 typed"' in answer.text, answer.text
        (asked,) = person.asked
        assert isinstance(asked, ElicitRequestURLParams)
        assert "one-time code" in asked.message
        assert "127.0.0.1" in person.pages[0]  # the host where it will be typed
        assert "Thank you" in person.pages[1]
        assert CODE not in answer.text + json.dumps(answer.structured)
        assert list(secrets) == ["other"]  # for one call only
        assert CODE not in (await call("aria_snapshot")).text
        known = await call.run({**TYPE, "value": {"secretName": "other"}})
        assert '"12 typed"' in known.text
        assert len(person.asked) == 1


@MODES
async def test_several_secrets_are_typed_for_one_call(serving, site: Site, mode: str) -> None:
    person = Person()
    async with serving(mode=mode, elicit=person) as call:
        await call("navigate", url=site.html("/two", f"<label>Pin <input></label>{FIELD}"))
        pin = {"action": "set_value", "selector": "label=Pin", "value": {"secretName": "pin"}}
        answer = await call.run(TYPE, pin)
        await asyncio.gather(*person.tasks)
        assert answer.structured["completed"] == 2, answer.text
        assert ["pin" in asked.message for asked in person.asked] == [False, True]


@MODES
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_person_who_declines_ends_the_call_before_it_runs(serving, site: Site, mode: str, action: Any) -> None:
    person = Person(ElicitResult(action=action))
    async with serving(mode=mode, elicit=person, confirm=("click_element",)) as call:
        button = "<button onclick=\"document.title = 'bad'\">Go</button>"
        await call("navigate", url=site.html("/declined", FIELD + button))
        click = {"action": "click_element", "selector": "button"}
        for actions in ([TYPE], [click]):
            refused = await call.run(*actions)
            assert refused.error["code"] == "declined"
            assert refused.error["action"] == action
            assert "do not call again" in refused.text
        assert len(person.asked) == 2
        assert (await call("aria_snapshot")).structured["title"] != "bad"


@MODES
async def test_actions_are_confirmed_by_a_form(serving, site: Site, mode: str) -> None:
    person = Person()
    async with serving(mode=mode, elicit=person, confirm=("click_element",), caps=ACTIONS) as call:
        script = "this.textContent = 'Gone'"
        await call("navigate", url=site.html("/confirmed", f'<button onclick="{script}">Delete</button>'))
        assert person.asked == []
        answer = await call.run({"action": "click_element", "selector": "text=Delete\u202e", "timeoutMs": 50})
        assert len(person.asked) == 1
        asked = person.asked[0]
        assert isinstance(asked, ElicitRequestFormParams)
        assert "\u202e" not in asked.message
        answer = await call.run({"action": "click_element", "selector": "text=Delete"})
        assert '"Gone"' in answer.text
        person.answer = ElicitResult(action="accept", content={"confirm": False})
        for refused in (
            await call("click_element", selector="text=Gone"),
            await call.run({"action": "click", "selector": "text=Gone"}),  # the same by Playwright's name
        ):
            assert refused.error["code"] == "declined"


@MODES
async def test_a_client_that_cannot_ask_gets_an_error_that_says_so(serving, site: Site, mode: str) -> None:
    async with serving(mode=mode, confirm=("click_element",)) as call:
        await call("navigate", url=site.html("/silent", f"{FIELD}<button>Go</button>"))
        refused = await call.run({"action": "click_element", "selector": "button"})
        assert refused.error["code"] == "confirmation_impossible"
        assert (await call.run(TYPE)).error["code"] == "secret_unknown"


@MODES
async def test_a_person_chooses(serving, mode: str) -> None:
    person = Person(ElicitResult(action="accept", content={"answer": "blue"}))
    async with serving(mode=mode, elicit=person, caps=ASK) as call:
        answer = await call("ask_user", question="Which lamp?\u202e", choices=["red", "blue"])
        assert (answer.head, answer.structured) == ('the person answered: "blue"', {"answer": "blue"})
        (asked,) = person.asked
        assert asked.requested_schema["properties"]["answer"]["enum"] == ["red", "blue"]
        assert "\u202e" not in asked.message
        in_words = await call("ask_user", question="Which lamp?")
        assert in_words.structured == {"answer": "blue"}
        refused = await call("ask_user", question="Which lamp?", choices=["red", "green"])
        assert refused.error["code"] == "ask_failed"
        refused = await call("ask_user", question="Which lamp?", choices=["red", "red"])
        assert refused.error["code"] == "option_invalid"
        person.answer = ElicitResult(action="decline")
        assert (await call("ask_user", question="Which lamp?")).error["code"] == "declined"


@MODES
async def test_a_client_that_cannot_ask_gets_no_question(serving, mode: str) -> None:
    async with serving(mode=mode, caps=ASK) as call:
        refused = await call("ask_user", question="Which lamp?", choices=["red", "blue"])
        assert refused.error["code"] == "asking_impossible"
        assert "end your turn with the question" in refused.text


async def test_pages_are_bounded_in_number_and_time() -> None:
    now = 0.0
    pages = SecretPages(lambda: now)
    try:
        first = await pages.open("<b>code", "<host>")
        assert pages.find(first.token) is first
        assert pages.find("nothing") is None
        async with aiohttp.ClientSession() as http, http.get(first.url) as answer:
            text = await answer.text()
            assert "&lt;b&gt;code" in text
            assert "<b>code" not in text
        more = [await pages.open("code", "host") for _ in range(MAX_PAGES)]
        assert pages.find(first.token) is None
        assert first.value.cancelled()
        now = TTL_S + 1
        assert pages.find(more[0].token) is None
    finally:
        await pages.stop()
    assert all(page.value.cancelled() for page in more)


def test_a_kind_that_there_is_not_cannot_be_confirmed() -> None:
    assert checked_kinds(("click_element",)) == ("click_element",)
    with pytest.raises(OptionInvalid, match="did you mean 'click_element'"):
        checked_kinds(("clikc_element",))
