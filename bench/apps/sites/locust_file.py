"""Users of Locust who ask nobody: each reports a request that it did not make, so that the figures move."""

from __future__ import annotations

from locust import User, constant, task


class Reader(User):
    """Reads articles; each tenth one is lost."""

    wait_time = constant(0.5)
    seen = 0

    @task(3)
    def article(self) -> None:
        Reader.seen += 1
        lost = OSError("article lost") if Reader.seen % 10 == 0 else None
        self.environment.events.request.fire(
            request_type="GET", name="/article", response_time=20, response_length=900, exception=lost, context={}
        )

    @task
    def search(self) -> None:
        self.environment.events.request.fire(
            request_type="GET", name="/search", response_time=35, response_length=120, exception=None, context={}
        )
