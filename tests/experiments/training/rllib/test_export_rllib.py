# SPDX-License-Identifier: GPL-2.0-only
"""ONNX Runtime gives the actions of RLlib's modules and connectors without exploration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from gymnasium import spaces
from ray.rllib.algorithms.appo import APPOConfig
from ray.rllib.algorithms.dqn import DQNConfig
from ray.rllib.algorithms.impala import IMPALAConfig
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.sac import SACConfig
from ray.rllib.core.columns import Columns
from ray.rllib.utils.spaces.space_utils import clip_action, unsquash_action

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.policy_file import write_policy_file
from defiance_zoo.experiments.training.rllib.policy import RLlibNetwork

# RLlib's own, as in tests/wrappers/test_rllib.py.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

VECTOR = spaces.Box(-2, 2, (4,), np.float32)
REALS = spaces.Box(np.array([-1, 0.5], np.float32), np.array([3, 0.7], np.float32))


def build(config: Any, actions: spaces.Space[Any], **settings: Any) -> Any:
    """Return the algorithm's default module with its initial weights."""
    torch.set_num_threads(1)
    torch.manual_seed(3)
    config.rl_module(model_config=settings)
    spec = config.get_default_rl_module_spec()
    spec.observation_space, spec.action_space = VECTOR, actions
    spec.model_config = config.model_config
    return spec.build()


def choose(module: Any, observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the choice of RLlib's connector `GetActions` without exploration."""
    with torch.no_grad():
        said = module.forward_inference({Columns.OBS: torch.as_tensor(observations)})
        if Columns.ACTIONS not in said:
            kind = module.get_inference_action_dist_cls()
            distribution = kind.from_logits(said[Columns.ACTION_DIST_INPUTS])
            said[Columns.ACTIONS] = distribution.to_deterministic().sample()
    return np.asarray(said[Columns.ACTIONS])


@pytest.mark.long
@pytest.mark.parametrize(
    ("config", "actions", "normalize"),
    [
        (PPOConfig, spaces.MultiDiscrete([2, 3]), True),
        (PPOConfig, REALS, False),
        (APPOConfig, spaces.Discrete(3), True),
        (IMPALAConfig, REALS, True),
        (DQNConfig, spaces.Discrete(3), True),
        (SACConfig, REALS, True),
    ],
)
def test_an_exported_file_answers_like_rllib(
    config: Any, actions: spaces.Space[Any], normalize: bool, tmp_path: Path
) -> None:
    module = build(config(), actions)
    file = tmp_path / "policy.onnx"
    network = RLlibNetwork(module, actions, normalize_actions=normalize)
    write_policy_file(network, VECTOR, actions, file, {})

    VECTOR.seed(7)
    observations = np.array([VECTOR.sample() for _ in range(1000)])
    expected = choose(module, observations)
    assert len(np.unique(expected)) > 1
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    (reported,) = session.run(["action"], {"observation": observations})
    if isinstance(actions, spaces.Box):
        to_env = unsquash_action if normalize else clip_action
        expected = np.array([to_env(action, actions) for action in expected])
        np.testing.assert_allclose(reported, expected, rtol=0, atol=1e-5)
    else:
        np.testing.assert_array_equal(reported, expected)


def test_exported_actions_start_at_the_agents_first_action(tmp_path: Path) -> None:
    module = build(PPOConfig(), spaces.Discrete(3))
    actions = spaces.Discrete(3, start=5)
    file = tmp_path / "policy.onnx"
    write_policy_file(RLlibNetwork(module, actions), VECTOR, actions, file, {})
    observations = np.ones((1, 4), np.float32)
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    (reported,) = session.run(["action"], {"observation": observations})
    assert reported == choose(module, observations) + 5


def test_modules_with_memory_are_refused() -> None:
    module = build(PPOConfig(), spaces.Discrete(3), use_lstm=True)
    with pytest.raises(ParameterError, match="recurrent modules"):
        RLlibNetwork(module, spaces.Discrete(3))
