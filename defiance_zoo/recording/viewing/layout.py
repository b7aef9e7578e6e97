# SPDX-License-Identifier: GPL-2.0-only
"""Layout of nodes without positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Pairs = Sequence[Sequence[int]]
"""Indices of nodes that share a link or a channel."""

_ROUNDS = 100
_ARRANGED = 150
"""Maximum number of nodes that are arranged by distances; more nodes form a circle."""
_CHANNEL = 1.5
"""Distance of nodes that only a channel joins; linked nodes have 1."""

_REACH = (0.3, 0.45, 0.6, 0.8)
"""Distances of a node without a position from its neighbours, as shares of the picture."""
_CLEAR = 0.22
"""Distance from other nodes that leaves room for names, as a share of the picture."""
_COLUMN = 5
"""Rows of nodes without a connection to a node with a position."""


def lay_out(count: int, links: Pairs, channels: Pairs = ()) -> NDArray[np.float64]:
    """Return a position for each node, near its neighbours; equal arguments give equal positions.

    Distances approximate shortest paths (E. R. Gansner, Y. Koren and S. North, Graph drawing by
    stress majorization, 2004). The longest extent is horizontal.
    """
    angles = 2 * np.pi * np.arange(count) / max(count, 1)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    if count < 3 or count > _ARRANGED:
        return circle
    wanted = _shortest_ways(count, links, channels)
    weights = 1.0 / np.where(wanted > 0, wanted, np.inf) ** 2
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    places = _first_places(wanted) + 0.1 * circle
    for _ in range(_ROUNDS):
        between = np.linalg.norm(places[:, None] - places[None], axis=2)
        pull = -weights * wanted / np.maximum(between, 1e-6)
        np.fill_diagonal(pull, 0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places = inverse @ pull @ places
    return _across(places)


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


def place_beside(
    places: NDArray[np.float64], known: NDArray[np.bool_], links: Pairs, channels: Pairs = ()
) -> NDArray[np.float64]:
    """Return positions, placing nodes without a position where there is room near their neighbours.

    Nodes without a connection to a known position are placed to the right, a row for each group.
    """
    found: NDArray[np.float64] = places.copy()
    placed = known.copy()
    joined = [*links, *channels]
    size = float(np.ptp(places[known], axis=0).max()) or 1.0
    while True:
        waiting = [n for n in np.flatnonzero(~placed).tolist() if _neighbours(n, joined, placed)]
        if not waiting:
            break
        near = _neighbours(waiting[0], joined, placed)
        found[waiting[0]] = _find_room(found[near].mean(axis=0), found[placed], size)
        placed[waiting[0]] = True
    _stand_in_rows(found, placed, joined, size)
    return found


def _find_room(
    middle: NDArray[np.float64], others: NDArray[np.float64], size: float
) -> NDArray[np.float64]:
    """Return a place near the middle of neighbours, outwards if possible, with room around it."""
    out = middle - (others.min(axis=0) + others.max(axis=0)) / 2
    outwards = np.arctan2(out[1], out[0]) if np.linalg.norm(out) > size / 100 else np.pi / 2
    turns = outwards + np.pi / 8 * np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8])
    ways = np.column_stack([np.cos(turns), np.sin(turns)])
    tried = np.concatenate([middle + reach * size * ways for reach in _REACH])
    room = np.linalg.norm(tried[:, None] - others[None], axis=2).min(axis=1)
    clear = np.flatnonzero(room >= _CLEAR * size)
    chosen: NDArray[np.float64] = tried[clear[0] if len(clear) else int(room.argmax())]
    return chosen


def _stand_in_rows(
    found: NDArray[np.float64], placed: NDArray[np.bool_], joined: Pairs, size: float
) -> None:
    """Place the remaining nodes: groups below each other, in columns."""
    groups = list(_groups(np.flatnonzero(~placed).tolist(), joined))
    if not groups:
        return
    top, left = found[placed].min(axis=0)[1], found[placed].max(axis=0)[0] + 0.45 * size
    height = max(float(np.ptp(found[placed], axis=0)[1]), 0.5 * size)
    for begin in range(0, len(groups), _COLUMN):
        column = groups[begin : begin + _COLUMN]
        for row, group in enumerate(column):
            y = top + height * (row + 0.5) / len(column)
            for place, node in enumerate(group):
                found[node] = left + 0.35 * size * place, y
        left += 0.35 * size * max(map(len, column))


def _groups(nodes: Sequence[int], joined: Pairs) -> Iterator[list[int]]:
    """Yield groups of connected nodes."""
    left = list(nodes)
    while left:
        group = [left.pop(0)]
        for each in group:  # the list grows
            near = [n for n in left if any(n in nodes and each in nodes for nodes in joined)]
            group += near
            left = [n for n in left if n not in near]
        yield group


def _neighbours(node: int, joined: Pairs, placed: NDArray[np.bool_]) -> list[int]:
    return sorted({e for nodes in joined if node in nodes for e in nodes if placed[e]} - {node})


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
