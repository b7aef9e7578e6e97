# SPDX-License-Identifier: GPL-2.0-only
"""The policies to train in a generation, and their opponents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from defiance_zoo.population.configuration import Initialisation, PopulationConfig
from defiance_zoo.population.games.normal_form import Floats, Mixtures, NormalForm
from defiance_zoo.population.running.state import PopulationState
from defiance_zoo.population.solvers.registry import Fallback, solve_in_any_case

RESPONSE, MAIN, EXPLOITER = "response", "main", "exploiter"
"""Kinds of policies: the first for PSRO, the others for leagues."""

SOLVERS = {"psro": "nash", "league": "pfsp"}
"""The default meta-solver of a method."""


NoteFallback = Callable[[Fallback], None]
"""Called with each replacement of a meta-solver."""


def ignore_fallback(_fallback: Fallback) -> None:
    """Do nothing; see `NoteFallback`."""


@dataclass(frozen=True)
class Task:
    """A best response to train, against mixtures of each role over its population.

    `parents` is the kind of its parent; None: any kind.
    """

    name: str
    role: str
    generation: int
    kind: str
    mixtures: Mapping[str, Floats]
    initialisation: Initialisation
    parents: str | None = None


def plan(
    state: PopulationState, config: PopulationConfig, note: NoteFallback = ignore_fallback
) -> list[Task]:
    """Return the trainings of the generation after a complete generation: one for each role."""
    plan_method = _plan_league if config.method == "league" else _plan_psro
    tasks = plan_method(state, config, note)
    return [tasks[role] for role in state.game.seats.names]


def solve_for(config: PopulationConfig, game: NormalForm, note: NoteFallback) -> Mixtures:
    """Return the mixtures from the population's meta-solver, or from its replacement."""
    mixtures, fallback = solve_in_any_case(game, solver_name(config), config.solver_options)
    if fallback is not None:
        note(fallback)
    return mixtures


def solver_name(config: PopulationConfig) -> str:
    """Return the name of the meta-solver of a population."""
    return config.solver or SOLVERS[config.method]


def _plan_psro(
    state: PopulationState, config: PopulationConfig, note: NoteFallback
) -> dict[str, Task]:
    """Let each role respond to all others: policy-space response oracles (Lanctot et al., 2017)."""
    mixtures = state.by_role(solve_for(config, state.normal_form(), note))
    return {
        role: _task(state, role, RESPONSE, mixtures, config.best_response.initialisation)
        for role in state.game.seats.names
    }


def _plan_league(
    state: PopulationState, config: PopulationConfig, note: NoteFallback
) -> dict[str, Task]:
    """Alternately, main agents respond to all policies, and exploiters to the latest main agents.

    A main agent starts from its predecessor; an exploiter starts from new weights.
    """
    if state.generation % 2 == 0:
        mixtures = state.by_role(_solve_with_mains_last(state, config, note))
        return {
            role: _task(state, role, MAIN, mixtures, "inherit_last", parents=MAIN)
            for role in state.game.seats.names
        }
    mains = {role: _only(state, role, _main(state, role)) for role in state.game.seats.names}
    begins = config.best_response.initialisation
    begins = begins if begins == "pretrained" else "random"
    return {role: _task(state, role, EXPLOITER, mains, begins) for role in state.game.seats.names}


def _solve_with_mains_last(
    state: PopulationState, config: PopulationConfig, note: NoteFallback
) -> Mixtures:
    """Solve a game in which the latest main agent is the last strategy of its role."""
    roles = state.game.seats.names
    orders = {}
    for role in roles:
        names = state.populations[role].names
        main = _main(state, role)
        orders[role] = [*(name for name in names if name != main), main]
    solved = solve_for(config, state.table.normal_form(orders), note)
    return tuple(
        np.array([mixture[orders[role].index(name)] for name in state.populations[role].names])
        for role, mixture in zip(roles, solved, strict=True)
    )


def _main(state: PopulationState, role: str) -> str:
    """Return the latest main agent or, without one, the last initial policy."""
    latest = state.populations[role].latest(MAIN)
    return latest.name if latest else state.populations[role].names[-1]


def _only(state: PopulationState, role: str, name: str) -> Floats:
    names = state.populations[role].names
    return np.array([float(each == name) for each in names])


def _task(
    state: PopulationState,
    role: str,
    kind: str,
    mixtures: Mapping[str, Floats],
    initialisation: Initialisation,
    *,
    parents: str | None = None,
) -> Task:
    generation = state.generation + 1
    return Task(f"{role}-{generation}", role, generation, kind, mixtures, initialisation, parents)
