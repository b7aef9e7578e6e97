# SPDX-License-Identifier: GPL-2.0-only
"""Where nodes are drawn that have no position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 200
_SPRUNG = 150
"""Nodes up to which springs move them; of more, a circle has to do."""


def lay_out(count: int, links: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Return a position for each node, near those that it is linked with; the same for the same.

    Springs pull linked nodes together, and all push each other away (T. M. J. Fruchterman and
    E. M. Reingold, Graph drawing by force-directed placement, 1991), beginning on a circle.

    Args:
        count: Of nodes.
        links: Each with the nodes that it joins.

    Returns:
        Shape (count, 2), with no two nodes at the same place.
    """
    angles = 2 * np.pi * np.arange(count) / max(count, 1)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    if count < 3 or count > _SPRUNG:
        return places
    joined = np.zeros((count, count))
    for nodes in links:
        for each in nodes:
            joined[each, list(nodes)] = 1
    np.fill_diagonal(joined, 0)
    distance = np.sqrt(4.0 / count)
    for temperature in np.linspace(0.3, 0.002, _ROUNDS):
        between = places[:, None] - places[None]
        lengths = np.maximum(np.linalg.norm(between, axis=2), 1e-3)
        forces = distance**2 / lengths**2 - joined * lengths / distance
        steps = (between * forces[..., None]).sum(axis=1)
        sizes = np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9)
        places = places + steps / sizes * np.minimum(sizes, temperature)
    return places


def place_beside(
    places: NDArray[np.float64], known: NDArray[np.bool_], links: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    """Return positions: nodes that have none stand outside, near those they are linked with.

    Args:
        places: Shape (n, 2).
        known: Shape (n,), bool: which of these are positions; at least one.
        links: Each with the nodes that it joins.

    Returns:
        Shape (n, 2): `places` where they are known.
    """
    found: NDArray[np.float64] = places.copy()
    placed = known.copy()
    centre = places[known].mean(axis=0)
    size = float(np.ptp(places[known], axis=0).max()) or 1.0
    waiting: list[int] = np.flatnonzero(~known).tolist()
    while waiting:
        # First those that are linked with a node that has its place.
        node = next((n for n in waiting if _neighbours(n, links, placed)), waiting[0])
        near = _neighbours(node, links, placed)
        middle = found[near].mean(axis=0) if near else centre + np.array([0.0, size / 2])
        out = middle - centre
        length = float(np.linalg.norm(out))
        direction = out / length if length > size / 100 else np.array([0.0, 1.0])
        found[node] = middle + direction * size * 0.3
        placed[node] = True
        waiting.remove(node)
    return found


def _neighbours(node: int, links: Sequence[Sequence[int]], placed: NDArray[np.bool_]) -> list[int]:
    return sorted({e for nodes in links if node in nodes for e in nodes if placed[e]} - {node})


def spread(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far nodes are drawn from where they are, so that none hides another.

    Args:
        places: Shape (n, 2).

    Returns:
        Shape (n, 2): 0 for nodes that stand alone; those at one place stand around it.
    """
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
            offsets[members] = 0.08 * size * np.column_stack([np.cos(angles), np.sin(angles)])
    return offsets
