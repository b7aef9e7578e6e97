# SPDX-License-Identifier: GPL-2.0-only
"""RLlib's new API stack: only deciding agents in the dicts, and its own checker and training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from reused_buffers import EPISODE, KINDS, Caller, compare_callers, draw_actions
from rllib_support import RAY_WARNINGS, register_scenarios

from defiance_zoo import Choice
from defiance_zoo.environments import lookup
from defiance_zoo.errors import NobodyDecided
from defiance_zoo.wrappers.rllib import RLlibEnv

pytestmark = RAY_WARNINGS
register_scenarios()


@pytest.mark.parametrize("carts", [1, 3])
@pytest.mark.parametrize("placement", ["local", "remote", "central"])
@pytest.mark.parametrize("transport", ["simple", "udp", "tcp"])
def test_rllibs_checker_passes(carts: int, placement: str, transport: str) -> None:
    config = {"name": "cart_pole_v0", "carts": carts}
    env = RLlibEnv({**config, "placement": placement, "transport": transport})
    check_multiagent_environments(env)
    env.close()


@pytest.mark.parametrize("space", ["each", "discrete"])
def test_reused_and_overwritten_buffers_are_like_fresh_values(space: str) -> None:
    config = {"space": space, "agents": len(KINDS), "action_masks": space == "discrete", **EPISODE}
    env = RLlibEnv({"name": "trial_v0", **config})

    def play(caller: Caller) -> None:
        for seed in range(2):
            deciding, over = env.possible_agents, False
            caller.take(env.reset(seed=seed))
            actions = {agent: draw_actions(env.get_action_space(agent), 6) for agent in deciding}
            while not over:
                given = {agent: next(each) for agent, each in actions.items()}
                result = env.step(caller.give(given))
                over = result[2]["__all__"] or result[3]["__all__"]
                caller.take(result)

    compare_callers(play)
    env.close()


def play(env: RLlibEnv) -> list[tuple[Any, ...]]:
    """Play one episode with action 0: the keys of each step's dicts, rewards and flags."""
    observations, _ = env.reset(seed=1)
    reported: list[tuple[Any, ...]] = [(sorted(observations),)]
    over = False
    while not over:
        deciding = set(observations)
        observations, rewards, terminateds, truncateds, infos = env.step(dict.fromkeys(deciding, 0))
        assert set(rewards) == set(observations) == set(infos)
        ended = terminateds.keys() - {"__all__"}
        reported += [(agent, terminateds[agent], truncateds[agent]) for agent in sorted(ended)]
        over = terminateds["__all__"] or truncateds["__all__"]
        reported.append((sorted(observations), rewards))
        observations = {a: o for a, o in observations.items() if a not in terminateds}
    env.close()
    return reported


def test_only_deciding_agents_appear() -> None:
    env = RLlibEnv({"name": "trial_v0", "scenario_case": "uneven", "agents": 2, "duration": "45ms"})
    steps = [each[0] for each in play(env) if isinstance(each[0], list)]
    both = ["agent_0", "agent_1"]
    assert steps == [both, ["agent_0"], both, ["agent_0"], both, both]


def test_state_is_the_state_of_the_parallel_interface() -> None:
    arguments = {"scenario_case": "uneven", "agents": 2, "duration": "45ms"}
    env = RLlibEnv({"name": "trial_v0", "encode": True, **arguments})
    parallel = lookup("trial_v0").parallel_env(**arguments)
    observations, _ = env.reset(seed=1)
    parallel.reset(seed=1)
    assert env.state_space == parallel.state_space
    while parallel.agents:
        assert env.state().tolist() == parallel.state().tolist()
        observations, *_ = env.step(dict.fromkeys(observations, 0))
        parallel.step(dict.fromkeys(parallel.agents, 0))
    env.close()
    parallel.close()


def test_agents_missing_in_the_first_episode_are_encoded_like_the_others() -> None:
    env = RLlibEnv(
        {
            "name": "wifi_contention_v0",
            "placement": "local",
            "stations": Choice([1, 3]),
            "action_space": "continuous",
            "duration": "30ms",
            "encode": True,
        }
    )
    counts = set()
    for seed in range(8):
        observations, _ = env.reset(seed=seed)
        counts.add(len(observations))
        for agent in observations:
            assert env.get_action_space(agent) == spaces.Box(-1, 1, (1,), np.float32)
        env.step(dict.fromkeys(observations, np.float32([-1])))  # the agents' actions begin at 0
    env.close()
    assert counts == {1, 3}


def test_agents_can_join_late_and_leave_early_in_rllib() -> None:
    late = RLlibEnv({"name": "trial_v0", "scenario_case": "late", "agents": 2, "duration": "60ms"})
    assert late.possible_agents == ["agent_0"]
    reported = play(late)
    assert ("agent_1", False, True) in reported
    assert late.possible_agents == ["agent_0", "agent_1"]
    assert "agent_1" in late.observation_spaces

    leaving = RLlibEnv(
        {"name": "trial_v0", "scenario_case": "leaving", "agents": 3, "duration": "1s"}
    )
    ends = [each for each in play(leaving) if isinstance(each[0], str)]
    assert ends == [
        ("agent_0", True, False),
        ("agent_1", False, True),
        ("agent_2", True, False),
    ]


def test_an_episode_without_a_decision_ends_in_its_first_step() -> None:
    env = RLlibEnv({"name": "trial_v0", "scenario_case": "mute"})
    with pytest.warns(NobodyDecided):
        observations, _ = env.reset()
    assert list(observations) == ["agent_0"]
    *_, truncateds, _ = env.step({"agent_0": 0})
    assert truncateds["__all__"]
    env.close()


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("local_ray")
@pytest.mark.parametrize("policies", [{"shared"}, {"agent_0", "agent_1"}])
def test_ppo_trains_shared_and_individual_policies(policies: set[str]) -> None:
    """Carts fall at different times, so agents end one by one in every episode."""
    shared = "shared" in policies
    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config={"name": "cart_pole_v0", "carts": 2, "transport": "udp"})
        .env_runners(num_env_runners=0)
        .multi_agent(
            policies=policies,
            policy_mapping_fn=lambda agent, episode, **_: "shared" if shared else agent,
        )
        .training(train_batch_size_per_learner=200, minibatch_size=64, num_epochs=1)
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    result = algorithm.train()["env_runners"]
    algorithm.stop()
    assert result["num_env_steps_sampled_lifetime"] >= 200
    returns = result["agent_episode_returns_mean"]
    assert set(returns) == {"agent_0", "agent_1"}
    assert all(5 < value < 100 for value in returns.values())
