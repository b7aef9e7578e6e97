# SPDX-License-Identifier: GPL-2.0-only
"""Tables of values and visits, by hashes of states and actions."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from sys import intern
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.situation import Situation


class Table:
    """A number for each action in each state.

    Attributes:
        initial: Value of unset entries.
    """

    def __init__(self, initial: float = 0.0) -> None:
        """Begin without entries."""
        self.initial = initial
        self._rows: dict[str, dict[str, float]] = {}

    def __len__(self) -> int:
        """Return the number of entries."""
        return sum(map(len, self._rows.values()))

    def __getitem__(self, place: tuple[str, str]) -> float:
        """Return the number of a state and an action."""
        state, action = place
        return self._rows.get(state, {}).get(action, self.initial)

    def __setitem__(self, place: tuple[str, str], value: float) -> None:
        """Set the number of a state and an action."""
        state, action = place
        self._rows.setdefault(state, {})[intern(action)] = value

    def row(self, situation: Situation) -> list[float]:
        """Return the number of each allowed action."""
        known = self._rows.get(situation.state)
        if known is None:
            return [self.initial] * len(situation.keys)
        return [known.get(key, self.initial) for key in situation.keys]

    def best(self, situation: Situation) -> float:
        """Return the maximum over the allowed actions; 0 if no action is allowed."""
        return max(self.row(situation), default=0.0)

    def get_state(self) -> dict[str, Any]:
        """Return the entries, for JSON."""
        return {state: dict(row) for state, row in self._rows.items()}

    def set_state(
        self, state: Mapping[str, Mapping[str, float]], *, least: float = -math.inf
    ) -> None:
        """Restore the result of `get_state()`.

        Args:
            state: The table, as decoded from JSON.
            least: The minimum allowed number.

        Raises:
            AttributeError, TypeError, ValueError: The table is damaged.
        """
        self._rows = {
            key: {intern(action): read_number(value, least) for action, value in row.items()}
            for key, row in state.items()
        }


def read_number(value: Any, least: float = -math.inf) -> Any:
    """Check that a JSON value is a finite number of at least `least`, and return it.

    Raises:
        ValueError: The value is not such a number.
    """
    if type(value) not in (int, float) or not least <= value < math.inf or value == -math.inf:
        raise ValueError(f"{value!r:.100} is not a finite number, or less than {least:g}")
    return value


def pick_largest(values: Sequence[float], chance: random.Random) -> int:
    """Return the position of the largest value, drawn at random among equals."""
    largest = max(values)
    positions = [position for position, value in enumerate(values) if value == largest]
    return positions[0] if len(positions) == 1 else chance.choice(positions)


def check_counts(**counts: int) -> None:
    """Refuse counts below 1.

    Raises:
        ParameterError: A count is below 1.
    """
    for name, count in counts.items():
        if count < 1:
            raise ParameterError(f"{name} must be at least 1, not {count!r}")


def check_share(name: str, value: float, *, zero: bool = True) -> float:
    """Check that a value is from 0 to 1, and return it.

    Raises:
        ParameterError: The value is out of range, or is 0, which may be forbidden.
    """
    if not (0 <= value <= 1) or (value == 0 and not zero):
        raise ParameterError(f"{name} must be {'from' if zero else 'above'} 0 to 1, not {value!r}")
    return float(value)
