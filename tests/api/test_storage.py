"""Cookies and storage state: read, written, restored, and each context for itself."""

from __future__ import annotations

import asyncio
import json
import stat
import time
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.api.context_events import CONTEXT_EVENTS, ContextEventName
from stillframe.errors import OptionInvalid

READ = "document.cookie"


def cookie(**more: Any) -> dict[str, Any]:
    return {"name": "a", "value": "1", "domain": "127.0.0.1", "path": "/"} | more


async def test_cookies_are_seen_by_pages_and_by_us(page: Page, site: Site) -> None:
    later = round(time.time()) + 1000
    await page.context.add_cookies([cookie(), cookie(name="b", expires=later, sameSite="Strict", httpOnly=True)])
    await page.goto(site.html("/start", ""))
    assert await page.evaluate(READ) == "a=1"
    await page.evaluate("document.cookie = 'c=3'")
    cookies = {row["name"]: row for row in await page.context.cookies()}
    assert set(cookies) == {"a", "b", "c"}
    assert cookies["a"] == cookie(expires=-1, httpOnly=False, secure=False, sameSite="Lax")
    assert cookies["b"] == cookie(name="b", expires=later, httpOnly=True, secure=False, sameSite="Strict")
    await page.context.clear_cookies()
    assert await page.context.cookies() == []
    assert await page.evaluate(READ) == ""


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_partitioned_cookies_are_restored_into_their_partition(browser: Browser, site: Site, host: str) -> None:
    """The partition of a frame within another site is not that of a document of the site itself."""
    inner = site.html("/inner", "<script>document.cookie = 'p=1; Secure; SameSite=None; Partitioned'</script>")
    shown = site.html("/", f"<iframe src='{inner}'></iframe>").replace("127.0.0.1", host)
    async with await browser.new_context() as context:
        await context.new_page(shown)
        saved = await context.storage_state()
    site.html("/inner", "")
    [kept] = saved["cookies"]
    assert (kept["partitionKey"], kept["_crHasCrossSiteAncestor"]) == (f"http://{host}", host == "localhost")
    async with await browser.new_context() as context:
        await context.add_cookies([kept])
        assert await context.cookies() == [kept]
    for state in (saved, {"cookies": [{name: kept[name] for name in kept if name[0] != "_"}], "origins": []}):
        async with await browser.new_context(storage_state=state) as context:
            page = await context.new_page(shown)
            assert await page.frames[1].evaluate(READ) == "p=1"
            assert await context.cookies() == saved["cookies"]


@pytest.mark.parametrize("domain", ["example.org", ".example.org"])
async def test_a_leading_dot_is_kept(browser: Browser, domain: str) -> None:
    async with await browser.new_context() as context:
        await context.add_cookies([cookie(domain=domain)])
        assert [row["domain"] for row in await context.cookies()] == [domain]


async def test_a_url_stands_for_domain_and_path(browser: Browser) -> None:
    async with await browser.new_context() as context:
        await context.add_cookies([{"name": "a", "value": "1", "url": "https://example.org/deep/page"}])
        (row,) = await context.cookies()
        assert (row["domain"], row["secure"]) == ("example.org", True)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "a"}, "value"),
        ({"name": "a", "value": "1"}, "needs a url"),
        (cookie(expires=-42), "expires at -42"),
        (cookie(expires=float("nan")), "expires at nan"),
        (cookie(value="a;b"), "rejected all"),
        (cookie(sameSite="Maybe"), "sameSite"),
        (cookie(sameSite="None"), "dropped 'a'"),
        (cookie(name="__Host-x", path="/deep", secure=True), "dropped|rejected all"),
    ],
)
async def test_cookies_that_cannot_be_are_refused(browser: Browser, wrong: dict[str, Any], words: str) -> None:
    async with await browser.new_context() as context:
        with pytest.raises(OptionInvalid, match=words) as caught:
            await context.add_cookies([wrong])
        assert caught.value.option == "cookies"


@pytest.mark.slow
async def test_contexts_do_not_share_cookies(browser: Browser, site: Site) -> None:
    start = site.html("/start", "")
    async with await browser.new_context() as one, await browser.new_context() as other:
        await one.add_cookies([cookie()])
        pages = [await context.new_page(start) for context in (one, other)]
        assert [await page.evaluate(READ) for page in pages] == ["a=1", ""]


async def test_a_state_moves_from_one_context_to_another(browser: Browser, site: Site, tmp_path: Path) -> None:
    one, other = (site.html("/start", ""), site.url("/start", host="localhost"))
    file = tmp_path / "state.json"
    file.touch()
    file.chmod(0o644)  # it was there before, and others could read it
    async with await browser.new_context() as context:
        page = await context.new_page(one)
        await page.evaluate("localStorage.setItem('cart', '[1, \"ü\"]'), document.cookie = 'a=1'")
        await page.goto(other)
        await page.evaluate("localStorage.setItem('empty', '')")
        state = await context.storage_state(file)
        assert context.pages == [page]
    assert json.loads(file.read_text()) == state
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    origins = {origin["origin"]: origin["localStorage"] for origin in state["origins"]}
    assert origins == {
        site.url("").rstrip("/"): [{"name": "cart", "value": '[1, "ü"]'}],
        site.url("", host="localhost").rstrip("/"): [{"name": "empty", "value": ""}],
    }
    assert [row["name"] for row in state["cookies"]] == ["a"]
    site.requests.clear()
    async with await browser.new_context(storage_state=file) as context:
        assert context.pages == []
        assert site.requests == []
        page = await context.new_page(one)
        assert await page.evaluate("[document.cookie, localStorage.cart]") == ["a=1", '[1, "ü"]']
        assert await context.storage_state() == state


