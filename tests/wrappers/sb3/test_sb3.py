# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: its checker, and simulations of one agent as its vector."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
import torch
from conftest import TRIAL, simulations
from reused_buffers import EPISODE, Caller, compare_callers, draw_actions
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features import FeatureSource, FeatureView
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv
from defiance_zoo.wrappers.sb3 import (
    FeatureVecEnv,
    SharedPolicyVecEnv,
    SingleAgentVecEnv,
    make_shared_policy_vec_env,
    make_vec_env,
)
from defiance_zoo.wrappers.sb3.supersuit import make_supersuit_vec_env

TRIAL_SPEC = EnvironmentSpec("trial_v0", TRIAL)
torch.set_num_threads(1)  # more threads only wait for each other


@pytest.mark.parametrize("placement", ["local", "remote", "central"])
@pytest.mark.parametrize("transport", ["simple", "udp", "tcp"])
def test_sb3s_checker_passes(placement: str, transport: str) -> None:
    env = GymnasiumEnv(lookup("cart_pole_v0"), placement=placement, transport=transport)
    check_env(env)
    env.close()


@pytest.mark.parametrize("continuous", [False, True])
def test_sb3s_checker_on_other_spaces(targets: str, *, continuous: bool) -> None:
    env = GymnasiumEnv(lookup(targets), continuous=continuous)
    check_env(env)
    env.close()


ALGORITHMS = [
    (PPO, {"n_steps": 64, "batch_size": 64, "learning_rate": 0.01}, 3000),
    (A2C, {"n_steps": 16, "learning_rate": 0.005}, 3000),
    (DQN, {"learning_starts": 100, "target_update_interval": 100, "learning_rate": 0.003}, 2000),
    (SAC, {"learning_starts": 100, "train_freq": 4, "learning_rate": 0.01}, 800),
]


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "settings", "steps"), ALGORITHMS)
def test_algorithms_learn_to_earn_more_than_random_play(
    targets: str, algorithm: Any, settings: dict[str, Any], steps: int
) -> None:
    """Random play earns 2.5 of 10 in an episode, or 1 with continuous actions."""
    env = make_vec_env(targets, n_envs=2, seed=1, continuous=algorithm is SAC)
    env = VecNormalize(env, gamma=0.5)
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", gamma=0.5, **settings)
    model.learn(steps)
    env.close()
    assert np.mean([episode["r"] for episode in list(model.ep_info_buffer)[-10:]]) > 5


def make_echoes(agents: int, kind: str, *, stacks: bool = False) -> Any:
    """Return a vector of two simulations, whose agents observe their last action."""
    arguments = {"autoreset_mode": "SameStep", "space": kind, "agents": agents, **EPISODE}
    if agents > 1:
        vec: Any = SharedPolicyVecEnv(TRIAL_SPEC.multi_agent_vector_env(2, **arguments))
    else:
        vec = SingleAgentVecEnv(TRIAL_SPEC.vector_env(2, **arguments))
    if not stacks:
        return vec
    return FeatureVecEnv(vec, FeatureView(FeatureSource("FrameStack"), vec.observation_space))


@pytest.mark.parametrize(
    ("agents", "kind", "stacks"),
    [(1, "discrete", False), (1, "matrix", False), (2, "discrete", False), (2, "matrix", True)],
)
def test_reused_and_overwritten_buffers_are_like_fresh_values(
    agents: int, kind: str, *, stacks: bool
) -> None:
    with contextlib.closing(make_echoes(agents, kind, stacks=stacks)) as vec:

        def play(caller: Caller) -> None:
            vec.seed(1)
            caller.take(vec.reset())
            actions = list(draw_actions(vec.action_space, 6 * vec.num_envs))
            for step in range(6):
                vec.step_async(caller.give(np.array(actions[step::6])))
                caller.take(None)
                caller.take(vec.step_wait())
                if kind == "discrete":
                    caller.take(vec.env_method("action_masks"))
                    caller.take(vec.env_method("action_masks"))

        compare_callers(play)


def test_arrays_that_the_next_step_overwrites_are_refused() -> None:
    """SB3's algorithms store an observation after the step that follows it."""
    with (
        contextlib.closing(TRIAL_SPEC.vector_env(2, autoreset_mode="SameStep", copy=False)) as venv,
        pytest.raises(ParameterError, match="SB3 needs copy=True"),
    ):
        SingleAgentVecEnv(venv)


@pytest.mark.parametrize("make", [make_vec_env, make_shared_policy_vec_env, make_supersuit_vec_env])
@pytest.mark.parametrize("seed", [-1, "x", 1.5, True])
def test_seeds_that_are_no_integers_from_zero_on_are_refused(make: Any, seed: Any) -> None:
    with pytest.raises(ParameterError, match="seed="):
        make("cart_pole_v0", seed=seed)


def test_a_vector_refuses_a_wrong_seed_and_a_reward_that_is_no_function() -> None:
    with contextlib.closing(make_vec_env("cart_pole_v0", n_envs=2)) as env:
        with pytest.raises(ParameterError, match="seed=-1 is negative"):
            env.seed(-1)
        assert env.seed(np.int64(5)) == [5, 6]
        with pytest.raises(ParameterError, match="compute_reward=3 is not a function"):
            make_vec_env("cart_pole_v0", compute_reward=3)  # type: ignore[arg-type]


