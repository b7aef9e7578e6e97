# SPDX-License-Identifier: GPL-2.0-only
"""Latency of one decision: `step()` of the Gymnasium environment, without a simulated network."""

from __future__ import annotations

from typing import Any

from benchmarks.measuring import floors
from benchmarks.measuring.programs import EXCHANGE, ROUND_S
from benchmarks.measuring.situations import CORE_EACH, ONE_CORE, UNPINNED, Situation
from benchmarks.measuring.timing import Effort, Results, Times, in_us, time_each
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

OBSERVATIONS: dict[str, dict[str, Any]] = {
    "4 floats": {"size": 4},
    "1,000 floats": {"size": 1000},
    "Dict": {"kind": "dict"},
    "Tuple": {"kind": "tuple"},
    "Within a call": {"synchronous": True},
}
"""Kinds of observations; the last equals the first, but its agent calls `RequestAction()`."""
FLOAT_BYTES = 4
WARM_UP = 500


def step_times(situation: Situation, parameters: dict[str, Any], steps: int) -> Times:
    """Return durations of steps of one long episode in seconds, shape (steps,)."""
    duration = (steps + WARM_UP + 2) * ROUND_S
    with situation.placed():
        env = GymnasiumEnv(EXCHANGE, duration=f"{duration}s", **parameters, **situation.arguments)
        env.reset(seed=1)
        situation.settle()
        times = time_each(lambda: env.step(3), steps, warm_up=WARM_UP)
        env.close()
    return times


def measure(effort: Effort) -> Results:
    """Measure every kind of observation in every situation."""
    steps = effort.of(10_000, 200)
    results: Results = {}
    floor_us: dict[tuple[Situation, int], float | None] = {}
    for kind, parameters in OBSERVATIONS.items():
        for situation in (*UNPINNED, *ONE_CORE, *CORE_EACH):
            key = situation, parameters.get("size", 4) * FLOAT_BYTES
            if key not in floor_us:
                floor_us[key] = floors.round_trip_us(*key, steps // 2)
            figures = in_us(step_times(situation, parameters, steps))
            floor = floor_us[key]
            if floor is not None:
                figures |= {"floor_us": floor, "to_floor": figures["median_us"] / floor}
            results[f"{kind}, {situation.name}"] = figures
    return results
