# SPDX-License-Identifier: GPL-2.0-only
"""The programs in benchmarks/scenarios, which are built but not shipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec

PROGRAMS = Path(__file__).parents[2] / "build" / "native" / "benchmarks" / "scenarios"
ECHO = PROGRAMS / "echo"


def _spec(name: str) -> EnvironmentSpec:
    return EnvironmentSpec(name, Scenario(name, PROGRAMS / name))


def with_defaults(spec: EnvironmentSpec, **defaults: Any) -> EnvironmentSpec:
    """Return an environment with other default parameters."""
    return replace(spec, scenario=replace(spec.scenario, defaults=defaults))


EXCHANGE = _spec("exchange")
ALL_LIBRARIES = _spec("all_libraries")
ALL_LIBRARIES_WIFI = with_defaults(ALL_LIBRARIES, wifi=True)
TRAFFIC = _spec("traffic")

ROUND_S = 0.001
"""Simulated seconds from one round of EXCHANGE and ALL_LIBRARIES to the next."""
