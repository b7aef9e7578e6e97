# SPDX-License-Identifier: GPL-2.0-only
"""Compare scenarios in Python with the same scenarios in C++."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.timing import Effort, Figures, Results, time_each
from benchmarks.speed.resets import cold_times
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.command_line.new_project.project import render
from defiance_zoo.environments import EnvironmentSpec, lookup

ROOT = Path(__file__).resolve().parents[2]
TWINS = ROOT / "tests" / "scenario" / "twins"
SHARED_LINK = ROOT / "build" / "native" / "tests" / "scenarios" / "shared_link"


def python_spec(file: Path) -> EnvironmentSpec:
    """Return the environment of a scenario in Python."""
    return EnvironmentSpec(f"{file.stem}_v0", Scenario.python(file.stem, file))


def _template() -> EnvironmentSpec:
    """Return the environment that `defiance-zoo new --python` writes."""
    file = Path(tempfile.mkdtemp(prefix="defiance-zoo-benchmark-")) / "shared_link.py"
    atexit.register(shutil.rmtree, file.parent)
    file.write_text(render("shared_link", python=True)["shared_link/scenario.py"])
    return python_spec(file)


CART_POLE, CART_POLE_IN_PYTHON = lookup("cart_pole_v0"), python_spec(TWINS / "cart_pole.py")
SUBJECTS: dict[str, tuple[EnvironmentSpec, EnvironmentSpec, dict[str, Any]]] = {
    "exchange": (
        EXCHANGE,
        python_spec(Path(__file__).parents[1] / "scenarios" / "exchange.py"),
        {},
    ),
    "cart_pole": (CART_POLE, CART_POLE_IN_PYTHON, {"transport": "udp"}),
    "cart_pole, Wi-Fi": (
        CART_POLE,
        CART_POLE_IN_PYTHON,
        {"transport": "udp", "access": "wifi", "carts": 5},
    ),
    "shared_link": (
        EnvironmentSpec("shared_link_v0", Scenario("shared_link", SHARED_LINK)),
        _template(),
        {"agents": 1, "data_rate": "50Mbps"},
    ),
}
"""The bare exchange; Python models and applications with ns-3's Wi-Fi; counted ns-3 traffic."""


def figures(spec: EnvironmentSpec, effort: Effort, arguments: dict[str, Any]) -> Figures:
    """Return the duration of resets, and steps per second.

    The first reset starts the program; its duration is the median over several programs.
    """
    first = np.median(cold_times(spec, effort.of(5, 1), {"link": "local", **arguments}))
    env = spec.raw_env(link="local", **arguments)
    env.reset()
    later = time_each(env.reset, effort.of(100, 3))
    steps = np.zeros(effort.of(5, 1))
    for number in range(len(steps)):
        steps[number] = _steps_per_s(env, effort.of(2000, 20))
    env.close()
    return {
        "first_ms": float(first * 1e3),
        "median_ms": float(np.median(later) * 1e3),
        "per_s": float(np.median(steps)),
    }


def _steps_per_s(env: Any, steps: int) -> float:
    """Play a number of steps, and return steps per second without resets."""
    took, left = 0.0, steps
    while left > 0:
        env.reset(seed=left)

        def play() -> None:
            nonlocal left
            while env.agents and left > 0:
                done = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
                env.step(None if done else 1)
                left -= 1

        took += time_each(play, 1)[0]
    return steps / took


def measure(effort: Effort) -> Results:
    """Measure each scenario in both languages, one after the other."""
    results: Results = {}
    for name, (cpp, python, arguments) in SUBJECTS.items():
        base, own = (figures(spec, effort, arguments) for spec in (cpp, python))
        results[f"{name}, C++"] = base
        results[f"{name}, Python"] = {
            **own,
            "reset_ratio": own["median_ms"] / base["median_ms"],
            "speed_ratio": own["per_s"] / base["per_s"],
        }
    return results
