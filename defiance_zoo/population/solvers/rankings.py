# SPDX-License-Identifier: GPL-2.0-only
"""Mixtures by who beats whom: prioritised self-play, and ranking by evolution."""

from __future__ import annotations

import itertools

import numpy as np

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    to_distribution,
)

_LEAST = 1e-100
"""Probability of a takeover that would be 0 in floating point: each strategy can be reached."""


def prioritise(game: NormalForm, power: float) -> Mixtures:
    """Return mixtures in which those are met often who beat the latest policy of the other side.

    A policy's weight is (1 - w)^power, where w is the score of the latest policy of the other role
    (of the same one, where there is one alone) against it: prioritised fictitious self-play. Equal
    weights, if the latest one beats all.

    Args:
        game: With scores; the latest policy of a role is its last strategy.
        power: More than 0; above 1 the hardest are met nearly always.

    Raises:
        ParameterError: Scores are not known.
    """
    if game.scores is None:
        raise ParameterError("solver='pfsp' needs scores: who earned more than whom")
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
        mixtures.append(to_distribution((1 - np.clip(rates, 0, 1)) ** power))
    return tuple(mixtures)


def rank_by_evolution(game: NormalForm, intensity: float, population: int) -> Mixtures:
    """Return how often each strategy is found in the long run of evolution (alpha-Rank).

    In a finite population of `population` individuals, in which all play the same, a mutant takes
    over with the probability (1 - e^-d) / (1 - e^(-population d)), where d is `intensity` times
    what it earns more; the mixture is the stationary distribution of the chain of such takeovers
    (Omidshafiei et al., 2019). Two seats of one role are one population, whose mutants play those
    that they replace; else each seat has one of its own.

    Args:
        game: Two seats of one role, or a seat for each role.
        intensity: Of selection, more than 0.
        population: Individuals, at least 2.

    Raises:
        ParameterError: Roles have several seats otherwise.
    """
    if game.roles == (0, 0):
        first, second = game.payoffs
        advantage = first - second  # of the row over the column, if they play each other
        return (_stationary(_chain_of_one(advantage, intensity, population)),)
    if len(set(game.roles)) != game.seats:
        raise ParameterError(
            "solver='alpha_rank' is for two seats of one role, or roles of one seat each; "
            f"this game has the roles {game.roles}"
        )
    distribution = _stationary(_chain_of_many(game, intensity, population))
    shares = distribution.reshape(game.strategies)
    axes = range(game.seats)
    return tuple(shares.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


def _chain_of_one(advantage: Floats, intensity: float, population: int) -> Floats:
    """Return the transitions among strategies of one population, rows from, columns to."""
    count = len(advantage)
    chain = np.zeros((count, count))
    for now, mutant in itertools.permutations(range(count), 2):
        chain[now, mutant] = _takeover(advantage[mutant, now], intensity, population) / (count - 1)
    return _complete(chain)


def _chain_of_many(game: NormalForm, intensity: float, population: int) -> Floats:
    """Return the transitions among profiles, in the order of the payoffs' elements."""
    shape = game.strategies
    mutants = sum(count - 1 for count in shape)
    chain = np.zeros((int(np.prod(shape)),) * 2)
    for profile in itertools.product(*map(range, shape)):
        now = np.ravel_multi_index(profile, shape)
        for seat, count in enumerate(shape):
            for strategy in range(count):
                other = (*profile[:seat], strategy, *profile[seat + 1 :])
                if other != profile:
                    gained = float(game.payoffs[seat][other] - game.payoffs[seat][profile])
                    to = np.ravel_multi_index(other, shape)
                    chain[now, to] = _takeover(gained, intensity, population) / mutants
    return _complete(chain)


def _takeover(gained: float, intensity: float, population: int) -> float:
    """Return the probability that one mutant takes over."""
    exponent = intensity * gained
    if abs(exponent) < 1e-12:
        return 1 / population
    if exponent > 0:
        return float(np.expm1(-exponent) / np.expm1(-population * exponent))
    # The same, without powers that overflow.
    ratio = np.exp((population - 1) * exponent) * np.expm1(exponent)
    return max(float(ratio / np.expm1(population * exponent)), _LEAST)


def _complete(chain: Floats) -> Floats:
    """Have each row of transitions sum up to 1: nothing else happens."""
    np.fill_diagonal(chain, 0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    return chain


def _stationary(chain: Floats) -> Floats:
    """Return the distribution that a chain keeps, by elimination (Grassmann et al., 1985).

    No difference is taken, so that small probabilities are as exact as great ones.
    """
    left = chain.copy()
    count = len(left)
    for last in range(count - 1, 0, -1):
        leaving = left[last, :last].sum()
        left[:last, :last] += np.outer(left[:last, last], left[last, :last] / leaving)
        left[:last, last] /= leaving
    weights = np.zeros(count)
    weights[0] = 1
    for state in range(1, count):
        weights[state] = weights[:state] @ left[:state, state]
        weights /= weights.sum()
    return weights