def rollout(env: Any) -> np.ndarray:
    """Return the observations of 30 steps with the same actions."""
    observations = [env.reset()]
    for step in range(30):
        observations.append(env.step(np.full(env.num_envs, step % 2))[0])
    env.close()
    return np.array(observations)


def test_seeds_determine_a_vec_env() -> None:
    one, two, other = (rollout(make_vec_env("cart_pole_v0", n_envs=2, seed=s)) for s in (5, 5, 6))
    assert (one == two).all()
    assert (one != other).any()
    assert (one[:, 0] != one[:, 1]).any()  # the simulations of one vector differ


def test_a_vector_equals_sb3s_own_vector() -> None:
    """Equal seeds and actions give the results of a loop over single environments, with ends."""
    arguments = {"transport": "udp", "delay": "10ms", "duration": "0.5s"}
    spec = lookup("cart_pole_v0")
    own = DummyVecEnv([lambda: GymnasiumEnv(spec, link="local", **arguments)] * 3)
    own.seed(5)
    ours = make_vec_env("cart_pole_v0", n_envs=3, seed=5, **arguments)
    assert (own.reset() == ours.reset()).all()
    ends = 0
    for step in range(60):
        actions = np.array([step % 2, 1, (step // 3) % 2])
        one, two = own.step(actions), ours.step(actions)
        for expected, got in zip(one[:3], two[:3], strict=True):
            assert (expected == got).all()
        for expected, got in zip(one[3], two[3], strict=True):
            got.pop("episode", None)  # added by VecMonitor
            assert exact(got) == exact(expected)
        ends += int(one[2].sum())
    assert ends > 3
    own.close()
    ours.close()


def test_only_same_step_autoreset_is_accepted() -> None:
    venv = lookup("cart_pole_v0").vector_env(2)
    with pytest.raises(ParameterError, match="SameStep"):
        SingleAgentVecEnv(venv)
    venv.close()


@pytest.mark.parametrize("where", ["info", "observation"])
def test_maskable_ppo_obeys_masks(targets: str, where: str) -> None:
    """The scenario aborts at a forbidden action."""
    env = make_vec_env(targets, n_envs=2, seed=1, masks=where)
    policy = "MlpPolicy" if where == "info" else "MultiInputPolicy"
    model = MaskablePPO(policy, env, n_steps=64, batch_size=64, seed=1, device="cpu")
    model.learn(384)
    # One of two allowed actions is right, so random play earns 5 of 10.
    assert np.mean([episode["r"] for episode in model.ep_info_buffer]) > 4
    env.close()


def test_action_masks_belong_to_the_next_decision(targets: str) -> None:
    env = make_vec_env(targets, n_envs=2, seed=1, masks="info")
    assert not is_masking_supported(env)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert (masks == [info["action_mask"] for info in env.unwrapped.reset_infos]).all()
    ends = 0
    for _ in range(12):
        _, _, dones, infos = env.step(masks.argmax(axis=1))
        masks = get_action_masks(env)
        assert masks.sum(axis=1).tolist() == [2, 2]
        reported = env.unwrapped.reset_infos if dones.all() else infos
        assert (masks == [info["action_mask"] for info in reported]).all()
        assert env.env_method("action_masks", indices=1)[0].tolist() == masks[1].tolist()
        ends += int(dones.all())
    assert ends == 1
    env.close()


def test_a_lost_simulation_is_replaced_and_counted(targets: str) -> None:
    env = make_vec_env(targets, n_envs=2, seed=1, restart_on_failure=True)
    env.reset()
    simulations()[1].kill()
    failures = []
    for _ in range(15):
        _, _, dones, infos = env.step(np.zeros(2, np.int64))
        for done, info in zip(dones, infos, strict=True):
            if "failure" in info:
                assert done
                assert info["TimeLimit.truncated"]
                assert info["terminal_observation"].shape == (2,)
                failures.append(info["failure"])
    assert len(failures) == 1
    assert "SIGKILL" in failures[0]
    assert env.failures == 1
    assert len(simulations()) == 2
    env.close()


def test_different_options_for_simulations_are_refused(targets: str) -> None:
    env = make_vec_env(targets, n_envs=2, seed=1)
    env.set_options([{"interval": "10ms"}, {"interval": "20ms"}])
    with pytest.raises(ParameterError, match="the same options"):
        env.reset()
    env.set_options({"interval": "50ms"})
    env.reset()
    ends = [env.step(np.zeros(2, np.int64))[2].tolist() for _ in range(4)]
    assert ends == [[False, False], [True, True], [False, False], [False, False]]
    env.close()


def test_attributes_and_methods_of_simulations_are_refused() -> None:
    env = make_vec_env("cart_pole_v0", n_envs=2)
    assert env.get_attr("num_envs") == [2, 2]
    assert not env.has_attr("action_masks")
    with pytest.raises(AttributeError, match="ns-3 processes"):
        env.set_attr("gravity", 1)
    with pytest.raises(AttributeError, match="ns-3 processes"):
        env.env_method("jump")
    with pytest.raises(AttributeError, match="no 'action_mask'"):
        env.env_method("action_masks")
    assert env.env_is_wrapped(VecMonitor) == [False, False]
    env.close()
