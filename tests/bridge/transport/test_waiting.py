# SPDX-License-Identifier: GPL-2.0-only
"""The time for which simulations poll for an answer before they sleep."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import simulations

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
