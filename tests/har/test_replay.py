"""Requests that a HAR file answers, without a server."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Browser, BrowserContext
from stillframe.errors import HarInvalid, NavigationFailed, OptionInvalid
from stillframe.har.reading import read_har
from stillframe.har.replay import Answer, Failure, Replay
from stillframe.model.actions import Click, SetValue

HOST = "http://recorded.test"


def entry(url: str, text: str = "", *, method: str = "GET", status: int = 200, **more: Any) -> dict[str, Any]:
    headers = more.get("headers", {})
    request: dict[str, Any] = {
        "method": method,
        "url": HOST + url,
        "headers": [{"name": name, "value": value} for name, value in more.get("sent", {}).items()],
    }
    if "posted" in more:
        request["postData"] = {"mimeType": "text/plain", "text": more["posted"]}
    content = more.get("content", {"mimeType": "text/html", "text": text})
    response = {
        "status": status,
        "headers": [{"name": name, "value": value} for name, value in headers.items()],
        "content": content,
        "_failureText": more.get("error"),
    }
    return {"request": request, "response": response}


def har_file(path: Path, *entries: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": list(entries)}}))
    return path


def replay_of(path: Path, *entries: dict[str, Any]) -> Replay:
    return Replay(read_har(har_file(path, *entries)))


def text(found: Answer | Failure | None) -> str:
    assert isinstance(found, Answer)
    return found.body.decode()


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context() as context:
        yield context


# -- which entry answers -------------------------------------------------------------------------------


def test_url_method_and_what_is_posted_decide(tmp_path: Path) -> None:
    replay = replay_of(
        tmp_path / "a.har",
        entry("/a?x=1", "one"),
        entry("/a?x=2", "two"),
        entry("/a?x=1", "posted b", method="POST", posted="b"),
        entry("/a?x=1", "posted c", method="POST", posted="c"),
    )
    assert text(replay.find("GET", HOST + "/a?x=2#part", {}, None)) == "two"
    assert text(replay.find("post", HOST + "/a?x=1", {}, "c")) == "posted c"
    assert replay.find("POST", HOST + "/a?x=1", {}, "d") is None
    assert replay.find("GET", HOST + "/a", {}, None) is None


def test_the_most_headers_in_common_decide(tmp_path: Path) -> None:
    entries = [entry("/a", lang, sent={"Accept-Language": lang, "accept": "*/*"}) for lang in ("en", "de", "fr")]
    replay = replay_of(tmp_path / "a.har", *entries)
    assert text(replay.find("GET", HOST + "/a", {"accept-language": "de", "accept": "*/*"}, None)) == "de"


def test_entries_that_are_alike_answer_in_their_order(tmp_path: Path) -> None:
    replay = replay_of(tmp_path / "a.har", *(entry("/a", str(number)) for number in range(3)))
    assert [text(replay.find("GET", HOST + "/a", {}, None)) for _ in range(5)] == ["0", "1", "2", "2", "2"]


def test_multipart_bodies_are_equal_but_for_their_boundaries(tmp_path: Path) -> None:
    def kind(boundary: str) -> dict[str, str]:
        return {"content-type": f"multipart/form-data; boundary={boundary}"}

    recorded = entry("/a", "yes", method="POST", posted="--one\r\nA\r\n--one--", sent=kind("one"))
    replay = replay_of(tmp_path / "a.har", recorded)
    assert text(replay.find("POST", HOST + "/a", kind("two"), "--two\r\nA\r\n--two--")) == "yes"
    assert replay.find("POST", HOST + "/a", kind("two"), "--two\r\nB\r\n--two--") is None


def test_answers_leave_out_headers_about_transport(tmp_path: Path) -> None:
    headers = {"Content-Encoding": "gzip", "Content-Length": "5", ":status": "200", "set-cookie": "a=1\nb=2"}
    found = replay_of(tmp_path / "a.har", entry("/a", headers=headers)).find("GET", HOST + "/a", {}, None)
    assert isinstance(found, Answer)
    assert found.headers == [("set-cookie", "a=1"), ("set-cookie", "b=2")]


@pytest.mark.parametrize("status", [0, -1])
def test_a_failure_is_replayed(tmp_path: Path, status: int) -> None:
    replay = replay_of(tmp_path / "a.har", entry("/a", status=status, error="net::ERR_CONNECTION_REFUSED"))
    assert replay.find("GET", HOST + "/a", {}, None) == Failure("net::ERR_CONNECTION_REFUSED")


# -- files ---------------------------------------------------------------------------------------------


def test_bodies_come_from_files_beside_and_from_zips(tmp_path: Path) -> None:
    (tmp_path / "body.dat").write_bytes(b"\xff\x00")
    attached = entry("/a", content={"mimeType": "x/y", "_file": "body.dat"})
    encoded = entry("/b", content={"mimeType": "x/y", "text": base64.b64encode(b"\xfe").decode(), "encoding": "base64"})
    path = har_file(tmp_path / "a.har", attached, encoded)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "har.har")
        archive.writestr("body.dat", b"\xff\x00")
    for file in (path, tmp_path / "a.zip"):
        replay = Replay(read_har(file))
        assert replay.find("GET", HOST + "/a", {}, None) == Answer(200, [], b"\xff\x00")
        assert replay.find("GET", HOST + "/b", {}, None) == Answer(200, [], b"\xfe")


@pytest.mark.parametrize("name", ["missing.dat", "../outside.dat", "/etc/hostname"])
def test_a_body_that_is_not_beside_the_file_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside.dat").write_bytes(b"no")
    (tmp_path / "in").mkdir()
    replay = replay_of(tmp_path / "in" / "a.har", entry("/a", content={"mimeType": "x/y", "_file": name}))
    with pytest.raises(HarInvalid, match="cannot be read"):
        replay.find("GET", HOST + "/a", {}, None)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"log": {"entries": [{}]}}', b"\xff\xfe", b"PK\x03\x04broken"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.har"
    path.write_bytes(content)
    with pytest.raises(HarInvalid, match="is not a HAR file") as caught:
        read_har(path)
    assert caught.value.path == str(path)


# -- on pages ------------------------------------------------------------------------------------------


async def test_a_page_is_answered_from_a_file(context: BrowserContext, tmp_path: Path) -> None:
    path = har_file(
        tmp_path / "a.har",
        entry("/", status=302, headers={"Location": "/home", "set-cookie": "seen=yes"}),
        entry("/home", "<h1>Home</h1>", headers={"content-type": "text/html"}),
        entry("/api", '{"a": 1}', headers={"content-type": "application/json"}),
    )
    await context.route_from_har(path)
    page = await context.new_page(HOST + "/")
    assert page.url == HOST + "/home"
    assert await page.locator("h1").text() == "Home"
    assert await page.evaluate("fetch('/api').then(reply => reply.json())") == {"a": 1}
    assert await page.evaluate("document.cookie") == "seen=yes"
    with pytest.raises(NavigationFailed):
        await page.goto(HOST + "/elsewhere")


async def test_what_a_file_does_not_have_goes_on(context: BrowserContext, site: Site, tmp_path: Path) -> None:
    site.html("/real", "<p>real</p>")
    path = har_file(tmp_path / "a.har", entry("/api", "replayed"))
    page = await context.new_page()
    await page.route_from_har(path, not_found="fallback")
    await page.goto(site.url("/real"))
    assert await page.locator("p").text() == "real"
    await page.unroute("**/*")
    await page.route_from_har(path, url=f"{HOST}/**")
    await page.goto(site.url("/real"))
    assert await page.locator("p").text() == "real"


async def test_what_was_recorded_is_replayed_without_the_server(browser: Browser, site: Site, tmp_path: Path) -> None:
    counts = {"/list": 0}

    async def listed(_: web.Request) -> web.Response:
        counts["/list"] += 1
        return web.json_response({"number": counts["/list"]})

    site.html(
        "/shop",
        "<p></p><script>fetch('/list').then(reply => reply.json()).then(list => {"
        "document.querySelector('p').textContent = list.number})</script>",
    )
    site.route("/list", listed)
    path = tmp_path / "shop.zip"
    async with await browser.new_context() as context:
        await context.route_from_har(path, update=True)
        page = await context.new_page(site.url("/shop"), settle=True)
        await page.reload(settle=True)
    async with await browser.new_context() as context:
        await context.route_from_har(path)
        page = await context.new_page(site.url("/shop"), settle=True)
        assert await page.locator("p").text() == "1"
        await page.reload(settle=True)
        assert await page.locator("p").text() == "2"
    assert counts["/list"] == 2


async def test_a_login_is_replayed_though_its_password_is_not_in_the_file(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    async def login(request: web.Request) -> web.Response:
        form = await request.post()
        return web.Response(text="Welcome" if form["password"] == "lantern" else "No")

    site.html("/login", "<form method=post action=/in><input name=password type=password><button>Go</button></form>")
    site.route("/in", login)
    steps = [SetValue("input", "lantern"), Click("button")]
    path = tmp_path / "login.har"
    async with await browser.new_context() as context, context.record_har(path):
        page = await context.new_page(site.url("/login"))
        (await page.execute_sequence(steps)).raise_for_failure()
    content = path.read_text()
    assert "lantern" not in content
    in_clear = tmp_path / "clear.har"
    har = json.loads(content)
    har["log"]["entries"][-1]["request"]["postData"] = {"mimeType": "", "text": "password=lantern"}
    in_clear.write_text(json.dumps(har))
    for file in (path, in_clear):
        async with await browser.new_context() as context:
            await context.route_from_har(file)
            page = await context.new_page(site.url("/login"))
            (await page.execute_sequence(steps)).raise_for_failure()
            assert await page.locator("body").text() == "Welcome"


async def test_bad_options_are_refused(context: BrowserContext, tmp_path: Path) -> None:
    path = har_file(tmp_path / "a.har")
    with pytest.raises(OptionInvalid, match="not_found"):
        await context.route_from_har(path, not_found="continue")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        await context.route_from_har(tmp_path / "missing.har")
