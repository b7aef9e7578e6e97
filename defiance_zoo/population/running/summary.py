# SPDX-License-Identifier: GPL-2.0-only
"""The summary of a population, read from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.running.folder import read_config, read_generations
from defiance_zoo.population.table.files import read_table
from defiance_zoo.population.table.payoffs import PayoffTable


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
