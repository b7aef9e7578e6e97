# SPDX-License-Identifier: GPL-2.0-only
"""Learning curves of the trainings of `make baselines`: mean and band over seeds.

    python -m benchmarks.learning.curves [--results FOLDER] [--out FOLDER]

Draws ENV-learning.svg for each environment whose curves `benchmarks.learning.baselines` has saved,
and ENV-NAME.svg of what else was watched, such as an info.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from benchmarks.measuring.report import RESULTS, load
from benchmarks.publishing.plots import DOCS, SIZE_IN

FOLDER = "learning"
LABELS = {
    "evaluation/return/mean": "return, evaluations on the way",
    "return/mean": "return while training",
}


def pictures(curves: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return curves by the name of their picture: `learning`, or the end of their metric's name."""
    found: dict[str, dict[str, Any]] = {}
    for name, curve in curves.items():
        metric = curve["metric"]
        picture = "learning" if metric in LABELS else metric.rpartition("/")[2]
        found.setdefault(picture, {})[name.partition(",")[0]] = curve
    return found


def draw(curves: dict[str, Any], path: Path) -> None:
    """Draw curves of an environment by name; the same results give the same file."""
    with mpl.rc_context({"svg.hashsalt": "defiance-zoo"}):
        figure, axes = plt.subplots(figsize=SIZE_IN, layout="constrained")
        for name, curve in curves.items():
            label = f"{name}, {curve['runs']} seeds"
            (line,) = axes.plot(curve["steps"], curve["mean"], label=label)
            axes.fill_between(
                curve["steps"], curve["low"], curve["high"], color=line.get_color(), alpha=0.2
            )
        metrics = dict.fromkeys(
            LABELS.get(each["metric"], each["metric"]) for each in curves.values()
        )
        axes.set_xlabel("decisions of all agents")
        axes.set_ylabel("; ".join(metrics))
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
        figure.savefig(path, format="svg", metadata={"Date": None})
        plt.close(figure)


def main() -> None:
    """Draw what has been trained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in sorted((arguments.results / FOLDER).glob("*.json")):
        for picture, curves in pictures(load(path.stem, path.parent)["results"]).items():
            draw(curves, arguments.out / f"{path.stem}-{picture}.svg")


if __name__ == "__main__":
    main()
