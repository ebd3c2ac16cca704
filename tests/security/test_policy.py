"""Which URLs a policy lets through: names, addresses, spellings of them, and the order of the rules."""

from __future__ import annotations

import pickle
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import pytest
from host_spellings import NASTY, PRIVATE
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import OptionInvalid, UrlRefused
from stillframe.security.policy import UrlPolicy, embedded, parse_policy, private_kind
from stillframe.security.urls import parse_host, parse_url

OPEN = UrlPolicy()

PUBLIC = ["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1111", "2001:4860:4860::8888"]


def rule(policy: UrlPolicy, url: str) -> str | None:
    refusal = policy.judge(url)
    return refusal and refusal.rule


@pytest.mark.parametrize("url", PRIVATE)
def test_no_spelling_of_a_private_host_gets_through(url: str) -> None:
    with pytest.raises(UrlRefused) as caught:
        OPEN.check(url)
    assert caught.value.rule.startswith("private: ")
    assert caught.value.url == url


@pytest.mark.parametrize(("url", "host"), NASTY.items())
def test_hosts_are_read_as_the_standard_says(url: str, host: str | None) -> None:
    if host is None:
        with pytest.raises(ValueError, match=r"\w"):
            parse_url(url)
        assert rule(OPEN, url) == "malformed"
    else:
        read = parse_url(url).host
        assert read is not None
        assert read == parse_host(host)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert private_kind(ip_address(address)) is None
    OPEN.check_address(address)


@given(st.ip_addresses(v=4))
def test_what_carries_an_address_is_as_private_as_it(address: IPv4Address) -> None:
    number = int(address)
    kind = private_kind(address)
    for carrier in (0xFFFF << 32, 0x64_FF9B << 96, 0x2002 << 112):
        shift = 80 if carrier >> 112 == 0x2002 else 0
        carried = IPv6Address(carrier | number << shift)
        assert embedded(carried) == (address,)
        assert private_kind(carried) == kind


@given(st.ip_addresses())
def test_no_address_is_public_that_python_knows_as_private(address: Any) -> None:
    if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
        assert private_kind(address) is not None
    if address.version == 4 and not address.is_global:
        assert private_kind(address) is not None


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
def test_one_number_is_an_address(number: int, spelling: str) -> None:
    read = parse_url(f"http://{spelling.format(number)}:8080/").host
    assert read is not None
    assert read.address == IPv4Address(number)


@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}@127.0.0.1/"):
        refusal = OPEN.judge(url)
        assert refusal is None or (refusal.rule and refusal.reason)


@given(st.text(alphabet=".:@/\\[]%#?xX0127fl&é。", max_size=20))
def test_what_is_let_through_names_a_public_host(text: str) -> None:
    url = f"http://{text}/"
    if OPEN.judge(url) is None:
        host = parse_url(url).host
        assert host is not None
        assert host.address is None or private_kind(host.address) is None


