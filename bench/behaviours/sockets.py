"""Still when a socket has said what it was asked, and not before: the protocols that pages speak."""

from __future__ import annotations

from typing import Any

from bench.behaviours.calls import pause
from bench.behaviours.case import Behaviour, only
from bench.behaviours.loading import goto
from bench.doing import click, fill

SAID = {"stable": True}
OPEN = "s = new WebSocket(location.href.replace('http', 'ws') + 'talk');"
SHOWS = "<ul id=out></ul><script>add = (t) => out.insertAdjacentHTML('beforeend', '<li>' + t)</script>"
TEXT = "[...out.children].map(e => e.textContent).join()"


def talks(
    name: str, sends: str, says: tuple[tuple[str, int, str], ...], ends: str, heard: str = "add(e.data)", **row: Any
) -> Behaviour:
    """A page with an open socket that sends something when its button is pressed.

    `sends` is the expression that it sends, `heard` what it does with a message `e`, `ends` its list then.
    """
    return only(
        name=f"a socket: {name}",
        html=f"<button id=go>Go</button>{SHOWS}<script>{OPEN} s.onmessage = (e) => {{ {heard} }};"
        f"go.onclick = () => {{ s.send({sends}) }}</script>",
        sockets={"talk": says},
        **{"do": (click("#go"),), "told": SAID, "then": {TEXT: ends}, "limit_ms": 6000, **row},
    )


JSON = "const m = JSON.parse(e.data); if (m.{0}) add(m.{0})"
ID = '"id":"?([\\w-]+)'

