# SPDX-License-Identifier: GPL-2.0-only
"""Runs with features: trained, resumed, evaluated, and refused."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import open_env, play
from defiance_zoo.experiments.training import (
    Policy,
    RunConfig,
    create_trainer,
    evaluate,
    load_policy,
    resume,
    train,
)
from defiance_zoo.experiments.training.configuration import Evaluation
from defiance_zoo.experiments.training.features import FeaturePolicy
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.experiments.workbench.origin import open_signed

torch.set_num_threads(1)

SETTINGS = {"n_steps": 32, "batch_size": 32, "gamma": 0.5}
LEAVING = {"agents": 3, "uneven": True, "leaving": True}
MIXED = {**LEAVING, "masks": "observation"}
STACK: dict[str, Any] = {"features": "FrameStack", "feature_options": {"frames": 3}}

LAST = """
import numpy as np
import torch
from gymnasium import spaces
from defiance_zoo.wrappers.features import Features

class Last(Features):
    def __init__(self, width):
        super().__init__()
        self.space = spaces.Box(-np.inf, np.inf, (2 * width,), np.float32)
        self.state_size = width

    def forward(self, observation, state):
        return torch.cat([observation, state], dim=1), observation
"""
"""Features: an observation and the previous one, which is zeros at first."""


def configure(env: str, **settings: Any) -> RunConfig:
    return RunConfig(env=env, **{"steps": 200, "hyperparameters": SETTINGS, **settings})


def write_last(folder: Path) -> str:
    (folder / "last.py").write_text(LAST)
    return f"{folder}/last.py:Last"


def weights(policy: Any) -> dict[str, torch.Tensor]:
    return dict(policy.policy.network.state_dict())


def train_parts(config: RunConfig, folder: Path) -> tuple[Any, Any]:
    """Train without and with an interruption; return both policies."""
    policies = []
    with contextlib.closing(create_trainer(config)) as one:
        one.iterate()
        one.save(folder)
        one.iterate()
        policies.append(one.policy())
    with (
        contextlib.closing(create_trainer(config)) as other,
        open_signed(folder, trust=True) as copy,
    ):
        other.restore(copy)
        other.iterate()
        policies.append(other.policy())
    return policies[0], policies[1]


@pytest.mark.parametrize(
    "settings",
    [
        {"simulations": 2},
        {"parameters": MIXED, "simulations": 2, "normalize": True},
        {"parameters": MIXED, "algorithm": "MaskablePPO"},
        pytest.param(
            {
                "parameters": LEAVING,
                "algorithm": "DQN",
                "hyperparameters": {"learning_starts": 30, "batch_size": 32, "buffer_size": 150},
            },
            marks=pytest.mark.long,
        ),
    ],
    ids=["PPO", "shared and normalized", "MaskablePPO", "DQN"],
)
def test_a_resumed_run_with_features_equals_an_uninterrupted_one(
    settings: dict[str, Any], targets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("defiance_zoo.experiments.training.sb3.trainer._DECISIONS", 60)
    config = configure(targets, **STACK, **settings)
    one, other = train_parts(config, tmp_path)
    assert weights(one).keys() == weights(other).keys()
    for name, part in weights(one).items():
        assert torch.equal(part, weights(other)[name]), name


def record(policy: Policy, config: RunConfig) -> list[tuple[str, Any]]:
    """Return the observations of the inner policy in two episodes."""
    assert isinstance(policy, FeaturePolicy)
    inner, seen = policy.policy, []

    class Watching:
        def reset(self) -> None:
            inner.reset()
            seen.append(("reset", None))

        def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
            seen.append((agent, observation))
            return inner.act(agent, observation, info)

    watched = FeaturePolicy(Watching(), policy.features, lambda _agent: "shared")
    with contextlib.closing(open_env(lookup(config.env), config.parameters)) as env:
        list(play(env, watched, episodes=2, seed=1))
    return seen


def test_each_agent_has_a_state_from_its_first_decision_to_its_end(
    targets: str, tmp_path: Path
) -> None:
    config = configure(targets, features=write_last(tmp_path), parameters=LEAVING)
    (tmp_path / "saved").mkdir()
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.iterate()
        trainer.save(tmp_path / "saved")
    seen = record(load_policy(config, tmp_path / "saved", trust=True), config)
    before: dict[str, Any] = {}
    decisions = dict.fromkeys(("agent_0", "agent_1", "agent_2"), 0)
    for agent, observation in seen:
        if agent == "reset":
            before = {}
            continue
        decisions[agent] += 1
        assert observation[2:].tolist() == before.get(agent, [0, 0])
        before[agent] = observation[:2].tolist()
    assert decisions == {"agent_0": 4, "agent_1": 8, "agent_2": 8}


def test_training_and_evaluation_have_equal_observations(targets: str, tmp_path: Path) -> None:
    """A row with a decision shows its agent's last two observations, with zeros at first."""
    config = configure(targets, features=write_last(tmp_path), parameters=LEAVING)
    with contextlib.closing(create_trainer(config)) as trainer:
        env: Any = trainer._model.env  # type: ignore[attr-defined]
        vec = env.unwrapped
        shown, ends = env.reset(), 0
        before = np.zeros((3, 2), np.float32)
        for _ in range(40):
            for row in np.flatnonzero(vec.decisions.deciding):
                assert shown[row, 2:].tolist() == before[row].tolist()
                before[row] = shown[row, :2]
            shown, _, dones, infos = env.step(np.zeros(3, np.int64))
            for row in np.flatnonzero(dones):
                last = infos[row]["terminal_observation"]
                assert last.shape == (4,)
                assert last[2:].tolist() == before[row].tolist()
                before[row] = 0
                ends += 1
                if not vec.decisions.deciding[row]:
                    assert not shown[row].any()
    assert ends == 5 * 3 + 1  # an episode has seven rounds; agent_0 leaves in the second one


