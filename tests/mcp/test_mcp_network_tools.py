"""What a page requested, as tools read it: filtered, with headers and bodies, bounded and without secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from aiohttp import web
from mcp_serving import capable
from PIL import Image

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.security.secret_store import Secrets


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "network", loops="off") as caller:
        yield caller


def answering(status: int = 200, body: str = '{"ok": true}', content_type: str = "application/json"):
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body, content_type=content_type, headers={"X-Made-By": "site"})

    return answer


def one_pixel() -> bytes:
    buffer = BytesIO()
    Image.new("RGB", (1, 1)).save(buffer, "PNG")
    return buffer.getvalue()


PIXEL = one_pixel()


async def picture(_: web.Request) -> web.Response:
    return web.Response(body=PIXEL, content_type="image/png")


@pytest.fixture
async def loaded(call, site: Site) -> str:
    """Load a page that requests something of each kind, and return its URL."""
    site.route("/api/list", answering())
    site.route("/api/broken", answering(500, "no"))
    site.route("/app.js", answering(200, "1", "text/javascript"))
    gone = "http://127.0.0.1:9/gone"
    script = (
        "window.asked = Promise.allSettled(["
        "fetch('/api/list', {method: 'POST', body: 'name=ann', headers: {'x-own': 'yes'}}), fetch('/api/broken'),"
        f" fetch('{gone}')]).then(() => document.body.append('asked'))"
    )
    url = site.html("/asks", f"<script src=/app.js></script><script>{script}</script>")
    await call("navigate", url=url)
    assert (await call("wait_for", text="asked")).head.startswith("1 of 1")
    return url


async def paths(call, **filters: object) -> set[str]:
    since = await since_navigation(call)
    rows = (await call("network_requests", **{"since": since} | filters)).structured["requests"]
    return {row["url"].rpartition("/")[2] for row in rows}


async def since_navigation(call) -> int:
    rows = (await call("network_requests", type="document")).structured["requests"]
    return rows[0]["number"] - 1


async def test_requests_are_listed_with_what_became_of_them(call, loaded: str, site: Site) -> None:
    answer = await call("network_requests", since=await since_navigation(call))
    text = answer.text
    assert f'POST "{site.url("/api/list")}" 200 (fetch, application/json)' in text
    assert f'GET "{site.url("/api/broken")}" 500' in text
    assert 'GET "http://127.0.0.1:9/gone" net::ERR' in text
    assert "app.js" not in text
    assert answer.structured["text"] == text
    assert "<<page" in text


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"url": "**/api/*"}, {"list", "broken"}),
        ({"url": "/api/"}, {"list", "broken"}),
        ({"type": "script"}, {"app.js"}),
        ({"includeStatic": True}, {"asks", "app.js", "list", "broken", "gone"}),
        ({"status": "5xx"}, {"broken"}),
        ({"status": "200", "type": "fetch"}, {"list"}),
        ({"failed": True}, {"broken", "gone"}),
        ({"method": "post"}, {"list"}),
        ({"url": "nothing-like-it"}, set()),
    ],
)
async def test_a_filter_leaves_the_others_out(call, loaded: str, filters: dict[str, object], found: set[str]) -> None:
    assert await paths(call, **filters) == found


async def test_one_request_has_its_headers_and_bodies(call, loaded: str) -> None:
    [row] = (await call("network_requests", url="**/api/list", since=await since_navigation(call))).structured[
        "requests"
    ]
    answer = await call("network_request", number=row["number"])
    assert "x-own: yes" in answer.text
    assert "name=ann" in answer.text
    assert "x-made-by: site" in answer.text
    assert '{"ok": true}' in answer.text
    assert answer.structured["requestHeaders"]["x-own"] == "yes"
    assert answer.structured["responseHeaders"]["x-made-by"] == "site"
    assert answer.structured["status"] == 200
    # All of it comes from the page or its server.
    assert answer.text.index("<<page") < answer.text.index("x-own") < answer.text.index("<</page")


async def test_a_body_of_10_mb_keeps_within_the_budget(call, site: Site) -> None:
    site.route("/big", answering(200, "a" * 10_000_000, "text/plain"))
    script = "fetch('/big').then((answer) => answer.text()).then(() => document.body.append('read'))"
    await call("navigate", url=site.html("/reads-big", f"<script>{script}</script>"))
    await call("wait_for", text="read")
    [row] = (await call("network_requests", url="**/big")).structured["requests"]
    answer = await call("network_request", number=row["number"], budget=3000)
    assert len(answer.text) <= 3000
    assert "response body" in answer.text
    assert "aaaa" in answer.text
    whole = (await call.client.read_resource(answer.links[0])).contents[0].text
    assert len(whole) < 1_200_000
    assert "the first 1000000 of 10000000 characters" in whole


async def test_what_cannot_be_read_says_why(call, site: Site) -> None:
    site.route("/pixel", picture)
    await call("navigate", url=site.html("/first", "<img src=/pixel>"))
    [row] = (await call("network_requests", url="**/pixel", includeStatic=True)).structured["requests"]
    assert f"{len(PIXEL)} bytes of image/png, not shown" in (await call("network_request", number=row["number"])).text
    [document] = (await call("network_requests", url="**/first")).structured["requests"]
    await call("navigate", url=site.html("/second", "<p>next"))
    assert "response body: not there" in (await call("network_request", number=document["number"])).text
    unknown = await call("network_request", number=99_999)
    assert unknown.error["code"] == "request_unknown"
    assert "network_requests" in unknown.text


@pytest.mark.parametrize(
    ("arguments", "word"), [({"status": "6xx"}, "status"), ({"since": -1}, "since"), ({"url": "*{"}, "brace")]
)
async def test_bad_filters_are_refused(call, arguments: dict[str, object], word: str) -> None:
    answer = await call("network_requests", **arguments)
    assert answer.error["code"] == "option_invalid"
    assert word in answer.text


async def test_secrets_are_in_no_header_and_no_body(browser: Browser, site: Site) -> None:
    secret = "canary-7f3a-secret"
    site.route("/echo", answering(200, f"you said {secret}", "text/plain"))
    script = f"fetch('/echo?{secret}', {{method: 'POST', body: '{secret}', headers: {{'x-token': '{secret}'}}}})"
    async with capable(browser, "network", secrets=Secrets({"pass": secret})) as call:
        await call("navigate", url=site.html("/tells", f"<script>{script}</script>"))
        await call("wait_for", url="tells")
        [row] = (await call("network_requests", url="/echo")).structured["requests"]
        answer = await call("network_request", number=row["number"])
        assert "you said" in answer.text
        assert secret not in str(answer.raw)
