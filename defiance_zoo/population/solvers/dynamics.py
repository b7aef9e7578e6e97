# SPDX-License-Identifier: GPL-2.0-only
"""Mixtures by adaptive play, in games with any number of seats."""

from __future__ import annotations

import numpy as np

from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    rounding_of,
    uniform_mixtures,
)

_TIED = 1e-12
"""Maximum difference from the best payoff that counts as equal, relative to the range."""


def play_fictitiously(game: NormalForm, iterations: int) -> Mixtures:
    """Return the mean strategies of fictitious play (Brown, 1951).

    All roles respond simultaneously to the others' mean strategies, and first to uniform play.
    Equally good responses have equal probabilities. In zero-sum games of two, the means slowly tend
    to an equilibrium (Robinson, 1951).
    """
    means = uniform_mixtures(game)
    sums = tuple(np.zeros(count) for count in game.strategies)
    tied = _TIED + rounding_of(game.payoffs)
    game = game.unit()
    for number in range(1, iterations + 1):
        for total, earned in zip(sums, game.deviations(means), strict=True):
            best = earned >= earned.max() - tied
            total += best / best.sum()
        means = tuple(total / number for total in sums)
    return means


def replicate(game: NormalForm, iterations: int, step: float, floor: float) -> Mixtures:
    """Return the means of projected replicator dynamics (Lanctot et al., 2017).

    A strategy's share grows with the difference of its payoff from its role's mean. No share falls
    below `floor` divided by the number of strategies.

    Args:
        game: The game; its payoffs are scaled to 0 to 1 first.
        iterations: Number of iterations.
        step: Length of an Euler step, more than 0.
        floor: Least probability of all strategies together, from 0 to 1.
    """
    game = game.unit()
    mixtures = uniform_mixtures(game)
    sums = tuple(np.zeros(count) for count in game.strategies)
    for _ in range(iterations):
        moved = []
        for mixture, earned in zip(mixtures, game.deviations(mixtures), strict=True):
            growth = mixture * (earned - mixture @ earned)
            moved.append(project(mixture + step * growth, floor / len(mixture)))
        mixtures = tuple(moved)
        for total, mixture in zip(sums, mixtures, strict=True):
            total += mixture
    return tuple(total / total.sum() for total in sums)


def project(point: Floats, least: float) -> Floats:
    """Return the distribution nearest to a point, with no share below `least`.

    Args:
        point: Shape (strategies,).
        least: At most 1 / strategies.
    """
    count = len(point)
    room = 1 - least * count
    ordered = np.sort(point - least)[::-1]
    above = np.cumsum(ordered) - room
    kept = np.flatnonzero(ordered * np.arange(1, count + 1) > above)
    if not len(kept):  # no other distribution is possible
        return np.full(count, 1 / count)
    shift = above[kept[-1]] / (kept[-1] + 1)
    moved: Floats = np.maximum(point - least - shift, 0) + least
    return moved
