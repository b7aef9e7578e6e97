# SPDX-License-Identifier: GPL-2.0-only
"""Growth of a population to its planned end, and resumption."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.metrics import Metrics
from defiance_zoo.experiments.training.provenance import require_same_program, versions
from defiance_zoo.experiments.workbench.events import EventCallback, draw_if_possible, ignore
from defiance_zoo.experiments.workbench.interruption import Aborted, Interruption, unmasked
from defiance_zoo.experiments.workbench.runner import (
    Progress,
    choose_workers,
    cores,
    local_workers,
)
from defiance_zoo.experiments.workbench.workers import Workers
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.feasibility import check, game_of
from defiance_zoo.population.games.normal_form import Floats
from defiance_zoo.population.members import PolicyRecord, forget_loaded
from defiance_zoo.population.payoff_table import write_parquet, write_table
from defiance_zoo.population.ratings import draw_heat_map, to_pixels, to_png
from defiance_zoo.population.running.best_response import Responding
from defiance_zoo.population.running.generations import (
    action_mixture,
    find_mixtures,
    measure,
    plan,
    solver_name,
)
from defiance_zoo.population.running.payoff_matches import play_missing
from defiance_zoo.population.running.state import (
    PopulationFolder,
    PopulationState,
    read_cells,
    read_config,
    read_generations,
    read_state,
    state_to_json,
)
from defiance_zoo.population.solvers.registry import Fallback, require_for


class Loop:
    """One part of a population's growth, from a generation to the next stop.

    A generation solves the game among all policies. For each role, it trains and stores a best
    response to the mixtures. It plays the missing cells of the payoff table, and is written to a
    file.
    """

    def __init__(
        self,
        folder: PopulationFolder,
        config: PopulationConfig,
        state: PopulationState,
        workers: Workers,
        count: int,
        interruption: Interruption,
        report: EventCallback,
    ) -> None:
        self._folder, self._config, self._state = folder, config, state
        self._workers, self._count = workers, count
        self._interruption, self._report = interruption, report
        self._metrics = Metrics(
            folder.path, state.generation if state.generation >= 0 else None, "generation"
        )
        written = read_generations(folder.path)
        self._figures = dict(written[-1]["figures"]) if written else {}
        self._known = written[-1]["cells"]["known"] if written else 0
        self._fallbacks: list[Fallback] = []

    def run(self) -> str:
        """Complete generations until there are enough, or NashConv is low; return the reason."""
        state, until = self._state, self._config.generations
        self._log({"event": "started", "generation": state.generation, "until": until})
        progress = Progress(until - max(state.generation, 0))
        if state.generation < 0:
            self._complete([], {}, {})
        with contextlib.ExitStack() as open_until_the_end:
            responding: Responding | None = None
            while (reason := self._reason()) is None:
                if responding is None:
                    responding = open_until_the_end.enter_context(self._responding())
                self._generate(responding)
                left = progress.advance()["remaining_s"]
                self._log({**self._summary(), "until": until, "remaining_s": left})
        return reason

    def close(self) -> None:
        """Flush all files."""
        self._metrics.close()

    # ------------------------------------------------------------------ inside

    def _reason(self) -> str | None:
        """Return the reason why no further generation begins; None without one."""
        if self._state.generation >= self._config.generations:
            return "generations"
        limit, known = self._config.nash_conv, self._figures.get("nash_conv")
        if limit is None or known is None or known > limit:
            return None
        return "nash_conv"

    def _responding(self) -> Responding:
        return Responding(
            self._folder.path, self._config, self._folder.store, self._interruption, self._follow
        )

    def _generate(self, responding: Responding) -> None:
        state = self._state
        began = time.monotonic()
        tasks = plan(state, self._config, self._note_fallback)
        solved = time.monotonic() - began
        records = self._folder.read_pending(state.generation + 1)
        before = responding.seconds
        for task in tasks[len(records) :]:
            records.append(responding.train(state, task))
            self._folder.write_pending(state.generation + 1, records)
        seconds = {"solve": solved, "train": responding.seconds - before}
        self._complete(records, tasks[0].mixtures, seconds)

    def _complete(
        self,
        records: list[PolicyRecord],
        answered: Mapping[str, Floats],
        seconds: dict[str, float],
    ) -> None:
        """Add policies, play missing cells, and write the generation."""
        state, began = self._state, time.monotonic()
        for record in records:
            state.populations[record.role].add(record)
        play_missing(
            state,
            self._folder.store,
            self._config,
            self._workers,
            count=self._count,
            keep=self._folder.add_cell,
            report=self._report,
        )
        seconds = {**seconds, "play": time.monotonic() - began}
        state.mixtures = state.by_role(find_mixtures(state, self._config, self._note_fallback))
        state.generation += 1
        self._figures = measure(state, answered)
        self._write(seconds, answered)

    def _write(self, seconds: Mapping[str, float], answered: Mapping[str, Floats]) -> None:
        """Write the generation; the file that completes the generation comes last."""
        state, path = self._state, self._folder.path
        played, self._known = len(state.table) - self._known, len(state.table)
        write_table(state.table, path / "payoffs.json")
        write_parquet(state.table, path / "payoffs.parquet")
        draw_if_possible("payoffs.png", self._draw, self._log)
        row = {
            "generation": state.generation,
            **self._figures,
            "cells/played": played,
            "cells/known": self._known,
            **{f"seconds/{name}": round(value, 3) for name, value in seconds.items()},
        }
        self._metrics.add(row)
        values = {
            **state_to_json(state),
            "answered": {role: each.tolist() for role, each in answered.items()},
            "actions": {role: _listed(action_mixture(state, role)) for role in state.populations},
            "figures": self._figures,
            "fallbacks": [vars(each) for each in self._fallbacks],
            "cells": {"played": played, "known": self._known},
            "seconds": dict(seconds),
        }
        self._folder.write_generation(state.generation, values)
        self._fallbacks.clear()
        forget_loaded()
        gc.collect()  # algorithms and pictures are reference cycles

    def _draw(self) -> None:
        """Draw the payoffs if a picture can show them."""
        state, seats = self._state, self._state.game.seats
        if len(seats.agents) != 2:
            return
        rows, columns = (state.members[role] for role in seats.roles)
        payoffs = state.table.matrix(rows, columns)
        center = 0.0 if len(seats.names) == 1 else float(np.nanmean(payoffs))
        title = f"{state.game.env}, generation {state.generation}"
        picture = draw_heat_map(payoffs, rows, columns, title, center=center)
        write_whole(self._folder.path / "payoffs.png", to_png(picture))
        self._metrics.board.add_picture("payoffs", to_pixels(picture), state.generation)

    def _note_fallback(self, fallback: Fallback) -> None:
        """Report and record the replacement of a solver, once for each generation."""
        if fallback not in self._fallbacks:
            self._fallbacks.append(fallback)
            self._log({"event": "fallback", **vars(fallback)})

    def _summary(self) -> dict[str, Any]:
        names = ("nash_conv", "response_gain")
        known = {name: self._figures.get(name) for name in names}
        return {"event": "generation", "generation": self._state.generation, **known}

    def _follow(self, event: dict[str, Any]) -> None:
        """Report an event of a training; only lost simulations are written."""
        (self._log if event["event"] == "simulation_failed" else self._report)(event)

    def _log(self, event: dict[str, Any]) -> None:
        self._folder.note(event)
        self._report({**event, "population": str(self._folder.path)})


def _listed(values: Floats | None) -> list[float] | None:
    return None if values is None else values.tolist()


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
    out: Path | str,
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
    out = Path(out)
    check(config, trust=trust)
    state = PopulationState.begin(game_of(config), config)
    require_for(solver_name(config), state.game.seats.numbers)
    with contextlib.closing(
        PopulationFolder(out, new=True, overwrite=overwrite, trust=trust)
    ) as folder:
        folder.begin(config, versions(config.env, config.parameters, config.best_response.library))
        return _work(folder, config, state, workers, report)


def resume_population(
    population: Path | str,
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
    population = Path(population)
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


def read_population(population: Path | str, *, trust: bool = False) -> PopulationState:
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
    population = Path(population)
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
                contextlib.closing(
                    choose_workers(config.ray_address, local_workers(count))
                ) as players,
            ):
                interruption.arm()  # Ray has taken the signals over
                loop = Loop(folder, config, state, players, count, interruption, report)
                with contextlib.closing(loop):
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
