# SPDX-License-Identifier: GPL-2.0-only
"""A plant behind a network: the program of `networked:PLANT`.

The environment variable DEFIANCE_PLANT holds an object in JSON: `plant`, its name, and `folder`,
which has its module (empty: its module is installed).
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import defiance_zoo.scenario as sc
from defiance_zoo.bridge.system.imports import compile_sources_of
from defiance_zoo.scenario.control.loops import run_loops
from defiance_zoo.scenario.control.networks import NETWORKS, build_network
from defiance_zoo.scenario.control.plants import Plant, count_bytes, make_plant
from defiance_zoo.scenario.native import core

sim = sc.Simulation("networked", duration="86400s")
sim.parameter("tick", sc.Time("20ms"), range=("1us", "1h"), help="Time of a step of the plant.")
OVER = ["simple", "udp", "tcp"]
sim.parameter("over", "udp", choices=OVER, help="Transport; simple: messages without a network.")
sim.parameter("network", "point-to-point", choices=NETWORKS, help="Network of the plants.")
sim.parameter("delay", sc.Time("0s"), range=("0s", "1h"), help="One-way delay of the cable.")
sim.parameter("loss", 0.0, range=(0.0, 1.0), help="Share of packets that the cable loses.")
RATES = ("1kbps", "100Gbps")
sim.parameter("data_rate", sc.DataRate("10Mbps"), range=RATES, help="Rate of the cable or bus.")
sim.parameter("distance", 10.0, range=(0.1, 1e5), help="Plants to access point or cell, in m.")
sim.parameter("standard", "802.11ax", help="Standard of Wi-Fi.")
sim.parameter("compute", sc.Time("0s"), range=("0s", "1h"), help="Time of a decision.")
DECIDE = ["arrival", "clock"]
sim.parameter("decide", "arrival", choices=DECIDE, help="Decide at arrivals, or at each step.")
HOLD = ["hold", "zero", "repeat"]
sim.parameter("hold", "hold", choices=HOLD, help="Action of a step that has received none.")
sim.parameter("repeats", 1, range=(0, 10**9), help="Further steps of an action: hold=repeat.")
sim.parameter("window", 1, range=(1, 10_000), help="Number of observations that agents see.")
sim.parameter("plants", 1, range=(1, 1000), help="Number of plants in the network.")
sim.parameter("plant_arguments", "{}", help="Arguments of the plant, an object in JSON.")
SEEDS = (-1, 2**63 - 1)
sim.parameter("plant_seed", -1, range=SEEDS, help="Seed of the plant; -1: the seed of reset().")

_LARGEST_DATAGRAM = 65_000
"""Bytes of an observation that fit into a datagram, with the rest of the message."""

_given: dict[str, str] = json.loads(os.environ.get("DEFIANCE_PLANT", "{}"))
if folder := _given.get("folder"):
    sys.path.insert(sys.path.index(os.path.dirname(__file__)), folder)  # noqa: PTH120
    compile_sources_of(folder)
_made: dict[str, Plant] = {}
"""The plant that was made before the process was copied for an episode, by its arguments."""


@sim.episode
def build(p: Any) -> None:
    """Build the network, and let the plants step."""
    name = _given.get("plant", "")
    if not name:
        sc.refuse("this scenario has no plant: make it by defiance_zoo.networked(plant)")
    if p.plant_arguments not in _made:
        _made[p.plant_arguments] = make_plant(name, p.plant_arguments)
    plants = [_made[p.plant_arguments]]
    plants += [make_plant(name, p.plant_arguments) for _ in range(p.plants - 1)]
    largest = max(count_bytes(observations) for observations, _ in plants[0].spaces)
    if p.over == "udp" and largest > _LARGEST_DATAGRAM:
        sc.refuse(f"an observation of {largest} bytes does not fit into a datagram: use over=tcp")
    if p.over == "simple" and p.network != "point-to-point":
        sc.refuse(f"over=simple has no network: network={p.network} needs over=udp or over=tcp")
    count = sum(len(each.spaces) for each in plants)
    nodes, edge, start = build_network(count, p)
    first = p.plant_seed if p.plant_seed >= 0 else _seed_of_episode()
    seeds = [first + number for number in range(p.plants)]
    run_loops(list(zip(plants, seeds, strict=True)), nodes, edge, p, start)


def _seed_of_episode() -> int:
    """Return a seed of 31 bits from ns-3's seed and run."""
    import numpy

    return int(numpy.random.SeedSequence(core.seed()).generate_state(1)[0]) >> 1


if __name__ == "__main__":
    sim.main()
