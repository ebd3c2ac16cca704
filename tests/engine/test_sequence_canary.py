"""A canary: a secret that a page shouts in every way it has is heard nowhere outside of the page."""

from __future__ import annotations

import asyncio
import io
import logging
import pickle

import pytest
from aiohttp import web
from PIL import Image

import stillframe
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import EvaluationFailed, NavigationFailed, SecretShown, StillframeError
from stillframe.model.actions import Click, Navigate, SetValue, WaitFor
from stillframe.model.secret import REDACTED, SecretName
from stillframe.security.secret_store import Secrets
from stillframe.tab.reading.screenshot import ImageFormat

CANARY = "c4n4ry + ünder/ground"
FORMS = (CANARY, "c4n4ry%20%2B", "c4n4ry%20+", "c4n4ry+%2B", "c4n4ry")

SHOUTS = """
<form id=form><input id=field><input id=hidden type=hidden><textarea id=area></textarea><select id=list></select></form>
<button id=go>go</button><button id=opens>open</button><button id=throws onclick='shout(field.value)'>x</button>
<p id=split></p><iframe id=frame srcdoc="<p id=in>-</p>"></iframe><a id=down download>x</a>
<script>
function shout(s) { throw new Error("said " + s) }
go.onclick = () => {
    const s = field.value, e = encodeURIComponent(s)
    document.title = "T " + s
    history.pushState({}, "", "?q=" + e + "#" + e)
    document.body.className = "c-" + s
    document.body.insertAdjacentHTML("beforeend", `<p id="i-${s}" title="${s}" data-x="${s}">It is ${s}, yes</p>`)
    document.body.insertAdjacentHTML("beforeend", `<button aria-label="Use ${s}">x</button><img alt="${s}" src=/no>`)
    area.value = s
    hidden.value = s
    list.innerHTML = `<option>${s}</option>`
    split.innerHTML = [...s].map(c => `<b>${c}</b>`).join("")
    frames[0].document.getElementById("in").textContent = s
    const host = document.body.appendChild(document.createElement("div"))
    host.attachShadow({mode: "closed"}).innerHTML = `<em>closed ${s}</em>`
    console.error(s)
    console.log({s})
    window.name = s
    localStorage.kept = s
    document.cookie = "c=" + e
    setTimeout(() => { throw new Error(s) })
    Promise.reject(new Error(s))
    new WebSocket(`ws://${location.host}/ws?${e}`)
    fetch("/hang?q=" + e)
    fetch("/x", {method: "POST", body: s, headers: {"X-Said": e}})
    new EventSource("/events?" + e)
    down.href = URL.createObjectURL(new Blob([s]))
    down.download = s + ".txt"
    down.click()
    alert(s)
    confirm(s)
}
opens.onclick = () => window.open("/said?q=" + encodeURIComponent(field.value), "w" + field.value)
</script>"""


@pytest.fixture
def secrets() -> Secrets:
    secrets = Secrets()
    secrets.add("canary", CANARY, hosts=["127.0.0.1"])
    return secrets


def unheard(*shown: object) -> None:
    for each in shown:
        text = each.decode("utf-8", "replace") if isinstance(each, bytes) else f"{each} {each!r}"
        assert not [form for form in FORMS if form in text], text


async def test_a_canary_is_heard_nowhere(
    browser: Browser, site: Site, secrets: Secrets, caplog: pytest.LogCaptureFixture
) -> None:
    async def said(request: web.Request) -> web.Response:
        text = request.query.get("q", "")
        return web.Response(text=f"<title>{text}</title><p>{text}", content_type="text/html")

    site.route("/said", said)
    caplog.set_level(logging.DEBUG)
    async with await browser.new_context(secrets=secrets) as context:
        page = await context.new_page(site.html("/shouts", SHOUTS))
        steps = [SetValue("#field", SecretName("canary")), Click("#go"), Click("#opens")]
        result = await page.execute_sequence(steps, verbose=True, page_hash=True, horizon_ms=300, timeout_ms=1500)
        assert result.failed is None, result
        assert result.dialogs
        assert result.new_targets
        assert result.downloads
        assert CANARY in await page.evaluate("document.body.innerText")
        unheard(result.to_json(), result, result.to_dict(), pickle.dumps(result))
        unheard(page, context, browser, page.context.options, *page._tab.frames, *context.pages)
        for other in context.pages:
            snapshot = await other.aria_snapshot()
            assert REDACTED in snapshot.text
            unheard(snapshot.text, snapshot.title, snapshot.url, snapshot)
            unheard((await other.execute_sequence([WaitFor(selector="body")])).to_json())
        unheard(
            (await page.execute_sequence([Navigate(site.url("/said?q=c4n4ry%20%2B%20%C3%BCnder/ground"))])).to_json()
        )
    unheard(caplog.text, *(record.getMessage() for record in caplog.records))


