# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers by name, with their options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from defiance_zoo.errors import ParameterError
from defiance_zoo.libraries import require_known
from defiance_zoo.population.games.normal_form import Mixtures, NormalForm, uniform_mixtures
from defiance_zoo.population.solvers.dynamics import play_fictitiously, replicate
from defiance_zoo.population.solvers.rankings import prioritise, rank_by_evolution
from defiance_zoo.population.solvers.zero_sum import solve_nash
from defiance_zoo.training.configuration import Count, Description
from defiance_zoo.training.run_config_file import build_model

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Options(Description):
    """The options of a solver that has none."""


class FictitiousPlayOptions(Options):
    """Of `fictitious_play`."""

    iterations: Count = Field(default=10_000, description="answers of each role")


class ReplicatorOptions(Options):
    """Of `prd`."""

    iterations: Count = Field(default=10_000, description="steps of the dynamics")
    step: Positive = Field(default=0.1, description="of time, with payoffs from 0 to 1")
    floor: float = Field(
        default=1e-3, ge=0, le=0.5, description="least probability of all strategies together"
    )


class PrioritisingOptions(Options):
    """Of `pfsp`."""

    power: Positive = Field(default=0.5, description="of the rate of lost games")


class EvolutionOptions(Options):
    """Of `alpha_rank`."""

    intensity: Positive = Field(default=100.0, description="of selection, with payoffs from 0 to 1")
    population: Annotated[Count, Field(ge=2)] = Field(default=50, description="individuals")


@dataclass(frozen=True)
class Solver:
    """A meta-solver.

    Attributes:
        solve: From a game and options to the mixtures of its roles.
        options: What can be chosen.
    """

    solve: Callable[[NormalForm, Any], Mixtures]
    options: type[Options] = Options


def _rank(game: NormalForm, options: EvolutionOptions) -> Mixtures:
    scale = max(float(np.ptp(array)) for array in game.payoffs) or 1.0
    return rank_by_evolution(game, options.intensity / scale, options.population)


SOLVERS = {
    "nash": Solver(lambda game, _options: solve_nash(game)),
    "prd": Solver(
        lambda game, options: replicate(game, options.iterations, options.step, options.floor),
        ReplicatorOptions,
    ),
    "fictitious_play": Solver(
        lambda game, options: play_fictitiously(game, options.iterations), FictitiousPlayOptions
    ),
    "alpha_rank": Solver(_rank, EvolutionOptions),
    "pfsp": Solver(lambda game, options: prioritise(game, options.power), PrioritisingOptions),
    "uniform": Solver(lambda game, _options: uniform_mixtures(game)),
}
"""By name."""


def find_solver(name: str, options: Mapping[str, Any]) -> Callable[[NormalForm], Mixtures]:
    """Return a meta-solver with its options.

    Args:
        name: One of `SOLVERS`.
        options: By name; others have their defaults.

    Raises:
        ParameterError: There is no such solver, or it has no such option or value.
    """
    require_known("solver", name, SOLVERS)
    solver = SOLVERS[name]
    try:
        read = build_model(solver.options, options)
    except ParameterError as error:
        raise ParameterError(f"solver {name}: {error}") from None
    return lambda game: solver.solve(game, read)


def solve(game: NormalForm, name: str = "nash", **options: Any) -> Mixtures:
    """Return the mixtures that a meta-solver finds.

    Args:
        game: To be solved.
        name: One of `SOLVERS`.
        **options: Of the solver.

    Raises:
        ParameterError: There is no such solver or option, or it is not for such games.
        DependencyMissing: The solver needs a library that is not installed.
    """
    return find_solver(name, options)(game)
