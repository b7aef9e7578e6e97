# SPDX-License-Identifier: GPL-2.0-only
"""Running of a study from its cells to its report; finished cells are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import adopt_programs, kept_programs
from defiance_zoo.environments import lookup
from defiance_zoo.environments.episodes.observer import RecordOptions, record_to
from defiance_zoo.errors import ProgramChanged
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.study.cells import (
    Cell,
    CellJob,
    StudyFolder,
    Training,
    TrainingJob,
    check,
    check_arguments,
    plan,
    training_job,
)
from defiance_zoo.experiments.study.configuration import Study
from defiance_zoo.experiments.study.plots import draw_plots
from defiance_zoo.experiments.study.series import StudyResult, find_axes, write_tables
from defiance_zoo.experiments.study.study_report import write_report
from defiance_zoo.experiments.training.checkpoints import (
    BEST,
    LAST,
    find_checkpoint,
    has_checkpoint,
)
from defiance_zoo.experiments.training.provenance import versions
from defiance_zoo.experiments.training.trainer import SavedPolicy
from defiance_zoo.experiments.workbench.events import Event, EventCallback, ignore
from defiance_zoo.experiments.workbench.progress import STUDY, followed
from defiance_zoo.experiments.workbench.results_folder import Record, Result
from defiance_zoo.experiments.workbench.runner import CellRunner, Experiment, Outcome
from defiance_zoo.experiments.workbench.signing_key import require_key
from defiance_zoo.experiments.workbench.table_files import Row
from defiance_zoo.experiments.workbench.workers import Workers


def summary(study: Study, out: Path | str) -> dict[str, int]:
    """Return the numbers of cells and trainings, by name; nothing is started or written.

    Raises:
        ParameterError: As for `run_study()`, except for errors of simulations.
    """
    out = Path(out)
    return _Work(study, out, False, ignore).summary()


def run_study(
    study: Study,
    out: Path | str,
    *,
    workers: int | None = None,
    trust: bool = False,
    report: EventCallback | None = None,
) -> Outcome[Cell]:
    """Run the remaining cells of a study, and write its tables, plots and report.

    Args:
        study: The study to run.
        out: Folder of the study; see `docs/training/studies.md` for its contents.
        workers: Processes; by default one for each core; 0: this process.
        trust: Load checkpoints of runs and of trainings in the folder, which hold pickles, even if
            this user did not write them on this machine.
        report: Called with each event; None: notebooks show progress.

    Raises:
        ParameterError: A value is not allowed; nothing was written.
        UnknownOrigin: A checkpoint is not trusted, and was not written on this machine or has
            changed.
        DependencyMissing: A library is not installed.
        ProgramChanged: The program of a scenario has changed meanwhile; finished cells are kept.
        Aborted: SIGINT or SIGTERM arrived; finished cells are kept.
    """
    out = Path(out)
    return _Work(study, out, trust, followed(report, STUDY)).run(workers)


class _Work(Experiment[Cell]):
    """A study, which trains policies before it plays cells."""

    folder = StudyFolder

    def __init__(self, study: Study, out: Path, trust: bool, report: EventCallback) -> None:
        config = study.config
        self._trained = [each.train for each in config.policies.values() if each.train is not None]
        envs = [config.env, *(each.env for each in self._trained)]
        super().__init__(study.text, out, envs, config.ray_address, report)
        self._study, self._trust = study, trust

    def _plan(self) -> list[Cell]:
        cells = plan(self._study)
        check_arguments(self._study, cells)
        return cells

    def _count(self, cells: Sequence[Cell]) -> dict[str, int]:
        jobs = [self._training(each) for each in _trainings(self._left(cells)).values()]
        return {
            **super()._count(cells),
            "episodes": len(cells) * self._study.config.episodes,
            "trainings": sum(not job.done for job in jobs),
        }

    def _check(self, cells: Sequence[Cell]) -> None:
        self._require_origin(cells)
        scenario = lookup(self._study.config.env).scenario
        for cell in cells:  # so that all workers read the same files
            adopt_programs({**scenario.digests(cell.arguments), **kept_programs()})
        check(self._study, cells, self.report)

    def _versions(self) -> Mapping[str, Any]:
        config = self._study.config
        libraries = {each.library for each in self._trained}
        return versions(config.env, config.parameters, *libraries)

    def _prepare(
        self, runner: CellRunner[Cell], local: Workers, cells: Sequence[Cell]
    ) -> Sequence[Cell]:
        """Train the policies of cells; return the cells that can be played."""
        trainings = _trainings(cells)
        jobs = {key: self._training(each) for key, each in trainings.items()}
        broken: dict[str, Record] = {}

        def forward(event: Event) -> None:
            if event["event"] == "iteration":
                policy = trainings[event["job"]].policy
                names = ("steps", "until", "return", "remaining_s")
                known = {name: event[name] for name in names}
                self.report({"event": "training", "policy": policy, **known})

        for done in local.run(((k, job) for k, job in jobs.items() if not job.done), forward):
            policy = trainings[done.name].policy
            if done.error == ProgramChanged.__name__:
                raise ProgramChanged(done.message)
            if done.error is None:
                self.report({"event": "trained", "policy": policy})
            else:
                message = f"training {policy}: {done.message}"
                broken[done.name] = {"error": done.error, "message": message}
        playable = []
        for cell in cells:
            if cell.training is not None and cell.training.key in broken:
                runner.fail(cell, broken[cell.training.key])
            else:
                playable.append(cell)
        return playable

    def _make_job(self, cell: Cell) -> CellJob:
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
        estimate = StudyResult(cell, record).estimate(self._study.config.measure)
        return estimate.to_json() if estimate else {"mean": None, "ci95": [None, None]}

    def _player(self, cell: Cell) -> SavedPolicy | NamedPolicy:
        policy = self._study.config.policies[cell.policy]
        if policy.baseline is not None:
            return policy.named
        if cell.training is not None:
            folder = self._training(cell.training).folder
        else:
            folder = self._study.folder / (policy.run or "")
        checkpoint = find_checkpoint(folder, trust=self._trust)
        return SavedPolicy(checkpoint.folder, trust=self._trust)

    def _training(self, training: Training) -> TrainingJob:
        return training_job(self.out, training, trust=self._trust)

    def _recording(self, cell: Cell) -> RecordOptions | None:
        """Return the options that record a cell's episodes; None: no recording."""
        if not self._study.config.record:
            return None
        policy = re.sub(r"[^-_.0-9A-Za-z]", "_", cell.policy).lstrip(".")
        return record_to(self.out / "episodes", name=f"{policy}-{cell.key[:8]}")

    def _require_origin(self, cells: Sequence[Cell]) -> None:
        """Refuse untrusted checkpoints before any cell is played; loading checks them again."""
        study = self._study
        policies = {cell.policy: study.config.policies[cell.policy] for cell in cells}
        runs = [study.folder / each.run for each in policies.values() if each.run is not None]
        trainings = [self._training(each).folder for each in _trainings(cells).values()]
        for run in (*runs, *(each for each in trainings if has_checkpoint(each))):
            for name in (BEST, LAST):
                find_checkpoint(run, name, trust=self._trust)
        if trainings:
            require_key(trust=self._trust)

    def _write(self, results: Sequence[Result[Cell]]) -> dict[str, list[Row]]:
        study, axes = self._study, find_axes(self._study.config)
        measured = [StudyResult(each.cell, each.record) for each in results]
        tables = write_tables(self.out, list(axes.values()), measured)
        drawn = draw_plots(study.config, axes, measured, self.out / "plots", self.report)
        write_report(study, self.out, axes, measured, drawn)
        return tables


def _trainings(cells: Sequence[Cell]) -> dict[str, Training]:
    return {cell.training.key: cell.training for cell in cells if cell.training is not None}
