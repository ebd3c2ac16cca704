"""Secrets are in no output, whatever a page does with them: each flow of a table beside each output of another.

The page gets a secret through a field and hands it on: into texts, attributes, URLs, messages, requests. The outputs
are searched for it as it is, as a part of a URL, of JSON and of HTML, and in Base64 at any place.
"""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import logging
import os
import pickle
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec
import pytest
import scripted

from site_server import Site
from stillframe import Click, Secret, SecretName, SetValue
from stillframe.agent.orchestrator import Orchestrator
from stillframe.agent.recording import RecordingModel
from stillframe.agent.step_cache import StepCache
from stillframe.api.browser import Browser, Page
from stillframe.errors import StillframeError
from stillframe.extend import page_state
from stillframe.farm.output import WarcRecorder, failed_page, read_page
from stillframe.farm.store import DATASET, CrawlStore, DatasetRow
from stillframe.scripts.python_form import python_form
from stillframe.testing import record
from stillframe.trace import har_format, perfetto_format, playwright_format
from stillframe.trace.reading import read_trace, traces_in
from stillframe.trace.report import report

pytestmark = pytest.mark.browser

SECRET = "lantern/7341 & öl"

PAGE = """<label>Pin <input id=field type={kind}></label><button id=go>Go</button><p id=out></p>
<script>
  const echo = (value) => {{ {script} }};
  go.onclick = () => {{ echo(field.value); out.append(" done") }};
</script>"""

FLOWS = {
    "texts": "out.textContent = value; document.title = value; out.setAttribute('aria-label', value)",
    "fields": "const copy = document.createElement('input'); copy.value = copy.placeholder = value; "
    "document.body.append(copy)",
    "markup": "out.innerHTML = '<a href=\"/found?q=' + encodeURIComponent(value) + '\" title=\"x\">more</a>'",
    "messages": "console.log('got', value, {value}); console.error(new Error(value)); "
    "setTimeout(() => { throw Error(value) })",
    "dialogs": "alert(value)",
    "history": "history.pushState(0, '', '?q=' + encodeURIComponent(value) + '#' + value)",
    "requests": "fetch('/none?q=' + encodeURIComponent(value), {method: 'POST', body: new URLSearchParams({value}), "
    "headers: {authorization: 'Basic ' + btoa('ann:' + unescape(encodeURIComponent(value)))}})",
    "storage": "localStorage.pin = value; document.cookie = 'pin=' + encodeURIComponent(value)",
    "Base64": "out.textContent = btoa(unescape(encodeURIComponent('pin=' + value)))",
    "navigation": "location = '/none?pin=' + encodeURIComponent(value)",
    "popup": "open('/none?pin=' + encodeURIComponent(value))",
}

FEW = ("texts", "messages", "Base64", "navigation")
"""Where the other ways to give a secret might differ."""

WAYS: dict[str, tuple[str, Any]] = {
    "declared": ("text", SecretName("pin")),
    "given": ("text", Secret(SECRET)),
    "hidden": ("password", SECRET),
}


# -- what is searched for -----------------------------------------------------------------------------


def forms_of(secret: str) -> set[str]:
    escaped = json.dumps(secret)[1:-1]
    return {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), html.escape(secret), escaped}


def in_base64(content: str) -> Iterator[str]:
    """Yield what all runs of Base64 may mean: each may begin in the middle of a group."""
    for run in re.findall(r"[A-Za-z0-9+/_-]{12,}", content):
        for start in range(4):
            part = run[start:].translate(str.maketrans("-_", "+/"))
            part = part[: len(part) - (len(part) % 4 == 1)]
            yield base64.b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "ignore")


def shows(content: str) -> bool:
    wanted = forms_of(SECRET)
    return any(form in text for text in (content, *in_base64(content)) for form in wanted)


def test_the_search_finds_each_form() -> None:
    for form in forms_of(SECRET):
        assert shows(f"x{form}x")
    for before in range(4):
        assert shows(base64.b64encode(b"x" * before + SECRET.encode()).decode())
    assert not shows("lantern")


# -- outputs ------------------------------------------------------------------------------------------


async def of_the_page(page: Page, result: Any) -> dict[str, str]:
    """Return what a caller may print or store."""
    failed: list[str] = []
    for call in (page.wait_for("#none", action_timeout_ms=50), page.click("text=none", action_timeout_ms=50)):
        try:
            failed.append(repr(await call))
        except StillframeError as error:
            failed.append(f"{error} {error!r} {vars(error)} {error.result!r}")
    snapshot = await page.aria_snapshot()
    return {
        "result": result.to_json().decode(),
        "repr": repr(result),
        "pickle": pickle.dumps(result).decode("utf-8", "replace"),
        "failures": " ".join(failed),
        "snapshot": snapshot.to_json().decode() + repr(snapshot),
        "objects": f"{page!r} {page.response!r} {await page.snapshot()!r} {page.frames!r}",
    }


def of_the_trace(path: Path) -> dict[str, str]:
    """Return a trace and what is made of it."""
    trace = read_trace(path)
    with zipfile.ZipFile(io.BytesIO(playwright_format.exported(trace))) as archive:
        viewed = "".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
    return {
        "trace": path.read_text(),
        "report": report(trace),
        "Playwright": viewed,
        "Perfetto": perfetto_format.exported(trace).decode(),
        "HAR": har_format.exported(trace).decode(),
    }


