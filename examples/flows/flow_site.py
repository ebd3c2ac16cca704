"""The pages of the flows, on a server of their own: small, but slow where real ones are."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

CITIES = ("Lisbon", "Lisburn", "Lille", "Lima", "London")
LAMPS = (("Harbour", 59), ("Reading", 25), ("Storm", 89), ("Torch", 12))
DELAY_S = 0.2
"""Seconds that an answer with data takes."""

PAGES = {
    "01_login": """
        <form id=login><input id=user><input id=password type=password><button>Log in</button></form>
        <script>login.onsubmit = async event => {
            event.preventDefault();
            const reply = await fetch(`/api/login?user=${user.value}&password=${password.value}`);
            const {name} = await reply.json();
            document.body.innerHTML = `<h1 id=greeting>Hello, ${name}</h1>`;
        }</script>""",
    "02_validation": """
        <form id=join novalidate><input id=email type=email><button>Join</button></form>
        <script>join.onsubmit = event => {
            event.preventDefault();
            document.querySelectorAll("p").forEach(each => each.remove());
            const ok = email.checkValidity();
            setTimeout(() => document.body.insertAdjacentHTML("beforeend", ok
                ? `<p id=welcome>Welcome, ${email.value}</p>` : "<p id=error>This is not an e-mail address</p>"), 150);
        }</script>""",
    "03_autocomplete": """
        <input id=city><ul id=list></ul>
        <script>let timer; city.oninput = () => {
            clearTimeout(timer);
            timer = setTimeout(async () => {
                const found = await (await fetch(`/api/cities?q=${city.value}`)).json();
                list.innerHTML = found.map(name => `<li>${name}</li>`).join("");
            }, 100);
        };
        list.onclick = event => { city.value = event.target.textContent; list.innerHTML = ""; }</script>""",
    "05_table": """
        <table><thead><tr><th>Lamp<th id=price>Price</thead><tbody id=rows></tbody></table>
        <script>const load = async by => {
            const lamps = await (await fetch(`/api/lamps?by=${by}`)).json();
            rows.innerHTML = lamps.map(([name, price]) => `<tr><td>${name}<td>${price}`).join("");
        };
        price.onclick = async () => { await load("price"); price.setAttribute("aria-sort", "ascending"); };
        load("name")</script>""",
    "06_files": """
        <input id=file type=file><a href=/report.txt download>Report</a>
        <script>file.onchange = async () => {
            const reply = await fetch("/api/upload", {method: "POST", body: file.files[0]});
            const {lines} = await reply.json();
            const text = lines > 0 ? `${file.files.length} file received` : "nothing received";
            document.body.insertAdjacentHTML("beforeend", `<p id=uploaded>${text}</p>`);
        }</script>""",
    "07_dialog": """
        <button onclick="remove_()">Delete</button>
        <script>const remove_ = () => setTimeout(() => {
            const answer = confirm("Really?") ? "deleted" : "kept";
            document.body.insertAdjacentHTML("beforeend", `<p id=status>${answer}</p>`);
        }, 100)</script>""",
    "08_popup": '<a href="/terms" target=_blank>Terms</a>',
    "09_payment": """
        <h1>Check out</h1>
        <script>document.write(
            `<iframe id=payment src="http://localhost:${location.port}/payment" width=400 height=200></iframe>`
        )</script>""",
    "10_drag": """
        <style>div { width: 200px; min-height: 100px; border: 1px solid; margin: 8px }</style>
        <div id=open><p id=card draggable=true>Paint the fence</p></div><div id=done>Done: </div>
        <script>
        card.ondragstart = event => event.dataTransfer.setData("text", "card");
        done.ondragover = event => event.preventDefault();
        done.ondrop = event => { event.preventDefault(); done.append(card.textContent); card.remove(); }
        </script>""",
    "11_scroll": """
        <style>li { height: 120px }</style><ul id=list></ul>
        <script>let busy = false;
        const more = async () => {
            if (busy || list.children.length >= 40) return;
            busy = true;
            const items = await (await fetch(`/api/items?after=${list.children.length}`)).json();
            list.insertAdjacentHTML("beforeend", items.map(each => `<li>${each}</li>`).join(""));
            busy = false;
        };
        onscroll = () => innerHeight + scrollY > document.body.scrollHeight - 300 && more();
        more()</script>""",
    "12_dashboard": """
        <main></main>
        <script>["orders", "visits", "returns"].forEach(async (name, index) => {
            const widget = document.createElement("p");
            widget.className = "widget loading";
            document.querySelector("main").append(widget);
            const {value} = await (await fetch(`/api/figure?name=${name}&wait=${1 + index}`)).json();
            widget.textContent = `${name}: ${value}`;
            widget.className = "widget";
        })</script>""",
    "terms": "<h1>Terms of trade</h1>",
    "payment": """
        <form id=form><input id=card><input id=expiry><button>Pay</button></form>
        <script>form.onsubmit = async event => {
            event.preventDefault();
            await fetch("/api/figure?name=orders");
            const paid = `Paid with ${card.value.slice(-4)}, ${expiry.value}`;
            form.insertAdjacentHTML("beforeend", `<p id=receipt>${paid}</p>`);
        }</script>""",
}

Query = dict[str, str]


def pagination(query: Query) -> str:
    """Return one of three pages of a list."""
    number = int(query.get("page", "1"))
    items = "".join(f"<li>Item {3 * number - left}</li>" for left in (2, 1, 0))
    return f"<ul>{items}</ul>" + (f"<a href='/04_pagination?page={number + 1}'>Next</a>" if number < 3 else "")


ANSWERS = {
    "login": lambda query: {"name": "Ann" if query == {"user": "ann", "password": "lantern"} else "nobody"},
    "cities": lambda query: [city for city in CITIES if city.lower().startswith(query["q"].lower())],
    "lamps": lambda query: sorted(LAMPS, key=lambda lamp: lamp[query["by"] == "price"]),
    "items": lambda query: [f"Item {int(query['after']) + number}" for number in range(1, 11)],
    "figure": lambda query: {"value": {"orders": 31, "visits": 415, "returns": 9}[query["name"]]},
}


class Handler(BaseHTTPRequestHandler):
    """Answers with a page, or with data after a while."""

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(place.query).items()}
        name = place.path.rpartition("/")[2]
        if place.path.startswith("/api/"):
            time.sleep(DELAY_S * int(query.get("wait", "1")))
            self._send("application/json", json.dumps(ANSWERS[name](query)))
        elif name == "report.txt":
            self._send("text/plain", "4 lamps sold")
        elif name == "04_pagination":
            time.sleep(DELAY_S)
            self._send("text/html", pagination(query))
        else:
            self._send("text/html", PAGES.get(name, ""), 200 if name in PAGES else 404)

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        self._send("application/json", json.dumps({"lines": content.count(b"\n")}))

    def _send(self, kind: str, text: str, status: int = 200) -> None:
        content = ("<!doctype html><title>Flow</title><body>" * (kind == "text/html") + text).encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: what a flow prints is its result."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the pages on a free port, and yield the URL that their names follow."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
