"""What is heard of a page: its console, its errors, its requests; and requests that a route decides."""

from __future__ import annotations

from typing import Any

from bench.behaviours.calls import evaluate, listen, pause, route
from bench.behaviours.case import Behaviour, only
from bench.behaviours.loading import goto
from bench.doing import click


def logged(name: str, script: str, *heard: str, **row: Any) -> Behaviour:
    """A row in which a script runs and the console says exactly this."""
    return Behaviour(
        name=f"the console: {name}",
        do=(listen("console"), evaluate(f"void ({script})"), pause(150)),
        gives={"heard": list(heard), "value": None},
        **row,
    )


WORKER = "new Worker(URL.createObjectURL(new Blob([{}])))"

CONSOLE = (
    logged(
        "an object and a list", "console.log('cart', {tea: 2, hot: true}, [1, 'a'])", "cart {tea: 2, hot: true} [1, a]"
    ),
    logged("nothing and no number", "console.log(null, undefined, NaN, true)", "null undefined NaN true"),
    logged(
        "texts and objects in turn", "[console.log('a'), console.log({b: 1}), console.warn('c')]", "a", "{b: 1}", "c"
    ),
    logged("directives stay", "console.log('%s has %d', 'Ann', 5)", "%s has %d Ann 5"),
    logged("a list of nothing", "console.log([], {})", "[] {}"),
    logged("an assertion that fails", "console.assert(1 > 2, 'too small')", "too small"),
    logged("a long text", "console.log('x'.repeat(20000))", "x" * 20000),
    logged("several lines", "console.info('a\\n  b')", "a\n  b"),
    logged("a worker, once", WORKER.format("`console.log('from the worker')`"), "from the worker"),
    logged("a symbol and a big number", "console.log(Symbol('s'), 10n)", "Symbol(s) 10n"),
    Behaviour(
        name="the console: a frame",
        html="<iframe srcdoc=\"<button onclick=&quot;console.log('inside', {a: 1})&quot;>Go</button>\"></iframe>",
        do=(listen("console"), click("frame=iframe >> text=Go"), pause(150)),
        gives={"heard": ["inside {a: 1}"]},
    ),
    Behaviour(
        name="the console: while the page loads",
        opens=False,
        pages={"first": "<script>console.log('head', {a: 1})</script><p>A<script>console.log('body')</script>"},
        do=(listen("console"), goto("first"), pause(150)),
        gives={"heard": ["head {a: 1}", "body"]},
    ),
    only(
        name="the console: nothing of our own",
        html="<iframe sandbox srcdoc='<p>Ad'></iframe><button onclick='log.push(1)'>Go</button>",
        do=(listen("console"), click("text=Go"), pause(150)),
        gives={"heard": []},
        told={"console": 0},
    ),
    only(
        name="an error in a timer",
        do=(listen("pageerror"), evaluate("void setTimeout(() => { missing.name })"), pause(150)),
        gives={"heard": ["ReferenceError: missing is not defined"], "value": None},
    ),
    only(
        name="a promise that nobody handles",
        do=(listen("pageerror"), evaluate("void Promise.reject(new RangeError('too far'))"), pause(150)),
        gives={"heard": ["RangeError: too far"], "value": None},
    ),
)


def asked(name: str, script: str, *heard: str, event: str = "request", **row: Any) -> Behaviour:
    """A row in which a script runs and exactly these requests are heard."""
    return Behaviour(
        name=f"requests: {name}",
        do=(listen(event), evaluate(f"(async () => {{ {script} }})()"), pause(150)),
        gives={"heard": list(heard), "value": None},
        **{"html": "<p>A", **row},
    )


SERVICE = (
    "self.onactivate = e => e.waitUntil(clients.claim());"
    "self.onfetch = e => { if (e.request.url.endsWith('echo')) e.respondWith(fetch(e.request)) }"
)

