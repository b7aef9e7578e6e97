# SPDX-License-Identifier: GPL-2.0-only
"""Mixtures by scores: prioritised self-play, and ranking by evolution."""

from __future__ import annotations

import math

import numpy as np

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    to_distribution,
)


def prioritise(game: NormalForm, power: float) -> Mixtures:
    """Return mixtures that favour policies that beat the latest policy of the other role.

    Prioritised fictitious self-play: a policy's weight is (1 - w)^power, where w is the score
        against it of the other role's (or the only role's) latest policy. Weights are equal if the
        latest policy beats all.

    Args:
        game: Game with scores; the latest policy of a role is its last strategy.
        power: Exponent, more than 0; large exponents nearly always select the hardest opponents.
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


def rank_by_evolution(game: NormalForm, intensity: float, population: int) -> Mixtures:
    """Return the frequency of each strategy in the long run of evolution (alpha-Rank).

    In a population of `population` individuals with equal strategies, a mutant takes over with the
    probability (1 - e^-d) / (1 - e^(-population d)), where d is `intensity` times its additional
    payoff. The mixture is the stationary distribution of the chain of takeovers (Omidshafiei et
    al., 2019). Two seats of one role are one population, whose mutants play against the individuals
    that they replace. Otherwise, each seat has its own population.

    Args:
        game: Game with two seats of one role, or a seat for each role.
        intensity: Intensity of selection, more than 0.
        population: Number of individuals, at least 2.
    """
    if game.roles == (0, 0):
        first, second = game.payoffs
        advantage = first - second  # of the row over the column in a match
        # From each strategy (row) to each mutant (column).
        return (_stationary(_log_takeovers(intensity * advantage.T, population)),)
    distribution = _stationary(_chain_of_many(game, intensity, population))
    shares = distribution.reshape(game.strategies)
    axes = range(game.seats)
    return tuple(shares.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


def _chain_of_many(game: NormalForm, intensity: float, population: int) -> Floats:
    """Return the logarithms of takeovers among profiles, in the order of the payoffs' elements.

    The result is -inf if profiles differ in more than one seat.
    """
    shape = game.strategies
    profiles = np.arange(math.prod(shape)).reshape(shape)
    chain = np.full((profiles.size,) * 2, -np.inf)
    for seat, count in enumerate(shape):
        # Rows: strategies of the other seats. Columns: strategies of the seat.
        places = np.moveaxis(profiles, seat, -1).reshape(-1, count)
        payoffs = np.moveaxis(game.payoffs[seat], seat, -1).reshape(-1, count)
        gained = payoffs[:, np.newaxis, :] - payoffs[:, :, np.newaxis]
        logarithms = _log_takeovers(intensity * gained, population)
        chain[places[:, :, np.newaxis], places[:, np.newaxis, :]] = logarithms
    return chain


def _log_takeovers(exponents: Floats, population: int) -> Floats:
    """Return the logarithms of the probabilities that one mutant takes over.

    The probability is (1 - e^-x) / (1 - e^-mx), or 1/m for x = 0, for exponents of any size.
    """
    size = np.abs(exponents)
    tied = size == 0
    size[tied] = 1.0
    found: Floats = np.log(-np.expm1(-size)) - np.log(-np.expm1(-population * size))
    found += (population - 1) * np.minimum(exponents, 0)
    found[tied] = -math.log(population)
    return found


def _stationary(chain: Floats) -> Floats:
    """Return the stationary distribution of a chain, by elimination (Grassmann et al., 1985).

    The computation uses logarithms and no differences of probabilities, so results are exact even
    for transitions of e^-10000.

    Args:
        chain: Logarithms of the transitions, rows from, columns to, up to a common constant. The
            diagonal has no influence.
    """
    left = chain.copy()
    count = len(left)
    for last in range(count - 1, 0, -1):
        left[:last, last] -= np.logaddexp.reduce(left[last, :last])
        through = left[:last, last, np.newaxis] + left[last, :last]
        left[:last, :last] = np.logaddexp(left[:last, :last], through)
    weights = np.zeros(count)
    for state in range(1, count):
        weights[state] = np.logaddexp.reduce(weights[:state] + left[:state, state])
    return to_distribution(np.exp(weights - weights.max()))
