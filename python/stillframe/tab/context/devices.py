"""Devices that a browser can appear as: the size and kind of their screens, and what their browsers call themselves.

The names are those that Playwright and Chrome's DevTools use. Sizes are those of the page in an upright browser with
its bars shown, in CSS pixels; a name with ` landscape` turns the device on its side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean

LANDSCAPE = " landscape"

ANDROID = (
    "Mozilla/5.0 (Linux; Android {os}; {model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome}.0.0.0 {form}"
)
APPLE = (
    "Mozilla/5.0 ({model}; CPU {system} {os} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/{version} Mobile/15E148 Safari/604.1"
)
PHONE, TABLET = "Mobile Safari/537.36", "Safari/537.36"


class Device(NamedTuple):
    """One device; `{chrome}` in its user agent stands for the major version of the browser that is used."""

    width: int
    height: int
    scale: float
    user_agent: str
    mobile: bool = True
    """Whether it has a touch screen and lays out pages as a phone does."""

    def turned(self) -> Device:
        """Return the device on its side."""
        return self._replace(width=self.height, height=self.width)


def _android(width: int, height: int, scale: float, os: str, model: str, form: str = PHONE) -> Device:
    return Device(width, height, scale, ANDROID.format(os=os, model=model, chrome="{chrome}", form=form))


def _iphone(width: int, height: int, scale: float, os: int) -> Device:
    system = APPLE.format(model="iPhone", system="iPhone OS", os=f"{os}_0", version=f"{os}.0")
    return Device(width, height, scale, system)


def _ipad(width: int, height: int, os: int) -> Device:
    return Device(width, height, 2, APPLE.format(model="iPad", system="OS", os=f"{os}_0", version=f"{os}.0"))


DEVICES: dict[str, Device] = {
    "Galaxy S8": _android(360, 740, 3, "9", "SM-G950U"),
    "Galaxy S9+": _android(320, 658, 4.5, "10", "SM-G965U"),
    "Galaxy S24": _android(360, 780, 3, "14", "SM-S921U"),
    "Galaxy A55": _android(480, 1040, 2.25, "14", "SM-A556B"),
    "Galaxy Tab S4": _android(712, 1138, 2.25, "10", "SM-T837A", TABLET),
    "Galaxy Tab S9": _android(640, 1024, 2.5, "14", "SM-X710", TABLET),
    "Pixel 4": _android(353, 745, 3, "13", "Pixel 4"),
    "Pixel 5": _android(393, 727, 2.75, "14", "Pixel 5"),
    "Pixel 7": _android(412, 839, 2.625, "14", "Pixel 7"),
    "Pixel 8": _android(412, 839, 2.625, "15", "Pixel 8"),
    "iPhone SE": _iphone(320, 568, 2, 15),
    "iPhone SE (3rd gen)": _iphone(375, 667, 2, 17),
    "iPhone 11": _iphone(414, 715, 2, 15),
    "iPhone 12": _iphone(390, 664, 3, 16),
    "iPhone 13": _iphone(390, 664, 3, 16),
    "iPhone 13 Mini": _iphone(375, 629, 3, 16),
    "iPhone 14": _iphone(390, 664, 3, 17),
    "iPhone 14 Pro Max": _iphone(430, 740, 3, 17),
    "iPhone 15": _iphone(393, 659, 3, 17),
    "iPhone 15 Pro": _iphone(393, 659, 3, 17),
    "iPhone 15 Pro Max": _iphone(430, 739, 3, 17),
    "iPad (gen 7)": _ipad(810, 1080, 16),
    "iPad Mini": _ipad(768, 1024, 16),
    "iPad Pro 11": _ipad(834, 1194, 17),
}
"""The devices by their names."""


OLDEST_MAJOR = 120
"""The major version that an Android browser names if that of the browser in use is not known."""


def find_device(name: str) -> Device:
    """Return a device, upright or with ` landscape` on its side; raises OptionInvalid with the nearest name.

    >>> find_device("Pixel 7 landscape")[:2]
    (839, 412)
    """
    upright = name.removesuffix(LANDSCAPE)
    device = DEVICES.get(upright)
    if device is None:
        hint = did_you_mean(upright, DEVICES)
        raise OptionInvalid(
            f"option device: {name!r} is not a known device{hint}; known: {', '.join(DEVICES)}, each also with "
            f"{LANDSCAPE!r}",
            option="device",
        )
    return device if upright == name else device.turned()


def _options(name: str, device: Device) -> dict[str, Any]:
    return {
        "device": name,
        "viewport": {"width": device.width, "height": device.height},
        "device_scale_factor": device.scale,
        "is_mobile": device.mobile,
        "has_touch": device.mobile,
    }


devices: Mapping[str, dict[str, Any]] = {
    title: _options(title, each)
    for name, device in DEVICES.items()
    for title, each in ((name, device), (f"{name}{LANDSCAPE}", device.turned()))
}
"""The options of a context that appears as a device, by its name: `browser.new_context(**devices["Pixel 7"])`. The user
agent comes with `device`, because it names the version of the browser that is used."""
