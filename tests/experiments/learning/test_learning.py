# SPDX-License-Identifier: GPL-2.0-only
"""Agents act with weights that reached their node; servers learn from experience that did.

`scenarios/learning.cc`: links of 1 Mbit/s and 5 ms, UDP; agents decide at 10, 20, ... ms, and their
reward is their last action.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from policies import LEARNING, MS, act, policy

from defiance_zoo import errors
from defiance_zoo.experiments.learning import (
    Delta,
    ExperienceCollection,
    Full,
    Half,
    PolicyDelivery,
)

Make = Callable[..., Any]
OLD, NEW = policy(1), policy(2)
HEADER = len(Full().encode({"action": np.zeros(0, np.float32)})) + 3
"""Size of the header of arrays of 1,000 numbers, whose shape has four digits."""


@pytest.fixture
def link() -> str:
    """A fixed kind of link: these tests do not depend on it."""
    return "local"


@pytest.fixture
def learning(make_parallel: Make) -> Make:
    """Return a function that makes environments, closed after the test."""
    return functools.partial(make_parallel, LEARNING)


def delivery_of(env: Any, **arguments: Any) -> PolicyDelivery:
    env.reset(seed=1)
    return PolicyDelivery(env, OLD, ["agent_0", "agent_1"], **arguments)


def step(env: Any, delivery: PolicyDelivery) -> dict[str, float]:
    """Let every agent act with its own policy; return the reward of each last action."""
    actions = {agent: act(delivery.weights_of(agent)) for agent in env.agents}
    rewards: dict[str, float] = env.step(actions)[1]
    return rewards


def test_an_agent_acts_with_the_old_policy_until_the_new_one_arrives(learning: Make) -> None:
    """4,000 bytes and a header in 3 datagrams, published at 10 ms, arrive between 40 and 50 ms."""
    env = learning()
    delivery = delivery_of(env)
    assert delivery.publish(NEW, agents=["agent_0"]) == 1
    rewards = {}
    while env.sim_time_ns < 100 * MS:
        time_ms = env.sim_time_ns // MS
        rewards[time_ms] = step(env, delivery)  # the reward of the decision at this time
    (update,) = env.transfers.values()
    assert update.size_bytes == 4000 + HEADER
    assert update.finished_ns == 10 * MS + (4000 + HEADER + 3 * 30) * 8000 + 5 * MS
    assert 40 * MS < update.finished_ns < 50 * MS
    assert [rewards[t]["agent_0"] for t in range(10, 100, 10)] == [1] * 4 + [2] * 5
    assert [rewards[t]["agent_1"] for t in range(10, 100, 10)] == [1] * 9


def test_infos_report_version_age_and_staleness(learning: Make) -> None:
    env = learning()
    delivery = delivery_of(env)
    env.reset(seed=1)
    assert delivery.infos_of("agent_0")["policy/version"] == 0
    reported = {}
    while env.sim_time_ns < 70 * MS:
        if env.sim_time_ns == 20 * MS:
            delivery.publish(NEW, agents=["agent_0"])
        env.step(dict.fromkeys(env.agents, 0))
        infos = {agent: delivery.infos_of(agent) for agent in env.agents}
        reported[env.sim_time_ns // MS] = {
            agent: tuple(infos[agent][f"policy/{name}"] for name in ("version", "age", "staleness"))
            for agent in infos
        }
    assert reported[20] == {"agent_0": (0, 0.02, 0.0), "agent_1": (0, 0.02, 0.0)}
    assert reported[50] == {"agent_0": (0, 0.05, 0.03), "agent_1": (0, 0.05, 0.03)}
    assert reported[60] == {"agent_0": (1, 0.04, 0.0), "agent_1": (0, 0.06, 0.04)}
    assert reported[70] == {"agent_0": (1, 0.05, 0.0), "agent_1": (0, 0.07, 0.05)}


def test_an_older_version_that_arrives_later_is_ignored(learning: Make) -> None:
    """Version 1 comes over server_0's long path, version 2 is small and comes from server_1."""
    env = learning(servers=2)
    arrived = []
    delivery = delivery_of(
        env, on_arrival=lambda agent, weights: arrived.append((agent, act(weights)))
    )
    delivery.publish(policy(7, 2000), "server_0", ["agent_0"])
    delivery.publish(policy(8, 10), "server_1", ["agent_0"])
    while env.agents:
        step(env, delivery)
    assert all(transfer.delivered for transfer in env.transfers.values())
    first, second = env.transfers.values()
    assert second.finished_ns < first.finished_ns
    assert (delivery.version_of("agent_0"), delivery.version_of("agent_1")) == (2, 0)
    assert arrived == [("agent_0", 8)]


