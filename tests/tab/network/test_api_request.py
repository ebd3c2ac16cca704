"""Requests outside of the pages, with what belongs to their context."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from login_proxy import guarded_proxy
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import CommandTimeout, FetchFailed, InputError, OptionInvalid, UrlRefused
from stillframe.security.policy import UrlPolicy
from stillframe.tab.network.api_bodies import with_params
from stillframe.tab.network.api_response import APIResponse


def serve(site: Site) -> None:
    async def echo(request: web.Request) -> web.Response:
        body = (await request.read()).decode("latin-1")
        return web.json_response(
            {"method": request.method, "query": request.query_string, "body": body}
            | {name.lower(): value for name, value in request.headers.items()}
        )

    async def login(_: web.Request) -> web.Response:
        lines = ("sid=1; Path=/; HttpOnly", "deep=2; Path=/deep", "evil=3; Domain=example.org")
        return web.Response(headers=[("Set-Cookie", line) for line in lines], text="in")

    async def form(request: web.Request) -> web.Response:
        found = await request.post()
        values = {
            name: value if isinstance(value, str) else [value.filename, value.content_type, value.file.read().decode()]
            for name, value in found.items()
        }
        return web.json_response(values)

    def answering(status: int, **headers: str) -> Callable[[web.Request], Any]:
        async def handler(_: web.Request) -> web.Response:
            return web.Response(status=status, headers=headers, text="text")

        return handler

    async def asking(request: web.Request) -> web.Response:
        given = request.headers.get("Authorization")
        return web.Response(text=given) if given else web.Response(status=401, headers={"WWW-Authenticate": "Basic x"})

    site.route("/echo", echo)
    site.route("/deep/echo", echo)
    site.route("/login", login)
    site.route("/form", form)
    site.route("/found", answering(302, Location="/echo"))
    site.route("/kept", answering(307, Location="/echo"))
    site.route("/loop", answering(302, Location="/loop"))
    site.route("/away", answering(302, Location="file:///etc/passwd"))
    site.route("/failed", answering(503))
    site.route("/asking", asking)


async def test_methods_bodies_and_headers(page: Page, site: Site) -> None:
    serve(site)
    request, url = page.request, site.url("/echo")
    assert request is page.context.request
    got = await (await request.get(f"{url}?a=1", params={"b": True, "c": "ä"})).json()
    assert (got["method"], got["query"], got["accept"]) == ("GET", "a=1&b=true&c=ä", "*/*")
    assert "Chrome" in got["user-agent"]
    got = await (await request.post(url, data={"a": [1]}, headers={"X-Own": "1"})).json()
    assert (got["method"], json.loads(got["body"]), got["content-type"]) == ("POST", {"a": [1]}, "application/json")
    assert got["x-own"] == "1"
    got = await (await request.put(url, data=b"\xff", headers={"content-type": "image/x"})).json()
    assert (got["method"], got["body"], got["content-type"]) == ("PUT", "\xff", "image/x")
    got = await (await request.patch(url, form={"a": "b c"})).json()
    assert (got["body"], got["content-type"]) == ("a=b+c", "application/x-www-form-urlencoded")
    file = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"content"}
    got = await (await request.post(site.url("/form"), multipart={"n": 1, "f": file})).json()
    assert got == {"n": "1", "f": ["a.txt", "text/plain", "content"]}
    assert (await (await request.fetch(url, "REPORT")).json())["method"] == "REPORT"
    head = await request.head(url)
    assert (head.status, await head.body(), head.ok) == (200, b"", True)
    assert (await (await request.delete(url)).json())["method"] == "DELETE"


async def test_cookies_are_those_of_the_context(page: Page, site: Site) -> None:
    serve(site)
    await page.goto(site.html("/", "<script>document.cookie = 'page=0'</script>"))
    response = await page.request.get(site.url("/login"))
    assert response.headers["set-cookie"].splitlines()[0] == "sid=1; Path=/; HttpOnly"
    assert [row["name"] for row in response.headers_array].count("Set-Cookie") == 3
    assert {cookie["name"] for cookie in await page.context.cookies()} == {"page", "sid", "deep"}
    got = await (await page.request.get(site.url("/deep/echo"))).json()
    assert sorted(got["cookie"].split("; ")) == ["deep=2", "page=0", "sid=1"]
    assert got["cookie"].startswith("deep=2")
    assert (await page.evaluate("fetch('/echo').then(r => r.json())"))["cookie"] == "page=0; sid=1"


async def test_redirects_are_followed(page: Page, site: Site) -> None:
    serve(site)
    request = page.request
    found = await request.post(site.url("/found"), data="x")
    got = await found.json()
    assert (found.url, got["method"], got["body"], got.get("content-type")) == (site.url("/echo"), "GET", "", None)
    got = await (await request.post(site.url("/kept"), data="x")).json()
    assert (got["method"], got["body"]) == ("POST", "x")
    first = await request.get(site.url("/found"), max_redirects=0)
    assert (first.status, first.headers["location"]) == (302, "/echo")
    with pytest.raises(FetchFailed, match="more than 3 redirects"):
        await request.get(site.url("/loop"), max_redirects=3)
    with pytest.raises(FetchFailed, match="redirects to 'file:///etc/passwd'"):
        await request.get(site.url("/away"))


async def test_what_fails_says_why(page: Page, site: Site) -> None:
    serve(site)
    request = page.request
    with pytest.raises(FetchFailed, match="answered 503") as failed:
        await request.get(site.url("/failed"), fail_on_status_code=True)
    assert failed.value.reason == "503"
    with pytest.raises(CommandTimeout, match="no answer within 50 ms"):
        await request.get(site.url("/hang"), timeout_ms=50)
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1:1"):
        await request.get("http://127.0.0.1:1/")
    with pytest.raises(UrlRefused):
        await request.get("file:///etc/passwd")
    with pytest.raises(InputError, match="http or https"):
        await request.get("about:blank")
    with pytest.raises(OptionInvalid, match="here it is timeout_ms"):
        await request.get(site.url("/echo"), timeout=3)  # type: ignore[call-arg]
    for wrong in ({"data": "x", "form": {}}, {"form": 7}, {"multipart": {"f": {"name": "x"}}}, {"data": {1, 2}}):
        with pytest.raises(OptionInvalid):
            await request.post(site.url("/echo"), **wrong)  # type: ignore[arg-type]
    response = await request.get(site.url("/failed"))
    assert (response.ok, await response.text()) == (False, "text")
    await response.dispose()
    with pytest.raises(InputError, match="disposed"):
        await response.body()


async def test_the_options_of_the_context_count(browser: Browser, site: Site) -> None:
    serve(site)
    policy = UrlPolicy(allowed_hosts=[f"127.0.0.1:{site.port}"])
    credentials = {"username": "ann", "password": "secret", "origin": site.url("/").rstrip("/")}
    options: dict[str, Any] = {
        "policy": policy, "http_credentials": credentials, "extra_headers": {"X-All": "1"}, "user_agent": "Own/1",
        "block": ["*/login"],
    }  # fmt: skip
    async with await browser.new_context(**options) as context:
        got = await (await context.request.get(site.url("/echo"))).json()
        assert (got["x-all"], got["user-agent"]) == ("1", "Own/1")
        assert (await (await context.request.get(site.url("/asking"))).text()).startswith("Basic ")
        for refused in (site.url("/login"), site.url("/echo", host="localhost"), "http://127.0.0.1:1/"):
            with pytest.raises(UrlRefused):
                await context.request.get(refused)
        await context.set_offline(True)
        with pytest.raises(FetchFailed, match="offline"):
            await context.request.get(site.url("/echo"))


async def test_the_proxy_gets_its_login(browser: Browser, site: Site) -> None:
    async with guarded_proxy() as proxy:
        login = {"server": proxy.address, "bypass": ["<-loopback>"], "username": "ann", "password": "hush"}
        async with await browser.new_context(proxy=login) as context:
            assert (await context.request.get("http://shop.invalid/")).ok
            assert (await context.request.get(site.url("/echo"))).ok
    assert [url for url, *_ in proxy.seen] == ["http://shop.invalid/", site.url("/echo")]
    async with await browser.new_context(proxy="socks5://127.0.0.1:1") as context:
        with pytest.raises(FetchFailed):
            await context.request.get("http://127.0.0.1:1/")  # loopback goes past the proxy
        with pytest.raises(OptionInvalid, match="http or https proxy"):
            await context.request.get("http://shop.invalid/")


@pytest.mark.parametrize(
    ("url", "params", "whole"),
    [
        ("http://a/", None, "http://a/"),
        ("http://a/?b=1#c", {"d": 2}, "http://a/?b=1&d=2#c"),
        ("http://a/", "?x=1", "http://a/?x=1"),
        ("http://a/", [("x", 1), ("x", 2)], "http://a/?x=1&x=2"),
    ],
)
def test_parameters_are_added(url: str, params: Any, whole: str) -> None:
    assert with_params(url, params) == whole


async def test_a_text_is_read_in_its_charset() -> None:
    pairs = [("Content-Type", "text/plain; charset=latin-1"), ("A", "1"), ("a", "2")]
    response = APIResponse("http://a/", 200, "OK", pairs, b"\xe4", lambda value: value)
    assert await response.text() == "ä"
    assert response.headers == {"content-type": "text/plain; charset=latin-1", "a": "1, 2"}
