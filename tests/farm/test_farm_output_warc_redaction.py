"""An archive has no secret of the context in it, and what had one says so."""

from __future__ import annotations

from typing import Any

import pytest
from output_warc import read_records

from stillframe.farm.output.warc_recorder import without_secrets
from stillframe.farm.output.warc_records import Exchange, members
from stillframe.model.secret import REDACTED
from stillframe.security.redaction import Redaction

SECRET = "lantern-öl"


@pytest.fixture
def redaction() -> Redaction:
    redaction = Redaction()
    redaction.add(SECRET)
    return redaction


def exchange(body: bytes, kind: str = "text/html", **fields: Any) -> Exchange:
    headers = [("Content-Type", kind), ("Content-Length", str(len(body)))]
    return Exchange(
        url="http://a/", method="POST", sent_at=1.0, status=200, body=body, response_headers=headers, **fields
    )


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252", "utf-16-le"])
def test_a_body_is_read_in_its_charset(redaction: Redaction, charset: str) -> None:
    given = exchange(f"ö pin={SECRET}.".encode(charset), f"text/plain; charset={charset}")
    body = without_secrets(given, redaction).body or b""
    assert SECRET not in body.decode(charset)
    assert body.decode(charset).startswith("ö pin=")


def test_a_record_without_its_secrets_is_whole_and_says_so(redaction: Redaction) -> None:
    given = exchange(
        f"<p>{SECRET}".encode(),
        post_data=f"pin={SECRET}".encode(),
        request_headers=[("Cookie", f"pin={SECRET}")],
    )
    given.url = "http://a/?pin=lantern-%C3%B6l"
    records = {record.kind: record for record in read_records(members([without_secrets(given, redaction)]))}
    assert records["response"].body == f"<p>{REDACTED}".encode()
    assert records["response"].headers["Content-Length"] == str(len(f"<p>{REDACTED}".encode()))
    assert records["request"].body == f"pin={REDACTED}".encode()
    assert b"not what went over the wire" in records["metadata"].body
    for record in records.values():
        assert "lantern" not in repr(record)


def test_what_has_no_secret_is_the_same_object(redaction: Redaction) -> None:
    given = exchange(bytes(range(256)), "image/png")
    assert without_secrets(given, redaction) is given
    assert without_secrets(exchange(SECRET.encode()), Redaction()).body == SECRET.encode()
