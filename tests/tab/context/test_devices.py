"""Devices by name: complete, upright or on their sides, with the version of the browser that is used."""

from __future__ import annotations

import pytest

from stillframe.errors import OptionInvalid
from stillframe.tab.context.devices import DEVICES, find_device
from stillframe.tab.context.options import ContextOptions, as_device, parse_context_options


@pytest.mark.parametrize("name", DEVICES)
def test_every_device_can_be_used_upright_and_on_its_side(name: str) -> None:
    upright, turned = find_device(name), find_device(f"{name} landscape")
    assert upright.width < upright.height
    assert (turned.width, turned.height, turned.user_agent) == (upright.height, upright.width, upright.user_agent)
    options = as_device(parse_context_options({"device": name}), 156)
    assert options.viewport is not None
    assert options.viewport.touch
    assert "{" not in (options.user_agent or "")
    assert ("Chrome/156.0.0.0" in (options.user_agent or "")) == ("Android" in upright.user_agent)


def test_a_device_that_there_is_not_is_named_with_the_nearest() -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'iPhone 15'") as raised:
        find_device("iphone 15")
    assert raised.value.option == "device"


def test_without_a_device_nothing_changes() -> None:
    options = ContextOptions(locale="de-CH")
    assert as_device(options, 156) is options