REQUESTS = (
    asked("a body of text", "await fetch('echo', {method: 'POST', body: 'a=1'})", "POST echo a=1"),
    asked("a body of a Blob", "await fetch('echo', {method: 'PUT', body: new Blob(['tea'])})", "PUT echo tea"),
    asked("a beacon", "navigator.sendBeacon('echo', 'seen')", "POST echo seen"),
    asked("an old request", "const x = new XMLHttpRequest(); x.open('POST', 'echo'); x.send('old')", "POST echo old"),
    asked("a fragment is not sent", "await fetch('echo?a=1#part')", "GET echo?a=1"),
    asked("data are asked of nobody", "await fetch('data:text/plain,x'); await fetch('echo')", "GET echo"),
    asked("a redirect", "await fetch('to/echo')", "GET to/echo", "GET echo"),
    asked("no content", "await fetch('status/204')", "GET status/204", event="requestfinished"),
    asked("an answer of a server that fails", "await fetch('status/503')", "503 status/503", event="response"),
    asked(
        "what the page calls off",
        "const stop = new AbortController(); setTimeout(() => stop.abort(), 100);"
        "await fetch('hang', {signal: stop.signal}).catch(() => 0)",
        "GET hang",
        event="requestfailed",
    ),
    asked(
        "what a worker asks for",
        "await new Promise(done => { const w = new Worker('w.js'); w.onmessage = done })",
        "GET w.js",
        "GET echo",
        pages={"w.js": "fetch('echo').then(() => postMessage(1))"},
    ),
    Behaviour(
        name="requests: what a service worker answers, once",
        pages={"sw.js": SERVICE},
        html="<script>ready = navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready)"
        ".then(() => navigator.serviceWorker.controller || new Promise(done => "
        "navigator.serviceWorker.oncontrollerchange = done))</script>",
        do=(
            evaluate("ready.then(() => 1)"),
            listen("request"),
            evaluate("fetch('echo').then(r => r.json()).then(r => r.method)"),
            pause(150),
        ),
        gives={"heard": ["GET echo"], "value": "GET"},
    ),
    Behaviour(
        name="requests: a form that is sent to a frame",
        html="<iframe name=in></iframe><form method=post action=echo target=in><input name=who value=Ann>"
        "<button>Send</button></form>",
        do=(listen("request"), click("text=Send"), pause(150)),
        gives={"heard": ["POST echo who=Ann"]},
    ),
)


SHOP = "<title>Shop</title><p>Fulfilled"
HTML = {"body": SHOP, "content_type": "text/html"}


def globbed(name: str, pattern: str, url: str) -> Behaviour:
    """A row in which a pattern must match a URL of a server that is not there."""
    return Behaviour(
        name=f"a route: {name}",
        opens=False,
        do=(route(pattern, **HTML), goto(url)),
        then={"document.title": "Shop"},
    )


def unrouted(name: str, pattern: str, path: str) -> Behaviour:
    """A row in which a pattern must not match a path."""
    return Behaviour(
        name=f"no route: {name}",
        do=(route(pattern, body="routed"), evaluate(f"fetch('{path}').then(r => r.json()).then(r => r.method)")),
        gives={"value": "GET", "routed": []},
    )


def routed(name: str, script: str, value: Any, *rules: Any, **row: Any) -> Behaviour:
    """A row in which rules decide what a script asks for."""
    return Behaviour(name=f"routes: {name}", html="<p>A", do=(*rules, evaluate(script)), gives={"value": value}, **row)


TEXT_OF = "fetch('{}').then(r => r.text())"

