# SPDX-License-Identifier: GPL-2.0-only
"""The design's complex deployment: counts and times of messages, computed by hand.

Seven nodes and nine channels of every kind (`scenarios/deployment.cc`). Each link has 1 Mbit/s;
delays are given with the channels below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS
from pettingzoo.test import api_test, parallel_api_test

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv

DEPLOYMENT = Scenario("deployment", PROGRAMS / "deployment")

MS = 1_000_000
NS_PER_BYTE = 8_000
TICKS = range(1, 11)
"""Observations and rewards are sent at 100, 200, ..., 1000 ms."""

UDP, UDP_IPV4, PPP = 8, 8 + 20, 2
TCP_TIMESTAMPS, FRAME = 12, 4
TCP_IPV4 = 20 + TCP_TIMESTAMPS + 20
TCP_IPV6 = 20 + TCP_TIMESTAMPS + 40
TCP_SEND_NS = 1
"""ns-3's TCP sends an application's data one nanosecond later."""


def message_bytes(*, numbers: int = 0, choices: int = 0) -> int:
    """Return the size of a message of one-element int32 boxes and of choices below 128.

    The keys of the scenario (`value`; `told`, `done`; `default`) have 5, 4 and 7 characters.
    """
    message = pb.DataContainer()
    keys = {(1, 0): ["value"], (0, 1): ["default"], (1, 1): ["told", "done"]}[numbers, choices]
    for key in keys[:numbers]:
        message.dict.entries.add(key=key).value.box.CopyFrom(
            pb.Tensor(dtype=pb.DTYPE_INT32, shape=[1], data=bytes(4))
        )
    for key in keys[numbers:]:
        message.dict.entries.add(key=key).value.discrete = 1
    return len(message.SerializeToString())


NUMBER = message_bytes(numbers=1)
CHOICE = message_bytes(choices=1)
BOTH = message_bytes(numbers=1, choices=1)


def on_the_wire_ns(payload: int, headers: int) -> int:
    """Return the time that a link takes to put a packet on the wire."""
    return (payload + headers + PPP) * NS_PER_BYTE


OBSERVATION = 2 * MS + on_the_wire_ns(NUMBER, UDP_IPV4)
"""observation_0 to agent_0."""
FAR_OBSERVATION = 10 * MS + TCP_SEND_NS + on_the_wire_ns(FRAME + NUMBER, TCP_IPV6)
"""observation_0 to agent_1."""
REWARD = 1 * MS + on_the_wire_ns(NUMBER, UDP_IPV4)
"""reward_1 to agent_0."""
ACTION_2 = 1 * MS + on_the_wire_ns(CHOICE, UDP_IPV4)
"""agent_0 to action_2."""
TOLD = ACTION_2 + on_the_wire_ns(BOTH, UDP_IPV4)
"""agent_0 to agent_1: on the same link, after the action."""


@dataclass(frozen=True)
class Turn:
    """The data that an agent receives when it decides, or at its end."""

    agent: str
    time_ns: int
    observation: Any
    reward: float
    infos: dict[str, Any]


def play(env: SimulationAECEnv) -> tuple[list[Turn], dict[str, Turn]]:
    """Play an episode with a policy for each agent; return its turns and its ends."""
    turns, ends = [], {}
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, infos = env.last()
        turn = Turn(agent, infos["sim_time_ns"], observation, reward, infos)
        if terminated or truncated:
            ends[agent] = turn
            env.step(None)
        else:
            turns.append(turn)
            env.step(lead(observation) if agent == "agent_0" else follow(observation))
    return turns, ends


def lead(observation: Any) -> int:
    """Return the action of agent_0."""
    return int(observation[0]) % 8


def follow(observation: Any) -> Any:
    """Return the action of agent_1."""
    return np.array([observation["done"] / 8, observation["seen"][0] / 1000], np.float32)


def of(turns: list[Turn], agent: str) -> list[Turn]:
    return [turn for turn in turns if turn.agent == agent]


def times(turns: list[Turn], agent: str) -> list[int]:
    return [turn.time_ns for turn in of(turns, agent)]


Make = Callable[..., SimulationAECEnv]


def test_two_agents_decide_when_messages_arrive(make_aec: Make) -> None:
    turns, _ = play(make_aec(DEPLOYMENT))
    assert times(turns, "agent_0") == [100 * MS * k + OBSERVATION for k in TICKS]
    assert times(turns, "agent_1") == [100 * MS * k + OBSERVATION + TOLD for k in TICKS]
    assert [turn.agent for turn in turns] == ["agent_0", "agent_1"] * 10


def test_each_agent_observes_the_messages_sent_to_it(make_aec: Make) -> None:
    turns, ends = play(make_aec(DEPLOYMENT))
    assert [int(turn.observation[0]) for turn in of(turns, "agent_0")] == list(TICKS)
    # The slow observation of a tick arrives after the leader's message about it.
    assert OBSERVATION + TOLD < FAR_OBSERVATION
    for k, turn in zip(TICKS, of(turns, "agent_1"), strict=True):
        assert turn.observation == {"done": k % 8, "seen": [k - 1], "told": [k]}
    # The rewards: each tick's number before its observation, and 1000 times the last action.
    assert REWARD < OBSERVATION
    expected = [k + 1000 * ((k - 1) % 8) for k in TICKS]
    reported = of(turns, "agent_0")
    assert [turn.reward + turn.infos.get("initial_reward", 0) for turn in reported] == expected
    assert ends["agent_0"].reward == 1000 * (10 % 8)
    assert [turn.reward for turn in of(turns, "agent_1")] == [0] * 10


FLOWS = {
    "observation_0/agent_0/observation": (NUMBER, OBSERVATION),
    "observation_0/agent_1/observation": (FRAME + NUMBER, FAR_OBSERVATION),
    "reward_0/agent_0/reward": (NUMBER, 5 * MS),
    "reward_1/agent_0/reward": (NUMBER, REWARD),
    "agent_0/action_0/action": (CHOICE, 4 * MS + on_the_wire_ns(CHOICE, UDP_IPV4)),
    "agent_0/action_1/action": (
        FRAME + CHOICE,
        2 * MS + TCP_SEND_NS + on_the_wire_ns(FRAME + CHOICE, TCP_IPV4),
    ),
    "agent_0/action_2/action": (CHOICE, ACTION_2),
    "agent_0/agent_1/message": (BOTH, TOLD),
    "agent_1/action_2/action": (None, 0),
}


def flow_infos(infos: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return the quantities of each flow in an agent's infos."""
    flows: dict[str, dict[str, float]] = {}
    for key, value in infos.items():
        if key.startswith("communication/"):
            flow, _, quantity = key.removeprefix("communication/").rpartition("/")
            flows.setdefault(flow, {})[quantity] = value
    return flows


