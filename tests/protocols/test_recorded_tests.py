# SPDX-License-Identifier: GPL-2.0-only
"""The counts of an exploration, computed by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.comparison.exploration import Recorder
from defiance_zoo.protocols.explorers import Visit
from defiance_zoo.protocols.explorers.explorer import coverage_key


def info(*terms: int, violations: str = "") -> dict[str, Any]:
    """Return the infos of replicas with given terms, which are their colours."""
    replicas = [
        {"active": True, "state": 0, "term": t, "vote": 0, "leader": 0, "commit": 0, "index": 0,
         "log": []}
        for t in terms
    ]  # fmt: skip
    return {
        "colors": json.dumps([{"term": term} for term in sorted(terms)]),
        "replicas": json.dumps(replicas),
        "partition": [0] * len(terms),
        "pending_requests": 0,
        "violations": violations,
    }


def test_new_multisets_of_colours_are_counted_at_the_points_of_a_curve() -> None:
    recorder = Recorder(["TermDiff2"], steps=4, points=2)
    told = [info(1, 1), info(1, 2), info(2, 1), info(1, 3), info(1, 3)]
    for step, each in enumerate(told):
        recorder.note(Visit(each, step, 0, None if step == 0 else 5, False, 9))
    record = recorder.record()
    assert record["coverage"] == 3
    assert record["curve"] == [
        {"step": 2, "coverage": 2, "final/TermDiff2": 0},
        {"step": 4, "coverage": 3, "final/TermDiff2": 1},
    ]
    assert record["first_final"] == {"TermDiff2": {"step": 3, "episode": 0}}


def test_the_first_violation_of_each_property_is_kept_with_its_actions() -> None:
    recorder = Recorder([], steps=10, points=1)
    bad = info(1, violations="log_matching: 1, 2\nlog_matching: 1, 3\nelection_safety: 1, 2")
    recorder.note(Visit(info(1), 0, 0, None, False, 70))
    recorder.note(Visit(info(1), 1, 0, 4, True, 70))
    recorder.note(Visit(info(1), 1, 1, None, False, 71, (8, 9)))
    recorder.note(Visit(info(2), 2, 1, 3, False, 71))
    recorder.note(Visit(bad, 3, 1, 0, False, 71))
    recorder.note(Visit(bad, 4, 1, 0, True, 71))
    record = recorder.record()
    known = record["violations"]["log_matching"]
    assert set(record["violations"]) == {"election_safety", "log_matching"}
    assert (known["step"], known["episode"], known["times"], known["seed"]) == (3, 1, 2, 71)
    assert known["actions"] == [8, 9, 3, 0]
    assert (record["steps"], record["episodes"]) == (4, 2)
    assert record["curve"] == [{"step": 4, "coverage": 2}]


def test_infos_without_colours_have_no_coverage() -> None:
    with pytest.raises(ParameterError, match="infos='all'"):
        coverage_key({})
