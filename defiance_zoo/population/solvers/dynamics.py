# SPDX-License-Identifier: GPL-2.0-only
"""Mixtures by adaptive play and by scores, in games with any number of seats."""

from __future__ import annotations

import numpy as np

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    rounding_of,
    to_distribution,
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

    `game`: the game; its payoffs are scaled to 0 to 1 first. `floor`: least probability of all
    strategies together, from 0 to 1.
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


def prioritise(game: NormalForm, power: float) -> Mixtures:
    """Return mixtures that favour policies that beat the latest policy of the other role.

    Prioritised fictitious self-play: a policy's weight is (1 - w)^power, where w is the score
        against it of the other role's (or the only role's) latest policy. Weights are equal if the
        latest policy beats all.

    The latest policy of a role is its last strategy. Large powers nearly always select the hardest
    opponents.
    """
    if game.scores is None:
        raise ParameterError("solver='pfsp' needs scores of matches")
    mixtures: list[Floats] = []
    for role, count in enumerate(game.strategies):
        learner = next((seat for seat, each in enumerate(game.roles) if each != role), 0)
        index = [game.strategies[each] - 1 for each in game.roles]
        rates = np.empty(count)
        for strategy in range(count):
            for seat, each in enumerate(game.roles):
                if each == role and seat != learner:
                    index[seat] = strategy
            rates[strategy] = game.scores[learner][tuple(index)]
        mixtures.append(_weigh(1 - np.clip(rates, 0, 1), power))
    return tuple(mixtures)


def _weigh(shares: Floats, power: float) -> Floats:
    """Return the distribution proportional to a power of shares; uniform if all shares are 0.

    The greatest share is first scaled to 1, because all powers could be 0 in floating point.
    """
    return to_distribution((shares / (float(shares.max()) or 1.0)) ** power)
