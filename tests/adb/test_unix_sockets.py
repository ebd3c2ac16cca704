"""DevTools sockets are read from the kernel's table, whatever else processes have put there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.unix_sockets import (
    MAX_PID,
    DevtoolsSocket,
    SocketKind,
    is_package,
    parse_socket_name,
    parse_unix_sockets,
)

HEADING = b"Num       RefCount Protocol Flags    Type St Inode Path\n"
LISTENING = b"0000000000000000: 00000002 00000000 00010000 0001 01 245445 "
CONNECTED = b"0000000000000000: 00000003 00000000 00000000 0001 03 245499 "

TABLE = (
    HEADING
    + LISTENING.replace(b"245445", b" 2818")
    + b"/dev/socket/ss_conn_daemon\n"
    + b"0000000000000000: 00000002 00000000 00000000 0002 01  9231\n"
    + LISTENING
    + b"@mcdaemon\n"
    + LISTENING
    + b"@vendor\x80\xfe\x01.ipc\n"
    + LISTENING
    + b"@webview_devtools_remote_4321\n"
    + CONNECTED
    + b"@webview_devtools_remote_4321\n"
    + LISTENING
    + b"@chrome_devtools_remote\n"
    + CONNECTED
    + b"@webview_devtools_remote_99\n"
    + LISTENING
    + b"@webview_devtools_remote_4321\n"
    + LISTENING
    + b"/data/chrome_devtools_remote\n"
)


def test_only_what_listens_counts_and_each_name_once() -> None:
    names = [each.name for each in parse_unix_sockets(TABLE)]
    assert names == ["webview_devtools_remote_4321", "chrome_devtools_remote"]


def test_the_lines_of_a_pty_mean_the_same() -> None:
    assert parse_unix_sockets(TABLE.replace(b"\n", b"\r\n")) == parse_unix_sockets(TABLE)


@pytest.mark.parametrize("address", [b"ffffffc0a1b2c3d4:", b"00000000:", b"0000000000000000:"])
def test_the_address_of_a_socket_is_of_any_width(address: bytes) -> None:
    row = LISTENING.replace(b"0000000000000000:", address)
    assert len(parse_unix_sockets(HEADING + row + b"@chrome_devtools_remote\n")) == 1


@pytest.mark.parametrize(
    ("name", "kind", "pid", "package"),
    [
        ("chrome_devtools_remote", "chrome", None, None),
        ("chrome_devtools_remote_7001", "chrome", 7001, None),
        ("webview_devtools_remote_22138", "webview", 22138, None),
        ("webview_devtools_remote_m6x_27719", "webview", 27719, None),
        ("webview_devtools_remote_4321_zeus", "webview", 4321, None),
        ("webview_devtools_remote_zeus", "webview", None, None),
        ("webview_devtools_remote", "webview", None, None),
        ("webview_devtools_remote_", "webview", None, None),
        ("webview_devtools_remote_12_345", "webview", 345, None),
        ("webview_devtools_remote_0", "webview", None, None),
        ("webview_devtools_remote_20240817123456", "webview", None, None),
        (f"webview_devtools_remote_{MAX_PID}", "webview", MAX_PID, None),
        (f"webview_devtools_remote_{MAX_PID + 1}", "webview", None, None),
        ("webview_devtools_remote_٣٤", "webview", None, None),
        ("weblayer_devtools_remote_55", "weblayer", 55, None),
        ("xweb_devtools_remote_3210", "xweb", 3210, None),
        ("content_shell_devtools_remote", "content_shell", None, None),
        ("Terrace_devtools_remote", "samsung", None, None),
        ("com.example.browser_devtools_remote", "embedded", None, "com.example.browser"),
        ("org.xwalk.app_devtools_remote_12", "embedded", 12, "org.xwalk.app"),
        ("playwright_0f3a_devtools_remote", "other", None, None),
        ("a b_devtools_remote_5", "other", 5, None),
    ],
)
def test_a_name_says_who_owns_the_socket(name: str, kind: SocketKind, pid: int | None, package: str | None) -> None:
    assert parse_socket_name(name) == DevtoolsSocket(name, kind, pid, package)


@pytest.mark.parametrize(
    "name",
    [
        "stetho_com.example_devtools_remote",
        "node_devtools_remote",
        "chrome_devtools_tethering_12_1",
        "_devtools_remote",
        "webview_devtools_remotely",
        "jdwp-control",
        "",
    ],
)
def test_other_sockets_are_left_out(name: str) -> None:
    assert parse_socket_name(name) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("com.example", True),
        ("com.example.app_2", True),
        ("zygote64", False),
        ("com..example", False),
        ("com.2nd", False),
        ("com.exämple", False),
        ("com.example.app:web", False),
        ("", False),
    ],
)
def test_the_form_of_a_package_name(text: str, expected: bool) -> None:
    assert is_package(text) is expected


@given(st.binary(max_size=400))
def test_garbage_is_survived(garbage: bytes) -> None:
    sockets = parse_unix_sockets(TABLE + garbage + b"\n" + LISTENING + b"@" + garbage)
    assert [each.name for each in sockets][:2] == ["webview_devtools_remote_4321", "chrome_devtools_remote"]
    assert all(each.pid is None or 0 < each.pid <= MAX_PID for each in sockets)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_name_is_read_or_left_out(before: str, after: str) -> None:
    name = f"{before}_devtools_remote{after}"
    parsed = parse_socket_name(name)
    assert parsed is None or parsed.name == name
