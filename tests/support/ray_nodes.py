# SPDX-License-Identifier: GPL-2.0-only
"""A Ray cluster of real nodes started by `ray start`; only these nodes are stopped."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

_PATIENCE_S = 60


class RayNodes:
    """Nodes on this machine.

    Attributes:
        address: Address of the first node.
        folder: Home folder of the nodes, with Ray's token and Ray's files.
    """

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        """Create a cluster without nodes.

        Args:
            folder: Home folder of the nodes; its path is short enough for sockets in it.
            variables: Environment variables of all nodes.
        """
        self.folder = folder
        self.address = f"127.0.0.1:{_free_port()}"
        self._variables = {
            **os.environ,
            "HOME": str(folder),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            **variables,
        }
        self._nodes: list[subprocess.Popen[bytes]] = []

    def start(self, cpus: int) -> int:
        """Start a node, the first one as the head; return its place among the nodes."""
        number = len(self._nodes)
        port = self.address.partition(":")[2]
        first = (
            "--head",
            f"--port={port}",
            f"--temp-dir={self.folder}/ray",
            "--include-dashboard=false",
            "--disable-usage-stats",
        )
        joins = first if number == 0 else (f"--address={self.address}",)
        log = self.folder / f"node-{number}.log"
        # The command `ray` is next to this Python if that is in a virtual environment.
        command = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start"]
        flags = ["--block", "--node-ip-address=127.0.0.1", f"--num-cpus={cpus}"]
        with log.open("wb") as output:
            self._nodes.append(
                subprocess.Popen(
                    [
                        *command,
                        *flags,
                        *joins,
                    ],
                    env=self._variables,
                    stdout=output,
                    stderr=output,
                )
            )
        deadline = time.monotonic() + _PATIENCE_S
        while b"block forever" not in (said := log.read_bytes()):
            assert self._nodes[-1].poll() is None, said.decode()
            assert time.monotonic() < deadline, said.decode()
            time.sleep(0.1)
        return number

    def processes(self, number: int) -> list[psutil.Process]:
        """Return the processes of a node."""
        node = psutil.Process(self._nodes[number].pid)
        return [node, *node.children(recursive=True)]

    def kill(self, number: int) -> None:
        """Kill a node, like a power failure."""
        killed = self.processes(number)
        for process in killed:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._nodes[number].wait()

    def stop(self) -> None:
        """End all nodes."""
        started = [
            each
            for number, node in enumerate(self._nodes)
            if node.poll() is None
            for each in self.processes(number)
        ]
        for node in reversed(self._nodes):
            node.terminate()
        for node in self._nodes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                node.wait(20)
        for process in psutil.wait_procs(started, timeout=5)[1]:
            process.kill()
        for node in self._nodes:
            node.wait()


@contextlib.contextmanager
def ray_nodes(**variables: str) -> Iterator[RayNodes]:
    """Yield a cluster; stop its nodes afterwards and check that nothing is left."""
    folder = Path(tempfile.mkdtemp(prefix="ray"))
    nodes = RayNodes(folder, variables)
    try:
        yield nodes
    finally:
        nodes.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
