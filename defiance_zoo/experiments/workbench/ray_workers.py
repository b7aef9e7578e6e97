# SPDX-License-Identifier: GPL-2.0-only
"""Workers that are tasks of a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import ray

from defiance_zoo.bridge.system.running_time import SLICE_S, running_time
from defiance_zoo.errors import ClusterLost
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.ray_cluster import connect
from defiance_zoo.experiments.workbench.workers import Attempt, Attempts, Done, Job, outcome

_Name = TypeVar("_Name")
_TASKS_PER_CPU = 2  # waiting or running; each task holds a checkpoint
_LOST = (
    ray.exceptions.LocalRayletDiedError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.ObjectLostError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.WorkerCrashedError,
)
"""Errors of a task whose process or machine was lost; the job is retried."""
_PATIENCE_S = 60.0
"""The time limit without a working node, in seconds."""


class RayWorkers:
    """See `Workers`. The cluster's machines need this package, but no files of this machine."""

    def __init__(self, address: str) -> None:
        self._connected = connect(address)
        self._tasks: dict[Any, Attempt[Any]] = {}

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """See `Workers`; jobs report no events."""
        cluster: Any = ray  # its functions have no types
        # Ray would endlessly repeat a job that runs out of memory.
        remote = cluster.remote(num_cpus=1, max_retries=0)(_work)
        cpus = int(cluster.cluster_resources().get("CPU", 1))
        attempts = Attempts(jobs)
        while attempts.waiting or self._tasks:
            while attempts.waiting and len(self._tasks) < _TASKS_PER_CPU * cpus:
                attempt = attempts.next()
                self._tasks[remote.remote(attempt.job.portable())] = attempt
            ready = self._await()
            attempt = self._tasks.pop(ready)
            try:
                done: Done[_Name] | None = Done(attempt.name, *ray.get(ready))
            except _LOST as error:
                done = attempts.lost(attempt, type(error).__name__, str(error))
            except ray.exceptions.RayError as error:
                done = Done(attempt.name, None, type(error).__name__, str(error))
            if done is not None:
                yield done

    def _await(self) -> Any:
        """Return a task that has ended."""
        cluster: Any = ray
        deadline = running_time() + _PATIENCE_S
        while not (ready := ray.wait(list(self._tasks), num_returns=1, timeout=SLICE_S)[0]):
            if cluster.cluster_resources().get("CPU", 0) >= 1:
                deadline = running_time() + _PATIENCE_S
            elif running_time() > deadline:
                raise ClusterLost(
                    f"no node of the Ray cluster has had a CPU for {_PATIENCE_S:g} s: start one "
                    "(`ray start --address=...`), then continue with the same command"
                )
        return ready[0]

    def close(self) -> None:
        """See `Workers`."""
        for task in self._tasks:
            ray.cancel(task, force=True)
        self._tasks = {}
        if self._connected:
            ray.shutdown()
            self._connected = False


def _work(job: Job) -> tuple[dict[str, Any] | None, str | None, str | None]:
    return outcome(job, lambda _event: None)
