# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a generation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import psutil

from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.normal_form import Floats, Mixtures
from defiance_zoo.population.ratings.figures import (
    elo_ratings,
    is_symmetric,
    population_transitivity,
    progress,
)
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
    found = {"nash_conv": now.nash_conv}
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
    return {name: float(value) for name, value in found.items()}


def action_mixture(state: PopulationState, role: str) -> Floats | None:
    """Return the frequency of each action of a role in the matches of its mixture.

    Returns:
        A distribution, shape (actions,); None if actions are not discrete.
    """
    shares = [state.table.action_shares(name) for name in state.populations[role].names]
    known = [each for each in shares if each is not None]
    if len(known) < len(shares):
        return None
    mixed: Floats = state.mixtures[role] @ np.array(known)
    return mixed


def _measures(state: PopulationState) -> dict[str, float]:
    """Return further measures under the mixtures."""
    mixtures = tuple(state.mixtures[role] for role in state.game.seats.names)
    known = {
        f"measure/{name}": state.table.expect_measure(name, state.members, mixtures)
        for name in state.game.measures
    }
    return {name: value for name, value in known.items() if value is not None}


def _symmetric_figures(state: PopulationState) -> dict[str, float]:
    if not is_symmetric(state.table):
        return {}
    (names,) = state.members.values()
    found: dict[str, Any] = {
        "transitivity": population_transitivity(state.table, names),
        "progress": progress(state.table, names),
    }
    found.update({f"elo/{name}": value for name, value in elo_ratings(state.table, names).items()})
    return {name: value for name, value in found.items() if value is not None}
