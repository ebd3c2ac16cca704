"""The file with Chrome's switches: Chrome reads back exactly what was meant, and the device is left as it was."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.browsers import CHROME, browser_of
from stillframe.adb.chrome_command_line import (
    DEFAULTS,
    MAX_CHARACTERS,
    RESERVED,
    Before,
    command_line,
    look_command,
    parse_before,
    prepare_command,
    private_socket,
    quote,
    restore_command,
)
from stillframe.errors import OptionInvalid

BROWSER = browser_of(CHROME)
FILE = "/data/local/tmp/chrome-command-line"
BACKUP = f"{FILE}.before_stillframe"


def read_by_chromium(content: str) -> list[str]:
    """Split a command line as Chromium's class CommandLine does: two kinds of quotes, a backslash before a quote."""
    words: list[str] = []
    word: str | None = None
    inside = ""
    for character in content:
        if character in (inside or "'\""):
            if word and word.endswith("\\"):
                word = word[:-1] + character
            else:
                inside = "" if inside else character
        elif not inside and character.isspace():
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + character
    return words if word is None else [*words, word]


SWITCHES = st.builds(
    lambda name, value: f"--{name}={value}",
    st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True),
    st.text(st.sampled_from("ab\\\"' \t\n=,*é/%$`;") | st.characters(blacklist_characters="\0"), max_size=12),
).filter(lambda switch: switch.partition("=")[0] not in RESERVED)


@given(st.lists(SWITCHES, max_size=4))
def test_chrome_reads_the_switches_as_they_were_given(args: list[str]) -> None:
    first, *words = read_by_chromium(command_line("stillframe_1_devtools_remote", args))
    assert first == "_"
    assert words == ["--remote-debugging-socket-name=stillframe_1_devtools_remote", *DEFAULTS, *args]


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("--a=b", "--a=b"),
        ("--a=C:\\x\\", "--a=C:\\x\\"),
        ("--a=b c", '"--a=b c"'),
        ("--a=it's", '"--a=it\'s"'),
        ('--a="b"', '"--a=\\"b\\""'),
        ("--a=b c\\", '"--a=b c"\\'),
    ],
)
def test_only_what_needs_quotes_gets_them(word: str, written: str) -> None:
    assert quote(word) == written


@pytest.mark.parametrize("arg", ["", "-a", "a", "--", "--a b", "http://x", "--a=\0", "---x"])
def test_what_is_not_a_switch_is_refused(arg: str) -> None:
    with pytest.raises(OptionInvalid, match="is not a switch") as caught:
        command_line("s", [arg])
    assert caught.value.option == "args"


@pytest.mark.parametrize("name", RESERVED)
def test_switches_that_stillframe_sets_are_refused(name: str) -> None:
    for arg in (name, f"{name}=1"):
        with pytest.raises(OptionInvalid, match="remove"):
            command_line("s", [arg])


def test_a_command_line_has_a_limit() -> None:
    with pytest.raises(OptionInvalid, match=str(MAX_CHARACTERS)):
        command_line("s", ["--a=" + "x" * MAX_CHARACTERS])


def test_each_launch_has_a_socket_of_its_own() -> None:
    names = {private_socket() for _ in range(50)}
    assert len(names) == 50
    assert all(re.fullmatch(r"stillframe_[0-9a-f]{16}_devtools_remote", name) for name in names)


OURS = "-- stillframe --\n_ --remote-debugging-socket-name=stillframe_0_devtools_remote --disable-fre\n"


@pytest.mark.parametrize(
    ("printed", "before"),
    [
        ("null\nnull\n-- stillframe --\n", Before()),
        ("com.example.shop\n1\n-- stillframe --\n", Before("com.example.shop", True)),
        ("com.example.shop\n0\n-- stillframe --\n_ --user\n", Before("com.example.shop")),
        (f"{CHROME}\r\n0\r\n{OURS}", Before(ours=True)),
        (f"{CHROME}\n0\n-- stillframe --\n", Before(CHROME)),
        (f"com.example.shop\n0\n{OURS}", Before("com.example.shop", ours=True)),
        ("null\nnull\n" + OURS, Before(ours=True)),
        ("/system/bin/sh: settings: not found\n-- stillframe --\n", Before()),
        ("", Before()),
    ],
)
def test_what_a_launch_changes_is_remembered(printed: str, before: Before) -> None:
    assert parse_before(BROWSER, printed) == before


@given(st.text())
def test_any_output_gives_a_state_that_is_safe_to_write_back(text: str) -> None:
    command = restore_command(BROWSER, parse_before(BROWSER, text))
    assert re.fullmatch(r"if .*; fi; am (clear-debug-app|set-debug-app (-w )?--persistent [\w.]+)", command, re.ASCII)


def test_the_commands() -> None:
    assert look_command(BROWSER).count(FILE) == 1
    moved = f"if [ -e {FILE} ] && ! [ -e {BACKUP} ]; then mv -f {FILE} {BACKUP}; fi; "
    debug = f"am set-debug-app --persistent {CHROME}"
    assert prepare_command(BROWSER, Before()) == moved + debug
    assert prepare_command(BROWSER, Before(ours=True)) == debug
    removed = f"if [ -e {BACKUP} ]; then mv -f {BACKUP} {FILE}; else rm -f {FILE}; fi; "
    assert restore_command(BROWSER, Before()) == f"{removed}am clear-debug-app"
    assert restore_command(BROWSER, Before("a.b", True)) == f"{removed}am set-debug-app -w --persistent a.b"


def test_a_file_with_an_odd_name_stays_one_word() -> None:
    odd = BROWSER._replace(command_line_file="/data/local/tmp/a b'c")
    for command in (look_command(odd), prepare_command(odd, Before()), restore_command(odd, Before())):
        assert any(word.startswith("/data/local/tmp/a b'c") for word in shlex.split(command.replace(";", " ")))
