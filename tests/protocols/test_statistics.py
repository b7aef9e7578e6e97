# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of samples, computed by hand."""

from __future__ import annotations

import math

import pytest

from defiance_zoo.protocols.comparison.comparison_results import compare


def test_the_test_is_exact_without_equal_values() -> None:
    found = compare([4, 5, 6], [1, 2, 3])
    assert (found.u, found.effect, found.ratio) == (9, 1, 2.5)
    assert found.p == pytest.approx(1 / 20)  # one of the 20 ways to choose three of six
    assert compare([1, 2, 3], [4, 5, 6]).p == pytest.approx(1)
    # 5 and 3 against 4 and 1: three of the four pairs; two of the six ways have as many or more.
    found = compare([5, 3], [4, 1])
    assert (found.u, found.effect, found.p) == (3, 0.75, pytest.approx(2 / 6))


def test_fewer_steps_are_better_and_seeds_without_a_find_come_last() -> None:
    found = compare([10, 20, 30], [40, 50, math.inf], fewer=True)
    assert (found.effect, found.ratio) == (1, None)
    assert found.p == pytest.approx(1 / 20)
    assert compare([math.inf], [1], fewer=True).effect == 0


def test_equal_values_count_half() -> None:
    found = compare([1, 2], [1, 2])
    assert (found.u, found.effect) == (2, 0.5)
    assert found.p > 0.5
    assert compare([3, 3], [3, 3, 3]).p == 1
    assert compare([1], [0]).ratio is None
