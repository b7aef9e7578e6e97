# SPDX-License-Identifier: GPL-2.0-only
"""Counters count trace sources without Python functions, with the same results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenario_files import play_file

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

PROGRAM = Path(__file__).with_name("programs") / "counters.py"
SPEC = EnvironmentSpec("counters_v0", Scenario.python("counters", PROGRAM))


def look(env: Any, turns: int) -> np.ndarray[Any, Any]:
    """Return the next observations: of each round the counters, and the functions' counts."""
    return np.array([env.step(0)[0] for _ in range(turns)])


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_counters_equal_the_counts_of_functions(launch: Any) -> None:
    env = GymnasiumEnv(SPEC, launch=launch)
    env.reset(seed=1)
    seen = look(env, 12)
    env.close()
    counted, told = seen[:, 0], seen[:, 1]
    np.testing.assert_allclose(counted, told, rtol=1e-12)
    packets, least, most, mean, lost, _, total = counted.T
    assert (least <= mean).all()
    assert (mean <= most).all()
    assert most.max() == 20
    assert len(set(packets)) > 2
    assert lost.sum() > 10
    assert total[-1] == pytest.approx(1e6 / 8 * 12 * 0.07, rel=0.1)


def test_counters_are_part_of_snapshots() -> None:
    env = GymnasiumEnv(SPEC)
    env.reset(seed=1)
    look(env, 5)
    with env.snapshot() as snapshot:
        one = look(env, 4)
        env.restore(snapshot)
        two = look(env, 4)
        assert one.tolist() == two.tolist()
        assert one[-1, 0, 6] > one[0, 0, 6] > 0
    env.close()


def test_trace_sources_that_cannot_be_counted_are_refused() -> None:
    source, signature, *contents, parameters, one = [
        line
        for line in play_file(PROGRAM, "--refusals=true", "--policy=constant", "--action=0")
        if "Error" in line
    ]
    assert "did you mean 'Drop'?" in source
    assert "signature ns3::PointToPointChannel::TxRx" in signature
    assert [each.split("reports ")[1] for each in contents] == [
        "a number: it has 'count', 'value', 'min', 'max' and 'mean'",
        "of packets: it has 'count' and 'bytes'",
        "of packets: it has 'count' and 'bytes'",
    ]
    assert all(each.startswith("AttributeError: there is no ") for each in contents)
    assert "reports 1 argument: <lambda>() must take as many, or none" in parameters
    assert "reports 2 arguments: <lambda>() must take as many, or none" in one
