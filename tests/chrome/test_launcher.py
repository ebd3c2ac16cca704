from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
from itertools import count
from pathlib import Path

import pytest
from leftovers import CancelAt, MakeBrowser, children, entries, living

from sampling import sampled
from stillframe import chrome
from stillframe.cdp_types import browser, target
from stillframe.chrome import launcher as module
from stillframe.chrome.profile import PREFIX
from stillframe.errors import BrowserNotFound, LaunchFailed, OptionInvalid, ProfileLocked

# A browser that answers Browser.getVersion, for tests of what comes after that.
ANSWER = (
    'printf \'{"id":1,"result":{"protocolVersion":"1.3","product":"Fake/1","revision":"","userAgent":"",'
    '"jsVersion":""}}\\0\' >&4'
)


def mode_of(path: str) -> int:
    return Path(path).stat().st_mode & 0o777


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_launched_browser_answers_has_no_page_and_leaves_nothing() -> None:
    async with chrome.launched() as process:
        info = process.info
        version = await process.connection.root.send(browser.GetVersion())
        assert info.product == version.product
        assert (info.transport, info.launched, info.pid) == ("pipe", True, process.pid)
        assert info.sandbox is (os.geteuid() != 0)
        assert info.endpoint is None
        assert mode_of(info.profile or "") == 0o700
        assert "--remote-debugging-pipe=cbor" in info.flags
        assert info.encoding == "cbor"
        assert process.returncode is None
        found = await process.connection.root.send(target.GetTargets())
        assert [info for info in found.target_infos if info.type in ("page", "tab")] == []
    assert process.returncode == 0
    assert process.connection.closed
    assert living(process.pid) == []


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_two_browsers_are_apart_and_closing_one_twice_and_at_once_is_one_closing() -> None:
    async with chrome.launched() as one, chrome.launched() as two:
        assert one.info.profile != two.info.profile
        assert one.pid != two.pid
        await asyncio.gather(one.aclose(), one.aclose())
        await one.aclose()
        await one.wait_closed()
        assert (await two.connection.root.send(browser.GetVersion())).product == two.info.product


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_options_reach_the_browser(tmp_path: Path) -> None:
    profile = tmp_path / "mine"
    async with chrome.launched(profile=profile, lang="de-CH", window_size=(900, 700), env={"TZ": "Asia/Tokyo"}) as it:
        root = it.connection.root
        created = await root.send(target.CreateTarget(url="about:blank"))
        page = await root.attach(created.target_id)
        seen = await page.call(
            "Runtime.evaluate",
            {"expression": "[navigator.language, outerWidth, outerHeight, new Date(0).getHours()].join()"},
        )
        assert seen["result"]["value"] == "de-CH,900,700,9"
        assert it.info.profile == str(profile)
    assert (profile / "Local State").exists()


# -- what bad input gets


@pytest.mark.usefixtures("leaves_nothing")
async def test_an_unknown_option_starts_nothing() -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'headless'"):
        await chrome.launch(headles=False)


@pytest.mark.usefixtures("leaves_nothing")
async def test_a_browser_that_is_not_there() -> None:
    with pytest.raises(BrowserNotFound, match="/nowhere/chrome"):
        await chrome.launch(executable="/nowhere/chrome")


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_bad_switch_leaves_no_profile() -> None:
    with pytest.raises(OptionInvalid, match="--user-data-dir"):
        await chrome.launch(args=["--user-data-dir=/x"])


@pytest.mark.usefixtures("leaves_nothing")
async def test_a_browser_that_exits_is_quoted(fake_browser: MakeBrowser) -> None:
    with pytest.raises(LaunchFailed, match=r"exited with status 3[\s\S]*no luck today") as caught:
        await chrome.launch(executable=fake_browser("echo no luck today >&2; exit 3"))
    assert caught.value.returncode == 3
    assert caught.value.stderr == "no luck today\n"


@pytest.mark.usefixtures("leaves_nothing")
async def test_a_browser_that_crashes_is_named_by_its_signal(fake_browser: MakeBrowser) -> None:
    with pytest.raises(LaunchFailed, match="killed by SIGSEGV") as caught:
        await chrome.launch(executable=fake_browser("kill -SEGV $$"))
    assert caught.value.returncode == -signal.SIGSEGV


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("body", ["exec sleep 1000", "sleep 1000; true"])
async def test_a_browser_that_never_answers_is_given_up(fake_browser: MakeBrowser, body: str) -> None:
    with pytest.raises(LaunchFailed, match=r"did not answer within 0\.3 s") as caught:
        await chrome.launch(executable=fake_browser(body), timeout_ms=300)
    assert caught.value.returncode is None


JSON_ONLY = """
known=$(for arg in "$@"; do echo "$arg" | sed s/--remote-debugging-pipe=cbor/--remote-debugging-pipe/; done)
IFS='
'
exec {chromium} $known
"""
"""A browser that knows no encodings of the pipe: it takes the switch without its value."""


@pytest.mark.browser
async def test_a_browser_that_does_not_know_cbor_is_spoken_to_in_json(fake_browser: MakeBrowser) -> None:
    old = fake_browser(JSON_ONLY.format(chromium=chrome.find_executable().path))
    async with chrome.launched(executable=old) as process:
        assert process.info.encoding == process.options.pipe == "json"
        assert "--remote-debugging-pipe" in process.info.flags
    with pytest.raises(LaunchFailed, match="answers in JSON"):
        await chrome.launch(executable=old, pipe="cbor")


