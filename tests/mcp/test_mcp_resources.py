"""Resources, prompts and completion: what a client can read, pick and type, and when it hears of changes."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PromptReference, ResourceTemplateReference

from patience import HANG_S
from site_server import Site
from stillframe.mcp.completion import MAX_VALUES, selectors
from stillframe.mcp.prompts import prompt_table
from stillframe.mcp.server import CACHE_HINTS, make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets

FORM = (
    "<form aria-label=Login><label>User <input></label><label>Twice <input></label><label>Twice <input></label>"
    "<button>Go</button></form><table aria-label=Prices><tr><td>1</table>"
)
LISTS = ("list_tools", "list_resources", "list_resource_templates", "list_prompts")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_resources_are_listed_read_and_announced(serving, site: Site, mode: str) -> None:
    announced = asyncio.Event()

    async def on_message(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/list_changed":
            announced.set()

    async with serving(mode=mode, message_handler=on_message) as call:
        client: Client = call.client
        await call("navigate", url=site.html("/resources", FORM))
        assert (await client.list_resources()).resources == []
        if mode == "auto":
            async with client.listen(resources_list_changed=True) as events, asyncio.timeout(HANG_S):
                picture = await call("screenshot")
                await anext(aiter(events))
        else:
            picture = await call("screenshot")
            async with asyncio.timeout(HANG_S):
                await announced.wait()
        uri = picture.structured["resource"]
        (listed,) = (await client.list_resources()).resources
        assert (str(listed.uri), listed.mime_type) == (uri, "image/jpeg")
        assert listed.size == picture.structured["bytes"]
        read = (await client.read_resource(uri)).contents[0]
        assert base64.b64decode(read.blob).startswith(b"\xff\xd8")
        # Live ones come from templates, and are stored nowhere.
        page = (await client.read_resource("stillframe://session/default/page")).contents[0]
        assert 'form "Login"' in page.text
        assert "<<page" in page.text
        shown = (await client.read_resource("stillframe://session/default/screenshot")).contents[0]
        assert base64.b64decode(shown.blob).startswith(b"\xff\xd8")
        assert len((await client.list_resources()).resources) == 1


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("stillframe://session/nobody/page", "session_unknown"),
        ("stillframe://screenshot/AAAA", "resource_gone"),
        ("stillframe://session/default/nothing", "resource_gone"),
        ("file:///etc/passwd", "resource_gone"),
    ],
)
async def test_what_is_not_there_is_refused(call, uri: str, code: str) -> None:
    with pytest.raises(MCPError) as raised:
        await call.client.read_resource(uri)
    assert raised.value.error.code == INVALID_PARAMS
    assert raised.value.error.data["code"] == code
    assert raised.value.error.data["advice"]


@pytest.mark.parametrize("method", LISTS)
async def test_a_cursor_that_the_server_never_gave_is_refused_by_each_list(call, method: str) -> None:
    with pytest.raises(MCPError, match="the first page has everything") as raised:
        await getattr(call.client, method)(cursor="2")
    assert raised.value.error.code == INVALID_PARAMS


async def test_lists_say_how_long_they_may_be_kept(call) -> None:
    for method, name in zip(LISTS, ("tools", "resources", "resources/templates", "prompts"), strict=True):
        hint = CACHE_HINTS[f"{name}/list"]
        result = await getattr(call.client, method)()
        assert (result.ttl_ms, result.cache_scope) == (hint.ttl_ms, hint.scope)
    assert CACHE_HINTS["resources/list"].scope == "private"


# -- prompts ---------------------------------------------------------------------------------------


async def test_each_prompt_teaches_tools_that_the_server_has(call) -> None:
    tools = {tool.name for tool in (await call.client.list_tools()).tools}
    prompts = (await call.client.list_prompts()).prompts
    assert {prompt.name for prompt in prompts} == {"log_in", "fill_form", "extract_table"}
    for prompt in prompts:
        given = {each.name: f"<{each.name}>" for each in prompt.arguments or []}
        text = (await call.client.get_prompt(prompt.name, given)).messages[0].content.text
        assert all(f"<{each.name}>" in text for each in prompt.arguments if each.name != "submit"), text
        assert any(tool in text for tool in tools)
        named = [word.strip("().,;:") for word in text.split() if "_" in word and "click" not in word]
        assert {word for word in named if word.isidentifier()} <= tools | {"set_value"}, named
        assert len(text) < 2_000
    least = await call.client.get_prompt("log_in", {"url": "http://x/"})
    assert "never for the password itself" in least.messages[0].content.text


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("login", {}, "did you mean 'log_in'"),
        ("log_in", {}, "needs url"),
        ("log_in", {"url": " "}, "needs url"),
        ("fill_form", {"valeus": "x"}, "did you mean 'values'"),
    ],
)
async def test_a_prompt_with_wrong_arguments_is_refused(call, name: str, given: dict[str, str], said: str) -> None:
    with pytest.raises(MCPError, match=said) as raised:
        await call.client.get_prompt(name, given)
    assert raised.value.error.code == INVALID_PARAMS


def test_what_a_person_typed_cannot_hide() -> None:
    row = prompt_table()["fill_form"]
    text = row.get({"values": "a\u202eb" + "x" * 5_000}).messages[0].content.text  # type: ignore[union-attr]
    assert "\u202e" not in text
    assert len(text) < 4_000


# -- completion ------------------------------------------------------------------------------------


async def test_sessions_secrets_and_selectors_are_offered(serving, site: Site) -> None:
    async with serving(secrets=Secrets({"shop-password": "x" * 12, "pin": "y" * 12})) as call:
        await call("navigate", url=site.html("/offered", FORM))
        await call("sessions", action="open", sessionId="empty")

        async def offered(prompt: str, argument: str, typed: str = "", **context: str) -> list[str]:
            ref: Any = PromptReference(name=prompt)
            result = await call.client.complete(ref, {"name": argument, "value": typed}, context_arguments=context)
            values: list[str] = result.completion.values
            return values

        assert await offered("log_in", "sessionId") == ["default", "empty"]
        assert await offered("log_in", "sessionId", "MPT") == ["empty"]
        assert await offered("log_in", "passwordSecret", "shop") == ["shop-password"]
        assert await offered("fill_form", "form") == ['role=form[name="Login"]']
        assert await offered("extract_table", "table", "pri") == ['role=table[name="Prices"]']
        assert await offered("extract_table", "table", sessionId="empty") == []
        assert await offered("extract_table", "table", sessionId="nobody") == []
        assert await offered("log_in", "user") == []
        template: Any = ResourceTemplateReference(uri="stillframe://session/{sessionId}/page")
        result = await call.client.complete(template, {"name": "sessionId", "value": "def"})
        assert result.completion.values == ["default"]
        # What is offered works as a selector.
        table = await call("aria_snapshot", scope='role=table[name="Prices"]')
        assert '"1"' in table.text
        for ref in (PromptReference(name="log_in"), ResourceTemplateReference(uri="stillframe://nothing/{x}")):
            with pytest.raises(MCPError) as raised:
                await call.client.complete(ref, {"name": "nothing", "value": ""})
            assert raised.value.error.code == INVALID_PARAMS


def test_selectors_of_a_snapshot_are_unique() -> None:
    text = "\n".join(
        [
            '- form "Login" [ref=e1]',
            '  - textbox "Twice" [ref=e2]',
            '  - textbox "Twice" = "x" [ref=e3]',
            '  - button "a \\"b\\"" [ref=e4]',
            f'  - link "{"x" * 100}" [ref=e5]',
            "  - table",
            "- not a row",
            '- checkbox "Once" [checked] [ref=e6]',
        ]
    )
    assert list(selectors(text)) == [
        'role=form[name="Login"]',
        "ref=e2",
        "ref=e3",
        "ref=e4",
        "ref=e5",
        'role=checkbox[name="Once"]',
    ]
    assert list(selectors(text, frozenset({"table"}))) == ["role=table"]


async def test_no_more_values_are_sent_than_the_specification_allows(browser, site: Site) -> None:
    names = {f"secret-{number}": "x" * 12 for number in range(MAX_VALUES + 5)}
    settings = Settings(policy=UrlPolicy(allow_private=True), secrets=Secrets(names))
    async with Client(make_server(settings, browser)) as client:
        ref = PromptReference(name="log_in")
        completion = (await client.complete(ref, {"name": "passwordSecret", "value": ""})).completion
        assert (len(completion.values), completion.total, completion.has_more) == (MAX_VALUES, MAX_VALUES + 5, True)
