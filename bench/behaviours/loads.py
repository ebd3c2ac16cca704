"""Still, and not before, where the browser itself does the work: motion, workers, storage, and first loads."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.behaviours.loading import goto
from bench.behaviours.still import DONE, END, STABLE, ends

MOTION = (
    ends(
        "a transition whose end tells",
        "box.className = 'on'; box.ontransitionend = () => end()",
        "<style>#box{opacity:.2;transition:opacity .8s} #box.on{opacity:1}</style><div id=box>Box</div>",
    ),
    ends(
        "an animation after a delay",
        "box.className = 'on'; box.onanimationend = () => end()",
        "<style>@keyframes in{from{transform:translateX(200px)}} .on{animation:in .4s .6s both}</style>"
        "<div id=box>Box</div>",
    ),
    ends(
        "an animation of a script",
        "box.animate({opacity: [0, 1]}, 900).finished.then(() => end())",
        "<div id=box>Box</div>",
    ),
    ends(
        "a number that runs up frame by frame",
        "const begin = performance.now(); (function turn() { const part = Math.min(1, (performance.now() - begin) "
        "/ 900);"
        "end(part < 1 ? String(Math.round(part * 500)) : 'done'); if (part < 1) requestAnimationFrame(turn) })()",
    ),
    ends(
        "a transition between two views",
        "document.startViewTransition(() => { part.textContent = 'Two' }).finished.then(() => end())",
        "<p id=part>One</p>",
    ),
    ends(
        "smooth scrolling",
        "last.scrollIntoView({behavior: 'smooth'}); addEventListener('scrollend', () => end(), {once: true})",
        "<div style='height:2500px'></div><p id=last>Last",
    ),
    ends(
        "a dialog that closes with a movement",
        "d.close()",
        '<dialog id=d open onclose="setTimeout(end, 250)" style=\'transition:display .3s allow-discrete,opacity '
        ".3s'>Sure?</dialog>",
    ),
    ends(
        "a badge that pulses for ever",
        "badge.className = 'on'; setTimeout(end, 300)",
        "<style>@keyframes pulse{50%{transform:scale(1.3)}} .on{animation:pulse .6s infinite}</style>"
        "<b id=badge style='display:inline-block'>3</b>",
        limit_ms=4500,
    ),
    ends(
        "a badge that pulses five times",
        "badge.className = 'on'; setTimeout(end, 300)",
        "<style>@keyframes ping{50%{opacity:.3}} .on{animation:ping 4s 5}</style><b id=badge>3</b>",
        limit_ms=9500,
        told={},
    ),
    ends(
        "bones that shimmer until the data are there",
        "part.innerHTML = '<div class=bone></div>'; fetch('slow/1000/echo').then(() => { part.textContent = '';"
        " end() })",
        "<style>@keyframes shine{to{background-position:200px}} .bone{height:20px;width:200px;"
        "background:linear-gradient(90deg,#ddd,#fff);animation:shine 1s infinite}</style><div id=part></div>",
    ),
)


def worker(script: str) -> str:
    """Start a worker `w` that runs a script, is asked, and whose answer ends the row."""
    started = f"const w = new Worker(URL.createObjectURL(new Blob([`{script}`])))"
    return f"{started}; w.onmessage = () => end(); w.postMessage(0)"


BROWSER = (
    ends(
        "a worker that thinks",
        worker("onmessage = () => setTimeout(() => postMessage(1), 800)"),
    ),
    ends(
        "a worker that computes",
        worker("onmessage = () => { const t = Date.now(); while (Date.now() - t < 700); postMessage(1) }"),
    ),
    ends(
        "a database",
        "const o = indexedDB.open('shop', 1); o.onupgradeneeded = () => o.result.createObjectStore('a');"
        " o.onsuccess = () => { const t = o.result.transaction('a', 'readwrite'); for (let n = 0; n < 300;"
        " n++) t.objectStore('a').put(n, n); t.oncomplete = () => end() }",
    ),
    ends(
        "another frame by a channel",
        "new BroadcastChannel('b').postMessage(1)",
        "<iframe src=inner></iframe><script>onmessage = () => end()</script>",
        pages={
            "inner": "<script>c = new BroadcastChannel('b');"
            "c.onmessage = () => setTimeout(() => parent.postMessage(1, '*'), 400)</script>"
        },
    ),
    ends(
        "another frame by storage",
        "localStorage.a = Math.random()",
        "<iframe src=inner></iframe><script>onmessage = () => end()</script>",
        pages={"inner": "<script>onstorage = () => setTimeout(() => parent.postMessage(1, '*'), 300)</script>"},
    ),
    ends(
        "a lock that another holds",
        "navigator.locks.request('a', () => end())",
        "<script>navigator.locks.request('a', () => new Promise(done => { go.addEventListener('click', () =>"
        " setTimeout(done, 700)) }))</script>",
    ),
    ends(
        "a digest and a packed stream",
        "new Response(new Blob(['x'.repeat(3e6)]).stream().pipeThrough(new CompressionStream("
        "'gzip'))).arrayBuffer().then(b => crypto.subtle.digest('SHA-256', b)).then(() => end())",
    ),
    ends(
        "a file that is read",
        "const r = new FileReader(); r.onload = () => end(); r.readAsDataURL(new Blob(['x'.repeat(2e6)]))",
    ),
    ends(
        "an observer that sets off another",
        "box.style.width = '300px'",
        "<div id=box style='width:100px'>Box</div><script>let first = true; new ResizeObserver(() =>"
        " { if (first) return void (first = false); box.title = 'wide' }).observe(box);"
        "new MutationObserver(() => fetch('slow/400/echo').then(() => end())).observe(box, {attributeFilter: "
        "['title']})</script>",
    ),
    ends(
        "a state of the history",
        "history.pushState({}, '', '#two'); dispatchEvent(new PopStateEvent('popstate'))",
        "<script>onpopstate = () => fetch('slow/600/echo').then(() => end())</script>",
    ),
    ends(
        "the next view of the Navigation API",
        "navigation.navigate('#two')",
        "<script>navigation.addEventListener('navigate', (e) => e.intercept({handler: async () =>"
        " { await fetch('slow/700/echo'); end() }}))</script>",
    ),
    ends(
        "a popup of the page that opens",
        "pop.showPopover()",
        "<div popover id=pop>Help</div><script>pop.ontoggle = () => setTimeout(end, 500)</script>",
    ),
    ends(
        "fonts",
        "document.fonts.add(new FontFace('none', 'url(slow/600/status/404)'));"
        " document.fonts.load('12px none').catch(() => 0).then(() => end())",
    ),
)


def loads(name: str, html: str, pages: dict[str, str] | None = None, **row: Any) -> Behaviour:
    """A page that loads in parts, and is whole when `goto` with a wait returns."""
    return only(
        name=f"a first load: {name}",
        opens=False,
        pages={
            "first": f"<title>App</title><p id=out></p><script>end = () => {{ {END} }}</script>{html}",
            **(pages or {}),
        },
        do=(goto("first", settle=True),),
        **{"told": STABLE, "then": DONE, "limit_ms": 9000, **row},
    )


LOADS = (
    loads("data for an empty shell", "<script>fetch('slow/900/echo').then(() => setTimeout(end, 200))</script>"),
    loads(
        "scripts that load scripts",
        "<script type=module src=a.js></script>",
        {
            "a.js": "const b = await import('./slow/400/b.js'); b.run()",
            "b.js": "export const run = () => fetch('slow/400/echo').then(() => end())",
        },
    ),
    loads(
        "life after the browser is idle",
        "<script>onload = () => requestIdleCallback(() => fetch('slow/300/echo').then(() =>"
        " requestIdleCallback(() => end())))</script>",
    ),
    loads(
        "a wheel until the data are there",
        "<div class=loader role=status>Loading…</div><script>setTimeout(() => fetch('slow/700/echo').then(() =>"
        " { document.querySelector('.loader').remove(); end() }), 500)</script>",
    ),
    loads(
        "a part that comes into view",
        "<div id=far>Comments</div><script>new IntersectionObserver(([e], o) =>"
        " { if (e.isIntersecting) { o.disconnect(); fetch('slow/500/echo').then(() =>"
        " end()) } }).observe(far)</script>",
    ),
    loads(
        "a frame with data of its own",
        "<iframe src=slow/300/inner></iframe>",
        {"inner": "<script>fetch('slow/600/echo').then(() => parent.end())</script>"},
    ),
    loads(
        "a page that sends on and then loads",
        "<script>location.replace('second')</script>",
        {"second": "<p id=out></p><script>fetch('slow/700/echo').then(() => { out.textContent = 'done' })</script>"},
    ),
    loads(
        "a worker that prepares the data",
        "<script>w = new Worker('w.js'); w.onmessage = () => end()</script>",
        {"w.js": "fetch('slow/500/echo').then(() => setTimeout(() => postMessage(1), 300))"},
    ),
)

ROWS = (*MOTION, *BROWSER, *LOADS)
