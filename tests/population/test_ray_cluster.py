# SPDX-License-Identifier: GPL-2.0-only
"""Population training uses a second Ray node: runners sample on it, and matches are played."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TESTS

PROGRAM = """
import json, sys
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from small_populations import quick
from defiance_zoo.population import train_population

cluster = Cluster()
for _ in range(2):
    cluster.add_node(num_cpus=1, include_dashboard=False)
busy, played = [], []

def report(event):
    if event["event"] == "iteration":
        free = ray.available_resources().get("CPU", 0)
        busy.append(ray.cluster_resources()["CPU"] - free)
    if event["event"] == "cell":
        played.append(event["done"])

config = quick("rllib", ray_address=cluster.address, generations=1, best_response={"runners": 2})
train_population(config, Path(sys.argv[1]), report=report)
cluster.shutdown()
print(json.dumps({"busy": busy, "played": played}))
"""


@pytest.mark.thorough
@pytest.mark.timeout(400)  # two nodes of Ray, whose processes have low priority
def test_population_training_uses_both_ray_nodes(tmp_path: Path) -> None:
    """Each node has one CPU, and each of the two runners takes one."""
    program = tmp_path / "cluster.py"
    program.write_text(PROGRAM)
    paths = [str(Path(TESTS) / "support"), TESTS, str(Path(TESTS).parent)]
    out = tmp_path / "population"
    done = subprocess.run(
        [sys.executable, str(program), str(out)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert set(told["busy"]) == {2}
    assert max(told["played"]) == 4
    assert (out / "generations" / "0001.json").is_file()
