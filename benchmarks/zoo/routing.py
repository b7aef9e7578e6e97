# SPDX-License-Identifier: GPL-2.0-only
"""Routing at several loads, and with a trained policy.

    python -m benchmarks.zoo.routing [--quick] [--only load|held-out] [--out FOLDER]

The program compares Q-routing with shortest paths at several loads, in Boyan and Littman's
irregular grid. It also plays a policy that all routers of GEANT share, trained with three seeds, on
other traffic matrices. Figures are in simulated time, so they are equal on every machine. The
program takes an hour and a half. Each result is saved at once, and omitted parts keep their
results. `benchmarks/speed/rollouts.py` measures the speed of routers' decisions.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.learning.baselines import OUT, QUICK, SEEDS, run_folder, train
from benchmarks.measuring.command import Part, measure_parts
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.experiments.evaluation import Policy
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.trainer import load_policy
from defiance_zoo.experiments.workbench.estimates import Estimate

SPEC = packet_routing_v0.SPEC
Make = Callable[[Any, int], Policy]
"""Returns the policy for an environment and a seed."""

LOADS = (100, 200, 300, 400, 450, 500, 550, 600, 700)
"""Packets a second that enter the irregular grid."""
GRID = {
    "topology": "irregular-grid",
    "packet_sizes": "constant",
    "duration": "40s",
    "warm_up": "20s",
    "infos": "brief",
}
GEANT = {
    "topology": "geant",
    "metric": "delay",
    "observation": "link-state",
    "message_interval": "20ms",
    "matrix": "gravity",
    "packet_sizes": "constant",
    "duration": "10s",
    "warm_up": "1s",
    "infos": "brief",
}
HELD_OUT = (1001, 1002, 1003)
"""Seeds of traffic matrices; training draws from 1 to 1000."""
RATES = (300, 700, 1000)
"""Packets a second that enter GEANT."""
RUN = "packet_routing/sb3_ppo"
WITHOUT_DECISIONS = {"decisions": "epoch", "interval": "100s"}
"""Until the first decision, which comes after the end, ns-3's global routing leads packets."""


NAMES = {"q_routing": "Q-routing", "least_delay": "least delay"}


def baseline(name: str) -> Make:
    """Return the maker of a baseline."""
    maker = SPEC.baselines[name]
    return lambda env, seed: maker.make(env, seed, maker.options())  # type: ignore[union-attr]


def play(make: Make | None, seed: int, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return an agent's last info in an episode; None: ns-3's global routing plays."""
    given = {**parameters, **({} if make else WITHOUT_DECISIONS)}
    env = SPEC.raw_env(link="local", affinity="shared", **given)
    policy = make(env, seed) if make else None
    env.reset(seed=seed)
    if policy:
        policy.reset()
    final_info: dict[str, Any] = {}
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            final_info = info
            env.step(None)
        else:
            assert policy is not None
            env.step(policy.act(agent, observation, info))
    env.close()
    return final_info


def figures_of(final_info: dict[str, Any]) -> Figures:
    """Return the figures of an episode, from an agent's last info.

    Delay and hops are those of delivered packets. Packets that are neither delivered nor lost are
    still under way at the end.
    """
    created = max(float(final_info["created_packets"]), 1)
    return {
        "delay_ms": 1e3 * final_info["mean_delay"],
        "delivered_percent": 100 * final_info["delivered_packets"] / created,
        "lost_percent": 100 * final_info["lost_packets"] / created,
        "hops": final_info["mean_hops"],
    }


def beside(figures: Figures, shortest: Figures) -> Figures:
    """Add the differences from shortest paths' episode with the same packets.

    `more_delay_percent` is relative to the mean delay of shortest paths. Shortest paths may lose no
    packet, so the differences of delivered and lost packets are in percent of all packets.
    """
    return {
        **figures,
        "more_delay_percent": 100 * (figures["delay_ms"] / shortest["delay_ms"] - 1),
        "more_delivered_percent": figures["delivered_percent"] - shortest["delivered_percent"],
        "more_lost_percent": figures["lost_percent"] - shortest["lost_percent"],
    }


def averaged(sample: list[Figures]) -> Figures:
    """Return the mean of each figure."""
    return {name: statistics.fmean(each[name] for each in sample) for name in sample[0]}


def estimated(sample: list[Figures]) -> Figures:
    """Return each figure's mean over independent values, and its 95 % confidence interval."""
    figures: Figures = {}
    for name in sample[0]:
        estimate = Estimate.of([each[name] for each in sample])
        figures[name] = estimate.mean
        if estimate.low is not None and estimate.high is not None:
            figures[f"{name}_low"], figures[f"{name}_high"] = estimate.low, estimate.high
    return figures


def over_load(effort: Effort) -> Iterator[Results]:
    """Compare Q-routing with shortest paths: after 20 s of learning, for 20 s."""
    seeds = range(1, 1 + effort.of(3, 2))
    length = {"duration": "0.4s", "warm_up": "0.2s"} if effort.quick else {}
    for load in LOADS[:: effort.of(1, 8)]:
        for name, make in (("shortest paths", None), ("Q-routing", baseline("q_routing"))):
            given = {**GRID, "packet_rate": load, **length}
            episodes = [figures_of(play(make, seed, given)) for seed in seeds]
            yield {f"{load}, {name}": estimated(episodes)}


def trained(seed: int, quick: bool) -> Make:
    """Return the maker of a trained policy; if necessary, the training runs first."""
    folder = run_folder(RUN, seed, QUICK if quick else OUT)
    if quick or not (folder / "evaluation.json").exists():
        train(RUN, seed, quick)
    checkpoint = find_checkpoint(folder)
    policy = load_policy(checkpoint.config, checkpoint.trainer)
    return lambda _env, _seed: policy


def held_out(effort: Effort) -> Iterator[Results]:
    """Play traffic matrices on GEANT that no training has drawn; compare with shortest paths.

    Intervals of untrained policies are over the matrices. Intervals of PPO are over the trainings;
    a training's figures are first averaged over the matrices.
    """
    rates = RATES[: effort.of(3, 1)]
    matrices = HELD_OUT[: effort.of(3, 2)]
    length = {"duration": "0.3s", "warm_up": "0.1s"} if effort.quick else {}

    def over_matrices(make: Make | None, rate: int) -> list[Figures]:
        given = {**GEANT, "packet_rate": rate, **length}
        final_infos = [play(make, matrix, {**given, "matrix_seed": matrix}) for matrix in matrices]
        return [figures_of(each) for each in final_infos]

    shortest = {rate: over_matrices(None, rate) for rate in rates}

    def compared(make: Make, rate: int) -> list[Figures]:
        return list(map(beside, over_matrices(make, rate), shortest[rate]))

    for rate in rates:
        yield {f"GEANT, {rate}, shortest paths": estimated(shortest[rate])}
        for name in ("q_routing", "least_delay"):
            yield {f"GEANT, {rate}, {NAMES[name]}": estimated(compared(baseline(name), rate))}
    makes = [trained(seed, effort.quick) for seed in SEEDS[: effort.of(3, 1)]]
    for rate in rates:
        trainings = [averaged(compared(make, rate)) for make in makes]
        yield {f"GEANT, {rate}, PPO, one policy for all routers": estimated(trainings)}


PARTS = {
    "load": Part(over_load, "[0-9]+, .*"),
    "held-out": Part(held_out, "GEANT, .*"),
}


if __name__ == "__main__":
    measure_parts(__doc__, "routing", PARTS)
