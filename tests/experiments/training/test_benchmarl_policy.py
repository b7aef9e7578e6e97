# SPDX-License-Identifier: GPL-2.0-only
"""Policies of BenchMARL decide, are saved and are exported without BenchMARL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.benchmarl.policy import BenchMARLPolicy
from defiance_zoo.experiments.training.benchmarl.trainer import BenchMARLTrainer
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.workbench.origin import open_signed, sign

OBSERVED = spaces.Box(-1, 1, (2,), np.float32)
CHOICES = spaces.Discrete(3, start=1)
LIMITED = spaces.Box(np.array([0, 10], np.float32), np.array([1, 30], np.float32))
MASKED = spaces.Dict({"action_mask": spaces.MultiBinary(3), "seen": OBSERVED})
CONFIG = RunConfig(env="channel_sharing_v0", library="benchmarl", algorithm="IPPO")


def network(*outputs: float) -> torch.nn.Sequential:
    """A network with constant outputs."""
    layer = torch.nn.Linear(2, len(outputs))
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.copy_(torch.tensor(outputs))
    return torch.nn.Sequential(layer)


def policy(*outputs: float, spaces: Any = (OBSERVED, CHOICES)) -> BenchMARLPolicy:
    return BenchMARLPolicy({"shared": network(*outputs)}, spaces, shared=True)


def test_a_choice_is_the_best_that_the_mask_allows() -> None:
    seen = np.zeros(2, np.float32)
    assert policy(0, 2, 1).act("agent_0", seen, {}) == 2
    assert policy(0, 2, 1).act("agent_0", seen, {"action_mask": [1, 0, 1]}) == 3
    observed = {"action_mask": np.array([1, 0, 0], np.int8), "seen": seen}
    assert policy(0, 2, 1, spaces=(MASKED, CHOICES)).act("agent_0", observed, {}) == 1


def test_means_are_scaled_to_the_limits_of_the_box() -> None:
    action = policy(0, -1, spaces=(OBSERVED, LIMITED)).act("agent_0", np.zeros(2, np.float32), {})
    assert action.tolist() == [0.5, 10]
    beyond = policy(9, -9, spaces=(OBSERVED, LIMITED)).act("agent_0", np.zeros(2, np.float32), {})
    assert beyond.tolist() == [1, 10]


def test_each_agent_has_its_own_network_and_others_are_refused(tmp_path: Path) -> None:
    both = {"agent_0": network(1, 0, 0), "agent_1": network(0, 0, 1)}
    BenchMARLPolicy(both, (OBSERVED, CHOICES), shared=False).save(tmp_path)
    sign(tmp_path)
    with open_signed(tmp_path, trust=False) as copy:
        loaded: Any = BenchMARLTrainer.load_policy(CONFIG, copy)
    seen = np.zeros(2, np.float32)
    assert [loaded.act(agent, seen, {}) for agent in both] == [1, 3]
    assert BenchMARLTrainer.policy_name(loaded, "agent_1") == "agent_1"
    assert BenchMARLTrainer.spaces(loaded) == [(OBSERVED, CHOICES)]
    with pytest.raises(ParameterError, match="no policy for 'agent_2'"):
        loaded.act("agent_2", seen, {})


def test_the_network_of_a_policy_file_decides_alike_and_has_no_masks() -> None:
    exported = BenchMARLTrainer.network(CONFIG, policy(0, 2, 1), "agent_0", (OBSERVED, CHOICES))
    assert exported(torch.zeros(4, 2)).tolist() == [2] * 4
    masked = policy(0, 2, 1, spaces=(MASKED, CHOICES))
    with pytest.raises(ParameterError, match="no action masks"):
        BenchMARLTrainer.network(CONFIG, masked, "agent_0", (MASKED, CHOICES))
