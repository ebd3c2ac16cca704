"""An Android device in this process, for tests: a real adb server connects to it, and real clients drive its apps.

    async with AdbServerProcess() as server, EmulatedDevice() as device:
        app = device.install(EmulatedApp("com.example.shop"))
        app.listen("webview_devtools_remote_{pid}", port)  # of a DevTools endpoint on this machine
        app.start()
        await server.connect(device)

`WebViewFacade` makes a real Chromium such an endpoint, and has it answer like a WebView, also like an old one.
`AdbServerProcess` is in `stillframe.testing`; it needs the program adb (Debian: `apt install adb`).
"""

from __future__ import annotations

from stillframe_phone.adbd import Adbd, Link
from stillframe_phone.android_device import EmulatedDevice
from stillframe_phone.emulated.apps import EmulatedApp
from stillframe_phone.emulated.device_state import NativeInput
from stillframe_phone.webview import WebViewFacade

__all__ = ["Adbd", "EmulatedApp", "EmulatedDevice", "Link", "NativeInput", "WebViewFacade"]
