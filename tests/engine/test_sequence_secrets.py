"""A secret is typed, and stands in no result, no error and no repr, wherever the page shows it."""

from __future__ import annotations

import pytest

from sampling import sampled
from shown import BOTH_RULES, change
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import SecretUnknown
from stillframe.model.actions import Action, Click, Focus, SetValue, TypeText
from stillframe.model.secret import REDACTED, Secret, SecretName
from stillframe.security.secret_store import Secrets

SECRET = "s3cr3t-lantern-0123456789"


@pytest.mark.parametrize("field", ["text", "password", "area", "editable"])
@pytest.mark.parametrize("typed", sampled((False, True), (True,)))
async def test_a_secret_in_a_field_is_shown_nowhere(page: Page, site: Site, field: str, typed: bool) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    action: Action = TypeText(Secret(SECRET), selector=f"#{field}") if typed else SetValue(f"#{field}", Secret(SECRET))
    result = await page.execute_sequence([action], verbose=True)
    held = await page.evaluate(f"document.getElementById('{field}').value ?? editable.textContent")
    assert SECRET in held
    assert result.state_change is not None
    assert [row.selector for row in result.state_change.changed] == [f"#{field}"]
    for shown in (result.to_json().decode(), repr(result), str(result)):
        assert SECRET not in shown


@BOTH_RULES
async def test_a_page_that_shows_the_secret_everywhere_shows_it_not_here(page: Page, site: Site, settle: str) -> None:
    everywhere = """
        <input id=field><button id=go>Go</button>
        <script>
        go.onclick = () => {
            const secret = field.value;
            document.title = "T " + secret;
            history.pushState({}, "", "?q=" + secret);
            document.body.className = "c-" + secret;
            document.body.insertAdjacentHTML("beforeend", `<p id="i-${secret}">It is ${secret}, yes</p>`);
            document.body.insertAdjacentHTML("beforeend", `<button aria-label="Use ${secret}">x</button>`);
            alert(secret);
            fetch("/hang?q=" + secret);
        };
        </script>"""
    await page.goto(site.html("/everywhere.html", everywhere))
    result = await page.execute_sequence(
        [SetValue("#field", Secret(SECRET)), Click("#go"), Click(f"#{SECRET}")],
        settle=settle,
        verbose=True,
        action_timeout_ms=200,
        horizon_ms=300,
        timeout_ms=900,
    )
    assert result.failed is not None
    assert result.dialogs
    assert result.state_change is not None
    assert REDACTED in result.failed.error
    for shown in (result.to_json().decode(), repr(result)):
        assert SECRET not in shown


async def test_a_value_that_is_refused_is_not_quoted(page: Page, site: Site) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    for field in ("date", "number", "select", "paint"):
        result = await page.execute_sequence([SetValue(f"#{field}", Secret(SECRET))], action_timeout_ms=150)
        assert result.failed is not None
        assert SECRET not in result.to_json().decode()


@pytest.mark.slow  # as tests/engine/test_sequence_passwords.py has
async def test_a_plain_password_is_never_shown(page: Page, site: Site) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    result = await page.execute_sequence([SetValue("#password", "plain-words")])
    again = await page.execute_sequence([SetValue("#password", "other-words")])
    for shown in (result, again):
        assert b"words" not in shown.to_json()
        assert shown.state_change is not None
    assert "plain-words" not in repr(result)


async def test_a_secret_of_an_earlier_sequence_is_not_shown_by_a_later_one(page: Page, site: Site) -> None:
    shows = "<input id=field><button id=go onclick='out.textContent = field.value'>Go</button><p id=out>-</p>"
    await page.goto(site.html("/shows.html", shows))
    await page.execute_sequence([SetValue("#field", Secret(SECRET))])
    result = await page.execute_sequence([Click("#go")])
    assert [(row.selector, row.to) for row in change(result).changed] == [("#out", REDACTED)]
    assert SECRET not in repr(result)


