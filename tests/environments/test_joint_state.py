# SPDX-License-Identifier: GPL-2.0-only
"""The global state holds the last observations of all agents, in every interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TRIAL
from gymnasium import spaces
from interfaces import play_on
from spaces_of_all_kinds import SPACES

from defiance_zoo import make, make_vec
from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.shared_methods import JointState, join_batch, joint_space

TRIAL_SPEC = EnvironmentSpec("trial_v0", TRIAL)
MASKS = Path(__file__).parents[1] / "scenario" / "programs" / "masks.py"


def test_state_is_the_last_observation_of_each_agent() -> None:
    aec = TRIAL_SPEC.raw_env(agents=3, scenario_case="uneven", link="local")
    parallel = TRIAL_SPEC.parallel_env(agents=3, scenario_case="uneven", link="local")
    for env in (aec, parallel):
        env.reset(seed=1)
        while env.agents:
            expected = [env.observe(agent) for agent in env.possible_agents]
            assert env.state().tolist() == np.concatenate(expected).tolist()
            assert env.state_space.contains(env.state())
            assert env.state_space is env.state_space
            play_on(env, seed=1, turns=1)
        assert env.state().shape == env.state_space.shape  # ended agents keep their observations
        env.close()


def test_state_grows_when_an_agent_joins() -> None:
    env = TRIAL_SPEC.parallel_env(agents=2, scenario_case="late", duration="60ms", link="local")
    env.reset(seed=1)
    sizes = [env.state().size]
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
        sizes.append(env.state().size)
        assert env.state_space.contains(env.state())
    assert sizes[0] < sizes[-1] == 2 * sizes[0]
    env.reset(seed=1)
    assert env.state().size == sizes[-1]  # `possible_agents` keeps the agent
    env.close()


@pytest.mark.parametrize("kind", ["raw_env", "parallel_env"])
def test_restored_environments_and_branches_have_the_same_state(kind: str) -> None:
    env = getattr(TRIAL_SPEC, kind)(agents=2, scenario_case="uneven", link="local")
    env.reset(seed=1)
    play_on(env, seed=1, turns=4)
    state = env.state()
    snapshot = env.snapshot()
    branch = env.branch()
    assert branch.state().tolist() == state.tolist()
    drawn = env.state_space.sample().tolist()
    assert branch.state_space.sample().tolist() == drawn
    play_on(env, seed=2)
    assert env.state().tolist() != state.tolist()
    assert branch.state().tolist() == state.tolist()
    env.restore(snapshot)
    assert env.state().tolist() == state.tolist()
    assert env.state_space.sample().tolist() == drawn
    branch.close()
    env.close()


def test_vector_has_the_states_of_its_simulations() -> None:
    arguments: dict[str, Any] = {"carts": 3, "transport": "udp", "delay": "10ms"}
    vector: Any = make_vec("cart_pole_v0", 2, api="parallel", **arguments)
    single: Any = make("cart_pole_v0", api="parallel", **arguments)
    single.reset(seed=2)
    vector.reset(seed=[1, 2])
    for _ in range(3):
        assert vector.state_space == single.state_space
        states = vector.state()
        assert states.shape == (2, *vector.state_space.shape)
        assert states[1].tolist() == single.state().tolist()
        vector.step(np.zeros((2, 3), np.int64))
        single.step(dict.fromkeys(single.agents, 0))
    single.close()
    vector.close()


@pytest.mark.parametrize("where", ["info", "observation"])
def test_state_has_no_action_mask(where: str) -> None:
    spec = EnvironmentSpec("masks_v0", Scenario.python("masks", MASKS))
    env: Any = spec.parallel_env(where=where, link="local")
    vector: Any = spec.multi_agent_vector_env(2, where=where, link="local")
    env.reset(seed=1)
    vector.reset(seed=[1, 1])
    space = env.observation_space("agent_0")
    masked = spaces.flatdim(space["action_mask"]) if where == "observation" else 0
    assert env.state().size == spaces.flatdim(space) - masked
    assert vector.state().tolist() == [env.state().tolist()] * 2
    env.close()
    vector.close()


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_observations_of_every_kind_are_joined(space: spaces.Space[Any]) -> None:
    class Fake(JointState):
        """An environment of two agents."""

        class _episodes:  # noqa: N801 # an attribute of environments
            agents = dict.fromkeys(
                ["agent_0", "agent_1"], type("Agent", (), {"observation_space": space})
            )

            @staticmethod
            def placeholder(agent: str) -> Any:
                return placeholder_observation(space)

        _observations: dict[str, Any] = {"agent_1": space.sample()}  # noqa: RUF012 # not changed

    env: Any = Fake()
    assert env.state_space.contains(env.state())
    assert env.state_space.shape == (2 * spaces.flatdim(space),)


def test_batches_of_equal_spaces_are_joined() -> None:
    space = spaces.Dict({"a": spaces.Discrete(3, start=2), "action_mask": spaces.MultiBinary(2)})
    batch = {"a": np.array([2, 3, 4, 2]), "action_mask": np.ones((4, 2), np.int8)}
    joined = join_batch(space, batch, num_envs=2, agents=2)
    assert joined.tolist() == [[1, 0, 0, 0, 1, 0], [0, 0, 1, 1, 0, 0]]
    assert all(map(joint_space([space] * 2).contains, joined))
