# SPDX-License-Identifier: GPL-2.0-only
"""Runs that RLlib trains: losses are counted and replaced; several machines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import ray
import torch
from conftest import ROOT, simulations
from rllib_support import RAY_WARNINGS, algorithm, assert_equal, register_scenarios, run_config

from defiance_zoo.experiments.training import load_policy
from defiance_zoo.experiments.training.rllib.trainer import RLlibTrainer
from defiance_zoo.experiments.workbench.origin import open_signed

pytestmark = RAY_WARNINGS
register_scenarios()
torch.set_num_threads(1)
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # env runners cannot import it

Make = Callable[..., RLlibTrainer]

ENDLESS = {"agents": 2, "duration": "1h"}


@pytest.mark.long
def test_a_killed_simulation_is_counted_and_replaced(make_rllib_trainer: Make) -> None:
    trainer = make_rllib_trainer(run_config(parameters=ENDLESS))
    first = trainer.iterate()
    (child,) = simulations()
    child.kill()
    second = trainer.iterate()
    assert first.metrics["failures"] == 0
    assert second.metrics["failures"] == 1
    assert "SIGKILL" in second.lost[0]
    assert second.episodes == 1
    assert second.steps > first.steps
    assert trainer.iterate().metrics["failures"] == 1


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_a_killed_env_runner_is_counted_and_replaced(
    make_rllib_trainer: Make, tmp_path: Path
) -> None:
    config = run_config(parameters=ENDLESS, runners=1)
    trainer = make_rllib_trainer(config)
    first = trainer.iterate()
    group = algorithm(trainer).env_runner_group
    ((pid, children),) = group.foreach_env_runner(whereabouts, local_env_runner=False)
    assert children  # simulations are siblings of their env runner's process
    os.kill(pid, signal.SIGKILL)
    last = trainer.iterate()
    while not last.metrics["failures"] or last.steps <= first.steps:
        last = trainer.iterate()
    assert last.metrics["failures"] == 1
    psutil.wait_procs([psutil.Process(c) for c in children if psutil.pid_exists(c)], timeout=10)
    assert not any(psutil.pid_exists(child) for child in children)

    trainer.save(tmp_path)
    trainer.close()
    other = make_rllib_trainer(config)
    with open_signed(tmp_path, trust=True) as copy:
        other.restore(copy)
    ((weights, steps),) = algorithm(other).env_runner_group.foreach_env_runner(
        lambda runner: (actor(runner.module), runner.num_env_steps_sampled_lifetime),
        local_env_runner=False,
    )
    saved = load_policy(config, tmp_path, trust=True).modules
    assert_equal(weights, actor(saved))
    assert steps == algorithm(other).metrics.peek(("env_runners", "num_env_steps_sampled_lifetime"))


def whereabouts(runner: Any) -> tuple[int, list[int]]:
    me = psutil.Process()
    return me.pid, [child.pid for child in me.children(recursive=True)]


def actor(modules: Any) -> dict[str, np.ndarray]:
    """Return the weights of actors; env runners do not get those of critics."""
    state = modules["shared"].state_dict()
    return {
        name: value.numpy()
        for name, value in state.items()
        if not name.startswith(("vf.", "encoder.critic", "_target", "target"))
    }


CLUSTER = """
import ray, torch
from ray.cluster_utils import Cluster
from defiance_zoo.experiments.training import RunConfig, create_trainer
torch.set_num_threads(1)
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
trainer = create_trainer(RunConfig(
    env="cart_pole_v0", library="rllib", algorithm="APPO", runners=2, ray_address=cluster.address,
    hyperparameters={"train_batch_size_per_learner": 50, "min_time_s_per_iteration": 0,
                     "min_sample_timesteps_per_iteration": 300},
))
trainer.iterate()
group = trainer._algorithm.env_runner_group
nodes = group.foreach_env_runner(
    lambda runner: (ray.get_runtime_context().get_node_id(),
                    runner.metrics.peek("num_env_steps_sampled_lifetime", default=0)),
    local_env_runner=False)
trainer.close()
assert ray.is_initialized() is False
cluster.shutdown()
print("nodes", len({node for node, _ in nodes}))
"""


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_env_runners_spread_over_a_cluster() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CLUSTER], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "nodes 2"