def page_of(site: Site, flow: str, way: str) -> str:
    """Return the URL of the page with a flow."""
    return site.html(f"/{way}-{flow}".replace(" ", "-"), PAGE.format(kind=WAYS[way][0], script=FLOWS[flow]))


async def carried_out(page: Page, site: Site, flow: str, way: str) -> Any:
    await page.goto(page_of(site, flow, way))
    return await page.execute_sequence([SetValue("#field", WAYS[way][1]), Click("#go")])


@pytest.mark.every_row
@pytest.mark.parametrize("way", WAYS)
async def test_no_output_shows_a_secret(
    browser: Browser, site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG)
    outputs: dict[str, str] = {}
    seen: list[Any] = []
    secrets = {"pin": SECRET} if way == "declared" else {}
    async with await browser.new_context(trace=tmp_path, secrets=secrets) as context:
        for flow in FLOWS if way == "declared" else FEW:
            page = await context.new_page()
            for event in ("console", "pageerror", "dialog", "request", "response"):
                page.on(event, seen.append)
            result = await carried_out(page, site, flow, way)
            assert result.completed == 2, result.failed
            outputs |= {f"{flow}: {name}": text for name, text in (await of_the_page(page, result)).items()}
            await page.close()
    outputs["events"] = repr(seen)
    outputs["log"] = caplog.text
    for path in traces_in(tmp_path):
        outputs |= {f"{path.name}: {name}": text for name, text in of_the_trace(path).items()}
    assert [name for name, text in outputs.items() if shows(text)] == []


TOLD = ("texts", "markup", "dialogs", "history", "Base64", "navigation")
"""The flows of which a model hears."""


@pytest.mark.every_row
@pytest.mark.parametrize("flow", TOLD)
async def test_no_prompt_script_or_file_of_an_agent_shows_a_secret(
    browser: Browser, site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture, flow: str
) -> None:
    caplog.set_level(logging.DEBUG)
    heard: list[Any] = []
    typed = scripted.fill("#field", {"secretName": "pin"})
    asked = scripted.call("extract_data", selector="body", dataName=SECRET), scripted.call(SECRET)
    model = scripted.ScriptedModel(
        scripted.commands(typed, scripted.click("#go"), reasoning=SECRET), scripted.tools(*asked), scripted.done(SECRET)
    )
    files = {name: tmp_path / name for name in ("requests", "cache")}
    async with await browser.new_context(secrets={"pin": SECRET}) as context, await context.new_page() as page:
        await page.goto(page_of(site, flow, "declared"))
        recorded = RecordingModel(model.model, files["requests"], redact=page_state(page).redact)
        orchestrator = Orchestrator(page, recorded, on_event=heard.append, step_cache=StepCache(files["cache"]))
        outcome = await orchestrator.run(f"Type {SECRET}")
    assert outcome.script is not None
    assert '"secretName"' in outcome.script.to_text()
    outputs = {
        "prompts": "\n".join((*model.prompts, model.instructions)),
        "events": "\n".join(f"{event} {event!r} {event.to_json()}" for event in heard),
        "outcome": f"{outcome!r}{outcome.to_json()}",
        "script": outcome.script.to_text(),
        "program": python_form(outcome.script),
        "log": caplog.text,
        **{name: path.read_text() for name, path in files.items()},
    }
    assert [name for name, text in outputs.items() if shows(text)] == []


SENT = ("markup", "requests", "history", "storage", "navigation")
"""The flows that a crawl records: what a page shows, where it leads, and what goes over the wire."""


async def test_no_row_or_archive_of_a_crawl_shows_a_secret(browser: Browser, site: Site, tmp_path: Path) -> None:
    outputs: dict[str, str] = {}
    store = await CrawlStore.open(f"sqlite:///{tmp_path / 'crawl.db'}", "crawl", worker="w")
    async with store, await browser.new_context(secrets={"pin": SECRET}) as context:
        for flow in SENT:
            page = await context.new_page()
            async with WarcRecorder(page) as recorder:
                result = await carried_out(page, site, flow, "declared")
                archive = await recorder.finish()
            assert result.completed == 2, result.failed
            read = await read_page(page, f"{page.url}&{SECRET}")
            failed = failed_page(f"{page.url}&{SECRET}", ValueError(f"no {SECRET}"))
            for each in (read, failed):
                await store.push([DatasetRow(dataset=DATASET, body=msgspec.json.encode(each), payload=archive)])
                outputs[f"{flow}: {'error' if each.error else 'record'}"] = repr(each)
            outputs[f"{flow}: WARC"] = gzip.decompress(archive).decode("utf-8", "replace")
            await page.close()
    outputs |= {name: (tmp_path / name).read_bytes().decode("utf-8", "replace") for name in os.listdir(tmp_path)}
    assert "crawl.db" in outputs
    assert "/none" in outputs["requests: WARC"]
    assert [name for name, text in outputs.items() if shows(text)] == []


async def test_no_cassette_shows_a_secret(tmp_path: Path, site: Site) -> None:
    path = tmp_path / "a.cassette"
    async with record(path, secrets={"pin": SECRET}) as browser:
        for flow in FLOWS:
            page = await browser.new_page()
            await carried_out(page, site, flow, "declared")
            await page.screenshot()
            await page.close()
    assert not shows(path.read_text())
