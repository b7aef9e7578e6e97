# SPDX-License-Identifier: GPL-2.0-only
"""Copies and pickles of vector environments are new environments with equal arguments."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import TRIAL, resources

from defiance_zoo import make_vec
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import exact

SPEC = EnvironmentSpec("trial_v0", TRIAL)
WAYS = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
KINDS = {
    "gymnasium": lambda: SPEC.vector_env(2, size=3, copy=False, autoreset_mode="SameStep"),
    "parallel": lambda: SPEC.multi_agent_vector_env(2, agents=2, max_agents=3, resumable=True),
}


@pytest.mark.parametrize("duplicate", WAYS, ids=["copy", "pickle"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_plays_the_same_episodes_as_the_original(
    kind: str, duplicate: Callable[[Any], Any]
) -> None:
    before = resources()
    env = KINDS[kind]()
    fresh = duplicate(env)
    reported = [exact(env.reset(seed=4))]
    actions = np.zeros(env.action_space.shape, np.int64)
    reported += [exact(env.step(actions)) for _ in range(3)]
    running = duplicate(env)
    env.close()
    for each in (fresh, running, duplicate(running)):
        said = [exact(each.reset(seed=4))]
        assert said + [exact(each.step(actions)) for _ in range(3)] == reported
        assert each.autoreset_mode is env.autoreset_mode
        each.close()
    del env, fresh, running, each
    assert resources() == before


def test_a_copy_of_a_gymnasium_environment_keeps_its_name() -> None:
    env = gymnasium.make_vec(
        "defiance_zoo/CartPole-v0", num_envs=2, vectorization_mode="vector_entry_point"
    )
    twin = copy.deepcopy(env)
    assert twin.spec.id == "defiance_zoo/CartPole-v0"
    env.close()
    twin.close()


def test_environments_of_the_zoo_can_be_pickled() -> None:
    env = make_vec("cart_pole_v0", 1)
    pickle.loads(pickle.dumps(env)).close()
    env.close()
