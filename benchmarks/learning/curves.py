# SPDX-License-Identifier: GPL-2.0-only
"""Learning curves of `make baselines`: mean and band over seeds, and baselines as levels.

    python -m benchmarks.learning.curves [--results FOLDER] [--out FOLDER]

For each environment whose curves `benchmarks.learning.baselines` has saved, it draws
ENV-learning.svg, with a panel for each run, and ENV-NAME.svg for other metrics, such as an info.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from benchmarks.measuring.result_files import RESULTS, load
from benchmarks.publishing.plots import COLORS, DOCS, SIZE_IN

FOLDER = "learning"
BASELINES = "baselines"
SHARE = 0.1
"""Levels that are closer than this share of the axis have one label."""
PANEL_IN = 2.4
"""Height of each of several panels."""

LABELS = {
    "evaluation/return/mean": "Return in evaluations",
    "return/mean": "Return while training",
}
"""Titles of the metrics in the picture `learning`."""

WATCHED = {
    "info/agent_0/window": "Contention window (slots)",
    "return/agent_0": "Return of the transmitter",
}
"""Titles of the metrics in other pictures."""


def pictures(curves: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return curves by their picture's name: `learning`, or the end of the metric's name."""
    found: dict[str, dict[str, Any]] = {}
    for name, curve in curves.items():
        metric = curve["metric"]
        picture = "learning" if metric in LABELS else metric.rpartition("/")[2]
        found.setdefault(picture, {})[name.partition(",")[0]] = curve
    return found


def panels(curves: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the groups of curves that share axes; different rewards are not mixed."""
    if all(curve["metric"] in LABELS for curve in curves.values()):
        return [{name: curve} for name, curve in curves.items()]
    return [curves]


def levels(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return the mean returns of the policies that do not learn, by the name of the run."""
    found: dict[str, dict[str, float]] = {}
    for case, figures in results.items():
        name, _, policy = case.partition(", ")
        if policy != "trained" and "mean_return" in figures:
            found.setdefault(name, {})[policy] = figures["mean_return"]
    return found


def draw(curves: dict[str, Any], path: Path, env: str, known: dict[str, dict[str, float]]) -> None:
    """Draw an environment's curves by name; equal results give equal files.

    Args:
        curves: Curves of a picture, by name.
        path: File to write.
        env: Name of the environment, for titles.
        known: Mean returns of policies that do not learn, by run and policy.
    """
    parts = panels(curves)
    width, height = SIZE_IN
    if len(parts) > 1:
        height = PANEL_IN * len(parts)
    with mpl.rc_context({"svg.hashsalt": "defiance-zoo", **COLORS}):
        figure, all_axes = plt.subplots(
            len(parts), figsize=(width, height), layout="constrained", squeeze=False
        )
        for part, axes in zip(parts, all_axes[:, 0], strict=True):
            _draw_panel(part, axes)
            axes.set_title(f"{env}: {', '.join(name.rpartition('/')[2] for name in part)}")
            if all(curve["metric"] in LABELS for curve in part.values()):
                (name,) = part
                _draw_levels(known.get(name, known.get(name.rpartition("/")[2], {})), axes)
        all_axes[-1, 0].set_xlabel("Decisions of all agents")
        figure.savefig(path, format="svg", metadata={"Date": None})
        plt.close(figure)


def _draw_panel(curves: dict[str, Any], axes: Any) -> None:
    for name, curve in curves.items():
        label = f"{name.rpartition('/')[2]}, {curve['runs']} seeds"
        (line,) = axes.plot(curve["steps"], curve["mean"], label=label)
        axes.fill_between(
            curve["steps"], curve["low"], curve["high"], color=line.get_color(), alpha=0.2
        )
    metrics = dict.fromkeys(each["metric"] for each in curves.values())
    axes.set_ylabel("; ".join({**LABELS, **WATCHED}.get(each, each) for each in metrics))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)


def _draw_levels(values: dict[str, float], axes: Any) -> None:
    """Draw a line for each policy that does not learn, and its name at the right end."""
    for value in values.values():
        axes.axhline(value, color="0.5", linewidth=0.8, linestyle="--")
    low, high = axes.get_ylim()
    groups: list[tuple[float, list[str]]] = []
    for policy, value in sorted(values.items(), key=lambda each: each[1]):
        if groups and value - groups[-1][0] < SHARE * (high - low):
            groups[-1][1].append(policy)
        else:
            groups.append((value, [policy]))
    for value, policies in groups:
        axes.annotate(
            ", ".join(policies),
            (1.01, value),
            xycoords=("axes fraction", "data"),
            verticalalignment="center",
            fontsize="small",
        )


def main() -> None:
    """Draw the curves of all trainings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in sorted((arguments.results / FOLDER).glob("*.json")):
        known = levels(load(path.stem, arguments.results / BASELINES)["results"])
        for picture, curves in pictures(load(path.stem, path.parent)["results"]).items():
            draw(curves, arguments.out / f"{path.stem}-{picture}.svg", path.stem, known)


if __name__ == "__main__":
    main()
