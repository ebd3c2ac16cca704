"""The tool that keeps logins: saved under a name, restored elsewhere, and never shown."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser

LOGIN = "<script>document.cookie = 'login=hush-1'; localStorage.setItem('token', 'hush-2')</script><p>in</p>"
STATE = "<p id=p></p><script>p.textContent = document.cookie + ' ' + localStorage.getItem('token')</script>"


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "state") as caller:
        yield caller


async def test_a_login_is_saved_and_restored_in_another_session(call, site: Site) -> None:
    await call("navigate", url=site.html("/login", LOGIN))
    saved = await call("storage_state", action="save", name="ann")
    assert "saved states: ann" in saved.text
    assert saved.structured["cookies"] == ["login (127.0.0.1)"]
    assert "hush" not in str(saved.raw)
    await call("sessions", action="open", sessionId="other")
    restored = await call("storage_state", action="restore", name="ann", sessionId="other")
    assert restored.head == "restored ann; reload the page to use it"
    page = await call("navigate", url=site.html("/state", STATE), sessionId="other")
    assert "login=hush-1 hush-2" in page.text
    cleared = await call("storage_state", action="clear", sessionId="other")
    assert cleared.structured["cookies"] == []
    assert "login" not in (await call("navigate", url=site.url("/state"), sessionId="other")).text
    assert (await call("storage_state")).structured["cookies"] == ["login (127.0.0.1)"]
    await call("sessions", action="close", sessionId="other")


DATABASE = """<script>
const request = indexedDB.open("hush", 1);
request.onupgradeneeded = () => request.result.createObjectStore("hush").add("hush", "key");
request.onsuccess = () => { request.result.close(); document.body.append("made"); };
</script><p>in</p>"""


async def test_databases_are_kept_if_asked_for_and_always_cleared(call, site: Site) -> None:
    await call("sessions", action="open", sessionId="base")
    origin = site.html("/made", DATABASE).removesuffix("/made")
    assert "made" in (await call("navigate", url=f"{origin}/made", sessionId="base")).text
    saved = await call("storage_state", action="save", name="base", indexedDb=True, sessionId="base")
    assert saved.structured["origins"] == [f"{origin}: 0 items, 1 database"]
    assert "hush" not in str(saved.raw)
    await call("storage_state", action="clear", sessionId="base")
    assert (await call("storage_state", indexedDb=True, sessionId="base")).structured["origins"] == []
    await call("storage_state", action="restore", name="base", sessionId="base")
    restored = await call("storage_state", indexedDb=True, sessionId="base")
    assert restored.structured["origins"] == saved.structured["origins"]
    await call("sessions", action="close", sessionId="base")


WRONG = (
    ({"action": "restore", "name": "bob"}, "no state is saved as 'bob'"),
    ({"action": "restore"}, "no state is saved as None"),
    ({"action": "save"}, "save needs a name: this server was started without --save-storage-state"),
    ({"action": "list", "name": "ann"}, "argument name is for save and restore"),
    ({"action": "forget"}, "action"),
    ({"action": "clear", "indexedDb": True}, "argument indexedDb is for list and save"),
)


async def test_what_cannot_be_done_says_why(call) -> None:
    for arguments, words in WRONG:
        answer = await call("storage_state", **arguments)
        assert answer.error["code"] == "option_invalid", arguments
        assert words in answer.text


async def test_the_file_of_the_server_is_written_by_the_tool_and_at_the_end(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "state.json"
    async with capable(browser, "state", save_storage_state=file) as call:
        await call("navigate", url=site.html("/login", LOGIN))
        assert (await call("storage_state", action="save")).head == "written to the file of --save-storage-state"
        assert json.loads(file.read_text())["cookies"][0]["value"] == "hush-1"
        await call("sessions", action="open", sessionId="other")
        file.unlink()
        await call("sessions", action="close", sessionId="other")
        assert not file.exists()
    assert json.loads(file.read_text())["origins"][0]["localStorage"] == [{"name": "token", "value": "hush-2"}]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["state.json"]
