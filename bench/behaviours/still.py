"""Still, and not before: what an action starts is over when the call returns, and what never ends does not hold it."""

from __future__ import annotations

from typing import Any

from bench.behaviours.calls import pause
from bench.behaviours.case import Behaviour, only
from bench.doing import choose, click, hover, press, typed

STABLE = {"stable": True}
UNSTABLE = {"stable": False}
DONE = {"out.textContent": "done"}
END = "out.textContent = 'done'"


def ends(name: str, script: str, html: str = "", *do: Any, **row: Any) -> Behaviour:
    """A row whose click must have led to "done" when it returns.

    `script` may call `end()`; the page has a button `go`, an output `out` and whatever `html` adds.
    """
    return only(
        name=f"still: {name}",
        html=f"<button id=go>Go</button> <p id=out></p>{html}<script>end = (t = 'done') => {{ out.textContent = t }};"
        f"go.onclick = () => {{ {script} }}</script>",
        do=do or (click("#go"),),
        **{"told": STABLE, "then": DONE, "limit_ms": 6000, **row},
    )


REQUESTS = (
    ends(
        "three requests in a row", "(async () => { for (let n = 0; n < 3; n++) await fetch('slow/350/echo'); end() })()"
    ),
    ends("a request and a timer", "fetch('slow/400/echo').then(() => setTimeout(end, 500))"),
    ends(
        "an old request",
        "const x = new XMLHttpRequest(); x.onload = () => end(); x.open('GET', 'slow/900/echo'); x.send()",
    ),
    ends(
        "a stream that is read line by line",
        "fetch('stream/150/6').then(async r => { const reader = r.body.getReader(); let text = '';"
        "for (;;) { const {done, value} = await reader.read(); if (done) break;"
        " text += new TextDecoder().decode(value) }"
        "end(text.trim().split('\\n').at(-1)) })",
        then={"out.textContent": "line 6"},
    ),
    ends(
        "a job that is polled until it is done",
        "let asked = 0; const poll = async () => { await fetch('slow/60/echo?' + asked);"
        "++asked < 4 ? setTimeout(poll, 350) : end() }; fetch('echo', {method: 'POST'}).then(poll)",
    ),
    ends(
        "one request of many is slow",
        "Promise.all([50, 90, 1200].map(ms => fetch(`slow/${ms}/echo`))).then(() => end())",
    ),
    ends(
        "a request that is tried again",
        "const ask = (n) => fetch(n < 3 ? 'status/503' : 'echo').then(r =>"
        " r.ok ? end() : setTimeout(ask, 300 * n, n + 1)); ask(1)",
    ),
    ends(
        "a script that is put in",
        "const s = document.createElement('script'); s.src = 'slow/700/x.js'; document.head.append(s)",
        pages={"x.js": "setTimeout(end, 200)"},
    ),
    ends(
        "a module that is loaded on demand",
        "import('./slow/500/part.js').then(m => m.show(end))",
        pages={"part.js": "export const show = (end) => fetch('echo').then(() => end())"},
    ),
    ends(
        "a picture whose size decides",
        "const i = new Image(); i.onload = i.onerror = () => end(); i.src = 'slow/800/status/404';"
        " document.body.append(i)",
    ),
    ends(
        "a style sheet that shows a part",
        "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = 'slow/600/part.css';"
        " l.onload = () => end(getComputedStyle(part).display == 'block' ? 'done' : 'no'); document.head.append(l)",
        "<style>#part{display:none}</style><div id=part>Part</div>",
        pages={"part.css": "#part{display:block !important}"},
    ),
    ends(
        "a frame that loads and answers its parent",
        "onmessage = () => end(); document.body.append(Object.assign(document.createElement('iframe'), {src: "
        "'slow/300/inner'}))",
        pages={"inner": "<script>setTimeout(() => parent.postMessage(1, '*'), 500)</script>"},
    ),
    ends(
        "a form that is sent to a frame",
        "document.forms[0].submit()",
        "<iframe name=in onload=\"if (this.contentWindow.location.pathname.endsWith('next')) end()\"></iframe>"
        "<form action=slow/600/next target=in></form>",
        pages={"next": "<p>Thanks"},
    ),
    ends("events that the click subscribes to", "const s = new EventSource('events/200/1'); s.onmessage = () => end()"),
    ends(
        "pictures that load when they come into view",
        "panel.hidden = false",
        "<div id=panel hidden style='height:200px'>Part</div><script>new IntersectionObserver(([e], o) => { if "
        "(e.isIntersecting) { o.disconnect(); fetch('slow/600/echo').then(() => end()) } }).observe(panel)</script>",
    ),
    ends(
        "the next page of an endless list",
        "last.scrollIntoView()",
        "<div style='height:3000px'></div><div id=last>More</div><script>new IntersectionObserver(([e], o) => { if "
        "(e.isIntersecting) { o.disconnect(); setTimeout(() => fetch('slow/300/echo').then(() => end()), 150) } })"
        ".observe(last)</script>",
    ),
)

