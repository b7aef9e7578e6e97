# SPDX-License-Identifier: GPL-2.0-only
"""Capacity traces in both formats, and files that are none."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1\n3\n2\n", "goes back from 3 to 2 ms in line 3"),
        ("0 1\n1 2\n1 3\n", "has 1 s after 1 s in line 3"),
        ("0 1\n1 -2\n", "has '1 -2' in line 2"),
        ("0 1\n1\n", "has '1' in line 2"),
        ("1.5\n", "has '1.5' in line 1"),
        ("1e3\n2e3\n", "has '1e3' in line 1"),
        ("1_000\n2_000\n", "has '1_000' in line 1"),
        ("0 1_0\n1 2\n", "has '0 1_0' in line 1"),
        ("1 2 3\n", "has '1 2 3' in line 1"),
        ("1\n4294967296\n", "has '4294967296' in line 2"),
        ("0 0\n1e300 0\n", "ends after 4294967295 ms"),
        ("0 1\n", "has only one time"),
        ("0 1\n1e9 1e9\n", "delivers more than"),
        ("", "must end above 0 ms"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_trace_is_refused(text: str | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises((ValueError, OSError), match=words):
        read_capacity_trace(path)


def test_capacities_make_the_opportunities_that_fractions_give(tmp_path: Path) -> None:
    """Each opportunity is at the first ms at which its bits are complete, computed exactly."""
    path, generator = tmp_path / "trace.txt", random.Random(3)
    for _ in range(200):
        times = sorted(generator.sample(range(5000), generator.randint(2, 8)))
        rows = [(Fraction(ms, 1000), Fraction(generator.choice([0, 1, 7, 45]), 4)) for ms in times]
        path.write_text("\n\n".join(f"\t{float(s)} {float(mbps)} \r" for s, mbps in rows))
        bits, expected = Fraction(0), []
        for (before, _), (until, mbps) in itertools.pairwise(rows):
            first, bits = bits, bits + mbps * 10**6 * (until - before)
            for number in range(first // 12000 + 1, bits // 12000 + 1):
                wait = (number * 12000 - first) / (mbps * 10**6)
                expected.append(math.ceil(1000 * (before - rows[0][0] + wait)))
        end = times[-1] - times[0]
        expected += [] if expected[-1:] == [end] else [end]
        assert read_capacity_trace(path) == expected
