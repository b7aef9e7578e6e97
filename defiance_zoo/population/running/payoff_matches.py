# SPDX-License-Identifier: GPL-2.0-only
"""Playing the unknown cells of a payoff table in parallel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from defiance_zoo.errors import SimulationError
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.runner import Progress, cores, local_workers
from defiance_zoo.experiments.workbench.workers import Workers
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.game import Profile
from defiance_zoo.population.games.playing import MatchJob
from defiance_zoo.population.members import Player, PolicyStore, forget_loaded
from defiance_zoo.population.payoff_table import Cell
from defiance_zoo.population.running.state import PopulationState

_TOGETHER = 8
"""Maximum number of cells that one job plays before they are written."""

_TURNS = 4
"""Number of jobs for each worker, if there are enough cells."""


def play_missing(
    state: PopulationState,
    store: PolicyStore,
    config: PopulationConfig,
    workers: Workers,
    *,
    count: int,
    keep: Callable[[Profile, Cell], None],
    report: EventCallback,
) -> None:
    """Play the unknown cells of the game among the policies, and add them to the table."""
    wanted = state.profiles()
    missing = state.table.missing(wanted)
    known = len(wanted) - len(missing)
    report({"event": "cells", "missing": len(missing), "known": known})
    if not missing:
        return
    progress, records = Progress(len(missing)), state.records
    jobs = [
        (
            part,
            MatchJob(
                state.game,
                part,
                {name: Player.of(records[name], store) for profile in part for name in profile},
                config.episodes,
                config.seed,
            ),
        )
        for part in _parts(missing, count)
    ]
    for ended in workers.run(jobs, report):
        if ended.result is None:
            raise SimulationError(f"playing {ended.name[0]}: {ended.error}: {ended.message}")
        for profile, values in zip(ended.name, ended.result["cells"], strict=True):
            cell = Cell.from_json(values)
            keep(profile, cell)
            state.table.put(profile, cell)
        report({"event": "cell", **progress.advance(len(ended.name))})


def play_table(
    state: PopulationState,
    store: PolicyStore,
    config: PopulationConfig,
    workers: int | None,
    report: EventCallback,
) -> None:
    """Play the unknown cells, and add them to the table; no file is written."""
    count = cores() if workers is None else workers
    with contextlib.closing(local_workers(count)) as players:
        try:
            play_missing(
                state,
                store,
                config,
                players,
                count=count,
                keep=lambda _profile, _cell: None,
                report=report,
            )
        finally:
            forget_loaded()


def _parts(missing: Sequence[Profile], workers: int) -> list[tuple[Profile, ...]]:
    """Return cells in parts, so that all workers have work."""
    size = max(1, min(_TOGETHER, len(missing) // (_TURNS * max(1, workers))))
    return [tuple(missing[first : first + size]) for first in range(0, len(missing), size)]
