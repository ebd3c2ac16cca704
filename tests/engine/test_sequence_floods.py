"""Pages that do too much of something: results, and what is kept for them, have an end and say what they left out."""

from __future__ import annotations

import pytest

from sampling import sampled
from shown import change
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.actions import Click, SetValue
from stillframe.model.secret import REDACTED, Secret
from stillframe.model.verdict import OmittedRows
from stillframe.security.policy import UrlPolicy


@pytest.mark.desktop
@pytest.mark.parametrize("number", sampled((16, 40, 400), (16,)))
async def test_alerts_of_20_kb(page: Page, site: Site, number: int) -> None:
    alerts = f"<button id=go onclick='for (let i = 0; i < {number}; i++) alert(i + \"x\".repeat(20000))'>Go</button>"
    await page.goto(site.html("/alerts.html", alerts))
    result = await page.execute_sequence([Click("#go")], action_timeout_ms=30_000, timeout_ms=10_000)
    assert len(result.dialogs) == 12
    assert [dialog.message[:3] for dialog in result.dialogs[:2]] == ["0xx", "1xx"]
    assert all(len(dialog.message) == 1000 and dialog.message.endswith("…") for dialog in result.dialogs)
    assert result.omitted == OmittedRows(dialogs=number - 12)
    assert len(result.to_json()) < 20_000


async def test_a_dialog_is_cut_behind_its_secrets(page: Page, site: Site) -> None:
    alerts = "<input id=field><button id=go onclick='alert(\"x\".repeat(990) + field.value)'>Go</button>"
    await page.goto(site.html("/alert.html", alerts))
    result = await page.execute_sequence([SetValue("#field", Secret("lantern-in-the-dark")), Click("#go")])
    assert [dialog.message for dialog in result.dialogs] == ["x" * 990 + REDACTED]


@pytest.mark.parametrize("number", sampled((100, 3000), (100,)))
async def test_a_flood_of_refused_urls(browser: Browser, site: Site, number: int) -> None:
    asks = f"""<button id=go onclick='go.disabled = true;
        for (let i = 0; i < {number}; i++) fetch("http://no.example/" + i + "/" + "y".repeat(2000)).catch(() => 0)'>
        Go</button>"""
    policy = UrlPolicy(allowed_hosts=["127.0.0.1"], allow_private=True)
    async with await browser.new_context(policy=policy) as context:
        page = await context.new_page(site.html("/asks.html", asks))
        result = await page.execute_sequence([Click("#go")], timeout_ms=20_000, horizon_ms=15_000)
    assert len(result.refused) == 12
    assert all(len(row.url) == 1000 and row.url.endswith("…") for row in result.refused)
    assert result.omitted is not None
    assert result.omitted.refused == number - 12
    assert len(result.to_json()) < 60_000


async def test_a_limit_of_zero(page: Page, site: Site) -> None:
    does = """<button id=go onclick='alert(1); out.textContent = "x"; more.hidden = false; fetch("/hang")'>Go</button>
        <p id=out>-</p><p id=more hidden>more</p>"""
    await page.goto(site.html("/does.html", does))
    result = await page.execute_sequence([Click("#go")], limit=0, horizon_ms=100)
    told = change(result)
    assert (told.appeared, told.changed, result.dialogs, result.pending) == ((), (), (), ())
    assert told.omitted is not None
    assert told.omitted.appeared == 1
    assert told.omitted.changed >= 1
    assert result.omitted == OmittedRows(dialogs=1, pending=1)


async def test_an_inline_url_is_not_an_address(page: Page, site: Site) -> None:
    opens = '<button id=go onclick=\'open("data:text/html," + "y".repeat(9000))\'>Go</button><iframe id=f></iframe>'
    frames = '<button id=in onclick=\'f.src = "data:text/html,<p>" + "z".repeat(9000)\'>In</button>'
    await page.goto(site.html("/opens.html", opens + frames))
    result = await page.execute_sequence([Click("#in"), Click("#go")], verbose=True)
    assert "yyy" * 40 not in result.to_json().decode()
    assert "zzz" * 400 not in result.to_json().decode()


async def test_late_changes_have_an_end_and_a_count(page: Page, site: Site) -> None:
    ticks = """<button id=go>Go</button><script>
        const pushes = () => { for (let i = 0; i < 50; i++) history.pushState({}, "", "#" + i) };
        const pushed = new Promise((done) => { go.onclick = () => setTimeout(() => done(pushes()), 900); });
        </script>"""
    await page.goto(site.html("/late.html", ticks))
    await page.execute_sequence([Click("#go")], horizon_ms=50)
    await page.evaluate("pushed")
    result = await page.execute_sequence([Click("#go")], horizon_ms=50, limit=5)
    assert len(result.late) == 5
    assert result.omitted is not None
    assert len(result.late) + result.omitted.late >= 50
