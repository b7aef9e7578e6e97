# SPDX-License-Identifier: GPL-2.0-only
"""The network of tcp_congestion: queue disciplines like ns-3's own, and capacity from traces."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAMS

from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0

DISCIPLINES = {
    "fifo": "Fifo",
    "red": "Red",
    "codel": "CoDel",
    "fq_codel": "FqCoDel",
    "pie": "Pie",
    "cobalt": "Cobalt",
}
KEPT = 2
"""The action that keeps a window; where ns-3's algorithm decides, it changes nothing."""


def finals(seed: int = 1, action: Any = KEPT, **arguments: Any) -> dict[str, dict[str, Any]]:
    """Play an episode with one action, and return the last info of each agent."""
    env = tcp_congestion_v0.parallel_env(link="local", **arguments)
    env.reset(seed=seed)
    last: dict[str, dict[str, Any]] = {}
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, action))
        last.update({agent: info for agent, info in infos.items() if "received_bytes" in info})
    env.close()
    return last


@pytest.mark.parametrize("name", DISCIPLINES)
def test_an_agents_discipline_drops_the_same_packets_as_ns3s(name: str) -> None:
    """In a dumbbell of ns-3's own parts only, `tests/scenarios/dumbbell.cc`."""
    program = [
        str(PROGRAMS / "dumbbell"),
        f"--discipline=ns3::{DISCIPLINES[name]}QueueDisc",
        "--duration=6",
    ]
    seeds = {"NS_GLOBAL_VALUE": f"RngSeed={rng_seed(1)};RngRun=1"}
    done = subprocess.run(
        program, env=os.environ | seeds, capture_output=True, text=True, check=True
    )
    ours = finals(
        algorithm="newreno",
        flows=2,
        buffer=30,
        queue_discipline=name,
        join_interval="100ms",
        start_jitter=0,
        leaf_jitter=0,
        duration="6s",
    )
    drops, *received = map(int, done.stdout.split())
    assert [info["received_bytes"] for _, info in sorted(ours.items())] == received
    assert {info["queue_drops"] for info in ours.values()} == {drops}
    assert drops > 0


def write_trace(path: Path, times: list[int]) -> str:
    path.write_text("".join(f"{time}\n" for time in times))
    return str(path)


SATURATED = {
    "initial_window": 100,
    "buffer": 100,
    "leaf_jitter": 0,
    "start_jitter": 0,
}
"""A window between the bandwidth-delay product and that plus the buffer."""


@pytest.mark.parametrize("times", [[1], list(range(1, 101)), [2, 2]], ids=["1", "100", "pairs"])
def test_a_trace_of_constant_capacity_equals_a_link_of_that_rate(
    tmp_path: Path, times: list[int]
) -> None:
    """Between 1 s and 5 s a saturated sender has exactly as many packets received on both.

    1500 bytes in each ms are 12 Mb/s. Only a link counts the two bytes of PPP, so it has 12.016
    Mb/s. At the start, each packet of the handshake waits for an opportunity, at most the time
    between two.
    """
    path = write_trace(tmp_path / "constant.trace", times)
    traced, link = (
        [finals(duration=duration, **given, **SATURATED)["agent_0"] for duration in ("1s", "5s")]
        for given in ({"capacity_trace": path}, {"bottleneck_rate": "12.016Mbps"})
    )
    for early, late in (traced, link):
        assert late["received_bytes"] - early["received_bytes"] == 4000 * 1448
        assert late["queue_drops"] == 0
    behind = link[0]["received_bytes"] - traced[0]["received_bytes"]
    assert 0 <= behind <= 2 * times[0] * 1448


def test_a_trace_repeats_after_its_end(tmp_path: Path) -> None:
    """A trace with 50 ms of capacity in 200 ms delivers a quarter."""
    burst = write_trace(tmp_path / "burst.trace", [*range(1, 51), 200])
    bursty = finals(capacity_trace=burst, duration="5s", **SATURATED)
    assert bursty["agent_0"]["received_bytes"] / 1448 == pytest.approx(5 * 51 * 5, rel=0.05)
    columns = tmp_path / "burst.txt"
    columns.write_text("10 0\n10.05 12\n10.2 0\n")  # the last opportunity is the end
    assert finals(capacity_trace=str(columns), duration="5s", **SATURATED) == bursty


def test_packets_longer_than_the_rest_of_an_opportunity_wait(tmp_path: Path) -> None:
    """Packets of 1000 bytes share opportunities: two opportunities carry three packets."""
    path = write_trace(tmp_path / "constant.trace", [1])
    given = {
        **SATURATED,
        "segment_size": 948,
        "initial_window": 150,
        "buffer": 150,
        "duration": "5s",
    }
    (traced,) = finals(capacity_trace=path, **given).values()
    assert traced["received_bytes"] / 948 == pytest.approx(1500 * 4.95, rel=0.01)


def test_a_trace_of_steps_changes_the_capacity() -> None:
    """5 Mb/s for a second, then 20 Mb/s for two."""
    given = {**SATURATED, "bottleneck_rate": "5Mbps", "duration": "3s"}
    (stepped,) = finals(capacity_steps="1:20", **given).values()
    assert 8 * stepped["received_bytes"] == pytest.approx(0.965 * (5e6 + 40e6), rel=0.05)