def test_a_run_with_features_trains_evaluates_and_resumes(tmp_path: Path) -> None:
    parameters = {"transport": "udp", "delay": "1ms", "duration": "2s"}
    config = configure(
        "cart_pole_v0",
        features=write_last(tmp_path),
        parameters=parameters,
        steps=256,
        evaluation=Evaluation(every=128, episodes=1),
    )
    assert build_config(read_yaml_text(to_yaml(config), tmp_path)) == config
    for name in ("one", "two"):
        train(config, tmp_path / name)
    one, two = (
        load_policy(config, tmp_path / name / "checkpoints" / "last" / "trainer")
        for name in ("one", "two")
    )
    for name, part in weights(one).items():
        assert torch.equal(part, weights(two)[name]), name
    resume(tmp_path / "one", until=384)
    found = evaluate(tmp_path / "one", episodes=1)
    assert found["policies"]["trained"]["returns"]
    (tmp_path / "last.py").write_text(f"{LAST}\n# changed\n")
    for again in (lambda: evaluate(tmp_path / "one"), lambda: resume(tmp_path / "one", until=512)):
        with pytest.raises(ParameterError, match=r"last.py:Last.*changed since.*SHA-256"):
            again()
    (tmp_path / "last.py").unlink()
    with pytest.raises(ParameterError, match=r"there is no file .*last\.py"):
        resume(tmp_path / "one", until=512)


def read_yaml_text(text: str, folder: Path) -> dict[str, Any]:
    (folder / "run.yaml").write_text(text)
    return read_yaml(folder / "run.yaml")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"features": "FrameStac"}, "did you mean 'FrameStack'"),
        ({**STACK, "feature_options": {"frame": 2}}, "did you mean 'frames'"),
        ({"feature_options": {"frames": 2}}, "feature_options need features"),
        (
            {**STACK, "rollouts": "in-simulation-batched"},
            "cannot be used with rollouts='in-simulation-batched'",
        ),
    ],
)
def test_a_run_with_wrong_features_is_refused_before_anything_starts(
    settings: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match=words):
        train(configure("cart_pole_v0", **settings), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_features_is_named_by_its_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert configure("cart_pole_v0", features="last.py:Last").features == f"{tmp_path}/last.py:Last"
    assert configure("cart_pole_v0", features="last:Last").features == "last:Last"
