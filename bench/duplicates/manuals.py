"""Real pages: manuals that Debian packages carry, some of them in two releases. Nothing of them is kept.

No labelled crawl can be had through a package registry, so the truth is taken from what is known of the manuals: a page
and the one at the same path in the next release are the same page; so are two whose texts share 95 % of their word
shingles, counted exactly. Pages of different packages have different templates.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

RELEASES = (("llvm-13-doc", "llvm-14-doc"),)
SINGLE = ("postgresql-doc-15", "python-django-doc", "libstdc++-12-doc")
TWICE = "python3.11-doc"
"""A package that the archive holds in two revisions."""
PAGES = 40
MAX_BYTES = 250_000
HOW = "needs apt-get and dpkg-deb of Debian 12"


class Manual(NamedTuple):
    """One page: of which manual, which release of it, at which path."""

    name: str
    release: int
    path: str
    html: str


def manuals() -> list[Manual]:
    """Fetch the packages and draw pages from them; empty where there is no such archive."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return []
    dice = random.Random(4)
    found: list[Manual] = []
    with tempfile.TemporaryDirectory(prefix="stillframe-manuals-") as folder:
        groups = [*RELEASES, *((name,) for name in SINGLE), tuple(f"{TWICE}={version}" for version in _versions(TWICE))]
        for group in groups:
            pages = [_unpacked(name, Path(folder)) for name in group]
            if not pages or not all(pages):
                continue
            common = sorted(set.intersection(*(set(files) for files in pages)))
            for path in dice.sample(common, min(PAGES, len(common))):
                name = group[0].partition("=")[0]
                found += [Manual(name, release, path, files[path]) for release, files in enumerate(pages)]
    return found


def _versions(name: str) -> list[str]:
    listed = subprocess.run(["apt-cache", "madison", name], capture_output=True, text=True, check=False).stdout
    return sorted({line.split("|")[1].strip() for line in listed.splitlines() if line.count("|") > 1})[:2]


def _unpacked(name: str, folder: Path) -> dict[str, str]:
    """Return the pages of a package by path, without the part of the path that names the release."""
    place = Path(tempfile.mkdtemp(dir=folder))
    command = ["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", name]
    if subprocess.run(command, cwd=place, capture_output=True, check=False).returncode:
        return {}
    archive = next(iter(place.glob("*.deb")))
    subprocess.run(["dpkg-deb", "-x", archive, place / "x"], check=True)
    files = {}
    for path in sorted(place.glob("x/usr/share/doc/**/*.html")):
        if path.is_file() and path.stat().st_size <= MAX_BYTES:
            inner = str(path).partition("/html/")[2] or str(path.relative_to(place))
            files[inner] = path.read_text(encoding="utf-8", errors="replace")
    return files