# -- declared secrets ------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["text", "password", "area", "editable"])
@pytest.mark.parametrize("typed", sampled((False, True), (True,)))
async def test_a_declared_secret_is_typed_by_its_name(browser: Browser, site: Site, field: str, typed: bool) -> None:
    async with await browser.new_context(secrets={"pin": SECRET}) as context:
        page = await context.new_page(site.url("/w33-inputs.html"))
        name = SecretName("pin")
        action: Action = TypeText(name, selector=f"#{field}") if typed else SetValue(f"#{field}", name)
        result = await page.execute_sequence([action], verbose=True)
        assert result.failed is None
        assert SECRET in await page.evaluate(f"document.getElementById('{field}').value ?? editable.textContent")
        assert SECRET not in result.to_json().decode() + repr(result)


async def test_a_name_that_is_not_declared_stops_all_before_anything_runs(browser: Browser, site: Site) -> None:
    async with await browser.new_context(secrets={"shop-password": SECRET}) as context:
        page = await context.new_page(site.url("/w33-inputs.html"))
        with pytest.raises(SecretUnknown, match="did you mean 'shop-password'"):
            await page.execute_sequence([SetValue("#text", "x"), SetValue("#password", SecretName("shop-pasword"))])
        assert await page.evaluate("document.getElementById('text').value") != "x"


NESTED = "<input id=own><iframe id=f src='{}'></iframe><iframe id=s srcdoc='<input id=in>'></iframe>"


async def test_a_secret_goes_to_the_frames_of_its_hosts_alone(browser: Browser, site: Site) -> None:
    site.html("/inner", "<input id=in>")
    other = site.url("/inner", host="localhost")
    secrets = Secrets()
    secrets.add("pin", SECRET, hosts=["localhost"])
    async with await browser.new_context(secrets=secrets) as context:
        page = await context.new_page(site.html("/outer", NESTED.format(other)))
        name = SecretName("pin")
        for selector, allowed in (("frame=#f >> #in", True), ("#own", False), ("frame=#s >> #in", False)):
            typing: list[Action] = [Focus(selector), TypeText(name)]
            for actions in ([SetValue(selector, name)], typing):
                result = await page.execute_sequence(actions)
                assert (result.failed is None) == allowed, result
                if result.failed is not None:
                    assert result.failed.code == "secret_refused"
                    assert "'pin'" in result.failed.error
        assert SECRET not in str(await page.evaluate("own.value + s.contentDocument.getElementById('in').value"))


@pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("127.0.0.1",)))
async def test_a_frame_that_nobody_sees_gets_no_secret_of_its_host(browser: Browser, site: Site, host: str) -> None:
    """It has the focus, and no script outside of its closed shadow root can tell."""
    inner = "<input id=in autofocus oninput='parent.postMessage(value, \"*\")'>"
    site.html("/inner", f"{inner}<script>document.querySelector('input').focus()</script>")
    outer = f"""<div id=host></div><script>
        const root = host.attachShadow({{mode: "closed"}})
        root.innerHTML = "<iframe src='{site.url("/inner", host="localhost")}'></iframe>"
        globalThis.focusIt = () => root.firstChild.focus()
        </script>"""
    secrets = Secrets()
    secrets.add("pin", SECRET, hosts=[host])
    async with await browser.new_context(secrets=secrets) as context:
        page = await context.new_page(site.html("/outer", outer))
        await page.execute_sequence([Click("frame=iframe >> #in")])
        result = await page.execute_sequence([TypeText(SecretName("pin"))])
        held = await page._tab.frames.main.children.popitem()[1].evaluate("document.querySelector('input').value")
        assert (held == SECRET) == (host == "localhost") == (result.failed is None)


@pytest.mark.desktop
async def test_what_one_page_was_told_no_other_page_shows(page: Page, site: Site) -> None:
    shows = "<input id=field><button id=go onclick='out.textContent = localStorage.kept'>Go</button><p id=out>-</p>"
    keeps = "<input id=field oninput='localStorage.kept = value'>"
    await page.goto(site.html("/keeps.html", keeps))
    await page.execute_sequence([SetValue("#field", Secret(SECRET))])
    other = await page.context.new_page(site.html("/shows.html", shows))
    result = await other.execute_sequence([Click("#go")])
    assert [(row.selector, row.to) for row in change(result).changed] == [("#out", REDACTED)]
