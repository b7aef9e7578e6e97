# SPDX-License-Identifier: GPL-2.0-only
"""Elo ratings."""

from __future__ import annotations

from collections.abc import Iterable

BEGIN = 1000.0
"""The rating of who has not played."""

GAIN = 16.0
"""What a match changes at most, called K."""

_SCALE = 400.0


def expected_score(own: float, other: float) -> float:
    """Return the score that ratings predict: 1 / (1 + 10^((other - own) / 400))."""
    return float(1 / (1 + 10 ** ((other - own) / _SCALE)))


def rate(
    matches: Iterable[tuple[str, str, float]], *, begin: float = BEGIN, gain: float = GAIN
) -> dict[str, float]:
    """Return the ratings of players after matches, one after the other (Elo, 1978).

    Args:
        matches: Two players, and the score of the first one: 1 if it won, 0.5 if nobody did, 0 if
            it lost, or the mean of that over several games. The order matters.
        begin: The rating of who has not played yet.
        gain: What a match changes at most.
    """
    ratings: dict[str, float] = {}
    for first, second, score in matches:
        own, other = ratings.setdefault(first, begin), ratings.setdefault(second, begin)
        change = gain * (score - expected_score(own, other))
        ratings[first], ratings[second] = own + change, other - change
    return ratings
