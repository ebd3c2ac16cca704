"""Which segments of paths are names of pages: where many different ones stand in one place, the pattern has `*`."""

from __future__ import annotations

VARIETY = 20
"""From how many different names in one place on they are names of pages; sections of a site are fewer. Our choice."""
MAX_PLACES = 50_000
"""How many places are watched; in later ones every name counts as a section."""


class Varieties:
    """The names in each place of the paths of a crawl, as far as one worker has seen them."""

    def __init__(self) -> None:
        self._names: dict[str, set[str] | None] = {}
        """None for a place that has many."""

    def pattern(self, base: str) -> str:
        """Take the base of a URL in, and return its pattern by what is known now."""
        host, *segments = base.split("/")
        made = host
        for segment in segments:
            made = f"{made}/{segment if not segment or not self._varies(made, segment) else '*'}"
        return made

    def _varies(self, place: str, segment: str) -> bool:
        if segment in ("#", "{id}", "{date}", "*"):
            return False
        if place not in self._names:
            if len(self._names) >= MAX_PLACES:
                return False
            self._names[place] = set()
        names = self._names[place]
        if names is None:
            return True
        names.add(segment)
        if len(names) > VARIETY:
            self._names[place] = None
            return True
        return False