LISTS = UrlPolicy(
    allowed_hosts=["Example.org", "*.shop.test", "localhost:8080", "10.0.0.0/8", "[::1]:9000", "bücher.example"],
    denied_hosts=["admin.shop.test", "*.bad.shop.test", "10.9.0.0/16"],
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://EXAMPLE.org./x", None),
        ("https://www.example.org/", "allowed_hosts"),
        ("https://a.b.shop.test/", None),
        ("https://shop.test/", "allowed_hosts"),
        ("https://notshop.test/", "allowed_hosts"),
        ("https://admin.shop.test/", "denied_hosts: admin.shop.test"),
        ("https://ADMIN.shop.test.:8443/", "denied_hosts: admin.shop.test"),
        ("https://x.admin.shop.test/", None),
        ("https://x.bad.shop.test/", "denied_hosts: *.bad.shop.test"),
        ("http://localhost:8080/", None),
        ("http://localhost/", "allowed_hosts"),
        ("http://10.1.2.3/", None),
        ("http://[::ffff:10.1.2.3]/", None),
        ("http://10.9.2.3/", "denied_hosts: 10.9.0.0/16"),
        ("http://0x0a090203/", "denied_hosts: 10.9.0.0/16"),
        ("http://[::1]:9000/", None),
        ("http://[::1]/", "allowed_hosts"),
        ("http://xn--bcher-kva.example/", None),
        ("http://BÜCHER.example/", None),
        ("wss://example.org/socket", None),
        ("blob:https://example.org/0-0", None),
        ("blob:https://other.test/0-0", "allowed_hosts"),
        ("blob:null/0-0", None),
        ("data:text/html,x", None),
        ("about:blank#x", None),
        ("about:version", "scheme: about"),
        ("file:///etc/passwd", "scheme: file"),
        ("chrome://version", "scheme: chrome"),
        ("javascript:alert(1)", "scheme: javascript"),
        ("view-source:https://example.org/", "scheme: view-source"),
        ("filesystem:https://example.org/x", "scheme: filesystem"),
        ("example.org", "malformed"),
        ("http://[%3a%3a1]/", "malformed"),  # Chromium reads ::1 in it, the standard nothing
        ("blob:blob:https://example.org/0-0", "malformed"),
        ("blob:" * 1000 + "https://example.org/0-0", "malformed"),
        ("", "malformed"),
    ],
)
def test_the_lists_decide(url: str, expected: str | None) -> None:
    assert rule(LISTS, url) == expected


def test_a_resolved_address_is_judged_for_the_host_that_led_to_it() -> None:
    LISTS.check_address("10.1.2.3", host="db.shop.test")
    LISTS.check_address("127.0.0.1", host="localhost", port=8080)
    for address, host in (("127.0.0.1", "db.shop.test"), ("10.9.1.1", "db.shop.test"), ("::ffff:127.0.0.1", None)):
        with pytest.raises(UrlRefused):
            LISTS.check_address(address, host=host)


def test_a_name_below_an_allowed_one_may_not_lead_inside() -> None:
    policy = UrlPolicy(allowed_hosts=["*.example.org", "example.org"])
    policy.check_address("192.168.1.1", host="example.org")
    with pytest.raises(UrlRefused) as caught:
        policy.check_address("192.168.1.1", host="rebound.example.org")
    assert caught.value.rule == "private: private"


def test_private_hosts_can_be_allowed_as_a_whole_and_denied_one_by_one() -> None:
    policy = UrlPolicy(allow_private=True, denied_hosts=["169.254.169.254"])
    policy.check("http://localhost/")
    for url in ("http://0xa9fea9fe/", "http://[::ffff:169.254.169.254]/"):
        assert rule(policy, url) == "denied_hosts: 169.254.169.254"
    with pytest.raises(UrlRefused):
        policy.check_address("169.254.169.254", host="metadata.test")


def test_a_policy_is_a_plain_value() -> None:
    assert pickle.loads(pickle.dumps(LISTS)) == LISTS
    assert parse_policy({"allowed_hosts": ["a.test"]}) == UrlPolicy(allowed_hosts=("a.test",))
    assert LISTS.with_schemes(["file"]).judge("file:///x") is None


@pytest.mark.parametrize(
    ("fields", "option"),
    [
        ({"allowed_hosts": "example.org"}, "policy.allowed_hosts"),
        ({"allowed_hosts": ["https://example.org/"]}, "policy.allowed_hosts"),
        ({"allowed_hosts": ["*"]}, "policy.allowed_hosts"),
        ({"denied_hosts": ["*.10.0.0.1"]}, "policy.denied_hosts"),
        ({"denied_hosts": ["10.0.0.0/33"]}, "policy.denied_hosts"),
        ({"denied_hosts": [3]}, "policy.denied_hosts"),
        ({"allowed_hosts": ["a:b"]}, "policy.allowed_hosts"),
        ({"allow_private": "no"}, "policy.allow_private"),
        ({"allowed_host": []}, "policy.allowed_host"),
    ],
)
def test_what_is_not_a_policy_is_refused(fields: dict[str, Any], option: str) -> None:
    with pytest.raises(OptionInvalid) as caught:
        parse_policy(fields)
    assert caught.value.option == option
