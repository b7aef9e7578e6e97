# SPDX-License-Identifier: GPL-2.0-only
"""Several simulations of one agent, side by side, as Gymnasium's vector environments."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import PROGRAMS, fork_servers, over, resources, simulations
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from defiance_zoo import Choice, errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, SimulationVectorEnv, lookup
from defiance_zoo.environments.testing import exact
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

TRIAL = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
MODES = list(AutoresetMode)
Make = Callable[..., SimulationVectorEnv]


@pytest.fixture(params=["zmq", "local", "spin", "spread", "shared"])
def link(request: pytest.FixtureRequest) -> str:
    """Each kind of link; over all except the first, one call wakes all simulations."""
    kind: str = request.param
    return kind


@pytest.fixture
def make(link: str) -> Iterator[Make]:
    """Return a function that makes vector environments, closed after the test."""
    made: list[SimulationVectorEnv] = []

    def make_one(num_envs: int = 3, **arguments: Any) -> SimulationVectorEnv:
        env = TRIAL.vector_env(num_envs, **{**over(link), **arguments})
        made.append(env)
        return env

    yield make_one
    for env in made:
        env.close()


def one(**arguments: Any) -> Callable[[], GymnasiumEnv]:
    """Return a function that makes a single environment."""
    return lambda: GymnasiumEnv(TRIAL, link="local", **arguments)


def play(
    env: gymnasium.vector.VectorEnv[Any, Any, Any], steps: int, *, reset: bool = True
) -> list[Any]:
    """Return all results of some steps, exactly."""
    said = [exact(env.reset(seed=7))] if reset else []
    env.action_space.seed(3)
    for _ in range(steps):
        said.append(exact(env.step(env.action_space.sample())))
    return said


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_the_vector_equals_gymnasiums_vector_of_single_environments(make: Make, mode: Any) -> None:
    arguments = {"duration": "45ms", "size": 3}
    reference = SyncVectorEnv([one(**arguments)] * 3, autoreset_mode=mode)
    try:
        expected = play(reference, 25)
    finally:
        reference.close()
    assert play(make(autoreset_mode=mode, **arguments), 25) == expected


def test_a_reset_of_some_equals_gymnasiums_with_the_masks_of_infos(make: Make) -> None:
    """Simulations that are not reset have no infos, not even their time."""
    mask, played = np.array([True, False, True]), []
    reference = SyncVectorEnv([one(duration="25ms")] * 3, autoreset_mode=AutoresetMode.DISABLED)
    for env in (reference, make(autoreset_mode="Disabled", duration="25ms")):
        played.append([exact(env.reset(seed=1))])
        for _ in range(3):
            played[-1].append(exact(env.step(np.zeros(3, np.int64))))
        played[-1].append(exact(env.reset(seed=[5, None, 6], options={"reset_mask": mask})))
    reference.close()
    assert played[1] == played[0]


def test_observations_may_exceed_the_shared_memory(make: Make) -> None:
    """100,000 values of 8 bytes do not fit into a mailbox, nor into a pipe at once."""
    arguments = {"duration": "45ms", "size": 100_000}
    reference = SyncVectorEnv([one(**arguments)] * 2)
    try:
        expected = play(reference, 5)
    finally:
        reference.close()
    assert play(make(2, **arguments), 5) == expected


def test_without_autoreset_the_reset_mask_selects_simulations(make: Make) -> None:
    env = make(autoreset_mode="Disabled", duration="25ms")
    env.reset(seed=1)
    for _ in range(2):
        *_, truncations, _ = env.step(np.zeros(3, np.int64))
        assert not truncations.any()
    *_, truncations, _ = env.step(np.zeros(3, np.int64))
    assert truncations.all()
    with pytest.raises(errors.ResetNeeded, match=r"\[0, 1, 2\]"):
        env.step(np.zeros(3, np.int64))
    mask = np.array([True, False, True])
    observations, infos = env.reset(options={"reset_mask": mask})
    assert observations[:, 0].tolist() == [0, 3, 0]
    assert infos["_count"].tolist() == mask.tolist()
    with pytest.raises(errors.ResetNeeded, match=r"\[1\]"):
        env.step(np.zeros(3, np.int64))
    env.send(np.zeros(2, np.int64), [0, 2])
    with pytest.raises(errors.ResetNeeded, match="2 simulations were sent"):
        env.recv()


def test_recv_returns_simulations_that_are_ready(make: Make) -> None:
    env = make(4, batch_size=2, duration="95ms")
    env.async_reset(seed=1)
    decisions = np.zeros(4, int)
    for _ in range(60):
        observations, rewards, terminations, truncations, infos = env.recv()
        rows = infos["env_id"]
        assert len(set(rows.tolist())) == 2
        assert observations.shape == (2, 4)
        assert len(rewards) == len(terminations) == len(truncations) == 2
        # An episode has ten decisions; the round after its end begins the next one.
        assert observations[:, 0].tolist() == (decisions[rows] % 11).tolist()
        assert truncations.tolist() == (decisions[rows] % 11 == 10).tolist()
        decisions[rows] += 1
        env.send(np.ones(2, np.int64), rows)
    assert decisions.sum() == 120


def test_send_then_recv_equals_step(make: Make) -> None:
    one, other = make(duration="45ms"), make(duration="45ms")
    one.reset(seed=5)
    other.reset(seed=5)
    for number in range(12):
        actions = np.full(3, number % 8)
        expected = one.step(actions)
        other.send(actions)
        *received, infos = other.recv()
        order = np.argsort(infos.pop("env_id"))
        assert [exact(each[order]) for each in received] == [exact(each) for each in expected[:4]]
        assert exact(infos) == exact(expected[4])


def test_every_kind_of_space_is_batched(make: Make) -> None:
    env = make(2, scenario_case="echo")
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = env.action_space.sample()
    env.step(actions)
    observations, *_ = env.step(actions)
    assert env.observation_space.contains(observations)
    assert exact(observations) == exact(actions)


def test_infos_of_arrays_with_different_shapes_are_objects() -> None:
    env = lookup("wifi_contention_v0").vector_env(3, stations=Choice([1, 2]), duration="50ms")
    try:
        _, infos = env.reset(seed=[0, 1, 2])
        stations = infos["stations"].tolist()
        assert sorted(set(stations)) == [1, 2]
        assert infos["windows"].dtype == object
        assert [len(each) for each in infos["windows"]] == stations
        assert infos["_windows"].all()
        infos = env.step(np.zeros(3, np.int64))[4]
        assert [len(each) for each in infos["windows"]] == stations
    finally:
        env.close()


def test_batches_are_overwritten_unless_copied(make: Make) -> None:
    env = make(copy=False)
    first, _ = env.reset(seed=1)
    second, *_ = env.step(np.zeros(3, np.int64))
    assert np.shares_memory(first, second)
    with pytest.raises(ValueError, match="read-only"):
        second[:] = 0  # agents that do not decide would observe this later
    env = make()
    first, _ = env.reset(seed=1)
    second, *_ = env.step(np.zeros(3, np.int64))
    assert first[:, 0].tolist() == [0, 0, 0]
    assert second[:, 0].tolist() == [1, 1, 1]


def test_each_simulation_has_the_seed_of_a_single_environment(make: Make) -> None:
    env = make(2)
    env.reset(seed=[4, 9])
    launchers = [each.launcher for each in env._pool.episodes]
    rngs = [each.simulation.rng for each in launchers if each.simulation]
    env.reset(seed=8)
    again = [each.simulation.rng for each in launchers if each.simulation]
    assert rngs[1] == again[1]
    assert rngs[0] != again[0]


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (np.array([0, 1, 8]), "other than 0, ..., 7"),
        (np.array([0, 1]), r"shape \(2,\)"),
        (np.array([0.0, 1.0, 2.0]), "float64"),
        ([0, 1, "a"], "instead of 3 integers"),
    ],
)
def test_a_wrong_action_is_refused_and_no_action_sent(make: Make, actions: Any, words: str) -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(errors.InvalidAction, match=words):
        env.step(actions)
    observations, *_ = env.step(np.zeros(3, np.int64))
    assert observations[:, 0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"num_envs": 0}, errors.ParameterError, "num_envs=0"),
        ({"batch_size": 4}, errors.ParameterError, "batch_size=4"),
        ({"copy": "no"}, errors.ParameterError, "copy='no' is not a bool"),
        ({"resumable": 1}, errors.ParameterError, "resumable=1 is not a bool"),
        ({"restart_on_failure": "no"}, errors.ParameterError, "restart_on_failure='no'"),
        ({"autoreset_mode": "never"}, ValueError, "never"),
        (
            {"launch": "attach", "link": "zmq", "spin_us": 0, "affinity": "free"},
            errors.ParameterError,
            "attached",
        ),
        ({"agents": 2}, errors.NotSingleAgent, "agent_1"),
        ({"sice": 2}, errors.ParameterError, "size"),
    ],
)
def test_wrong_arguments_leave_nothing_behind(
    make: Make, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    before = resources()
    with pytest.raises(error, match=words):
        make(**arguments)
    assert resources() == before


def test_an_environment_that_could_not_be_made_warns_of_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The garbage collection of a Gymnasium environment closes it."""
    said: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: said.append(told.exc_value))
    with pytest.raises(TypeError, match="pool"):
        SimulationVectorEnv()  # type: ignore[call-arg]
    gc.collect()
    assert said == []


