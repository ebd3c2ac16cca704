"""That we read hosts as Chromium does: where both read one, it is the same."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from host_spellings import NASTY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stillframe.api.browser import Page
from stillframe.security.urls import parse_url

READ = """urls => urls.map(text => {
    try { const url = new URL(text); return [url.protocol, url.hostname, url.port] } catch { return null }
})"""

LABELS = st.one_of(
    st.text(alphabet="abcXYZ019-_", min_size=1, max_size=8),
    st.sampled_from(
        ["xn--bcher-kva", "bücher", "ＡＢＣ", "straße", "пример", "例え", "Ⅷ", "ﬁ", "İ", "a\u00adb", "0x1f", "08"]
    ),
    st.integers(0, 2**33).map(str),
    st.integers(0, 2**33).map(hex),
    st.integers(0, 2**33).map(lambda number: f"0{number:o}"),
)
HOSTS = st.one_of(
    st.lists(LABELS, min_size=1, max_size=5).flatmap(
        lambda labels: st.sampled_from([".", "。", "．", "%2e"]).map(lambda dot: dot.join(labels))
    ),
    st.ip_addresses().map(lambda ip: f"[{ip}]" if ip.version == 6 else str(ip)),
    st.ip_addresses(v=4).map(lambda ip: f"[::ffff:{ip}]"),
)
URLS = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(["http:", "https:", "HTTP:", "ws:", " http:", "ht\ntp:"]),
    st.sampled_from(["//", "", "/", "\\\\", "///", "/\t/"]),
    st.sampled_from(["", "user@", "user:pw@", "a@b@", "good.test:80@", "x\\@", "%40@"]),
    HOSTS,
    st.sampled_from(["", ".", ":80", ":", ":8080", ":65535", ":65536", ":0x50"]),
    st.sampled_from(["", "/", "/x@y", "?@127.0.0.1", "#@127.0.0.1", "\\@127.0.0.1"]),
)


def agrees(url: str, theirs: list[str] | None) -> bool:
    """Whether our reading of a URL is Chromium's; we may refuse what it reads, never the other way round."""
    try:
        ours = parse_url(url)
    except ValueError:
        return True
    if ours.host is None or theirs is None:
        return False
    name = theirs[1].strip("[]").rstrip(".")
    same = ip_address(name) == ours.host.address if ours.host.address else name == ours.host.name
    return same and theirs[0] == f"{ours.scheme}:"


async def read(page: Page, urls: list[str]) -> list[Any]:
    return list(await page._tab.frames.main.call(READ, urls))


async def test_chromium_reads_the_nasty_ones_as_the_table_says(page: Page) -> None:
    theirs = await read(page, list(NASTY))
    for (url, host), parts in zip(NASTY.items(), theirs, strict=True):
        assert (parts[1].removesuffix(".") if parts else None) == host, url
        assert agrees(url, parts)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(urls=st.lists(URLS, min_size=20, max_size=20))
async def test_we_read_generated_hosts_as_chromium_does(page: Page, urls: list[str]) -> None:
    for url, parts in zip(urls, await read(page, urls), strict=True):
        assert agrees(url, parts), (url, parts, parse_url(url))