@pytest.mark.desktop
async def test_what_is_raised_shows_no_canary(page: Page, site: Site, secrets: Secrets) -> None:
    async with await page.browser.new_context(secrets=secrets) as context:
        page = await context.new_page(site.html("/shouts", SHOUTS))
        await page.execute_sequence([SetValue("#field", SecretName("canary"))])
        raised: list[StillframeError] = []
        for act in (
            lambda: page.evaluate("shout(field.value)"),
            lambda: page.evaluate("Promise.reject(field.value)"),
            lambda: page.goto(f"http://127.0.0.1:1/{CANARY}"),
            lambda: page.goto(f"nothing:{CANARY}"),
            lambda: context.new_page(f"file:///{CANARY}"),
            lambda: page.execute_sequence([Navigate(f"nothing:{CANARY}")]),
            lambda: page.execute_sequence([Click(f"frame={CANARY}")]),
            lambda: page.screenshot(selector=f"#{CANARY}", timeout_ms=100),
            lambda: page.settle(expect={"selector": f"role={CANARY}["}),
        ):
            with pytest.raises(StillframeError) as caught:
                await act()
            raised.append(caught.value)
        unheard(*raised, *(error.__cause__ for error in raised), *(vars(error) for error in raised))
        assert {EvaluationFailed, NavigationFailed} <= {type(error) for error in raised}
        failed = await page.execute_sequence([Click(f"text={CANARY}")], action_timeout_ms=100)
        assert failed.failed is not None
        unheard(failed.to_json(), failed)


# -- pictures --------------------------------------------------------------------------------------

SEEN = f"""<style>body {{ margin: 0; background: white; font: 20px monospace }} div {{ position: absolute }}</style>
<div id=first style="left: 10px; top: 10px; width: 400px; height: 20px">{CANARY}</div>
<input style="position: absolute; left: 10px; top: 40px; width: 400px" value="{CANARY}">
<div style="left: 10px; top: 80px; text-transform: uppercase"><b>c4n</b><i>4ry + ü</i>nder/ground</div>
<div style="left: 10px; top: 120px; transform: scale(1.5); transform-origin: 0 0">{CANARY}</div>
<textarea style="position: absolute; left: 10px; top: 170px; width: 400px; height: 40px">{CANARY}</textarea>
<iframe style="position: absolute; left: 10px; top: 230px; width: 500px; height: 60px; border: 3px solid white"
    srcdoc="<body style='margin: 0; font: 20px monospace; height: 900px'><p>{CANARY}"></iframe>
<iframe style="position: absolute; left: 10px; top: 300px; width: 500px; height: 60px; border: 3px solid white"
    src="OTHER"></iframe>
<iframe style="position: absolute; left: 10px; top: 370px; width: 500px; height: 60px; border: 0;
    transform: scale(.8); transform-origin: 0 0" srcdoc="<p>{CANARY}"></iframe>
<div style="left: 10px; top: 440px">plain words</div>
<div style="left: 10px; top: 1900px">{CANARY}</div>"""


def decoded(picture: bytes) -> Image.Image:
    """The pixels of a picture, read once for all its parts."""
    with Image.open(io.BytesIO(picture)) as image:
        return image.convert("RGB")


def ink(picture: Image.Image, box: tuple[int, int, int, int]) -> set[tuple[int, ...]]:
    """The colours in a part of a picture."""
    colours = picture.crop(box).getcolors(1 << 20)
    assert colours is not None
    return {colour for _, colour in colours}


