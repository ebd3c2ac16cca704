"""Options of contexts by the names of Playwright."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe import devices
from stillframe.errors import OptionInvalid
from stillframe.tab.context.devices import DEVICES
from stillframe.tab.context.names import translated
from stillframe.tab.context.options import ScreenSize, Viewport, parse_context_options
from stillframe.tab.context.permissions import PERMISSIONS, Permissions


def test_names_and_forms_become_ours() -> None:
    options = parse_context_options(
        {
            "timezone_id": "Asia/Tokyo",
            "extra_http_headers": {"a": "b"},
            "accept_downloads": False,
            "color_scheme": "null",
            "viewport": (400, 300),
            "is_mobile": True,
            "device_scale_factor": 2,
            "screen": {"width": 800, "height": 600},
            "default_browser_type": "chromium",
        }
    )
    assert (options.timezone, options.extra_headers, options.downloads) == ("Asia/Tokyo", {"a": "b"}, False)
    assert options.color_scheme is None
    assert options.viewport == Viewport(400, 300, 2, mobile=True, screen=ScreenSize(800, 600))


def test_what_a_screen_is_needs_no_size() -> None:
    assert parse_context_options({"has_touch": True}).viewport == Viewport(1280, 720, touch=True)
    assert parse_context_options({"no_viewport": True}).viewport is None
    assert parse_context_options({"viewport": Viewport(5, 6), "is_mobile": True}).viewport == Viewport(
        5, 6, mobile=True
    )


def test_a_device_is_options_of_a_context() -> None:
    assert len(devices) == 2 * len(DEVICES)
    for name in ("Pixel 7", "iPad Mini landscape"):
        options = parse_context_options(devices[name])
        assert options.device == name
        assert options.viewport is not None
        assert options.viewport.mobile


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"record_video_fps": 10}, "25 frames per second"),
        ({"record_har_path": "a.har"}, r"page\.trace"),
        ({"strict_selectors": False}, "always strict"),
        ({"timezone_id": "UTC", "timezone": "UTC"}, "Playwright's name of timezone"),
        ({"no_viewport": True, "is_mobile": True}, "a viewport is given as well"),
        ({"device": "Pixel 7", "is_mobile": False}, "option is_mobile: the option device"),
        ({"viewport": (1, 2, 3)}, "option viewport"),
        ({"base_url": "shop"}, "with a scheme and a host"),
        ({"permissions": ["geolokation"]}, "did you mean 'geolocation'"),
        ({"service_workers": "blok"}, "option service_workers"),
    ],
)
def test_what_has_no_equal_or_is_wrong_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionInvalid, match=words):
        parse_context_options(given)


def test_options_that_are_ours_stay() -> None:
    given = {"locale": "de-CH", "viewport": None, "offline": True}
    assert translated(given) == given


def test_an_origin_gets_what_all_get_and_its_own() -> None:
    permissions = Permissions("context")
    assert permissions.grant(["camera", "camera"]).permissions == ["videoCapture"]
    own = permissions.grant(["clipboard-read"], "https://a.test")
    assert (own.permissions, own.origin) == (["videoCapture", "clipboardReadWrite"], "https://a.test")
    permissions.reset()
    assert permissions.grant(["midi"]).permissions == ["midi"]
    with pytest.raises(OptionInvalid, match="is not an origin"):
        permissions.grant(["midi"], "https://a.test/path")
    with pytest.raises(OptionInvalid, match="is not a list"):
        permissions.grant("midi")


async def test_chrome_knows_every_permission(browser: Any) -> None:
    async with await browser.new_context(permissions=list(PERMISSIONS)) as context:
        await context.clear_permissions()
