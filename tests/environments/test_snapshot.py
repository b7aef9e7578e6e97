# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that continue from a snapshot or a branch are unchanged, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import PLAIN_MAIN, PROGRAMS, TRIAL, over
from interfaces import INTERFACES, compare_with_uninterrupted, make, play_on

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import CurveKeys, Scenario
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.testing import exact

Make = Callable[..., Any]
CART_POLE = lookup("cart_pole_v0")
DEPLOYMENT = EnvironmentSpec("deployment_v0", Scenario("deployment", PROGRAMS / "deployment"))
TRIAL_SPEC = EnvironmentSpec("trial_v0", TRIAL)
TRANSPORTS = {
    "simple": {"transport": "simple"},
    "udp": {"transport": "udp", "delay": "30ms", "loss": 0.1},
    "tcp": {"transport": "tcp", "delay": "50ms"},
}
"""Messages are in flight at each decision: a sample is taken every 20 ms."""


@pytest.mark.parametrize("launch", ["fork", pytest.param("spawn", marks=pytest.mark.long)])
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("interface", INTERFACES)
def test_restored_and_uninterrupted_runs_are_identical(
    interface: str, transport: str, launch: str, link: str
) -> None:
    carts = {} if interface == "gymnasium" else {"carts": 2}
    compare_with_uninterrupted(
        CART_POLE,
        interface,
        launch=launch,
        **over(link),
        terminate_when_fallen=False,
        duration="500ms",
        **carts,
        **TRANSPORTS[transport],
    )


@pytest.mark.parametrize("interface", ["aec", "parallel"])
@pytest.mark.parametrize("change", ["move", "add"])
def test_restored_deployments_are_identical(change: str, interface: str, link: str) -> None:
    """Agents join, applications move, and histories and message statistics continue."""
    compare_with_uninterrupted(
        DEPLOYMENT, interface, change=change, communication_infos=True, **over(link)
    )


@pytest.mark.parametrize("interface", ["aec", "parallel"])
@pytest.mark.parametrize("case", ["uneven", "late", "leaving"])
def test_restored_episodes_with_joining_and_leaving_agents_are_identical(
    case: str, interface: str
) -> None:
    compare_with_uninterrupted(
        TRIAL_SPEC, interface, before=3, link="local", scenario_case=case, agents=3, max_cycles=9
    )


def test_a_plain_main_function_continues_from_a_snapshot(make_aec: Make) -> None:
    """Its observations are random numbers of ns-3, which repeat."""
    env = make_aec(PLAIN_MAIN, steps=8)
    env.reset(seed=1)
    env.step(0)
    snapshot = env.snapshot()
    reported = play_on(env, seed=1)
    assert len(reported) == 8
    env.restore(snapshot)
    assert play_on(env, seed=1) == reported


