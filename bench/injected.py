"""Playwright's script for pages (selectors, aria snapshots), taken out of the npm package to be run in any page."""

from __future__ import annotations

import json
import re

from bench.pages import PACKAGES

BUNDLE = PACKAGES / "playwright-core/lib/coreBundle.js"
OPTIONS: dict[str, object] = {
    "sdkLanguage": "python",
    "testIdAttributeName": "data-testid",
    "browserName": "chromium",
    "stableRafCount": 1,
    "customEngines": [],
}


def injected_script() -> str | None:
    """Return a JavaScript expression that makes Playwright's `InjectedScript`; None where it is not installed."""
    if not BUNDLE.is_file():
        return None
    literals = re.findall(r"^\s*source\d+ = ('.*');$", BUNDLE.read_text("utf-8"), re.MULTILINE)
    literal = next(text for text in literals if "generateSelectorSimple" in text and "InjectedScript" in text)
    return (
        f"new Function('globalThis', 'const module = {{}};' + {literal}"
        f" + '; return new (module.exports.InjectedScript())(globalThis, {json.dumps(OPTIONS)})')(window)"
    )
