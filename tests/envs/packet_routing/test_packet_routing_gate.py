# SPDX-License-Identifier: GPL-2.0-only
"""Gates of packet_routing: ns-3's routing packet by packet, the least delay, M/M/1 queues."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from routing_support import PlayedEpisode, draw, load_topology, play

from defiance_zoo.envs.packet_routing.policies import QRoutingOptions, QRoutingPolicy
from defiance_zoo.envs.packet_routing.policies.link_state import distances

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "irregular grid": {"topology": "irregular-grid"},
    "Abilene": {"topology": "abilene", "metric": "delay"},
    "GEANT": {"topology": "geant", "traffic": "on-off"},
    "links fail": {
        "topology": "geant",
        "metric": "delay",
        "failure_interval": "10s",
        "repair_time": "1s",
    },
}


@pytest.mark.parametrize("arguments", TOPOLOGIES.values(), ids=TOPOLOGIES.keys())
def test_shortest_paths_in_python_route_every_packet_like_ns3s_global_routing(
    arguments: dict[str, Any],
) -> None:
    given = {"duration": "1.5s", "packet_rate": 400, "infos": "brief", **arguments}
    python = play("shortest_paths", **given)
    own = play(routing="global", **given)
    assert np.array_equal(python.packets, own.packets)
    assert len(own.packets) > 400
    assert python.info["lost_packets"] == own.info["lost_packets"]
    assert (own.info["lost_packets"] > 0) == ("failure_interval" in arguments)


STAR = (
    ";".join(f"node r{i}" for i in range(7)) + ";" + ";".join(f"link r0 r{i}" for i in range(1, 7))
)


@pytest.mark.parametrize(
    "arguments",
    [
        {"topology": STAR, "failure_interval": "3s"},
        {"topology": "grid:1x6", "failure_interval": "1s", "controlled": "r0,r5"},
    ],
    ids=["star", "ends of a chain"],
)
def test_packets_without_a_path_have_equal_cost_in_ns3_and_python(
    arguments: dict[str, Any],
) -> None:
    """A router with one working link sends all packets there; others lose unreachable packets."""
    given = {"repair_time": "1s", "duration": "1s", "packet_rate": 300, **arguments}
    python = play("shortest_paths", **given)
    own = play(routing="global", **given)
    assert np.array_equal(python.packets, own.packets)
    assert python.info["lost_packets"] == own.info["lost_packets"] > 0
    assert python.returns == pytest.approx(own.returns)
    assert python.decisions == own.decisions


def test_a_packet_that_crosses_its_last_link_has_equal_cost_for_its_sender() -> None:
    given = {"topology": "grid:1x3", "matrix": "r0>r2:1", "hop_limit": 1, "packet_rate": 20}
    python = play("shortest_paths", **given)
    own = play(routing="global", **given)
    assert own.info["delivered_packets"] == 0 < own.info["lost_packets"]
    assert python.returns == pytest.approx(own.returns)


def test_another_policy_routes_packets_differently() -> None:
    given = {"topology": "grid:3x3", "duration": "0.5s", "packet_rate": 200}
    own = play(routing="global", **given)
    other = play(draw(1), **given)
    assert not np.array_equal(own.packets, other.packets)


# ---------------------------------------------------------------- load -> 0

SPARSE: dict[str, Any] = {
    "topology": "abilene",
    "metric": "delay",
    "packet_sizes": "constant",
    "packet_rate": 4,  # two packets seldom meet
    "duration": "60s",
    "infos": "brief",
    "hop_limit": 255,
}


@pytest.fixture(scope="module")
def least() -> PlayedEpisode:
    """The results of shortest paths at very low load."""
    return play("shortest_paths", **SPARSE)


def by_number(played: PlayedEpisode) -> dict[int, float]:
    return {int(number): float(delay) for number, delay in played.packets[:, [0, 4]]}


def test_at_very_low_load_packets_have_the_least_possible_delay(
    least: PlayedEpisode,
) -> None:
    """The delays of the links, and 8 ms for 1000 bytes at 1 Mb/s: a bound for every policy."""
    links = tuple(
        (link.first, link.second, 1000 * int(link.delay.removesuffix("us")) + 8_000_000, 1)
        for link in load_topology("abilene").links
    )
    shortest = distances(links)  # in ns
    waited = np.array(
        [
            delay - shortest[int(source)][int(destination)]
            for _, source, destination, _, delay, _ in least.packets
        ]
    )
    assert waited.min() == 0
    assert np.mean(waited == 0) > 0.9


@pytest.mark.parametrize("policy", ["q_routing", "random"])
def test_at_very_low_load_no_policy_beats_shortest_paths(policy: str, least: PlayedEpisode) -> None:
    """It beats no packet, except for the few of shortest paths that waited for another packet."""
    other = play(draw(1) if policy == "random" else policy, **SPARSE)
    best, taken = by_number(least), by_number(other)
    both = sorted(best.keys() & taken.keys())
    assert len(both) > 100
    sooner = sum(taken[number] < best[number] for number in both)
    assert sooner <= 0.02 * len(both)
    assert np.mean([taken[number] for number in both]) >= np.mean([best[number] for number in both])


def test_q_routing_learns_the_shortest_paths(least: PlayedEpisode) -> None:
    """After a while it routes most packets like shortest paths, and none is much later."""
    policy = QRoutingPolicy(1, QRoutingOptions(keep=True))
    for seed in (11, 12, 13):
        play(policy, seed=seed, **{**SPARSE, "packet_rate": 20, "duration": "30s"})
    learned = by_number(play(policy, **SPARSE))
    best = by_number(least)
    both = sorted(best.keys() & learned.keys())
    same = np.mean([learned[number] == best[number] for number in both])
    assert same > 0.8
    assert np.mean([learned[n] for n in both]) < 1.1 * np.mean([best[n] for n in both])


# ---------------------------------------------------------------- M/M/1

SERVICE = 1e6 / 8000  # packets a second of a link of 1 Mb/s
PROPAGATION = 0.001


def tandem(
    links: int, rate: float, *, resize: bool, seed: int, seconds: int = 200
) -> PlayedEpisode:
    """Send packets from one end of a chain to the other, without a decision per packet."""
    weights = np.ones((links + 1) * min(links, 2), np.float32)
    return play(
        lambda _agent, _seen, _info: weights,
        topology=f"grid:1x{links + 1}",
        matrix=f"r0>r{links}:1",
        controlled="r0",
        decisions="epoch",
        interval="100s",
        packet_rate=rate,
        resize=resize,
        buffer=100_000,
        warm_up="5s",
        duration=f"{seconds}s",
        seed=seed,
    )


def mean_and_half_width(values: list[float]) -> tuple[float, float]:
    """Return the mean and half the width of its 99 % interval (Student's t, 5 values)."""
    quantile = 4.604  # of t with 4 degrees of freedom at 0.995
    return float(np.mean(values)), float(quantile * np.std(values, ddof=1) / math.sqrt(5))


@pytest.mark.parametrize(("links", "rate"), [(1, 60), (3, 80)])
def test_delays_of_a_tandem_equal_independent_queues(links: int, rate: float) -> None:
    """With sizes redrawn at each router, each link is an M/M/1 queue (Jackson, 1957).

    The mean time in a queue is 1 / (service rate - arrival rate) (Kleinrock, Queueing systems I,
    1975).
    """
    runs = [tandem(links, rate, resize=True, seed=seed) for seed in range(1, 6)]
    measured, half = mean_and_half_width([run.info["mean_delay"] for run in runs])
    expected = links * (1 / (SERVICE - rate) + PROPAGATION)
    assert abs(measured - expected) < half
    assert half < 0.1 * expected


def test_the_time_in_one_queue_is_exponential() -> None:
    """In a first-in-first-out M/M/1 queue, with parameter service rate - arrival rate."""
    rate = 60
    run = tandem(1, rate, resize=True, seed=1, seconds=300)
    times = run.delays[run.packets[:, 3] > 5e9] - PROPAGATION
    for share in (0.25, 0.5, 0.75, 0.9):
        expected = -math.log(1 - share) / (SERVICE - rate)
        assert np.quantile(times, share) == pytest.approx(expected, rel=0.06)


# ---------------------------------------------------------------- a loaded network


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:no agent decided")  # in the episode of ns-3's own routing
@pytest.mark.timeout(600)  # 24,000 decisions, a few seconds on an idle machine
def test_q_routing_beats_shortest_paths_in_the_loaded_irregular_grid() -> None:
    """Boyan and Littman's result: shortest paths overload one of two links between the halves."""
    given = {"topology": "irregular-grid", "packet_sizes": "constant", "infos": "brief"}
    policy = QRoutingPolicy(1, QRoutingOptions(keep=True))
    play(policy, packet_rate=300, duration="4s", **given)
    loaded = {**given, "packet_rate": 600, "duration": "6s", "warm_up": "3s"}
    learned = play(policy, **loaded).info["mean_delay"]
    # Until the first epoch ends, ns-3's own routing decides.
    shortest = play(decisions="epoch", interval="100s", **loaded).info["mean_delay"]
    assert learned < 0.8 * shortest
