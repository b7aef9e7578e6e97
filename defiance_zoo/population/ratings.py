# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a population, such as transitivity and Elo ratings, and pictures of payoffs."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from defiance_zoo.errors import NotSolved
from defiance_zoo.population.games.normal_form import Floats
from defiance_zoo.population.payoff_table import PayoffTable
from defiance_zoo.population.solvers.nash import minimax

BEGIN = 1000.0
"""The first rating of a player."""

GAIN = 16.0
"""Maximum change of a rating by a match, called K."""

_SCALE = 400.0


def expected_score(own: float, other: float) -> float:
    """Return the score that ratings predict: 1 / (1 + 10^((other - own) / 400))."""
    return float(1 / (1 + 10 ** ((other - own) / _SCALE)))


def rate(matches: Iterable[tuple[str, str, float]]) -> dict[str, float]:
    """Return the ratings of players after matches, one after the other (Elo, 1978).

    A match has two players, and the score of the first one, from 0 to 1. The order matters.
    """
    ratings: dict[str, float] = {}
    for first, second, score in matches:
        own, other = ratings.setdefault(first, BEGIN), ratings.setdefault(second, BEGIN)
        change = GAIN * (score - expected_score(own, other))
        ratings[first], ratings[second] = own + change, other - change
    return ratings


def relative_performance(payoffs: ArrayLike) -> float:
    """Return the payoff of a population against another, with the best mixtures of both.

    This is the value of the zero-sum game whose strategies are the policies of both populations,
    called relative population performance (Balduzzi et al., 2019). Above 0, the first population is
    better.

    Rows of `payoffs` are the first population's policies.
    """
    array = np.asarray(payoffs, np.float64)
    rows, columns = minimax(array)
    return float(rows @ array @ columns)


_ANTISYMMETRIC = 1e-6
"""Maximum sum of payoffs that counts as rounding, relative to the greatest payoff."""


def transitivity(payoffs: ArrayLike) -> float | None:
    """Return the transitive share of payoffs: the part that an order of strength explains.

    An antisymmetric matrix A is the sum of a transitive part, r_i - r_j with the row means r, and a
    cyclic part, which are orthogonal (Balduzzi et al., 2019). The result is the share of the
    transitive part in the squared Frobenius norm of A. 1: the stronger policy always wins; 0:
    payoffs are cyclic, as in rock, paper, scissors; None: payoffs are unknown, not those of a
    zero-sum game of two seats of one role, or all 0.
    """
    array = np.asarray(payoffs, np.float64)
    scale = float(np.abs(array).max(initial=0))
    if not 0 < scale < np.inf or np.abs(array + array.T).max() > _ANTISYMMETRIC * scale:
        return None
    ratings = array.mean(axis=1)
    ordered = ratings[:, np.newaxis] - ratings[np.newaxis, :]
    return float(np.square(ordered / scale).sum() / np.square(array / scale).sum())


def is_symmetric(table: PayoffTable) -> bool:
    """Return whether a game has two seats of one role, so that all policies are comparable."""
    return len(table.seats.agents) == 2 and len(table.seats.names) == 1


def elo_ratings(table: PayoffTable, names: Sequence[str]) -> dict[str, float]:
    """Return the Elo ratings of policies in a symmetric game of two.

    Each policy plays the earlier ones, one after the other; the score of a match is the mean over
    its episodes. Matches that were not played are left out.
    """
    ratings = rate(_matches(table, names))
    return {name: ratings[name] for name in names if name in ratings}


def _matches(table: PayoffTable, names: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    for number, name in enumerate(names):
        for other in names[:number]:
            cell = table.get((name, other))
            if cell is not None:
                yield name, other, cell.scores[name].mean


def progress(table: PayoffTable, names: Sequence[str]) -> float | None:
    """Return how a population's later half performs against its earlier half.

    It is None for fewer than two policies, unknown payoffs, or without an equilibrium.
    """
    half = len(names) // 2
    payoffs = table.matrix(names[half:], names[:half])
    if not payoffs.size or not np.isfinite(payoffs).all():
        return None
    try:
        return relative_performance(payoffs)
    except NotSolved:
        return None


_NUMBERED = 12
"""Maximum number of rows and columns with numbers in cells."""

_NAMED = 30
"""Maximum number of rows or columns that are all named."""

_INCHES = 7.0
"""Maximum width and height of all cells together."""

_DARK = 0.7
"""Strength of a colour above which a cell's number is white."""

_DPI = 100


def draw_heat_map(
    payoffs: Floats, rows: Sequence[str], columns: Sequence[str], title: str, *, center: float = 0
) -> Figure:
    """Return a picture of payoffs of rows against columns; unknown payoffs are grey."""
    width, height = (1.6 + min(_INCHES, 0.55 * max(len(each), 3)) for each in (columns, rows))
    figure = Figure(figsize=(width + 1.2, height + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(title=title, facecolor="0.8")
    reach = float(np.nanmax(np.abs(payoffs - center))) if np.isfinite(payoffs).any() else 0.0
    reach = reach or 1.0
    image = axes.imshow(payoffs, "RdBu", vmin=center - reach, vmax=center + reach)
    for axis, names in ((axes.xaxis, columns), (axes.yaxis, rows)):
        every = range(0, len(names), 1 + (len(names) - 1) // _NAMED)
        axis.set_ticks(every, [names[place] for place in every])
    axes.tick_params("x", rotation=90)
    if max(len(rows), len(columns)) <= _NUMBERED:
        for (row, column), value in np.ndenumerate(payoffs):
            if np.isfinite(value):
                ink = "white" if abs(value - center) > _DARK * reach else "black"
                text = f"{value:.2g}"
                axes.text(column, row, text, ha="center", va="center", fontsize=8, color=ink)
    figure.colorbar(image, ax=axes, label="payoff of the row")
    return figure


def to_png(figure: Figure) -> bytes:
    """Return a picture as a PNG file."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_DPI)
    return picture.getvalue()


def to_pixels(figure: Figure) -> NDArray[np.uint8]:
    """Return the pixels of a picture, shape (height, width, 3)."""
    canvas: Any = FigureCanvasAgg(figure)  # its methods have no types
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.uint8)[..., :3]
