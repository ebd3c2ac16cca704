"""DevTools sockets of apps on a device: find them, ask them, connect to their pages, and say why one was lost."""
