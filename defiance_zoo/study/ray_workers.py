# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import ray

from defiance_zoo.errors import ParameterError
from defiance_zoo.events import EventCallback
from defiance_zoo.study.jobs import Job
from defiance_zoo.study.workers import Done, outcome

_Name = TypeVar("_Name")
_TASKS_PER_CPU = 2  # that wait or run: each holds a checkpoint


class RayWorkers:
    """See `Workers`. The cluster's machines need this package, and none of our files."""

    def __init__(self, address: str) -> None:
        """Connect to a cluster, unless this process has done so.

        Raises:
            ParameterError: There is none.
        """
        self._connected = not ray.is_initialized()
        if self._connected:
            quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
            try:
                ray.init(address=address, **quiet)
            except ConnectionError as error:
                raise ParameterError(f"ray_address={address!r}: {error}") from error
        self._tasks: dict[Any, Any] = {}

    def run(
        self, jobs: Iterable[tuple[_Name, Job]], report: EventCallback
    ) -> Iterator[Done[_Name]]:
        """See `Workers`; jobs tell nothing on the way."""
        cluster: Any = ray  # its functions have no types
        remote = cluster.remote(num_cpus=1, max_retries=0)(_work)
        cpus = int(cluster.cluster_resources().get("CPU", 1))
        waiting = deque(jobs)
        while waiting or self._tasks:
            while waiting and len(self._tasks) < _TASKS_PER_CPU * cpus:
                name, job = waiting.popleft()
                self._tasks[remote.remote(job.portable())] = name
            (ready,), _ = ray.wait(list(self._tasks), num_returns=1)
            name = self._tasks.pop(ready)
            try:
                yield Done(name, *ray.get(ready))
            except ray.exceptions.RayError as error:
                yield Done(name, None, type(error).__name__, str(error))

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
