# SPDX-License-Identifier: GPL-2.0-only
"""Classes, functions and schedules as hyperparameters, and the checks of names and types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from gymnasium import spaces

from defiance_zoo.errors import NoActionNoiseWarning, ParameterError, UnknownOrigin
from defiance_zoo.experiments.libraries.sb3 import ALGORITHMS
from defiance_zoo.experiments.training import RunConfig, create_trainer, load_policy, resume, train
from defiance_zoo.experiments.training.checkpoints import LAST, find_checkpoint
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.training.sb3.algorithms import (
    entropy_schedule,
    hyperparameters,
    warn_without_noise,
)
from defiance_zoo.experiments.workbench.origin import read_description

torch.set_num_threads(1)  # more threads only wait for each other
OWN = """
import torch
from stable_baselines3.common.torch_layers import FlattenExtractor

class Square(torch.nn.Module):
    def forward(self, x):
        return x * x

class Scaled(FlattenExtractor):
    def __init__(self, space, factor=1.0):
        super().__init__(space)
        self.factor = factor
    def forward(self, observations):
        return self.factor * super().forward(observations)

def halves(remaining):
    return 1e-3 if remaining > 0.5 else 1e-4

def fails(remaining):
    return 1 / 0

def texts(remaining):
    return "small"
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a file of a user, which is in the current folder."""
    path = tmp_path / "own.py"
    path.write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return path


def sb3(algorithm: str = "PPO", **values: Any) -> RunConfig:
    return RunConfig(env="cart_pole_v0", algorithm=algorithm, hyperparameters=values)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_plain_hyperparameters_of_every_algorithm_are_read(algorithm: str) -> None:
    read = hyperparameters(sb3(algorithm, learning_rate=1e-3, gamma=1, policy_kwargs={}))
    assert read["learning_rate"] == 1e-3
    assert read["gamma"] == 1
    with pytest.raises(ParameterError, match=r"learning_rate='fast' is not of type float . "):
        hyperparameters(sb3(algorithm, learning_rate="fast"))
    with pytest.raises(ParameterError, match=r"activation_fn.*did you mean 'Tanh'"):
        hyperparameters(sb3(algorithm, policy_kwargs={"activation_fn": "Tanhh"}))


def test_classes_functions_and_schedules_are_made(own: Path) -> None:
    given: dict[str, Any] = {
        "learning_rate": "own.py:halves",
        "clip_range": {"linear": [0.2, 0.1]},
        "ent_coef": {"linear": [0.1, 0]},
        "n_steps": 64.0,
        "policy_kwargs": {
            "activation_fn": "own.py:Square",
            "optimizer_class": "SGD",
            "features_extractor_class": "own.py:Scaled",
            "features_extractor_kwargs": {"factor": 2.0},
            "net_arch": {"pi": [8], "vf": [8]},
        },
    }
    config = sb3(**given)
    assert yaml.safe_load(to_yaml(config))["hyperparameters"]["learning_rate"] == f"{own}:halves"
    read = hyperparameters(config)
    assert [read["learning_rate"](each) for each in (1, 0.2)] == [1e-3, 1e-4]
    assert [read["clip_range"](each) for each in (1, 0.5, 0)] == pytest.approx([0.2, 0.15, 0.1])
    entropy = entropy_schedule(config)
    assert entropy is not None
    assert entropy(0.5) == pytest.approx(0.05)
    assert read["n_steps"] == 64
    assert isinstance(read["n_steps"], int)
    names = [each for each in read["policy_kwargs"].values() if isinstance(each, type)]
    assert [each.__name__ for each in names] == ["Square", "SGD", "Scaled"]
    noisy = sb3("TD3", action_noise={"normal": 0.2}, train_freq=[1, "episode"])
    read = hyperparameters(noisy, spaces.Box(-1, 1, (3,), np.float32))
    assert read["action_noise"]._sigma.tolist() == [0.2] * 3
    assert read["train_freq"] == (1, "episode")


@pytest.mark.parametrize(
    ("algorithm", "values", "message"),
    [
        ("PPO", {"n_steps": "fifty"}, "n_steps='fifty' is not of type int"),
        ("PPO", {"n_steps": 1.5}, "n_steps=1.5 is not of type int"),
        ("TD3", {"action_noise": 0.1}, "action_noise=0.1 is not {normal: deviation}"),
        ("TD3", {"action_noise": {"normaal": 0.1}}, "did you mean 'normal'"),
        ("TD3", {"action_noise": {"normal": "big"}}, "action_noise.normal='big' is not a number"),
        ("PPO", {"learning_rate": {"lineaar": [1, 0]}}, "did you mean 'linear'"),
        ("PPO", {"learning_rate": {"linear": [1]}}, "is not {linear: \\[first, last\\]}"),
        ("SAC", {"ent_coef": {"linear": [1, 0]}}, "SAC has no schedule"),
        ("PPO", {"learning_rate": "own.py:halvess"}, "has no 'halvess'; did you mean 'halves'"),
        ("PPO", {"learning_rate": "own.py:fails"}, "own.py:\\d+: ZeroDivisionError"),
        ("PPO", {"learning_rate": "own.py:texts"}, "returns 'small'"),
        ("PPO", {"learning_rate": "other.py:halves"}, "there is no file"),
        ("PPO", {"policy_kwargs": {"net_arhc": [8]}}, "did you mean 'net_arch'"),
        ("PPO", {"policy_kwargs": {"net_arch": "wide"}}, "policy_kwargs.net_arch='wide' is not"),
        ("PPO", {"policy_kwargs": {"activation_fn": "own.py:Scalde"}}, "did you mean 'Scaled'"),
        ("PPO", {"policy_kwargs": {"features_extractor_class": "subprocess:Popen"}}, "not of type"),
        ("PPO", {"rollout_buffer_class": "own.py:Square"}, "is not of type type"),
    ],
    ids=str,
)
def test_faults_are_refused_before_a_simulation_starts(
    own: Path, algorithm: str, values: dict[str, Any], message: str
) -> None:
    config = sb3(algorithm, **values).model_copy(update={"parameters": {"no": "such"}})
    with pytest.raises(ParameterError, match=message):
        create_trainer(config)


@pytest.mark.parametrize("algorithm", ["TD3", "DDPG"])
def test_training_without_noise_warns(algorithm: str) -> None:
    with pytest.warns(NoActionNoiseWarning, match=r"action_noise: \{normal: 0.1\}"):
        warn_without_noise(sb3(algorithm))
    warn_without_noise(sb3(algorithm, action_noise=None))
    warn_without_noise(sb3("SAC"))


def test_runs_with_code_of_files_resume_and_load(own: Path, targets: str) -> None:
    config = RunConfig(
        env=targets,
        steps=64,
        checkpoint_every=64,
        evaluation={"episodes": 1},
        hyperparameters={
            "n_steps": 32,
            "batch_size": 32,
            "learning_rate": "own.py:halves",
            "ent_coef": {"linear": [0.1, 0]},
            "policy_kwargs": {
                "activation_fn": "own.py:Square",
                "features_extractor_class": "own.py:Scaled",
            },
        },
    )
    folder = own.parent / "run"
    train(config, folder)
    resume(folder, until=128)
    found = find_checkpoint(folder, LAST, trust=False)
    assert found.counters.steps == 128
    assert found.config.hyperparameters == config.hyperparameters
    policy: Any = load_policy(found.config, found.trainer)
    names = {type(each).__name__ for each in policy.network.modules()}
    assert {"Square", "Scaled"} <= names


def test_descriptions_of_others_may_not_name_files_in_hyperparameters(own: Path) -> None:
    description = own.parent / "config.yaml"
    for values in ({"learning_rate": "own.py:halves"}, {"policy_kwargs": {"a": "./own.py:Square"}}):
        description.write_text(to_yaml(sb3(**values)))
        with pytest.raises(UnknownOrigin, match=r"own\.py"):
            read_description(description, trust=False)
