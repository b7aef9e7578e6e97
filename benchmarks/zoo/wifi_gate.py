# SPDX-License-Identifier: GPL-2.0-only
"""The throughput of wifi_contention_v0, compared with Bianchi's model.

    python -m benchmarks.zoo.wifi_gate [--quick] [--out FOLDER]

It measures the standard's back-off and each fixed window, with several numbers of stations. Figures
are in simulated time, so they are equal on every machine. The program takes a quarter of an hour.
"""

from __future__ import annotations

import statistics
import warnings

from benchmarks.measuring.command import read_arguments
from benchmarks.measuring.result_files import save
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs import wifi_contention_v0
from defiance_zoo.envs.wifi_contention.baselines import choose
from defiance_zoo.envs.wifi_contention.bianchi import (
    WINDOWS,
    fixed_throughput,
    standard_throughput,
)

SECONDS = {5: 10.0, 15: 8.0, 30: 6.0, 50: 6.0}
"""Simulated seconds by number of stations, after the time in which all begin at once."""
SETTLING_S, STANDARD_SETTLING_S = 0.2, 1.0
"""Settling time with one window and with the standard: 50 stations' windows grow for 1 s."""


def mean_throughput(
    stations: int,
    window: int | None,
    seconds: float,
    *,
    seed: int = 1,
    settling: float = SETTLING_S,
) -> float:
    """Return the throughput of a cell in Mb/s.

    Args:
        stations: Number of stations.
        window: Window of all stations in slots, CW + 1; None: the standard's back-off.
        seconds: Simulated time that counts.
        seed: Seed of the episode.
        settling: Simulated time before that, in which all stations begin at once.
    """
    interval = 0.1
    env = wifi_contention_v0.raw_env(
        stations=stations,
        back_off="standard" if window is None else "agent",
        interval=f"{interval}s",
        duration=f"{settling + seconds}s",
        link="local",
    )
    env.reset(seed=seed)
    action = choose(env.action_space("agent_0"), window or WINDOWS[0])
    counted_from = env.infos["agent_0"]["sim_time_ns"] + round(settling * 1e9)
    measured = []
    for _agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        if info["sim_time_ns"] > counted_from:
            measured.append(info["throughput"])
        env.step(None if terminated or truncated else action)
    env.close()
    return statistics.fmean(measured)


def compare(
    stations: int, window: int | None, seconds: float, *, settling: float = SETTLING_S
) -> Figures:
    """Return measured and modelled throughput in Mb/s, and their difference in percent."""
    measured = mean_throughput(stations, window, seconds, settling=settling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # also windows outside of the model's range
        model = (
            standard_throughput(stations) if window is None else fixed_throughput(stations, window)
        )
    return {
        "mbps": measured,
        "model_mbps": model,
        "deviation_percent": 100 * (measured / model - 1),
    }


def measure(effort: Effort) -> Results:
    """Measure the standard's back-off and each window, with each number of stations."""
    results: Results = {}
    for stations, seconds in SECONDS.items():
        for window in (None, *WINDOWS):
            name = "standard" if window is None else f"window {window}"
            settling = STANDARD_SETTLING_S if window is None else SETTLING_S
            length, settling = (0.1, 0.0) if effort.quick else (seconds, settling)
            results[f"{stations} stations, {name}"] = compare(
                stations, window, length, settling=settling
            )
    return results


def main() -> None:
    """Measure, print, save."""
    arguments = read_arguments(__doc__)
    results = measure(Effort(quick=arguments.quick))
    for name, figures in results.items():
        print(name, ", ".join(f"{figure} {value:.2f}" for figure, value in figures.items()))
    save("wifi_gate", "make gate", results, arguments.out)


if __name__ == "__main__":
    main()
