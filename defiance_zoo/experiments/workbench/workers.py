# SPDX-License-Identifier: GPL-2.0-only
"""Worker processes that end with the process that started them."""

from __future__ import annotations

import abc
import contextlib
import multiprocessing
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar

from defiance_zoo.bridge.process.programs import describe_exit
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.bridge.simulation import keep_programs, kept_programs
from defiance_zoo.bridge.system.resources import failure, occupy_standard_descriptors
from defiance_zoo.errors import MissingUnitWarning, ResourcesExhausted
from defiance_zoo.experiments.workbench.events import EventCallback

_PATIENCE_S = 20.0
"""The time for an interrupted training to save a checkpoint, in seconds; see `held()`."""
_Name = TypeVar("_Name")


class Job(abc.ABC):
    """Work for one core."""

    @abc.abstractmethod
    def run(self, report: EventCallback) -> dict[str, Any]:
        """Do the job, and return its record."""

    def portable(self) -> Job:
        """Return the same job for a machine without this machine's files."""
        return self


@dataclass(frozen=True)
class _KeepingPrograms(Job):
    """A job that starts simulations only of the programs that its sender keeps."""

    job: Job
    programs: Mapping[str, str]

    def run(self, report: EventCallback) -> dict[str, Any]:
        with keep_programs(self.programs):
            return self.job.run(report)

    def portable(self) -> Job:
        return replace(self, job=self.job.portable())


@dataclass(frozen=True)
class Done(Generic[_Name]):
    """The end of a job."""

    name: _Name
    result: dict[str, Any] | None
    error: str | None = None
    message: str | None = None


@dataclass
class Attempt(Generic[_Name]):
    """An attempt at a job."""

    name: _Name
    job: Job
    number: int = 0


class Attempts(Generic[_Name]):
    """Waiting jobs; a job is repeated if its process is lost.

    A job that raises is not repeated. A job that ends its processes, for example by taking all
    memory, fails after three attempts.
    """

    def __init__(self, jobs: Iterable[tuple[_Name, Job]]) -> None:
        programs = kept_programs()
        self.waiting = deque(Attempt(name, _KeepingPrograms(job, programs)) for name, job in jobs)

    def next(self) -> Attempt[_Name]:
        """Begin an attempt at the next job."""
        attempt = self.waiting.popleft()
        attempt.number += 1
        return attempt

    def lost(self, attempt: Attempt[_Name], error: str, message: str) -> Done[_Name] | None:
        """Queue a lost job again, behind the others; or give it up, and return its failure."""
        if attempt.number < ATTEMPTS:
            self.waiting.append(attempt)
            return None
        return Done(attempt.name, None, error, f"{message}; given up after {ATTEMPTS} attempts")


class Workers(Protocol):
    """Workers that do jobs."""

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """Do all jobs; yield each at its end, also after a failure."""

    def close(self) -> None:
        """End all processes; may be called again."""


class LocalWorkers:
    """Processes of this machine; see `Workers`.

    They and their simulations are killed whenever this process ends.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, Attempt[Any]]] = {}

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """See `Workers`; if no more processes can be started, the running ones do all jobs."""
        attempts = Attempts(jobs)
        while attempts.waiting or self._busy:
            while attempts.waiting and len(self._busy) < self._count:
                try:
                    worker = self._idle.pop() if self._idle else _Worker()
                except ResourcesExhausted:
                    if not self._busy:
                        raise
                    self._count = len(self._busy)
                    break
                attempt = attempts.next()
                self._busy[worker.connection] = worker, attempt
                worker.begin(attempt.job)
            for ready in wait(list(self._busy)):
                assert isinstance(ready, Connection)
                worker, attempt = self._busy[ready]
                done = worker.receive(attempt.name, report)
                if worker.lives and done is None:
                    continue
                del self._busy[ready]
                if worker.lives:
                    self._idle.append(worker)
                else:
                    done = attempts.lost(attempt, "WorkerDied", worker.fate)
                if done is not None:
                    yield done

    def close(self) -> None:
        """See `Workers`: a training saves a checkpoint first."""
        workers = [*self._idle, *(worker for worker, _ in self._busy.values())]
        try:
            for worker in workers:
                worker.process.terminate()
            for worker in workers:
                worker.process.join(_PATIENCE_S)
        finally:
            for worker in workers:
                worker.end()
            self._idle, self._busy = [], {}


class OwnProcess:
    """This process; see `Workers`. It is for short jobs."""

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        for name, job in jobs:
            yield Done(name, *outcome(job, _named(name, report)))

    def close(self) -> None:
        """See `Workers`."""


class _Worker:
    """A process that does jobs one after the other."""

    def __init__(self) -> None:
        occupy_standard_descriptors()
        context = multiprocessing.get_context("spawn")  # forks would share simulations
        try:
            self.connection, theirs = context.Pipe()
            self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self.process.start()
        except OSError as error:
            raise failure(error, "a worker process cannot be started") from error
        theirs.close()
        self.lives = True
        self.fate = ""

    def begin(self, job: Job) -> None:
        """Give the process a job; if the process has ended, `receive()` reports it."""
        with contextlib.suppress(ConnectionError):
            self.connection.send(job)

    def receive(self, name: _Name, report: EventCallback) -> Done[_Name] | None:
        """Receive a message of the process; if the message ends the job, return the result.

        If the process has ended, `lives` is false, and `fate` describes its end.
        """
        try:
            kind, content = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            self.fate = f"its process {describe_exit(self.process.exitcode)}"
            self.end()
            return None
        if kind == "event":
            report({**content, "job": name})
            return None
        return Done(name, *content)

    def end(self) -> None:
        """Kill the process, if it is alive, and release it."""
        self.lives = False
        self.process.kill()
        self.process.join()
        self.process.close()
        self.connection.close()


def _serve(connection: Connection) -> None:
    """Do the received jobs; an interrupted job ends the process."""
    os.setsid()  # Ctrl-C is for the process that started this process
    os.environ["OMP_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore", MissingUnitWarning)  # that process has warned of it
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            job: Job = connection.recv()
            connection.send(("done", outcome(job, lambda event: connection.send(("event", event)))))


def outcome(
    job: Job, report: EventCallback
) -> tuple[dict[str, Any] | None, str | None, str | None]:
    """Do a job; return its result, or the class and the message of its error."""
    try:
        return job.run(report), None, None
    except Exception as error:  # a job may raise any exception; other jobs continue
        return None, type(error).__name__, str(error)


def _named(name: Any, report: EventCallback) -> EventCallback:
    return lambda event: report({**event, "job": name})


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a worker
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)
