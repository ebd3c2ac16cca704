"""The shell of the emulated device does what a real `sh` does, and touches nothing of this machine."""

from __future__ import annotations

import asyncio
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe_phone.emulated import shell
from stillframe_phone.emulated.files import EmulatedFiles
from stillframe_phone.emulated.shell_io import Input, Streams
from stillframe_phone.emulated.tools_files import FILE_TOOLS
from stillframe_phone.emulated.tools_patterns import PATTERN_TOOLS
from stillframe_phone.emulated.tools_text import TEXT_TOOLS

PROGRAMS = {**TEXT_TOOLS, **PATTERN_TOOLS, **FILE_TOOLS}

LIKE_SH = [
    # lists
    "echo a; echo b",
    "echo a\necho b\n",
    "true && echo yes || echo no",
    "false && echo yes || echo no",
    "! true; echo $?",
    "false || { echo x; false; }; echo $?",
    "exit 3",
    "(exit 4); echo $?",
    "echo one & wait; echo two",
    "# nothing\necho a # comment\necho 'a # b' a#b",
    "",
    ":",
    # quotes
    "echo 'a  b' \"c  d\" e\\ f  g",
    'echo "\\$x \\" \\\\ \\a"',
    "echo ''x'' \"\" y",
    "echo a\\\nb",
    "echo '*' \"*\" \\*",
    # parameters
    "x=1; echo $x ${x}2 \"$x\" '$x'",
    "x='a   b'; echo $x; echo \"$x\"",
    "x='a   b'; y=$x; echo \"$y\"",
    'x=\'a   b\'; for w in $x "$x"; do echo "[$w]"; done',
    "echo ${no:-default} ${no-d} ${no:+alt} ${no:=set} $no",
    "x=; echo [${x:-empty}] [${x-unset}] [${x+set}]",
    "x=webview_devtools_remote_42; echo ${x##*_} ${x#*_} ${x%_*} ${x%%_*} ${#x}",
    'x=a.b; echo ${x#"a."} ${x%.*}',
    "x=outer; f() { x=inner; echo \"$1-$2 $#\"; }; f a 'b c'; echo $x",
    "x=1; (x=2; echo $x); echo $x",
    "x=1 true; echo ${x:-none}",
    'set -- a \'b c\' d; for each in "$@"; do echo "<$each>"; done; echo "$*" $#; shift; echo $1',
    "f() { return 7; echo never; }; f; echo $?",
    # substitution and arithmetic
    "echo $(echo a; echo b)",
    'echo "$(echo a; echo b)"',
    "x=$(printf 'a\\nb\\n\\n'); echo \"$x\"",
    "echo `echo old`",
    "echo $(echo $(echo deep))",
    "x=$(false); echo $?",
    "echo $((1 + 2 * 3)) $(( (7 - 2) / 2 )) $((7 % 3))",
    "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
    # compound commands
    "for x in a b c; do echo $x; done",
    "for x in; do echo $x; done; echo end",
    "for x in 1 2 3; do [ $x = 2 ] && continue; [ $x = 3 ] && break; echo $x; done",
    "for x in 1 2; do for y in a b; do [ $y = b ] && continue 2; echo $x$y; done; done",
    "break; continue; echo still here",
    "for x in 1 2; do break 9; done; echo $x",
    "for x in 1 2; do echo $x | while read y; do break; done; echo $x; done",
    "echo a; return 3; echo never",
    "if true; then echo a; else echo b; fi",
    "if false; then echo a; elif true; then echo b; else echo c; fi",
    "if false; then echo a; fi; echo $?",
    "until true; do echo never; done; echo $?",
    "case abc in a*) echo a;; *) echo other;; esac",
    "case x in a|x) echo ax;; esac",
    "case x in y) echo y;; esac; echo $?",
    "case '*' in \\*) echo star;; esac; case ab in '*') echo wrong;; a?) echo right; esac",
    "{ echo a; echo b; } | wc -l",
    # pipes and redirections
    "echo a | cat",
    "printf 'b\\na\\nb\\n' | sort -u",
    "printf 'a b\\nc d e\\n' | while read x y; do echo \"$y-$x\"; done",
    "echo hidden >/dev/null; echo seen",
    "echo hidden 2>/dev/null 1>&2; echo seen",
    "{ echo out; echo err >&2; } 2>/dev/null",
    "cat /no/such/file 2>/dev/null; echo $?",
    "cat </dev/null | wc -c",
    "read x </dev/null; echo $?",
    "echo a b | { read x y; echo $y; }",
    # programs
    "printf '%s-%d\\n' a 1 b 2",
    "printf '%5s|%-5s|\\n' a b",
    "printf 'a\\nb\\nc\\n' | head -n 2; printf 'a\\nb\\nc\\n' | tail -1",
    "printf 'abc' | head -c 2",
    "echo a:b:c | cut -d: -f2; echo a:b:c | cut -d : -f 2-; echo abcdef | cut -c2-3",
    "echo hello | tr a-z A-Z; echo a1b2 | tr -d 0-9; echo aabb | tr -s ab",
    "printf '10\\n9\\n' | sort -n; printf '10\\n9\\n' | sort -r",
    "printf 'a\\na\\nb\\n' | uniq",
    "printf 'one\\ntwo\\n' | grep o; printf 'one\\ntwo\\n' | grep -v one; printf 'one\\n' | grep -c n",
    "printf 'a1\\nb\\n' | grep -E '[0-9]+$'; printf 'a.b\\naxb\\n' | grep -F a.b; echo aXb | grep -io x",
    "printf 'a(b)\\n' | grep 'a(b)'; printf 'ab\\n' | grep 'a\\(b\\|c\\)'; echo 'a+' | grep -q 'a+'; echo $?",
    "echo x | grep -q y; echo $?",
    "echo 'a b' | sed 's/a/[&]/; s/b/c/g'; printf '1\\n2\\n3\\n' | sed -n '2p'; printf '1\\n2\\n' | sed '1d'",
    "echo 'x=12' | sed -n 's/.*=\\([0-9]*\\)/\\1/p'; echo ab | sed -E 's/(a)(b)/\\2\\1/'; echo a/b | sed 's|/|-|'",
    "printf '1\\n2\\n3\\n' | sed 2q; printf 'a\\nb\\n' | sed '/a/d'; printf '1\\n2\\n' | sed -n '$p'",
    "basename /a/b.c; dirname /a/b.c",
    "[ -z '' ] && [ -n x ] && [ a = a ] && [ a != b ] && [ 1 -lt 2 ] && echo all",
    "[ ! -e /no/such ]; echo $?; test -d /; echo $?; [ 1 -eq 1 -a 2 -eq 3 ]; echo $?; [ a = b -o 1 = 1 ]; echo $?",
    "eval 'x=5'; echo $x; unset x; echo [$x]",
]
"""Scripts whose output and status this machine's `sh` and the emulated one agree on."""


