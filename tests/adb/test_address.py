"""Where the adb server listens, from the environment."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stillframe.adb.address import AdbAddress, adb_address, parse_address
from stillframe.errors import OptionInvalid

SOCKET = "ADB_SERVER_SOCKET"
HOST = "ANDROID_ADB_SERVER_ADDRESS"
PORT = "ANDROID_ADB_SERVER_PORT"


@pytest.mark.parametrize(
    ("environ", "address"),
    [
        ({}, "127.0.0.1:5037"),
        ({SOCKET: "", HOST: "", PORT: ""}, "127.0.0.1:5037"),
        ({PORT: "5038"}, "127.0.0.1:5038"),
        ({HOST: "farm.example"}, "farm.example:5037"),
        ({HOST: "10.0.0.7", PORT: "1"}, "10.0.0.7:1"),
        ({HOST: "::1", PORT: "65535"}, "[::1]:65535"),
        ({HOST: "[fe80::1%eth0]"}, "[fe80::1%eth0]:5037"),
        ({SOCKET: "tcp:5039"}, "127.0.0.1:5039"),
        ({SOCKET: "tcp:localhost:5039"}, "localhost:5039"),
        ({SOCKET: "tcp:[::1]:5039"}, "[::1]:5039"),
        ({SOCKET: "tcp:farm.example:5039", HOST: "other", PORT: "7"}, "farm.example:5039"),
    ],
)
def test_the_variables_of_adb_name_the_server(environ: dict[str, str], address: str) -> None:
    assert str(adb_address(environ)) == address


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        (SOCKET, "localfilesystem:/tmp/adb.sock", "over TCP only, not over 'localfilesystem' sockets"),
        (SOCKET, "localabstract:adb", "over TCP only, not over 'localabstract' sockets"),
        (SOCKET, "vsock:3:5037", "over TCP only"),
        (SOCKET, "5037", "tcp:HOST:PORT"),
        (SOCKET, "udp:5037", "tcp:HOST:PORT"),
        (SOCKET, "tcp:", "tcp:HOST:PORT"),
        (SOCKET, "tcp:host", "tcp:HOST:PORT"),
        (SOCKET, "tcp:::1:5037", "brackets"),
        (SOCKET, "tcp:host:", "a number from 1 to 65535"),
        (SOCKET, "tcp:0", "a number from 1 to 65535"),
        (SOCKET, "tcp:host:65536", "a number from 1 to 65535"),
        (PORT, "zero", "a number from 1 to 65535"),
        (PORT, "+5037", "a number from 1 to 65535"),
        (PORT, "5_037", "a number from 1 to 65535"),
        (PORT, "٥٠٣٧", "a number from 1 to 65535"),
        (HOST, "host:5037", "ANDROID_ADB_SERVER_PORT"),
        (HOST, "a host", "without a port"),
        (HOST, "[]", "without a port"),
    ],
)
def test_a_value_that_is_not_a_tcp_address_is_refused_with_its_variable(option: str, value: str, why: str) -> None:
    with pytest.raises(OptionInvalid, match=why) as caught:
        adb_address({option: value})
    assert caught.value.option == option
    assert option in str(caught.value)
    assert repr(value) in str(caught.value)


@given(st.dictionaries(st.sampled_from([SOCKET, HOST, PORT]), st.text(max_size=30)))
@example({SOCKET: "tcp:٥"})
def test_any_text_is_an_address_or_refused(environ: dict[str, str]) -> None:
    try:
        address = adb_address(environ)
    except OptionInvalid:
        return
    assert address.host
    assert 1 <= address.port <= 65535


@pytest.mark.parametrize(
    ("host", "local", "start"),
    [
        ("127.0.0.1", True, True),
        ("localhost", True, True),
        ("::1", True, False),
        ("127.0.0.2", False, False),
        ("farm.example", False, False),
    ],
)
def test_only_a_server_on_this_machine_can_be_started(host: str, local: bool, start: bool) -> None:
    address = AdbAddress(host)
    assert (address.is_local, address.can_start) == (local, start)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:5038", AdbAddress("127.0.0.1", 5038)),
        ("adb.example:1", AdbAddress("adb.example", 1)),
        ("[::1]:5037", AdbAddress("::1", 5037)),
        ("5039", AdbAddress(port=5039)),
    ],
)
def test_an_address_is_host_and_port(text: str, address: AdbAddress) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "nonsense:port", "host:", "host:0", "host:70000", "tcp:host:1:2"])
def test_what_is_not_an_address_is_named(text: str) -> None:
    with pytest.raises(OptionInvalid, match="is not HOST:PORT") as raised:
        parse_address(text)
    assert raised.value.option == "adb_server"
