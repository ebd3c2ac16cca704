"""Where the adb server listens, as adb's own tools find it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from stillframe.errors import OptionInvalid

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 5037
"""The port of adb since its first release (AOSP, `DEFAULT_ADB_PORT`)."""

_STARTED_AT = frozenset({"127.0.0.1", "localhost"})
"""The hosts at which `adb start-server` listens; for every other one, also `::1`, adb says "remote" (AOSP)."""
_LOOPBACK = _STARTED_AT | {"::1"}
_HOST_AND_PORT = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<name>[^:\[\]/\s]+)):(?P<port>[^:]*)")
_OTHER_KINDS = ("localfilesystem:", "localabstract:", "localreserved:", "local:", "unix:", "vsock:", "acceptfd:")


class AdbAddress(NamedTuple):
    """The TCP address of an adb server; `host` is a name or an IP address without brackets."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return self.host in _LOOPBACK

    @property
    def can_start(self) -> bool:
        """Whether `adb start-server` starts a server that listens here."""
        return self.host in _STARTED_AT


def adb_address(environ: Mapping[str, str]) -> AdbAddress:
    """Return the address of the adb server that `environ` names, 127.0.0.1:5037 by default.

    Reads `ADB_SERVER_SOCKET` (`tcp:port` or `tcp:host:port`); if it is unset, `ANDROID_ADB_SERVER_ADDRESS` and
    `ANDROID_ADB_SERVER_PORT`. An empty variable counts as unset. Raises OptionInvalid, whose `option` is the variable,
    if a value is not a TCP address.
    """
    if spec := environ.get("ADB_SERVER_SOCKET", ""):
        return _parse_socket(spec)
    host = _parse_host(environ.get("ANDROID_ADB_SERVER_ADDRESS", "") or DEFAULT_HOST)
    port = environ.get("ANDROID_ADB_SERVER_PORT", "") or str(DEFAULT_PORT)
    return AdbAddress(host, _port("ANDROID_ADB_SERVER_PORT", port, port))


def parse_address(text: str) -> AdbAddress:
    """Return the address in `host:port`, or in a port alone; raises OptionInvalid for the option `adb_server`."""
    try:
        return _parse_socket(f"tcp:{text}")
    except OptionInvalid:
        raise OptionInvalid(
            f"option adb_server: {text!r} is not HOST:PORT, for example 127.0.0.1:5037", option="adb_server"
        ) from None


def _parse_socket(spec: str) -> AdbAddress:
    option = "ADB_SERVER_SOCKET"
    kind, _, rest = spec.partition(":")
    if kind != "tcp":
        raise _invalid(option, spec, _why_not_tcp(spec))
    if rest.isdecimal():
        return AdbAddress(DEFAULT_HOST, _port(option, spec, rest))
    found = _HOST_AND_PORT.fullmatch(rest)
    if found is None:
        raise _invalid(option, spec, "write tcp:PORT or tcp:HOST:PORT, and an IPv6 address in brackets")
    return AdbAddress(found["v6"] or found["name"], _port(option, spec, found["port"]))


def _why_not_tcp(spec: str) -> str:
    if spec.startswith(_OTHER_KINDS):
        return f"stillframe talks to an adb server over TCP only, not over {spec.partition(':')[0]!r} sockets"
    return "write tcp:PORT or tcp:HOST:PORT"


def _parse_host(text: str) -> str:
    host = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if not host or re.search(r"[\[\]/\s]", host):
        raise _invalid("ANDROID_ADB_SERVER_ADDRESS", text, "it is a host name or an IP address, without a port")
    if host.count(":") == 1:
        raise _invalid("ANDROID_ADB_SERVER_ADDRESS", text, "the port belongs into ANDROID_ADB_SERVER_PORT")
    return host


def _port(option: str, value: str, text: str) -> int:
    # int() accepts signs, spaces and underscores, which adb does not.
    if re.fullmatch(r"[0-9]{1,5}", text) and 1 <= int(text) <= 65535:
        return int(text)
    raise _invalid(option, value, "a port is a number from 1 to 65535")


def _invalid(option: str, value: str, why: str) -> OptionInvalid:
    return OptionInvalid(f"the environment variable {option} is {value!r}: {why}", option=option)
