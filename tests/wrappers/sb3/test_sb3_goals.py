# SPDX-License-Identifier: GPL-2.0-only
"""HerReplayBuffer with a scenario of goals."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import DQN, HerReplayBuffer

from defiance_zoo.wrappers.sb3 import make_vec_env

GOALS = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("goals", duration="100ms")


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    observer, rewarder, actor = sc.Observation(node), sc.Reward(node), sc.Action(node)
    part = sc.Box(-20, 20, (1,))
    space = sc.Dict({"observation": part, "achieved_goal": part, "desired_goal": part})
    agent = sc.Agent(node, space, sc.Discrete(2))
    place = [0.0]

    @observer.every("10ms")
    def observe():
        rewarder.send(float(place[0] == 3) - 1)
        return {"observation": [place[0]], "achieved_goal": [place[0]], "desired_goal": [3.0]}

    @actor.on_action
    def act(sender, action):
        place[0] += 2 * action - 1

    for each in (observer, rewarder):
        sc.connect(each, agent)
    sc.connect(agent, actor)


if __name__ == "__main__":
    sim.main()
"""


def _reward(achieved: Any, desired: Any, _infos: Any) -> Any:
    return (np.abs(achieved - desired)[..., 0] == 0).astype(np.float32) - 1


def test_goals_are_relabelled_by_the_given_reward(tmp_path: Path) -> None:
    file = tmp_path / "goals.py"
    file.write_text(GOALS)
    with closing(make_vec_env(str(file), n_envs=2, compute_reward=_reward)) as env:
        model = DQN(
            "MultiInputPolicy",
            env,
            replay_buffer_class=HerReplayBuffer,
            replay_buffer_kwargs={"n_sampled_goal": 3},
            learning_starts=40,
            seed=1,
            device="cpu",
        )
        model.learn(60)
        buffer = model.replay_buffer
        assert isinstance(buffer, HerReplayBuffer)
        sampled = buffer.sample(64)
        goals = sampled.observations["desired_goal"]
    assert (goals != 3).any()  # other goals than the scenario's
    reached = sampled.next_observations["achieved_goal"] == goals
    assert (sampled.rewards == reached.float() - 1).all()


def test_a_missing_reward_of_goals_names_its_remedy() -> None:
    env = make_vec_env("cart_pole_v0")
    with closing(env), pytest.raises(AttributeError, match="compute_reward= to make_vec_env"):
        env.env_method("compute_reward", 0, 0, [{}], indices=[0])
