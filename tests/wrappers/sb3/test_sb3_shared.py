# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: agents that share a policy, where some rows of a step are not a decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from conftest import resources, simulations
from gymnasium.spaces import Box, Dict, Discrete
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecNormalize

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.sb3 import decisions_only, make_shared_policy_vec_env, make_vec_env
from defiance_zoo.wrappers.sb3.buffers import DecisionReplayBuffer

torch.set_num_threads(1)  # more threads only wait for each other

# Agent i decides in every (i + 1)-th round, and ends after 2 (i + 1) decisions.
MIXED = {"agents": 3, "uneven": True, "leaving": True}


@pytest.fixture
def mixed(targets: str) -> Iterator[VecEnv]:
    env = make_shared_policy_vec_env(targets, n_envs=2, seed=5, **MIXED)
    yield env
    env.close()


def test_rows_equal_the_parallel_interface(targets: str, mixed: VecEnv) -> None:
    """Observations, rewards, ends, infos and returns of each agent, over several episodes."""
    parallel = lookup(targets).parallel_env(link="local", **MIXED)
    rng = np.random.default_rng(1)
    expected, reported = parallel.reset(seed=5)
    batch = mixed.reset()
    agents, ends = parallel.possible_agents, 0
    returns = dict.fromkeys(agents, 0.0)
    for step in range(40):
        actions = rng.integers(4, size=6)
        for row, agent in enumerate(agents):
            if agent in parallel.agents:
                assert batch[row].tolist() == expected[agent].tolist()
            else:
                assert batch[row].tolist() == [0, 0]
        decided = [agent for agent in parallel.agents if reported[agent]["deciding"]]
        alive = list(parallel.agents)
        expected, rewards, terminations, truncations, reported = parallel.step(
            {agent: actions[row] for row, agent in enumerate(agents) if agent in alive}
        )
        batch, got, dones, infos = mixed.step(actions)
        for row, agent in enumerate(agents):
            assert infos[row]["acted"] == (agent in decided)
            assert infos[row]["after_reset"] == (step == 0)
            assert got[row] == rewards.get(agent, 0.0)
            over = agent in alive and agent not in parallel.agents
            assert dones[row] == over
            returns[agent] += rewards.get(agent, 0.0)
            if over:
                assert terminations[agent] != truncations[agent]
                assert infos[row]["TimeLimit.truncated"] == truncations[agent]
                assert infos[row]["terminal_observation"].tolist() == expected[agent].tolist()
                assert infos[row]["decisions"] == reported[agent]["decisions"]
                assert infos[row]["episode"]["r"] == returns[agent]
                assert infos[row]["episode"]["l"] == reported[agent]["decisions"]
                returns[agent] = 0.0
        if not parallel.agents:
            ends += 1
            expected, reported = parallel.reset()
    assert mixed.unwrapped.episodes == 2 * ends  # all have episodes of equal length
    assert ends >= 4
    parallel.close()


def test_seeds_belong_to_simulations(targets: str) -> None:
    def play(seed: int) -> np.ndarray:
        env = make_shared_policy_vec_env(targets, n_envs=2, seed=seed, agents=2)
        reported = [env.reset()] + [env.step(np.zeros(4, np.int64))[0] for _ in range(15)]
        env.close()
        return np.array(reported)

    one, same, next_seed = play(5), play(5), play(6)
    assert (one == same).all()
    assert (one[:, 2:] == next_seed[:, :2]).all()  # simulation 1 of seed 5, 0 of 6
    assert (one[:, 2:] != one[:, :2]).any()


def test_agents_that_cannot_share_a_policy_are_refused(targets: str) -> None:
    before = resources()
    with pytest.raises(ParameterError, match="there are 2 agents"):
        make_shared_policy_vec_env(targets, agents=2, max_agents=1)
    env = make_vec_env(targets)
    with pytest.raises(ParameterError, match="not a vector of agents"):
        decisions_only(PPO, env)
    env.close()
    assert resources() == before


