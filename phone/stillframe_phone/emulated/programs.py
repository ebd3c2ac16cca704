"""All programs of an emulated device by name."""

from __future__ import annotations

from functools import partial

from stillframe_phone.emulated.device_state import DeviceState
from stillframe_phone.emulated.dumpsys import dumpsys
from stillframe_phone.emulated.shell_io import Program
from stillframe_phone.emulated.tools_android import DEVICE_TOOLS, lookup
from stillframe_phone.emulated.tools_apps import APP_TOOLS
from stillframe_phone.emulated.tools_files import FILE_TOOLS
from stillframe_phone.emulated.tools_patterns import PATTERN_TOOLS
from stillframe_phone.emulated.tools_text import TEXT_TOOLS


def programs_of(device: DeviceState) -> dict[str, Program]:
    """Return the programs of a device; those that a test added win."""
    found: dict[str, Program] = {**TEXT_TOOLS, **PATTERN_TOOLS, **FILE_TOOLS}
    for name, program in {**DEVICE_TOOLS, **APP_TOOLS, "dumpsys": dumpsys}.items():
        found[name] = partial(program, device)
    found.update(device.programs)
    for name in ("which", "command"):
        found.setdefault(name, partial(lookup, found))
    return found
