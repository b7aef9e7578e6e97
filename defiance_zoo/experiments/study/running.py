# SPDX-License-Identifier: GPL-2.0-only
"""Running of a study from its cells to its report; finished cells are kept."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.environments import lookup
from defiance_zoo.environments.episodes.observer import RecordOptions, record_to
from defiance_zoo.errors import ProgramChanged
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.study.axes import find_axes
from defiance_zoo.experiments.study.cells import Cell, Training, plan
from defiance_zoo.experiments.study.folder import StudyFolder, training_job
from defiance_zoo.experiments.study.jobs import CellJob, Trained, TrainingJob
from defiance_zoo.experiments.study.playability import check, check_arguments
from defiance_zoo.experiments.study.plots import draw_plots
from defiance_zoo.experiments.study.result_tables import Result, write_tables
from defiance_zoo.experiments.study.study_file import Study
from defiance_zoo.experiments.study.study_report import write_report
from defiance_zoo.experiments.training.checkpoints import (
    BEST,
    LAST,
    find_checkpoint,
    has_checkpoint,
)
from defiance_zoo.experiments.training.provenance import versions
from defiance_zoo.experiments.workbench.events import Event, EventCallback, ignore
from defiance_zoo.experiments.workbench.interruption import stopped_at_once
from defiance_zoo.experiments.workbench.results_folder import Record, is_finished
from defiance_zoo.experiments.workbench.runner import (
    CellRunner,
    choose_workers,
    cores,
    local_workers,
)
from defiance_zoo.experiments.workbench.signing_key import require_key
from defiance_zoo.experiments.workbench.workers import Workers


@dataclass(frozen=True)
class Outcome:
    """The end of a study.

    Attributes:
        study: Folder of the study.
        failed: Cells whose simulation or training failed.
        results: The record of each cell.
    """

    study: Path
    failed: int
    results: list[Result]


def summary(study: Study, out: Path) -> dict[str, int]:
    """Return the numbers of cells and trainings, by name; nothing is started or written.

    Raises:
        ParameterError: As for `run_study()`, except for errors of simulations.
    """
    cells = plan(study)
    check_arguments(study, cells)
    left = [cell for cell in cells if not is_finished(out, cell)]
    jobs = [training_job(out, each) for each in _trainings(left).values()]
    return {
        "cells": len(cells),
        "episodes": len(cells) * study.config.episodes,
        "finished": len(cells) - len(left),
        "trainings": sum(not job.done for job in jobs),
    }


def run_study(
    study: Study,
    out: Path,
    *,
    workers: int | None = None,
    trust: bool = False,
    report: EventCallback = ignore,
) -> Outcome:
    """Run the remaining cells of a study, and write its tables, plots and report.

    Args:
        study: The study to run.
        out: Folder of the study; see `docs/training/studies.md` for its contents.
        workers: Processes; by default one for each core.
        trust: Load checkpoints of runs and of trainings in the folder, which hold pickles, even if
            this user did not write them on this machine.
        report: Called with each event.

    Raises:
        ParameterError: A value is not allowed; nothing was written.
        UnknownOrigin: A checkpoint is not trusted, and was not written on this machine or has
            changed.
        DependencyMissing: A library is not installed.
        ProgramChanged: The program of a scenario has changed meanwhile; finished cells are kept.
        Aborted: SIGINT or SIGTERM arrived; finished cells are kept.
    """
    with (
        stopped_at_once(report, study=str(out)) as interruption,
        keep_programs(_digests(study)),
    ):
        report({"event": "planned", "study": str(out), **summary(study, out)})
        cells = plan(study)
        left = [cell for cell in cells if not is_finished(out, cell)]
        _require_origin(study, out, left, trust)
        check(study, left, report)
        with contextlib.closing(StudyFolder(out)) as folder:
            trained = {each.train.library for each in study.config.policies.values() if each.train}
            folder.begin(study.text, versions(study.config.env, study.config.parameters, *trained))
            with contextlib.closing(local_workers(workers or cores())) as local:
                work = _Work(study, folder, trust, report)
                playable = work.train(local, left)
                with contextlib.closing(choose_workers(study.config.ray_address, local)) as playing:
                    interruption.arm()  # Ray has taken the signals over
                    work.play(playing, playable)
            results = [Result(cell, folder.record(cell) or {}) for cell in cells]
            _write(study, folder, results, report)
        failed = sum(each.failed for each in results)
        report({"event": "finished", "study": str(out), "cells": len(cells), "failed": failed})
        return Outcome(out, failed, results)


class _Work:
    """Trains policies, plays cells and records finished cells."""

    def __init__(
        self, study: Study, folder: StudyFolder, trust: bool, report: EventCallback
    ) -> None:
        self._study, self._folder, self._trust, self._report = study, folder, trust, report
        self._runner: CellRunner[Cell] = CellRunner(folder, report)

    def train(self, workers: Workers, cells: Sequence[Cell]) -> list[Cell]:
        """Train the policies of cells; return the cells that can be played."""
        trainings = _trainings(cells)
        jobs = {key: self._training(each) for key, each in trainings.items()}
        broken: dict[str, Record] = {}

        def forward(event: Event) -> None:
            if event["event"] == "iteration":
                policy = trainings[event["job"]].policy
                names = ("steps", "until", "return", "remaining_s")
                known = {name: event[name] for name in names}
                self._report({"event": "training", "policy": policy, **known})

        for done in workers.run(((k, job) for k, job in jobs.items() if not job.done), forward):
            policy = trainings[done.name].policy
            if done.error == ProgramChanged.__name__:
                raise ProgramChanged(done.message)
            if done.error is None:
                self._report({"event": "trained", "policy": policy})
            else:
                message = f"training {policy}: {done.message}"
                broken[done.name] = {"error": done.error, "message": message}
        playable = []
        for cell in cells:
            if cell.training is not None and cell.training.key in broken:
                self._runner.fail(cell, broken[cell.training.key])
            else:
                playable.append(cell)
        return playable

    def play(self, workers: Workers, cells: Sequence[Cell]) -> None:
        """Play cells, and record each finished cell."""
        self._runner.run(workers, cells, self._job, self._describe)

    def _job(self, cell: Cell) -> CellJob:
        config = self._study.config
        return CellJob(
            config.env,
            cell.arguments,
            config.episodes,
            config.seed,
            self._player(cell),
            config.measures,
            self._recording(cell),
        )

    def _describe(self, cell: Cell, record: Record) -> Event:
        estimate = Result(cell, record).estimate(self._study.config.measure)
        return estimate.to_json() if estimate else {"mean": None, "ci95": [None, None]}

    def _player(self, cell: Cell) -> Trained | NamedPolicy:
        policy = self._study.config.policies[cell.policy]
        if policy.baseline is not None:
            return policy.named
        if cell.training is not None:
            folder = self._training(cell.training).folder
        else:
            folder = self._study.folder / (policy.run or "")
        checkpoint = find_checkpoint(folder, trust=self._trust)
        return Trained(checkpoint.config, checkpoint.trainer, self._trust)

    def _training(self, training: Training) -> TrainingJob:
        return training_job(self._folder.path, training, trust=self._trust)

    def _recording(self, cell: Cell) -> RecordOptions | None:
        """Return the options that record a cell's episodes; None: no recording."""
        if not self._study.config.record:
            return None
        policy = re.sub(r"[^-_.0-9A-Za-z]", "_", cell.policy).lstrip(".")
        return record_to(self._folder.path / "episodes", name=f"{policy}-{cell.key[:8]}")


