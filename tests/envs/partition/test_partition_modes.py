# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0 in its other modes: roles, networks, delivery by the network."""

from __future__ import annotations

import itertools
import json
from typing import Any, ClassVar

import pytest
from conformance import Conformance
from partition_support import CHECKERS_WARN, follow, partition, request

from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.states import Role, read_replicas
from defiance_zoo.errors import NotSingleAgent
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Arguments = dict[str, Any]

pytestmark = [
    *CHECKERS_WARN,
    # Roles have different actions, and so different masks.
    pytest.mark.filterwarnings("ignore:Agents have different"),
]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"roles": True}, id="roles"),
        pytest.param({"with_delays": True}, id="delays"),
        pytest.param(
            {"topology": "csma", "delivery": "network", "link_loss": 0.05, "link_jitter": "3ms",
             "link_duplication": 0.1},
            id="csma-network",
        ),
        pytest.param({"topology": "wifi", "delivery": "network"}, id="wifi-network"),
    ],
)  # fmt: skip
class TestEachMode(Conformance):
    """The checkers, most of which ignore masks."""

    spec = partition_v0.SPEC
    short: ClassVar[Arguments] = {"horizon": 12, "illegal_actions": "keep"}


# ---------------------------------------------------------------------- roles


def test_roles_act_one_after_the_other_and_observe_earlier_actions() -> None:
    env = partition_v0.raw_env(roles=True, painter="id", horizon=3)
    env.reset(seed=1)
    told = []
    while env.agents:
        agent = env.agent_selection
        observation, _, terminated, truncated, info = env.last()
        told.append((agent, info["role"], info["virtual_time"], list(info["partition"])))
        if terminated or truncated:
            env.step(None)
            continue
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert observation["action_mask"][0] == 1
        if info["role"] == "crasher" and info["remaining_crashes"] == 3:
            env.step(1)
        elif info["role"] == "partitioner":
            stopped = list(info["partition"]).count(-1)
            assert observation["action_mask"][1:].sum() == 2  # two run, each with its colour
            assert stopped == 1
            assert not read_replicas(info)[list(info["partition"]).index(-1)].active
            env.step(3)
        else:
            env.step(0)
    turns = [(f"agent_{i}", role) for i, role in enumerate(("client", "crasher", "partitioner"))]
    assert [each[:2] for each in told] == turns * 4
    times = [round(each[2], 3) for each in told]
    assert times == [0.01] * 3 + [0.04] * 3 + [0.07] * 3 + [0.1] * 3
    env.close()


def test_roles_have_their_own_spaces_and_one_reward() -> None:
    env = partition_v0.parallel_env(roles=True, num_replicas=4)
    sizes = [int(env.action_space(agent).n) for agent in env.possible_agents]
    assert sizes == [2, 9, 16]
    env.reset(seed=1)
    deciding = []
    for _ in range(6):
        *_, infos = env.step(dict.fromkeys(env.agents, 0))
        deciding.append([infos[agent].get("deciding", True) for agent in env.agents])
    assert deciding == [[False, True, False], [False, False, True], [True, False, False]] * 2
    env.close()
    with pytest.raises(NotSingleAgent, match="agent_0', 'agent_1', 'agent_2"):
        GymnasiumEnv(partition_v0.SPEC, roles=True)


def test_requests_are_committed_with_roles() -> None:
    env = partition_v0.raw_env(roles=True, horizon=25)
    env.reset(seed=1)
    for _agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        mine = info["role"] == "client"
        env.step(None if terminated or truncated else int(mine and info["action_mask"][1]))
    assert {state.commit for state in read_replicas(info)} == {6}
    env.close()


# ---------------------------------------------------------------------- networks


@pytest.mark.parametrize("delivery", ["pool", "network"])
@pytest.mark.parametrize("topology", ["star", "csma", "wifi"])
def test_requests_are_committed_on_each_network(topology: str, delivery: str) -> None:
    env = partition_v0.raw_env(topology=topology, delivery=delivery, horizon=40)
    for seed in range(5):
        *_, (info, _) = follow(env, request, seed)
        assert {state.commit for state in read_replicas(info)} == {6}
        assert info["dropped"] == 0
    env.close()


def test_the_network_delivers_within_a_tick_and_across_ticks() -> None:
    """A request and its answer take two link delays; later messages arrive in the next tick."""

    def ticks_to_commit(**arguments: Any) -> int:
        env = partition_v0.raw_env(
            ticks_between_partition=1, horizon=100, num_requests=1, **arguments
        )
        told = [(read_replicas(info), action) for info, action in follow(env, request)]
        env.close()
        begun = next(tick for tick, (_, action) in enumerate(told) if action)
        commits = [
            max(each.commit for each in states if each.state == Role.LEADER)
            for states, _ in told[begun:]
        ]
        return commits.index(2)

    assert ticks_to_commit(delivery="network") == 1
    assert ticks_to_commit(delivery="pool") == 3
    assert ticks_to_commit(delivery="network", link_delay="12ms") == 5  # 48 ms


@pytest.mark.parametrize("topology", ["star", "csma", "wifi"])
def test_partitions_cut_links(topology: str) -> None:
    """Nothing crosses a partition, and a minority elects no leader; after healing there is one."""
    env = partition_v0.raw_env(
        delivery="network", topology=topology, painter="id", horizon=60, num_replicas=3
    )
    apart, together = {1, 2, 3}, 1
    steps = itertools.count()

    def choose(info: dict[str, Any]) -> int:
        step = next(steps)
        if step == 0:
            return partition(info, *({replica} for replica in apart))
        return together if step == 30 else 0

    told = [info for info, _ in follow(env, choose)]
    cut, healed = told[1:31], told[31:]
    assert sum(info["delivered"] for info in cut) == 0
    assert sum(info["dropped"] for info in cut) > 6
    assert not any(each.state == Role.LEADER for info in cut for each in read_replicas(info))
    assert sum(info["dropped"] for info in healed) == 0
    assert [each.state for each in read_replicas(told[-1])].count(Role.LEADER) == 1
    env.close()


def test_messages_in_flight_are_lost_with_the_link() -> None:
    """Vote requests take 50 ms; the partition that follows immediately loses them."""
    env = partition_v0.raw_env(
        delivery="network", link_delay="25ms", ticks_between_partition=1, horizon=60,
        painter="id", message_events=True,
    )  # fmt: skip
    once = iter([True])

    def choose(info: dict[str, Any]) -> int:
        if "sent" in info["message_events"] and next(once, False):
            return partition(info, {1}, {2}, {3})
        return 0

    events: list[tuple[str, int, int]] = []
    for info, _ in follow(env, choose):
        told = json.loads(info["message_events"])
        events += [(each["event"], each["from"], each["number"]) for each in told]
    env.close()
    assert events[0][0] == "sent"
    assert ("dropped", *events[0][1:]) in events
    assert not any(event == "delivered" for event, *_ in events)


def test_messages_are_reordered_and_duplicated() -> None:
    env = partition_v0.raw_env(
        link_jitter="4ms", link_duplication=0.3, horizon=400, message_events=True, num_requests=99
    )
    arrived: dict[tuple[int, int], list[int]] = {}
    for info, _ in follow(env, request):
        assert info["violations"] == ""
        for each in json.loads(info["message_events"]):
            if each["event"] == "arrived":
                arrived.setdefault((each["from"], each["to"]), []).append(each["number"])
    numbers = list(arrived.values())
    assert any(each != sorted(each) for each in numbers)
    total, different = sum(map(len, numbers)), sum(len(set(each)) for each in numbers)
    assert 0.2 < total / different - 1 < 0.4
    env.close()