TIMERS = (
    ends("a timer of a second", "setTimeout(end, 1100)"),
    ends("a chain of timers", "let n = 0; const next = () => ++n < 6 ? setTimeout(next, 250) : end(); next()"),
    ends(
        "a timer of a function that the page calls again and again",
        "later(end, 900)",
        "<i id=tick></i><script>later = (f, ms) => setTimeout(f, ms); n = 0;"
        "(function turn() { tick.title = ++n; later(turn, 150) })()</script>",
        pause(900),
        click("#go"),
    ),
    ends(
        "a timer as long as the page's own",
        "later(end)",
        "<i id=tick></i><script>later = (f) => setTimeout(f, 200); n = 0;"
        "(function turn() { tick.textContent = ++n; later(turn) })()</script>",
        pause(1100),
        click("#go"),
    ),
    ends(
        "a countdown that ends",
        "let n = 5; const t = setInterval(() => { end(--n ? String(n) : 'done'); if (!n) clearInterval(t) }, 240)",
    ),
    ends("an idle callback after a timer", "setTimeout(() => requestIdleCallback(() => end()), 500)"),
    ends("an idle callback with a deadline", "requestIdleCallback(() => setTimeout(end, 300), {timeout: 600})"),
    ends("a task that is posted later", "scheduler.postTask(() => end(), {delay: 800})"),
    ends(
        "work that yields between its parts",
        "(async () => { for (let n = 0; n < 20; n++) { await scheduler.yield(); const t = performance.now();"
        " while (performance.now() - t < 30); } end() })()",
    ),
    ends(
        "a channel of messages",
        "const c = new MessageChannel(); let n = 0; c.port1.onmessage = () =>"
        " ++n < 40 ? c.port2.postMessage(n) : setTimeout(end, 100); c.port2.postMessage(0)",
    ),
    ends(
        "typing that is thought about",
        "",
        "<label>Find <input id=f></label><script>let t; f.oninput = () => { clearTimeout(t); t = setTimeout(() => "
        "fetch('slow/200/echo').then(() => end(f.value)), 600) }</script>",
        typed("#f", "lamp"),
        then={"out.textContent": "lamp"},
    ),
    ends(
        "a choice that loads the next list",
        "",
        "<select id=s><option>A<option>B</select><select id=two></select><script>s.onchange = () =>"
        " { two.disabled = true;"
        "fetch('slow/700/echo').then(() => { two.disabled = false; two.innerHTML = '<option>B1'; end() }) }</script>",
        choose("#s", "B"),
    ),
    ends(
        "a tip that comes to who hovers",
        "",
        "<span id=h>Help</span><script>h.onmouseenter = () => setTimeout(end, 700)</script>",
        hover("#h"),
    ),
    ends(
        "a key that is held back",
        "",
        "<input id=f><script>f.onkeydown = (e) => { if (e.key == 'Enter') setTimeout(() =>"
        " requestAnimationFrame(() => end()), 450) }</script>",
        press("Enter", "#f"),
    ),
    ends(
        "a poll of the page that takes the result",
        "wanted = true; go.disabled = true; go.textContent = 'Loading…'",
        "<script>wanted = false; setInterval(() => fetch('echo?poll').then(() => { if (wanted) { wanted = false;"
        "go.disabled = false; go.textContent = 'Go'; end() } }), 1300)</script>",
        pause(1500),
        click("#go"),
    ),
    ends(
        "a part that says that it is busy",
        "part.setAttribute('aria-busy', 'true'); wanted = true",
        "<section id=part>List</section><script>wanted = false; setInterval(() => { if (wanted) { wanted = false;"
        "part.removeAttribute('aria-busy'); end() } }, 1400)</script>",
        pause(1500),
        click("#go"),
    ),
    ends(
        "a bar that fills",
        "bar.value = 0; const t = setInterval(() => { bar.value += 20; if (bar.value >= 100) { clearInterval(t);"
        " end() } }, 200)",
        "<progress id=bar max=100></progress>",
    ),
)

ENDLESS = (
    ends(
        "an interval that goes on is named",
        "setInterval(() => { out.textContent = Math.random() }, 90)",
        told=UNSTABLE,
        then={},
        limit_ms=5500,
    ),
    ends(
        "a timer beyond the horizon is named",
        "setTimeout(end, 6000)",
        told={**STABLE, "pending": 1, "pending.0.kind": "timer"},
        then={},
        limit_ms=4500,
    ),
    ends(
        "a server that does not answer is named",
        "fetch('hang')",
        told={**UNSTABLE, "pending": 1, "pending.0.kind": "request"},
        then={},
        limit_ms=5500,
    ),
    ends(
        "a wheel without end is named",
        "part.innerHTML = '<div class=spinner role=progressbar>Loading</div>'",
        "<div id=part></div>",
        told=UNSTABLE,
        then={},
        limit_ms=6500,
    ),
    ends(
        "a page that hangs is not stable", "setTimeout(() => { for (;;); }, 30)", told=UNSTABLE, then={}, limit_ms=8500
    ),
    ends(
        "a clock does not hold up",
        "fetch('slow/500/echo').then(() => end())",
        "<b id=clock></b><script>setInterval(() => { clock.textContent = new Date().toISOString() }, 100)</script>",
        pause(1000),
        click("#go"),
        limit_ms=4000,
        untold=("clock",),
    ),
    ends(
        "a poll does not hold up",
        "setTimeout(end, 300)",
        "<script>setInterval(() => fetch('slow/30/echo?poll'), 250)</script>",
        pause(1200),
        click("#go"),
        limit_ms=4500,
    ),
    ends(
        "a carousel does not hold up",
        "setTimeout(end, 300)",
        "<div style='overflow:hidden;width:300px'><div id=belt style='display:flex;transition:transform .3s'>"
        "<img width=300><img width=300></div></div>"
        "<script>let n = 0; setInterval(() => { belt.style.transform = `translateX(${-300 * (++n % 2)}px)` }, "
        "400)</script>",
        pause(1500),
        click("#go"),
        limit_ms=5000,
    ),
    only(
        name="still: a click that does nothing is soon over",
        html="<button id=go>Go</button>",
        do=(click("#go"),),
        told=STABLE,
        limit_ms=2000,
    ),
)


ROWS = (*REQUESTS, *TIMERS, *ENDLESS)
