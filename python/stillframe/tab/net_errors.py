"""What to do about a net error of Chrome's: words for people, by the name of the error."""

from __future__ import annotations

CERTIFICATE = "net::ERR_CERT_"
CERTIFICATE_ADVICE = "the certificate is not trusted: let the machine trust its issuer, or use http"

_HUNG_UP = "the server hung up without an answer: check that it speaks this protocol, and look at its log"
_NO_PROXY = "the proxy does not let this through: check the option proxy, and the policy"

ADVICE: dict[str, str] = {
    "net::ERR_ADDRESS_UNREACHABLE": "there is no way to that address: check it, and the network",
    "net::ERR_BLOCKED_BY_CLIENT": "an option of the context blocks this URL",
    "net::ERR_CONNECTION_CLOSED": _HUNG_UP,
    "net::ERR_CONNECTION_REFUSED": "nothing listens there: check the port, and that the server runs",
    "net::ERR_CONNECTION_RESET": _HUNG_UP,
    "net::ERR_CONNECTION_TIMED_OUT": "the server did not take the connection: check the address, and the firewall",
    "net::ERR_EMPTY_RESPONSE": _HUNG_UP,
    "net::ERR_INTERNET_DISCONNECTED": "the context is offline: call set_offline(False)",
    "net::ERR_INVALID_HTTP_RESPONSE": "what answers there does not speak HTTP: check the scheme and the port",
    "net::ERR_NAME_NOT_RESOLVED": "no such host: check how its name is spelled",
    "net::ERR_PROXY_CONNECTION_FAILED": _NO_PROXY,
    "net::ERR_SSL_PROTOCOL_ERROR": "what answers there does not speak TLS: check the scheme and the port",
    "net::ERR_TOO_MANY_REDIRECTS": "each redirect leads to the next without end: often a cookie is missing",
    "net::ERR_TUNNEL_CONNECTION_FAILED": _NO_PROXY,
    "net::ERR_UNSAFE_PORT": "Chrome refuses this port, since it belongs to another protocol: use another port",
}


def advice(reason: str) -> str:
    """Return what to do about a net error, after a colon; nothing for one without advice."""
    told = CERTIFICATE_ADVICE if reason.startswith(CERTIFICATE) else ADVICE.get(reason)
    return f": {told}" if told else ""
