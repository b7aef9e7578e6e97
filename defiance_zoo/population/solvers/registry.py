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
from defiance_zoo.population.games.normal_form import Mixtures, NormalForm, uniform_mixtures
from defiance_zoo.population.solvers.dynamics import play_fictitiously, prioritise, replicate
from defiance_zoo.population.solvers.nash import solve_nash

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
    "prd": Solver(
        lambda game, options: replicate(game, options.iterations, options.step, options.floor),
        ReplicatorOptions,
    ),
    "fictitious_play": Solver(
        lambda game, options: play_fictitiously(game, options.iterations), FictitiousPlayOptions
    ),
    "pfsp": Solver(lambda game, options: prioritise(game, options.power), PrioritisingOptions),
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


def solve_in_any_case(
    game: NormalForm, name: str, options: Mapping[str, Any]
) -> tuple[Mixtures, Fallback | None]:
    """Return the mixtures of a meta-solver or, if that fails, of `prd` and then of `uniform`.

    Thus a failing solver or library does not end a long run.
    """
    failed: Exception | None = None
    for each, given in ((name, options), ("prd", {})):
        try:
            mixtures = find_solver(each, given)(game)
            _require_distributions(mixtures, game)
        except Exception as error:  # from any library
            failed = failed or error
        else:
            return mixtures, _fallback(name, each, failed)
    return uniform_mixtures(game), _fallback(name, "uniform", failed)


def _fallback(solver: str, instead: str, failed: Exception | None) -> Fallback | None:
    if failed is None:
        return None
    return Fallback(solver, instead, type(failed).__name__, str(failed))


def _require_distributions(mixtures: Mixtures, game: NormalForm) -> None:
    """Refuse mixtures that are not distributions over the strategies of their roles."""
    for mixture, count in zip(mixtures, game.strategies, strict=True):
        known = mixture.shape == (count,) and np.isfinite(mixture).all() and mixture.min() >= 0
        if not known or abs(mixture.sum() - 1) > 1e-6:
            raise NotSolved(f"the result is not a distribution: {mixture}")
