"""`--profile`: one browser with the cookies of a directory, for one session at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

import stillframe
from site_server import Site

pytestmark = pytest.mark.browser

LOGIN = "<script>document.cookie = 'login=yes; max-age=9999'</script>"


async def test_one_session_has_the_profile(serving, site: Site, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    async with serving(own_browser=True, profile=profile) as call:
        await call("navigate", url=site.html("/login", LOGIN))
        refused = await call("sessions", action="open", sessionId="two")
        assert refused.error["code"] == "option_invalid"
        assert "session 'default' has the profile of this server" in refused.text
        own = await call("sessions", action="open", sessionId="two", ownBrowser=True)
        assert "launches no other browser" in own.text
        await call("sessions", action="close")
        page = await call("navigate", url=site.html("/seen", "<script>document.write(document.cookie)</script>"))
        assert "login=yes" in page.text


@pytest.mark.chrome("the shell does not lock its profile")
async def test_a_profile_in_use_is_one_typed_error(serving, tmp_path: Path) -> None:
    async with stillframe.launch(profile=str(tmp_path)), serving(own_browser=True, profile=tmp_path) as call:
        answer = await call("aria_snapshot")
    assert answer.error["code"] == "profile_locked"
    assert "start the server with another --profile" in answer.text
