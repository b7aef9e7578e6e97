# SPDX-License-Identifier: GPL-2.0-only
"""Studies on Ray nodes started by `ray start`: tokens, and lost nodes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import ray
from ray_nodes import ray_nodes
from studies import read_csv, started, write

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.rllib.algorithms import ray_session
from defiance_zoo.experiments.workbench.ray_cluster import RayWorkers

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

TOKEN = "0123456789abcdef" * 2

CONNECT = """
import sys
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.ray_cluster import RayWorkers
try:
    RayWorkers(sys.argv[1]).close()
    print("connected")
except ParameterError as error:
    print(error)
"""


@pytest.fixture(autouse=True)
def without_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo Ray's change of its process's environment, which makes it require tokens."""
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)


def connect(address: str, **variables: str) -> str:
    """Connect from a separate process; return its output."""
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, address],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.thorough
def test_a_cluster_that_requires_a_token_says_how_to_give_it() -> None:
    with ray_nodes() as nodes:
        (nodes.folder / ".ray").mkdir()
        (nodes.folder / ".ray" / "auth_token").write_text(TOKEN)
        nodes.start(cpus=1)
        home = str(nodes.folder)  # the folder with the nodes' token
        refused = connect(nodes.address, HOME=home)
        assert "RAY_AUTH_MODE=token" in refused
        assert nodes.address in refused
        assert connect(nodes.address, HOME=home, RAY_AUTH_MODE="token") == "connected"


@pytest.mark.parametrize(
    ("address", "reason"), [("nonsense", "Invalid address"), ("127.0.0.1:1", "refused")]
)
def test_an_address_without_a_cluster_is_refused_immediately(address: str, reason: str) -> None:
    assert re.match(f"ray_address='{address}': .*{reason}", connect(address))


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:1"])
def test_a_connected_process_cannot_connect_to_another_cluster(
    local_ray: None, address: str
) -> None:
    connected = ray.get_runtime_context().gcs_address
    message = f"ray_address='{address}': this process is connected to .*{connected}"
    with pytest.raises(ParameterError, match=message):
        RayWorkers(address)
    with pytest.raises(ParameterError, match=message), ray_session(address, needed=1):
        pass
    with ray_session(None, needed=1):
        pass
    for same in ("auto", connected, f"localhost:{connected.partition(':')[2]}"):
        RayWorkers(same).close()
        assert ray.is_initialized()


SLOW: dict[str, Any] = {
    "grid": {"delay": [f"{each}ms" for each in range(8)]},
    "policies": {"feedback": {"baseline": "state_feedback"}},
    "parameters": {"duration": "60s"},
    "episodes": 1,
}


@pytest.mark.thorough
def test_cells_of_a_lost_node_are_played_on_another_one(tmp_path: Path) -> None:
    with ray_nodes(RAY_health_check_period_ms="1000") as nodes:
        nodes.start(cpus=0)  # the node of the study itself
        lost = nodes.start(cpus=1)
        nodes.start(cpus=1)
        file = write(tmp_path, **SLOW, ray_address=nodes.address)
        with started(file, tmp_path / "out", HOME=str(nodes.folder)) as study:
            assert study.stdout is not None
            events = []
            for line in study.stdout:
                events.append(json.loads(line))
                if events[-1]["event"] == "cell" and lost is not None:
                    nodes.kill(lost)
                    lost = None
        assert study.returncode == 0
    cells = [event for event in events if event["event"] in ("cell", "failed")]
    assert [event["event"] for event in cells] == ["cell"] * 8
    assert all(row["error"] == "" for row in read_csv(tmp_path / "out" / "cells.csv"))
