# SPDX-License-Identifier: GPL-2.0-only
"""Studies on nodes of Ray that `ray start` has started: tokens, and nodes that are lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ray_nodes import RayNodes, ray_nodes
from studies import read_csv, started, write

from defiance_zoo import errors
from defiance_zoo.study.ray_workers import RayWorkers

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

TOKEN = "0123456789abcdef" * 2

CONNECT = """
import sys
from defiance_zoo.errors import ParameterError
from defiance_zoo.study.ray_workers import RayWorkers
try:
    RayWorkers(sys.argv[1]).close()
    print("connected")
except ParameterError as error:
    print(error)
"""


def connect(nodes: RayNodes, address: str, **variables: str) -> str:
    """Connect from a process whose home has the nodes' token; return what it says."""
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, address],
        env={**os.environ, "HOME": str(nodes.folder), **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_cluster_that_wants_a_token_says_how_to_give_it() -> None:
    with ray_nodes() as nodes:
        (nodes.folder / ".ray").mkdir()
        (nodes.folder / ".ray" / "auth_token").write_text(TOKEN)
        nodes.start(cpus=1)
        refused = connect(nodes, nodes.address)
        assert "RAY_AUTH_MODE=token" in refused
        assert nodes.address in refused
        assert connect(nodes, nodes.address, RAY_AUTH_MODE="token") == "connected"


@pytest.mark.parametrize(
    ("address", "reason"), [("nonsense", "Invalid address"), ("127.0.0.1:1", "refused")]
)
def test_an_address_without_a_cluster_is_refused_at_once(address: str, reason: str) -> None:
    with pytest.raises(errors.ParameterError, match=f"ray_address='{address}': .*{reason}"):
        RayWorkers(address)


SLOW: dict[str, Any] = {
    "grid": {"delay": [f"{each}ms" for each in range(8)]},
    "policies": {"feedback": {"baseline": "state_feedback"}},
    "parameters": {"duration": "60s"},
    "episodes": 1,
}


def test_cells_of_a_node_that_is_lost_are_played_on_another_one(tmp_path: Path) -> None:
    with ray_nodes(RAY_health_check_period_ms="1000") as nodes:
        nodes.start(cpus=0)  # that of the study itself
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
