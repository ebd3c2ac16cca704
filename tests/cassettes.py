"""What the tests of cassettes share."""

from __future__ import annotations

from stillframe.chrome.browser_info import BrowserInfo

INFO = BrowserInfo(
    product="Chrome/156.0.1.2",
    protocol_version="1.3",
    revision="@1",
    user_agent="Mozilla/5.0",
    js_version="15",
    transport="pipe",
    launched=True,
)
"""A browser that a cassette was recorded with."""
