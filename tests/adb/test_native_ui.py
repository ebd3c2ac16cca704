"""The native screen of an emulated device, through the real adb server: look, find, tap, swipe, type."""

from __future__ import annotations

import asyncio

import pytest

from patience import HANG_S
from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.native import native_ui as native_module
from stillframe.adb.native.native_ui import NativeUi
from stillframe.errors import (
    AmbiguousSelector,
    CommandTimeout,
    DeviceOffline,
    ElementDisabled,
    ElementHidden,
    ElementNotFound,
    OptionInvalid,
    SelectorInvalid,
    ShellFailed,
    TransportLost,
)
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedDevice
from stillframe_phone.emulated.shell_io import Call

SCREEN = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
<node class="android.widget.FrameLayout" package="com.example.shop" bounds="[0,0][1080,2400]">
  <node class="android.widget.Button" text="Buy" content-desc="Buy now" resource-id="com.example.shop:id/buy"
        clickable="true" bounds="[100,200][300,260]"/>
  <node class="android.widget.Button" text="Sell" enabled="false" bounds="[400,200][600,260]"/>
  <node class="android.widget.Button" text="Ghost" bounds="[0,0][0,0]"/>
  <node class="android.widget.ListView" resource-id="com.example.shop:id/list" bounds="[0,400][1000,1400]"/>
