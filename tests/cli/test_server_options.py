"""Options of `stillframe mcp` about its browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from stillframe.cli.server_options import (
    CONFLICTS,
    check_directory,
    flag,
    geolocation_of,
    headers_of,
    refuse_conflicts,
    script_of,
)
from stillframe.errors import OptionInvalid


@pytest.mark.parametrize(("name", "other", "advice"), CONFLICTS)
def test_options_that_do_not_fit_together_say_so(name: str, other: str, advice: str) -> None:
    with pytest.raises(OptionInvalid) as raised:
        refuse_conflicts({name: True, other: True})
    assert raised.value.option == name
    assert str(raised.value) == f"{flag(name)} has no effect with {flag(other)}: {advice}"
    refuse_conflicts({name: True})
    refuse_conflicts({other: True})


def test_a_header_for_an_endpoint_needs_one() -> None:
    with pytest.raises(OptionInvalid, match="add --connect, or use --header"):
        refuse_conflicts({"connect_header": True})


def test_a_state_of_many_clients_is_refused() -> None:
    with pytest.raises(OptionInvalid, match="add --shared"):
        refuse_conflicts({"save_storage_state": True, "http": True})
    refuse_conflicts({"save_storage_state": True, "http": True, "shared": True})


@pytest.mark.parametrize(
    ("line", "words"),
    [("X-Team", "write NAME=VALUE"), ("X Team=a", "is not a valid header name"), ("=a", "is not a valid header name")],
)
def test_a_wrong_header_is_refused(line: str, words: str) -> None:
    with pytest.raises(OptionInvalid, match=words) as raised:
        headers_of([line], "header")
    assert raised.value.option == "header"


@pytest.mark.parametrize("text", ["47.37", "47.37;8.54", "north,east", ""])
def test_a_wrong_position_is_refused(text: str) -> None:
    with pytest.raises(OptionInvalid, match="LATITUDE,LONGITUDE"):
        geolocation_of(text)


def test_files_are_checked_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(OptionInvalid, match="No such file"):
        script_of(tmp_path / "none.js")
    with pytest.raises(OptionInvalid, match="there is no folder"):
        check_directory(tmp_path / "none" / "state.json", "save_storage_state")
    with pytest.raises(OptionInvalid, match="is a folder; name a file"):
        check_directory(tmp_path, "save_storage_state")
