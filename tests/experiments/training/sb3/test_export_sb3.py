# SPDX-License-Identifier: GPL-2.0-only
"""ONNX Runtime gives the actions of SB3's `predict(..., deterministic=True)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import onnxruntime
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import QRDQN, TQC, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.policy_file import write_policy_file
from defiance_zoo.experiments.training.sb3.policy import SB3Network

VECTOR = spaces.Box(-2, 2, (4,), np.float32)
PARTS = spaces.Dict(
    {
        "number": spaces.Discrete(3),
        "picture": spaces.Box(0, 255, (3, 36, 36), np.uint8),
        "vector": VECTOR,
    }
)
CHOICE = spaces.Discrete(3)
REALS = spaces.Box(np.array([-1, 0.5], np.float32), np.array([3, 0.7], np.float32))
SQUASHED = {"use_sde": True, "policy_kwargs": {"squash_output": True}}


class Anything(gymnasium.Env[Any, Any]):
    """An environment that observes random elements of its space."""

    def __init__(self, observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
        self.observation_space = observations
        self.action_space = actions

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.observation_space.sample(), 0.0, False, False, {}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def sample(space: spaces.Space[Any], count: int) -> list[Any]:
    """Draw observations, the same ones each time."""
    space.seed(7)
    return [space.sample() for _ in range(count)]


def batch(space: spaces.Space[Any], values: list[Any]) -> Any:
    """Return values in the format of SB3."""
    if isinstance(space, spaces.Dict):
        return {key: np.array([value[key] for value in values]) for key in space.spaces}
    return np.array(values)


@pytest.mark.long
@pytest.mark.parametrize(
    ("algorithm", "observations", "actions", "arguments"),
    [
        (PPO, VECTOR, CHOICE, {}),
        (PPO, VECTOR, spaces.MultiDiscrete([2, 3]), {}),
        (PPO, VECTOR, spaces.MultiBinary(3), {}),
        (PPO, VECTOR, REALS, SQUASHED),
        (PPO, PARTS, CHOICE, {}),
        (PPO, spaces.MultiDiscrete([2, 3]), CHOICE, {}),
        (A2C, VECTOR, REALS, {}),
        (DQN, VECTOR, CHOICE, {}),
        (QRDQN, VECTOR, CHOICE, {}),
        (SAC, VECTOR, REALS, {}),
        (TD3, VECTOR, REALS, {}),
        (TQC, VECTOR, REALS, {}),
    ],
)
def test_an_exported_file_answers_like_sb3(
    algorithm: Any,
    observations: spaces.Space[Any],
    actions: spaces.Space[Any],
    arguments: dict[str, Any],
    tmp_path: Path,
) -> None:
    env = DummyVecEnv([lambda: Anything(observations, actions)])
    normalization = None
    if observations is VECTOR:
        normalization = VecNormalize(env, clip_obs=1.5)
        normalization.obs_rms.update(np.array(sample(VECTOR, 100)) * 0.5 + [1, -1, 0, 0.3])
    policy = "MultiInputPolicy" if isinstance(observations, spaces.Dict) else "MlpPolicy"
    model = algorithm(policy, env, seed=1, **arguments)
    if hasattr(model.policy, "action_net"):  # its initial weights are near 0: all actions are alike
        torch.nn.init.normal_(model.policy.action_net.weight)
    file = tmp_path / "policy.onnx"
    write_policy_file(SB3Network(model.policy, normalization), observations, actions, file, {})

    values = sample(observations, 1000)
    seen = batch(observations, values)
    expected, _ = model.predict(
        normalization.normalize_obs(seen) if normalization else seen, deterministic=True
    )
    flat = np.array([spaces.flatten(observations, value) for value in values], np.float32)
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    (reported,) = session.run(["action"], {"observation": flat})
    assert len(np.unique(expected)) > 1
    if isinstance(actions, spaces.Box):
        np.testing.assert_allclose(reported, expected, rtol=0, atol=1e-5)
        assert all(action in actions for action in reported)
    else:
        np.testing.assert_array_equal(reported, expected)


@pytest.mark.parametrize("observations", [VECTOR, PARTS], ids=["vector", "parts"])
def test_an_exported_lstm_has_the_same_state_as_sb3s(
    observations: spaces.Space[Any], tmp_path: Path
) -> None:
    env = DummyVecEnv([lambda: Anything(observations, CHOICE)])
    policy = "MultiInputLstmPolicy" if observations is PARTS else "MlpLstmPolicy"
    sizes = {"lstm_hidden_size": 5, "n_lstm_layers": 2}
    model = RecurrentPPO(policy, env, seed=1, policy_kwargs=sizes, device="cpu")
    torch.nn.init.normal_(model.policy.action_net.weight)
    for weight in model.policy.lstm_actor.parameters():
        torch.nn.init.normal_(weight)
    network, file = SB3Network(model.policy), tmp_path / "policy.onnx"
    assert network.state_size == 2 * 2 * 5
    write_policy_file(network, observations, CHOICE, file, {})
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    rows, state, found = 3, np.zeros((3, 20), np.float32), []
    expected_state: Any = None
    values = sample(observations, 60)
    for step in range(0, len(values), rows):
        some = values[step : step + rows]
        flat = np.array([spaces.flatten(observations, each) for each in some], np.float32)
        actions, state = session.run(
            ["action", "next_state"], {"observation": flat, "state": state}
        )
        expected, expected_state = model.predict(
            batch(observations, some), expected_state, deterministic=True
        )
        np.testing.assert_array_equal(actions, expected)
        hidden, cell = (part.transpose(1, 0, 2).reshape(rows, -1) for part in expected_state)
        np.testing.assert_allclose(state, np.hstack([hidden, cell]), rtol=0, atol=1e-5)
        found.extend(actions.tolist())
    assert len(set(found)) > 1
    forgotten = session.run(["action"], {"observation": flat, "state": np.zeros_like(state)})[0]
    assert np.abs(state).max() > 0.1
    assert forgotten.shape == (rows,)


def test_unsupported_policies_are_refused() -> None:
    env = DummyVecEnv([lambda: Anything(VECTOR, CHOICE)])
    with pytest.raises(ParameterError, match="a policy file has no action masks"):
        SB3Network(MaskablePPO("MlpPolicy", env).policy)