def test_agents_can_share_policies(learning: Make) -> None:
    env = learning(agents=3, servers=0)
    env.reset(seed=1)
    delivery = PolicyDelivery(env, OLD, ["agent_0", "agent_1", "agent_2"])
    delivery.publish(NEW, server="agent_1")
    assert delivery.version_of("agent_1") == 1
    assert delivery.version_of("agent_0") == 0
    while env.agents:
        step(env, delivery)
    assert [delivery.version_of(agent) for agent in delivery.agents] == [1, 1, 1]


def test_an_agent_uses_the_decoded_weights(learning: Make) -> None:
    env = learning()
    delivery = delivery_of(env, encoding=Half())
    delivery.publish(policy(1 / 3))
    while env.agents:
        step(env, delivery)
    delivery.weights_of("agent_0")["action"][:] = 99  # as training in place does
    used = delivery.weights_of("agent_0")["action"][0]
    assert used == np.float32(np.float16(1 / 3)) != np.float32(1 / 3)


def test_deltas_are_relative_to_each_agents_version(learning: Make) -> None:
    """Little of a long array changes: the update is small, and so is its latency."""
    rng = np.random.default_rng(1)
    base = {"action": rng.normal(size=3000).astype(np.float32)}
    env = learning(duration="1s")
    env.reset(seed=1)
    delivery = PolicyDelivery(env, base, ["agent_0", "agent_1"], encoding=Delta())
    weights = base
    for version, agents in enumerate([["agent_0"], ["agent_0", "agent_1"]], start=1):
        weights = {"action": weights["action"].copy()}
        weights["action"][version] += 1
        delivery.publish(weights, agents=agents)
        for _ in range(20):
            env.step(dict.fromkeys(env.agents, 0))
    assert all(transfer.size_bytes < 300 for transfer in env.transfers.values())
    for agent in ("agent_0", "agent_1"):
        assert delivery.version_of(agent) == 2
        assert np.allclose(delivery.weights_of(agent)["action"], weights["action"], atol=1e-3)


def test_versions_outlast_episodes_but_updates_in_flight_do_not(learning: Make) -> None:
    env = learning(duration="100ms")
    delivery = delivery_of(env)
    delivery.publish(NEW, agents=["agent_0"])
    while env.agents:
        step(env, delivery)
    env.reset()
    assert delivery.version_of("agent_0") == 1
    assert delivery.infos_of("agent_1")["policy/staleness"] == 0.01
    delivery.publish(policy(3, 50_000))
    while env.agents:
        step(env, delivery)
    assert {transfer.outcome for transfer in env.transfers.values()} == {"unfinished"}
    env.reset()
    while env.agents:
        step(env, delivery)
    assert delivery.version_of("agent_0") == 1
    delivery.install()
    assert delivery.version_of("agent_1") == 1
    assert act(delivery.weights_of("agent_1")) == 2


def test_agents_and_weights_that_do_not_fit_are_refused(learning: Make) -> None:
    delivery = delivery_of(learning())
    for call in (
        lambda: delivery.version_of("agent_7"),
        lambda: delivery.publish(NEW, agents=["agent_7"]),
        lambda: delivery.install(["agent_7"]),
        lambda: delivery.publish({"action": "text"}),
    ):
        with pytest.raises(errors.ParameterError):
            call()
    assert delivery.version == 0


def test_snapshots_include_the_delivery(learning: Make) -> None:
    env = learning()
    arrived: list[int] = []
    delivery = delivery_of(env, on_arrival=lambda agent, weights: arrived.append(act(weights)))
    delivery.publish(NEW, agents=["agent_0"])
    step(env, delivery)
    with env.snapshot() as snapshot:
        state = delivery.state()
        other_env = env.branch()
        other = delivery.branch(other_env)
        runs = []
        for each_env, each in ((env, delivery), (other_env, other)):
            runs.append([step(each_env, each)["agent_0"] for _ in range(8)])
        assert delivery.version_of("agent_0") == 1
        env.restore(snapshot)
        delivery.recall(state)
        assert delivery.version_of("agent_0") == 0
        assert arrived == [2, 1]
        runs.append([step(env, delivery)["agent_0"] for _ in range(8)])
        assert runs == [[1, 1, 1, 2, 2, 2, 2, 2]] * 3
        assert arrived == [2, 1, 2]
        other_env.close()


def test_experience_is_available_after_its_arrival(learning: Make) -> None:
    env = learning()
    env.reset(seed=1)
    collection = ExperienceCollection(env)
    batch = {"observations": np.ones((20, 4), np.float32), "rewards": np.arange(20.0)}
    for agent in ("agent_0", "agent_1"):
        sent = collection.send(agent, "server_0", batch)
        assert sent.size_bytes == len(Full().encode(batch))
    assert collection.received("server_0") == []
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
    assert collection.received("server_1") == []
    received = collection.received("server_0")
    assert [each.agent for each in received] == ["agent_0", "agent_1"]
    for each in received:
        assert each.transfer.kind == "experience"
        assert np.array_equal(each.batch["rewards"], batch["rewards"])
    assert collection.received("server_0") == []
