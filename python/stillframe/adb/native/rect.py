"""A rectangle on the screen of a device."""

from __future__ import annotations

from typing import NamedTuple


class Rect(NamedTuple):
    """A rectangle in pixels of the screen as it is rotated now; `left` and `top` may be negative."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column right of it."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """The first row below it."""
        return self.top + self.height

    @property
    def center(self) -> tuple[int, int]:
        """Its middle as (x, y), rounded down."""
        return self.left + self.width // 2, self.top + self.height // 2

    @property
    def empty(self) -> bool:
        """Whether it contains no pixel."""
        return self.width <= 0 or self.height <= 0

    def within(self, other: Rect) -> Rect:
        """Return the part of it that lies in another one; that part is empty if they do not overlap."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        width, height = min(self.right, other.right) - left, min(self.bottom, other.bottom) - top
        return Rect(left, top, max(width, 0), max(height, 0))
