"""Every option of a context is validated, with an error that names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stillframe.api.browser import Browser
from stillframe.errors import OptionInvalid
from stillframe.tab.context.options import (
    ContextOptions,
    HttpCredentials,
    Viewport,
    check_viewport,
    parse_context_options,
)
from stillframe.tab.context.storage_state import StorageState

WRONG: list[tuple[str, Any]] = [
    ("viewport.width", {"viewport": {"width": "wide", "height": 1}}),
    ("viewport.width", {"viewport": Viewport(0, 1)}),
    ("viewport", {"viewport": {"width": 100}}),
    ("viewport", {"viewport": {"widht": 100, "height": 1, "width": 1}}),
    ("viewport.device_scale_factor", {"viewport": {"width": 100, "height": 1, "device_scale_factor": 0}}),
    ("user_agent", {"user_agent": ""}),
    ("user_agent", {"user_agent": "a\r\nx-b: c"}),
    ("locale", {"locale": "not a locale"}),
    ("timezone", {"timezone": ""}),
    ("color_scheme", {"color_scheme": "purple"}),
    ("reduced_motion", {"reduced_motion": True}),
    ("forced_colors", {"forced_colors": "on"}),
    ("contrast", {"contrast": "less"}),
    ("permissions", {"permissions": ["geolokation"]}),
    ("permissions", {"permissions": "camera"}),
    ("base_url", {"base_url": "/shop"}),
    ("java_script_enabled", {"java_script_enabled": "no"}),
    ("bypass_csp", {"bypass_csp": 1}),
    ("service_workers", {"service_workers": "blok"}),
    ("ignore_https_errors", {"ignore_https_errors": "yes"}),
    ("geolocation.latitude", {"geolocation": {"latitude": 91, "longitude": 0}}),
    ("extra_headers", {"extra_headers": {"bad name": "x"}}),
    ("extra_headers", {"extra_headers": {"x": "a\r\nb"}}),
    ("offline", {"offline": "yes"}),
    ("device", {"device": "Pixl 7"}),
    ("block", {"block": "*.png"}),
    ("block", {"block": ["ads.js"]}),
    ("proxy", {"proxy": "nonsense"}),
    ("proxy", {"proxy": {"server": "user:secret@host:1"}}),
    ("http_credentials", {"http_credentials": {"username": "a"}}),
    ("http_credentials.origin", {"http_credentials": {"username": "a", "password": "b", "origin": "example.org/x"}}),
    ("client_certificates", {"client_certificates": [{"origin": "https://shop.test/path"}]}),
    ("storage_state", {"storage_state": "/nowhere/state.json"}),
    ("storage_state", {"storage_state": {"cookies": [{"name": "a", "value": "b"}]}}),
    ("storage_state", {"storage_state": {"origins": [{"origin": "file:///x", "localStorage": []}]}}),
    ("storage_state", {"storage_state": {"origins": [{"origin": "http://x", "localStorage": [], "indexedDB": [1]}]}}),
    ("downloads", {"downloads": 3}),
    ("downloads", {"downloads": ""}),
    ("dialogs", {"dialogs": "acept"}),
    ("dialogs", {"dialogs": 1}),
    ("dialog_timeout_ms", {"dialog_timeout_ms": 0}),
    ("policy", {"policy": "strict"}),
    ("policy.allowed_hosts", {"policy": {"allowed_hosts": "example.org"}}),
    ("policy.denied_host", {"policy": {"denied_host": []}}),
    ("secrets", {"secrets": "hush"}),
    ("secrets", {"secrets": {"pin": "123"}}),
    ("observe", {"observe": 3}),
    ("observe", {"observe": True}),
    ("trace", {"trace": 3}),
    ("trace", {"trace": ""}),
    ("trace_screenshots", {"trace_screenshots": "yes"}),
    ("record_video_dir", {"record_video_dir": ""}),
    ("record_video_dir", {"record_video_dir": "/dev/null/films"}),
    ("record_video_size", {"record_video_size": (800, 450)}),
    ("record_video_size.width", {"record_video_size": {"width": 0, "height": 450}}),
    ("slow_mo", {"slow_mo": -1}),
    ("slow_mo", {"slow_mo": "50"}),
    ("slow_mo", {"slow_mo": True}),
    ("slow_mo", {"slow_mo": float("nan")}),
    ("slow_mo", {"slow_mo": 600_001}),
]


@pytest.mark.parametrize(("option", "options"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_value_is_refused_by_the_name_of_its_option(option: str, options: dict[str, Any]) -> None:
    with pytest.raises(OptionInvalid, match=option.rpartition(".")[2]) as caught:
        parse_context_options(options)
    assert caught.value.option == option


@pytest.mark.parametrize("option", ContextOptions.__struct_fields__)
def test_every_option_has_a_wrong_value(option: str) -> None:
    assert any(name.partition(".")[0] == option for name, _ in WRONG)


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'timezone'") as caught:
        parse_context_options({"time_zone": "UTC"})
    assert caught.value.option == "time_zone"


def test_a_pattern_that_can_match_nothing_comes_with_one_that_can() -> None:
    with pytest.raises(OptionInvalid, match=r"did you mean '\*ads\.js\*'"):
        parse_context_options({"block": ["ads.js"]})


def test_a_login_is_not_shown() -> None:
    options = parse_context_options(
        {
            "proxy": "http://ann:hush@127.0.0.1:1",
            "http_credentials": HttpCredentials("bob", "whisper"),
            "storage_state": {"cookies": [{"name": "a", "value": "murmur", "url": "http://x"}]},
        }
    )
    proxy = options.resolved_proxy()
    assert proxy is not None
    assert proxy.password == "hush"
    assert not {"whisper", "murmur"} & set(repr(options).replace("'", " ").split())
    assert "hush" not in repr(proxy)


def test_a_storage_state_comes_from_a_dict_or_a_file(tmp_path: Path) -> None:
    plain = {"cookies": [], "origins": [{"origin": "http://x", "localStorage": [{"name": "a", "value": "1"}]}]}
    file = tmp_path / "state.json"
    file.write_text(json.dumps(plain))
    states = [parse_context_options({"storage_state": source}).storage_state for source in (plain, str(file), file)]
    assert states[0] == states[1] == states[2]
    assert isinstance(states[0], StorageState)
    assert states[0].origins[0].local_storage[0].name == "a"


def test_a_viewport_is_checked_on_its_own() -> None:
    assert check_viewport({"width": 5, "height": 6, "touch": True}) == Viewport(5, 6, touch=True)
    with pytest.raises(OptionInvalid, match="width"):
        check_viewport({"width": -5, "height": 6})


@pytest.mark.parametrize("options", [{"timezone": "Mars/Olympus"}])
async def test_what_only_the_browser_can_judge_is_refused_by_name_too(
    browser: Browser, options: dict[str, Any]
) -> None:
    async with await browser.new_context(**options) as context:
        with pytest.raises(OptionInvalid, match="Invalid timezone") as caught:
            await context.new_page()
        assert caught.value.option == "timezone"
        assert context.pages == []
