"""One request to a DevTools endpoint and its answer, parsed by h11. No I/O: the caller moves the bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import h11

from stillframe.chrome.http1 import CLOSE, server_connection

READ_BYTES = 64 * 1024
"""Bytes that a caller reads at once."""


class HttpAnswer(NamedTuple):
    """The answer to one request; `reason` is the text beside the status, and may be empty."""

    status: int
    reason: str
    body: bytes


class HttpExchange:
    """One request on a connection of its own: send `request`, then feed what arrives until the answer is there.

    Bodies of more than `most` bytes are refused. No Origin is sent, because Chrome answers 403 to an unknown one.
    """

    def __init__(
        self, path: str, host: str, *, method: str = "GET", most: int, headers: Mapping[str, str] | None = None
    ) -> None:
        self._parser = server_connection()
        self._most = most
        self._head: h11.Response | None = None
        self._body = bytearray()
        more = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        head = h11.Request(method=method, target=path, headers=[(b"Host", host.encode()), CLOSE, *more])
        self.request: bytes = (self._parser.send(head) or b"") + (self._parser.send(h11.EndOfMessage()) or b"")

    def feed(self, data: bytes) -> HttpAnswer | None:
        """Take what was read, empty at the end of the stream, and return the answer once it is complete.

        Raises ValueError for what is not HTTP and for a body that is too large, and EOFError if the stream ends before
        the answer does.
        """
        try:
            self._parser.receive_data(data)
            return self._advance()
        except h11.RemoteProtocolError as error:
            if not data:
                raise EOFError("the connection closed before the answer was complete") from None
            raise ValueError(str(error)) from None

    def _advance(self) -> HttpAnswer | None:
        while (event := self._parser.next_event()) is not h11.NEED_DATA:
            if isinstance(event, h11.Response):
                self._head = event
            elif isinstance(event, h11.Data):
                self._add(event.data)
            elif isinstance(event, h11.EndOfMessage) and self._head is not None:
                return HttpAnswer(self._head.status_code, self._head.reason.decode("latin-1"), bytes(self._body))
        return None

    def _add(self, data: bytes) -> None:
        self._body += data
        if len(self._body) > self._most:
            raise ValueError(f"the answer has more than {self._most} bytes")
