"""Device lists of adb, the choice of a device, and the meaning of states and refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.device_list import (
    ANSWERING,
    DeviceEntry,
    choose_device,
    find_device,
    parse_devices,
    refusal,
    short,
    state_error,
)
from stillframe.errors import (
    AdbFailed,
    AdbServerTooOld,
    AndroidError,
    DeviceAmbiguous,
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    NoDevices,
    UsbPermission,
)

# -- lists ---------------------------------------------------------------------------------------

UDEV = "no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools]"


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("emulator-5554\tdevice", DeviceEntry("emulator-5554", "device")),
        ("127.0.0.1:5555\toffline", DeviceEntry("127.0.0.1:5555", "offline")),
        (f"0123456789ABCDEF\t{UDEV}", DeviceEntry("0123456789ABCDEF", UDEV)),
        ("(no serial number)\tunauthorized", DeviceEntry("(no serial number)", "unauthorized")),
        (
            "127.0.0.1:40123        device product:sdk_phone model:Pixel_7 device:emu64 transport_id:12",
            DeviceEntry("127.0.0.1:40123", "device", "sdk_phone", "Pixel_7", "emu64", 12),
        ),
        (
            "R58M123ABC             device usb:1-4.2 product:o1sxeea model:SM_G991B device:o1s transport_id:3",
            DeviceEntry("R58M123ABC", "device", "o1sxeea", "SM_G991B", "o1s", 3),
        ),
        (
            "R58M123ABC             unauthorized usb:1-4 transport_id:4",
            DeviceEntry("R58M123ABC", "unauthorized", transport_id=4),
        ),
        ("a-serial-longer-than-22-characters offline", DeviceEntry("a-serial-longer-than-22-characters", "offline")),
        (
            f"0123456789ABCDEF       {UDEV} usb:3-1 transport_id:5",
            DeviceEntry("0123456789ABCDEF", UDEV, transport_id=5),
        ),
        ("(no serial number)     offline usb:2-1", DeviceEntry("(no serial number)", "offline")),
        (
            "adb-R58M-abc (2)._adb-tls-connect._tcp device product:p model:m device:d transport_id:6",
            DeviceEntry("adb-R58M-abc (2)._adb-tls-connect._tcp", "device", "p", "m", "d", 6),
        ),
        # A product may be named like a column; adb promises only that the transport id comes last.
        (
            "x                      device product:transport_id:1 model:m device:d transport_id:7",
            DeviceEntry("x", "device", "transport_id:1", "m", "d", 7),
        ),
        (
            "x                      rescuing product: model: device: transport_id:",
            DeviceEntry("x", "rescuing", *[""] * 3),
        ),
    ],
)
def test_a_line_of_adb_is_one_device(line: str, entry: DeviceEntry) -> None:
    assert parse_devices(f"{line}\n") == [entry]


@pytest.mark.parametrize("text", ["", "\n\n", "x", " ", "\t", "x\t", "\tdevice", "transport_id:3", " no permissions"])
def test_a_line_without_serial_and_state_is_not_a_device(text: str) -> None:
    assert parse_devices(text) == []


def test_devices_keep_the_order_of_the_server() -> None:
    listed = parse_devices("b\tdevice\r\na\toffline\n")
    assert [(entry.serial, entry.state) for entry in listed] == [("b", "device"), ("a", "offline")]


WORD = st.from_regex(r"[A-Za-z0-9_.:-]{1,30}", fullmatch=True).filter(lambda word: not word.endswith(":"))
STATES = st.sampled_from(["device", "offline", "unauthorized", "authorizing", "recovery", UDEV])


@given(WORD, STATES, st.integers(0, 2**63), st.lists(st.from_regex(r"[A-Za-z0-9_]{1,9}", fullmatch=True), min_size=3))
def test_the_long_form_is_read_as_adb_writes_it(serial: str, state: str, number: int, names: list[str]) -> None:
    product, model, device, *_ = names
    line = f"{serial:22} {state} usb:1-1 product:{product} model:{model} device:{device} transport_id:{number}"
    expected = DeviceEntry(serial, state, product, model, device, number)
    assert parse_devices(line) == [expected]


@given(st.text(st.sampled_from("ab \t\n\r:_()product:model:device:transport_id:no permissions١")))
def test_any_text_is_a_list_of_devices(text: str) -> None:
    for entry in parse_devices(text):
        assert entry.serial
        assert entry.state


# -- the choice of a device ----------------------------------------------------------------------


def devices(*pairs: str) -> list[DeviceEntry]:
    return [DeviceEntry(*pair.split(" ", 1)) for pair in pairs]


@pytest.mark.parametrize(
    ("listed", "serial", "chosen"),
    [
        (["a device"], None, "a"),
        (["a device"], "a", "a"),
        (["a device", "b device"], "b", "b"),
        (["a offline", "b device", "c unauthorized"], None, "b"),
    ],
)
def test_the_only_usable_device_or_the_named_one_is_chosen(listed: list[str], serial: str | None, chosen: str) -> None:
    assert choose_device(devices(*listed), serial).serial == chosen


@pytest.mark.parametrize(
    ("listed", "serial", "error", "says"),
    [
        ([], None, NoDevices, "USB debugging"),
        ([], "a", NoDevices, "adb connect"),
        (["a device", "b offline"], "c", DeviceNotFound, "no device 'c'; it has a device, b offline"),
        (["a device", "b device"], None, DeviceAmbiguous, "several devices .a device, b device.: name one"),
        (["a unauthorized"], None, DeviceUnauthorized, "accept the dialog"),
        (["a authorizing"], "a", DeviceUnauthorized, "accept the dialog"),
        (["a offline"], None, DeviceOffline, "check its cable"),
        (["a connecting"], None, DeviceOffline, "try again"),
        (["a bootloader"], None, DeviceOffline, "start Android"),
        (["a something new"], None, DeviceOffline, "'something new'"),
        ([f"a {UDEV}"], None, UsbPermission, "udev rule"),
        (["a device", "b offline"], "b", DeviceOffline, "b is in the state 'offline'"),
        # Nothing can be used: the error names the device that needs least.
        (["a bootloader", "b offline", f"c {UDEV}", "d unauthorized"], None, DeviceUnauthorized, "device d "),
        (["a bootloader", "b offline", f"c {UDEV}"], None, UsbPermission, "device c "),
        (["a bootloader", "b offline"], None, DeviceOffline, "device b "),
    ],
)
def test_a_device_that_cannot_be_used_is_a_typed_error(
    listed: list[str], serial: str | None, error: type[DeviceError], says: str
) -> None:
    entries = devices(*listed)
    with pytest.raises(error, match=says) as caught:
        choose_device(entries, serial)
    assert type(caught.value) is error
    assert caught.value.devices == tuple((entry.serial, entry.state) for entry in entries)


def test_the_models_are_named_beside_the_serials() -> None:
    listed = [DeviceEntry("a", "device", model="Pixel_7"), DeviceEntry("b", "device")]
    with pytest.raises(DeviceAmbiguous, match=r"a device \(Pixel_7\), b device"):
        choose_device(listed, None)


def test_a_device_is_found_in_any_state() -> None:
    assert find_device(devices("a offline"), "a").state == "offline"
    with pytest.raises(DeviceNotFound, match="it has none at all"):
        find_device([], "a")


def test_every_state_but_device_is_an_error() -> None:
    assert state_error("a", "device") is None
    assert all(state_error("a", state) for state in ANSWERING - {"device"})


# -- refusals ------------------------------------------------------------------------------------

VENDOR_KEYS = (
    "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that seems wrong.\n"
    "Otherwise check for a confirmation dialog on your device."
)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("no devices/emulators found", NoDevices, "USB debugging"),
        ("no devices found", NoDevices, "USB debugging"),
        ("no emulators found", NoDevices, "USB debugging"),
        ("device 'SERIAL' not found", DeviceNotFound, "no device 'SERIAL'"),
        ("device not found", DeviceNotFound, "no device 'SERIAL'"),
        ("no device with transport id '7'", DeviceNotFound, "no device 'SERIAL'"),
        ("no such device 'SERIAL'", DeviceNotFound, "no device 'SERIAL'"),
        ("more than one device/emulator", DeviceAmbiguous, "more than one device/emulator: name one"),
        ("more than one device", DeviceAmbiguous, "name one by its serial"),
        (VENDOR_KEYS, DeviceUnauthorized, "SERIAL is in the state 'unauthorized': unlock it"),
        ("device still authorizing", DeviceUnauthorized, "unlock it and accept the dialog"),
        ("device offline", DeviceOffline, "SERIAL is in the state 'offline': check its cable"),
        ("device offline (no transport)", DeviceOffline, "check its cable"),
        ("device offline (transport offline)", DeviceOffline, "check its cable"),
        ("device still connecting", DeviceOffline, "try again"),
        ("insufficient permissions for device: user in plugdev group", UsbPermission, "udev rule"),
        (UDEV, UsbPermission, "udev rule"),
        ("unknown host service", AdbServerTooOld, "does not know 'SERVICE'"),
        ("unknown host service 'SERVICE'", AdbServerTooOld, "install newer platform-tools"),
        ("closed", AdbFailed, "refused 'SERVICE' for SERIAL with 'closed'"),
        ("", AdbFailed, "with ''"),
    ],
)
def test_a_refusal_of_adb_is_a_typed_error(text: str, error: type[AndroidError], says: str) -> None:
    made = refusal("SERIAL", "SERVICE", text)
    assert type(made) is error
    assert says in str(made)
    assert getattr(made, "serial", "SERIAL") == "SERIAL"
    assert getattr(made, "service", "SERVICE") == "SERVICE"


def test_a_refusal_without_a_serial_reads_well() -> None:
    assert "the device that was asked for is in the state" in str(refusal(None, "host:x", "device offline"))
    assert str(refusal(None, "host:x", "why not")) == "adb refused 'host:x' with 'why not'"


@given(st.text())
def test_any_refusal_is_an_error_that_quotes_it(text: str) -> None:
    made = refusal(None, "host:x", text)
    assert isinstance(made, AndroidError)
    assert not isinstance(made, AdbFailed) or made.reason == text


def test_long_services_are_cut_in_messages() -> None:
    assert short("shell:ls") == "'shell:ls'"
    assert short("x" * 120) == repr("x" * 120)
    assert short("x" * 121) == repr("x" * 119 + "…")
