"""Contexts keep apart what is theirs, and take it with them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import stillframe
from sampling import sampled
from site_server import Site
from stillframe import SecretName, Secrets
from stillframe.api.browser import Browser
from stillframe.cdp_types import browser as cdp_browser
from stillframe.cdp_types import target
from stillframe.errors import NavigationFailed, OptionInvalid, UrlRefused


async def known(browser: Browser) -> set[str]:
    reply = await browser._connection.root.send(target.GetBrowserContexts())
    return set(reply.browser_context_ids)


async def test_a_context_is_disposed_of_with_its_pages(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/start", ""))
        assert context.id in await known(browser)
        assert (page.context, context.pages) == (context, [page])
        assert page in browser.pages
    assert page.closed
    assert context.id not in await known(browser)
    assert context not in browser.contexts
    await context.close()


async def test_pages_of_one_context_share_cookies_and_contexts_share_nothing(browser: Browser, site: Site) -> None:
    start = site.html("/start", "", title="here")
    async with await browser.new_context() as one, await browser.new_context() as other:
        pages = [await browser.new_page(start, context=context) for context in (one, one, other)]
        assert [(page.context, await page.title()) for page in pages] == [(one, "here"), (one, "here"), (other, "here")]
        await pages[0].evaluate(
            "localStorage.setItem('a', '1'), sessionStorage.setItem('b', '2'), document.cookie = 'a=1'"
        )
        assert await pages[1].evaluate("document.cookie") == "a=1"
        found = "[localStorage.length, sessionStorage.length, document.cookie]"
        assert await pages[2].evaluate(found) == [0, 0, ""]


@pytest.mark.browser
async def test_a_launch_takes_options_of_both_kinds_and_its_contexts_have_those_of_the_second(site: Site) -> None:
    start = site.html("/start", "")
    viewport = {"width": 500, "height": 400}
    state = {"cookies": [{"name": "a", "value": "1", "url": start}]}
    own: dict[str, Any] = {"observe": "dom", "locale": "de-CH", "viewport": viewport, "storage_state": state}
    async with stillframe.launch(window_size=(700, 600), dialogs="accept", **own) as browser:
        page = await browser.new_page(start)
        assert browser.pages == [page]
        assert page.context is browser.default_context
        assert await page.evaluate("[navigator.language, confirm('sure?')]") == ["de-CH", True]
        window = await browser.cdp_session.send(cdp_browser.GetWindowForTarget(target_id=page.target_id))
        assert (window.bounds.width, window.bounds.height) == (700, 600)
        await page.close()
        async with await browser.new_context() as context:
            page = await context.new_page(start)
            assert page._settler.observe == context.options.observe == "dom"
            assert await page.evaluate("[navigator.language, innerWidth, document.cookie]") == ["de-CH", 500, "a=1"]
        async with await browser.new_context(observe="protocol", locale="fr-FR") as context:
            page = await context.new_page(start)
            assert page._settler.observe == "protocol"
            assert await page.evaluate("[navigator.language, innerWidth]") == ["fr-FR", 500]


async def test_wrong_options_open_nothing(browser: Browser) -> None:
    before = await known(browser)
    with pytest.raises(OptionInvalid, match="did you mean 'locale'"):
        await browser.new_context(local="de")
    state = {"cookies": [{"name": "a", "value": ";", "domain": "x.test", "path": "/"}]}
    with pytest.raises(OptionInvalid, match="cookies"):
        await browser.new_context(storage_state=state)
    assert await known(browser) == before


async def test_a_page_that_cannot_be_loaded_is_closed_again(browser: Browser) -> None:
    async with await browser.new_context() as context:
        with pytest.raises(UrlRefused):
            await context.new_page("file:///etc/passwd")
        with pytest.raises(NavigationFailed):
            await context.new_page("http://nowhere.invalid/")
        assert context.pages == []


@pytest.mark.parametrize("contexts", sampled((2, 5), (2,)))
async def test_contexts_open_and_close_side_by_side(browser: Browser, site: Site, contexts: int) -> None:
    start = site.html("/start", "")

    async def one(number: int) -> str:
        async with await browser.new_context() as context:
            page = await context.new_page(start)
            await page.evaluate(f"document.cookie = 'n={number}'")
            return str(await page.evaluate("document.cookie"))

    assert await asyncio.gather(*(one(number) for number in range(contexts))) == [
        f"n={number}" for number in range(contexts)
    ]


async def test_a_context_that_nobody_waits_for_is_not_kept(browser: Browser) -> None:
    before = await known(browser)
    task = asyncio.get_running_loop().create_task(browser.new_context())
    await asyncio.sleep(0)  # the command is on its way
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await browser._connection.root.drain_events()
    assert await known(browser) == before


async def test_a_cancelled_new_context_leaves_nothing(browser: Browser) -> None:
    before = await known(browser)
    task = asyncio.get_running_loop().create_task(
        browser.new_context(
            storage_state={
                "cookies": [],
                "origins": [{"origin": "https://a.test", "localStorage": [{"name": "a", "value": "b"}]}],
            }
        )
    )
    while not (await known(browser) - before):
        assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await known(browser) == before
    assert len(browser.contexts) == 1


async def test_a_secret_that_is_added_to_an_empty_store_is_there_at_once(browser: Browser, site: Site) -> None:
    store = Secrets()
    async with await browser.new_context(secrets=store) as context, await context.new_page() as page:
        await page.goto(site.html("/late", "<input>"))
        store.add("late", "canary-late-1")
        await page.fill("input", SecretName("late"))
        assert await page.evaluate("document.querySelector('input').value.length") == 13
