# SPDX-License-Identifier: GPL-2.0-only
"""Baselines of tcp_congestion in every mode, and shipped traces."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import defiance_zoo
from defiance_zoo.environments import PolicyMaker
from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0, tcp_congestion_v1, traces
from defiance_zoo.envs.tcp_congestion.flow_state import read_flow
from defiance_zoo.envs.tcp_congestion.traces import generate
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy, play

MODES: dict[str, dict[str, Any]] = {
    "window": {},
    "rate": {"control": "rate"},
    "continuous": {"action_space": "continuous", "observation": "relative"},
    "per_ack": {"control": "per_ack"},
    "central": {"flows": 2, "placement": "central"},
    "queue": {"flows": 2, "queue_agent": True, "action_space": "continuous"},
}


def returns(policy: str | int, **arguments: Any) -> dict[str, float]:
    """Play an episode with a baseline or with seeded random actions; return each agent's return."""
    env = tcp_congestion_v0.parallel_env(link="local", **arguments)
    observations, _ = env.reset(seed=3)
    if isinstance(policy, int):
        for agent in env.possible_agents:
            env.action_space(agent).seed(policy)
    policies: dict[str, Any] = {}
    earned: dict[str, float] = {}
    while env.agents:
        actions = {}
        for agent in env.agents:
            space = env.action_space(agent)
            if isinstance(policy, int):
                actions[agent] = space.sample()
                continue
            if agent not in policies:
                policies[agent] = tcp_congestion_v0.SPEC.baselines[policy](space)
            actions[agent] = policies[agent](observations[agent])
            assert space.contains(actions[agent])
        observations, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            earned[agent] = earned.get(agent, 0.0) + reward
    env.close()
    return earned


@pytest.mark.parametrize(
    "mode",
    [pytest.param(mode, marks=pytest.mark.long) if mode == "per_ack" else mode for mode in MODES],
)
def test_baselines_beat_random_play_in_every_mode(mode: str) -> None:
    given = {"duration": "2s", "bottleneck_rate": "5Mbps", **MODES[mode]}
    chance = np.mean([sum(returns(seed, **given).values()) for seed in range(5)])
    for name in ("delay", "bdp_window", "bdp_window_plus_2"):
        assert sum(returns(name, **given).values()) > chance, name


@pytest.mark.parametrize(("name", "least"), [("delay", 150), ("bdp_window", 150), ("aimd", 110)])
def test_baselines_earn_their_documented_returns(name: str, least: float) -> None:
    """The maximum is 1 in each of 200 intervals."""
    assert least < returns(name)["agent_0"] < 200


def test_two_segments_wait_in_the_queue_of_bdp_window_plus_2() -> None:
    env = tcp_congestion_v0.parallel_env(
        link="local", duration="5s", observation="absolute", action_space="continuous"
    )
    observations, _ = env.reset(seed=1)
    act = tcp_congestion_v0.SPEC.baselines["bdp_window_plus_2"](env.action_space("agent_0"))
    while env.agents:
        flow = read_flow(observations["agent_0"])
        observations, *_ = env.step({"agent_0": act(observations["agent_0"])})
    env.close()
    assert 1.5 < flow.queued < 4.5


def earned_by(policy: str, **arguments: Any) -> float:
    """Return the return of a policy with observations and actions of version 1, for two seconds."""
    given = {"link": "local", "duration": "2s", "bottleneck_rate": "3Mbps", **arguments}
    with contextlib.closing(tcp_congestion_v1.env(**given)) as env:
        made = NamedPolicy(policy).make(tcp_congestion_v1.SPEC, env, 0)
        (played,) = play(env, made, episodes=1, seed=3)
    return sum(played.returns.values())


@pytest.mark.parametrize("given", [{}, {"flows": 2}, {"flows": 2, "placement": "central"}])
def test_the_best_window_earns_more_than_rules_that_must_find_it(given: dict[str, Any]) -> None:
    """Also if several flows keep the window, alone or for one agent."""
    best = earned_by("best_window", **given)
    assert best > earned_by("bdp_window_plus_2", observation="absolute", **given)
    assert best > earned_by("delay", observation="absolute", **given)


@pytest.mark.parametrize("given", [{"observation": "relative"}, MODES["per_ack"]])
def test_the_best_window_needs_a_window_in_segments(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="best_window needs observation"):
        earned_by("best_window", **{"observation": "absolute", "action_space": "discrete"} | given)


def test_a_baseline_keeps_the_queue_empty_if_delay_has_a_price() -> None:
    """A window of one bandwidth-delay product fills the link without a queue."""
    env = tcp_congestion_v0.parallel_env(link="local", duration="5s")
    observations, _ = env.reset(seed=1)
    act = tcp_congestion_v0.SPEC.baselines["bdp_window"](env.action_space("agent_0"))
    while env.agents:
        seen = observations["agent_0"]
        observations, *_ = env.step({"agent_0": act(seen)})
    env.close()
    rtt, smallest, throughput = seen[7:10]
    assert rtt < 1.1 * smallest
    assert throughput > 8.5


def test_baselines_play_bottleneck_agents_with_probability_zero() -> None:
    for name, baseline in tcp_congestion_v0.SPEC.baselines.items():
        if isinstance(baseline, PolicyMaker):
            continue
        act = baseline(spaces.Box(0, 1, (1,), np.float32))
        assert act(np.zeros(6, np.float32)) == [0.0], name
        assert baseline(spaces.Discrete(7))(np.zeros(6, np.float32)) == 0, name


def test_shipped_traces_equal_the_generated_ones(tmp_path: Path) -> None:
    generate.main(tmp_path)
    assert sorted(path.stem for path in tmp_path.iterdir()) == traces.names()
    for name in traces.names():
        assert Path(traces.path(name)).read_text() == (tmp_path / f"{name}.trace").read_text()


@pytest.mark.parametrize("name", traces.names())
def test_an_episode_plays_over_each_shipped_trace(name: str) -> None:
    env = tcp_congestion_v0.parallel_env(
        link="local", duration="2s", algorithm="cubic", capacity_trace=traces.path(name)
    )
    env.reset(seed=1)
    received = 0
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, 2))
        received = infos.get("agent_0", {}).get("received_bytes", received)
    env.close()
    assert received > 100_000


def test_an_unknown_trace_is_refused() -> None:
    with pytest.raises(defiance_zoo.errors.ParameterError, match="no trace 'none'; the traces are"):
        traces.path("none")
