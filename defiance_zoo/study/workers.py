# SPDX-License-Identifier: GPL-2.0-only
"""Processes that work side by side, and end with the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar

from defiance_zoo.events import EventCallback
from defiance_zoo.process.programs import describe_exit
from defiance_zoo.study.jobs import Job
from defiance_zoo.system.resources import occupy_standard_descriptors

_PATIENCE_S = 10.0  # a training that is interrupted saves a checkpoint
_Name = TypeVar("_Name")


@dataclass(frozen=True)
class Done(Generic[_Name]):
    """The end of a job.

    Attributes:
        name: Of the job.
        result: What it returned; None if it failed.
        error: Name of the error's class; None if it did not fail.
        message: Of the error.
    """

    name: _Name
    result: dict[str, Any] | None
    error: str | None = None
    message: str | None = None


class Workers(Protocol):
    """Whoever does jobs."""

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """Do all jobs; yield each when it is done, whether it failed or not.

        Args:
            jobs: By name.
            report: Told what jobs tell, with their name as `job`.
        """

    def close(self) -> None:
        """End what runs; may be called again."""


class LocalWorkers:
    """Processes of this machine; see `Workers`.

    They are killed when this process ends, however that happens, and what they simulate with them.
    """

    def __init__(self, count: int) -> None:
        """Take at most so many; none is started before there is a job for it."""
        self._count = count
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, Any]] = {}

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """See `Workers`."""
        waiting = deque(jobs)
        while waiting or self._busy:
            while waiting and len(self._busy) < self._count:
                name, job = waiting.popleft()
                worker = self._idle.pop() if self._idle else _Worker()
                self._busy[worker.connection] = worker, name
                worker.connection.send(job)
            for ready in wait(list(self._busy)):
                assert isinstance(ready, Connection)
                worker, name = self._busy[ready]
                done = worker.receive(name, report)
                if done is not None:
                    del self._busy[ready]
                    if worker.lives:
                        self._idle.append(worker)
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
    """This process; see `Workers`. Jobs that are short are not worth another one."""

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """See `Workers`."""
        for name, job in jobs:
            yield Done(name, *outcome(job, _named(name, report)))

    def close(self) -> None:
        """See `Workers`."""


class _Worker:
    """A process that does one job after the other."""

    def __init__(self) -> None:
        occupy_standard_descriptors()
        context = multiprocessing.get_context("spawn")  # a copy of us would share our simulations
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.lives = True

    def receive(self, name: _Name, report: EventCallback) -> Done[_Name] | None:
        """Take what the process says; return the end of its job."""
        try:
            kind, said = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            how = describe_exit(self.process.exitcode)
            self.end()
            return Done(name, None, "WorkerDied", f"the process that did it {how}")
        if kind == "event":
            report({**said, "job": name})
            return None
        return Done(name, *said)

    def end(self) -> None:
        """Kill it, if it lives, and forget it."""
        self.lives = False
        self.process.kill()
        self.process.join()
        self.process.close()
        self.connection.close()


def _serve(connection: Connection) -> None:
    """Do the jobs that come."""
    os.setsid()  # Ctrl-C is for the process that started this one
    os.environ["OMP_NUM_THREADS"] = "1"
    threading.Thread(target=_die_with_parent, daemon=True).start()
    while True:
        try:
            job: Job = connection.recv()
        except EOFError:
            return
        connection.send(("done", outcome(job, lambda event: connection.send(("event", event)))))


def outcome(
    job: Job, report: EventCallback
) -> tuple[dict[str, Any] | None, str | None, str | None]:
    """Do a job; return its result, or the class and the message of its error."""
    try:
        return job.run(report), None, None
    except Exception as error:  # a job may hold anybody's code; others go on
        return None, type(error).__name__, str(error)


def _named(name: Any, report: EventCallback) -> EventCallback:
    return lambda event: report({**event, "job": name})


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a worker
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)
