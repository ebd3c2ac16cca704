"""The permissions that pages get without a question, by the names of the Permissions API."""

from __future__ import annotations

from collections.abc import Iterable

from stillframe.cdp_types import browser as cdp_browser
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.security.urls import is_origin

PERMISSIONS = {
    "accelerometer": "sensors",
    "ambient-light-sensor": "sensors",
    "background-sync": "backgroundSync",
    "camera": "videoCapture",
    "clipboard-read": "clipboardReadWrite",
    "clipboard-write": "clipboardSanitizedWrite",
    "geolocation": "geolocation",
    "gyroscope": "sensors",
    "local-fonts": "localFonts",
    "local-network-access": "localNetworkAccess",
    "magnetometer": "sensors",
    "microphone": "audioCapture",
    "midi": "midi",
    "midi-sysex": "midiSysex",
    "notifications": "notifications",
    "payment-handler": "paymentHandler",
    "screen-wake-lock": "wakeLockScreen",
    "storage-access": "storageAccess",
}
"""CDP's type of each permission by the name that Playwright and `navigator.permissions.query` have for it."""

EVERYWHERE = ""
"""The key of what all origins get."""


def checked(permissions: Iterable[str], option: str = "permissions") -> tuple[str, ...]:
    """Return the names of permissions; raises OptionInvalid for an unknown one, with the nearest one."""
    if isinstance(permissions, str) or not isinstance(permissions, Iterable):
        raise OptionInvalid(
            f"option {option}: {permissions!r} is not a list; write ['geolocation'] for one permission", option=option
        )
    names = tuple(permissions)
    for name in names:
        if name not in PERMISSIONS:
            raise OptionInvalid(f"option {option}: {unknown('permission', str(name), PERMISSIONS)}", option=option)
    return names


class Permissions:
    """What a context has granted so far, by origin: Chrome takes the whole list of an origin at once."""

    def __init__(self, context_id: str | None) -> None:
        self._context_id = context_id
        self._granted: dict[str, tuple[str, ...]] = {}

    def grant(self, names: Iterable[str], origin: str | None = None) -> cdp_browser.GrantPermissions:
        """Return the command that grants permissions beside those granted before; raises OptionInvalid."""
        if origin is not None and not is_origin(origin):
            raise OptionInvalid(
                f"option origin: {origin!r} is not an origin; write scheme://host[:port] without a path",
                option="origin",
            )
        key = origin or EVERYWHERE
        known = self._granted.get(EVERYWHERE, ()) + self._granted.get(key, ())
        self._granted[key] = tuple(dict.fromkeys((*known, *checked(names))))
        types = dict.fromkeys(PERMISSIONS[name] for name in self._granted[key])
        return cdp_browser.GrantPermissions(permissions=list(types), origin=origin, browser_context_id=self._context_id)

    def reset(self) -> cdp_browser.ResetPermissions:
        """Return the command that takes all permissions back."""
        self._granted.clear()
        return cdp_browser.ResetPermissions(browser_context_id=self._context_id)
