# SPDX-License-Identifier: GPL-2.0-only
"""packet_routing_v0 in every mode: checkers, observations, rewards, bad parameters."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from routing_support import draw, play

from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.errors import ParameterError

Arguments = dict[str, Any]
DIAMOND = """
node a 0 1; node b 1 2; node c 1 0; node d 2 1
link a b; link b d; link a c delay 5ms; link c d rate 2Mbps
"""


class Short:
    """Arguments that keep episodes short."""

    spec = packet_routing_v0.SPEC
    short: ClassVar[Arguments] = {
        "topology": "grid:2x3",
        "duration": "0.2s",
        "packet_rate": 200,
        "hop_limit": 8,
    }
    cycles = 10


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"controlled": "r1"}, id="packet"),
        pytest.param(
            {"controlled": "r1", "decisions": "epoch", "interval": "20ms", "traffic": "on-off"},
            id="epoch",
        ),
        pytest.param(
            {"controlled": "r4", "observation": "link-state", "reward": "excess", "infos": "brief"},
            id="link-state",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.filterwarnings(
    "ignore:Action space for each agent probably should be",  # weights of all destinations
    "ignore:.*symmetric and normalized",  # of weights from 0 to 1
    "ignore:.*alternative render modes",
    "ignore:Observation numpy array is all zeros",
)
class TestOneAgent(Short, SingleAgentConformance):
    """The checkers of every interface, with an agent at one router."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="packet"),
        pytest.param({"decisions": "epoch", "interval": "20ms", "action_delay": "3ms"}, id="epoch"),
        pytest.param(
            {
                "observation": "link-state",
                "message_interval": "10ms",
                "transport": "udp",
                "failure_interval": "300ms",
                "repair_time": "50ms",
            },
            id="messages-and-failures",
        ),
        pytest.param(
            {"decisions": "epoch", "interval": "20ms", "message_interval": "30ms", "day": "0.1s"},
            id="epoch-with-messages",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")
class TestManyAgents(Short, Conformance):
    """The checkers of every interface, with an agent at each router."""


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make(
        "defiance_zoo:defiance_zoo/PacketRouting-v0", controlled="r14", duration="0.2s"
    )
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    env.close()


# ---------------------------------------------------------------- spaces, infos


@pytest.mark.parametrize(
    ("arguments", "observation", "action"),
    [
        ({}, 2 + 2 * 4, spaces.Discrete(4)),
        ({"observation": "link-state"}, 2 + 3 * 4, spaces.Discrete(4)),
        ({"message_interval": "1s"}, 2 + 3 * 4, spaces.Discrete(4)),
        ({"decisions": "epoch"}, 2 * 4 + 9, spaces.Box(0, 1, (36,), np.float32)),
        (
            {"decisions": "epoch", "observation": "link-state", "message_interval": "1s"},
            2 * 4 + 9 + 2 * 36,
            spaces.Box(0, 1, (36,), np.float32),
        ),
    ],
)
def test_spaces_depend_on_the_parameters(
    arguments: Arguments, observation: int, action: spaces.Space[Any]
) -> None:
    env = packet_routing_v0.parallel_env(topology="grid:3x3", **arguments)
    assert env.possible_agents == [f"agent_{number}" for number in range(9)]
    seen = env.observation_space("agent_0")
    assert isinstance(seen, spaces.Box)
    assert (seen.shape, seen.dtype) == ((observation,), np.float32)
    assert env.action_space("agent_0") == action
    env.close()


def watch(**arguments: Any) -> list[tuple[str, np.ndarray, float, dict[str, Any], int]]:
    """Play random actions; return agent, observation, reward, info and action of each decision."""
    seen = []
    env = packet_routing_v0.raw_env(link="local", **arguments)
    env.reset(seed=1)
    act = draw(1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        ended = terminated or truncated
        action = None if ended else act(agent, observation, info)
        seen.append((agent, observation, reward, info, -1 if action is None else action))
        env.step(action)
    env.close()
    return seen


def test_a_router_observes_queues_and_destination() -> None:
    decisions = watch(topology=DIAMOND, duration="1s", packet_rate=200, observation="link-state")
    first = {agent: info for agent, _, _, info, _ in reversed(decisions)}
    states = {agent: json.loads(info["link_state"]) for agent, info in first.items()}
    assert [states[f"agent_{i}"]["router"] for i in range(4)] == [0, 1, 2, 3]
    assert states["agent_0"]["links"] == [[0, 1, 1, 1], [1, 3, 1, 1], [0, 2, 1, 1], [2, 3, 1, 1]]
    assert first["agent_0"]["name"] == "a"
    assert list(first["agent_0"]["neighbours"]) == [1, 2]
    assert list(first["agent_3"]["position"]) == [2, 1]
    later = [info for agent, _, _, info, _ in decisions if agent == "agent_0"][1:]
    assert not any("link_state" in info for info in later)
    for agent, observation, _, info, _ in decisions[:-4]:
        destination, hops = observation[:2]
        assert destination != states[agent]["router"]
        assert 0 <= hops < 64
        assert list(observation[4:6]) == list(info["action_mask"]) == [1, 1]
    # From a: to d over b 2 x (1 ms + 8 ms), over c 5 ms + 8 ms + 1 ms + 4 ms.
    far = [obs[6:8] for agent, obs, *_ in decisions[:-4] if agent == "agent_0" and obs[0] == 3]
    assert len(far) > 5
    assert np.allclose(far, 0.018)


def test_a_queue_is_observed_as_waiting_time() -> None:
    """With constant packets of 8 ms, the queue holds the packets sent and not yet transmitted."""
    played = []

    def act(agent: str, seen: Any, info: Any) -> int:
        if agent == "agent_0":
            played.append((seen, info["hop_cost"]))
        return 0

    play(
        act,
        topology="grid:1x2",
        matrix="r0>r1:1",
        packet_sizes="constant",
        packet_rate=200,
        duration="0.4s",
    )
    waiting = np.array([seen[2] for seen, _ in played])
    assert waiting.max() > 0.05
    # The cost of a packet is its waiting time, 8 ms of transmission, and 1 ms of propagation.
    costs = np.array([cost for _, cost in played[1:]])
    assert np.allclose(costs, waiting[:-1] + 0.009, atol=1e-6)


def test_infos_can_be_reduced() -> None:
    decisions = watch(topology="grid:2x2", duration="0.3s", packet_rate=100, infos="brief")
    assert {key for *_, info, _ in decisions[4:-4] for key in info} <= {
        "action_mask",
        "hop_cost",
        "link_state",
        "sim_time_ns",
    }


def test_failed_links_are_reported_and_lose_packets() -> None:
    decisions = watch(
        topology="grid:2x3",
        duration="3s",
        packet_rate=100,
        failure_interval="1s",
        repair_time="300ms",
    )
    told = [json.loads(info["link_state"]) for *_, info, _ in decisions if "link_state" in info]
    assert any(not works for state in told for *_, works in state["links"])
    masks = np.array([info["action_mask"] for *_, info, _ in decisions if "action_mask" in info])
    assert 0 < masks.mean() < 1
    assert decisions[-1][3]["lost_packets"] > 0


# ---------------------------------------------------------------- rewards


ENDING: Arguments = {"day": "4s", "day_amplitude": 1.0, "duration": "3s"}
"""Traffic that ceases towards the end, so that all packets arrive."""


def test_rewards_are_the_delays_of_packets() -> None:
    """All packets arrive, so agents earn the negative sum of all delays."""
    played = play("shortest_paths", topology="irregular-grid", packet_rate=50, **ENDING)
    assert played.info["delivered_packets"] == played.info["created_packets"] > 10
    assert sum(played.returns.values()) == pytest.approx(-played.delays.sum(), rel=1e-6)


def test_excess_is_the_detour_over_the_shortest_path() -> None:
    given = {
        "topology": "grid:1x3",
        "matrix": "r0>r2:1",
        "packet_sizes": "constant",
        "packet_rate": 10,
        **ENDING,
    }
    straight = play("shortest_paths", reward="excess", **given)
    assert straight.info["delivered_packets"] > 0
    assert sum(straight.returns.values()) == pytest.approx(-(straight.delays - 0.018).sum())

    def detour(agent: str, seen: Any, _info: Any) -> int:
        return 1 if agent == "agent_1" and seen[1] > 1 else 0  # one packet goes back once

    longer = play(detour, reward="excess", **given)
    assert list(longer.packets[:, 5]) == [4] * len(longer.packets)
    assert sum(longer.returns.values()) == pytest.approx(-(longer.delays - 0.018).sum())


def test_a_lost_packet_costs_its_price() -> None:
    """Losses by a missing port, a full queue, and too many hops."""
    given = {"topology": "grid:1x3", "loss_price": 7, **ENDING}
    nowhere = play(lambda *_: 1, matrix="r0>r2:1", **given)
    created = nowhere.info["created_packets"]
    assert nowhere.info["lost_packets"] == created
    assert nowhere.returns["agent_0"] == pytest.approx(-7 * created)
    full = play("shortest_paths", matrix="r0>r1:1", buffer=2, packet_rate=150, **given)
    lost = full.info["lost_packets"]
    assert full.info["delivered_packets"] > 0 < lost
    costs = -sum(full.returns.values()) - 7 * lost
    assert costs == pytest.approx(full.delays.sum(), rel=1e-6)
    around = play(lambda *_: 0, matrix="r0>r2:1", hop_limit=6, packet_rate=20, **given)
    assert around.info["delivered_packets"] == 0 < around.info["lost_packets"]
    assert sum(around.returns.values()) < -6 * around.info["lost_packets"]


# ---------------------------------------------------------------- epochs, messages


def test_packets_are_split_by_weights() -> None:
    weights = np.zeros((4, 2), np.float32)
    weights[3] = 0.75, 0.25
    played = play(
        lambda *_: weights.reshape(-1),
        topology=DIAMOND.replace("delay 5ms", "delay 100ms"),
        matrix="a>d:1",
        controlled="a",
        decisions="epoch",
        interval="50ms",
        packet_sizes="constant",
        packet_rate=100,
        duration="10s",
    )
    late = played.delays[played.packets[:, 3] > 1e8] > 0.1
    assert late.mean() == pytest.approx(0.25, abs=0.05)


def test_shortest_paths_also_decide_in_epochs() -> None:
    given = {"topology": "grid:2x3", "packet_rate": 100, "duration": "1s"}
    epochs = play("shortest_paths", decisions="epoch", **given)
    assert np.array_equal(epochs.packets, play(routing="global", **given).packets)


def test_messages_about_neighbours_queues_arrive_and_use_bandwidth() -> None:
    given = {
        "topology": "grid:1x3",
        "matrix": "r0>r2:1",
        "packet_rate": 60,
        "duration": "2s",
        "link_rate": "500kbps",
    }
    heard = []

    def act(agent: str, seen: Any, _info: Any) -> int:
        if agent == "agent_0":
            heard.append(seen[2 + 2 * 2])  # of the neighbour at its port
        return 0 if agent == "agent_0" else 1

    silent = play("shortest_paths", **given)
    free = play(act, message_interval="5ms", **given)
    paid = play(act, message_interval="5ms", transport="udp", **given)
    assert max(heard) > 0.01
    assert np.array_equal(free.packets, silent.packets)
    assert paid.info["mean_delay"] > 1.1 * silent.info["mean_delay"]


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"topology": "arpanet"}, "topology=arpanet must be one of abilene, geant, irregular-"),
        ({"topology": "grid:0x4"}, "is not grid:<rows>x<columns> with 2 to 1000 routers"),
        ({"topology": "node a; link a b"}, "names b, which is not a node before it"),
        ({"topology": "node a; node a; link a a"}, "names a router that exists already"),
        ({"topology": "node a; node b; link a a"}, "joins a router with itself"),
        ({"topology": "node a; node b; link a b; link b a"}, "that are joined already"),
        ({"topology": "node a; node b; link a b delay 5"}, "has no delay from 0s to 10s"),
        ({"topology": "node a; node b; link a b delay 99999999999s"}, "no delay from 0s to 10s"),
        ({"topology": "node a; node b; link a b rate 1kb"}, "or rate from 1kbps to 100Gbps"),
        ({"topology": "node a; node b; node c; link a b"}, "no path from a to c"),
        ({"topology": "node a x y; node b; link a b"}, "with two numbers"),
        ({"topology": "node a; edge a b; link a a"}, "must begin with node or link"),
        ({"link_delay": "2s", "metric": "delay"}, "metric=delay supports up to 655 ms"),
        ({"matrix": "nowhere"}, "matrix=nowhere must be uniform, gravity"),
        ({"matrix": "/"}, "matrix=/ must be uniform, gravity"),
        ({"matrix": "r0>r99:1"}, "which is not two routers and a weight"),
        ({"matrix": "r0>r1:x"}, "which is not two routers and a weight"),
        ({"matrix": "r0>r0:1"}, "has no weight above 0 between two routers"),
        ({"matrix": "r0>r1:-1"}, "has a weight that is negative"),
        ({"matrix": "r0>r1:1e308,r1>r0:1e308"}, "has weights whose sum is not a finite number"),
        ({"matrix": "r0>r1:3,r0>r1:1"}, 'has "r0>r1:1", whose pair of routers was named'),
        ({"controlled": "r1,r99"}, 'names "r99", which is not a router of the topology'),
        ({"controlled": "r1,r1"}, "which is not a router that was not named before"),
        ({"transport": "udp"}, "so it needs a message_interval"),
        ({"message_interval": "1us"}, "message_interval must be 0, or at least 1ms"),
        ({"failure_interval": "1us"}, "failure_interval must be 0, or at least 1ms"),
        ({"day": "1us"}, "day must be 0, or at least 1ms"),
        ({"packet_size": 199}, "needs a packet_size of at least 200"),
        ({"routing": "global", "resize": True}, "resize=true needs routing=agent"),
        ({"routing": "global", "decisions": "epoch"}, "it needs decisions=packet"),
        ({"action_delay": "1ms"}, "decisions=epoch can"),
        ({"delay": "1ms"}, "placement=local has no access link"),
        ({"packet_rate": 0}, "packet_rate=0 is not within"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, message: str) -> None:
    env = packet_routing_v0.raw_env(**arguments) if message[:11] != "packet_rate" else None
    with pytest.raises(ParameterError, match=message):
        (env or packet_routing_v0.raw_env(**arguments)).reset(seed=1)
