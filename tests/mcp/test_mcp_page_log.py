"""What a page reports in its console, throws and fails to load stands in the reply, bounded, and once."""

from __future__ import annotations

import pytest
from aiohttp import web

from site_server import Site
from stillframe.mcp.page_log import KEPT, SHOWN, TRIVIAL, asks_for_icon
from stillframe.model.events import Request
from stillframe.security.secret_store import Secrets

CLICK = {"action": "click_element", "selector": "button"}


def lines(text: str) -> list[str]:
    """Return the lines of a reply that tell what the page reported."""
    starts = ("console ", "page error:", "request failed:", "… ")
    return [line for line in text.splitlines() if line.startswith(starts)]


async def test_why_a_click_did_nothing_stands_in_the_reply(call, site: Site) -> None:
    async def broken(_: web.Request) -> web.Response:
        return web.Response(status=500)

    site.route("/api", broken)
    script = "console.error('boom', 42); fetch('/api').then(() => { throw new TypeError('no list') })"
    await call("navigate", url=site.html("/log", f'<button onclick="{script}">Go</button>'))
    answer = await call.run(CLICK)
    assert "nothing changed" in answer.text
    assert lines(answer.text) == [
        'console error: "boom 42"',
        f'request failed: GET "{site.url("/api")}", 500',
        'page error: "TypeError: no list"',
    ]
    # Within the marks, since the page wrote it.
    assert answer.text.index("<<page") < answer.text.index("console error") < answer.text.index("<</page")
    assert answer.structured["text"] == answer.text
    assert lines((await call("wait_for", selector="button")).text) == []


async def test_what_a_page_says_while_it_loads_is_reported_with_its_text(call, site: Site) -> None:
    answer = await call("navigate", url=site.html("/loads", "<script>console.warn('old'); missing()</script><p>here"))
    assert lines(answer.text) == ['console warning: "old"', 'page error: "ReferenceError: missing is not defined"']
    assert "here" in answer.text


async def test_a_page_that_logs_much_fills_no_reply(call, site: Site) -> None:
    script = f"for (let n = 0; n < {KEPT + 50}; n++) console.log('row', n); console.error('x'.repeat(9999))"
    await call("navigate", url=site.html("/much", f'<button onclick="{script}">Go</button>'))
    found = lines((await call.run(CLICK)).text)
    assert found[0].startswith('console error: "xxx')
    assert len(found[0]) < 250
    assert found[1:] == [
        *(f'console log: "row {number}"' for number in range(KEPT + 50 - TRIVIAL, KEPT + 50)),
        f"… {KEPT + 50 + 1 - 1 - TRIVIAL} more console messages, errors or failed requests",
    ]
    errors = "".join(f"console.error({number});" for number in range(SHOWN + 3))
    await call("navigate", url=site.html("/errors", f'<button onclick="{errors}console.log(1)">Go</button>'))
    found = lines((await call.run(CLICK)).text)
    assert found[:-1] == [f'console error: "{number}"' for number in range(3, SHOWN + 3)]
    assert found[-1].startswith("… 4 more")


async def test_what_the_page_takes_back_is_not_a_failure(call, site: Site) -> None:
    script = "const c = new AbortController(); fetch('/never', { signal: c.signal }).catch(() => 0); c.abort()"
    site.route("/never", lambda _: web.Response())
    await call("navigate", url=site.html("/aborts", f'<button onclick="{script}">Go</button>'))
    assert lines((await call.run(CLICK)).text) == []


@pytest.mark.parametrize(
    ("kind", "path", "is_icon"),
    [
        ("other", "/favicon.ico", True),
        ("fetch", "/favicon.ico", False),
        ("other", "/icon.png", False),
        ("image", "/favicon.ico", False),
    ],
)
def test_the_icon_that_a_browser_asks_for_is_told_apart_from_what_the_page_asks_for(
    kind: str, path: str, is_icon: bool
) -> None:
    request = Request(id="1", url=f"http://site{path}", method="GET", resource_type=kind, headers={})
    assert asks_for_icon(request) == is_icon


async def test_no_secret_is_in_a_line(serving, site: Site) -> None:
    secret = "canary-7f3a-secret"
    async with serving(secrets=Secrets({"pass": secret})) as call:
        page = f"<button onclick=\"console.error('{secret}'); fetch('/x?{secret}'); throw '{secret}'\">Go</button>"
        await call("navigate", url=site.html("/secret", page))
        answer = await call.run(CLICK)
        assert len(lines(answer.text)) == 3
        assert secret not in str(answer.raw)
