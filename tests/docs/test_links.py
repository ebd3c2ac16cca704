"""Every link of the documents leads somewhere: files, headings, and files of the repository by their address."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents import DOCS, PATHS, REPOSITORY, ROOT, Link, anchors, links

LINKS = [link for path in PATHS for link in links(path)]
RELATIVE = [link for link in LINKS if not re.match(r"[a-z]+:", link.target)]


def place(link: Link) -> Path:
    """Return the file that a relative link leads to."""
    return (link.path.parent / link.target).resolve() if link.target else link.path


def test_every_file_that_is_linked_exists() -> None:
    assert RELATIVE
    assert [str(link) for link in RELATIVE if not place(link).exists()] == []


def test_every_heading_that_is_linked_exists() -> None:
    linked = [link for link in RELATIVE if link.anchor and place(link).suffix == ".md" and place(link).exists()]
    assert linked
    assert [str(link) for link in linked if link.anchor not in anchors(place(link))] == []


def test_pages_of_the_site_link_files_outside_it_by_their_address() -> None:
    """The site has only what is below docs/."""
    inside = [link for link in RELATIVE if link.path.is_relative_to(DOCS)]
    assert [str(link) for link in inside if not place(link).is_relative_to(DOCS)] == []


def test_every_address_in_the_repository_is_that_of_a_file() -> None:
    ours = [link for link in LINKS if link.target.startswith(REPOSITORY)]
    assert ours
    paths = {str(link): re.sub(r"^(blob|tree)/main/", "", link.target.removeprefix(REPOSITORY)) for link in ours}
    missing = [name for name, path in paths.items() if not (ROOT / path).exists() and path != "issues"]
    assert missing == []


def test_every_how_to_page_is_listed_by_their_index() -> None:
    index = DOCS / "how-to" / "index.md"
    listed = {place(link) for link in links(index)}
    assert set(index.parent.glob("*.md")) - listed == {index}


def test_every_file_that_contributing_names_exists() -> None:
    named = set(re.findall(r"`([\w./-]+\.(?:py|md|lock|pyi))`", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    places = (ROOT, ROOT / "python" / "stillframe")
    assert named
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("# Act and wait", "act-and-wait"),
        ("## `navigate`: Navigate", "navigate-navigate"),
        ("## [A link](x.md), and more", "a-link-and-more"),
    ],
)
def test_a_heading_has_the_anchor_that_the_site_gives_it(tmp_path: Path, heading: str, anchor: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"{heading}\n\n```sh\n# no heading\n```\n")
    assert anchor in anchors(path)
    assert "no-heading" not in anchors(path)