def test_a_lost_simulation_ends_its_agents(targets: str) -> None:
    env = make_shared_policy_vec_env(
        targets, n_envs=2, seed=1, agents=3, leaving=True, restart_on_failure=True
    )
    env.reset()
    for _ in range(3):
        env.step(np.zeros(6, np.int64))  # agent_0 ends with its second decision
    simulations()[1].kill()
    _, _, dones, infos = env.step(np.zeros(6, np.int64))
    lost = [row for row, info in enumerate(infos) if "failure" in info]
    assert len(lost) == 3
    assert dones[lost].tolist() == [False, True, True]
    assert [infos[row]["TimeLimit.truncated"] for row in lost] == [False, True, True]
    assert env.failures == 1
    assert env.decisions.deciding[lost].all()
    env.close()


# ------------------------------------------------------------------ the data of updates


def weights(model: Any) -> list[torch.Tensor]:
    return list(model.policy.state_dict().values())


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_buffers_equal_sb3s_if_every_row_decides(targets: str, algorithm: Any) -> None:
    """One agent that always decides learns the same with and without this project's buffers."""
    settings = {"n_steps": 32, "batch_size": 32} if algorithm is PPO else {"learning_starts": 20}
    learned = []
    for ours in (False, True):
        env = make_shared_policy_vec_env(targets, n_envs=1, seed=1, agents=1)
        buffers = decisions_only(algorithm, env) if ours else {}
        model = algorithm("MlpPolicy", env, seed=1, device="cpu", **settings, **buffers)
        model.learn(96)
        learned.append(weights(model))
        env.close()
    assert all(torch.equal(one, other) for one, other in zip(*learned, strict=True))


def test_advantages_skip_rows_without_a_decision(mixed: VecEnv) -> None:
    """Compare with GAE over each agent's own decisions, computed from the reported rewards."""
    gamma, lam = 0.9, 0.8
    model = PPO(
        "MlpPolicy",
        mixed,
        n_steps=40,
        batch_size=40,
        gamma=gamma,
        gae_lambda=lam,
        seed=5,
        device="cpu",
        **decisions_only(PPO, mixed),
    )
    reported: list[tuple[Any, ...]] = []

    def note(local: dict[str, Any], _: Any) -> bool:
        # SB3 still adds to the rewards its estimate after a truncation: they are not copied.
        acted = mixed.decisions.acted.copy()
        reported.append((acted, local["rewards"], local["dones"], local["values"].flatten()))
        return True

    _, callback = model._setup_learn(40, note)
    model.collect_rollouts(mixed, callback, model.rollout_buffer, 40)
    with torch.no_grad():
        last = model.policy.predict_values(torch.as_tensor(model._last_obs)).flatten()
    buffer = model.rollout_buffer
    decisions = 0
    for row, deciding in enumerate(mixed.decisions.deciding):
        expected = _advantages(reported, row, last[row], bool(deciding), gamma, lam)
        assert buffer.known[:, row].nonzero()[0].tolist() == sorted(expected)
        for step, advantage in expected.items():
            assert buffer.advantages[step, row] == pytest.approx(advantage, abs=1e-5)
        decisions += len(expected)
    assert 60 < decisions < 40 * mixed.num_envs
    batches = list(buffer.get(7))
    assert sum(len(batch.advantages) for batch in batches) == decisions
    assert len(batches[-1].advantages) > 1


def _advantages(
    reported: list[tuple[Any, ...]], row: int, last: Any, deciding: bool, gamma: float, lam: float
) -> dict[int, float]:
    """Return the advantages of an agent's decisions with known outcomes, by step."""
    steps = [step for step, (acted, *_) in enumerate(reported) if acted[row]]
    outcomes = []  # step, value, reward, next value or None at an end, known
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        stop = len(reported) if following is None else following
        earned, ended = 0.0, False
        for _, rewards, dones, _ in reported[step:stop]:
            earned += 0 if ended else float(rewards[row])
            ended = ended or bool(dones[row])
        value = float(reported[step][3][row])
        after = float(last) if following is None else float(reported[following][3][row])
        known = ended or following is not None or deciding
        outcomes.append((step, value, earned, None if ended else after, known))
    found: dict[int, float] = {}
    advantage = 0.0
    for step, value, earned, after, known in reversed(outcomes):
        if not known:
            advantage = 0.0
            continue
        advantage = earned - value + (0 if after is None else gamma * (after + lam * advantage))
        found[step] = advantage
    return found


