"""Limits that hold: floods, big pages and endless scripts end a call in time, and the page can be used afterwards."""

from __future__ import annotations

from typing import Any

from bench.behaviours.calls import evaluate, listen
from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import HIT
from bench.doing import choose, click, fill

WHOLE_MS = 8_000
"""The waits of stillframe here, 3 s for the action and as much for the page, and some for a busy machine."""


def bounded(name: str, script: str, html: str = "", *do: Any, **row: Any) -> Behaviour:
    """A row whose click sets something off; it must return in time, and a click afterwards must work."""
    return only(
        name=f"bounded: {name}",
        html=f"<button id=go>Go</button> <button id=next {HIT}>Next</button>{html}<script>go.onclick = () =>"
        f" {{ {script} }}</script>",
        do=do or (click("#go"), click("#next")),
        **{"then": {"log.join()": "hit"}, "limit_ms": WHOLE_MS, **row},
    )


FLOODS = (
    bounded("two thousand requests", "for (let n = 0; n < 2000; n++) fetch('echo?' + n)"),
    bounded("a hundred requests that hang", "for (let n = 0; n < 100; n++) fetch('hang?' + n)", told={"stable": False}),
    bounded(
        "sixty servers that are not there",
        "for (let n = 0; n < 60; n++) new Image().src = `http://n${n}.invalid/a.png`",
    ),
    bounded(
        "a burst on a socket",
        "s.send('x')",
        "<b id=b></b><script>s = new WebSocket(location.href.replace('http', 'ws') + 'talk'); s.onmessage = (e) =>"
        " { b.textContent = e.data }</script>",
        sockets={"talk": tuple(("x", n % 20, str(n)) for n in range(1500))},
    ),
    bounded("ten thousand lines in the console", "for (let n = 0; n < 10000; n++) console.log('line', n)"),
    bounded("many changes of the address", "for (let n = 0; n < 190; n++) history.replaceState(0, '', '#' + n)"),
    bounded("a thousand errors", "for (let n = 0; n < 1000; n++) setTimeout(() => { throw new Error('no ' + n) })"),
    bounded(
        "a frame for another program",
        "",
        "<iframe src='other-app://open'></iframe>",
        *[click("#next")] * 8,  # Chrome would ask after half a second, and the page would take no input
        then={"log.length": 8},
    ),
    bounded(
        "a link to another program",
        "location = 'other-app:open'",
        "",
        click("#go"),
        *[click("#next")] * 8,
        then={"log.length": 8},
    ),
    bounded("thirty dialogs", "for (let n = 0; n < 30; n++) alert(n)"),
    bounded("a timer that sets itself without end", "(function turn() { setTimeout(turn, 0) })()"),
    bounded(
        "changes in each frame",
        "let n = 0; (function turn() { b.textContent = ++n; requestAnimationFrame(turn) })()",
        "<b id=b></b>",
    ),
    bounded(
        "a thousand elements that change in each frame",
        "let n = 0; (function turn() { n++; for (const i of list.children) i.title = n;"
        " requestAnimationFrame(turn) })()",
        "<div id=list></div><script>for (let n = 0; n < 1000; n++) list.append(document.createElement('i'))</script>",
    ),
    bounded(
        "two frames that call each other without end",
        "f.contentWindow.postMessage(0, '*')",
        "<iframe id=f srcdoc=\"<script>onmessage = (e) => parent.postMessage(1, '*')</script>\"></iframe><script>"
        "onmessage = () => f.contentWindow.postMessage(0, '*')</script>",
    ),
    bounded(
        "workers that compute without end",
        "for (let n = 0; n < 2; n++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
    ),
    bounded(
        "a worker that talks without end",
        "w = new Worker(URL.createObjectURL(new Blob(['setInterval(() => { for (let n = 0; n < 50;"
        " n++) postMessage(n) }, 1)']))); w.onmessage = () => 0",
    ),
    bounded(
        "forty frames",
        "for (let n = 0; n < 40; n++) document.body.append(Object.assign(document.createElement('iframe'), "
        "{srcdoc: '<p>Frame ' + n}))",
    ),
    bounded(
        "a stream without end",
        "fetch('stream/20/100000').then(async r => { for (const reader = r.body.getReader();;) await reader.read() })",
    ),
)

