# SPDX-License-Identifier: GPL-2.0-only
"""RLlib's algorithms for simulations: each trains, and invalid configurations are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from rllib_support import RAY_WARNINGS, SMALL, register_scenarios

from defiance_zoo.errors import ParameterError, SimulationCrashed
from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.rllib.config import ALGORITHMS, rllib_config
from defiance_zoo.wrappers.rllib.policies import PolicyMapping

pytestmark = RAY_WARNINGS
register_scenarios()
torch.set_num_threads(1)


def train(config: Any, algorithm: str) -> dict[str, Any]:
    """Train two iterations and until learners, which may be asynchronous, have reported a batch."""
    built = config.update_from_dict(SMALL[algorithm]).debugging(seed=1).build_algo()
    try:
        result: dict[str, Any] = built.train()
        while result["training_iteration"] < 2 or "learners" not in result:
            result = built.train()
    finally:
        built.stop()
    return result


# ---------------------------------------------------------------------- algorithms


@pytest.mark.long
@pytest.mark.usefixtures("local_ray")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_algorithm_trains(algorithm: str) -> None:
    config = rllib_config(algorithm, "trial_v0", agents=2, scenario_case="uneven")
    result = train(config.env_runners(num_env_runners=0, num_envs_per_env_runner=2), algorithm)
    runners = result["env_runners"]
    assert runners["num_env_steps_sampled_lifetime"] >= 40
    assert result["learners"]["shared"]["num_module_steps_trained_lifetime"] > 0
    # agent_0 decides every 10 ms of 100, agent_1 every 20; they earn 1 + ... + n.
    returns = runners["agent_episode_returns_mean"]
    assert returns == {"agent_0": sum(range(11)), "agent_1": sum(range(6))}
    assert runners["scenario_infos"]["agent_0"]["count"] == pytest.approx(5.0)  # 0 ... 10
    assert 0 < runners["simulation_share"] < 1
    assert runners["simulation_failures"] == 0


@pytest.mark.long
@pytest.mark.usefixtures("local_ray")
def test_agents_that_join_late_and_leave_early_train_with_patterns() -> None:
    for case in ("late", "leaving"):
        patterns = {"agent_0": "first", "*": "rest"} if case == "leaving" else {"*": "all"}
        arguments = {"scenario_case": case, "agents": 3}
        config = rllib_config("PPO", "trial_v0", policies=patterns, **arguments)
        result = train(config, "PPO")
        assert set(result["learners"]) - {"__all_modules__"} == set(patterns.values())
        assert set(result["env_runners"]["agent_episode_returns_mean"]) == {
            "agent_0",
            "agent_1",
            "agent_2",
        }


@pytest.mark.usefixtures("local_ray")
def test_different_spaces_train_with_individual_policies() -> None:
    config = rllib_config("PPO", "deployment_v0", policies="individual")
    env = RLlibEnv(config.env_config)
    check_multiagent_environments(env)
    spaces = {str(env.get_action_space(agent)) for agent in env.possible_agents}
    policies = set(env.possible_agents)
    env.close()
    assert len(spaces) == 2
    result = train(config, "PPO")
    assert set(result["learners"]) - {"__all_modules__"} == policies


# ---------------------------------------------------------------------- masks


@pytest.mark.usefixtures("local_ray")
@pytest.mark.parametrize("in_infos", [False, True])
def test_masked_actions_are_never_chosen(in_infos: bool) -> None:
    config = rllib_config("PPO", "masked_v0", action_masks=in_infos, mask_in_infos=in_infos)
    env = RLlibEnv(config.env_config)
    check_multiagent_environments(env)
    observation = env.reset(seed=1)[0]["agent_0"]
    env.close()
    np.testing.assert_array_equal(observation["action_mask"], [1, 0, 0, 0, 0])
    np.testing.assert_array_equal(observation["observations"], [0])
    # The agent decides at 0, 10, ..., 190 ms, and has its last reward at the end, at 200 ms.
    runners = train(config, "PPO")["env_runners"]
    assert runners["episode_len_min"] == runners["episode_len_max"] == 20


def test_masks_need_ppo() -> None:
    with pytest.raises(ParameterError, match="DQN cannot use action masks"):
        rllib_config("DQN", "masked_v0")


# ---------------------------------------------------------------------- policies


def test_the_first_pattern_that_matches_names_the_policy() -> None:
    mapping = PolicyMapping({"station_[0-2]": "near", "station_*": "far"})
    assert [mapping(f"station_{i}") for i in (0, 2, 3)] == ["near", "near", "far"]
    with pytest.raises(ParameterError, match="router matches none of the patterns"):
        mapping("router")
    assert PolicyMapping("shared")("router") == "shared"
    assert PolicyMapping("individual")("router") == "router"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algorithm": "A3C"}, "algorithm='A3C' is not one of"),
        ({"policies": "each"}, "policies='each'"),
        ({"policies": {"agent_0": "one"}}, "agent_1 matches none of the patterns"),
        ({"policies": {"agent_*": "one", "router_*": "two"}}, r"uses \['two'\]"),
        ({"agents": 2, "action_masks": True, "algorithm": "APPO"}, "APPO cannot use"),
        ({"scenario_case": "echo"}, "fixed size, not|cannot give actions"),
        ({"nonsense": 1}, "nonsense"),
        ({"restart_on_failure": "no"}, "restart_on_failure='no' is not a bool"),
        ({"action_masks": 0}, "action_masks=0 is not a bool"),
        ({"features": "Summary"}, "features='Summary' is of type str: give FeatureSource"),
    ],
)
def test_invalid_configurations_are_refused(arguments: dict[str, Any], message: str) -> None:
    chosen = {"algorithm": "PPO", "agents": 2, **arguments}
    with pytest.raises(ParameterError, match=message):
        rllib_config(chosen.pop("algorithm"), "trial_v0", **chosen)


def test_a_policy_for_different_spaces_or_unsupported_actions_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot share the policy 'shared'"):
        rllib_config("PPO", "deployment_v0")
    with pytest.raises(ParameterError, match="DQN needs actions of"):
        rllib_config("DQN", "deployment_v0", policies="individual")


# ---------------------------------------------------------------------- failures


@pytest.mark.usefixtures("local_ray")
def test_a_failed_simulation_is_a_truncated_episode() -> None:
    arguments = {"name": "trial_v0", "scenario_case": "fatal", "agents": 2, "duration": "1s"}
    env = RLlibEnv({**arguments, "restart_on_failure": True})
    env.reset(seed=1)
    for _ in range(2):
        env.step({"agent_0": 0, "agent_1": 0})
    shown = env.step({"agent_0": 0, "agent_1": 0})
    observations, rewards, terminateds, truncateds, infos = shown
    assert env.failures == 1
    assert rewards == {"agent_0": 0.0, "agent_1": 0.0}
    assert terminateds == {"agent_0": False, "agent_1": False, "__all__": False}
    assert truncateds == {"agent_0": True, "agent_1": True, "__all__": True}
    assert [observation[0] for observation in observations.values()] == [2, 2]
    assert "the tower fell over" in infos["agent_0"]["failure"]
    assert set(env.reset()[0]) == {"agent_0", "agent_1"}
    env.close()

    strict = RLlibEnv(arguments)
    strict.reset(seed=1)
    for _ in range(2):
        strict.step({"agent_0": 0, "agent_1": 0})
    with pytest.raises(SimulationCrashed):
        strict.step({"agent_0": 0, "agent_1": 0})
    strict.close()

    result = train(rllib_config("PPO", arguments.pop("name"), **arguments), "PPO")
    runners = result["env_runners"]
    assert runners["episode_len_max"] == 3
    assert runners["simulation_failures"] == 40  # two iterations of 60 steps


def test_a_simulation_that_never_starts_raises() -> None:
    config = {"name": "trial_v0", "restart_on_failure": True}
    env = RLlibEnv({**config, "agents": 1})
    with pytest.raises(SimulationCrashed):
        env.reset(options={"scenario_case": "exit_before_hello"})
    assert env.failures == 2  # of three attempts; the last one raised
    env.close()
