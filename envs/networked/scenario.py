# SPDX-License-Identifier: GPL-2.0-only
"""A plant behind a network: the program of `networked:PLANT`.

The environment variable DEFIANCE_PLANT holds an object in JSON: `plant`, its name, and `folder`,
which has its module (empty: its module is installed).
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, get_args, get_type_hints

import defiance_zoo.scenario as sc
from defiance_zoo.bridge.system.imports import compile_sources_of
from defiance_zoo.scenario.control.control_loop import Options, require_possible
from defiance_zoo.scenario.control.loops import run_loops
from defiance_zoo.scenario.control.networks import NETWORKS, build_network
from defiance_zoo.scenario.control.plants import Plant, make_plant, read_arguments, reset_arguments
from defiance_zoo.scenario.native import core

sim = sc.Simulation("networked", duration="86400s")
sim.parameter("tick", sc.Time("20ms"), range=("0s", "1h"), help="Time of a step; 0: an action.")
sim.parameter("network", "point-to-point", choices=NETWORKS, help="Network of the plants.")
sim.parameter("delay", sc.Time("0s"), range=("0s", "1h"), help="One-way delay of the cable.")
sim.parameter("loss", 0.0, range=(0.0, 1.0), help="Share of packets that the cable loses.")
RATES = ("1kbps", "100Gbps")
sim.parameter("data_rate", sc.DataRate("10Mbps"), range=RATES, help="Rate of the cable or bus.")
sim.parameter("distance", 10.0, range=(0.1, 1e5), help="Plants to access point or cell, in m.")
sim.parameter("standard", "802.11ax", help="Standard of Wi-Fi.")
TRAFFIC = ("0bps", "100Gbps")
sim.parameter("traffic", sc.DataRate("0bps"), range=TRAFFIC, help="Other traffic, each direction.")
sim.parameter("compute", sc.Time("0s"), range=("0s", "1h"), help="Time of a decision, or its mean.")
sim.parameter("workers", 0, range=(0, 10_000), help="Decisions at the same time; 0: all.")
sim.parameter("repeats", 1, range=(0, 10**9), help="Further steps of an action: hold=repeat.")
sim.parameter("window", 1, range=(1, 10_000), help="Number of observations that agents see.")
sim.parameter("byte_price", 0.0, range=(0.0, 1e9), help="Price of a byte that is sent by choice.")
sim.parameter("plants", 1, range=(1, 1000), help="Number of plants in the network.")
sim.parameter("plant_arguments", "{}", help="Arguments of the plant, an object in JSON.")
SEEDS = (-1, 2**63 - 1)
sim.parameter("plant_seed", -1, range=SEEDS, help="Seed of the plant; -1: the seed of reset().")
sim.parameter("plant_options", "{}", help="Options of the plant's reset(), in JSON.")
sim.parameter("plant_infos", False, help="Infos of the plant's last step, as plant_KEY.")
sim.parameter("pictures", False, help="Pictures of the plant in infos.")
for option, about in {
    "over": "Transport; simple: messages without a network.",
    "compute_times": "Distribution of these times.",
    "decide": "Decide at arrivals, or at each step.",
    "hold": "Action of a step that has received none.",
    "rewards": "Rewards at once, or with observations.",
    "actions": "Actions in messages, or at once.",
    "send": "Chooser of observations that are sent.",
}.items():
    choices = get_args(get_type_hints(Options)[option])
    sim.parameter(option, getattr(Options(), option), choices=choices, help=about)

_given: dict[str, str] = json.loads(os.environ.get("DEFIANCE_PLANT", "{}"))
if folder := _given.get("folder"):
    sys.path.insert(sys.path.index(os.path.dirname(__file__)), folder)  # noqa: PTH120
    compile_sources_of(folder)
_made: dict[tuple[str, bool], Plant] = {}
"""The plant that was made before the process was copied for an episode, by its arguments."""


@sim.episode
def build(p: Any) -> None:
    """Build the network, and let the plants step."""
    name = _given.get("plant", "")
    if not name:
        sc.refuse("this scenario has no plant: make it by defiance_zoo.networked(plant)")
    if p.over == "simple" and (p.network != "point-to-point" or p.traffic.bps):
        sc.refuse("over=simple has no network: network and traffic need over=udp or over=tcp")
    made = (p.plant_arguments, p.pictures)
    given = (read_arguments("plant_arguments", p.plant_arguments) for _ in range(p.plants))
    options = read_arguments("plant_options", p.plant_options)
    if made not in _made:
        _made[made] = make_plant(name, next(given), p.pictures)
    plants = [_made[made]]
    plants += [make_plant(name, next(given), p.pictures) for _ in range(p.plants - 1)]
    if len({id(getattr(each.env, "unwrapped", each.env)) for each in plants}) < len(plants):
        sc.refuse(f"plant {name!r} is the same in each call, and cannot be {p.plants} plants")
    require_possible(plants, p)
    first = p.plant_seed if p.plant_seed >= 0 else _seed_of_episode()
    nodes, edge, p.start = build_network(sum(len(each.spaces) for each in plants), p)
    run_loops(
        [(each, reset_arguments(first + n, options)) for n, each in enumerate(plants)],
        [(node, edge, node) for node in nodes],
        p,
    )


def _seed_of_episode() -> int:
    """Return a seed of 31 bits from ns-3's seed and run."""
    import numpy

    return int(numpy.random.SeedSequence(core.seed()).generate_state(1)[0]) >> 1


if __name__ == "__main__":
    sim.main()