def test_transitions_skip_rows_without_a_decision(mixed: VecEnv) -> None:
    """The next observation is the one of the agent's next decision, not a repeated one."""
    model = DQN(
        "MlpPolicy",
        mixed,
        seed=5,
        device="cpu",
        learning_starts=10_000,
        buffer_size=500,
        **decisions_only(DQN, mixed),
    )
    model.learn(600)
    buffer = model.replay_buffer
    count = buffer.pos
    assert 150 < count < 500
    target = np.rint((buffer.observations[:count, 0, 0] + 1) * 1.5)
    earned = buffer.rewards[:count, 0]
    assert (earned == (target == buffer.actions[:count, 0, 0])).all()  # only its own, and none lost
    parity = buffer.observations[:count, 0, 1], buffer.next_observations[:count, 0, 1]
    assert (parity[0] != parity[1]).all()  # the number of decisions grows by one
    assert 0 < buffer.dones[:count].sum() < count / 2


class _InDict(VecEnvWrapper):
    """Observations as the only part of a Dict."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv, Dict({"seen": venv.observation_space}))

    def reset(self) -> Any:
        return {"seen": self.venv.reset()}

    def step_wait(self) -> Any:
        seen, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            infos[row]["terminal_observation"] = {"seen": infos[row]["terminal_observation"]}
        return {"seen": seen}, rewards, dones, infos


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_buffers_have_the_space_of_the_outermost_wrapper(mixed: VecEnv, algorithm: Any) -> None:
    """A wrapper may change it, as features make one Box of a Dict."""
    env = _InDict(mixed)
    buffers = decisions_only(algorithm, env)
    model = algorithm("MultiInputPolicy", env, seed=1, device="cpu", **buffers)
    model.learn(120)
    assert model.num_timesteps >= 120


def test_no_transition_crosses_a_reset() -> None:
    """An agent that has decided, and whose next decision is in another episode."""
    buffer = DecisionReplayBuffer(10, Box(0, 9, (1,)), Discrete(2), n_envs=1, device="cpu")

    def add(number: int, acted: bool, deciding: bool, after_reset: bool) -> None:
        seen, action = np.full((1, 1), number, np.float32), np.zeros((1, 1))
        info = {"acted": acted, "deciding": deciding, "after_reset": after_reset}
        buffer.add(seen, seen + 1, action, np.ones(1), np.zeros(1, np.bool_), [info])

    add(1, acted=True, deciding=False, after_reset=False)
    add(5, acted=False, deciding=True, after_reset=True)
    assert buffer.pos == 0
    add(6, acted=True, deciding=True, after_reset=False)
    assert buffer.observations[: buffer.pos].ravel().tolist() == [6]


@pytest.mark.long
@pytest.mark.parametrize(
    ("algorithm", "settings", "arguments", "steps"),
    [
        (PPO, {"n_steps": 64, "batch_size": 64, "learning_rate": 0.005}, MIXED, 6000),
        (
            MaskablePPO,
            {"n_steps": 64, "batch_size": 64, "learning_rate": 0.005},
            {**MIXED, "masks": "observation"},
            1500,
        ),
        (
            SAC,
            {"learning_starts": 100, "learning_rate": 0.01, "train_freq": 3},
            {**MIXED, "continuous": True},
            1500,
        ),
    ],
)
def test_agents_learn_one_policy(
    targets: str, algorithm: Any, settings: Any, arguments: Any, steps: int
) -> None:
    """A decision earns 1 at most."""
    env = make_shared_policy_vec_env(targets, n_envs=2, seed=1, **arguments)
    policy = "MultiInputPolicy" if "masks" in arguments else "MlpPolicy"
    if algorithm is PPO:
        env = VecNormalize(env, gamma=0.5)
    model = algorithm(
        policy, env, seed=1, device="cpu", gamma=0.5, **settings, **decisions_only(algorithm, env)
    )
    model.learn(steps)
    env.close()
    recent = [episode["r"] / episode["l"] for episode in list(model.ep_info_buffer)[-30:]]
    assert np.mean(recent) > (0.4 if algorithm is SAC else 0.6)  # random play: 0.1, 0.25, 0.5
