# SPDX-License-Identifier: GPL-2.0-only
"""The figures and the description of generations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.normal_form import Floats, Mixtures
from defiance_zoo.population.payoff_table import PayoffTable, read_table
from defiance_zoo.population.ratings import (
    elo_ratings,
    is_symmetric,
    population_transitivity,
    progress,
)
from defiance_zoo.population.running.folder import read_config, read_generations
from defiance_zoo.population.running.methods import NoteFallback, solve_for
from defiance_zoo.population.running.state import PopulationState
from defiance_zoo.population.solvers.registry import solve_in_any_case


def find_mixtures(state: PopulationState, config: PopulationConfig, note: NoteFallback) -> Mixtures:
    """Return the populations' mixtures: from the meta-solver or, in a league, an equilibrium."""
    game = state.normal_form()
    if config.method == "psro":
        return solve_for(config, game, note)
    name = "nash" if game.constant_sum is not None else "prd"
    mixtures, fallback = solve_in_any_case(game, name, {})
    if fallback is not None:
        note(fallback)
    return mixtures


def measure(state: PopulationState, answered: Mapping[str, Floats]) -> dict[str, float]:
    """Return the figures of a generation, by name.

    `nash_conv`: the gain of the best known policies and probes over the current mixtures, summed
        over seats. It is a lower bound unless all possible policies are known.
    `response_gain`: the gain over the mixtures against which this generation was trained.

    Args:
        state: State with the mixtures of the generation.
        answered: The mixtures of the generation's training; empty in the first one.
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
        "transitivity": population_transitivity(state.table, names),
        "progress": progress(state.table, names),
        **{f"elo/{name}": value for name, value in ratings.items()},
    }


def describe_population(population: Path) -> dict[str, Any]:
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
