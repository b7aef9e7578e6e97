# SPDX-License-Identifier: GPL-2.0-only
"""One simulation of a vector is lost: the others continue, and no result is lost or mixed up."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS, over, simulations
from gymnasium.vector import AutoresetMode

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec

SPEC = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
MODES = list(AutoresetMode)
ACTIONS = np.zeros(3, np.int64)
SECOND = np.array([False, True, False])
Make = Callable[..., Any]


@pytest.fixture
def make(link: str) -> Iterator[Make]:
    """Make vectors of three that are closed after the test."""
    made: list[Any] = []

    def make_one(**arguments: Any) -> Any:
        made.append(SPEC.vector_env(3, **over(link), **arguments))
        return made[-1]

    yield make_one
    for env in made:
        env.close()


def kill_second(env: Any, member: int = 1) -> None:
    """Kill the second simulation, or another one."""
    _, process = env._pool.episodes[member].launcher.expected.conversation
    signal.pidfd_send_signal(process.exit_fd, signal.SIGKILL)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("steps", [0, 3])
def test_the_other_simulations_have_stepped_and_continue(make: Make, mode: Any, steps: int) -> None:
    env = make(autoreset_mode=mode, duration="1h")
    env.reset(seed=1)
    for _ in range(steps):  # after some steps, one call plays all rounds
        env.step(ACTIONS)
    kill_second(env)
    with pytest.raises(errors.SimulationCrashed, match="SIGKILL"):
        env.step(ACTIONS)
    observations, rewards, terminations, truncations, infos = env.step_wait()
    assert observations[:, 0].tolist() == [steps + 1, steps, steps + 1]
    assert rewards.tolist() == [steps + 1, 0, steps + 1]
    assert not terminations.any()
    assert not truncations.any()
    times_ms = [10 * (steps + 1), 10 * steps, 10 * (steps + 1)]
    assert infos["sim_time_ns"].tolist() == [10**6 * each for each in times_ms]
    for _ in range(2):
        with pytest.raises(errors.ResetNeeded, match=r"\[1\]: call reset"):
            env.step(ACTIONS)
    observations, _ = env.reset(options={"reset_mask": SECOND})
    assert observations[:, 0].tolist() == [steps + 1, 0, steps + 1]
    observations, *_ = env.step(ACTIONS)
    assert observations[:, 0].tolist() == [steps + 2, 1, steps + 2]
    assert len(simulations()) == 3


def test_an_episode_end_in_the_failed_step_is_reported(make: Make) -> None:
    env = make(duration="5ms")
    env.reset(seed=1)
    kill_second(env)
    with pytest.raises(errors.SimulationCrashed):
        env.step(ACTIONS)
    *_, truncations, _ = env.step_wait()
    assert truncations.tolist() == [True, False, True]
    env.reset(options={"reset_mask": SECOND})
    observations, rewards, _, truncations, _ = env.step(ACTIONS)  # begins other episodes
    assert observations[:, 0].tolist()[::2] == [0, 0]
    assert rewards.tolist()[::2] == [0, 0]
    assert truncations.tolist() == [False, True, False]


def test_two_failed_simulations_are_reset_together(make: Make) -> None:
    env = make(duration="1h")
    env.reset(seed=1)
    kill_second(env)
    kill_second(env, 2)
    with pytest.raises(errors.SimulationCrashed):
        env.step(ACTIONS)
    with pytest.raises(errors.ResetNeeded, match=r"\[1, 2\]"):
        env.step(ACTIONS)
    env.reset(seed=5)
    observations, *_ = env.step(ACTIONS)
    assert observations[:, 0].tolist() == [1, 1, 1]


def test_recv_after_an_error_returns_the_results_of_the_others(make: Make) -> None:
    env = make(batch_size=3, duration="1h")
    env.reset(seed=1)
    kill_second(env)
    env.send(ACTIONS)
    with pytest.raises(errors.SimulationCrashed):
        env.recv()
    with pytest.raises(errors.ResetNeeded, match="were sent an action"):
        env.recv()
    env.reset(options={"reset_mask": SECOND})
    env.send(ACTIONS[:1], [1])
    observations, rewards, _, _, infos = env.recv()
    assert sorted(infos["env_id"].tolist()) == [0, 1, 2]
    assert observations[:, 0].tolist() == [1, 1, 1]
    assert rewards.tolist() == [1, 1, 1]


def test_after_an_interruption_all_simulations_are_reset(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make(duration="1h")
    env.reset(seed=1)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(env._pool.episodes[1], "collect", interrupt)
        with pytest.raises(KeyboardInterrupt):
            env.step(ACTIONS)
    with pytest.raises(errors.ResetNeeded, match=r"\[0, 1, 2\]"):
        env.step(ACTIONS)
    env.reset(seed=1)
    observations, *_ = env.step(ACTIONS)
    assert observations[:, 0].tolist() == [1, 1, 1]
