"""What values show in logs."""

from __future__ import annotations

from stillframe.model.events import DownloadReport, NewTarget, Request, Response
from stillframe.model.result import NavigationResult


def test_no_repr_shows_what_was_typed_into_a_page() -> None:
    typed, url = "lantern", "https://a.example/find?q=lantern#lantern"
    sent = Request(
        id="1",
        url=url,
        method="POST",
        resource_type="fetch",
        headers={"cookie": typed},
        post_data=typed,
        redirected_from_url=url,
    )
    for value in (
        sent,
        Response(url=url, status=200, status_text="OK", headers={"set-cookie": typed}, request=sent),
        NavigationResult(url=url),
        NewTarget(target_id="T", type="page", url=url),
        DownloadReport(url=url, suggested_filename="a", state="completed"),
    ):
        assert typed not in repr(value)
        assert "'https://a.example/find…'" in repr(value)
    assert repr(NavigationResult(url="http://a/b", status=200)) == "NavigationResult(url='http://a/b', status=200)"
