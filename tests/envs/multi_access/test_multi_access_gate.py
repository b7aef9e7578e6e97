# SPDX-License-Identifier: GPL-2.0-only
"""multi_access_v0 compared with closed forms and with a plain program of ns-3's applications."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import defiance_zoo
from defiance_zoo.envs import multi_access_v0
from defiance_zoo.envs.multi_access.paths import ELEMENTS

CABLES: dict[str, Any] = {
    "links": "point-to-point",
    "wifi_rate": "8Mbps",
    "lte_rate": "4Mbps",
    "reorder_timeout": "0s",
}
HEADERS = 8 + 20 + 2
"""Bytes of UDP, IPv4 and PPP."""


class Played(NamedTuple):
    """The observed results of an episode with one share, in the mean over intervals.

    Attributes:
        throughput: Delivered throughput, in Mb/s.
        delay: Delay of packets, in s; intervals are weighted by their bytes.
        rows: Observations, shape (intervals, elements).
    """

    throughput: float
    delay: float
    rows: Any


def play(shares: Sequence[float], skip: int = 5, **arguments: Any) -> list[Played]:
    """Play an episode with each share; leave out the first intervals, which differ."""
    given = {**CABLES, "action_space": "continuous", **arguments}
    env = multi_access_v0.parallel_env(link="local", **given)
    played = []
    for share in shares:
        env.reset(seed=1)
        rows = []
        while env.agents:
            observations, *_ = env.step({"agent_0": np.array([share], np.float32)})
            rows += [each.astype(float) for each in observations.values()]
        kept = np.array(rows)[skip:]
        delivered, delay = (kept[:, ELEMENTS.index(each)] for each in ("delivered", "delay"))
        mean_delay = float((delivered * delay).sum() / delivered.sum())
        played.append(Played(float(delivered.mean()), mean_delay, kept))
    env.close()
    return played


@pytest.mark.parametrize("rates", [(8, 4), (3, 9)])
def test_the_best_split_of_saturated_links_is_proportional_to_capacity(
    rates: tuple[int, int],
) -> None:
    proportion = rates[0] / sum(rates)
    shares = [proportion + each for each in (-0.2, -0.1, -0.04, -0.02, 0, 0.02, 0.04, 0.1, 0.2)]
    played = play(
        shares,
        traffic="saturated",
        wifi_rate=f"{rates[0]}Mbps",
        lte_rate=f"{rates[1]}Mbps",
        duration="4s",
    )
    throughputs = [each.throughput for each in played]
    assert shares[np.argmax(throughputs)] == proportion
    for share, throughput in zip(shares, throughputs, strict=True):
        expected = min(rates[0] / share, rates[1] / (1 - share)) * 1000 / (1000 + HEADERS)
        assert throughput == pytest.approx(expected, rel=0.005)


def find_mm1_delay(share: float, demand: float, capacities: tuple[float, float]) -> float:
    """Return the mean delay over two M/M/1 queues, in units of packets per capacity."""
    loads = share * demand, (1 - share) * demand
    return sum(x / (c - x) for x, c in zip(loads, capacities, strict=True)) / demand


@pytest.mark.parametrize(("demand", "best"), [(20 / 7, 0.9), (1.0, 1.0)])
def test_the_best_split_of_poisson_traffic_follows_the_square_root_rule(
    demand: float, best: float
) -> None:
    """Two M/M/1 links of 4 and 1 Mb/s; proportional to capacity the share would be 0.8."""
    first, second = capacities = 4.0, 1.0
    roots = math.sqrt(first), math.sqrt(second)
    rule = first - roots[0] * (first + second - demand) / sum(roots)
    assert min(rule / demand, 1.0) == pytest.approx(best)
    size = 4000
    shares = [0.8, 0.9, 1.0]
    played = play(
        shares,
        traffic="poisson",
        packet_size=size,
        rate=f"{demand * 1e6:.0f}bps",
        wifi_rate=f"{first * (size + HEADERS) / size * 1e6:.0f}bps",
        lte_rate=f"{second * (size + HEADERS) / size * 1e6:.0f}bps",
        wifi_delay="0s",
        lte_delay="0s",
        queue=100_000,
        interval="10s",
        duration="600s",
        skip=5,
    )
    delays = [each.delay for each in played]
    for share, delay in zip(shares, delays, strict=True):
        expected = find_mm1_delay(share, demand, capacities) * 8 * size / 1e6
        assert delay == pytest.approx(expected, rel=0.05)
    assert shares[np.argmin(delays)] == best


def find_path_delay(rate: float, delay: float, size: int = 1000) -> float:
    """Return the one-way delay of a packet on an empty path, in s."""
    bits = 8 * (size + HEADERS)
    return bits / rate + delay + bits / 10e9


@pytest.mark.parametrize(
    ("timeout", "waits"), [(0.0, "nothing"), (0.02, "the timeout"), (0.1, "the slower path")]
)
def test_reordering_adds_the_difference_of_the_path_delays(timeout: float, waits: str) -> None:
    """Packets alternate between the paths; each packet over Wi-Fi waits for the one before it."""
    gap, wifi, lte = 8e3 / 4e6, find_path_delay(8e6, 0.005), find_path_delay(4e6, 0.05)
    over_wifi = {"nothing": wifi, "the timeout": wifi + timeout, "the slower path": lte - gap}
    (played,) = play(
        [0.5], rate="4Mbps", lte_delay="50ms", reorder_timeout=f"{timeout}s", duration="3s"
    )
    assert played.delay == pytest.approx((over_wifi[waits] + lte) / 2, rel=1e-6)
    assert played.throughput == pytest.approx(4.0, rel=1e-6)


PLAIN = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("plain_link", duration="3s")
sim.parameter("rate", sc.DataRate("4Mbps"), range=("1kbps", "1Gbps"))
sim.parameter("delay", sc.Time("15ms"), range=("0s", "1s"))


@sim.episode
def build(p):
    server, router, user = sc.nodes(3, internet=True)
    sc.point_to_point(server, router, rate=p.rate, delay=p.delay, flow_control=False)
    sc.point_to_point(router, user, rate="10Gbps", delay="0s")
    sc.route_globally()
    sink = user.add("ns3::PacketSink", Protocol="ns3::UdpSocketFactory", Local=("0.0.0.0", 9))
    server.add(
        "ns3::UdpClient", Remote=(user.address(), 9), PacketSize=1000, MaxPackets=0, Interval=0.001
    )
    received = sink.count("Rx")
    agent = sc.Agent(server, sc.Box(0, 1e9, (1,)), sc.Discrete(2), StepInterval="100ms")
    agent.observe(lambda: [received.take().bytes])
    agent.on_action(lambda action: None)
    agent.reward = 0.0
"""


