"""Real pages that installed packages bring along, served on loopback: templates from npm, the manuals of npm and Rust.

None of them is part of this repository. `make bench` installs the packages (bench/locators); the Rust manual comes with
rustup. A page that is not there is left out, and a caller that needs a certain number of them says so.
"""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from stillframe.testing import app_server

PACKAGES = Path(__file__).parent / "locators" / "node_modules"

TEMPLATES = (
    "startbootstrap-sb-admin-2/index.html",
    "startbootstrap-sb-admin-2/tables.html",
    "startbootstrap-sb-admin-2/cards.html",
    "startbootstrap-sb-admin-2/buttons.html",
    "startbootstrap-sb-admin/dist/index.html",
    "startbootstrap-sb-admin/dist/tables.html",
    "startbootstrap-agency/dist/index.html",
    "startbootstrap-clean-blog/dist/index.html",
    "startbootstrap-clean-blog/dist/contact.html",
    "startbootstrap-creative/dist/index.html",
    "startbootstrap-freelancer/dist/index.html",
    "startbootstrap-grayscale/dist/index.html",
    "startbootstrap-landing-page/dist/index.html",
    "startbootstrap-new-age/dist/index.html",
    "startbootstrap-resume/dist/index.html",
    "startbootstrap-stylish-portfolio/dist/index.html",
    "reveal.js/demo.html",
)
NPM_MANUAL = ("commands/npm-install.html", "using-npm/config.html", "configuring-npm/package-json.html")
RUST_MANUAL = (
    "std/index.html",
    "std/vec/struct.Vec.html",
    "book/ch04-01-what-is-ownership.html",
    "cargo/reference/manifest.html",
    "clippy/index.html",
    "error_codes/E0382.html",
    "nomicon/index.html",
    "reference/introduction.html",
    "rustdoc/index.html",
)

NO_INTERNET = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",)
"""Switches of Chrome with which what a page asks of other hosts fails at once, wherever the benchmark runs."""


class RealPage(NamedTuple):
    """A page: the package it comes from, and where it is served."""

    name: str
    path: str


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout.strip()
    except OSError:
        return ""


def _roots() -> dict[str, tuple[Path, tuple[str, ...]]]:
    rust, npm = _output("rustc", "--print", "sysroot"), _output("npm", "root", "--global")
    return {
        "npm": (PACKAGES, TEMPLATES),
        "npm-manual": (Path(npm) / "npm/docs/output", NPM_MANUAL),
        "rust-manual": (Path(rust) / "share/doc/rust/html", RUST_MANUAL),
    }


@asynccontextmanager
async def real_pages() -> AsyncIterator[tuple[str, list[RealPage]]]:
    """Serve the pages that are there, and yield the origin and the pages."""
    app = web.Application()
    pages = []
    for name, (root, paths) in _roots().items():
        if root.is_dir():
            app.router.add_static(f"/{name}/", root)
            pages += [RealPage(f"{name}: {path}", f"/{name}/{path}") for path in paths if (root / path).is_file()]
    async with app_server.serving(app) as port:
        yield f"http://127.0.0.1:{port}", pages