PROTOCOLS = (
    talks(
        "JSON-RPC, a notification before a late answer",
        "JSON.stringify({jsonrpc: '2.0', id: 41, method: 'build'})",
        (
            ("", 120, '{"jsonrpc":"2.0","method":"log","params":{},"text":"compiling"}'),
            ("", 1250, f'{{"jsonrpc":"2.0","id":<<{ID}>>,"result":{{}},"text":"built"}}'),
        ),
        "compiling,built",
        JSON.format("text"),
    ),
    talks(
        "patches before the receipt of a request",
        "JSON.stringify({msgid: 'FB18-77', msgtype: 'PATCH', content: {value: 3}})",
        (
            ("", 30, '{"msgid":"A1","msgtype":"PATCH","text":"working"}'),
            ("", 1000, '{"msgid":"A2","msgtype":"PATCH","text":"yield 61"}'),
            ("", 1010, '{"msgid":"A3","msgtype":"OK","reqid":"<<"msgid":"([\\w-]+)>>"}'),
        ),
        "working,yield 61",
        JSON.format("text"),
    ),
    talks(
        "a patch just after the receipt",
        "JSON.stringify({msgid: 'FB18-78', msgtype: 'PATCH', content: {value: 3}})",
        (
            ("", 60, '{"msgtype":"OK","reqid":"<<"msgid":"([\\w-]+)>>"}'),
            ("", 220, '{"msgid":"A2","msgtype":"PATCH","text":"yield 61"}'),
        ),
        "yield 61",
        JSON.format("text"),
    ),
    talks(
        "a kernel that is busy, prints and is idle again",
        "JSON.stringify({header: {msg_id: 'c0ffee-1'}, msg_type: 'execute_request', content: {code: 'run'}})",
        (
            ("", 20, '{"parent_header":{"msg_id":"<<msg_id":"([\\w-]+)>>"},"msg_type":"status","state":"busy"}'),
            ("", 700, '{"parent_header":{"msg_id":"<<msg_id":"([\\w-]+)>>"},"msg_type":"stream","text":"half"}'),
            ("", 1500, '{"parent_header":{"msg_id":"<<msg_id":"([\\w-]+)>>"},"msg_type":"stream","text":"whole"}'),
            ("", 1520, '{"parent_header":{"msg_id":"<<msg_id":"([\\w-]+)>>"},"msg_type":"status","state":"idle"}'),
        ),
        "half,whole",
        JSON.format("text"),
    ),
    talks(
        "a receipt of STOMP",
        r"'SEND\ndestination:/orders\nreceipt:77\n\n{}\0'",
        (("receipt:77", 1100, "RECEIPT\nreceipt-id:77\n\n\0"),),
        "placed",
        "if (e.data.startsWith('RECEIPT')) add('placed')",
    ),
    talks(
        "an acknowledgement of socket.io beside events",
        "'42' + '17' + JSON.stringify(['order', {tea: 2}])",
        (("", 100, '42["news",{"a":1}]'), ("", 1200, '4317[{"ok":true}]')),
        "placed",
        "if (e.data.startsWith('43')) add('placed')",
    ),
    talks(
        "a channel that answers with the number in a list",
        "JSON.stringify(['3', '9', 'room:lobby', 'save', {text: 'x'}])",
        (
            ("", 90, '[null,null,"room:lobby","presence_diff",{}]'),
            ("", 1100, '["3","9","room:lobby","reply",{"status":"ok"}]'),
        ),
        "ok",
        "const m = JSON.parse(e.data); if (m[3] == 'reply') add(m[4].status)",
    ),
    talks(
        "an ack among other messages",
        "JSON.stringify({type: 'set', seq: 5, value: 'on'})",
        (
            ("", 40, '{"type":"cursor","user":"Ann"}'),
            ("", 500, '{"type":"cursor","user":"Bob"}'),
            ("", 1300, '{"type":"ack","ack":5,"text":"stored"}'),
        ),
        "stored",
        JSON.format("text"),
    ),
    talks(
        "a query whose result and end carry its id",
        "JSON.stringify({id: 'q-1f', type: 'subscribe', payload: {query: '{ tea }'}})",
        (
            ("", 1100, '{"id":"q-1f","type":"next","payload":{},"text":"three teas"}'),
            ("", 1120, '{"id":"q-1f","type":"complete"}'),
        ),
        "three teas",
        JSON.format("text"),
    ),
    talks(
        "SockJS around its messages",
        "JSON.stringify([JSON.stringify({id: 'm-31', call: 'sum'})])",
        (("", 50, "h"), ("", 1150, 'a["{\\"id\\":\\"m-31\\",\\"text\\":\\"12\\"}"]')),
        "12",
        "if (e.data[0] == 'a') add(JSON.parse(JSON.parse(e.data.slice(1))[0]).text)",
    ),
    talks(
        "two questions, answered the other way round",
        "JSON.stringify({id: 1, q: 'slow'})); s.send(JSON.stringify({id: 2, q: 'quick'})",
        (("slow", 1250, '{"id":1,"text":"first"}'), ("quick", 150, '{"id":2,"text":"second"}')),
        "second,first",
        JSON.format("text"),
    ),
    talks(
        "the id in a header",
        "JSON.stringify({header: {correlation_id: 'be12-77aa'}, body: {do: 'sum'}})",
        (
            ("", 100, '{"header":{"kind":"tick"}}'),
            ("", 1200, '{"header":{"correlation_id":"be12-77aa"},"text":"12"}'),
        ),
        "12",
        JSON.format("text"),
    ),
    talks(
        "ids of letters and digits",
        "JSON.stringify({requestId: '0b7c9c9e-1f51-4a44-9b3c-7d7a0d0c4f11', op: 'list'})",
        (
            ("", 80, '{"event":"presence","count":4}'),
            ("", 1300, '{"requestId":"0b7c9c9e-1f51-4a44-9b3c-7d7a0d0c4f11","text":"9 rows"}'),
        ),
        "9 rows",
        JSON.format("text"),
    ),
    talks(
        "a method of which the result and the data come apart",
        "JSON.stringify({msg: 'method', method: 'addTask', id: '3', params: []})",
        (
            ("", 900, '{"msg":"result","id":"3"}'),
            ("", 1050, '{"msg":"added","collection":"tasks","text":"Buy milk"}'),
            ("", 1060, '{"msg":"updated","methods":["3"]}'),
        ),
        "Buy milk",
        JSON.format("text"),
    ),
    talks(
        "messages that end with a separator of records",
        r"JSON.stringify({type: 1, invocationId: '0', target: 'Save'}) + '\x1e'",
        (
            ("", 60, '{"type":6}\x1e'),
            ("", 1100, '{"type":1,"target":"Changed","text":"draft"}\x1e'),
            ("", 1110, '{"type":3,"invocationId":"0"}\x1e'),
        ),
        "draft",
        "const m = JSON.parse(e.data.slice(0, -1)); if (m.text) add(m.text)",
    ),
    talks(
        "a call in numbers",
        "JSON.stringify([48, 7814135004471, {}, 'com.shop.sum', [2, 3]])",
        (("", 70, "[36, 5512, 4429, {}, [1]]"), ("", 1200, "[50, 7814135004471, {}, [5]]")),
        "5",
        "const m = JSON.parse(e.data); if (m[0] == 50) add(m[3][0])",
    ),
    talks(
        "a reply without any id",
        "'sum 2 3'",
        (("", 350, "5"),),
        "5",
    ),
    talks(
        "a page that says something and gets no reply",
        "(add('sent'), 'seen go')",
        (),
        "sent",
        told={},
        limit_ms=3000,
    ),
    talks(
        "a notification with the word start",
        "JSON.stringify({id: 7, do: 'deploy'})",
        (("", 50, '{"topic":"flows","state":"start"}'), ("", 300, '{"id":7,"text":"deployed"}')),
        "deployed",
        JSON.format("text"),
        limit_ms=2500,
    ),
)

