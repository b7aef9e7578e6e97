# SPDX-License-Identifier: GPL-2.0-only
"""Delta debugging: the needed items of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

_Item = TypeVar("_Item")


def minimize(items: Sequence[_Item], holds: Callable[[Sequence[_Item]], bool]) -> tuple[_Item, ...]:
    """Return some of the items, in their order, none of which can be left out alone.

    By algorithm ddmin (Zeller and Hildebrandt 2002, "Simplifying and isolating failure-inducing
    input"): it tries parts and their complements, larger ones first.

    Args:
        items: Items for which `holds` returns True.
        holds: Returns whether some of the items suffice; called at most once for each selection,
            and never for all items.
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
    """Return parts of about equal size, and their complements; nothing for a single item."""
    if len(kept) == 1:
        return [()]
    ends = [len(kept) * part // parts for part in range(parts + 1)]
    pieces = [kept[begin:end] for begin, end in pairwise(ends)]
    rests = [kept[:begin] + kept[end:] for begin, end in pairwise(ends)]
    return [*pieces, *rests]
