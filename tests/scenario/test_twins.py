# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios in Python equal their versions in C++ bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.command_line.new_project.project import render
from defiance_zoo.environments.testing import play
from defiance_zoo.envs.cart_pole.cart_pole_v0 import SPEC as CART_POLE
from defiance_zoo.errors import ParameterError

TWINS = Path(__file__).with_name("twins")
PROGRAMS = Path(__file__).resolve().parents[2] / "build" / "native" / "tests" / "scenarios"


def twin(file: Path) -> EnvironmentSpec:
    """Return the environment of a scenario in Python."""
    return EnvironmentSpec(f"{file.stem}_v0", Scenario.python(file.stem, file))


def compare(one: EnvironmentSpec, other: EnvironmentSpec, **arguments: Any) -> None:
    """Play both in AEC and parallel interfaces, and compare."""
    for kind in ("raw_env", "parallel_env"):
        first, second = (getattr(spec, kind)(**arguments) for spec in (one, other))
        played = play(first, 3)
        assert len(played) > 20
        assert played == play(second, 3)
        first.close()
        second.close()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"placement": "local"},
        {"carts": 3, "transport": "udp", "delay": "0.5ms", "loss": 0.1, "access": "csma"},
        {"carts": 2, "placement": "central", "transport": "tcp", "delay": "30ms"},
        {"carts": 2, "transport": "udp", "access": "wifi", "communication_infos": True},
        {"carts": 2, "transport": "udp", "workers": 1, "service_time": "15ms"},
        {"carts": 2, "training_server": "central", "transport": "udp", "access": "wifi"},
    ],
    ids=str,
)
def test_cart_pole_in_python_equals_cart_pole_in_cpp(arguments: dict[str, Any]) -> None:
    compare(CART_POLE, twin(TWINS / "cart_pole.py"), duration="1s", **arguments)


def test_contradictions_are_refused_as_in_cpp() -> None:
    for spec in (CART_POLE, twin(TWINS / "cart_pole.py")):
        env = spec.raw_env(placement="local", delay="5ms")
        with pytest.raises(ParameterError, match="placement=local"):
            env.reset()
        env.close()


@pytest.mark.parametrize("arguments", [{}, {"delay": "50ms", "agents": 3}], ids=str)
def test_the_template_in_python_equals_the_template_in_cpp(
    arguments: dict[str, Any], tmp_path: Path
) -> None:
    """The program of the template is built together with the tests."""
    file = tmp_path / "shared_link.py"
    file.write_text(render("shared_link", agents=2, python=True)["shared_link/scenario.py"])
    template = EnvironmentSpec("t_v0", Scenario("my_scenario", PROGRAMS / "shared_link"))
    compare(template, twin(file), duration="3s", **arguments)


def test_the_compared_template_is_the_current_one() -> None:
    files = render("shared_link", agents=2)
    for name in ("shared-link.cc", "shared-link-network.cc", "shared-link-network.h"):
        built = PROGRAMS / "template" / name
        assert built.read_text() == files[f"scenario/{name}"]
