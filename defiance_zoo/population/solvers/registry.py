# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers by name, with their options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from defiance_zoo.errors import NotSolved, ParameterError
from defiance_zoo.experiments.libraries import require_known
from defiance_zoo.experiments.training.configuration import Count, Description
from defiance_zoo.experiments.workbench.descriptions import build_model
from defiance_zoo.experiments.workbench.wording import locating
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    rounding_of,
    to_distribution,
    uniform_mixtures,
)
from defiance_zoo.population.solvers.nash import solve_nash

_TIED = 1e-12
"""Maximum difference from the best payoff that counts as equal, relative to the range."""


def play_fictitiously(game: NormalForm, options: FictitiousPlayOptions) -> Mixtures:
    """Return the mean strategies of fictitious play (Brown, 1951).

    All roles respond simultaneously to the others' mean strategies, and first to uniform play.
    Equally good responses have equal probabilities. In zero-sum games of two, the means slowly tend
    to an equilibrium (Robinson, 1951).
    """
    means = uniform_mixtures(game)
    sums = tuple(np.zeros(count) for count in game.strategies)
    tied = _TIED + rounding_of(game.payoffs)
    game = game.unit()
    for number in range(1, options.iterations + 1):
        for total, earned in zip(sums, game.deviations(means), strict=True):
            best = earned >= earned.max() - tied
            total += best / best.sum()
        means = tuple(total / number for total in sums)
    return means


def replicate(game: NormalForm, options: ReplicatorOptions) -> Mixtures:
    """Return the means of projected replicator dynamics (Lanctot et al., 2017).

    A strategy's share grows with the difference of its payoff from its role's mean. No share falls
    below `floor` divided by the number of strategies. Payoffs are scaled to 0 to 1 first.
    """
    game = game.unit()
    mixtures = uniform_mixtures(game)
    sums = tuple(np.zeros(count) for count in game.strategies)
    for _ in range(options.iterations):
        moved = []
        for mixture, earned in zip(mixtures, game.deviations(mixtures), strict=True):
            growth = mixture * (earned - mixture @ earned)
            least = options.floor / len(mixture)
            moved.append(project(mixture + options.step * growth, least))
        mixtures = tuple(moved)
        for total, mixture in zip(sums, mixtures, strict=True):
            total += mixture
    return tuple(total / total.sum() for total in sums)


def project(point: Floats, least: float) -> Floats:
    """Return the distribution nearest to a point, with no share below `least`."""
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


def prioritise(game: NormalForm, options: PrioritisingOptions) -> Mixtures:
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
        shares = 1 - np.clip(rates, 0, 1)
        # The greatest share becomes 1, because all powers could be 0 in floating point.
        shares /= float(shares.max()) or 1.0
        mixtures.append(to_distribution(shares**options.power))
    return tuple(mixtures)


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Options(Description):
    """The options of a solver that has none."""


class FictitiousPlayOptions(Options):
    """Options of `fictitious_play`."""

    iterations: Count = Field(default=10_000, description="responses of each role")


class ReplicatorOptions(Options):
    """Options of `prd`."""

    iterations: Count = Field(default=10_000, description="steps of the dynamics")
    step: Positive = Field(default=0.1, description="step of time, with payoffs from 0 to 1")
    floor: float = Field(
        default=1e-3, ge=0, le=0.5, description="least probability of all strategies together"
    )


class PrioritisingOptions(Options):
    """Options of `pfsp`."""

    power: Positive = Field(default=0.5, description="exponent of the share of lost games")


@dataclass(frozen=True)
class Solver:
    """A meta-solver."""

    solve: Callable[[NormalForm, Any], Mixtures]
    options: type[Options] = Options
    two_seats: bool = False


SOLVERS = {
    "nash": Solver(lambda game, _options: solve_nash(game), two_seats=True),
    "prd": Solver(replicate, ReplicatorOptions),
    "fictitious_play": Solver(play_fictitiously, FictitiousPlayOptions),
    "pfsp": Solver(prioritise, PrioritisingOptions),
    "uniform": Solver(lambda game, _options: uniform_mixtures(game)),
}
"""Meta-solvers by name."""


def find_solver(name: str, options: Mapping[str, Any]) -> Callable[[NormalForm], Mixtures]:
    """Return a meta-solver with its options."""
    require_known("solver", name, SOLVERS)
    solver = SOLVERS[name]
    with locating(f"solver {name}"):
        read = build_model(solver.options, options)

    def solve_game(game: NormalForm) -> Mixtures:
        require_for(name, game.roles)
        return solver.solve(game, read)

    return solve_game


def require_for(name: str, roles: Sequence[int]) -> None:
    """Refuse a meta-solver for unsupported games."""
    if SOLVERS[name].two_seats and len(roles) != 2:
        raise ParameterError(
            f"solver={name!r} is for games of two seats, not of {len(roles)}; 'prd' is for any"
        )


def solve(game: NormalForm, name: str = "nash", **options: Any) -> Mixtures:
    """Return the mixtures of a meta-solver.

    Args:
        game: The game.
        name: One of `SOLVERS`.
        **options: Options of the solver.

    Raises:
        ParameterError: There is no such solver or option, or the solver does not support the game.
        NotSolved: The solver found no mixtures.
    """
    return find_solver(name, options)(game)


@dataclass(frozen=True)
class Fallback:
    """The replacement of a failed meta-solver."""

    solver: str
    instead: str
    error: str
    message: str


NoteFallback = Callable[[Fallback], None]
"""Called with each replacement of a meta-solver."""


def solve_in_any_case(
    game: NormalForm, name: str, options: Mapping[str, Any], note: NoteFallback
) -> Mixtures:
    """Return the mixtures of a meta-solver or, if that fails, of `prd` and then of `uniform`.

    Thus a failing solver or library does not end a long run.
    """
    failed: Exception | None = None
    for each, given in ((name, options), ("prd", {}), ("uniform", {})):
        try:
            mixtures = find_solver(each, given)(game)
            _require_distributions(mixtures, game)
            break
        except Exception as error:  # from any library
            failed = failed or error
    if failed is not None:
        note(Fallback(name, each, type(failed).__name__, str(failed)))
    return mixtures


def _require_distributions(mixtures: Mixtures, game: NormalForm) -> None:
    """Refuse mixtures that are not distributions over the strategies of their roles."""
    for mixture, count in zip(mixtures, game.strategies, strict=True):
        known = mixture.shape == (count,) and np.isfinite(mixture).all() and mixture.min() >= 0
        if not known or abs(mixture.sum() - 1) > 1e-6:
            raise NotSolved(f"the result is not a distribution: {mixture}")
