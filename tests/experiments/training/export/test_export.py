# SPDX-License-Identifier: GPL-2.0-only
"""From training to a scenario program that plays the learned policy without Python."""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from defiance_zoo.bridge.simulation import describe
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import open_env, play
from defiance_zoo.experiments.training import RunConfig, create_trainer, load_policy
from defiance_zoo.experiments.training.export.exporting import export_policy

# RLlib's own, as in tests/wrappers/test_rllib.py.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib"),
]

SEEDS = range(40, 44)
SB3_PPO = {
    "algorithm": "PPO",
    "hyperparameters": {"n_steps": 128, "n_epochs": 2, "learning_rate": 0.01},
}


def train(folder: Path, **run: Any) -> RunConfig:
    """Train a little on carts behind UDP, and save."""
    torch.set_num_threads(1)
    parameters = {"transport": "udp", "delay": "1ms", "duration": "3s", **run.pop("parameters", {})}
    config = RunConfig(env="cart_pole_v0", parameters=parameters, steps=1000, **run)
    trainer = create_trainer(config)
    with contextlib.closing(trainer):
        trainer.iterate()
        folder.mkdir()
        trainer.save(folder)
    return config


def played(config: RunConfig, checkpoint: Path) -> list[dict[str, float]]:
    """Return the actions of agents when Python decides."""
    policy = load_policy(config, checkpoint, trust=True)
    with contextlib.closing(open_env(lookup(config.env), config.parameters)) as env:
        episodes = play(env, policy, episodes=len(SEEDS), seed=SEEDS.start)
        return [dict(episode.returns) for episode in episodes]


def run_alone(config: RunConfig, policy: str) -> list[dict[str, float]]:
    """Return the actions of agents in the scenario program without Python."""
    program = lookup(config.env).scenario.locate()
    found = []
    for seed in SEEDS:
        done = subprocess.run(
            [program, *describe(program).to_arguments(config.parameters), f"--policy={policy}"],
            env={
                "DEFIANCE_ONNXRUNTIME": str(onnxruntime_library()),
                "NS_GLOBAL_VALUE": f"RngSeed={rng_seed(seed)}",
            },
            check=True,
            capture_output=True,
            text=True,
        )
        reported = re.findall(r"^(\w+): \d+ decisions, return (\S+),", done.stdout, re.MULTILINE)
        found.append({agent: float(amount) for agent, amount in reported})
    return found


@pytest.mark.parametrize(
    "run",
    [
        {"library": "sb3", "normalize": True, **SB3_PPO},
        {"library": "sb3", "parameters": {"carts": 2}, **SB3_PPO},
        {
            "library": "sb3",
            "parameters": {"carts": 3},
            "normalize": True,
            "features": "FrameStack",
            "feature_options": {"frames": 3},
            **SB3_PPO,
        },
        pytest.param(
            {
                "library": "sb3",
                "algorithm": "RecurrentPPO",
                "features": "FrameStack",
                "feature_options": {"frames": 2},
                "hyperparameters": {"n_steps": 128, "n_epochs": 2, "learning_rate": 0.01},
            },
            marks=pytest.mark.long,
        ),
        pytest.param(
            {
                "library": "rllib",
                "algorithm": "PPO",
                "parameters": {"carts": 2},
                "features": "FrameStack",
                "hyperparameters": {"train_batch_size_per_learner": 256, "minibatch_size": 64},
            },
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            {
                "library": "rllib",
                "algorithm": "PPO",
                "hyperparameters": {"train_batch_size_per_learner": 256, "minibatch_size": 64},
            },
            marks=pytest.mark.long,
        ),
    ],
    ids=[
        "sb3 normalized",
        "sb3 shared",
        "sb3 shared features",
        "sb3 recurrent features",
        "rllib features",
        "rllib",
    ],
)
def test_the_program_plays_the_learned_policy(run: dict[str, Any], tmp_path: Path) -> None:
    checkpoint, file = tmp_path / "checkpoint", tmp_path / "policy.onnx"
    config = train(checkpoint, **run)
    agents = export_policy(config, checkpoint, file, trust=True)
    assert agents == [f"agent_{i}" for i in range(config.parameters.get("carts", 1))]
    assert run_alone(config, str(file)) == played(config, checkpoint)


@pytest.mark.long
def test_agents_may_have_individual_policies(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    hyperparameters = {"train_batch_size_per_learner": 256, "minibatch_size": 64}
    config = train(
        checkpoint,
        library="rllib",
        policies="individual",
        parameters={"carts": 2},
        hyperparameters=hyperparameters,
    )
    with pytest.raises(ParameterError, match=r"name one of \['agent_0', 'agent_1'\]"):
        export_policy(config, checkpoint, tmp_path / "policy.onnx", trust=True)
    with pytest.raises(ParameterError, match="'agent_2' is not one of"):
        export_policy(config, checkpoint, tmp_path / "policy.onnx", "agent_2", trust=True)
    assert list(tmp_path.iterdir()) == [checkpoint]
    files = {agent: tmp_path / f"{agent}.onnx" for agent in ("agent_0", "agent_1")}
    for agent, file in files.items():
        assert export_policy(config, checkpoint, file, agent, trust=True) == [agent]
    policy = ",".join(f"{agent}={file}" for agent, file in files.items())
    assert run_alone(config, policy) == played(config, checkpoint)