def test_send_twice_without_recv_is_refused(make: Make) -> None:
    env = make(batch_size=1)
    with pytest.raises(errors.ResetNeeded):
        env.step(np.zeros(3, np.int64))
    env.reset(seed=1)
    env.send(np.zeros(1, np.int64), [1])
    with pytest.raises(errors.ParameterError, match=r"\[1\] have not been received"):
        env.send(np.zeros(3, np.int64))
    for wrong in ([0, 0], np.array([True, False]), [0.0, 2.0], {0, 2}, ["0", "2"], [-1, 0], 2):
        with pytest.raises(errors.ParameterError, match="must be different numbers"):
            env.send(np.zeros(2, np.int64), wrong)
    assert env.recv()[4]["env_id"].tolist() == [1]
    with pytest.raises(errors.ResetNeeded, match="0 simulations"):
        env.recv()


def test_a_failure_is_raised_and_reset_works_afterwards(make: Make) -> None:
    env = make()
    env.reset(seed=1)
    simulations()[1].kill()
    with pytest.raises(errors.SimulationCrashed, match="SIGKILL"):
        play(env, 5, reset=False)
    observations, _ = env.reset(seed=1)
    assert observations[:, 0].tolist() == [0, 0, 0]
    observations, *_ = env.step(np.zeros(3, np.int64))
    assert observations[:, 0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_failure_can_be_reported_as_a_truncation(make: Make, mode: AutoresetMode) -> None:
    env = make(restart_on_failure=True, autoreset_mode=mode)
    env.reset(seed=1)
    simulations()[1].kill()
    failures = []
    for _ in range(8):
        _, _, terminations, truncations, infos = env.step(np.zeros(3, np.int64))
        at_once = mode is AutoresetMode.SAME_STEP and truncations.any()
        reported = infos["final_info"] if at_once else infos
        if "failure" in reported:
            assert truncations.tolist() == reported["_failure"].tolist()
            assert not terminations.any()
            failures += [text for text in reported["failure"] if text is not None]
    (failure,) = failures
    assert "SIGKILL" in failure
    assert len(simulations()) == 3


@pytest.mark.long
def test_a_vector_that_replaces_losses_continues_whatever_is_killed(make: Make) -> None:
    env = make(restart_on_failure=True, autoreset_mode="SameStep", duration="25ms")
    env.reset(seed=1)
    for number in range(12):
        # Simulations of a killed fork server may still be dying: then it has none.
        victims = fork_servers() if number % 2 else simulations()
        for victim in victims[:1]:
            victim.kill()
        env.step(np.zeros(3, np.int64))
    assert env.failures > 0
    env.reset(seed=1)
    assert len(simulations()) == 3


def test_close_leaves_no_process_behind(make: Make) -> None:
    before = resources()
    env = make()
    env.reset(seed=1)
    env.step(np.zeros(3, np.int64))
    assert resources()["processes"] > before["processes"]
    env.close()
    env.close()
    assert resources() == before
    with pytest.raises(errors.ClosedEnvironment):
        env.reset()
    env = make()
    env.async_reset(seed=1)
    env.close()
    assert resources() == before


def test_an_unreferenced_vector_is_closed() -> None:
    before = resources()
    env = TRIAL.vector_env(2)
    env.reset()
    del env
    assert resources() == before


def test_gymnasium_makes_the_vector() -> None:
    env = gymnasium.make_vec(
        "defiance_zoo/CartPole-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        placement="local",
    )
    try:
        observations, infos = env.reset(seed=1)
        assert env.observation_space.contains(observations)
        assert infos["sim_time_ns"].tolist() == [0, 0]
        _, rewards, *_ = env.step(np.array([0, 1]))
        assert rewards.tolist() == [1, 1]
    finally:
        env.close()
