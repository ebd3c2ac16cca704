"""A shop for the scripts: a catalogue, an account, forms, frames, a board, a feed, popups and an API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web

GOODS = [
    {"id": number, "name": f"Lamp {number}", "price": 10 + number * 3 % 17, "stock": number % 4}
    for number in range(1, 24)
]
PAGE_SIZE = 8
USERS = {"ann": "lantern"}

LAYOUT = """<!doctype html><html lang=en><head><title>{title}</title>
<meta name=viewport content='width=device-width'><link rel=icon href=data:,><style>
body {{ font: 15px sans-serif; margin: 20px }}
.card {{ border: 1px solid #ccc; padding: 8px; margin: 4px; width: 200px }}
.lane {{ border: 1px solid #888; min-height: 120px; width: 180px; float: left; margin: 6px; padding: 6px }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} }}
@media (max-width: 500px) {{ .wide {{ display: none }} }}
</style></head><body><nav><a href=/>Shop</a> <a href=/account>Account</a> <span id=badge>0</span></nav>
{body}</body></html>"""

DETAIL = """<h1>{name}</h1><img alt='' src=/picture/{id}.png><p class=price>€ {price}</p>
<p>In stock: <b data-testid=stock>{stock}</b></p>
<div role=tablist>
<button role=tab aria-selected=true>Overview</button><button role=tab aria-selected=false>Details</button></div>
<div role=tabpanel>Overview of {name}</div><button id=add {disabled}>Add to cart</button>
<script>
const tabs = [...document.querySelectorAll('[role=tab]')], panel = document.querySelector('[role=tabpanel]')
tabs.forEach(tab => tab.onclick = async () => {{
  tabs.forEach(each => each.setAttribute('aria-selected', each === tab))
  panel.textContent = 'Loading…'
  panel.textContent = (await (await fetch('/api/details/{id}')).json()).text
}})
add.onclick = async () => {{
  const cart = await (await fetch('/api/cart', {{ method: 'POST', body: JSON.stringify({{ id: {id} }}) }})).json()
  badge.textContent = cart.count
}}
</script>"""

LOGIN = """<h1>Log in</h1><form method=post action=/login><label>User <input name=user></label>
<label>Password <input name=password type=password></label><button>Log in</button></form>{error}"""

ACCOUNT = """<h1>Hello, {user}</h1><table><thead><tr><th>Order<th>Total</tr></thead><tbody>
<tr><td>A-1<td>12.50</tr><tr><td>A-2<td>30.00</tr><tr><td>A-3<td>7.25</tr></tbody></table>
<a href=/export download>Export CSV</a> <a href=/logout>Log out</a>"""

FEED = """<h1>Feed</h1><ul id=feed></ul><div id=end style='height: 40px'>…</div><script>
let next = 0
const watch = new IntersectionObserver(async entries => {
  if (!entries.at(-1).isIntersecting) return
  watch.unobserve(end)
  const part = await (await fetch('/api/feed?after=' + next)).json()
  for (const item of part.items) {
    const li = document.createElement('li')
    li.textContent = item
    li.style.height = '120px'
    feed.append(li)
  }
  next = part.next
  if (next === null) end.textContent = 'No more'
  else watch.observe(end)
})
watch.observe(end)
</script>"""

SEARCH = """<h1>Search</h1><label>Search <input id=q role=combobox autocomplete=off></label>
<ul role=listbox hidden></ul><p id=chosen></p><script>
const list = document.querySelector('[role=listbox]')
let timer, at = -1
q.oninput = () => {
  clearTimeout(timer)
  timer = setTimeout(async () => {
    const found = await (await fetch('/api/search?q=' + encodeURIComponent(q.value))).json()
    list.replaceChildren(...found.map(name => {
      const li = document.createElement('li')
      li.setAttribute('role', 'option')
      li.textContent = name
      li.onclick = () => choose(name)
      return li
    }))
    list.hidden = !found.length
    at = -1
  }, 150)
}
function choose(name) { chosen.textContent = 'You chose ' + name; list.hidden = true; q.value = name }
q.onkeydown = event => {
  const options = [...list.children]
  if (event.key === 'ArrowDown') at = Math.min(at + 1, options.length - 1)
  if (event.key === 'ArrowUp') at = Math.max(at - 1, 0)
  options.forEach((each, index) => each.setAttribute('aria-selected', index === at))
  if (event.key === 'Enter' && options[at]) choose(options[at].textContent)
  if (event.key === 'Escape') list.hidden = true
}
</script>"""

WIZARD = """<h1>Register</h1><form novalidate><fieldset id=one><legend>You</legend>
<label>Name <input id=name required></label><label>E-mail <input id=mail type=email required></label>
<button type=button id=next>Next</button></fieldset>
<fieldset id=two hidden><legend>Delivery</legend>
<label>Country <select id=country><option value=''>Choose<option value=de>Germany<option value=fr>France</select>
</label><label><input type=radio name=speed value=slow checked> Standard</label>
<label><input type=radio name=speed value=fast> Express</label>
<label>On <input type=date id=day></label><label>Licence <input type=file id=licence></label>
<label><input type=checkbox id=terms> I accept the terms</label>
<button type=button id=send>Send</button></fieldset></form>
<p role=alert></p><output></output><script>
const say = text => document.querySelector('[role=alert]').textContent = text
next.onclick = () => {
  if (!name_.value || !mail.checkValidity()) return say('Please fill in your name and a valid address')
  say(''); one.hidden = true; two.hidden = false
}
const name_ = document.getElementById('name')
send.onclick = async () => {
  if (!terms.checked) return say('Please accept the terms')
  if (!confirm('Send it?')) return say('Not sent')
  const speed = document.querySelector('[name=speed]:checked').value
  const file = licence.files[0]
  const sent = file ? file.name + ':' + await file.text() : 'none'
  document.querySelector('output').textContent =
    [name_.value, mail.value, country.value, speed, day.value, sent].join(' | ')
}
</script>"""

PAY = """<h1>Pay</h1><pay-card></pay-card><iframe title=Card src={frame}></iframe><p id=paid></p><script>
customElements.define('pay-card', class extends HTMLElement {{
  connectedCallback() {{
    this.attachShadow({{ mode: 'open' }}).innerHTML = '<label>Voucher <input></label><button>Apply</button><em></em>'
    const find = selector => this.shadowRoot.querySelector(selector)
    find('button').onclick = () => find('em').textContent = 'Voucher ' + find('input').value + ' applied'
  }}
}})
addEventListener('message', event => paid.textContent = 'Paid with ' + event.data)
</script>"""

CARD = """<form><input placeholder='Card number'><input placeholder='MM/YY'><button>Pay now</button></form><script>
document.forms[0].onsubmit = event => {
  event.preventDefault()
  setTimeout(() => parent.postMessage('card ' + document.querySelector('input').value.slice(-4), '*'), 120)
}
</script>"""

BOARD = """<h1>Board</h1>{lanes}<script>
let dragged
document.querySelectorAll('.note').forEach(note => note.ondragstart = () => dragged = note)
document.querySelectorAll('.lane').forEach(lane => {{
  lane.ondragover = event => event.preventDefault()
  lane.ondrop = event => {{ event.preventDefault(); lane.append(dragged) }}
}})
const box = document.getElementById('slider')
let from = null
box.onpointerdown = event => {{ from = event.clientX; box.setPointerCapture(event.pointerId) }}
box.onpointermove = event => {{ if (from !== null) box.textContent = Math.round(event.clientX - from) }}
box.onpointerup = () => from = null
</script>"""

REPORT = """<h1>Report</h1><button onclick="window.open('/print', '_blank')">Print view</button>
<a target=_blank href=/p/3>Lamp 3</a><button id=fail>Fail</button><script>
console.log('report ready', {{ rows: 3 }})
fail.onclick = () => {{ console.warn('about to fail'); throw new Error('report broke') }}
</script>""".replace("{{", "{").replace("}}", "}")

CHAT = """<h1>Chat</h1><input placeholder=Message><ul id=log></ul><script>
const socket = new WebSocket('ws://' + location.host + '/ws')
const box = document.querySelector('input')
const note = text => { const li = document.createElement('li'); li.textContent = text; log.append(li) }
socket.onopen = () => note('connected')
socket.onmessage = event => note(event.data)
box.onkeydown = event => { if (event.key === 'Enter') { socket.send(box.value); box.value = '' } }
</script>"""

ABOUT = """<h1>About</h1><p id=zone></p><p id=language></p><p id=place></p><p class=wide>Wide only</p>
<button>Where am I?</button><script>
zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone
language.textContent = navigator.language + ' ' + (1234.5).toLocaleString()
document.querySelector('button').onclick = () => navigator.geolocation.getCurrentPosition(
  at => place.textContent = at.coords.latitude.toFixed(2) + ', ' + at.coords.longitude.toFixed(2),
  error => place.textContent = error.message)
</script>"""


class Shop:
    """The server; each client has a cart and a login of its own, by cookies."""

    def routes(self) -> list[web.RouteDef]:
        """Return what the server answers."""
        return [
            web.get("/", self.catalogue),
            web.get("/p/{id}", self.product),
            web.get("/login", self.login),
            web.post("/login", self.log_in),
            web.get("/logout", self.log_out),
            web.get("/account", self.account),
            web.get("/export", self.export),
            web.get("/api/details/{id}", self.details),
            web.post("/api/cart", self.cart),
            web.get("/api/feed", self.more),
            web.get("/api/search", self.found),
            web.get("/api/me", self.me),
            web.get("/board", self.board),
            web.get("/pay", self.pay),
            web.get("/ws", self.socket),
            *(web.get(f"/{name}", plain(name, body)) for name, body in PLAIN.items()),
        ]

    async def catalogue(self, request: web.Request) -> web.Response:
        """Show a page of the goods."""
        number = int(request.query.get("page", "1"))
        shown = GOODS[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        cards = "".join(
            f"<article class=card><h2><a href=/p/{each['id']}>{each['name']}</a></h2>"
            f"<span class=price>€ {each['price']}</span>"
            f"{'' if each['stock'] else '<em>Sold out</em>'}<img alt='' src=/picture/{each['id']}.png></article>"
            for each in shown
        )
        following = f"<a rel=next href=/?page={number + 1}>Next page</a>" if number * PAGE_SIZE < len(GOODS) else ""
        return shown_as("Shop", f"<h1>Goods</h1>{cards}{following}")

    async def product(self, request: web.Request) -> web.Response:
        """Show one of the goods."""
        item = one_of(request)
        return shown_as(str(item["name"]), DETAIL.format(**item, disabled="" if item["stock"] else "disabled"))

    async def details(self, request: web.Request) -> web.Response:
        """Return the text of a tab, a moment later."""
        await asyncio.sleep(0.05)
        return web.json_response({"text": f"Details of {one_of(request)['name']}"})

    async def login(self, _: web.Request) -> web.Response:
        """Show the form."""
        return shown_as("Log in", LOGIN.format(error=""))

    async def log_in(self, request: web.Request) -> web.StreamResponse:
        """Take the form."""
        form = await request.post()
        if USERS.get(str(form["user"])) != form["password"]:
            return shown_as("Log in", LOGIN.format(error="<p role=alert>Wrong user or password</p>"))
        answer = web.HTTPSeeOther("/account")
        answer.set_cookie("user", str(form["user"]), httponly=True)
        raise answer

    async def log_out(self, _: web.Request) -> web.Response:
        """Forget the user."""
        answer = web.HTTPSeeOther("/login")
        answer.del_cookie("user")
        raise answer

    async def account(self, request: web.Request) -> web.Response:
        """Show the orders of a user."""
        if "user" not in request.cookies:
            raise web.HTTPSeeOther("/login")
        return shown_as("Account", ACCOUNT.format(user=request.cookies["user"].title()))

    async def me(self, request: web.Request) -> web.Response:
        """Tell who asks."""
        user = request.cookies.get("user")
        return web.json_response({"user": user}, status=200 if user else 401)

    async def export(self, _: web.Request) -> web.Response:
        """Return the orders as a file."""
        headers = {"Content-Disposition": 'attachment; filename="orders.csv"'}
        return web.Response(
            text="order,total\nA-1,12.50\nA-2,30.00\nA-3,7.25\n", content_type="text/csv", headers=headers
        )

    async def cart(self, request: web.Request) -> web.Response:
        """Put something into the cart."""
        count = int(request.cookies.get("cart", "0")) + 1
        answer = web.json_response({"count": count, "id": (await request.json())["id"]})
        answer.set_cookie("cart", str(count))
        return answer

    async def more(self, request: web.Request) -> web.Response:
        """Return the next part of the feed."""
        after = int(request.query["after"])
        await asyncio.sleep(0.03)
        items = [f"Post {number}" for number in range(after + 1, min(after + 10, 35) + 1)]
        return web.json_response({"items": items, "next": after + 10 if after + 10 < 35 else None})

    async def found(self, request: web.Request) -> web.Response:
        """Return the names that begin with a text."""
        text = request.query["q"].lower()
        return web.json_response(
            [each["name"] for each in GOODS if text and str(each["name"]).lower().startswith(text)][:5]
        )

    async def board(self, _: web.Request) -> web.Response:
        """Show notes in lanes, and a slider."""
        lanes = "".join(
            f"<section class=lane aria-label={lane}>{notes}</section>"
            for lane, notes in (
                ("Todo", "".join(f"<div class=note draggable=true>Note {number}</div>" for number in (1, 2, 3))),
                ("Doing", ""),
                ("Done", ""),
            )
        )
        slider = "<div id=slider style='clear: both; width: 300px; height: 30px; background: #ddd'>0</div>"
        return shown_as("Board", BOARD.format(lanes=lanes + slider))

    async def pay(self, request: web.Request) -> web.Response:
        """Show a form in a frame of another site."""
        return shown_as("Pay", PAY.format(frame=f"http://localhost:{request.url.port}/card"))

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        """Answer each message in capitals."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await socket.send_str(message.data.upper())
        return socket


PLAIN = {
    "feed": FEED,
    "search": SEARCH,
    "wizard": WIZARD,
    "card": CARD,
    "report": REPORT,
    "print": "<h1>Print view</h1><p>Three rows</p>",
    "chat": CHAT,
    "about": ABOUT,
}
"""Pages without parameters, by their paths."""


def plain(name: str, body: str) -> Any:
    """Return a handler that shows a body."""

    async def answer(_: web.Request) -> web.Response:
        return shown_as(name.title(), body)

    return answer


def one_of(request: web.Request) -> dict[str, Any]:
    """Return the product that a path names; raises HTTPNotFound."""
    number = int(request.match_info["id"])
    if not 1 <= number <= len(GOODS):
        raise web.HTTPNotFound
    return GOODS[number - 1]


def shown_as(title: str, body: str) -> web.Response:
    """Return a page."""
    return web.Response(text=LAYOUT.format(title=title, body=body), content_type="text/html")


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Run the shop on a free port; gives its URL."""
    app = web.Application()
    app.add_routes(Shop().routes())
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
