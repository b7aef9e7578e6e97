# SPDX-License-Identifier: GPL-2.0-only
"""The curves of a comparison: a line, a band and a colour for each policy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from matplotlib.figure import Figure

from defiance_zoo.protocols.comparison import comparison_results


def draw(measure: str, **found: list[list[int]]) -> Figure:
    """Return the figure of the numbers that the seeds of each policy counted at steps 10, 20, …"""
    results: list[Any] = [
        SimpleNamespace(
            cell=SimpleNamespace(policy=policy),
            record={
                "curve": [{"step": 10 * n, measure: count} for n, count in enumerate(counts, 1)]
            },
        )
        for policy, seeds in found.items()
        for counts in seeds
    ]
    config: Any = SimpleNamespace(policies=list(found))
    return comparison_results._draw(config, results, measure)


def test_each_policy_is_a_line_with_its_own_colour() -> None:
    policies = {f"policy_{number}": [[1, 2], [2, 3]] for number in range(12)}
    (part,) = draw("coverage", **policies).axes
    assert len({line.get_color() for line in part.lines}) == len(part.lines) == 12
    assert len(part.collections) == 12
    assert (part.get_xlabel(), part.get_ylabel()) == ("Simulated steps", "Multisets of colours")


def test_a_curve_ends_with_the_shortest_seed_and_a_single_seed_has_no_interval() -> None:
    (part,) = draw("final/Gap", chance=[[1, 2, 3], [3, 4]], bonus=[[5, 6, 7]]).axes
    assert [list(line.get_xdata()) for line in part.lines] == [[10, 20], [10, 20, 30]]
    texts = [each.get_text() for each in part.get_legend().get_texts()]
    assert texts == ["chance (2 seeds)", "bonus (1 seed, no interval)"]
    assert part.get_ylabel() == "States of Gap"
