"""WebSockets that functions answer, or stand between."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import InputError, OptionInvalid
from stillframe.tab.network.socket_routes import WebSocketRoute

TALK = """((url, sent) => new Promise(done => {
    const told = [], socket = new WebSocket(url, 'two')
    const bytes = data => typeof data === 'string' ? data : [...new Uint8Array(data)].join()
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => { told.push('open ' + socket.protocol); for (const one of sent) socket.send(one) }
    socket.onmessage = event => told.push(bytes(event.data))
    socket.onerror = () => told.push('error')
    socket.onclose = event => { told.push(`close ${event.code} ${event.reason}`); done(told) }
}))"""
SENT = "['a', new Uint8Array([1, 2]), new Blob(['b']), 'bye']"


def serve(site: Site) -> None:
    async def echo(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(protocols=["two"])
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.BINARY:
                await socket.send_bytes(message.data[::-1])
            elif message.data == "bye":
                await socket.close(code=4001, message=b"done")
            else:
                await socket.send_str(f"server {message.data}")
        return socket

    site.route("/echo", echo)
    site.html("/", "")


async def talk(page: Page, url: str, sent: str = SENT) -> Any:
    return await page.evaluate(f"{TALK}('{url}', {sent})")


async def test_a_function_is_the_server(page: Page, site: Site) -> None:
    serve(site)
    got: list[str | bytes] = []

    def answer(socket: WebSocketRoute) -> None:
        async def take(message: str | bytes) -> None:
            got.append(message)
            if message == "bye":
                await socket.close(code=3001, reason="enough")
            else:
                socket.send(message)

        assert (socket.url, socket.protocols) == (site.url("/mock").replace("http", "ws"), ["two"])
        socket.on_message(take)

    await page.route_web_socket("**/mock", answer)
    await page.goto(site.url("/"))
    assert await talk(page, "/mock") == ["open two", "a", "1,2", "98", "close 3001 enough"]
    assert got == ["a", b"\x01\x02", b"b", "bye"]


async def test_what_no_route_wants_goes_to_its_server(page: Page, site: Site) -> None:
    serve(site)
    await page.route_web_socket("**/other", lambda socket: socket.send("never"))
    await page.goto(site.url("/"))
    assert await talk(page, "/echo") == ["open two", "server a", "2,1", "98", "close 4001 done"]
    assert await talk(page, "ws://127.0.0.1:1/") == ["error", "close 1006 "]
    names = "[new WebSocket('/echo') instanceof WebSocket, WebSocket.OPEN, String(new WebSocket('/echo'))]"
    assert await page.evaluate(names) == [True, 1, "[object WebSocket]"]
    wrong = "(() => { try { new WebSocket('ftp://x') } catch (error) { return error.name } })()"
    assert await page.evaluate(wrong) == "SyntaxError"


async def test_a_route_stands_between(page: Page, site: Site) -> None:
    serve(site)
    refused: list[Exception] = []

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        try:
            server.connect_to_server()
        except InputError as error:
            refused.append(error)
        socket.on_message(lambda message: server.send(f"{message}!" if message == "a" else message))
        server.on_message(lambda message: socket.send(f"via {message}" if isinstance(message, str) else message))

    await page.context.route_web_socket("**/echo", between)
    await page.goto(site.url("/"))
    through = ["open two", "via server a!", "2,1", "98", "close 4001 done"]
    assert await talk(page, "/echo") == through
    assert len(refused) == 1
    other = await page.context.new_page(site.url("/"))
    assert await talk(other, "/echo") == through
    await other.route_web_socket("**/echo", lambda socket: void(socket.connect_to_server()))
    assert await talk(other, "/echo") == ["open two", "server a", "2,1", "98", "close 4001 done"]
    await other.close()


def void(_: object) -> None:
    pass


async def test_closes_are_reported(page: Page, site: Site) -> None:
    serve(site)
    told: list[tuple[int | None, str]] = []

    async def early(socket: WebSocketRoute) -> None:
        socket.on_close(lambda code, reason: told.append((code, reason)))
        socket.send("hello")
        await socket.close(code=1000)

    await page.route_web_socket(lambda url: url.endswith("/early"), early)
    await page.goto(site.url("/"))
    assert await talk(page, "/early", "[]") == ["open two", "hello", "close 1000 "]
    assert told == []
    await page.route_web_socket("**/late", lambda socket: socket.on_message(void))
    closed = f"{TALK.replace('socket.send(one)', 'socket.close(3002, one)')}('/late', ['mine'])"
    assert await page.evaluate(closed) == ["open two", "close 3002 mine"]


async def test_a_handler_that_fails_closes_the_socket(page: Page, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    serve(site)
    await page.route_web_socket("**/bad", lambda socket: socket.send(7))  # type: ignore[arg-type]
    await page.goto(site.url("/"))
    with caplog.at_level(logging.ERROR):
        assert await talk(page, "/bad", "[]") == ["close 1011 "]
    assert "neither text nor bytes" in caplog.text
    with pytest.raises(OptionInvalid, match="takes a WebSocketRoute"):
        await page.route_web_socket("**/bad", "close")  # type: ignore[arg-type]