async def run(script: str, *, files: EmulatedFiles | None = None, stdin: bytes = b"") -> tuple[int, str, str]:
    """Return status, output and errors of a script."""
    out, err = bytearray(), bytearray()
    place = shell.Place(PROGRAMS, files or EmulatedFiles())
    async with asyncio.timeout(10):
        status = await shell.run(script, place, Streams(Input(content=stdin), out.extend, err.extend), {})
    return status, out.decode(errors="replace"), err.decode(errors="replace")


@pytest.mark.parametrize("script", LIKE_SH)
async def test_it_does_what_the_shell_of_this_machine_does(script: str) -> None:
    environment = {"PATH": "/usr/bin:/bin"}
    real = await asyncio.to_thread(
        subprocess.run, ["sh", "-c", script], capture_output=True, text=True, check=False, env=environment
    )
    assert real.stderr == ""
    assert await run(script) == (real.returncode, real.stdout, "")


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("echo 'open", "unexpected EOF"),
        ("if true; then echo x", "unexpected EOF"),
        ("for x in a; echo $x; done", "'echo' unexpected"),
        ("echo )", "')' unexpected"),
        ("fi", "'fi' unexpected"),
        ("a ;; b", "';;' unexpected"),
        ("| a", "'|' unexpected"),
        ("echo $(", "unexpected EOF"),
        ("echo ${x", "unexpected EOF"),
        ("echo ${x y}", "bad substitution"),
        ("case x in", "unexpected EOF"),
        ("echo > ", "unexpected EOF"),
        ("cat << EOF", "no here-documents"),
        ("echo $((1 +))", "bad arithmetic"),
        ("echo $((1 / 0))", "bad arithmetic"),
    ],
)
async def test_a_script_that_it_does_not_know_fails_with_a_syntax_error(script: str, error: str) -> None:
    status, out, err = await run(script)
    assert (status, out) == (1, "")
    assert error in err
    assert err.startswith("/system/bin/sh: ")


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("nope", (127, "", "/system/bin/sh: nope: not found\n")),
        ("nope 2>&1 | cat", (0, "/system/bin/sh: nope: not found\n", "")),
        ("/usr/bin/env", (127, "", "/system/bin/sh: /usr/bin/env: not found\n")),
        ("/system/bin/echo a", (0, "a\n", "")),
        ("cat /nope", (1, "", "cat: /nope: No such file or directory\n")),
        ("cat < /nope", (1, "", "/system/bin/sh: can't open /nope: No such file or directory\n")),
        ("echo x > /system/x", (1, "", "/system/bin/sh: can't create /system/x: Read-only file system\n")),
        ("echo x > /nope/x", (1, "", "/system/bin/sh: can't create /nope/x: Permission denied\n")),
        ("echo ${x:?is missing}; echo never", (1, "", "/system/bin/sh: x: is missing\n")),
        ("sh -c 'exit 5'; echo $?", (0, "5\n", "")),
        ("echo $0 $$", (0, "/system/bin/sh 9876\n", "")),
    ],
)
async def test_failures_have_the_words_of_android(script: str, outcome: tuple[int, str, str]) -> None:
    assert await run(script) == outcome


