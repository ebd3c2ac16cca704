"""The errors of the session server; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class SessionServerFailed(StillframeError):
    """The background process that keeps sessions between commands cannot be started or reached.

    Remedy: Do what the message says. If it names no cause, run `stillframe session stop` and open the sessions again.
    """

    code = "session_server_failed"
