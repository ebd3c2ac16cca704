"""The scripts that run in pages, and their loader.

The sources are modules in `js/src`; `make bundles` writes a bundle of each entry here, which needs Node.js, and `make
lint` compares them. A bundle is one expression:

- `elements` finds elements, checks them and makes them ready; a global of the isolated world
- `observer` records what changes in a document and reports when it is still; also in the isolated world
- `storage` reads and writes the localStorage, the databases and the private files of an origin
- each other one is a function: `hooks` wraps timers and other calls in the main world, `serialize` and `revive` convert
  values between JavaScript and Python, `recorder` reports what a person does, and so on

Pages cannot see an isolated world: it has its own globals and built-ins.
"""

from __future__ import annotations

import zlib
from functools import cache
from importlib.resources import files


@cache
def read(name: str) -> str:
    """Return a bundle: an expression, whose value is a function."""
    return (files(__package__) / f"{name}.js").read_text("utf-8").rstrip()


@cache
def storage_function(name: str) -> str:
    """Return a function of `storage`: `readStorage` or `writeStorage`."""
    return f"({read('storage')})().{name}"


@cache
def elements_source(*, name: str = "__sf") -> str:
    """Return the script that defines the global of `elements` in the world that runs it.

    Running it again keeps what the first run made, with its handles and what it knows of the input that is under way:
    in a frame without scripts Chrome runs it a second time when another document first reaches into the frame. Only
    another version's is replaced.
    """
    bundle = read("elements")
    version = f"{zlib.crc32(bundle.encode()):08x}"
    made, own = f'{{ version: "{version}", ...({bundle})() }}', f"globalThis.{name}"
    return f'void ({own} && {own}.version === "{version}" || ({own} = {made}));'


@cache
def observer_source(key: str) -> str:
    """Return the script that defines the observer's global in the isolated world; `key` is the key of the hooks."""
    return f'void (globalThis.__sfSettle || (globalThis.__sfSettle = ({read("observer")})("{key}")));'


@cache
def hooks_source() -> str:
    """Return the script that installs the wrappers in one realm: a function that takes the key."""
    return read("hooks")


@cache
def worker_hooks_source(key: str) -> str:
    """Return the script that installs the wrappers in a worker, once it starts."""
    return f'{read("worker_hooks")}({hooks_source()}, "{key}")'


@cache
def recorder_source() -> str:
    """Return the script that reports what a person does, for a world where `elements` has run."""
    made = f"globalThis.__sfRecorder = ({read('recorder')})()"
    return f"void (globalThis.__sf && !globalThis.__sfRecorder && ({made}));"


@cache
def content_source(*, max_text: int, max_links: int) -> str:
    """Return the expression that reads a document's content, with at most this many characters and links."""
    return f"({read('content')})({max_text}, {max_links})"
