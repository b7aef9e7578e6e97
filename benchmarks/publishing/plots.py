# SPDX-License-Identifier: GPL-2.0-only
"""Plots of the results in JSON.

    python -m benchmarks.publishing.plots [--results FOLDER] [--out FOLDER]

Plots of benchmarks without results are not drawn.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from cycler import cycler

from benchmarks.measuring.result_files import RESULTS, load
from benchmarks.measuring.timing import Figures
from defiance_zoo.experiments.workbench.figure_files import line_colors

DOCS = Path(__file__).parents[2] / "docs" / "plots"
SIZE_IN = (8.0, 3.4)
DPI = 100
COLORS = {"axes.prop_cycle": cycler(color=line_colors(7))}
"""A colour for each line; no plot has more than seven lines."""
Document = dict[str, Any]


def exchange(document: Document, axes: Any) -> None:
    """Median, 99th percentile and floor of a step with 4 floats."""
    prefix = "4 floats, "
    cases = {k.removeprefix(prefix): v for k, v in document["results"].items() if prefix in k}
    for row, figures in enumerate(cases.values()):
        median, p99 = figures["median_us"], figures["p99_us"]
        axes.plot([median, p99], [row, row], color="C0", zorder=1)
    rows = range(len(cases))
    for figure, style, label in (
        ("floor_us", "|", "floor"),
        ("median_us", "o", "median"),
        ("p99_us", ".", "99th percentile"),
    ):
        values = [figures.get(figure) for figures in cases.values()]
        color = "black" if figure == "floor_us" else "C0"
        axes.plot(values, rows, style, color=color, markersize=10 - 3 * (style == "."), label=label)
    axes.set_yticks(rows, cases)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("A step of 4 floats (µs)")


def agents(document: Document, axes: Any) -> None:
    """Agent-steps per second over the number of agents."""
    lines: dict[str, dict[int, float]] = {}
    for case, figures in document["results"].items():
        interface, count, situation = re.fullmatch(r"(.*), (\d+) agents?, (.*)", case).groups()  # type: ignore[union-attr]
        if situation in ("zmq, one core", "local, one core"):
            line = lines.setdefault(f"{interface}: {situation}", {})
            line[int(count)] = figures["agent_steps_per_s"]
    for name, line in lines.items():
        axes.plot(list(line), list(line.values()), "o-", label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("Agents")
    axes.set_ylabel("Speed (agent-steps/s)")


def resets(document: Document, axes: Any) -> None:
    """Duration of each kind of reset, compared with a bare fork."""
    cases = {k: v for k, v in document["results"].items() if k.endswith(", local")}
    names = [case.removesuffix(", local") for case in cases]
    axes.barh(names, [figures["median_ms"] for figures in cases.values()], label="median")
    axes.plot(
        [figures["floor_fork_ms"] for figures in cases.values()],
        names,
        "|",
        color="black",
        markersize=10,
        label="bare fork",
    )
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("reset() over the local link (ms)")


def vectors(document: Document, axes: Any) -> None:
    """Steps per second over the number of simulations, on the local link."""
    lines: dict[str, dict[int, float]] = {}
    for case, figures in document["results"].items():
        interface, count, link = re.fullmatch(r"(.*), (\d+) simulations?, (\w+)", case).groups()  # type: ignore[union-attr]
        if link == "local":
            lines.setdefault(interface.replace("`", ""), {})[int(count)] = figures["steps_per_s"]
    for name, line in lines.items():
        axes.plot(list(line), list(line.values()), "o-", label=name)
    axes.set_xlabel("Simulations")
    axes.set_ylabel("Speed of all together (steps/s)")
    axes.set_ylim(bottom=0)


def training(document: Document, axes: Any) -> None:
    """Steps per second over the number of simulations, for each kind of training."""
    styles = {"even costs": "o-", "uneven costs": "o--", "stragglers": "o:"}
    colors: dict[str, str] = {}
    lines: dict[tuple[str, str], dict[int, float]] = {}
    for case, figures in document["results"].items():
        costs, name, count = re.fullmatch(r"([^,]+), (.*), (\d+) simulations?", case).groups()  # type: ignore[union-attr]
        lines.setdefault((name.replace("`", ""), costs), {})[int(count)] = figures["steps_per_s"]
    for (name, costs), line in lines.items():
        color = colors.setdefault(name, f"C{len(colors)}")
        label = name if costs == "even costs" else None
        axes.plot(list(line), list(line.values()), styles[costs], color=color, label=label)
    for costs, style in styles.items():
        axes.plot([], [], style, color="black", label=costs)
    axes.set_yscale("log")
    axes.set_xlabel("Simulations")
    axes.set_ylabel("Speed while training (steps/s)")


def federation(document: Document, axes: Any) -> None:
    """Return over the link's rate, for each averaging period and without averaging."""
    lines: dict[str, dict[str, Figures]] = {}
    for case, figures in document["results"].items():
        match = re.fullmatch(r"(every .*), (.*)", case)
        if match is not None:
            lines.setdefault(match[1], {})[match[2]] = figures
    for name, line in lines.items():
        means = [figures["mean_return"] for figures in line.values()]
        errors = [figures["ci95"] for figures in line.values()]
        axes.errorbar(list(line), means, errors, fmt="o-", capsize=3, label=name)
    alone = document["results"]["never"]
    axes.axhline(alone["mean_return"], color="black", linestyle="--", label="never")
    low, high = (alone["mean_return"] + sign * alone["ci95"] for sign in (-1, 1))
    axes.axhspan(low, high, color="black", alpha=0.1)
    axes.set_ylim(0, 500)
    axes.set_xlabel("Rate of the link between cart and server")
    axes.set_ylabel("Return (of 500)")


