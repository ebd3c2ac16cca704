"""One shell command lists sockets with their processes, in any shell that a device may have."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.socket_listing import (
    FROZEN_ADJ,
    LISTING_COMMAND,
    SEPARATOR,
    FoundSocket,
    parse_listing,
)

SHELLS = [shell for shell in ("sh", "mksh", "dash", "busybox") if shutil.which(shell)]
"""`sh` is everywhere; `mksh` is Android's."""
LINE = f"{SEPARATOR}\n".encode()
HEADING = b"Num       RefCount Protocol Flags    Type St Inode Path\n"
PS = "USER PID PPID VSZ RSS WCHAN ADDR S NAME\n"


def unix_row(name: bytes, *, connected: bool = False) -> bytes:
    flags, state = (b"00000000", b"03") if connected else (b"00010000", b"01")
    return b"0000000000000000: 00000002 00000000 " + flags + b" 0001 " + state + b" 24544 @" + name + b"\n"


def listing(names: list[str], processes: dict[int, str], adjs: dict[int, int | str] | None = None) -> bytes:
    """Return the output for these sockets, and processes that `ps` prints; `adjs` have sections of their own."""
    unix = HEADING + b"".join(unix_row(name.encode()) for name in names)
    ps = PS + "".join(f"u0_a1 {pid} 1 0 0 0 0 S {name}\n" for pid, name in processes.items())
    sections = [f"{pid} {adj}\n{processes.get(pid, '')}\0\0\n".encode() for pid, adj in (adjs or {}).items()]
    return LINE.join([unix, ps.encode(), *sections])


# -- the command ---------------------------------------------------------------------------------