ROUTES = (
    globbed("a host without a path", "http://shop.test", "http://shop.test"),
    globbed("a host with a query", "http://shop.test?a=b", "http://shop.test?a=b"),
    globbed("capitals", "HTTP://Shop.Test/List", "http://shop.test/List"),
    globbed("the port that goes without saying", "http://shop.test:80/list", "http://shop.test/list"),
    globbed("a space", "http://shop.test/new list", "http://shop.test/new list"),
    globbed("letters beyond ASCII in a host", "http://bücher.test/", "http://bücher.test/"),
    globbed("letters beyond ASCII in a path", "http://shop.test/tür", "http://shop.test/tür"),
    globbed("a star for a part of a host", "http://*.shop.test/**", "http://de.shop.test/a/b"),
    globbed("alternatives", "http://shop.test/*.{html,htm}", "http://shop.test/list.htm"),
    unrouted("a star stops at a slash", "**/slow/*", "slow/0/echo"),
    unrouted("another query", "**/echo?page=1", "echo?page=2"),
    routed(
        "the last one decides",
        TEXT_OF.format("price"),
        "two",
        route("**/price", body="one"),
        route("**/price", body="two", to="last"),
    ),
    routed(
        "one that leaves it to the one before",
        TEXT_OF.format("price"),
        "one",
        route("**/price", body="one"),
        route("**/price", "fallback", to="last"),
    ),
    routed("a refusal", "fetch('price').catch(e => e.name)", "TypeError", route("**/price", "abort")),
    routed("a status without a name", "fetch('price').then(r => r.status)", 430, route("**/price", status=430)),
    routed("JSON", "fetch('price').then(r => r.json())", {"tea": [1, 2]}, route("**/price", json={"tea": [1, 2]})),
    routed(
        "several cookies",
        "fetch('price').then(() => document.cookie)",
        "a=1; b=2",
        route("**/price", body="x", headers={"set-cookie": "a=1\nb=2"}),
    ),
    routed(
        "another method and body",
        "fetch('echo').then(r => r.json()).then(r => [r.method, r.body])",
        ["POST", "mine"],
        route("**/echo", "continue_", method="POST", post_data="mine"),
    ),
    routed(
        "a header, also after a redirect",
        "fetch('to/echo').then(r => r.json()).then(r => r.headers['x-token'])",
        "seven",
        route("**/to/echo", "continue_", headers={"x-token": "seven"}),
    ),
    routed(
        "a style sheet",
        "new Promise(done => { const l = document.createElement('link'); l.rel = 'stylesheet';"
        "l.href = 'theme.css'; l.onload = () => done(getComputedStyle(document.body).color);"
        " document.head.append(l) })",
        "rgb(1, 2, 3)",
        route("**/theme.css", body="body{color:rgb(1,2,3)}", content_type="text/css"),
    ),
    routed(
        "a picture that is refused",
        "new Promise(done => { const i = new Image(); i.onload = () => done('loaded');"
        "i.onerror = () => done('failed'); i.src = 'logo.png' })",
        "failed",
        route("**/*.png", "abort"),
    ),
    routed(
        "a redirect to a page of the server",
        "fetch('price').then(r => r.json()).then(r => r.method)",
        "GET",
        route("**/price", status=302, headers={"location": "echo"}),
    ),
    Behaviour(
        name="routes: what is posted is seen",
        html="<p>A",
        do=(route("**/echo", "continue_"), evaluate("fetch('echo', {method: 'POST', body: 'a=1'}).then(r => r.ok)")),
        gives={"value": True, "routed": ["POST echo a=1"]},
    ),
    Behaviour(
        name="routes: the document of a frame",
        html="<iframe src=inner id=f></iframe>",
        opens=False,
        do=(route("**/inner", **HTML), goto("")),
        gives={"routed": ["GET inner"]},
        then={"f.contentDocument.title": "Shop"},
    ),
    Behaviour(
        name="routes: a module and its import",
        opens=False,
        pages={"first": "<p id=p></p><script type=module src=a.js></script>"},
        do=(
            route("**/a.js", body="import {b} from './b.js'; p.textContent = b", content_type="text/javascript"),
            route("**/b.js", body="export const b = 'both'", content_type="text/javascript", to="second"),
            goto("first"),
        ),
        gives={"routed": ["GET a.js"], "second": ["GET b.js"]},
        then={"p.textContent": "both"},
    ),
)

ROWS = (*CONSOLE, *REQUESTS, *ROUTES)
