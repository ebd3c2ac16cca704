"""Sockets whose replies carry the id of their message: the exchange is over when that reply comes, and not before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
from aiohttp import WSMsgType, web
from hypothesis import given
from hypothesis import strategies as st

from site_server import Site
from stillframe.api.browser import Page
from stillframe.settling import signals as s
from stillframe.settling.correlation import MAX_NAMES, Correlation, Correlations
from stillframe.settling.message_ids import MessageId, message_ids
from stillframe.settling.pending import PendingSet
from stillframe.settling.sockets import REPLIED_MS

PLACE = "ws://site/chat"
HORIZON = 1e6


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ('{"reqid": 7, "text": "a long text"}', [("reqid", "7")]),
        ('{"msgid":"FB18","msgtype":"PATCH"}', [("msgid", "FB18")]),
        ('{"header": {"msg_id": "a-1", "session": "5"}, "content": {"x": {"id": 3}}}', [("msg_id", "a-1")]),
        ('{"jsonrpc": "2.0", "id": 4, "method": "save"}', [("id", "4")]),
        ('{"items": [{"id": 1}, {"id": 2}], "count": 2}', []),
        ('["1", "9", "room:1", "save", {}]', [("[0]", "1"), ("[1]", "9"), ("[2]", "room:1"), ("[3]", "save")]),
        ('4212["save",{"reqid":5}]', [("ack", "12"), ("[0]", "save"), ("reqid", "5")]),
        ('43/admin,12["ok"]', [("ack", "12"), ("[0]", "ok")]),
        ("SEND\nreceipt:r-1\ndestination:/x\n\nbody:1", [("receipt", "r-1")]),
        ('["{\\"msg\\":\\"method\\",\\"id\\":\\"1\\"}"]', [("id", "1")]),
        ('a["{\\"msg\\":\\"result\\",\\"id\\":\\"1\\"}"]', [("id", "1")]),
        ('{"result": [' + "1," * 20_000 + '1], "id": 12}', [("id", "12")]),
        ("\x05\x00" + '{"msg_id":"a-1"}' + "\x00" + '{"parent":{}}', [("msg_id", "a-1")]),
        ("hello", []),
        ("[1", []),
        ("", []),
    ],
)
def test_what_may_be_an_id(message: str, ids: list[tuple[str, str]]) -> None:
    assert [(one.name, one.value) for one in message_ids(message)] == ids


@given(st.text())
def test_any_message_can_be_searched(message: str) -> None:
    message_ids(message)


class Exchanges:
    """A page with an open socket: messages are sent and received at times after the actions begin."""

    def __init__(self) -> None:
        self.pending = PendingSet()
        self.at = 0.0
        self.feed(0, s.SocketOpening("w", PLACE))
        self.feed(5, s.SocketReceived("w"))
        self.act(5000)

    def act(self, at: float) -> None:
        self.pending.disarm()
        self.pending.arm(at)
        self.at = at

    def feed(self, after: float, signal: s.Signal) -> bool:
        return self.pending.feed(self.at + after, signal)

    def send(self, after: float, message: str, shape: str = "ask") -> None:
        self.feed(after, s.SocketSent("w", shape, message_ids(message)))

    def receive(self, after: float, message: str) -> bool:
        return self.feed(after, s.SocketReceived("w", message[:24], "", message_ids(message)))

    def waits(self, after: float, horizon: float = HORIZON) -> bool:
        return any(row.kind == "websocket" for row in self.pending.blocking(self.at + after, self.at + horizon))


def test_a_message_without_the_id_does_not_end_the_exchange() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 1}')
    exchanges.receive(30, '{"text": "working"}')
    assert exchanges.waits(900)
    exchanges.receive(950, '{"reqid": 1}')
    assert exchanges.waits(950 + REPLIED_MS - 1)
    assert not exchanges.waits(950 + REPLIED_MS)


def test_what_follows_the_reply_is_awaited_for_a_short_time() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 1}')
    exchanges.receive(30, '{"reqid": 1}')
    exchanges.receive(200, '{"text": "changed"}')
    assert exchanges.waits(200 + REPLIED_MS - 1)
    assert not exchanges.waits(200 + REPLIED_MS)


def test_messages_without_end_after_the_reply_are_news() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 1}')
    exchanges.receive(30, '{"reqid": 1}')
    for number in range(20):
        exchanges.receive(30 + 100 * number, f'{{"text{number}": "news"}}')
    assert not exchanges.waits(2000)


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        ('{{"k": "{}", "do": "it"}}', '{{"for": "{}"}}'),
        ('["1", "{}", "room", "do", {{}}]', '["1", "{}", "room", "reply", {{}}]'),
        ('{{"header": {{"msg_id": "{}"}}}}', '{{"header": {{"msg_id": "q"}}, "parent_header": {{"msg_id": "{}"}}}}'),
    ],
)
def test_a_field_that_came_back_is_awaited_to_the_horizon(sent: str, received: str) -> None:
    exchanges = Exchanges()
    exchanges.send(10, sent.format("a1b2c3d4e1"))
    exchanges.receive(30, received.format("a1b2c3d4e1"))
    exchanges.act(9000)
    exchanges.send(10, sent.format("a1b2c3d4e2"), "another kind")
    exchanges.receive(30, '{"news": 1}')
    assert exchanges.waits(1999, 2000)
    assert not exchanges.waits(2000, 2000)
    exchanges.receive(1500, received.format("a1b2c3d4e2"))
    assert not exchanges.waits(1500 + REPLIED_MS)


@pytest.mark.parametrize(
    ("sent", "reply"),
    [
        ('{"id": "q-1f", "do": "list"}', '{"id": "q-1f", "rows": 3}'),
        ('{"requestId": "0b7c9c9e", "do": "list"}', '{"requestId": "0b7c9c9e", "rows": 3}'),
        ('{"id": 1, "do": "list"}', '{"id": 1, "rows": 3}'),
        ('[48, 7814135004471, {}, "list"]', "[50, 7814135004471, {}, [3]]"),
    ],
)
def test_the_first_reply_with_an_id_is_awaited_for_long(sent: str, reply: str) -> None:
    exchanges = Exchanges()
    exchanges.send(10, sent)
    exchanges.receive(100, '{"news": 1}')
    assert exchanges.waits(1800)
    exchanges.receive(1840, reply)
    assert not exchanges.waits(1840 + REPLIED_MS)


def test_what_was_learned_outlives_the_document() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 1}')
    exchanges.receive(30, '{"re": 1, "reqid": 1}')
    exchanges.feed(100, s.Committed("main", "L2", "http://site/", True))
    exchanges.feed(110, s.SocketOpening("w", PLACE))
    exchanges.feed(115, s.SocketReceived("w"))
    exchanges.act(9000)
    exchanges.send(10, '{"reqid": 5}')
    exchanges.receive(30, '{"text": "working"}')
    assert exchanges.waits(1900)


def test_a_kind_of_message_whose_id_never_comes_back_is_answered_by_any_reply() -> None:
    exchanges = Exchanges()
    for number, ends in enumerate((30 + 1750, 31)):
        exchanges.send(10, f'{{"reqid": {number}}}')
        exchanges.receive(30, '{"text": "done"}')
        assert exchanges.waits(ends - 2) is (number == 0)
        assert not exchanges.waits(ends)
        exchanges.act(9000)


def test_a_socket_that_never_answers_is_not_waited_for_again_and_again() -> None:
    exchanges = Exchanges()
    for number in range(4):
        exchanges.send(10, f'{{"id": {number}}}')
        assert not exchanges.waits(2100)
        exchanges.act(9000 + 5000 * number)
    exchanges.send(10, '{"id": 5}')
    assert not exchanges.waits(11)


def test_what_the_page_answers_is_not_answered() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 1}')
    exchanges.receive(20, '{"reqid": 1}')
    exchanges.receive(300, '{"ping": 1, "reqid": "a9"}')
    exchanges.send(305, '{"pong": 1, "reqid": "a9"}', "pong")
    assert not exchanges.waits(305 + 501)


def test_equal_numbers_of_other_things_end_nothing() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 6, "room": 6}')
    exchanges.receive(20, '{"answers": 6, "reqid": 6}')
    exchanges.act(9000)
    exchanges.send(10, '{"reqid": 7, "room": 6}')
    exchanges.receive(20, '{"id": 7, "room": 6}')
    assert exchanges.waits(1500)


def test_names_without_end_are_not_all_remembered_and_the_id_is() -> None:
    known = Correlations()
    channel = Correlation(known, PLACE)
    for number in range(3 * MAX_NAMES):
        ids = (MessageId("reqid", f"{number}"), MessageId(f"ref-{number}", f"value-{number}"))
        channel.sent(number, "save", ids)
        assert channel.received(number, ids)
    place = known.place(PLACE)
    remembered = (place.sent, place.received, place.fresh, channel._values)
    assert max(map(len, remembered)) <= MAX_NAMES + len(ids)
    assert max(place.fresh, key=place.fresh.__getitem__) == "reqid"


def test_a_message_that_is_not_a_reply_announces_nothing() -> None:
    exchanges = Exchanges()
    exchanges.send(10, '{"reqid": 1}')
    exchanges.receive(20, '{"reqid": 1}')
    exchanges.act(9000)
    exchanges.send(10, '{"reqid": 2}')
    exchanges.feed(15, s.SocketReceived("w", "other", "more"))
    exchanges.receive(20, '{"reqid": 2}')
    assert not exchanges.waits(20 + REPLIED_MS)


# -- real pages -----------------------------------------------------------------------------------

PAGE = """
<button id=go>Go</button><p id=out></p>
<script>
const ws = new WebSocket(`ws://${location.host}/socket`);
ws.onmessage = ({ data }) => { document.getElementById('out').textContent += data };
ws.onopen = () => { %s };
document.getElementById('go').onclick = () => ws.send(%s);
</script>
"""
Answer = Callable[[str], list[tuple[float, str]]]
"""Takes a message, returns the replies and how many seconds later each is sent."""


def by(reply: Callable[[str], str], *, news: str = "news", last: bool = True) -> Answer:
    """Return a server that sends news at once and the fact late, before the reply or after it."""

    def answer(message: str) -> list[tuple[float, str]]:
        fact = (0.0 if last else 0.15, "the fact")
        replied = (0.0, reply(message))
        pause = (0.7, news + "still")
        return [(0.0, news), pause, fact, replied] if last else [(0.0, news), pause, replied, fact]

    return answer


def field(name: str) -> Callable[[str], str]:
    """Return the field of a message."""
    return lambda message: json.dumps({name: next(iter(json.loads(message).values()))})


PROTOCOLS: dict[str, tuple[str, str, Answer]] = {
    "a request id": ("", "JSON.stringify({reqid: 7, run: 1})", by(field("reqid"))),
    "an acknowledgement before the change": ("", "JSON.stringify({msgid: 'a7'})", by(field("reqid"), last=False)),
    "JSON-RPC": (
        "",
        "JSON.stringify({jsonrpc: '2.0', id: 3, method: 'run'})",
        by(
            lambda _: '{"jsonrpc": "2.0", "result": {}, "id": 3}',
            news='{"jsonrpc": "2.0", "method": "progress", "id": 3}',
        ),
    ),
    "socket.io": ("", "'427[\"run\"]'", by(lambda _: '437["done"]', news='42["news"]')),
    "STOMP": (
        "",
        "'SEND\\nreceipt:r1\\n\\n'",
        by(lambda _: "RECEIPT\nreceipt-id:r1\n\n", news="MESSAGE\n\nnews"),
    ),
    "what the load has shown": (
        'ws.send(\'["1", "4", "join"]\')',
        '\'["1", "5", "run"]\'',
        lambda message: [(0.0, '["1", "4", "ok"]')] if "join" in message else by(lambda _: '["1", "5", "ok"]')(message),
    ),
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", PROTOCOLS)
async def test_the_reply_with_the_id_ends_the_exchange(page: Page, site: Site, name: str) -> None:
    opening, sent, answer = PROTOCOLS[name]

    async def handler(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            assert message.type is WSMsgType.TEXT
            for seconds, reply in answer(message.data):
                await asyncio.sleep(seconds)
                await socket.send_str(reply)
        return socket

    site.route("/socket", handler)
    await page.goto(site.html("/it.html", PAGE % (opening, sent)), settle=True)
    await page.evaluate("new Promise((done) => ws.readyState == 1 ? done() : ws.addEventListener('open', done))")
    result = await page.click("#go")
    assert "the fact" in await page.evaluate("document.getElementById('out').textContent"), result
    assert result.stable, result