def soak(document: Document, axes: Any) -> None:
    """Memory during the run."""
    for what, samples in document["samples"].items():
        done = [sample["done"] / samples[-1]["done"] for sample in samples]
        for whose in ("python", "server"):
            memory = [sample[f"{whose}_rss_mb"] for sample in samples]
            axes.plot(done, memory, label=f"{whose}, {samples[-1]['done']:,} {what}")
    axes.set_xlabel("Share done")
    axes.set_ylabel("Resident memory (MB)")
    axes.set_ylim(bottom=0)


def moving(document: Document, axes: Any) -> None:
    """Return over the delay of a hop, for each deployment."""
    lines: dict[str, dict[int, dict[str, float]]] = {}
    for case, figures in document["results"].items():
        if match := re.fullmatch(r"(.*), (\d+) ms", case):
            lines.setdefault(match[1], {})[int(match[2])] = figures
    for number, (name, line) in enumerate(lines.items()):
        means = [figures["return"] for figures in line.values()]
        below = [figures["return"] - figures["lowest"] for figures in line.values()]
        above = [figures["highest"] - figures["return"] for figures in line.values()]
        # Nested, because several lines are at the top.
        style = {"fmt": "o-", "markersize": 12 - 1.8 * number, "capsize": 2}
        axes.errorbar(list(line), means, (below, above), **style, label=name)
    axes.set_xlabel("One-way delay between neighbouring edge nodes (ms)")
    axes.set_ylabel("Return (of 500)")
    axes.set_ylim(bottom=0)


PLOTS: dict[str, Callable[[Document, Any], None]] = {
    "exchange": exchange,
    "agents": agents,
    "resets": resets,
    "vectors": vectors,
    "training": training,
    "federation": federation,
    "soak": soak,
    "moving": moving,
}
"""Functions by benchmark; the benchmark's name is also the file's."""


def main() -> None:
    """Draw the plots of all measurements."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    mpl.rcParams.update(COLORS)
    for name, draw in PLOTS.items():
        if not (arguments.results / f"{name}.json").exists():
            continue
        figure, axes = plt.subplots(figsize=SIZE_IN, layout="constrained")
        draw(load(name, arguments.results), axes)
        figure.legend(fontsize="small", loc="outside right upper")
        axes.grid(alpha=0.3)
        # Without matplotlib's version in the file, equal results give equal files.
        figure.savefig(arguments.out / f"{name}.png", dpi=DPI, metadata={"Software": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
