# SPDX-License-Identifier: GPL-2.0-only
"""The trainings of a generation, its mixtures, its figures, and their description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.configuration import Initialisation, PopulationConfig
from defiance_zoo.population.games.normal_form import Floats, Mixtures, NormalForm
from defiance_zoo.population.payoff_table import PayoffTable, read_table
from defiance_zoo.population.ratings import elo_ratings, is_symmetric, progress, transitivity
from defiance_zoo.population.running.state import PopulationState, read_config, read_generations
from defiance_zoo.population.solvers.registry import NoteFallback, solve_in_any_case

RESPONSE, MAIN, EXPLOITER = "response", "main", "exploiter"
"""Kinds of policies: the first for PSRO, the others for leagues."""

SOLVERS = {"psro": "nash", "league": "pfsp"}
"""The default meta-solver of a method."""


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


def plan(state: PopulationState, config: PopulationConfig, note: NoteFallback) -> list[Task]:
    """Return the trainings of the generation after a complete generation: one for each role."""
    plan_method = _plan_league if config.method == "league" else _plan_psro
    tasks = plan_method(state, config, note)
    return [tasks[role] for role in state.game.seats.names]


def solve_for(config: PopulationConfig, game: NormalForm, note: NoteFallback) -> Mixtures:
    """Return the mixtures from the population's meta-solver, or from its replacement."""
    return solve_in_any_case(game, solver_name(config), config.solver_options, note)


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


def find_mixtures(state: PopulationState, config: PopulationConfig, note: NoteFallback) -> Mixtures:
    """Return the populations' mixtures: from the meta-solver or, in a league, an equilibrium."""
    game = state.normal_form()
    if config.method == "psro":
        return solve_for(config, game, note)
    name = "nash" if game.constant_sum is not None else "prd"
    return solve_in_any_case(game, name, {}, note)


def measure(state: PopulationState, answered: Mapping[str, Floats]) -> dict[str, float]:
    """Return the figures of a generation, by name.

    `nash_conv`: the gain of the best known policies and probes over the current mixtures, summed
        over seats. It is a lower bound unless all possible policies are known.
    `response_gain`: the gain over the mixtures against which this generation was trained.
    """
    now = state.exploit(state.mixtures)
    found: dict[str, float | None] = {"nash_conv": now.nash_conv}
    if answered:
        found["response_gain"] = state.exploit(answered).nash_conv
    roles = state.game.seats.names
    for number, role in enumerate(roles):
        found[f"value/{role}"] = now.values[number]
        found[f"gain/{role}"] = now.gains[number]
        found[f"policies/{role}"] = len(state.populations[role])
        found[f"support/{role}"] = int((state.mixtures[role] > 1e-3).sum())
    found.update(_measures(state))
    found.update(_symmetric_figures(state))
    found["memory_mb"] = psutil.Process().memory_info().rss / 2**20
    return {name: float(value) for name, value in found.items() if value is not None}


def action_mixture(state: PopulationState, role: str) -> Floats | None:
    """Return the frequency of each action of a role in the matches of its mixture.

    It is None if actions are not discrete.
    """
    shares = [state.table.action_shares(name) for name in state.populations[role].names]
    known = [each for each in shares if each is not None]
    if len(known) < len(shares):
        return None
    mixed: Floats = state.mixtures[role] @ np.array(known)
    return mixed


def _measures(state: PopulationState) -> dict[str, float | None]:
    """Return further measures under the mixtures."""
    mixtures = tuple(state.mixtures[role] for role in state.game.seats.names)
    return {
        f"measure/{name}": state.table.expect_measure(name, state.members, mixtures)
        for name in state.game.measures
    }


def _symmetric_figures(state: PopulationState) -> dict[str, float | None]:
    if not is_symmetric(state.table):
        return {}
    (names,) = state.members.values()
    ratings = elo_ratings(state.table, names)
    return {
        "transitivity": transitivity(state.table.matrix(names, names)),
        "progress": progress(state.table, names),
        **{f"elo/{name}": value for name, value in ratings.items()},
    }


def describe_population(population: Path | str) -> dict[str, Any]:
    """Return the contents of a population's folder, without changes.

    Args:
        population: Folder of the population.

    Returns:
        `env`, `method`, `generation`, `until`. `policies`: the facts of each policy, with its
        `probability`. `figures` of the last generation. `actions` of each role. `matrix` of a game
            of two seats, with `rows`, `columns`, `means` and `standard_errors`. `history`: each
            generation's main figures, and `fallbacks`: the solvers that failed.

    Raises:
        ParameterError: There is no population, or no complete generation.
    """
    population = Path(population)
    config = read_config(population)
    generations = read_generations(population)
    if not generations:
        raise ParameterError(f"{population} has no complete generation; resume it")
    last = generations[-1]
    table = read_table(population / "payoffs.json")
    if set(table.seats.roles) != set(last["populations"]):
        raise ParameterError(f"{population}: payoffs.json is of other roles than the generations")
    return {
        "env": config.env,
        "method": config.method,
        "generation": last["generation"],
        "until": config.generations,
        "policies": _policies(last),
        "figures": last["figures"],
        "actions": last["actions"],
        "cells": last["cells"],
        "matrix": _matrix(table, last),
        "history": [_brief(each) for each in generations],
    }


def _policies(generation: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for role, records in generation["populations"].items():
        for record, share in zip(records, generation["mixtures"][role], strict=True):
            rating = generation["figures"].get(f"elo/{record['name']}")
            found.append({**record, "probability": share, "elo": rating})
    return found


def _matrix(table: PayoffTable, generation: dict[str, Any]) -> dict[str, Any] | None:
    if len(table.seats.agents) != 2:
        return None
    names = {
        role: [record["name"] for record in records]
        for role, records in generation["populations"].items()
    }
    rows, columns = (names[role] for role in table.seats.roles)
    return {
        "rows": rows,
        "columns": columns,
        "means": table.grid(rows, columns, lambda cell, row: cell.payoffs[row].mean),
        "standard_errors": table.grid(
            rows, columns, lambda cell, row: cell.payoffs[row].standard_error
        ),
    }


def _brief(generation: dict[str, Any]) -> dict[str, Any]:
    figures = {name: generation["figures"].get(name) for name in ("nash_conv", "response_gain")}
    return {
        "generation": generation["generation"],
        **figures,
        "fallbacks": generation.get("fallbacks", []),
        "cells_played": generation["cells"].get("played"),
        "seconds": generation["seconds"],
    }