FORMATS: tuple[ImageFormat, ...] = ("png", "jpeg", "webp")
BLACK = (0, 0, 0)
LETTERS = ((12, 13, 250, 29), (14, 44, 200, 60), (12, 83, 250, 99), (13, 124, 360, 150), (14, 174, 200, 195))
FRAMES = ((14, 255, 250, 270), (14, 325, 250, 340), (11, 380, 200, 415))


@pytest.mark.parametrize("ratio", sampled((1, 2), (2,)))
async def test_what_shows_a_secret_is_painted_over(browser: Browser, site: Site, secrets: Secrets, ratio: int) -> None:
    site.html("/other", f"<body style='margin: 0; font: 20px monospace'><p>{CANARY}")
    start = site.html("/seen", SEEN.replace("OTHER", site.url("/other", host="localhost")))
    viewport = {"width": 800, "height": 600, "device_scale_factor": ratio}
    async with await browser.new_context(secrets=secrets, viewport=viewport) as context:
        page = await context.new_page(start)
        for format in FORMATS:
            picture = await page.screenshot(format=format)
            pixels = decoded(picture)
            for box in (*LETTERS, *FRAMES):
                found = ink(pixels, tuple(ratio * edge for edge in box))  # type: ignore[arg-type]
                assert all(max(colour) < 60 for colour in found), (format, box, found)
            plain = ink(pixels, tuple(ratio * edge for edge in (10, 440, 200, 462)))  # type: ignore[arg-type]
            assert len(plain) > 2
            with Image.open(io.BytesIO(picture)) as image:
                assert image.size == (800 * ratio, 600 * ratio)
                assert image.format == format.upper()


async def test_parts_and_whole_pages_are_painted_too_and_left_as_they_were(
    browser: Browser, site: Site, secrets: Secrets
) -> None:
    start = site.html("/seen", SEEN.replace("OTHER", "about:blank"))
    async with await browser.new_context(secrets=secrets, viewport={"width": 800, "height": 600}) as context:
        page = await context.new_page(start)
        await page.evaluate("scrollTo(0, 100)")
        whole = decoded(await page.screenshot(full_page=True))
        assert await page.evaluate("scrollY") == 100
        for box in (*LETTERS[:3], (12, 1903, 250, 1919)):
            assert ink(whole, box) == {BLACK}
        clip = await page.screenshot(clip=(0, 1890, 400, 50))
        assert ink(decoded(clip), (12, 13, 250, 29)) == {BLACK}
        element = await page.screenshot(selector="#first")
        assert ink(decoded(element), (2, 2, 200, 18)) == {BLACK}
        assert await page.evaluate("[innerWidth, innerHeight]") == [800, 600]


async def test_a_picture_without_secrets_is_chromes_own(browser: Browser, site: Site, secrets: Secrets) -> None:
    start = site.html("/plain", "<p>plain words")
    async with await browser.new_context(secrets=secrets) as one, await browser.new_context() as other:
        with_secrets = await (await one.new_page(start)).screenshot()
        without = await (await other.new_page(start)).screenshot()
    assert with_secrets == without


async def test_without_pillow_no_picture_is_taken_of_a_secret(
    browser: Browser, site: Site, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    async with await browser.new_context(secrets=secrets) as context:
        page = await context.new_page(site.html("/seen", SEEN.replace("OTHER", "about:blank")))
        with pytest.raises(SecretShown, match=r"stillframe\[mcp\]"):
            await page.screenshot()
        with pytest.raises(SecretShown):
            await page.pdf()
        await page.evaluate("document.body.innerHTML = 'plain'")
        assert await page.screenshot()
        assert await page.pdf()


async def test_pictures_of_pages_that_change_meanwhile_come_all_the_same(
    browser: Browser, site: Site, secrets: Secrets
) -> None:
    moves = f"""<p id=p style='position: absolute'>{CANARY}</p><script>
        let n = 0; setInterval(() => {{ p.style.left = (n = (n + 3) % 300) + 'px' }}, 10)</script>"""
    async with await browser.new_context(secrets=secrets) as context:
        page = await context.new_page(site.html("/moves", moves))
        pictures = await asyncio.gather(*(page.screenshot() for _ in range(3)))
    assert all(pictures)
    assert stillframe.Secrets is Secrets
