"""The MCP App, in a host that speaks its protocol: it shows page and changes, and takes what a page wrote as text."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import Any

import pytest
from mcp import Client
from mcp.client.extension import ClientExtension
from mcp_types import TextResourceContents
from PIL import Image

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.mcp import page_app
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy

HOSTILE = "<img src=x onerror=\"parent.postMessage('owned','*')\"><script>parent.postMessage('owned','*')</script>"

HOST = """<!doctype html><meta charset=utf-8><title>Host</title><body style="margin:0">
<iframe sandbox="allow-scripts" style="width:100%;height:700px;border:0"></iframe>
<script>
const {app, picture, results} = JSON.parse(atob("DATA"));
window.seen = [];
const frame = document.querySelector("iframe");
const post = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
addEventListener("message", ({data}) => {
  seen.push(data.method ?? data);
  if (data.method === "ui/initialize")
    post({id: data.id, result: {protocolVersion: "2026-01-26", hostInfo: {name: "host", version: "1"},
      hostCapabilities: {serverResources: {}}, hostContext: {}}});
  if (data.method === "ui/notifications/initialized")
    for (const params of results) post({method: "ui/notifications/tool-result", params});
  if (data.method === "resources/read")
    post({id: data.id, result: {contents: [{uri: data.params.uri, mimeType: "image/jpeg", blob: picture}]}});
});
frame.srcdoc = app;
</script>"""


class Shows(ClientExtension):
    """A client that shows apps of these types."""

    identifier = page_app.EXTENSION

    def __init__(self, *types: str) -> None:
        self._types = types

    def settings(self) -> dict[str, Any]:
        """What the client says of itself."""
        return {"mimeTypes": list(self._types)} if self._types else {}


def client_of(browser: Browser, *extensions: Shows) -> Client:
    server = make_server(Settings(policy=UrlPolicy(allow_private=True)), browser)
    return Client(server, extensions=extensions)


async def test_a_client_that_shows_apps_is_given_it_and_no_other(browser: Browser, call) -> None:
    assert all(not (tool.meta or {}).get("ui") for tool in (await call.client.list_tools()).tools)
    async with client_of(browser, Shows(page_app.MIME_TYPE)) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools if (tool.meta or {}).get("ui") == page_app.META["ui"]} == page_app.SHOWN_BY
        (listed,) = (await client.list_resources()).resources
        assert str(listed.uri) == page_app.URI
        (content,) = (await client.read_resource(page_app.URI)).contents
        assert isinstance(content, TextResourceContents)
        assert content.mime_type == page_app.MIME_TYPE
        assert content.meta == {"ui": {"csp": {}, "prefersBorder": True}}
        assert listed.size == len(content.text.encode())
    source = page_app.source()
    assert "innerHTML" not in source
    assert "http" not in source  # it loads nothing


async def test_it_shows_page_and_changes_and_runs_nothing_that_the_page_wrote(browser: Browser, site: Site) -> None:
    buffer = BytesIO()
    Image.new("RGB", (600, 200), "teal").save(buffer, "JPEG")
    result = {
        "content": [{"type": "text", "text": f"1 of 1 actions done; page is still\n<<page\n{HOSTILE}\npage>>"}],
        "structuredContent": {
            "sessionId": "default",
            "stateChange": {
                "url": {"from": "http://shop/", "to": f"http://shop/{HOSTILE}"},
                "appeared": [{"role": "heading", "name": "Welcome back"}, {"role": "link", "name": HOSTILE}],
                "changed": [{"role": "button", "name": "Cart", "field": "text", "from": "0", "to": "1"}],
                "disappeared": [{"role": "alert", "text": "Wrong password"}] * 50,
            },
        },
    }
    broken = [{}, {"content": [{"type": "image", "mimeType": "text/html", "data": "x"}]}]
    picture = base64.b64encode(buffer.getvalue()).decode()
    data = json.dumps({"app": page_app.source(), "picture": picture, "results": [*broken, result]})
    host = HOST.replace("DATA", base64.b64encode(data.encode()).decode())
    page = await browser.new_page()
    try:
        await page.goto(site.html("/host", host), settle=True)
        await page.wait_for('frame=iframe >> role=img[name="The page of the agent"]')
        text = (await page.aria_snapshot()).text
        assert "page is still" in text
        assert "heading Welcome back" in text
        assert "button Cart: 0 → 1" in text
        assert "13 more" in text  # of 53 rows, 40 are shown
        assert "onerror" in text  # as text
        seen = await page.evaluate("window.seen")
        assert seen[:2] == ["ui/initialize", "ui/notifications/initialized"]
        assert "resources/read" in seen
        assert "ui/notifications/size-changed" in seen
        assert "owned" not in seen
    finally:
        await page.close()


@pytest.mark.parametrize("extensions", [[], [Shows()], [Shows("text/html")]])
async def test_a_client_that_shows_something_else_gets_none(browser: Browser, extensions: list[Shows]) -> None:
    async with client_of(browser, *extensions) as client:
        assert all(not (tool.meta or {}).get("ui") for tool in (await client.list_tools()).tools)
