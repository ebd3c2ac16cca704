"""The rule of docs/design/proposal.md, to the letter: poll a signature, and wait until it has been stable for a while.

The signature has six parts: URL, title, number of elements, whether a loading indicator is visible, whether the
document is ready, and the number of requests in flight. It must stay the same for `stability_ms`, counted from the
*first* of the equal samples; a visible indicator, an unready document or a request in flight means not stable, even if
the samples are equal. Seven selectors find indicators: `.loading`, `.spinner`, `.skeleton`, `[aria-busy=true]`,
`[data-loading=true]`, `[class*=loading]`, `[class*=spinner]`. The last two also match a class such as
`preloading-done`: while such an element is visible, the rule waits until its timeout, and the detail names the element.
Requests that were open before the actions do not count.

The rule sees neither text nor values, nor a timer that fires after `stability_ms`; `causal` is the better choice.
"""

from __future__ import annotations

import msgspec

from stillframe.model.verdict import Pending, Reason, Verdict


class Sample(msgspec.Struct, frozen=True):
    """The result of one poll; `indicators` and `requests` list the items that the signature only counts."""

    url: str
    title: str
    element_count: int
    ready: bool
    indicators: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()

    @property
    def signature(self) -> tuple[str, str, int, bool, bool, int]:
        """The six parts that the rule compares."""
        return (
            self.url,
            self.title,
            self.element_count,
            bool(self.indicators),
            self.ready,
            len(self.requests),
        )

    @property
    def busy(self) -> bool:
        """Whether the page is not stable even if the samples are equal."""
        return bool(self.indicators) or not self.ready or bool(self.requests)


class QuietRule:
    """One wait by this rule; all times are in milliseconds of one clock."""

    def __init__(self, started: float, *, stability_ms: float, poll_ms: float, timeout_ms: float) -> None:
        self._started = started
        self._stability = stability_ms
        self._poll = poll_ms
        self._deadline = started + timeout_ms
        self._last: Sample | None = None
        self._equal_since = started
        self._next = started

    @property
    def next_poll(self) -> float:
        """When the next sample is due; polls stay on a grid, so slow samples do not delay later ones."""
        return min(self._next, self._deadline)

    def left(self, now: float) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self._deadline - now) / 1000

    def take(self, now: float, sample: Sample | None) -> Verdict | None:
        """Process a sample, None if the page had no document to read; return the verdict when the wait is over."""
        while self._next <= now:
            self._next += self._poll
        if sample is None or self._last is None or sample.signature != self._last.signature:
            self._equal_since = now
        self._last = sample
        if sample is not None and not sample.busy and now - self._equal_since >= self._stability:
            return self._verdict(now, "quiet")
        return self.time_out(now) if now >= self._deadline else None

    def time_out(self, now: float) -> Verdict:
        """Return the verdict of a wait that timed out."""
        pending = self._pending(now)
        if self._last is None:
            return self._verdict(now, "hung", pending=pending)
        return self._verdict(now, "timeout", f"{pending[0].kind} {pending[0].what}", pending)

    def lost(self, now: float, reason: Reason, detail: str | None = None) -> Verdict:
        """Return the verdict of a wait whose page is gone, or stands still behind a dialog."""
        return self._verdict(now, reason, detail)

    def _verdict(
        self, now: float, reason: Reason, detail: str | None = None, pending: tuple[Pending, ...] = ()
    ) -> Verdict:
        waited_ms = round(now - self._started, 1)
        return Verdict(stable=reason == "quiet", reason=reason, detail=detail, waited_ms=waited_ms, pending=pending)

    def _pending(self, now: float) -> tuple[Pending, ...]:
        age = round(now - self._equal_since, 1)
        if self._last is None:
            return (Pending("document", "the page does not answer", age),)
        rows = [Pending("indicator", what, age) for what in self._last.indicators]
        rows += [Pending("request", what, age, what.partition(" ")[2]) for what in self._last.requests]
        if not self._last.ready:
            rows.append(Pending("document", self._last.url, age, self._last.url))
        return tuple(rows) or (Pending("changes", "the signature kept changing", age),)
