"""The shop responds as its pages expect, after its configured delays."""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any

import pytest

from stillframe.demo import Shop
from stillframe.demo.shop import PASSWORD, RECEIPTS, USER


async def fetch(shop: Shop, method: str, path: str, fields: Any = None, cookie: str = "") -> tuple[int, str]:
    """Return the status and the body of one request."""
    top, text = await exchange(shop, method, path, fields, cookie)
    return int(top.split()[1]), text


async def exchange(shop: Shop, method: str, path: str, fields: Any = None, cookie: str = "") -> tuple[str, str]:
    """Return the head and the body of the response to one request."""
    body = b"" if fields is None else json.dumps(fields).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", shop.port)
    try:
        head = f"{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        head += (f"Cookie: {cookie}\r\n" if cookie else "") + "\r\n"
        writer.write(head.encode() + body)
        answer = await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()
    top, _, text = answer.partition(b"\r\n\r\n")
    return top.decode(), text.decode()


@pytest.mark.parametrize("path", ["/login", "/join", "/shop", "/shop.css", "/shop.js", "/lamp.svg"])
async def test_everything_a_page_needs_is_served_whole(path: str) -> None:
    async with Shop() as shop:
        status, text = await fetch(shop, "GET", path)
    assert status == 200
    assert "{{" not in text
    assert shop.requests == [f"GET {path}"]


async def test_the_account_and_its_download_need_a_login() -> None:
    async with Shop(login_delay_ms=0) as shop:
        for path in ("/account", "/receipts.csv"):
            assert (await fetch(shop, "GET", path))[0] == 302
        cookie = await cookie_of_login(shop)
        assert (await fetch(shop, "GET", "/account", cookie="session=0123456789abcdef"))[0] == 302
        assert "Ann" in (await fetch(shop, "GET", "/account", cookie=f"theme=dark; {cookie}"))[1]
        assert await fetch(shop, "GET", "/receipts.csv", cookie=cookie) == (200, RECEIPTS)


async def cookie_of_login(shop: Shop) -> str:
    top, _ = await exchange(shop, "POST", "/api/login", {"user": USER, "pass": PASSWORD})
    found = re.search(r"^Set-Cookie: ([^;]+); Path=/; HttpOnly; SameSite=Lax\r?$", top, re.MULTILINE)
    assert found, top
    return found[1]


async def test_the_door_leads_to_the_login() -> None:
    async with Shop() as shop:
        assert (await fetch(shop, "GET", "/"))[0] == 302
        assert (await fetch(shop, "GET", "/nowhere"))[0] == 404
        assert (await fetch(shop, "POST", "/api/nowhere"))[0] == 404


@pytest.mark.parametrize(
    ("name", "fields", "status"),
    [
        ("login", {"user": USER, "pass": PASSWORD}, 200),
        ("login", {"user": USER, "pass": "torch"}, 401),
        ("login", None, 401),
        ("login", ["a", "list"], 401),
        ("join", {"email": "ann@example.org"}, 200),
        ("join", {"email": "ann"}, 422),
        ("cart", {"id": "ember"}, 200),
        ("cart", {"id": "beacon"}, 409),
        ("cart", {"id": "sun"}, 409),
    ],
)
async def test_the_shop_answers_right_and_wrong(name: str, fields: Any, status: int) -> None:
    async with Shop(login_delay_ms=0, join_delay_ms=0, cart_delay_ms=0) as shop:
        assert (await fetch(shop, "POST", f"/api/{name}", fields))[0] == status


async def test_delays_are_kept_and_may_change_while_it_is_open() -> None:
    async with Shop(login_delay_ms=0) as shop:
        shop.login_delay_ms = 60
        shop.render_delay_ms = 7
        began = time.perf_counter()
        await fetch(shop, "POST", "/api/login", {})
        assert time.perf_counter() - began >= 0.055
        assert 'data-render-delay="7"' in (await fetch(shop, "GET", "/login"))[1]
