# SPDX-License-Identifier: GPL-2.0-only
"""Values of a Python scenario have the shape of their space, and integers are exact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import InvalidObservation, ScenarioError

PROGRAM = Path(__file__).with_name("programs") / "shapes.py"
SPEC = EnvironmentSpec("shapes_v0", Scenario.python("shapes", PROGRAM))
ODD = 2**53 + 1
LAST = 2**63 - 1


@pytest.fixture
def env() -> Iterator[Any]:
    env = SPEC.parallel_env(link="local")
    yield env
    env.close()


def observe(env: Any, case: str) -> Any:
    """Play an episode; return the observations of its agent."""
    observations, _ = env.reset(seed=1, options={"case": case})
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
    assert env.observation_space("agent_0").contains(observations["agent_0"])
    return observations["agent_0"]


@pytest.mark.parametrize(
    ("case", "value"),
    [
        ("matrix", np.float32([[0, 1, 2], [3, 4, 5]])),
        ("matrix_sent", np.float32([[0, 1, 2], [3, 4, 5]])),
        ("one_number", np.float32([1])),
        ("scalar_list", np.array(1, np.float32)),
        ("bits", np.int8([[0, 1], [1, 0]])),
        ("choices_matrix", np.int64([[1, 2], [3, 4]])),
        ("odd", np.int64([ODD])),
        ("odd_low", np.int64([-ODD])),
        ("odd_array", np.int64([0, ODD])),
        ("odd_sent", np.int64([ODD, 1])),
        ("last", np.int64([-LAST - 1, LAST])),
        ("unsigned", np.uint64([2 * LAST + 1])),
        ("unsigned_sent", np.uint64([2 * LAST + 1])),
        ("fractions", np.int8([0, 2])),
        ("discrete", ODD + 1),
        ("choices_odd", np.int64([ODD + 1])),
    ],
)
def test_values_are_observed_as_given(case: str, value: NDArray[Any], env: Any) -> None:
    seen = observe(env, case)
    assert np.shape(seen) == np.shape(value)
    assert np.asarray(seen).dtype == np.asarray(value).dtype
    assert np.array_equal(seen, value)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("matrix_turned", r"has shape \(3,2,\) in place of \(2,3,\)"),
        ("matrix_flat", r"has shape \(6,\) in place of \(2,3,\)"),
        ("matrix_flat_array", r"has shape \(6,\) in place of \(2,3,\)"),
        ("matrix_flat_sent", r"has shape \(6,\) in place of \(2,3,\)"),
        ("matrix_turned_sent", r"has shape \(3,2,\) in place of \(2,3,\)"),
        ("vector_deep", r"has shape \(1,2,\) in place of \(2,\)"),
        ("vector_number", r"has shape \(\) in place of \(2,\)"),
        ("one_deep", r"has shape \(1,1,\) in place of \(1,\)"),
        ("bits_flat", r"has shape \(4,\) in place of \(2,2,\)"),
        ("choices_deep", r"has shape \(1,2,\) in place of \(2,\)"),
        ("choices_flat", r"has shape \(4,\) in place of \(2,2,\)"),
        ("nested", r"has shape \(3,2,\) in place of \(2,3,\)"),
        ("byte", "256 is too large for its element type"),
        ("float", "1e\\+300 is too large for its element type"),
        ("float_array", "an array has elements that are not of the element type"),
        ("bounds_turned", r"a Box of shape \(2,1,\) needs one bound, or bounds of this shape"),
        ("bounds_mixed", r"a Box of shape \(1,2,\) needs one bound, or bounds of this shape"),
        ("choices_unlike", "nvec and start of a MultiDiscrete must have the same shape"),
    ],
)
def test_invalid_values_are_refused_with_their_line(case: str, words: str, env: Any) -> None:
    with pytest.raises(ScenarioError, match=words) as raised:
        observe(env, case)
    assert 'shapes.py", line ' in str(raised.value)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("odd_missed", f"element 0 is {ODD + 1}, but must be from 0 to {ODD}"),
        ("fractions_missed", "element 0 is -1, but must be from 0 to 2"),
    ],
)
def test_values_out_of_bounds_by_one_are_refused(case: str, words: str, env: Any) -> None:
    with pytest.raises(InvalidObservation, match=words):
        observe(env, case)