def test_infos_contain_counts_bytes_and_latencies(make_aec: Make) -> None:
    _, ends = play(make_aec(DEPLOYMENT, communication_infos=True))
    reported = flow_infos(ends["agent_0"].infos) | flow_infos(ends["agent_1"].infos)
    assert reported.keys() == FLOWS.keys()
    for flow, (size, latency_ns) in FLOWS.items():
        quantities = reported[flow]
        assert quantities["tx_messages"] == quantities["rx_messages"] == 10, flow
        assert quantities["dropped_messages"] == 0, flow
        assert quantities["tx_bytes"] == quantities["rx_bytes"], flow
        if size is not None:
            assert quantities["tx_bytes"] == 10 * size, flow
        assert round(quantities["mean_latency"] * 1e9) == latency_ns, flow
        assert round(quantities["max_latency"] * 1e9) == latency_ns, flow


def test_infos_contain_communication_on_request_only(make_aec: Make) -> None:
    turns, ends = play(make_aec(DEPLOYMENT))
    assert all(not flow_infos(turn.infos) for turn in [*turns, *ends.values()])
    counted, _ = play(make_aec(DEPLOYMENT, communication_infos=True))
    assert times(counted, "agent_1") == times(turns, "agent_1")
    # When the first observation arrives, it is the only received message.
    assert {
        flow: quantities["rx_messages"] for flow, quantities in flow_infos(counted[0].infos).items()
    } == {"observation_0/agent_0/observation": 1, "reward_1/agent_0/reward": 1}


def test_a_channel_can_be_added_between_steps(make_aec: Make) -> None:
    turns, _ = play(make_aec(DEPLOYMENT, change="add"))
    expected = []
    for k in TICKS:
        expected.append(100 * MS * k + OBSERVATION)
        if k > 5:
            expected.append(100 * MS * k + 20 * MS)
    assert times(turns, "agent_0") == expected
    assert times(turns, "agent_1") == [time + TOLD for time in expected]


