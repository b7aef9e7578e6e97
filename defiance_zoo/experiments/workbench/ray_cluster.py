# SPDX-License-Identifier: GPL-2.0-only
"""Ray on this machine, for this user alone; connections to running clusters, and their workers."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import psutil
import ray
from ray import _raylet
from ray._private import ray_constants

from defiance_zoo.bridge.system.resources import occupy_standard_descriptors
from defiance_zoo.bridge.system.running_time import SLICE_S, running_time
from defiance_zoo.errors import ClusterLost, ParameterError
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.workers import Attempt, Attempts, Done, Job, outcome

QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
"""Arguments of `ray.init()` that leave the output to this package."""

_PATIENCE_S = 10.0
_LONGEST = 30
"""Maximum length of a folder for Ray's folder: paths of sockets have 107 characters at most."""
_MODE, _TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"


@contextlib.contextmanager
def local_ray(cpus: int) -> Iterator[None]:
    """Run Ray on this machine while the context is open, for this user's processes only.

    Ray's servers would listen on all interfaces, its token would be a file that other accounts can
    read, and its sockets would lie in a folder that they can write. This Ray listens on loopback,
    has a random token, which is only in the environment of its processes, and a private folder.
    A mode or token that the user has set stays.
    """
    occupy_standard_descriptors()
    usual = tempfile.gettempdir()
    folder = tempfile.mkdtemp(prefix="ray", dir=usual if len(usual) <= _LONGEST else "/tmp")
    inner = f"{folder}/r"  # Ray opens its folder to all accounts
    how: dict[str, Any] = {"num_cpus": cpus, "include_dashboard": False, "_temp_dir": inner}
    try:
        with _random_token():
            with _on_loopback():
                try:
                    ray.init("local", **how, **QUIET)
                except Exception as error:  # Ray raises this class if its servers are late
                    raise ClusterLost(f"Ray has not started; try again: {error}") from error
            try:
                with _guard(folder):
                    yield
            finally:
                ray.shutdown()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_GUARD = """
read _
kill -9 $(grep -slzx "RAY_RAYLET_PID=$1" /proc/[0-9]*/environ | cut -d/ -f3) 2>&-
rm -rf "$2"
"""


@contextlib.contextmanager
def _guard(folder: str) -> Iterator[None]:
    """End Ray's agents and delete Ray's folder if this process is killed.

    The kernel ends Ray's other processes; agents would wait a minute for a server that has ended. A
    shell waits for the end of this process.
    """
    raylets = (each for each in psutil.Process().children() if each.name() == "raylet")
    raylet = max(raylets, key=psutil.Process.create_time)  # one of an earlier Ray may still end
    words = ["sh", "-c", _GUARD, "sh", str(raylet.pid), folder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True) as guard:
        try:
            yield
        finally:
            guard.kill()


@contextlib.contextmanager
def _random_token() -> Iterator[None]:
    """Require a token, and set a random one, unless the user has chosen otherwise."""
    known = {name: os.environ.get(name) for name in (_MODE, _TOKEN)}
    chosen = _TOKEN in os.environ or f"{_TOKEN}_PATH" in os.environ
    if not chosen and known[_MODE] in (None, "token"):
        os.environ.update({_MODE: "token", _TOKEN: secrets.token_hex(32)})
    _read_variables()  # this process may have used another Ray before
    try:
        yield
    finally:
        for name, value in known.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        _read_variables()


def _read_variables() -> None:
    """Let Ray read mode and token again, which it keeps in memory."""
    untyped: Any = _raylet
    untyped.Config.initialize("")
    untyped.AuthenticationTokenLoader.instance().reset_cache()


@contextlib.contextmanager
def _on_loopback() -> Iterator[None]:
    """Let Ray's servers listen on 127.0.0.1, as they do by default on macOS and Windows."""
    name = ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR
    known, os.environ[name] = os.environ.get(name), "0"
    ray_constants.ENABLE_RAY_CLUSTER, many = False, ray_constants.ENABLE_RAY_CLUSTER
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = many
        os.environ.pop(name)
        if known is not None:
            os.environ[name] = known


def connect(address: str) -> bool:
    """Connect to a cluster, and return True, unless this process is already connected."""
    if ray.is_initialized():
        _require_connection_to(address)
        return False
    occupy_standard_descriptors()
    try:
        _require_server(address)
        ray.init(address=address, **QUIET)
    except (ConnectionError, ValueError, AssertionError, ImportError) as error:
        raise ParameterError(f"ray_address={address!r}: {error}{_hint(error)}") from error
    except ray.exceptions.AuthenticationError as error:
        raise ParameterError(f"ray_address={address!r}: {error}") from error
    return True


def _require_connection_to(address: str) -> None:
    """Check that an address belongs to the cluster to which this process is connected."""
    runtime: Any = ray.get_runtime_context()
    connected = runtime.gcs_address
    if address == "auto" or _endpoint(address) == _endpoint(connected):
        return
    raise ParameterError(
        f"ray_address={address!r}: this process is connected to the Ray cluster at {connected}; "
        "leave ray_address out to use that one, or call ray.shutdown() before"
    )


def _endpoint(address: str) -> tuple[str, str]:
    """Return IP address and port; of this machine's addresses, Ray uses only one."""
    util: Any = ray.util  # its functions have no types
    host, _, port = address.removeprefix("ray://").rpartition(":")
    with contextlib.suppress(OSError):
        host = socket.gethostbyname(host)
    return (util.get_node_ip_address() if host.startswith("127.") else host), port


def _require_server(address: str) -> None:
    """Check that a server listens at the address; Ray would need two minutes for this check."""
    host, _, port = address.rpartition(":")
    if "/" in host or not port.isdecimal():
        return  # another kind of address, such as "auto"
    try:
        socket.create_connection((host, int(port)), _PATIENCE_S).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(str(error)) from error


def _hint(error: Exception) -> str:
    """Return a hint for a connection that failed."""
    if not isinstance(error, ConnectionError):
        return ""
    if os.environ.get(_MODE, "") == "token":
        return (
            "; no Ray runs there, or its token differs from the one in RAY_AUTH_TOKEN, "
            f"RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token, or it accepts no token ({_MODE}=disabled)"
        )
    return (
        "; no Ray runs there, or it requires a token: `ray start` does so if there is a "
        f"~/.ray/auth_token, which any `ray.init()` may have written. Then set {_MODE}=token, and "
        "copy that file to each machine"
    )


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
_NODE_WAIT_S = 60.0
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
        deadline = running_time() + _NODE_WAIT_S
        while not (ready := ray.wait(list(self._tasks), num_returns=1, timeout=SLICE_S)[0]):
            if cluster.cluster_resources().get("CPU", 0) >= 1:
                deadline = running_time() + _NODE_WAIT_S
            elif running_time() > deadline:
                raise ClusterLost(
                    f"no node of the Ray cluster has had a CPU for {_NODE_WAIT_S:g} s: start one "
                    "(`ray start --address=...`), then continue with the same command"
                )
        return ready[0]

    def close(self) -> None:
        for task in self._tasks:
            ray.cancel(task, force=True)
        self._tasks = {}
        if self._connected:
            ray.shutdown()
            self._connected = False


def _work(job: Job) -> tuple[dict[str, Any] | None, str | None, str | None]:
    return outcome(job, lambda _event: None)
