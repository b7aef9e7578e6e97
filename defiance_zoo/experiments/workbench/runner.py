# SPDX-License-Identifier: GPL-2.0-only
"""Running the cells of a study or a comparison on workers, here or on Ray, in one folder."""

from __future__ import annotations

import abc
import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.bridge.system.extras import import_optional
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ProgramChanged
from defiance_zoo.experiments.workbench.events import Event, EventCallback
from defiance_zoo.experiments.workbench.interruption import stopped_at_once
from defiance_zoo.experiments.workbench.results_folder import (
    AnyCell,
    Record,
    Result,
    ResultsFolder,
    is_finished,
)
from defiance_zoo.experiments.workbench.workers import Job, LocalWorkers, OwnProcess, Workers

if TYPE_CHECKING:  # trainings need no pyarrow
    from defiance_zoo.experiments.workbench.table_files import Row


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def local_workers(count: int) -> Workers:
    """Return workers with a number of processes; 0: this process."""
    return LocalWorkers(count) if count else OwnProcess()


def choose_workers(ray_address: str | None, local: Workers) -> Workers:
    """Return workers of a Ray cluster or, without an address, local workers."""
    if ray_address is None:
        return local
    cluster = import_optional("defiance_zoo.experiments.workbench.ray_cluster", "rllib")
    workers: Workers = cluster.RayWorkers(ray_address)
    return workers


class Progress:
    """Counts the finished parts of work, and estimates the remaining time."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._began = total, 0, time.monotonic()

    def advance(self, parts: int = 1) -> Event:
        """Count finished parts; return `done`, `cells` and `remaining_s` for an event."""
        self._done += parts
        pace = (time.monotonic() - self._began) / self._done
        left = round(pace * (self._total - self._done), 1)
        return {"done": self._done, "cells": self._total, "remaining_s": left}


class CellRunner(Generic[AnyCell]):
    """Runs cells, and writes a cell's record when the cell ends.

    It reports the event `cell` for a finished cell, and `failed` for a failed cell.
    """

    def __init__(self, folder: ResultsFolder, report: EventCallback) -> None:
        self._folder, self._report = folder, report

    def run(
        self,
        workers: Workers,
        cells: Sequence[AnyCell],
        make_job: Callable[[AnyCell], Job],
        describe: Callable[[AnyCell, Record], Event],
    ) -> None:
        """Run cells; events of a job are reported with its cell."""
        progress = Progress(len(cells))
        jobs = ((number, make_job(cell)) for number, cell in enumerate(cells))

        def forward(event: Event) -> None:
            place = cells[event.pop("job")].place
            self._report({**event, "cell": dict(place)})

        for done in workers.run(jobs, forward):
            if done.error == ProgramChanged.__name__:  # the other cells would fail, too
                raise ProgramChanged(done.message)
            cell, advance = cells[done.name], progress.advance()
            if done.result is None:
                self.fail(cell, {"error": done.error, "message": done.message})
                continue
            self._folder.write_record(cell, done.result)
            known = describe(cell, done.result)
            self._report({"event": "cell", "cell": dict(cell.place), **known, **advance})

    def fail(self, cell: AnyCell, record: Record) -> None:
        """Record and report the failure of a cell."""
        self._folder.write_record(cell, record)
        self._report({"event": "failed", "cell": dict(cell.place), **record})


@dataclass(frozen=True)
class Outcome(Generic[AnyCell]):
    """The end of a study, or of a comparison of explorers.

    Attributes:
        folder: Its folder.
        failed: Number of cells whose simulation or training failed.
        results: The record of each cell.
        tables: All tables, by name.
    """

    folder: Path
    failed: int
    results: Sequence[Result[AnyCell]]
    tables: Mapping[str, list[Row]]


class Experiment(abc.ABC, Generic[AnyCell]):
    """The way of a study, or of a comparison of explorers, from its file to its report.

    Finished cells stay in the folder, so the same experiment continues after an interruption.
    """

    folder: ClassVar[type[ResultsFolder]]

    def __init__(
        self,
        text: str,
        out: Path,
        envs: Sequence[str],
        ray_address: str | None,
        report: EventCallback,
    ) -> None:
        self._text, self._envs, self._ray_address = text, envs, ray_address
        self.out, self.report = out, report

    def summary(self) -> dict[str, int]:
        """Return the numbers of cells and of other work, by name; nothing is started."""
        return self._count(self._plan())

    @abc.abstractmethod
    def _plan(self) -> list[AnyCell]:
        """Return all cells."""

    @abc.abstractmethod
    def _check(self, cells: Sequence[AnyCell]) -> None:
        """Refuse cells that cannot be played, before the folder is written."""

    @abc.abstractmethod
    def _versions(self) -> Mapping[str, Any]:
        """Return the versions of the software, for a file in the folder."""

    @abc.abstractmethod
    def _make_job(self, cell: AnyCell) -> Job:
        """Return the job that plays a cell."""

    @abc.abstractmethod
    def _describe(self, cell: AnyCell, record: Record) -> Event:
        """Return the facts of the event of a finished cell."""

    @abc.abstractmethod
    def _write(self, results: Sequence[Result[AnyCell]]) -> dict[str, list[Row]]:
        """Write tables, plots and report; return the tables by name."""

    def _count(self, cells: Sequence[AnyCell]) -> dict[str, int]:
        """Return the numbers of all cells and of the finished ones."""
        return {"cells": len(cells), "finished": len(cells) - len(self._left(cells))}

    def _left(self, cells: Sequence[AnyCell]) -> list[AnyCell]:
        """Return the cells without results."""
        return [cell for cell in cells if not is_finished(self.out, cell)]

    def _prepare(
        self, _runner: CellRunner[AnyCell], _local: Workers, cells: Sequence[AnyCell]
    ) -> Sequence[AnyCell]:
        """Do the work before cells are played, such as trainings; return the playable cells."""
        return cells

    def run(self, workers: int | None) -> Outcome[AnyCell]:
        """Play the remaining cells, and write tables, plots and report."""
        place = {self.folder.kind: str(self.out)}
        scenarios = [lookup(env).scenario for env in dict.fromkeys(self._envs)]
        digests = {program: digest for s in scenarios for program, digest in s.digests().items()}
        with stopped_at_once(self.report, **place) as interruption, keep_programs(digests):
            cells = self._plan()
            self.report({"event": "planned", **place, **self._count(cells)})
            left = self._left(cells)
            with contextlib.closing(self.folder(self.out)) as folder:
                folder.require_same(self._text)
                self._check(left)
                folder.begin(self._text, self._versions())
                runner: CellRunner[AnyCell] = CellRunner(folder, self.report)
                count = cores() if workers is None else workers
                with contextlib.closing(local_workers(count)) as local:
                    playable = self._prepare(runner, local, left)
                    with contextlib.closing(choose_workers(self._ray_address, local)) as playing:
                        interruption.arm()  # Ray has taken the signals over
                        runner.run(playing, playable, self._make_job, self._describe)
                results = [Result(cell, folder.record(cell) or {}) for cell in cells]
                tables = self._write(results)
            failed = sum(not each.finished for each in results)
            counts = {"cells": len(cells), "failed": failed}
            self.report({"event": "finished", **place, **counts})
            return Outcome(self.out, failed, results, tables)