def test_a_channel_can_be_deleted_between_steps(make_aec: Make) -> None:
    env = make_aec(DEPLOYMENT, change="delete", communication_infos=True)
    turns, ends = play(env)
    assert times(turns, "agent_0") == [100 * MS * k + OBSERVATION for k in range(1, 6)]
    flows = flow_infos(ends["agent_0"].infos)
    assert flows["observation_0/agent_0/observation"]["tx_messages"] == 5
    assert flows["reward_1/agent_0/reward"]["rx_messages"] == 10
    assert ends["agent_1"].infos["sim_time_ns"] == 1050 * MS


def test_an_agent_can_move_between_steps(make_aec: Make) -> None:
    """From 550 ms on, agent_0 is on the observing node: 10 ms from the other agent."""
    env = make_aec(DEPLOYMENT, change="move", communication_infos=True)
    turns, ends = play(env)
    before, after = range(1, 6), range(6, 11)
    assert times(turns, "agent_0") == [
        *(100 * MS * k + OBSERVATION for k in before),
        *(100 * MS * k for k in after),
    ]
    far_told = 9 * MS + TOLD
    assert times(turns, "agent_1") == [
        *(100 * MS * k + OBSERVATION + TOLD for k in before),
        *(100 * MS * k + far_told for k in after),
    ]
    # Rewards now come over two links, and after the observation of their tick.
    assert [turn.reward for turn in of(turns, "agent_0")] == [
        0,  # the reward before the first decision is an info
        *(k + 1000 * ((k - 1) % 8) for k in range(2, 6)),
        1000 * 5,
        *(k - 1 + 1000 * ((k - 1) % 8) for k in range(7, 11)),
    ]
    flows = flow_infos(ends["agent_0"].infos)
    two_hops = (2 + 4) * MS + 2 * on_the_wire_ns(CHOICE, UDP_IPV4)
    assert round(flows["agent_0/action_0/action"]["max_latency"] * 1e9) == two_hops
    assert all(flow["rx_messages"] == 10 for flow in flows.values())


def test_agents_wait_for_their_shared_worker(make_aec: Make) -> None:
    """From 550 ms on, a second observation arrives while the follower's decision is in service."""
    service = 15 * MS
    turns, _ = play(make_aec(DEPLOYMENT, change="add", service_time="15ms"))
    leads, follows = [], []
    for k in TICKS:
        leads.append(100 * MS * k + OBSERVATION)
        follows.append(leads[-1] + service + TOLD)
        if k > 5:
            assert leads[-1] + service < 100 * MS * k + 20 * MS < follows[-1] + service
            leads.append(follows[-1] + service)
            follows.append(leads[-1] + service + TOLD)
    assert times(turns, "agent_0") == leads
    assert times(turns, "agent_1") == follows[:-1]  # the last one would be after the end
    assert follows[-1] > 1050 * MS
    second = of(turns, "agent_0")[6]
    waited = leads[6] - (600 + 20) * MS
    assert round(second.infos["inference/waiting_time"] * 1e9) == waited
    assert second.infos["inference/busy_workers"] == 1
    assert second.infos["inference/dropped"] == 0
    # Until then the worker served twelve decisions: six of each agent.
    share = 12 * service / (leads[6] - leads[0])
    assert second.infos["inference/utilisation"] == pytest.approx(share, abs=1e-9)


def test_rewards_before_the_first_decision_are_infos(make_parallel: Any) -> None:
    """reward_1 sends 1 before the leader's first decision, and nothing to the follower."""
    observations, infos = make_parallel(DEPLOYMENT).reset(seed=1)
    assert infos["agent_0"]["initial_reward"] == 1
    assert "initial_reward" not in infos["agent_1"]
    assert observations.keys() == infos.keys()


# PettingZoo warns of the different agents of this deployment: one observes a single number and
# chooses, the other one observes a dict and answers with a box.
@pytest.mark.filterwarnings("ignore:Observation is a single number")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:The class of (observation|action) spaces is different")
@pytest.mark.filterwarnings("ignore:Agents have different (observation|action) space sizes")
@pytest.mark.parametrize("change", ["none", "move"])
def test_pettingzoos_checkers_accept_the_deployment(change: str) -> None:
    spec = EnvironmentSpec("deployment_v0", DEPLOYMENT)
    env = spec.env(change=change)
    api_test(env, num_cycles=60)
    env.close()
    parallel = spec.parallel_env(change=change)
    parallel_api_test(parallel, num_cycles=60)
    parallel.close()


@pytest.mark.parametrize("change", ["none", "add", "delete", "move"])
def test_the_deployment_is_reproducible(make_aec: Make, change: str) -> None:
    env = make_aec(DEPLOYMENT, change=change, communication_infos=True)
    first, second = play(env), play(env)
    assert repr(first) == repr(second)
