"""Processes are read from what `ps` prints on any version of Android."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.processes import package_of, parse_cmdline, parse_ps

TOOLBOX = """\
USER     PID   PPID  VSIZE  RSS     WCHAN    PC        NAME
root      1     0     2616   780   ffffffff 00000000 S /init
root      2     0     0      0     ffffffff 00000000 S kthreadd
u0_a12    4321  213   1512344 73220 ffffffff b6f3a1b4 S com.example.app:web
u0_a80    4400  213   1512344 73220 ffffffff b6f3a1b4 R com.other
"""
"""Android 5 to 7: the heading has no column for the state."""

TOYBOX_8 = """\
USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME
root             1     0   10632   2276 SyS_epoll_wait      0 S init
root             2     0       0      0 kthreadd            0 S [kthreadd]
u0_a12        4321   213 1512344  73220 SyS_epoll_wait      0 S com.example.app:web
u0_a80        4400   213 1512344  73220 0                   0 R com.other
"""

TOYBOX_15 = """\
USER            PID   PPID        VSZ    RSS WCHAN            ADDR S NAME
root              1      0   11177876  13164 do_epoll_wait       0 S init
root              2      0          0      0 kthreadd            0 S [kthreadd]
u0_a312        4321   1043   14867500 211284 do_epoll_wait       0 S com.example.app:web
u0_a80         4400   1043   14867500 211284 do_freezer_trap     0 D com.other
u0_i9001       4500   1043   14867500 211284 do_epoll_wait       0 S com.example.app:sandboxed_process0:org.chromium.S:0
"""

BUSYBOX = """\
  PID USER       VSZ STAT COMMAND
    1 0        10632 S    init
 4321 10012   151234 S    com.example.app:web
 4400 10080   151234 R    com.other
"""

PROJECTED = "  PID NAME\n 4321 com.example.app:web\n 4400 com.other\n"


@pytest.mark.parametrize(
    "text", [TOOLBOX, TOYBOX_8, TOYBOX_15, BUSYBOX, PROJECTED], ids=["5", "8", "15", "busybox", "-o"]
)
def test_the_pid_column_is_matched_exactly_and_the_name_is_the_last_one(text: str) -> None:
    names = parse_ps(text)
    assert names[4321] == "com.example.app:web"
    assert names[4400] == "com.other"
    assert 213 not in names
    assert 1043 not in names


def test_carriage_returns_of_a_pty_are_not_part_of_a_name() -> None:
    assert parse_ps(TOOLBOX.replace("\n", "\r\n")) == parse_ps(TOOLBOX)


def test_two_tables_are_read_as_one() -> None:
    """`ps -A` prints a heading only before Android 8, and plain `ps` prints few processes since."""
    both = TOYBOX_15.splitlines(keepends=True)[0] + TOOLBOX
    assert parse_ps(both) == parse_ps(TOOLBOX)


def test_without_a_heading_the_second_column_is_the_pid() -> None:
    assert parse_ps(TOYBOX_8.partition("\n")[2])[4321] == "com.example.app:web"


def test_a_process_may_be_called_like_a_heading() -> None:
    assert parse_ps(TOYBOX_8.replace("init\n", "PID\n")) == parse_ps(TOYBOX_8) | {1: "PID"}


def test_a_process_without_a_name_is_left_out() -> None:
    assert parse_ps(TOYBOX_8 + "root 999 2 0 0 0 0 Z\n").get(999) is None


@pytest.mark.parametrize(
    ("process", "package"),
    [
        ("com.example.app", "com.example.app"),
        ("com.example.app:web", "com.example.app"),
        ("com.android.webview:sandboxed_process0:org.chromium.X:0", "com.android.webview"),
        ("", ""),
    ],
)
def test_the_package_is_what_stands_before_the_name_of_the_process(process: str, package: str) -> None:
    assert package_of(process) == package


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"com.example.app:web\0\0\0\0", "com.example.app:web"),
        (b"com.example.app", "com.example.app"),
        (b"com.example.app\n", "com.example.app"),
        (b"app\xff\0--flag\0", "app\ufffd"),
        (b"\0com.example", ""),
        (b"", ""),
    ],
)
def test_a_cmdline_is_read_up_to_its_first_nul(content: bytes, name: str) -> None:
    assert parse_cmdline(content) == name


@given(st.text(max_size=300))
def test_garbage_is_survived(garbage: str) -> None:
    assert all(isinstance(pid, int) and name for pid, name in parse_ps(garbage).items())
    assert parse_ps(TOYBOX_15 + garbage)[4321] is not None
