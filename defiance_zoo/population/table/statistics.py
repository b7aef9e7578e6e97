# SPDX-License-Identifier: GPL-2.0-only
"""The running mean and standard error of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Statistics:
    """Mean and variance of some numbers.

    Attributes:
        n: Number of values.
        mean: Mean of the numbers; 0 without numbers.
        squares: Sum of the squares of their differences from the mean.
    """

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, values: Iterable[float]) -> Statistics:
        """Return the statistics of some numbers."""
        known = cls()
        for value in values:
            known = known.with_value(value)
        return known

    def with_value(self, value: float) -> Statistics:
        """Return the statistics with one more number (Welford, 1962)."""
        n = self.n + 1
        apart = value - self.mean
        mean = self.mean + apart / n
        return Statistics(n, mean, self.squares + apart * (value - mean))

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean; None for fewer than two numbers."""
        return math.sqrt(self.squares / (self.n - 1) / self.n) if self.n > 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return the statistics for a file; `from_json()` reads them."""
        error = self.standard_error
        return {"mean": self.mean, "n": self.n, "standard_error": error, "squares": self.squares}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Statistics:
        """Return the statistics that `to_json()` wrote.

        Raises:
            KeyError, ValueError: The values are damaged.
        """
        n, mean, squares = (values[name] for name in ("n", "mean", "squares"))
        if type(n) is not int or n < 0:
            raise ValueError(f"n={n!r} is not a number of episodes")
        for name, value in (("mean", mean), ("squares", squares)):
            if type(value) not in (int, float) or not math.isfinite(value):
                raise ValueError(f"{name}={value!r} is not a finite number")
        if squares < 0:
            raise ValueError(f"squares={squares!r} is negative")
        return cls(n, mean, squares)
