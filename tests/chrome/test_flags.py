from __future__ import annotations

import logging
import os
import sys

import pytest

from stillframe.chrome import flags
from stillframe.chrome.loopback_key import SWITCH, LoopbackKey
from stillframe.chrome.options import LaunchOptions, Proxy
from stillframe.errors import OptionInvalid


def line(options: LaunchOptions | None = None, *, sandbox: bool = True) -> tuple[str, ...]:
    return flags.command_line(options or LaunchOptions(), "/profile", sandbox)


def test_the_pipe_and_the_profile_are_always_there() -> None:
    assert {"--remote-debugging-pipe=cbor", "--user-data-dir=/profile"} <= set(line())
    assert "--remote-debugging-pipe" in line(LaunchOptions(pipe="json"))


def test_the_web_platform_is_not_weakened() -> None:
    text = " ".join(line())
    for weakening in ("site-isolation", "IsolateOrigins", "web-security", "no-sandbox", "certificate-errors"):
        assert weakening not in text


def test_every_switch_has_a_reason() -> None:
    for table in (flags.DEFAULTS, flags.DISABLED_FEATURES, flags.HEADLESS, flags.RESERVED):
        assert all(len(reason) > 10 for reason in table.values())


def test_features_of_the_caller_are_joined_to_ours() -> None:
    own = LaunchOptions(args=("--disable-features=Mine,Translate", "--enable-features=A", "--enable-features=B"))
    switches = line(own)
    (disabled,) = [switch for switch in switches if switch.startswith("--disable-features=")]
    assert disabled.endswith(",Mine")
    assert disabled.count("Translate") == 1
    assert "--enable-features=A,B" in switches


def test_default_switches_can_be_left_out() -> None:
    switches = line(LaunchOptions(ignore_default_args=("--mute-audio", "--disable-features")))
    assert "--mute-audio" not in switches
    assert not any(switch.startswith("--disable-features") for switch in switches)


def test_hung_page_out_what_is_not_there_is_an_error() -> None:
    with pytest.raises(OptionInvalid, match=r"did you mean '--mute-audio'"):
        line(LaunchOptions(ignore_default_args=("--mute-adio",)))


@pytest.mark.parametrize("switch", sorted(flags.RESERVED))
def test_what_has_an_option_cannot_be_an_argument(switch: str) -> None:
    with pytest.raises(OptionInvalid, match=switch):
        line(LaunchOptions(args=(f"{switch}=1",)))


def test_options_become_switches() -> None:
    switches = line(
        LaunchOptions(
            headless=False,
            port=0,
            lang="de-CH",
            window_size=(800, 600),
            proxy=Proxy("p:1", bypass=("a", "b")),
            args=("--mine",),
        ),
        sandbox=False,
    )
    expected = {
        "--no-sandbox",
        "--remote-debugging-port=0",
        "--lang=de-CH",
        "--accept-lang=de-CH,de",
        "--window-size=800,600",
        "--proxy-server=p:1",
        "--proxy-bypass-list=a;b",
        "--mine",
    }
    assert expected <= set(switches)
    assert not any(switch.startswith("--headless") for switch in switches)


@pytest.mark.parametrize(
    ("platform", "uid", "asked", "wanted"),
    [
        ("linux", 0, None, False),
        ("linux", 1000, None, True),
        ("darwin", 0, None, True),
        ("linux", 0, True, True),
        ("linux", 1000, False, False),
    ],
)
def test_sandbox(monkeypatch: pytest.MonkeyPatch, platform: str, uid: int, asked: bool | None, wanted: bool) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    assert flags.sandbox_wanted(LaunchOptions(sandbox=asked)) is wanted


def test_going_without_a_sandbox_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(flags, "_sandbox_warned", False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with caplog.at_level(logging.WARNING, "stillframe.chrome"):
        flags.sandbox_wanted(LaunchOptions())
        flags.sandbox_wanted(LaunchOptions())
        flags.sandbox_wanted(LaunchOptions(sandbox=False))
    assert len(caplog.records) == 1


def test_what_an_owned_clock_needs_is_not_given_to_every_browser() -> None:
    assert set(line(LaunchOptions(virtual_time=True))) - set(line()) == set(flags.VIRTUAL_TIME)


@pytest.mark.parametrize(
    ("args", "ignored", "option"),
    [
        (("--proxy-pac-url=http://x/",), (), "args"),
        (("--lang-of-mine", "--no-proxy-server"), (), "args"),
        (("--host-resolver-rules=MAP a b",), (), "args"),
        (("--webrtc-ip-handling-policy=default",), (), "args"),
        ((), ("--disable-quic",), "ignore_default_args"),
    ],
)
def test_no_switch_leads_past_a_gate(args: tuple[str, ...], ignored: tuple[str, ...], option: str) -> None:
    with pytest.raises(OptionInvalid, match="bypass the policy") as caught:
        flags.policy_proxy_args(args, ignored)
    assert caught.value.option == option


def test_keys_that_the_caller_trusts_go_along_with_ours() -> None:
    """Chrome honours the last list alone, and base64 may end with an equals sign."""
    switches = line(LaunchOptions(args=(f"{SWITCH}=mine=", LoopbackKey().switch)))
    (found,) = [switch for switch in switches if switch.startswith(SWITCH)]
    assert found.startswith(f"{SWITCH}=mine=,")
    assert found.count(",") == 1


def test_other_switches_go_along_with_a_gate() -> None:
    assert flags.policy_proxy_args(("--mine",))[-1] == "--mine"
    assert flags.NO_DIRECT_WEBRTC in flags.policy_proxy_args(())