BIG = (
    bounded(
        "fifty thousand elements",
        "const d = document.createElement('div'); d.innerHTML = '<p><i>a</i>'.repeat(25000); document.body.append(d)",
    ),
    bounded(
        "elements two thousand deep",
        "let at = document.body.appendChild(document.createElement('div')); for (let n = 0; n < 2000;"
        " n++) at = at.appendChild(document.createElement('div')); at.textContent = 'deep'",
    ),
    bounded(
        "a text of two megabytes",
        "const p = document.createElement('p'); p.style.cssText = 'height:20px;overflow:hidden';"
        " p.textContent = 'word '.repeat(4e5); document.body.append(p)",
    ),
    bounded("an attribute of five megabytes", "document.body.dataset.state = 'x'.repeat(5e6)"),
    bounded(
        "a picture in the address of five megabytes", "new Image().src = 'data:image/png;base64,' + 'A'.repeat(5e6)"
    ),
    bounded(
        "five thousand paths of a drawing",
        "const s = document.createElement('div'); s.innerHTML = '<svg width=500 height=500>"
        "' + '<path d=\"M0 0L9 9\" stroke=red />'.repeat(5000) + '</svg>'; document.body.append(s)",
    ),
    only(
        name="bounded: the text of three thousand buttons",
        html="<script>for (let n = 0; n < 3000; n++) document.write(`<button>Item ${n}</button>`)</script>",
        refs=("Item 0",),
        limit_ms=WHOLE_MS,
    ),
    Behaviour(
        name="bounded: the last of ten thousand options",
        html="<select id=s aria-label=City></select><script>s.innerHTML = Array.from({length: 10000}, (_, n) =>"
        " `<option>Town ${n}`).join('')</script>",
        do=(choose("#s", "Town 9999"),),
        then={"s.value": "Town 9999"},
        limit_ms=WHOLE_MS,
    ),
    Behaviour(
        name="bounded: a value of a hundred thousand numbers",
        do=(evaluate("Array.from({length: 1e5}, (_, n) => n)"),),
        gives={"value": list(range(100_000))},
        limit_ms=WHOLE_MS,
    ),
    Behaviour(
        name="bounded: a field that takes a hundred thousand letters",
        html="<textarea id=f></textarea>",
        do=(fill("#f", "word " * 20_000),),
        then={"f.value.length": 100_000},
        limit_ms=WHOLE_MS,
    ),
    Behaviour(
        name="bounded: a row among five thousand",
        html="<table id=t></table><script>t.innerHTML = Array.from({length: 5000}, (_, n) => `<tr><td>"
        "Herb ${n}<td><button onclick=\"log.push(${n})\">Buy</button>`).join('')</script>",
        do=(click('role=row >> has-text="Herb 4321" >> role=button'),),
        then={"log.join()": "4321"},
        limit_ms=WHOLE_MS,
    ),
)

ENDLESS = (
    bounded(
        "a script without end", "setTimeout(() => { for (;;); }, 20)", "", click("#go"), told={"stable": False}, then={}
    ),
    bounded(
        "promises without end",
        "setTimeout(() => { (function turn() { Promise.resolve().then(turn) })() }, 20)",
        "",
        click("#go"),
        told={"stable": False},
        then={},
    ),
    bounded(
        "a script that blocks for a while",
        "setTimeout(() => { const t = Date.now(); while (Date.now() - t < 1500); }, 20)",
    ),
    bounded(
        "a page that loads itself again and again",
        "sessionStorage.on = 1; location.reload()",
        "<script>if (sessionStorage.on) setTimeout(() => location.reload(), 250)</script>",
        click("#go"),
        then={},
        limit_ms=9000,
    ),
    only(
        name="bounded: listening to a flood",
        html="<p>A",
        do=(
            listen("console"),
            evaluate("(() => { for (let n = 0; n < 3000; n++) console.log(n) })()"),
            evaluate("'still here'", "after"),
        ),
        gives={"after": "still here"},
        limit_ms=WHOLE_MS,
    ),
)

ROWS = (*FLOODS, *BIG, *ENDLESS)