OTHERS = (
    only(
        name="a socket: an answer on one that ticks",
        html=f"<button id=go>Go</button><b id=clock></b>{SHOWS}<script>{OPEN} s.onmessage = (e) => {{"
        "const m = JSON.parse(e.data); if (m.id) add(m.text); else clock.textContent = m.now };"
        "go.onclick = () => s.send(JSON.stringify({id: 'r-552', ask: 'sum'}))</script>",
        sockets={
            "talk": (
                *(("open", 100 * n, f'{{"now":{n}}}') for n in range(1, 60)),
                ("ask", 900, '{"id":"r-552","text":"12"}'),
            )
        },
        do=(pause(900), click("#go")),
        told=SAID,
        then={TEXT: "12"},
        untold=("clock",),
    ),
    only(
        name="a socket: opened by the click, greeted, subscribed",
        html=f"<button id=go>Go</button>{SHOWS}<script>go.onclick = () => {{ {OPEN} s.onmessage = (e) => {{"
        "if (e.data == 'hello') s.send(JSON.stringify({id: 'sub-1', subscribe: 'prices'}));"
        "else add(JSON.parse(e.data).text) } }</script>",
        sockets={"talk": (("open", 200, "hello"), ("subscribe", 900, '{"id":"sub-1","text":"tea 3"}'))},
        do=(click("#go"),),
        told=SAID,
        then={TEXT: "tea 3"},
    ),
    only(
        name="a socket: typed letters are checked by the server",
        html=f"<label>Name <input id=f></label>{SHOWS}<script>{OPEN} let n = 0, last = 0;"
        "s.onmessage = (e) => { const m = JSON.parse(e.data); if (m.id == last) add(m.text) };"
        "f.oninput = () => { clearTimeout(t); t = setTimeout(() => "
        "s.send(JSON.stringify({id: last = 100 + ++n, check: f.value})), 300) }; let t</script>",
        sockets={"talk": (("check", 900, f'{{"id":<<{ID}>>,"text":"free"}}'),)},
        do=(fill("#f", "ann"),),
        told=SAID,
        then={TEXT: "free"},
    ),
    only(
        name="a socket: in a worker",
        html=f"<button id=go>Go</button>{SHOWS}<script>w = new Worker('w.js'); w.onmessage = (e) => add(e.data);"
        "go.onclick = () => w.postMessage('go')</script>",
        pages={
            "w.js": "const s = new WebSocket(location.href.replace('http', 'ws').replace('w.js', 'talk'));"
            "onmessage = () => s.send(JSON.stringify({id: 'w-901', ask: 1}));"
            "s.onmessage = (e) => postMessage(JSON.parse(e.data).text)"
        },
        sockets={"talk": (("ask", 1100, '{"id":"w-901","text":"12"}'),)},
        do=(click("#go"),),
        told=SAID,
        then={TEXT: "12"},
    ),
    only(
        name="a first load: parts over a socket",
        opens=False,
        pages={
            "first": f"<title>App</title>{SHOWS}<script>s = new WebSocket(location.href.replace('http', 'ws')"
            ".replace('first', 'talk')); s.onopen = () => s.send(JSON.stringify({id: 'init-1', op: 'start'}));"
            "s.onmessage = (e) => { const m = JSON.parse(e.data); if (m.text) add(m.text) }</script>"
        },
        sockets={
            "talk": (
                ("start", 150, '{"op":"cell","text":"one"}'),
                ("start", 500, '{"op":"cell","text":"two"}'),
                ("start", 950, '{"op":"cell","text":"three"}'),
                ("start", 960, '{"op":"completed","id":"init-1"}'),
            )
        },
        do=(goto("first", settle=True),),
        told=SAID,
        then={TEXT: "one,two,three"},
    ),
    only(
        name="a first load: parts over a socket that names no ids",
        opens=False,
        pages={
            "first": f"<title>App</title>{SHOWS}<script>s = new WebSocket(location.href.replace('http', 'ws')"
            ".replace('first', 'talk')); s.onopen = () => s.send('ready'); s.onmessage = (e) => add(e.data)</script>"
        },
        sockets={"talk": (("ready", 200, "one"), ("ready", 450, "two"), ("ready", 700, "three"))},
        do=(goto("first", settle=True),),
        told=SAID,
        then={TEXT: "one,two,three"},
    ),
)

ROWS = (*PROTOCOLS, *OTHERS)
