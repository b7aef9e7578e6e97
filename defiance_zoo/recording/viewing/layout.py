# SPDX-License-Identifier: GPL-2.0-only
"""Layout of nodes without positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Pairs = Sequence[Sequence[int]]
"""Indices of nodes that share a link or a channel."""

_ROUNDS = 100
_ARRANGED = 150
"""Maximum number of nodes that are arranged by distances; more nodes form a circle."""
_CHANNEL = 1.5
"""Distance of nodes that only a channel joins; linked nodes have 1."""

_REACH = 0.3
"""Distance of a node without a position from its neighbours, as a share of the picture."""


def lay_out(count: int, links: Pairs, channels: Pairs = ()) -> NDArray[np.float64]:
    """Return a position for each node, near its neighbours; equal arguments give equal positions.

    The longest extent is horizontal.
    """
    circle = _circle(count)
    if count < 3 or count > _ARRANGED:
        return circle
    wanted = _shortest_ways(count, links, channels)
    return _across(_settle(_first_places(wanted) + 0.1 * circle, np.full(count, True), wanted))


def place_beside(
    places: NDArray[np.float64], known: NDArray[np.bool_], links: Pairs, channels: Pairs = ()
) -> NDArray[np.float64]:
    """Return positions, with nodes without a position near their neighbours."""
    size = np.ptp(places[known], axis=0).max()
    found = np.where(
        known[:, None], places, places[known].mean(axis=0) + size * _circle(len(known))
    )
    if len(known) > _ARRANGED:
        return found
    return _settle(found, ~known, _REACH * size * _shortest_ways(len(known), links, channels))


def _circle(count: int) -> NDArray[np.float64]:
    angles = 2 * np.pi * np.arange(count) / max(count, 1)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _settle(
    places: NDArray[np.float64], free: NDArray[np.bool_], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Move free nodes until distances approximate the wanted ones.

    E. R. Gansner, Y. Koren and S. North, Graph drawing by stress majorization, 2004.
    """
    weights = 1.0 / np.where(wanted > 0, wanted, np.inf) ** 2
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian[np.ix_(free, free)])
    held = laplacian[np.ix_(free, ~free)] @ places[~free]
    for _ in range(_ROUNDS):
        between = np.linalg.norm(places[:, None] - places[None], axis=2)
        pull = -weights * wanted / np.maximum(between, 1e-6)
        np.fill_diagonal(pull, 0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places[free] = inverse @ ((pull @ places)[free] - held)
    return places


def _shortest_ways(count: int, links: Pairs, channels: Pairs) -> NDArray[np.float64]:
    """Return the distances between nodes; unconnected nodes are further apart than all others."""
    ways = np.full((count, count), np.inf)
    for pairs, length in ((channels, _CHANNEL), (links, 1.0)):
        for nodes in pairs:
            ways[np.ix_(nodes, nodes)] = length
    np.fill_diagonal(ways, 0)
    for node in range(count):
        ways = np.minimum(ways, ways[:, [node]] + ways[[node]])
    furthest = float(ways[np.isfinite(ways)].max())
    return np.where(np.isfinite(ways), ways, max(1.0, furthest) * 1.2)


def _first_places(wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two directions in which distances differ most (classical scaling)."""
    squares = wanted**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    first: NDArray[np.float64] = vectors[:, -1:-3:-1] * np.sqrt(np.maximum(values[-1:-3:-1], 0))
    return first


def _across(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotate places so that they are wider than high."""
    centred = places - places.mean(axis=0)
    turned: NDArray[np.float64] = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    return turned


def spread(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return offsets for nodes, 0 for most: several nodes at one place surround it."""
    offsets = np.zeros_like(places)
    if len(places) == 0:
        return offsets
    size = float(np.ptp(places, axis=0).max()) or 1.0
    cells = np.round(places / size * 200).astype(np.int64)
    _, groups = np.unique(cells, axis=0, return_inverse=True)
    for group in np.unique(groups):
        (members,) = np.nonzero(groups.ravel() == group)
        if len(members) > 1:
            angles = 2 * np.pi * np.arange(len(members)) / len(members)
            radius = size * min(max(0.08, 0.025 * len(members)), 0.4)
            offsets[members] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return offsets
