"""Which hosts have figures of their own, and that they are few whatever a crawl meets."""

from __future__ import annotations

import random

import pytest

from stillframe.farm.metrics.hosts import OTHER, SLOTS, STAY_S, WAITING, BusyHosts, host_name


def names(hosts: BusyHosts) -> set[str]:
    return {each.host for each in hosts.figures()}


def test_the_first_hosts_have_figures_and_the_others_share_one() -> None:
    hosts = BusyHosts(slots=2)
    for n, host in enumerate(("a", "b", "c", "d", "a")):
        hosts.count(host, "failed" if host == "c" else "done", 0.5, float(n))
    assert {each.host: (each.pages, each.seconds) for each in hosts.figures()} == {
        "a": ({"done": 2}, 1.0),
        "b": ({"done": 1}, 0.5),
        OTHER: ({"failed": 1, "done": 1}, 1.0),
    }


def test_a_busy_host_takes_the_slot_of_an_idle_one_but_not_soon() -> None:
    hosts = BusyHosts(slots=1)
    hosts.count("idle", "done", 0.0, 0.0)
    for n in range(50):
        hosts.count("busy", "done", 0.0, n / 10)
    assert names(hosts) == {"idle", OTHER}, "a slot is kept for a while"
    for n in range(3):
        hosts.count("busy", "done", 0.0, STAY_S + n)
    assert names(hosts) == {"busy", OTHER}
    assert [each.pages for each in hosts.figures()] == [{"done": 3}, {"done": 50}], "series begin at nought"


def test_two_equal_hosts_do_not_swap() -> None:
    hosts = BusyHosts(slots=1)
    kept = set[str]()
    for n in range(10_000):
        hosts.count("ab"[n % 2], "done", 0.0, float(n))
        kept |= names(hosts)
    assert kept == {"a", OTHER}


def test_a_crawl_of_a_million_hosts_has_few_series_and_little_memory_and_counts_each_page() -> None:
    hosts, dice, seen, pages = BusyHosts(), random.Random(1), set[str](), 20_000
    for n in range(pages):
        hosts.count(f"h{dice.randrange(1_000_000)}", "done", 0.0, n / 20)
        if n % 200 == 0:
            seen |= names(hosts)
    found = hosts.figures()
    assert len(found) == SLOTS + 1
    assert len(hosts._waiting) <= WAITING
    assert len(seen) <= SLOTS * (pages / 20 / STAY_S + 1) + 1
    assert found[-1].pages["done"] > 0.99 * pages, "hosts that come once do not take slots from each other"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://ann:secret@Shop.test:8443/a", "shop.test:8443"),
        ("http://[", OTHER),
        ("mailto:a@b", OTHER),
        ("http://" + "a" * 300 + "/", "a" * 100),
    ],
)
def test_the_host_of_a_url_as_a_label(url: str, host: str) -> None:
    assert host_name(url) == host