</node></hierarchy>"""
EMPTY = "<?xml version='1.0'?><hierarchy rotation='0'/>"


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


@pytest.fixture
def native(adb: AdbDevice, device: EmulatedDevice) -> NativeUi:
    device.ui_tree = SCREEN
    return NativeUi(adb)


def inputs(device: EmulatedDevice) -> list[str]:
    return [" ".join([each.kind, *each.arguments]) for each in device.inputs]


def looks(device: EmulatedDevice) -> int:
    return sum("uiautomator dump" in command for command in device.commands)


def printing(device: EmulatedDevice, *outputs: str | bytes) -> None:
    """Have uiautomator print these outputs one after another, the last one from then on; "" prints the screen."""
    left = list(outputs)

    def uiautomator(call: Call) -> int:
        output = left.pop(0) if len(left) > 1 else left[0]
        call.out(output)
        return 0

    device.programs["uiautomator"] = uiautomator


# -- looking -------------------------------------------------------------------------------------


async def test_the_screen_is_read(native: NativeUi) -> None:
    assert [each.name for each in await native.elements()] == ["", "Buy", "Sell", "Ghost", ""]


async def test_a_device_without_a_terminal_writes_to_a_file_and_the_next_look_does_at_once(
    native: NativeUi, adb: AdbDevice, device: EmulatedDevice
) -> None:
    def uiautomator(call: Call) -> int:
        path = call.arguments[-1]
        if path != "/dev/tty":
            call.files.write(path, SCREEN.encode())
        call.out(f"UI hierchary dumped to: {path}\n")  # as if all were well
        return 0

    device.programs["uiautomator"] = uiautomator
    for count in (2, 3):
        assert len(await native.elements()) == 5
        assert looks(device) == count
    assert not [path for path in device.commands if "/dev/tty" in path][1:]
    assert "stillframe" not in (await adb.shell("ls /data/local/tmp")).text


async def test_a_screen_that_moves_gets_a_second_look(native: NativeUi, device: EmulatedDevice) -> None:
    printing(device, "ERROR: could not get idle state.\n", SCREEN)
    assert len(await native.elements()) == 5


async def test_a_screen_that_never_rests_is_named_even_if_there_is_no_time_for_a_second_look(
    native: NativeUi, device: EmulatedDevice
) -> None:
    stuck = asyncio.Event()

    async def uiautomator(call: Call) -> int:
        if looks(device) > 1:
            await stuck.wait()
        call.out("ERROR: could not get idle state.\n")
        return 0

    device.programs["uiautomator"] = uiautomator
    with pytest.raises(ShellFailed, match="keeps moving"):
        await native.elements(timeout_ms=500)
    stuck.set()


@pytest.mark.parametrize(
    ("printed", "advice"),
    [
        ("ERROR: could not get idle state.\n", "keeps moving"),
        ("ERROR: null root node returned by UiTestAutomationBridge.\n", "wake and unlock"),
        ("/system/bin/sh: uiautomator: not found\n", "no uiautomator"),
        ("Killed \n", "another tool"),
    ],
)
async def test_a_failure_of_uiautomator_says_what_to_do(
    native: NativeUi, device: EmulatedDevice, printed: str, advice: str
) -> None:
    printing(device, printed)
    with pytest.raises(ShellFailed, match=advice) as caught:
        await native.elements()
    assert caught.value.stdout == printed


@pytest.mark.parametrize("printed", [b"", b"\xff\xfe\0", b"<hierarchy><node", b"<!DOCTYPE a><hierarchy/>"])
async def test_garbage_is_an_error(native: NativeUi, device: EmulatedDevice, printed: bytes) -> None:
    printing(device, printed)
    with pytest.raises(ShellFailed):
        await native.elements()


async def test_a_look_has_a_limit(native: NativeUi, device: EmulatedDevice) -> None:
    await device.go_silent()
    try:
        async with asyncio.timeout(HANG_S):
            with pytest.raises(CommandTimeout):
                await native.elements(timeout_ms=300)
    finally:
        await device.go_online()


async def test_a_pulled_cable_is_named(native: NativeUi, device: EmulatedDevice) -> None:
    await device.disconnect()
    async with asyncio.timeout(HANG_S):
        with pytest.raises((TransportLost, DeviceOffline)):
            await native.elements()


# -- finding -------------------------------------------------------------------------------------


async def test_an_element_is_found(native: NativeUi) -> None:
    assert (await native.find("~Buy now")).text == "Buy"
    assert [each.text for each in await native.find_all("class=Button")] == ["Buy", "Sell", "Ghost"]
    assert await native.find_all("~nobody") == []


async def test_an_element_that_comes_later_is_waited_for(native: NativeUi, device: EmulatedDevice) -> None:
    printing(device, EMPTY, EMPTY, SCREEN)
    async with asyncio.timeout(10):
        assert (await native.find("id=buy")).name == "Buy"
    assert looks(device) == 3


async def test_an_element_that_never_comes_is_not_found_with_the_nearest(native: NativeUi) -> None:
    with pytest.raises(ElementNotFound) as caught:
        await native.find("~Buy noe", timeout_ms=300)
    assert caught.value.candidates == ('button ~"Buy now" id=buy text="Buy"',)
    assert "within 0.3 s" in str(caught.value)


async def test_several_matches_fail_at_once(native: NativeUi, device: EmulatedDevice) -> None:
    with pytest.raises(AmbiguousSelector, match="3 native elements"):
        await native.find("class=Button")
    assert looks(device) == 1


async def test_a_wrong_selector_is_refused_before_the_device_is_asked(native: NativeUi, device: EmulatedDevice) -> None:
    for call in (native.find, native.find_all, native.tap, native.long_press):
        with pytest.raises(SelectorInvalid):
            await call("//Button")
    assert not looks(device)


# -- gestures ------------------------------------------------------------------------------------


async def test_taps(native: NativeUi, device: EmulatedDevice) -> None:
    await native.tap("~Buy now")
    await native.tap((7, 8))
    await native.tap(await native.find("id=buy"))
    await native.long_press("text=buy", duration_ms=700)
    assert inputs(device) == ["tap 200 230", "tap 7 8", "tap 200 230", "swipe 200 230 200 230 700"]


@pytest.mark.parametrize(("selector", "error"), [("text=Sell", ElementDisabled), ("text=Ghost", ElementHidden)])
async def test_what_cannot_be_tapped_is_an_error(
    native: NativeUi, device: EmulatedDevice, selector: str, error: type[Exception]
) -> None:
    with pytest.raises(error, match=selector.partition("=")[2]):
        await native.tap(selector)
    assert not device.inputs


async def test_a_swipe_goes_against_the_content(native: NativeUi, device: EmulatedDevice) -> None:
    await native.swipe("down", "id=list")
    await native.swipe("left", "id=list", percent=0.2, duration_ms=100)
    assert inputs(device) == ["swipe 500 1150 500 650 600", "swipe 400 900 600 900 100"]


async def test_a_swipe_over_the_screen_stays_off_its_edges(native: NativeUi, device: EmulatedDevice) -> None:
    await native.swipe("down", percent=1)
    assert inputs(device) == ["swipe 540 2159 540 240 600"]


async def test_a_swipe_knows_how_the_screen_is_rotated(native: NativeUi, device: EmulatedDevice) -> None:
    def dumpsys(call: Call) -> int:
        call.out("    init=1080x2400 420dpi cur=2400x1080 app=2274x1080\n")
        return 0

    device.programs["dumpsys"] = dumpsys
    await native.swipe("right", percent=1)
    assert inputs(device) == ["swipe 2159 540 240 540 600"]


async def test_a_device_that_hides_its_size_is_an_error(native: NativeUi, device: EmulatedDevice) -> None:
    device.programs["wm"] = device.programs["dumpsys"] = lambda call: call.fail("no service")
    with pytest.raises(ShellFailed, match="how large its screen is"):
        await native.swipe("up")


@pytest.mark.parametrize("swipe", [("sideways", 0.5), ("up", 0), ("up", 2)])
async def test_a_wrong_swipe_is_refused(native: NativeUi, device: EmulatedDevice, swipe: tuple[str, float]) -> None:
    with pytest.raises(OptionInvalid):
        await native.swipe(swipe[0], percent=swipe[1])  # type: ignore[arg-type]
    assert not device.commands


# -- keyboard ------------------------------------------------------------------------------------


async def test_a_text_is_typed(native: NativeUi, device: EmulatedDevice) -> None:
    await native.type_text("it's $HOME; 100%s\n")
    assert inputs(device) == ["text it's%s$HOME;%s100%", "text s", "keyevent 66"]


async def test_a_text_that_input_cannot_type_is_refused_before_anything_is_typed(
    native: NativeUi, device: EmulatedDevice
) -> None:
    with pytest.raises(OptionInvalid, match="ASCII"):
        await native.type_text("plain, then é")
    assert not device.commands


async def test_keys(native: NativeUi, device: EmulatedDevice) -> None:
    device.screen_on = False
    await native.press_key("BACK")
    await native.press_key("POWER", long=True)
    await native.wake()
    assert inputs(device) == ["keyevent 4", "keyevent --longpress 26", "keyevent 224"]
    assert device.screen_on


@pytest.mark.parametrize(("shown", "sent"), [("true", ["keyevent 111"]), ("false", []), ("?", ["keyevent 111"])])
async def test_the_keyboard_is_hidden_if_there_is_one(
    native: NativeUi, device: EmulatedDevice, shown: str, sent: list[str]
) -> None:
    def dumpsys(call: Call) -> int:
        call.out(f"  mInputShown={shown}\n")
        return 0

    device.programs["dumpsys"] = dumpsys
    assert await native.hide_keyboard() is bool(sent)
    assert inputs(device) == sent


async def test_a_device_that_refuses_input_says_what_to_allow(native: NativeUi, device: EmulatedDevice) -> None:
    def refuse(call: Call) -> int:
        call.err("java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission")
        return 255

    device.programs["input"] = refuse
    with pytest.raises(ShellFailed, match="developer options") as caught:
        await native.type_text("lantern")
    # What was typed may be a secret.
    assert caught.value.command == "input text"
    assert "lantern" not in repr(vars(caught.value)) + str(caught.value)


async def test_a_text_stays_out_of_the_error_of_a_slow_device(
    native: NativeUi, device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_module, "INPUT_S", 0.2)
    await device.go_silent()
    try:
        with pytest.raises(CommandTimeout, match="input text") as caught:
            await native.type_text("lantern")
    finally:
        await device.go_online()
    assert "lantern" not in str(caught.value)