@pytest.mark.parametrize(
    ("share", "rate", "delay", "path"),
    [(0.0, "4Mbps", "15ms", "lte"), (1.0, "9Mbps", "5ms", "wifi")],
)
def test_all_traffic_on_one_link_equals_a_plain_program(
    share: float, rate: str, delay: str, path: str, tmp_path: Path
) -> None:
    """8 Mb/s of packets over one link; the link with 4 Mb/s loses some: equal bytes arrive."""
    file = tmp_path / "plain_link.py"
    file.write_text(PLAIN)
    env = defiance_zoo.make(str(file), api="parallel", link="local", rate=rate, delay=delay)
    env.reset(seed=1)
    plain = []
    while env.agents:
        observations, *_ = env.step({"agent_0": 0})
        plain += [float(each[0]) for each in observations.values()]
    env.close()
    given = {"rate": "8Mbps", f"{path}_rate": rate, f"{path}_delay": delay}
    (played,) = play([share], skip=10, duration="3s", **given)
    rows = played.rows
    alone = 8e-6 * np.array(plain) / 0.1
    for element in (f"{path}_throughput", "delivered"):
        seen = rows[:, ELEMENTS.index(element)]
        assert seen.mean() == pytest.approx(alone[-len(seen) :].mean(), rel=2e-3)