@pytest.mark.usefixtures("leaves_nothing")
async def test_one_that_ignores_sigterm_is_killed(fake_browser: MakeBrowser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillframe.chrome.owned_process.SIGTERM_S", 0.1)
    with pytest.raises(LaunchFailed, match="did not answer"):
        await chrome.launch(executable=fake_browser("trap '' TERM; while :; do sleep 1000; done"), timeout_ms=300)


@pytest.mark.usefixtures("leaves_nothing")
async def test_one_that_closes_the_pipe_and_stays_is_given_up(
    fake_browser: MakeBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EXIT_GRACE_S", 0.1)
    with pytest.raises(LaunchFailed, match="started, but failed"):
        await chrome.launch(executable=fake_browser("exec 3<&- 4>&-; exec sleep 1000"))


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("answer", ["garbage", '{"id":1,"result":{"product":5}}', '{"id":1,"error":{"code":-1}}'])
async def test_one_that_answers_nonsense_is_given_up(
    fake_browser: MakeBrowser, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr(module, "EXIT_GRACE_S", 0.1)
    with pytest.raises(LaunchFailed, match="started, but failed"):
        await chrome.launch(executable=fake_browser(f"printf '{answer}\\0' >&4; exec sleep 1000"), timeout_ms=30_000)


@pytest.mark.usefixtures("leaves_nothing")
async def test_a_file_that_is_not_a_program(tmp_path: Path) -> None:
    path = tmp_path / "chrome"
    path.write_bytes(b"\x7fELF not really")
    path.chmod(0o755)
    with pytest.raises(LaunchFailed, match=r"exited with status (126|127|2)"):
        await chrome.launch(executable=path)


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.needs("root")
async def test_root_that_insists_on_the_sandbox_gets_an_error() -> None:
    with pytest.raises(LaunchFailed, match=r"exited with status 1 .*sandbox=False[\s\S]*without --no-sandbox"):
        await chrome.launch(sandbox=True)


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_profile_in_use_names_its_holder(tmp_path: Path) -> None:
    async with chrome.launched(profile=tmp_path / "p") as first:
        with pytest.raises(ProfileLocked, match=f"in use by process {first.pid}") as caught:
            await chrome.launch(profile=tmp_path / "p")
        assert caught.value.pid == first.pid
        assert await first.connection.root.send(browser.GetVersion())
    async with chrome.launched(profile=tmp_path / "p"):
        pass


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_profile_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LaunchFailed, match=r"file.*Not a directory.*choose another"):
        await chrome.launch(profile=tmp_path / "file" / "below")


# -- ports


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_port_is_ours_and_does_not_keep_the_browser_alive_and_that_of_another_one_is_not_ours(
    fake_browser: MakeBrowser,
) -> None:
    async with chrome.launched(port=0) as process:
        assert process.info.endpoint is not None
        attached = await chrome.connect(process.info.endpoint)
        assert attached.info.product == process.info.product
        address = process.info.endpoint.removeprefix("http://")
        body = f"{ANSWER}; echo DevTools listening on ws://{address}/devtools/browser/mine >&2; exec sleep 1000"
        with pytest.raises(LaunchFailed, match="another program holds port"):
            await chrome.launch(executable=fake_browser(body), port=0)
        await process.aclose()
        await attached.connection.wait_closed()
    await attached.connection.aclose()


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_port_that_someone_else_holds() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(LaunchFailed, match=f"another program holds port {port}: launch with port=0"):
            await chrome.launch(port=port)


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_port_that_is_taken_while_the_browser_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chrome then listens on ::1 with the same number, where nobody would look for it."""
    monkeypatch.setattr(module, "_check_port_free", lambda port: None)
    with (
        socket.create_server(("127.0.0.1", 0)) as holder,
        pytest.raises(LaunchFailed, match="another program holds port"),
    ):
        await chrome.launch(port=holder.getsockname()[1])


# -- leaks and cancellation


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("step", sampled([3, 1], keep=[3]))
async def test_cancelled_at_every_await_it_leaves_nothing(temp_home: Path, step: int) -> None:
    """At each third one in `make test`: what is cancelled has launched a browser."""
    for n in count(0, step):
        work = CancelAt(chrome.launch(port=0), n)
        try:
            process = await asyncio.ensure_future(_run(work))
        except asyncio.CancelledError:
            assert work.reached
            assert children() == []
            assert entries(temp_home) == []
        else:
            await process.aclose()
            assert not work.reached
            break
    assert n >= 3


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_cancelled_at_every_await_of_the_closing_it_closes_all_the_same(temp_home: Path) -> None:
    for n in count():
        process = await chrome.launch()
        work = CancelAt(process.aclose(), n)
        try:
            await asyncio.ensure_future(_run(work))
        except asyncio.CancelledError:
            assert work.reached
        assert children() == []
        assert entries(temp_home) == []
        if not work.reached:
            break
    assert n >= 1


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_an_exception_in_the_block_ends_the_browser() -> None:
    with pytest.raises(KeyError):
        async with chrome.launched() as process:
            raise KeyError
    assert process.returncode == 0


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_profiles_of_killed_clients_are_swept_at_launch(temp_home: Path) -> None:
    left = temp_home / f"{PREFIX}left"
    left.mkdir()
    os.utime(left, (0, 0))
    async with chrome.launched():
        assert not left.exists()


async def _run(work: CancelAt) -> chrome.BrowserProcess:
    return await work  # type: ignore[no-any-return]


def test_windows_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(LaunchFailed, match="connect"):
        module._start(chrome.LaunchOptions())


async def test_a_profile_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(directory: Path, _: str) -> str:
        raise OSError(28, "No space left on device", str(directory))

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(module, "with_stand_in", full)
    with pytest.raises(LaunchFailed, match="No space left on device; choose another"):
        await chrome.launch(executable=sys.executable)
    assert not entries(tmp_path)
