# SPDX-License-Identifier: GPL-2.0-only
"""The time for which a side polls for a message before it sleeps."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest
from conftest import simulations

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


@pytest.mark.parametrize(
    ("link", "spin_us", "told"),
    [
        ("zmq", None, None),
        ("zmq", 0, b"0.0"),
        ("local", None, None),
        ("local", 0, b"0.0"),
        ("local", 7.5, b"7.5"),
    ],
)
def test_a_simulation_gets_the_polling_time_unless_it_adapts_by_itself(
    link: str, spin_us: float | None, told: bytes | None
) -> None:
    env = GymnasiumEnv(lookup("cart_pole_v0"), link=link, spin_us=spin_us, launch="spawn")
    try:
        env.reset(seed=1)
        env.step(0)
        (simulation,) = simulations()
        variables = Path(f"/proc/{simulation.pid}/environ").read_bytes().split(b"\0")
    finally:
        env.close()
    spin = dict(each.split(b"=", 1) for each in variables if each).get(b"DEFIANCE_SPIN_US")
    assert spin == told


@pytest.mark.parametrize("spin_us", [-1, 1001, float("nan")])
def test_invalid_polling_times_are_refused(spin_us: float) -> None:
    with pytest.raises(ParameterError, match=r"spin_us=.* must be from 0 to 1000"):
        GymnasiumEnv(lookup("cart_pole_v0"), link="local", spin_us=spin_us)


def test_a_simulation_that_fills_its_output_is_not_kept_waiting(tmp_path: Path) -> None:
    """Over ZeroMQ, a step with much output takes a few times as long as over pipes, not forty."""
    file = tmp_path / "talker.py"
    file.write_text(_TALKER)
    spec = EnvironmentSpec("talker_v0", Scenario.python("talker", file))
    medians = {}
    for link in ("local", "zmq"):
        env = GymnasiumEnv(spec, link=link)
        env.reset(seed=1)
        times = []
        for _ in range(41):
            begun = time.perf_counter()
            env.step(0)
            times.append(time.perf_counter() - begun)
        env.close()
        medians[link] = statistics.median(times)
    assert medians["zmq"] < 10 * medians["local"]


_TALKER = """\
import defiance_zoo.scenario as sc
sim = sc.Simulation("talker", duration="10s")

@sim.episode
def build(p):
    agent = sc.Agent(sc.nodes(1)[0], sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    agent.observe(lambda: [1])
    agent.info(dict)
    agent.on_action(lambda action: print("x" * 200_000, flush=True))
"""
