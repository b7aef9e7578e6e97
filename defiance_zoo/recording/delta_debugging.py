# SPDX-License-Identifier: GPL-2.0-only
"""Delta debugging: what of a list is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

_Item = TypeVar("_Item")


def minimize(items: Sequence[_Item], holds: Callable[[Sequence[_Item]], bool]) -> tuple[_Item, ...]:
    """Return some of the items, in their order, of which none can be left out alone.

    By algorithm ddmin (Zeller and Hildebrandt 2002, "Simplifying and isolating failure-inducing
    input"): parts, and what is left without them, are tried, larger ones first.

    Args:
        items: For which `holds` holds.
        holds: Whether what is sought is found with some of the items; it is called once for each
            selection at most, and never for all items.
    """
    tried: dict[tuple[int, ...], bool] = {tuple(range(len(items))): True}

    def test(selection: tuple[int, ...]) -> bool:
        if selection not in tried:
            tried[selection] = holds([items[index] for index in selection])
        return tried[selection]

    kept, parts = tuple(range(len(items))), 2
    while kept:
        parts = min(parts, len(kept))
        smaller = next(filter(test, _selections(kept, parts)), None)
        if smaller is not None:
            parts = 2 if len(smaller) * 2 <= len(kept) else max(parts - 1, 2)
            kept = smaller
        elif parts == len(kept):
            break
        else:
            parts *= 2
    return tuple(items[index] for index in kept)


def _selections(kept: tuple[int, ...], parts: int) -> list[tuple[int, ...]]:
    """Return parts of about equal size, and all without each of them; of one item nothing."""
    if len(kept) == 1:
        return [()]
    ends = [len(kept) * part // parts for part in range(parts + 1)]
    pieces = [kept[begin:end] for begin, end in pairwise(ends)]
    rests = [kept[:begin] + kept[end:] for begin, end in pairwise(ends)]
    return [*pieces, *rests]
