# SPDX-License-Identifier: GPL-2.0-only
"""Running an experiment's cells on workers, here or on Ray, and keeping their records."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Generic

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import DependencyMissing, ProgramChanged
from defiance_zoo.experiments.workbench.events import Event, EventCallback
from defiance_zoo.experiments.workbench.interruption import Interruption
from defiance_zoo.experiments.workbench.results_folder import AnyCell, Record, ResultsFolder
from defiance_zoo.experiments.workbench.workers import Job, LocalWorkers, OwnProcess, Workers


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def local_workers(count: int) -> Workers:
    """Return workers with a number of processes; 0: this process."""
    return LocalWorkers(count) if count else OwnProcess()


def choose_workers(ray_address: str | None, local: Workers) -> Workers:
    """Return workers of a Ray cluster or, without an address, local workers.

    Raises:
        DependencyMissing: Ray is not installed.
        ParameterError: There is no cluster.
    """
    if ray_address is None:
        return local
    try:
        from defiance_zoo.experiments.workbench.ray_workers import RayWorkers
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"{error.name!r} is not installed: {install_command('rllib')}"
        ) from error
    return RayWorkers(ray_address)


@contextlib.contextmanager
def open_workers(
    count: int, ray_address: str | None, interruption: Interruption
) -> Iterator[Workers]:
    """Yield workers of a Ray cluster or, without an address, local workers; finally end them.

    Args:
        count: Number of local workers; see `local_workers()`.
        ray_address: Address of a Ray cluster.
        interruption: Interruption, which installs its handlers again after Ray.

    Raises:
        DependencyMissing, ParameterError: As for `choose_workers()`.
    """
    with contextlib.closing(choose_workers(ray_address, local_workers(count))) as workers:
        interruption.arm()
        yield workers


class Progress:
    """Counts the finished parts of work, and estimates the remaining time."""

    def __init__(self, total: int) -> None:
        """Begin without finished parts."""
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
        """Take the folder and the receiver of events.

        Args:
            folder: Folder of the records.
            report: Called with each event.
        """
        self._folder, self._report = folder, report

    def run(
        self,
        workers: Workers,
        cells: Sequence[AnyCell],
        make_job: Callable[[AnyCell], Job],
        describe: Callable[[AnyCell, Record], Event],
    ) -> None:
        """Run cells.

        Args:
            workers: Workers that do the jobs.
            cells: The cells to run.
            make_job: Returns the job that runs a cell. Its events are reported with the cell.
            describe: Returns the facts of the event `cell`, for a finished cell and its record.

        Raises:
            ProgramChanged: The program of a scenario has changed; finished cells are kept.
        """
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
