# SPDX-License-Identifier: GPL-2.0-only
"""Payoff tables in files: JSON for this package, and Parquet for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.bridge.system.whole_files import write_json
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench import table_files
from defiance_zoo.experiments.workbench.table_files import Row
from defiance_zoo.population.games.game import Profile, Seats
from defiance_zoo.population.table.payoffs import Cell, PayoffTable


def table_to_json(table: PayoffTable) -> dict[str, Any]:
    """Return a table for a file; `table_from_json()` reads it."""
    return {
        "agents": list(table.seats.agents),
        "roles": list(table.seats.roles),
        "cells": [{"profile": list(profile), **cell.to_json()} for profile, cell in table.cells()],
    }


def table_from_json(values: dict[str, Any]) -> PayoffTable:
    """Return the table that `table_to_json()` wrote."""
    agents, roles = (_read_names(values, key) for key in ("agents", "roles"))
    if len(agents) != len(roles) or not agents:
        raise ValueError(f"there are {len(agents)} agents and {len(roles)} roles")
    table = PayoffTable(Seats(agents, roles))
    for each in values["cells"]:
        cell = Cell.from_json(each)
        table.put(read_profile(each, table.seats), cell)
    return table


def read_profile(values: dict[str, Any], seats: Seats) -> Profile:
    """Return a cell's profile from a file."""
    profile = _read_names(values, "profile")
    if len(profile) != len(seats.agents):
        raise ValueError(f"a profile has {len(profile)} policies for {len(seats.agents)} seats")
    if set(profile) != set(values["payoffs"]):
        raise ValueError(f"the profile {list(profile)} has payoffs of different policies")
    return profile


def _read_names(values: dict[str, Any], key: str) -> tuple[str, ...]:
    names = values[key]
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise ValueError(f"{key} is not a list of texts")
    return tuple(names)


def write_table(table: PayoffTable, path: Path) -> None:
    """Write a table as JSON; `read_table()` reads it."""
    write_json(path, table_to_json(table))


def read_table(path: Path) -> PayoffTable:
    """Return the table of a file."""
    try:
        return table_from_json(read_json(path))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParameterError(f"{path} holds no payoff table: {error}") from error


def write_parquet(table: PayoffTable, path: Path) -> None:
    """Write a row for each policy of each known cell.

    Columns: for each agent, the policy of its seat. `policy` and `role` of the row. `mean` and
        `standard_error` of its payoff (null for a single episode), `episodes` and `score`.
        `measure/NAME`: the cell's mean of each measure.
    """
    measures = dict.fromkeys(
        f"measure/{name}" for _, cell in table.cells() for name in cell.measures
    )
    rows: list[Row] = [
        {
            **dict(zip(table.seats.agents, profile, strict=True)),
            "policy": policy,
            "role": table.seats.roles[profile.index(policy)],
            "mean": payoff.mean,
            "standard_error": payoff.standard_error,
            "score": cell.scores[policy].mean,
            **measures,
            **{f"measure/{k}": each.mean if each.n else None for k, each in cell.measures.items()},
            "episodes": payoff.n,
        }
        for profile, cell in table.cells()
        for policy, payoff in cell.payoffs.items()
    ]
    table_files.write_parquet(path, rows)
