"""Requests in the store: their keys."""

from __future__ import annotations

from crawlee import Request

from stillframe.farm.crawler.storage_client import new_request


def test_a_key_of_the_url_tells_pages_apart_and_a_chosen_key_stays() -> None:
    made = [new_request(Request.from_url(url)) for url in ("http://h/A", "http://h/a", "http://h/#/a", "http://h/a#b")]
    assert [each.key for each in made] == ["http://h/A", "http://h/a", "http://h/#/a", "http://h/a"]
    assert all(Request.model_validate_json(each.body).unique_key == each.key for each in made)
    assert new_request(Request.from_url("http://h/A", unique_key="mine")).key == "mine"
