"""Advice for people on Chrome's net errors, by error name."""

from __future__ import annotations

CERTIFICATE = "net::ERR_CERT_"
CERTIFICATE_ADVICE = "the certificate is not trusted: make this machine trust its issuer, or use http"

_ASKS = "the server asks for a client certificate: give one that it accepts as the option client_certificates"
_HUNG_UP = "the server closed the connection without a response: check the protocol and the server's log"
_NO_PROXY = "the proxy refuses this connection: check the option proxy and the policy"

CUT_OFF = frozenset({
    "net::ERR_CONNECTION_CLOSED", "net::ERR_CONNECTION_RESET", "net::ERR_EMPTY_RESPONSE",
    "net::ERR_HTTP2_PING_FAILED", "net::ERR_HTTP2_PROTOCOL_ERROR", "net::ERR_SOCKET_NOT_CONNECTED",
    "net::ERR_TUNNEL_CONNECTION_FAILED",
})  # fmt: skip
"""What Chrome says of a connection that a proxy has ended; for an origin with a client certificate we know why."""

ADVICE: dict[str, str] = {
    "net::ERR_ADDRESS_UNREACHABLE": "the address is unreachable: check the address and the network",
    "net::ERR_BAD_SSL_CLIENT_AUTH_CERT": _ASKS,
    "net::ERR_BLOCKED_BY_CLIENT": "an option of the context blocks this URL",
    "net::ERR_CONNECTION_CLOSED": _HUNG_UP,
    "net::ERR_CONNECTION_REFUSED": "nothing listens there: check the port and that the server runs",
    "net::ERR_CONNECTION_RESET": _HUNG_UP,
    "net::ERR_CONNECTION_TIMED_OUT": "the server did not accept the connection: check the address and the firewall",
    "net::ERR_EMPTY_RESPONSE": _HUNG_UP,
    "net::ERR_INTERNET_DISCONNECTED": "the context is offline: call set_offline(False)",
    "net::ERR_INVALID_HTTP_RESPONSE": "the server does not speak HTTP: check the scheme and the port",
    "net::ERR_NAME_NOT_RESOLVED": "no such host: check the spelling of its name",
    "net::ERR_PROXY_CONNECTION_FAILED": _NO_PROXY,
    "net::ERR_SOCKET_NOT_CONNECTED": _HUNG_UP,
    "net::ERR_SSL_CLIENT_AUTH_CERT_NEEDED": _ASKS,
    "net::ERR_SSL_PROTOCOL_ERROR": "the server does not speak TLS: check the scheme and the port",
    "net::ERR_TOO_MANY_REDIRECTS": "the redirects never end: a missing cookie is a frequent cause",
    "net::ERR_TUNNEL_CONNECTION_FAILED": _NO_PROXY,
    "net::ERR_UNSAFE_PORT": "Chrome blocks this port because another protocol uses it: use another port",
}


def advice(reason: str) -> str:
    """Return the advice for a net error after a colon, or "" if there is none."""
    text = CERTIFICATE_ADVICE if reason.startswith(CERTIFICATE) else ADVICE.get(reason)
    return f": {text}" if text else ""
