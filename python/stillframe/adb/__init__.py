"""Android devices through the adb server: devices, commands, files, DevTools sockets and what they answer."""