async def test_it_writes_to_the_files_of_the_device_only() -> None:
    files = EmulatedFiles()
    script = (
        "cd=/data/local/tmp; echo '_ --flag' > $cd/x; echo more >> $cd/x; cat $cd/x; mv $cd/x $cd/y; ls $cd; rm $cd/y"
    )
    assert await run(script, files=files) == (0, "_ --flag\nmore\ny\n", "")
    assert files.names("/data/local/tmp") == []


async def test_patterns_match_the_files_of_the_device() -> None:
    files = EmulatedFiles(lambda: {"/proc/12/cmdline": b"a\0", "/proc/7/cmdline": b"b\0", "/proc/net/unix": b""})
    assert await run("echo /proc/[0-9]*/cmdline", files=files) == (0, "/proc/12/cmdline /proc/7/cmdline\n", "")
    assert await run("echo '/proc/*' /proc/\\* /nope/*", files=files) == (0, "/proc/* /proc/* /nope/*\n", "")
    script = 'for p in 12 8 7; do echo "$p $(cat /proc/$p/cmdline 2>/dev/null)"; done'
    assert await run(script, files=files) == (0, "12 a\n8 \n7 b\n", "")


async def test_programs_read_the_input_of_the_script() -> None:
    assert await run("read first; cat", stdin=b"one\ntwo\nthree") == (0, "two\nthree", "")


async def test_binary_data_survives() -> None:
    files = EmulatedFiles()
    content = bytes(range(256))
    files.put("/data/local/tmp/b", content)
    out = bytearray()
    place = shell.Place(PROGRAMS, files)
    await shell.run("cat /data/local/tmp/b | cat", place, Streams(Input(), out.extend, out.extend), {})
    assert out == content


async def test_an_endless_loop_ends_with_its_task() -> None:
    task = asyncio.ensure_future(run("while true; do :; done"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@given(
    st.lists(
        st.sampled_from(
            ["if ", "then ", " fi", "for x in ", "do ", " done", "case x in ", "esac", "$(", "${x", "a", " "]
        )
    )
)
async def test_garbage_made_of_words_is_an_error_and_no_more(parts: list[str]) -> None:
    await assert_survives("".join(parts))


@given(st.text(alphabet="ab$\"'`\\(){}[]<>|&;#*?!=-/ \n\t019\u00e9\udc80", max_size=60))
async def test_garbage_made_of_characters_is_an_error_and_no_more(script: str) -> None:
    await assert_survives(script)


async def assert_survives(script: str) -> None:
    status, _, _ = await run(script)
    assert 0 <= status <= 255
