"""The requests that a crawl makes of links."""

from __future__ import annotations

import pytest

from stillframe.farm.crawl.handling import request_of
from stillframe.farm.crawler.links import page_key
from stillframe.farm.crawler.storage_client import new_request


def test_the_request_of_a_link_is_that_of_its_page() -> None:
    request = request_of("http://h/Guide?b#part")
    assert request is not None
    assert (request.url, request.unique_key) == ("http://h/Guide?b#part", page_key("http://h/Guide?b"))
    assert new_request(request).key == request.unique_key


@pytest.mark.parametrize("link", ["http://xn--a/", "http://\u00e4..b/", "http://h/\ud800"])
def test_a_link_that_crawlee_does_not_take_costs_nothing(link: str) -> None:
    assert request_of(link) is None
