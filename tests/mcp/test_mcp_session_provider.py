"""What every session of the server begins with: `--init-script`."""

from __future__ import annotations

from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser


async def test_the_init_script_runs_before_those_of_pages(browser: Browser, site: Site) -> None:
    url = site.html("/seen", "<script>document.write(window.added)</script>")
    async with capable(browser, "core", init_script="window.added = 'added before'") as call:
        assert "added before" in (await call("navigate", url=url)).text
        await call("sessions", action="open", sessionId="two", url=url)
        assert "added before" in (await call("aria_snapshot", sessionId="two")).text


async def test_an_init_script_that_does_not_parse_is_an_error_of_every_call(serving, site: Site) -> None:
    async with serving(init_script="let a = 1;\nlet = ;") as call:
        for _ in range(2):
            answer = await call("aria_snapshot")
            assert answer.error["code"] == "option_invalid"
            assert "--init-script of this server does not parse: SyntaxError" in answer.text
            assert "in line 2" in answer.text
        assert "open sessions: none" in (await call("sessions")).text
