from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stillframe.chrome.options import LaunchOptions, Proxy, launch_options, parse_proxy, validated
from stillframe.errors import OptionInvalid


def test_defaults_are_those_of_the_struct() -> None:
    assert launch_options() == LaunchOptions()


def test_paths_lists_and_mappings_are_taken() -> None:
    options = launch_options(executable=Path("/x"), args=["--a"], env={"A": "b"}, window_size=[800, 600])
    assert options.executable == "/x"
    assert options.args == ("--a",)
    assert options.window_size == (800, 600)


def test_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(OptionInvalid, match=r"'headles'; did you mean 'headless'\?") as caught:
        launch_options(headles=True)
    assert caught.value.option == "headles"


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"port": "9222"}, "port"),
        ({"port": 70000}, "port"),
        ({"port": -1}, "port"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "long"}, "timeout"),
        ({"headless": "yes"}, "headless"),
        ({"args": ["about:blank"]}, "args"),
        ({"args": ["--a\0b"]}, "args"),
        ({"window_size": (0, 10)}, "window_size"),
        ({"lang": "de CH"}, "lang"),
        ({"lang": ""}, "lang"),
        ({"proxy": "nonsense"}, "proxy"),
        ({"proxy": "ftp://a:1"}, "proxy"),
        ({"proxy": "http://a:port"}, "proxy"),
        ({"proxy": "http://a:1/path"}, "proxy"),
        ({"proxy": "socks5://ann:word@a:1"}, "proxy"),
        ({"proxy": {"server": "SOCKS4://a:1", "username": "ann"}}, "proxy"),
    ],
)
def test_wrong_values_name_their_option(options: dict[str, Any], option: str) -> None:
    with pytest.raises(OptionInvalid, match=option) as caught:
        launch_options(**options)
    assert caught.value.option is not None
    assert caught.value.option.startswith(option)


def test_types_are_checked_for_options_built_directly() -> None:
    with pytest.raises(OptionInvalid, match="port"):
        validated(LaunchOptions(port="1"))  # type: ignore[arg-type]
    with pytest.raises(OptionInvalid, match="proxy"):
        validated(LaunchOptions(proxy=Proxy(1)))  # type: ignore[arg-type]
    assert validated(LaunchOptions(executable=Path("/x"))).executable == "/x"  # type: ignore[arg-type]


def test_a_proxy_value_stays_what_it_is() -> None:
    proxy = Proxy("p:1", bypass=("<-loopback>",), username="ann", password="secret")
    assert launch_options(proxy=proxy).proxy == proxy


def test_proxy_text_is_split_from_its_credentials() -> None:
    proxy = parse_proxy("http://ann:p%40ss@proxy.example:3128")
    assert proxy == Proxy("http://proxy.example:3128", username="ann", password="p@ss")
    assert LaunchOptions(proxy="proxy.example:3128").resolved_proxy() == Proxy("proxy.example:3128")


def test_a_password_is_never_shown() -> None:
    assert "secret" not in repr(LaunchOptions(proxy=Proxy("p:1", username="ann", password="secret")))
    with pytest.raises(OptionInvalid) as caught:
        Proxy("http://ann:secret@p:1")
    assert "secret" not in str(caught.value)
    with pytest.raises(OptionInvalid) as caught:
        launch_options(proxy="http://ann:secret@nonsense")
    assert "secret" not in str(caught.value)
