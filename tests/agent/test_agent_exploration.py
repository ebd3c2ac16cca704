"""Exploration: what it refuses, what it stops, what it shows, and that the page is as before."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe.agent.budget import Budget
from stillframe.agent.exploration import Exploration, ExploreAction, Explorer
from stillframe.agent.exploration_targets import forbidden_word
from stillframe.agent.limits import Limits
from stillframe.api.browser import Browser, Page
from stillframe.errors import ElementNotFound, ToolFailed
from stillframe.tab.network.routing import Route


def explorer(page: Page, limits: Limits | None = None) -> Explorer:
    limits = limits or Limits(hover_wait=50)
    return Explorer(page, limits, Budget(limits, 0.0))


async def explored(page: Page, action: ExploreAction, selector: str, limits: Limits | None = None) -> Exploration:
    return await explorer(page, limits).explore(action, selector)


MENU = """
<button id=menu aria-haspopup=menu aria-expanded=false onclick="toggle()">Products</button>
<div id=items role=menu hidden><div role=menuitem>Lamps</div><div role=menuitem>Chairs</div></div>
<script>function toggle() { items.hidden = !items.hidden; menu.setAttribute('aria-expanded', !items.hidden) }</script>
"""


async def test_a_menu_is_shown_and_closed_again(page: Page, site: Site) -> None:
    await page.goto(site.html("/menu", MENU))
    found = await explored(page, "click_menu", "#menu")
    assert "Lamps" in found.text
    assert found.undone == ("clicked again",)
    assert found.restored
    assert not await page.locator("#items").is_visible()
    assert found.target == 'button "Products"'


@pytest.mark.slow  # T11 has this
async def test_a_modal_is_noted_and_closed(page: Page, site: Site) -> None:
    """T11: an exploration that opens a modal says so and closes it."""
    body = "<button onclick=d.showModal()>Help</button><dialog id=d aria-label='Sizes'>Small is 20 cm</dialog>"
    await page.goto(site.html("/modal", body))
    found = await explored(page, "click_info", "role=button")
    assert found.dialogs == ('"Sizes"',)
    assert "Small is 20 cm" in found.text
    assert found.undone == ("pressed Escape",)
    assert found.restored


async def test_what_cannot_be_undone_is_reported(page: Page, site: Site) -> None:
    await page.goto(site.html("/count", "<button onclick='n.textContent++'>More</button><p id=n>1</p>"))
    found = await explored(page, "click_info", "button")
    assert not found.restored
    assert any('"1" → "2"' in line for line in found.remaining)
    assert "NOT as it was before" in found.text


async def test_escape_does_not_close_a_dialog_that_was_open_before(page: Page, site: Site) -> None:
    body = "<dialog id=d><label><input type=checkbox>Gift</label><p id=n>1</p></dialog><script>d.showModal()</script>"
    await page.goto(site.html("/open", body))
    found = await explored(page, "click_info", "input")
    assert found.undone == ("clicked again",)
    assert found.restored
    assert await page.locator("#d").is_visible()


async def test_hover_waits_for_what_opens_late_and_leaves(page: Page, site: Site) -> None:
    body = """<style>#tip { display: none } span:hover + #tip.on { display: block }</style>
    <span onmouseenter="setTimeout(() => tip.className = 'on', 30)" onmouseleave="tip.className = ''">Price</span>
    <div id=tip>with tax</div>"""
    await page.goto(site.html("/hover", body))
    found = await explored(page, "hover", "span", Limits(hover_wait=100))
    assert "with tax" in found.text
    assert found.restored, found.remaining
    assert not await page.locator("#tip").is_visible()


@pytest.mark.slow  # T30 has how long the mouse rests, and the test above what opens late
async def test_hover_wait_decides_what_is_seen(page: Page, site: Site) -> None:
    body = """<span onmouseenter="setTimeout(() => tip.hidden = false, 2600)">Price</span>
    <div id=tip hidden>with tax</div>"""
    await page.goto(site.html("/slow", body))
    assert "with tax" not in (await explored(page, "hover", "span", Limits(hover_wait=0))).text
    await page.reload()
    assert "with tax" in (await explored(page, "hover", "span", Limits(hover_wait=1_000))).text


async def test_focus_is_undone(page: Page, site: Site) -> None:
    await page.goto(site.html("/focus", "<input id=a aria-label=City onfocus=p.hidden=false onblur=p.hidden=true>"
                              "<p id=p hidden>Two words at most</p>"))  # fmt: skip
    found = await explored(page, "focus", "#a")
    assert "Two words at most" in found.text
    assert found.restored


PUSH, REPLACE, HASH = (
    "history.pushState(null, '', '/elsewhere')",
    "history.replaceState(null, '', '/elsewhere')",
    "location.hash = 'elsewhere'",
)


@pytest.mark.every_row
@pytest.mark.parametrize("script", sampled([PUSH, REPLACE, HASH], keep=[REPLACE]))  # T10 pushes
async def test_a_changed_url_is_restored(page: Page, site: Site, script: str) -> None:
    """T10: an exploration that changes the URL goes back, and says so."""
    url = site.html("/here", f'<button onclick="{script}">Details</button>')
    await page.goto(url)
    found = await explored(page, "click_info", "button")
    assert found.navigated is not None
    assert "elsewhere" in found.navigated
    assert page.url == url
    assert found.restored, found.remaining
    assert len(found.undone) == 1


async def test_a_navigation_is_stopped(page: Page, site: Site) -> None:
    """T10: the page never leaves, and the request never reaches the server."""
    url = site.html("/start", "<button onclick=\"location.href = '/away'\">Details</button>")
    await page.goto(url)
    found = await explored(page, "click_info", "button")
    assert page.url == url
    assert found.restored
    assert len(found.blocked) == 1
    assert "/away" in found.blocked[0]
    assert "/away" not in site.requests


async def test_a_navigation_without_a_request_is_undone(page: Page, site: Site) -> None:
    """T10: a document that needs no request is left by going back."""
    url = site.html("/start", "<button onclick=\"location.href = 'about:blank'\">Details</button><p>here</p>")
    await page.goto(url)
    found = await explored(page, "click_info", "button")
    assert found.navigated == "about:blank"
    assert page.url == url
    assert await page.locator("p").text() == "here"
    assert found.restored, found.remaining


async def test_requests_that_change_something_are_stopped(page: Page, site: Site) -> None:
    seen: list[str] = []

    async def api(request: web.Request) -> web.Response:
        seen.append(f"{request.method} {request.query_string}")
        return web.Response(text="ok")

    site.route("/api", api)
    script = """
    fetch('/api?get').catch(() => 0); fetch('/api?post', {method: 'POST', body: '1'}).catch(() => 0)
    fetch('/api?delete', {method: 'DELETE'}).catch(() => 0); navigator.sendBeacon('/api?beacon', 'x')
    fetch('/api?kept', {method: 'POST', keepalive: true}).catch(() => 0)
    f.submit()"""
    body = f"""<form id=f method=post action="/api?form" target=i></form><iframe name=i></iframe>
    <button type=button onclick="{script}">Details</button>"""
    await page.goto(site.html("/calls", body))
    found = await explored(page, "click_info", "button")
    assert seen == ["GET get"]
    assert len(found.blocked) == 5, found.blocked
    await page.evaluate("fetch('/api?later', {method: 'POST'}).then(() => 0)")
    assert seen[-1] == "POST later"


async def test_new_tabs_send_nothing_and_are_closed(page: Page, site: Site) -> None:
    body = """<form id=f method=post action="/api?form" target=_blank></form>
    <button type=button onclick="f.submit()">Details</button>"""
    await page.goto(site.html("/tabs", body))
    found = await explored(page, "click_info", "button")
    assert "/api?form" not in site.requests
    assert "closed: the new tab" in found.text
    assert found.blocked
    assert len(page.context.pages) == 1


async def test_dialogs_are_dismissed_and_reported(site: Site, browser: Browser) -> None:
    async with await browser.new_context(dialogs="accept") as context, await context.new_page() as page:
        body = "<button onclick=\"n.textContent = confirm('Really?')\">Details</button><p id=n></p>"
        await page.goto(site.html("/confirm", body))
        found = await explored(page, "click_info", "button")
        assert any("Really?" in line and "dismissed" in line for line in found.facts)
        assert any("false" in line for line in found.change)
        again = await page.locator("button").click()
        assert again.dialogs[0].accepted


async def test_routes_of_the_caller_stay(page: Page, site: Site) -> None:
    async def answer(route: Route) -> None:
        await route.fulfill(body="mine")

    await page.route("**/data", answer)
    body = (
        "<button onclick=\"fetch('/data').then(r => r.text()).then(t => n.textContent = t)\">Info</button><p id=n></p>"
    )
    await page.goto(site.html("/routes", body))
    found = await explored(page, "click_info", "button")
    assert "mine" in found.text
    assert await page.evaluate("fetch('/data').then(r => r.text())") == "mine"
    await page.unroute("**/data", answer)


FORBIDDEN = {
    "a name": ("<button id=t>Delete my account</button>", "delete"),
    "a name in any case": ("<div id=t role=button>LOG  OUT</div>", "log out"),
    "a label": ("<button id=t aria-label='Buy now'>+</button>", "buy"),
    "a visible text with another label": ("<button id=t aria-label=x>Purchase</button>", "purchase"),
    "type=submit": ("<form><input id=t type=submit value=Go></form>", "submits a form"),
    "type=image": ("<form><input id=t type=image alt=Go></form>", "submits a form"),
    "a button without a form": ("<button id=t type=submit>Go</button>", "submits a form"),
    "a default button": ("<form><button id=t>Go</button></form>", "submits a form"),
    "a button of a form elsewhere": ("<form id=f></form><button id=t form=f>Go</button>", "submits a form"),
    "formaction": ("<button id=t type=button formaction=/x>Go</button>", "submits a form"),
    "a file": ("<input id=t type=file>", "uploads a file"),
    "a label of a file": ("<label id=t>Choose<input type=file hidden></label>", "uploads a file"),
    "a link": ("<a id=t href=/other>Other</a>", "link to another document"),
    "a link to itself": ("<a id=t href=''>Again</a>", "link to another document"),
    "a link to a tab": ("<a id=t href='#x' target=_blank>Again</a>", "link to another document"),
    "a download": ("<a id=t href='#x' download>Again</a>", "link to a download"),
    "an area": ("<map name=m><area id=t href=/other alt=Other coords=0,0,50,50></map>"
                "<img usemap=#m src=data:, width=50 height=50>",
                "link to another document"),
    "in a link": ("<a href=/other><span id=t>Other</span></a>", "it is part of link"),
    "in a button": ("<form><button><b id=t>Go</b></button></form>", "submits a form"),
    "around a link": ("<div id=t><p><a href=/other>Other</a></p></div>", "it holds link"),
    "in a shadow root": ("<a href=/other><x-a id=h></x-a></a><script>h.attachShadow({mode: 'open'})"
                         ".innerHTML = '<i id=t>Other</i>'</script>", "it is part of link"),
    "a link by role": ("<span id=t role=link tabindex=0>Other</span>", "nobody knows where it leads"),
    "a form that hides its properties": (
        "<form id=f><input name=parentNode><input name=matches><button id=t>Go</button></form>", "submits a form"),
    "many controls": ("<div id=t>" + "<button>Info</button>" * 30 + "</div>", "more than 12 controls"),
    "a frame": ("<iframe id=t srcdoc='<a href=/x>x</a>'></iframe>", "is a frame"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORBIDDEN)
async def test_a_forbidden_target_is_refused_before_it_is_touched(page: Page, site: Site, case: str) -> None:
    """T12: by name, by type, by link; the page sees no event."""
    body, reason = FORBIDDEN[case]
    watch = """<script>seen = []; for (const type of ['pointerdown', 'mousemove', 'click', 'focusin'])
    addEventListener(type, (event) => seen.push(event.type), true)</script>"""
    await page.goto(site.html("/target", watch + body))
    with pytest.raises(ToolFailed, match=reason) as refused:
        await explored(page, "click_info", "#t")
    assert refused.value.tool == "explore_element"
    assert await page.evaluate("seen") == []


HARMLESS = (
    "<a id={} href='#part'>Part</a>",
    "<button id={}>Reorder the rows</button>",
    "<button id={}>Display options</button>",
    "<form><button id={} type=button>More</button></form>",
)


async def test_a_harmless_target_is_explored(page: Page, site: Site) -> None:
    await page.goto(site.html("/target", "".join(body.format(f"t{n}") for n, body in enumerate(HARMLESS))))
    found = [(await explored(page, "click_info", f"#t{n}")).restored for n in range(len(HARMLESS))]
    assert dict(zip(HARMLESS, found, strict=True)) == dict.fromkeys(HARMLESS, True)


async def test_forbidden_targets_are_a_limit(page: Page, site: Site) -> None:
    await page.goto(site.html("/words", "<button>Delete</button><p role=button>Zap</p>"))
    limits = Limits(forbidden_targets=("zap",))
    assert (await explored(page, "click_info", "button >> nth=0", limits)).restored
    with pytest.raises(ToolFailed, match="zap"):
        await explored(page, "click_info", "p", limits)


@pytest.mark.every_row
@pytest.mark.parametrize(
    "key",
    sampled(
        ["max_explorations_per_iteration", "max_explorations_per_step", "max_exploration_steps"],
        keep=["max_exploration_steps"],  # T9 and T30 have the others
    ),
)
async def test_explorations_are_counted(page: Page, site: Site, key: str) -> None:
    """T9: the exploration after the last allowed one is refused, with the limit."""
    await page.goto(site.html("/count", "<button>Info</button>"))
    explore = explorer(page, Limits(**{key: 1}))
    await explore.explore("focus", "button")
    with pytest.raises(ToolFailed, match=key):
        await explore.explore("focus", "button")


async def test_a_missing_target_fails_in_its_time(page: Page, site: Site) -> None:
    await page.goto(site.html("/none", "<p>nothing</p>"))
    with pytest.raises(ElementNotFound, match=r"within 0\.1 s"):
        await explored(page, "hover", "#none", Limits(exploration_timeout=100))


def test_words_are_whole_words() -> None:
    assert forbidden_word("Undelete", ["delete"]) is None
    assert forbidden_word("Payment", ["pay"]) is None
    assert forbidden_word("PAY!", ["pay"]) == "pay"
    assert forbidden_word("log-out", ["log out"]) == "log out"
    assert forbidden_word("a+b", ["a+b", ""]) == "a+b"
    assert forbidden_word("anything", []) is None


async def test_a_cancelled_exploration_leaves_no_rules(site: Site, browser: Browser) -> None:
    async with await browser.new_context(dialogs="accept") as context, await context.new_page() as page:
        await page.goto(site.html("/cancel", "<button onmouseenter='fetch(`/gate/hovered`)'>Info</button>"))
        async with page.expect_request("**/gate/hovered") as hovered:
            task = asyncio.create_task(explored(page, "hover", "button", Limits(hover_wait=60_000)))
            await hovered
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await page.evaluate("fetch('/later', {method: 'POST'}).then(() => 0)")
        assert "/later" in site.requests
        await page.evaluate("document.body.onclick = () => confirm('x')")
        assert (await page.locator("body").click()).dialogs[0].accepted


async def test_a_page_cannot_hide_a_link(page: Page, site: Site) -> None:
    body = """<a href=/other><span id=t>Other</span></a><script>
    Element.prototype.matches = Element.prototype.hasAttribute = () => false
    Object.defineProperty(Node.prototype, 'parentNode', {get: () => null})
    URL = function () { return {href: location.href + '#'} }</script>"""
    await page.goto(site.html("/hide", body))
    with pytest.raises(ToolFailed, match="link to another document"):
        await explored(page, "click_info", "#t")


async def test_a_target_that_turns_into_a_submit_button_sends_nothing(page: Page, site: Site) -> None:
    body = """<form method=post action=/api id=f>
    <button id=t type=button onmousemove="this.type = 'submit'">Info</button></form>"""
    url = site.html("/turn", body)
    await page.goto(url)
    found = await explored(page, "click_info", "#t")
    assert page.url == url
    assert "/api" not in site.requests
    assert found.blocked


async def test_a_target_in_a_frame_of_another_site(page: Page, site: Site) -> None:
    site.html("/inner", "<button onclick='n.textContent = 2'>Info</button><a href=/x>Other</a><p id=n>1</p>")
    await page.goto(site.html("/outer", f"<iframe name=i src={site.url('/inner', host='localhost')}></iframe>"))
    found = await explored(page, "click_info", "frame=iframe >> button")
    assert '"1" → "2"' in found.text
    with pytest.raises(ToolFailed, match="link to another document"):
        await explored(page, "click_info", "frame=iframe >> a")


async def test_other_pages_of_the_context_go_on(page: Page, site: Site) -> None:
    body = "<button onclick='fetch(`/gate/open`)'>Info</button>"
    await page.goto(site.html("/mine", body))
    async with await page.context.new_page() as other:
        await other.goto(site.html("/other", "<p>other</p>"))
        async with page.expect_request("**/gate/open") as asked:
            task = asyncio.create_task(explored(page, "click_info", "button"))
            await asked
        assert await other.evaluate("fetch('/other', {method: 'POST'}).then((r) => r.status)") == 200
        await other.goto(site.url("/other"))
        site.open("open")
        assert (await task).restored


async def test_a_service_worker_sends_nothing(page: Page, site: Site) -> None:
    async def worker(_: web.Request) -> web.Response:
        text = """oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim())
        onfetch = (event) => event.respondWith(fetch(event.request))"""
        return web.Response(text=text, content_type="text/javascript")

    site.route("/worker.js", worker)
    body = "<button onclick=\"fetch('/api?1', {method: 'POST'}).catch(() => n.textContent = 2)\">Info</button>"
    body += "<p id=n>1</p>"
    await page.goto(site.html("/served", body))
    claimed = "new Promise((then) => { navigator.serviceWorker.oncontrollerchange = () => then(1) })"
    await page.evaluate(f"(navigator.serviceWorker.register('/worker.js'), {claimed})")
    found = await explored(page, "click_info", "button")
    assert found.blocked
    assert "/api?1" not in site.requests
    assert await page.evaluate("fetch('/api?2', {method: 'POST'}).then((response) => response.status)") == 404
