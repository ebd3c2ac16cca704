"""The settings of a browser pool."""

from __future__ import annotations

import msgspec

from stillframe.errors import OptionInvalid


class PoolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How many browsers and pages there are, and when a browser is replaced.

    A browser is drained and replaced after `recycle_pages` pages (each browser draws up to a quarter more or less, so
    that they do not all end at once), above `recycle_pss_mb` MB of memory, and after `recycle_age_s` seconds. No page
    opens above the share `admit_below` of the machine's memory in use, and above `shed_above` the newest page is asked
    to end. No page opens while the disk of the profiles has less than `min_free_disk_mb` MB. Raises OptionInvalid.
    """

    browsers: int = 1
    pages_per_browser: int = 4
    contexts_per_browser: int = 8
    """Contexts of identities that are kept open; each costs a renderer, some 45 MB (measured)."""
    recycle_pages: int = 500
    recycle_pss_mb: float = 2_000.0
    recycle_age_s: float = 3_600.0
    admit_below: float = 0.85
    shed_above: float = 0.95
    min_free_disk_mb: float = 200.0
    """Chrome reports success on a full disk, so pages would be wrong in silence; a profile needs some 30 MB."""
    launch_stagger_s: float = 0.5
    """Starting a browser takes about that long of one core (measured), so a second one waits for it."""
    first_backoff_s: float = 0.5
    longest_backoff_s: float = 30.0
    launch_attempts: int = 5
    """Failed launches in a row, of all browsers, after which the pool gives up and says why."""
    health_interval_s: float = 5.0
    health_deadline_s: float = 10.0
    """How long a browser may take to say its version; one that takes longer is killed and replaced."""
    shed_interval_s: float = 2.0
    """Time for memory to come back after a page was shed, before the next one is."""
    page_timeout_s: float = 60.0
    """How long a caller waits for a page by default; a relaunch with its back-off fits in. Our choice."""
    idle_blank_s: float = 1.0
    """An idle page is emptied after that time, so that what it runs costs nothing."""

    def __post_init__(self) -> None:
        for name in ("browsers", "pages_per_browser", "contexts_per_browser", "recycle_pages", "launch_attempts"):
            if getattr(self, name) < 1:
                raise OptionInvalid(f"option {name}: {getattr(self, name)!r} is less than 1", option=name)
        if not 0 < self.admit_below <= self.shed_above <= 1:
            raise OptionInvalid(
                f"option admit_below: {self.admit_below} and shed_above {self.shed_above} are shares of the memory; "
                "they need 0 < admit_below <= shed_above <= 1",
                option="admit_below",
            )
