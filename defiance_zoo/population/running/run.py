# SPDX-License-Identifier: GPL-2.0-only
"""Growth of a population to its planned end, and resumption."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.provenance import require_same_program, versions
from defiance_zoo.experiments.workbench.events import EventCallback, ignore
from defiance_zoo.experiments.workbench.interruption import Aborted, Interruption, unmasked
from defiance_zoo.experiments.workbench.runner import cores, open_workers
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.feasibility import check, game_of
from defiance_zoo.population.running.folder import (
    PopulationFolder,
    read_cells,
    read_config,
    read_generations,
)
from defiance_zoo.population.running.loop import Loop
from defiance_zoo.population.running.methods import solver_name
from defiance_zoo.population.running.state import PopulationState, read_state
from defiance_zoo.population.solvers.registry import require_for


@dataclass(frozen=True)
class Outcome:
    """The end of the growth of a population.

    Attributes:
        population: Folder of the population.
        generation: The last complete generation; -1 without one.
        reason: `generations` or `nash_conv`.
    """

    population: Path
    generation: int
    reason: str


def train_population(
    config: PopulationConfig,
    out: Path,
    *,
    overwrite: bool = False,
    workers: int | None = None,
    trust: bool = False,
    report: EventCallback = ignore,
) -> Outcome:
    """Grow a population until there are enough generations.

    Args:
        config: The description of the population.
        out: Folder of the population; see `docs/training/populations.md` for its contents.
        overwrite: Delete an existing population in the folder.
        workers: Processes that play; by default one for each core; 0: this process.
        trust: Load the policies of runs, which hold pickles, even if this user did not write them
            on this machine.
        report: Called with each event.

    Raises:
        ParameterError: A value is not allowed; nothing was started or written.
        UnknownOrigin: A run is not trusted, and was not written on this machine or has changed.
        DependencyMissing: A library is not installed.
        SimulationError: A simulation failed; complete generations are kept.
        Aborted: SIGINT or SIGTERM arrived; complete generations are kept. The first signal waits
            for the current cells, a second one does not.
    """
    check(config, trust=trust)
    state = PopulationState.begin(game_of(config), config)
    require_for(solver_name(config), state.game.seats.numbers)
    with contextlib.closing(
        PopulationFolder(out, new=True, overwrite=overwrite, trust=trust)
    ) as folder:
        folder.begin(config, versions(config.env, config.parameters, config.best_response.library))
        return _work(folder, config, state, workers, report)


def resume_population(
    population: Path,
    *,
    generations: int | None = None,
    workers: int | None = None,
    trust: bool = False,
    report: EventCallback = ignore,
) -> Outcome:
    """Continue from the last complete generation of a population.

    Finished policies and cells of the next generation are kept; an interrupted training starts
    again.

    Args:
        population: Folder of the population.
        generations: Number of generations; by default as planned.
        workers: As for `train_population`.
        trust: Load policies, which hold pickles, even if this user did not write them on this
            machine.
        report: Called with each event.

    Raises:
        ParameterError: The population does not exist, is in use, or already has so many
            generations.
        UnknownOrigin: A policy is not trusted, and was not written on this machine or has changed.
            DependencyMissing, SimulationError, Aborted: As for `train_population()`.
    """
    config = read_config(population, trust=trust)
    config = config.model_copy(update={"generations": generations or config.generations})
    check(config, trust=trust)
    with contextlib.closing(PopulationFolder(population, trust=trust)) as folder:
        state = read_population(population, trust=trust)
        if state.generation >= config.generations:
            raise ParameterError(
                f"{population} has {state.generation} generations, and is to stop at "
                f"{config.generations}: choose a later stop with --generations"
            )
        folder.remove_unfinished()
        folder.store.require_signatures(state.digests)
        folder.write_config(config)
        return _work(folder, config, state, workers, report)


def read_population(population: Path, *, trust: bool = False) -> PopulationState:
    """Return the state of the population in a folder; a simulation reports the agents.

    Args:
        population: The folder.
        trust: Import the environment, whoever wrote the description.

    Raises:
        ParameterError: There is no such population.
        UnknownOrigin: The description is not trusted, was not written by this user on this machine
            or has changed, and names code that is not installed.
        ProgramChanged: The scenario's program has changed since the population began.
    """
    config = read_config(population, trust=trust)
    remedy = "restore the file, or begin another population"
    require_same_program(population, config.env, config.parameters, remedy=remedy)
    state = PopulationState.begin(game_of(config), config)
    known = read_generations(population)
    if known:
        read_state(state, known[-1], population)
    read_cells(population, state.table)
    return state


def _work(
    folder: PopulationFolder,
    config: PopulationConfig,
    state: PopulationState,
    workers: int | None,
    report: EventCallback,
) -> Outcome:
    count = cores() if workers is None else workers
    with (
        Interruption() as interruption,
        folder.noting_failures(),
        keep_programs(lookup(config.env).scenario.digests(config.parameters)),
    ):
        try:
            with (
                unmasked(),
                open_workers(count, config.ray_address, interruption) as players,
                contextlib.closing(
                    Loop(folder, config, state, players, count, interruption, report)
                ) as loop,
            ):
                reason = loop.run()
        except Aborted as aborted:
            if interruption.repeated:
                raise
            event = {"event": "interrupted", "signal": aborted.signal}
            folder.note(event)
            report({**event, "population": str(folder.path), "generation": state.generation})
            path = str(folder.path)
            saved = f"resume_population({path!r}) continues the population"
            raise Aborted(aborted.signal, saved) from None
        event = {"event": "finished", "reason": reason, "generation": state.generation}
        folder.note(event)
        report({**event, "population": str(folder.path)})
    return Outcome(folder.path, state.generation, reason)
