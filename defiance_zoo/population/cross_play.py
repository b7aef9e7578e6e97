# SPDX-License-Identifier: GPL-2.0-only
"""Cross-play: payoffs of separately trained runs against each other."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.workbench.descriptions import build_model
from defiance_zoo.experiments.workbench.events import (
    EventCallback,
    NotDrawn,
    draw_if_possible,
    ignore,
)
from defiance_zoo.experiments.workbench.interruption import Interruption
from defiance_zoo.population.configuration import KnownPolicy, PopulationConfig
from defiance_zoo.population.feasibility import check, game_of
from defiance_zoo.population.members import PolicyStore
from defiance_zoo.population.payoff_table import Cell, write_parquet, write_table
from defiance_zoo.population.ratings import (
    draw_heat_map,
    elo_ratings,
    is_symmetric,
    to_png,
    transitivity,
)
from defiance_zoo.population.running.payoff_matches import play_table
from defiance_zoo.population.running.state import PopulationState


def compare_runs(
    runs: Sequence[Path | str],
    *,
    baselines: Sequence[KnownPolicy] = (),
    parameters: Mapping[str, Any] | None = None,
    roles: Mapping[str, Any] | None = None,
    payoff: str = "return",
    episodes: int = 20,
    seed: int = 1000,
    workers: int | None = None,
    out: Path | str | None = None,
    trust: bool = False,
    report: EventCallback = ignore,
) -> dict[str, Any]:
    """Play each run with each other run, in all seats.

    Args:
        runs: Folders of runs, with different names; the best checkpoints play.
        baselines: Further policies that play.
        parameters: Arguments of the environment; by default those of the first run.
        roles: Patterns of agents for each role; by default, all agents have one role, and policies
            take its seats in turn. With a role for each of two agents, rows play the first role,
            and columns play the second role: partners of one training are on the diagonal.
        payoff: `return`, or `per_decision`.
        episodes: Episodes of each cell; episode i is played with `seed + i`.
        seed: Seed of the first episode.
        workers: Processes; by default one for each core; 0: this process.
        out: Folder for `payoffs.json`, `.parquet` and `.png`.
        trust: Load the checkpoints, which hold pickles, even if this user did not write them on
            this machine.
        report: Called with each report of progress.

    Returns:
        `env` and `names`. `means`, `standard_errors` and `scores`, shape (names, names): the payoff
        of a row in the first seat, with columns in all other seats; None if it is unknown. `elo`
        and `transitivity`: None unless the game is a symmetric game of two. `not_drawn`: the error
        that prevented the picture, if there was one.

    Raises:
        ParameterError: Runs have different environments, equal names, or do not fit.
        UnknownOrigin: A checkpoint is not trusted, and was not written on this machine or has
            changed.
        SimulationError: A simulation failed.
    """
    out = None if out is None else Path(out)
    policies = [*(KnownPolicy(run=str(Path(each).resolve())) for each in runs), *baselines]
    names = [each.name for each in policies]
    if len(set(names)) < len(names) or not runs:
        raise ParameterError(f"the names {names} must be different, and include at least one run")
    first = find_checkpoint(Path(runs[0]), trust=trust).config
    given = {"payoff": payoff, **({"roles": dict(roles)} if roles else {})}
    config = build_model(
        PopulationConfig,
        {
            "env": first.env,
            "parameters": dict(first.parameters if parameters is None else parameters),
            "best_response": {"library": first.library},
            **given,
        },
    )
    initial = dict.fromkeys(config.roles, policies)
    config = config.model_copy(update={"initial": initial, "episodes": episodes, "seed": seed})
    check(config, trust=trust)
    state = PopulationState.begin(game_of(config), config)
    with Interruption():
        nowhere = PolicyStore(Path(os.devnull), trust=trust)
        play_table(state, nowhere, config, workers, report)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_table(state.table, out / "payoffs.json")
        write_parquet(state.table, out / "payoffs.parquet")
    found = _describe(state, names)
    if out is not None:
        draw = functools.partial(_draw, state, found, first.env, out)
        drawn = draw_if_possible("payoffs.png", draw, report)
        if isinstance(drawn, NotDrawn):
            found["not_drawn"] = str(drawn)
    return {"env": first.env, "episodes": episodes, "seed": seed, **found}


def _draw(state: PopulationState, found: Mapping[str, Any], env: str, out: Path) -> None:
    means, names = np.array(found["means"], np.float64), found["names"]
    center = 0.0 if is_symmetric(state.table) else float(np.nanmean(means))
    picture = draw_heat_map(means, names, names, f"who beats whom in {env}", center=center)
    write_whole(out / "payoffs.png", to_png(picture))


def _describe(state: PopulationState, names: Sequence[str]) -> dict[str, Any]:
    """Return a table's matrices, with the given names."""
    table, roles = state.table, state.game.seats.roles
    own = [state.populations[roles[0]].names[place] for place in range(len(names))]
    cells = [
        [table.get(_seat(state, row, column)) for column in range(len(names))]
        for row in range(len(names))
    ]

    def read(value: Callable[[Cell, str], Any]) -> list[list[Any]]:
        return [
            [None if cell is None else value(cell, name) for cell in line]
            for name, line in zip(own, cells, strict=True)
        ]

    symmetric = is_symmetric(table)
    return {
        "names": list(names),
        "means": read(lambda cell, name: cell.payoffs[name].mean),
        "standard_errors": read(lambda cell, name: cell.payoffs[name].standard_error),
        "scores": read(lambda cell, name: cell.scores[name].mean),
        "elo": elo_ratings(table, own) if symmetric else None,
        "transitivity": transitivity(table.matrix(own, own)) if symmetric else None,
    }


def _seat(state: PopulationState, row: int, column: int) -> tuple[str, ...]:
    """Return the profile with one policy in the first seat, and another in all other seats."""
    seated = [state.populations[role].names for role in state.game.seats.roles]
    return tuple(names[row if seat == 0 else column] for seat, names in enumerate(seated))
