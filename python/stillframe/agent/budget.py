"""Count what a run uses and say when a limit ends it; pure, with the time as an argument."""

from __future__ import annotations

from decimal import Decimal

from stillframe.agent.limits import Limits
from stillframe.agent.outcome import Termination, Usage

Amount = float | Decimal | None


class Budget:
    """What one run has used so far; times are in seconds of one clock."""

    def __init__(self, limits: Limits, started: float) -> None:
        self.limits = limits
        self.usage = Usage()
        self.price: Decimal | None = Decimal(0)
        """US dollars; None once the price of a call is unknown."""
        self.iterations = 0
        """Turns of the whole run."""
        self.explorations = 0
        self.step_failures = 0
        """Steps in a row that were not completed."""
        self.step = StepBudget(limits)
        self._started = started

    def start(self, now: float) -> None:
        """Begin to count the time of the run."""
        self._started = now

    def seconds(self, now: float) -> float:
        """Return how long the run has gone on."""
        return now - self._started

    def begin_step(self) -> None:
        """Count the turns of the next step from zero."""
        self.step = StepBudget(self.limits)

    def end_step(self, *, completed: bool) -> None:
        """Count whether a step was completed."""
        self.step_failures = 0 if completed else self.step_failures + 1

    @property
    def is_last_step(self) -> bool:
        """Whether the run ends if one more step is not completed: the model is warned."""
        return 0 < self.step_failures == self.limits.max_consecutive_step_failures - 1

    def steps_ending(self) -> Termination | None:
        """Return the ending if too many steps in a row were not completed."""
        if self.step_failures < self.limits.max_consecutive_step_failures:
            return None
        return Termination("stuck", f"max_consecutive_step_failures: {self.step_failures} steps in a row failed")

    def begin_iteration(self) -> None:
        """Count a turn of the model."""
        self.iterations += 1
        self.step.begin_iteration()

    def spend(self, usage: Usage, price: Decimal | None) -> None:
        """Count what a call of the model has used, and its price in US dollars if it is known."""
        self.usage += usage
        self.price = None if self.price is None or price is None else self.price + price

    def run_ending(self, now: float) -> Termination | None:
        """Return the ending if a limit of the run is reached, to be asked before and after each turn."""
        return self.time_ending(now) or self._first_reached(
            ("budget_tokens", self.usage.tokens, self.limits.budget_tokens, "tokens"),
            ("budget_usd", self.price, self._usd_limit, "US dollars"),
        )

    def time_ending(self, now: float) -> Termination | None:
        """Return the ending if the time of the run is used up."""
        return self._first_reached(("timeout", now - self._started, self.limits.timeout, "s"))

    def turn_ending(self, now: float) -> Termination | None:
        """Return the ending if no further turn of the run may begin."""
        return self.run_ending(now) or self._first_reached(
            ("max_total_iterations", self.iterations, self.limits.max_total_iterations, "iterations")
        )

    def seconds_left(self, now: float) -> float | None:
        """Return how much of `timeout` is left, at least 0; None without one."""
        return None if self.limits.timeout is None else max(0.0, self._started + self.limits.timeout - now)

    def usd_left(self) -> Decimal | None:
        """Return how many US dollars are left, at least 0; None without a limit."""
        limit = self._usd_limit
        return None if limit is None else max(Decimal(0), limit - (self.price or Decimal(0)))

    @property
    def _usd_limit(self) -> Decimal | None:
        """The limit in US dollars as it was written: the float 0.01 is more than one cent, and a price is exact."""
        return None if self.limits.budget_usd is None else Decimal(str(self.limits.budget_usd))

    def tokens_left(self) -> int | None:
        """Return how many tokens are left, at least 0; None without a limit."""
        return None if self.limits.budget_tokens is None else max(0, self.limits.budget_tokens - self.usage.tokens)

    def explore(self) -> str | None:
        """Count an exploration; return the key of the limit that refuses it, or None."""
        counts = (
            ("max_explorations_per_iteration", self.step.explorations_in_iteration),
            ("max_explorations_per_step", self.step.explorations),
            ("max_exploration_steps", self.explorations),
        )
        for key, used in counts:
            if used >= getattr(self.limits, key):
                return key
        self.explorations += 1
        self.step.explorations += 1
        self.step.explorations_in_iteration += 1
        return None

    def _first_reached(self, *rows: tuple[str, Amount, Amount, str]) -> Termination | None:
        for key, used, limit, unit in rows:
            if limit is not None and used is not None and used >= limit:
                return Termination("limit", f"{key}: {limit:g} {unit} are used up")
        return None


class StepBudget:
    """What the current step has used so far."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.iterations = 0
        self.failures = 0
        """Turns in a row whose commands failed."""
        self.tool_rounds = 0
        """Turns in a row that only called tools."""
        self.idle = 0
        """Turns in a row that did nothing."""
        self.screenshots = 0
        self.explorations = 0
        self.explorations_in_iteration = 0

    def begin_iteration(self) -> None:
        """Count a turn of the model."""
        self.iterations += 1
        self.explorations_in_iteration = 0

    def record(self, *, ran: bool, failed: bool, called_tools: bool) -> None:
        """Count how a turn went: whether commands ran, whether one failed, and whether tools were called."""
        self.tool_rounds = self.tool_rounds + 1 if called_tools and not ran else 0
        self.idle = 0 if called_tools or ran else self.idle + 1
        if ran:
            self.failures = self.failures + 1 if failed else 0

    def screenshot(self) -> bool:
        """Count a screenshot; return whether it is allowed."""
        most = self._limits.max_screenshots_per_step
        if most is not None and self.screenshots >= most:
            return False
        self.screenshots += 1
        return True

    @property
    def is_last_try(self) -> bool:
        """Whether one more failed turn ends the step: the model is warned."""
        return 0 < self.failures == self._limits.max_consecutive_iteration_failures - 1

    def ending(self) -> Termination | None:
        """Return the ending if a limit of the step is reached."""
        limits = self._limits
        if self.failures >= limits.max_consecutive_iteration_failures:
            return Termination("stuck", f"max_consecutive_iteration_failures: {self.failures} turns in a row failed")
        if self.tool_rounds >= max(1, limits.max_tool_rounds):
            return Termination("stuck", f"max_tool_rounds: {self.tool_rounds} turns in a row only called tools")
        if self.idle >= limits.max_idle_iterations:
            return Termination("loop", f"max_idle_iterations: {self.idle} turns in a row did nothing")
        if self.iterations >= limits.max_iterations_per_step:
            return Termination(
                "limit", f"max_iterations_per_step: {limits.max_iterations_per_step} iterations are used up"
            )
        return None
