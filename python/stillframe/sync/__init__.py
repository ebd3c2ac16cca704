"""The API of stillframe without `await`, for scripts and notebooks.

    import stillframe.sync
    from stillframe import Click

    with stillframe.sync.launch() as browser:
        page = browser.new_page("https://example.org/")
        result = page.execute_sequence([Click("text=More information")])

The classes have the names, methods, options and documentation of the asynchronous ones; actions, results, errors and
all other values are the very same classes. What waits there blocks here, and `async with` and `async for` are `with`
and `for`. After `with page.expect_popup() as popup: …`, what came is `popup.value`.

All calls run on one event loop in a thread of its own, so they work where a loop runs already, as in a notebook. Any
thread may call; calls on one page wait for each other. The thread ends when the last browser, the last
`AndroidDevice` and the last `Sessions` are closed. Afterwards properties keep their last value, and calls raise
ConnectionLost.

Handlers (`on`, `route`, `expose_function`) are plain functions. They run in threads of their own, hence may call any
method while another call waits; a handler of `on` gets one event after another. Functions that decide at once
(patterns of requests, `on_step`, `dialogs`) run on the event loop: there, properties can be read, and calls raise
InputError.

Ctrl-C ends a call that waits: it is cancelled as a task would be, and the browser stays usable.

Three things belong to the event loop and are left out: `Session.lock`, those methods of `CDPSession` that return
futures or streams (`send`, `send_raw`, `call` and `on` are there), and those of `AdbDevice` that return sockets
(commands and files of the device are there).
"""

from __future__ import annotations

from stillframe.sync.objects import *  # noqa: F403  the generated module says what is public
from stillframe.sync.objects import __all__ as __all__