def _digests(study: Study) -> dict[str, str]:
    """Return the digests of the programs of a study and of its trainings."""
    config = study.config
    trained = [each.train.env for each in config.policies.values() if each.train is not None]
    return {
        program: digest
        for env in dict.fromkeys([config.env, *trained])
        for program, digest in lookup(env).scenario.digests().items()
    }


def _trainings(cells: Sequence[Cell]) -> dict[str, Training]:
    return {cell.training.key: cell.training for cell in cells if cell.training is not None}


def _require_origin(study: Study, out: Path, cells: Sequence[Cell], trust: bool) -> None:
    """Refuse untrusted checkpoints before any cell is played; loading checks them again.

    Raises:
        UnknownOrigin: A checkpoint is not trusted, and was not written on this machine or has
            changed.
    """
    policies = {cell.policy: study.config.policies[cell.policy] for cell in cells}
    runs = [study.folder / each.run for each in policies.values() if each.run is not None]
    trainings = [training_job(out, each).folder for each in _trainings(cells).values()]
    for run in (*runs, *(each for each in trainings if has_checkpoint(each))):
        for name in (BEST, LAST):
            find_checkpoint(run, name, trust=trust)
    if trainings:
        require_key(trust=trust)


def _write(
    study: Study, folder: StudyFolder, results: Sequence[Result], report: EventCallback
) -> None:
    axes = find_axes(study.config)
    write_tables(folder.path, list(axes.values()), results)
    drawn = draw_plots(study.config, axes, results, folder.path / "plots", report)
    write_report(study, folder, axes, results, drawn)
