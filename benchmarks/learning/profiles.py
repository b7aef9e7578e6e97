# SPDX-License-Identifier: GPL-2.0-only
"""Performance profiles of leaderboards: how often the scores of a row exceed each level.

    python -m benchmarks.learning.profiles [--results FOLDER] [--out FOLDER]

It draws leaderboard-profiles.svg, with a panel for each leaderboard that has scores: the trained
rows, and the best hand-written row. Bands are 95 % intervals over runs and episodes.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.measuring.result_files import RESULTS
from benchmarks.publishing.plots import COLORS, DOCS
from defiance_zoo.experiments.study.leaderboard.document import (
    Document,
    compare_trained,
    read_any,
    scores_of,
)
from defiance_zoo.experiments.workbench.comparisons import Results, mean, measure

FOLDER = "leaderboard"
LEVELS = np.arange(-4, 25) / 20
COLUMNS = 3
PANEL_IN = (4.0, 3.0)
"""Width and height of a panel."""


def profile(scores: Results) -> Results:
    """Return how often scores exceed each of `LEVELS`, with the interval, shape (3, levels).

    Args:
        scores: Scores of shape (runs, deployments, episodes).
    """
    found = [measure(lambda drawn, level=level: mean(drawn > level), scores) for level in LEVELS]
    rows = [(each.value, each.low, each.high) for each in found]
    return np.array(rows, np.float64).T


def profiles(document: Document) -> dict[str, Results]:
    """Return the profiles of the trained rows and of the best hand-written row, by name."""
    compared = compare_trained(document)
    names = dict.fromkeys([each.name for each in compared] + [each.other for each in compared])
    scores = scores_of(document)
    return {name: profile(scores[name]) for name in names if name in scores}


def draw(boards: dict[str, dict[str, Results]], path: Path) -> None:
    """Draw a panel for each leaderboard; equal results give equal files."""
    rows = math.ceil(len(boards) / COLUMNS)
    width, height = PANEL_IN
    text = {"svg.fonttype": "none"}  # outlines of letters would be most of the file
    with mpl.rc_context({"svg.hashsalt": "defiance-zoo", **text, **COLORS}):
        figure, panels = plt.subplots(
            rows,
            COLUMNS,
            figsize=(COLUMNS * width, rows * height),
            layout="constrained",
            squeeze=False,
            sharey=True,
        )
        for axes in panels.flat[len(boards) :]:
            axes.remove()
        for (env, found), axes in zip(boards.items(), panels.flat, strict=False):
            for name, (share, low, high) in found.items():
                (line,) = axes.plot(LEVELS, share, label=name)
                axes.fill_between(LEVELS, low, high, color=line.get_color(), alpha=0.2)
            axes.set_title(env)
            axes.legend(fontsize="x-small")
            axes.grid(alpha=0.3)
        figure.supxlabel("Score: 0 as random actions, 1 as the reference")
        figure.supylabel("Share of episodes with a greater score")
        figure.savefig(path, format="svg", metadata={"Date": None})
        plt.close(figure)


def main() -> None:
    """Draw the profiles of all leaderboards with scores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    found = {
        path.stem: profiles(read_any(path))
        for path in sorted((arguments.results / FOLDER).glob("*.json"))
    }
    boards = {env: each for env, each in found.items() if each}
    draw(boards, arguments.out / "leaderboard-profiles.svg")


if __name__ == "__main__":
    main()