async def test_nothing_of_a_site_is_loaded_or_run_to_read_its_storage(browser: Browser, site: Site) -> None:
    async def worker(_: web.Request) -> web.Response:
        script = "onfetch = event => event.respondWith(new Response('from the worker'))"
        return web.Response(text=script, content_type="text/javascript")

    site.route("/sw.js", worker)
    start = site.html("/start", "")
    async with await browser.new_context(block=["*/blocked"], extra_headers={"x-a": "1"}) as context:
        page = await context.new_page(start)
        await page.evaluate(
            "localStorage.setItem('a', '1'), navigator.serviceWorker.register('/sw.js')"
            ".then(() => navigator.serviceWorker.ready).then(() => 1)"
        )
        await page.close()
        site.requests.clear()
        state = await context.storage_state()
        assert [origin["localStorage"] for origin in state["origins"]] == [[{"name": "a", "value": "1"}]]
    assert not [path for path in site.requests if path != "/sw.js"]


async def test_setting_a_state_replaces_cookies_and_storage(browser: Browser, site: Site) -> None:
    start, origin = site.html("/start", ""), site.url("").rstrip("/")
    async with await browser.new_context(offline=False) as context:
        page = await context.new_page(site.url("/start", host="localhost"))
        await page.local_storage.set_item("of", "another origin")
        await page.goto(start)
        await page.evaluate("localStorage.setItem('old', '1'), document.cookie = 'old=1'")
        await context.set_storage_state(
            {"cookies": [cookie()], "origins": [{"origin": origin, "localStorage": [{"name": "new", "value": "2"}]}]}
        )
        # Another process wrote it, and Chrome tells an open page of that in its own time: the page says when.
        await page.evaluate(
            "new Promise((done) => { const look = () => ('new' in localStorage && !('old' in localStorage)"
            " ? done() : setTimeout(look, 5)); look() })"
        )
        assert await page.evaluate("[document.cookie, {...localStorage}]") == ["a=1", {"new": "2"}]
        assert [each["origin"] for each in (await context.storage_state())["origins"]] == [origin]


async def test_a_state_is_restored_offline_and_behind_a_login(browser: Browser, site: Site) -> None:
    origin = "https://example.test"
    state = {"cookies": [], "origins": [{"origin": origin, "localStorage": [{"name": "a", "value": "1"}]}]}
    credentials = {"username": "ann", "password": "hush"}
    async with await browser.new_context(storage_state=state, offline=True, http_credentials=credentials) as context:
        assert await context.storage_state() == state


async def test_a_context_without_pages_has_an_empty_state(browser: Browser) -> None:
    async with await browser.new_context() as context:
        assert await context.storage_state() == {"cookies": [], "origins": []}


async def test_a_wrong_state_changes_nothing(browser: Browser) -> None:
    async with await browser.new_context() as context:
        await context.add_cookies([cookie()])
        with pytest.raises(OptionInvalid, match="storage_state"):
            await context.set_storage_state({"cookies": [{"name": 1}]})
        assert len(await context.cookies()) == 1


async def test_half_a_character_and_the_name_of_a_method_survive(browser: Browser, site: Site, tmp_path: Path) -> None:
    site.html("/start", "")
    async with await browser.new_context() as context:
        page = await context.new_page(site.url("/start"))
        await page.evaluate(r"localStorage.setItem('\udc00', 'a\ud800b'), localStorage.setItem('getItem', '1')")
        state = await context.storage_state(tmp_path / "state.json")
    for source in (state, tmp_path / "state.json"):
        async with await browser.new_context(storage_state=source) as context:
            page = await context.new_page(site.url("/start"))
            assert await page.evaluate(r"localStorage.getItem('\udc00') === 'a\ud800b' && localStorage.length === 2")


async def test_no_event_tells_of_the_page_that_the_context_uses_itself(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/start", "<a href='/start' target=_blank>open</a>"))
        opened: list[Page] = []
        context.on("page", opened.append)
        _, popup = await asyncio.gather(context.storage_state(), page.click("a"))
        await context.set_storage_state({"origins": [{"origin": site.url("").rstrip("/"), "localStorage": []}]})
        await page.cdp_session.drain_events()
        assert [each.target_id for each in opened] == [popup.new_targets[0].target_id]


async def test_nothing_tells_of_the_hidden_page(browser: Browser, site: Site, tmp_path: Path) -> None:
    """No event, no list of pages, no HAR file and no trace."""
    start, folder = site.html("/start", "<script>localStorage.a = '1'</script>"), tmp_path / "traces"
    async with await browser.new_context(trace=str(folder)) as context:
        page = await context.new_page(start)
        told: list[str] = []
        for event in CONTEXT_EVENTS:
            context.on(cast("ContextEventName", event), lambda _, event=event: told.append(event))
        async with context.record_har(tmp_path / "a.har"):
            await context.set_storage_state(await context.storage_state(indexed_db=True))
            async with context._empty_documents() as documents:
                await documents.read([(start.removesuffix("/start"),)], indexed_db=True, opfs=True)
                assert context.pages == [page]
                assert [each for each in browser.pages if each.context is context] == [page]
        await page.cdp_session.root.drain_events()
        await page.cdp_session.drain_events()
        assert told == []
    log = json.loads((tmp_path / "a.har").read_text())["log"]
    assert (log["pages"], log["entries"]) == ([], [])
    assert len(list(folder.iterdir())) == 1