class FakeRoot:
    """A folder with a `proc` and the programs that the command uses, for a shell of this machine."""

    def __init__(self, folder: Path, *, has_ps_a: bool, has_pidof: bool = True) -> None:
        self.folder = folder
        self.processes: dict[int, str] = {}
        (folder / "proc" / "net").mkdir(parents=True)
        (folder / "bin").mkdir()
        self.table = folder / "proc" / "net" / "unix"
        self.table.write_bytes(HEADING)
        rows = f'while read -r each; do echo "$each"; done < {folder}/ps.txt'
        nothing = "echo USER PID PPID VSZ RSS WCHAN ADDR S NAME"
        full, short = ("-A", "") if has_ps_a else ("", "-A")
        self._program("ps", f'case "$1" in "{full}") {rows};; "{short}") {nothing};; esac')
        if has_pidof:
            self._program(
                "pidof",
                'for name in "$@"; do while read -r u p rest; do case "$rest" in *" $name") '
                f'echo "$p";; esac; done < {folder}/ps.txt; done',
            )

    def _program(self, name: str, body: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def process(self, pid: int, name: str, adj: int) -> None:
        self.processes[pid] = name
        home = self.folder / "proc" / str(pid)
        home.mkdir()
        (home / "cmdline").write_bytes(name.encode() + b"\0\0\0")
        (home / "oom_score_adj").write_text(f"{adj}\n")

    def socket(self, name: bytes) -> None:
        with self.table.open("ab") as table:
            table.write(unix_row(name) + unix_row(name, connected=True))

    def run(self, shell: str) -> list[FoundSocket]:
        rows = "".join(f"u0_a1 {pid} 1 0 0 0 0 S {name}\n" for pid, name in self.processes.items())
        (self.folder / "ps.txt").write_text(PS + rows)
        command = LISTING_COMMAND.replace("/proc", str(self.folder / "proc"))
        program = shutil.which(shell) or shell
        run = [program, "sh"] if shell == "busybox" else [program]
        path = f"{self.folder / 'bin'}:{self._tools()}"
        done = subprocess.run([*run, "-c", command], capture_output=True, check=True, env={"PATH": path})
        assert done.stderr == b""
        return parse_listing(done.stdout).sockets

    def _tools(self) -> Path:
        """A folder with `cat` alone: the oldest devices have little more."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        if not (tools / "cat").exists():
            (tools / "cat").symlink_to(shutil.which("cat") or "/bin/cat")
        return tools


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize("has_ps_a", [True, False], ids=["since 8", "before 8"])
def test_the_command_finds_sockets_and_their_processes(tmp_path: Path, shell: str, has_ps_a: bool) -> None:
    root = FakeRoot(tmp_path, has_ps_a=has_ps_a)
    root.process(100, "com.android.chrome", 200)
    root.process(4321, "com.example.app:web", 905)
    root.process(555, "com.vendor.app", -800)
    root.process(66, "com.example.browser", 0)
    for name in (
        b"chrome_devtools_remote",
        b"webview_devtools_remote_4321",
        b"webview_devtools_remote_555_zeus",
        b"com.example.browser_devtools_remote",
        b"webview_devtools_remote_777",
    ):
        root.socket(name)
    found = {each.name: each for each in root.run(shell)}
    assert found == {
        each.name: each
        for each in (
            FoundSocket("chrome_devtools_remote", "chrome", 100, "com.android.chrome", "com.android.chrome", 200),
            FoundSocket("webview_devtools_remote_4321", "webview", 4321, "com.example.app", "com.example.app:web", 905),
            FoundSocket("webview_devtools_remote_555_zeus", "webview", 555, "com.vendor.app", "com.vendor.app", -800),
            FoundSocket(
                "com.example.browser_devtools_remote", "embedded", 66, "com.example.browser", "com.example.browser", 0
            ),
            FoundSocket("webview_devtools_remote_777", "webview", 777),
        )
    }


def test_android_5_has_no_pidof(tmp_path: Path, shell: str) -> None:
    root = FakeRoot(tmp_path, has_ps_a=False, has_pidof=False)
    root.process(100, "com.android.chrome", 9)
    root.socket(b"chrome_devtools_remote")
    (found,) = root.run(shell)
    assert (found.pid, found.package, found.oom_score_adj) == (100, "com.android.chrome", None)


def test_names_cannot_make_the_shell_do_anything(tmp_path: Path, shell: str) -> None:
    root = FakeRoot(tmp_path, has_ps_a=True)
    root.process(4321, "com.example.app", 0)
    for name in (
        b"*_devtools_remote_*",
        b"$(touch pwned)_devtools_remote_1;touch pwned;2",
        b"`touch pwned`.a_devtools_remote",
        b"\xff\xfe\\0_devtools_remote_9",
        b"-h.b_devtools_remote",
        b"webview_devtools_remote_../4321",
    ):
        root.socket(name)
    root.socket(b"webview_devtools_remote_4321")
    found = root.run(shell)
    assert found[-1] == FoundSocket(
        "webview_devtools_remote_4321", "webview", 4321, "com.example.app", "com.example.app", 0
    )
    assert not list(tmp_path.rglob("pwned"))


# -- its output ----------------------------------------------------------------------------------


def test_the_cmdline_precedes_the_name_in_ps() -> None:
    output = listing(["webview_devtools_remote_7"], {7: "com.exam"}, {7: 0}).replace(
        b"com.exam\0", b"com.example:web\0"
    )
    (found,) = parse_listing(output).sockets
    assert (found.package, found.process) == ("com.example", "com.example:web")


def test_two_channels_of_chrome_are_told_apart_by_the_one_with_a_pid() -> None:
    names = ["chrome_devtools_remote", "chrome_devtools_remote_20"]
    found = parse_listing(listing(names, {10: "com.android.chrome", 20: "com.chrome.beta"})).sockets
    assert [(each.pid, each.package) for each in found] == [(10, "com.android.chrome"), (20, "com.chrome.beta")]


def test_an_owner_is_not_guessed_among_several() -> None:
    found = parse_listing(
        listing(["chrome_devtools_remote"], {10: "com.android.chrome", 20: "com.chrome.beta"})
    ).sockets
    assert (found[0].pid, found[0].package, found[0].oom_score_adj) == (None, None, None)


def test_an_app_with_a_webview_may_own_another_socket_as_well() -> None:
    names = ["webview_devtools_remote_5", "com.example.browser_devtools_remote"]
    found = parse_listing(listing(names, {5: "com.example.browser"}, {5: 950})).sockets
    assert [(each.pid, each.frozen) for each in found] == [(5, True), (5, True)]


@pytest.mark.parametrize("process", ["zygote64", "<pre-initialized>", "app_process64", ""])
def test_a_process_that_is_not_an_app_yet_has_no_package(process: str) -> None:
    (found,) = parse_listing(listing(["webview_devtools_remote_7"], {7: process} if process else {})).sockets
    assert found.package is None


@pytest.mark.parametrize(
    ("adj", "known", "frozen"),
    [
        (0, 0, False),
        (899, 899, False),
        (FROZEN_ADJ, 900, True),
        (999, 999, True),
        (-1000, -1000, False),
        ("", None, False),
        ("Permission denied", None, False),
        ("12345678", None, False),
    ],
)
def test_what_android_may_freeze(adj: int | str, known: int | None, frozen: bool) -> None:
    (found,) = parse_listing(listing(["webview_devtools_remote_7"], {7: "com.example"}, {7: adj})).sockets
    assert (found.oom_score_adj, found.frozen) == (known, frozen)


def test_a_pty_and_merged_errors_do_no_harm() -> None:
    output = listing(["webview_devtools_remote_7"], {7: "com.example"}, {7: 905})
    noisy = output.replace(b"\n", b"\r\n") + b"cat: /proc/8/cmdline: No such file or directory\r\n"
    assert parse_listing(noisy).sockets == parse_listing(output).sockets


def test_several_processes_of_a_package() -> None:
    names = ["webview_devtools_remote_8", "webview_devtools_remote_7", "webview_devtools_remote_9"]
    processes = {8: "com.example:web", 7: "com.example", 9: "com.example.other"}
    found = parse_listing(listing(names, processes))
    assert [each.pid for each in found.sockets_of("com.example")] == [8, 7]
    assert found.processes_of("com.example") == {7: "com.example", 8: "com.example:web"}
    assert list(found.processes_of("com.example")) == [7, 8]


def test_the_authority_on_the_package_replaces_the_guess() -> None:
    found = FoundSocket("webview_devtools_remote_7", "webview", 7, "renamed.process", "renamed.process")
    assert found.with_package("com.example").package == "com.example"
    assert found.with_package(None) is found


@given(st.binary(max_size=300), st.integers(0, 5))
def test_garbage_is_survived(garbage: bytes, cuts: int) -> None:
    output = listing(["webview_devtools_remote_7"], {7: "com.example"}, {7: 905})
    assert parse_listing(garbage).processes is not None
    parse_listing(output[: len(output) * cuts // 5] + garbage)
    (found,) = parse_listing(output + b"\n" + garbage.replace(LINE.strip(), b"")).sockets
    assert found == FoundSocket("webview_devtools_remote_7", "webview", 7, "com.example", "com.example", 905)