def state_of(env: Any) -> Any:
    """Return the observable state of an AEC environment."""
    books = ("rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "agents")
    shown = [exact(getattr(env, name)) for name in books]
    return [*shown, env.agent_selection, {a: exact(env.observe(a)) for a in env.agents}]


def test_a_snapshot_in_a_half_decided_round_keeps_the_given_actions(make_aec: Make) -> None:
    """The given actions are not sent before the last agent of the round decides."""
    env = make_aec(agents=3, rounds="simultaneous", duration="100ms")
    env.reset(seed=1)
    env.step(5)
    env.step(6)
    shown = state_of(env)
    snapshot = env.snapshot()
    for wrong in (1, 2, 3):
        env.step(wrong)
    env.restore(snapshot)
    assert state_of(env) == shown
    env.step(7)
    assert [env.infos[a]["last_action"] for a in env.agents] == ["5", "6", "7"]


def test_restore_restores_rewards_ends_and_infos(make_aec: Make) -> None:
    env = make_aec(scenario_case="leaving", agents=3, duration="1s")
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(0)
    shown = state_of(env)
    snapshot = env.snapshot()
    env.infos[env.agent_selection]["mine"] = "added by somebody"
    play_on(env, seed=0)
    assert env.agents == []
    for _ in range(2):
        env.restore(snapshot)
        assert state_of(env) == shown
        play_on(env, seed=0, turns=4)


def draw_samples(env: Any) -> Any:
    """Draw from all generators of an environment of one agent, which its user did not seed."""
    if isinstance(env, gymnasium.Env):
        spaces = [env.observation_space, env.action_space]
        return exact([each.sample() for each in spaces]), env.np_random.random()
    spaces = [env.observation_space("agent_0"), env.action_space("agent_0")]
    return exact([each.sample() for each in spaces])


@pytest.mark.parametrize("interface", INTERFACES)
def test_generators_continue_from_the_snapshot_and_in_the_branch(interface: str) -> None:
    env = make(TRIAL_SPEC, interface, scenario_case="echo", link="local")
    env.reset()
    draw_samples(env)
    with env.snapshot() as snapshot:
        branch = env.branch()
        drawn = [draw_samples(env) for _ in range(3)]
        assert [draw_samples(branch) for _ in range(3)] == drawn
        for _ in range(2):
            for space in branch._episodes.agents["agent_0"].spaces:
                space.seed(1)
            draw_samples(env)
            env.restore(snapshot)
            assert [draw_samples(env) for _ in range(3)] == drawn
    branch.close()
    env.close()


def test_an_agent_that_joins_again_draws_the_same_actions(make_parallel: Make) -> None:
    env = make_parallel(scenario_case="late", agents=2, interval="10ms", duration="100ms")
    env.reset(seed=1)
    with env.snapshot() as snapshot:
        drawn = []
        for _ in range(2):
            while "agent_1" not in env.agents:
                env.step({"agent_0": 0})
            drawn.append([env.action_space("agent_1").sample() for _ in range(20)])
            env.restore(snapshot)
    assert drawn[0] == drawn[1]


def test_max_cycles_counts_from_the_snapshot() -> None:
    env = make(TRIAL_SPEC, "gymnasium", duration="1s", max_cycles=5)
    env.reset()
    env.step(0)
    snapshot = env.snapshot()
    lengths = []
    for _ in range(2):
        lengths.append(len(play_on(env, seed=0)))
        env.restore(snapshot)
    assert lengths == [4, 4]
    env.close()


@pytest.mark.parametrize("interface", INTERFACES)
def test_restore_returns_what_reset_returns(interface: str) -> None:
    env = make(TRIAL_SPEC, interface, duration="1s", link="local")
    first = env.reset(seed=1)
    with env.snapshot() as snapshot:
        assert snapshot.time_ns == 0
        play_on(env, seed=1, turns=3)
        assert exact(env.restore(snapshot)) == exact(first)
    env.close()


def test_a_snapshot_can_be_taken_of_a_restored_episode(make_parallel: Make) -> None:
    env = make_parallel(agents=2, duration="1s")
    env.reset(seed=1)
    snapshots = [env.snapshot()]
    reported = []
    for seed in range(4):
        reported.append(play_on(env, seed, turns=3))
        snapshots.append(env.snapshot())
        env.restore(snapshots[-1])
    for seed in (3, 0, 2, 1):
        env.restore(snapshots[seed])
        assert play_on(env, seed, turns=3) == reported[seed]


def test_restore_works_after_the_end_after_reset_and_in_another_episode(make_aec: Make) -> None:
    env = make_aec(duration="60ms")
    env.reset(seed=1)
    env.step(1)
    snapshot = env.snapshot()
    rest = play_on(env, seed=1)
    assert env.agents == []
    env.restore(snapshot)
    assert play_on(env, seed=1) == rest
    env.reset(seed=2, options={"size": 2})
    assert env.observation_space("agent_0").shape == (2,)
    env.restore(snapshot)
    assert env.observation_space("agent_0").shape == (4,)
    assert play_on(env, seed=1) == rest


@pytest.mark.parametrize("launch", ["fork", "spawn"])
@pytest.mark.parametrize("interface", INTERFACES)
def test_a_branch_is_independent(interface: str, launch: str, link: str) -> None:
    arguments = {"launch": launch, **over(link), "transport": "udp", "delay": "50ms"}
    env = make(CART_POLE, interface, **arguments)
    env.reset(seed=1)
    play_on(env, seed=1, turns=5)
    other = env.branch()
    assert play_on(other, seed=2, turns=3) == play_on(env, seed=2, turns=3)
    assert play_on(other, seed=3) != play_on(env, seed=4)
    env.reset()
    other.reset()  # the next run of the same sequence
    assert play_on(env, seed=5, turns=4) == play_on(other, seed=5, turns=4)
    env.close()
    third = other.branch()
    snapshot = third.snapshot()
    reported = play_on(third, seed=6)
    assert play_on(other, seed=6) == reported
    other.close()
    third.restore(snapshot)
    assert play_on(third, seed=6) == reported
    third.close()


def test_a_branch_shares_no_spaces_with_its_original(make_aec: Make) -> None:
    """Samples of one environment's space do not disturb those of the other."""
    env = make_aec(duration="1s")
    env.reset()
    env.action_space("agent_0").seed(1)
    other = env.branch()
    drawn = [env.action_space("agent_0").sample() for _ in range(20)]
    assert [other.action_space("agent_0").sample() for _ in range(20)] == drawn
    assert other.action_space("agent_0") is not env.action_space("agent_0")
    other.close()


def test_snapshots_work_over_an_encrypted_connection(make_aec: Make) -> None:
    env = make_aec(duration="1s", endpoint="tcp://127.0.0.1:*", curve=CurveKeys.generate())
    env.reset(seed=1)
    snapshot = env.snapshot()
    other = env.branch()
    reported = play_on(env, seed=1, turns=3)
    env.restore(snapshot)
    assert play_on(env, seed=1, turns=3) == reported == play_on(other, seed=1, turns=3)
    other.close()


def test_snapshots_work_through_pettingzoos_wrappers() -> None:
    """The wrappers hold no state that prevents a restore, also after the end of the episode."""
    env: Any = CART_POLE.env(duration="100ms", link="local")
    env.reset(seed=1)
    env.step(0)
    snapshot = env.snapshot()
    turns = []
    for _ in range(2):
        turns.append([])
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            turns[-1].append((agent, exact(observation), reward))
            env.step(None if terminated or truncated else 1)
        assert not env.agents
        env.restore(snapshot)
    assert turns[0] == turns[1]
    other = env.branch()
    assert type(other) is type(env.unwrapped)
    other.close()
    env.close()


def test_snapshots_work_through_gymnasiums_wrappers() -> None:
    env = gymnasium.make("defiance_zoo/CartPole-v0", link="local", disable_env_checker=True)
    env.reset(seed=1)
    snapshot = env.get_wrapper_attr("snapshot")()
    observation = env.step(1)[0]
    env.get_wrapper_attr("restore")(snapshot)
    assert np.array_equal(env.step(1)[0], observation)
    env.close()


@pytest.mark.parametrize("interface", INTERFACES)
def test_snapshot_raises_without_a_running_episode(interface: str) -> None:
    env = make(TRIAL_SPEC, interface, duration="20ms")
    for attempt in (env.snapshot, env.branch):
        with pytest.raises(errors.ResetNeeded):
            attempt()
    env.reset()
    play_on(env, seed=1)
    for attempt in (env.snapshot, env.branch):
        with pytest.raises(errors.ResetNeeded):
            attempt()
    env.reset()
    snapshot = env.snapshot()
    env.close()
    for attempt in (env.snapshot, env.branch, lambda: env.restore(snapshot)):
        with pytest.raises(errors.ClosedEnvironment):
            attempt()
