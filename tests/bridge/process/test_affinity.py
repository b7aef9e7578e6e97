# SPDX-License-Identifier: GPL-2.0-only
"""The cores on which simulations and their stepping threads run."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from conftest import simulations

from defiance_zoo import errors
from defiance_zoo.environments import SimulationAECEnv

Make = Callable[..., SimulationAECEnv]
ALL = os.sched_getaffinity(0)


def cores() -> list[set[int]]:
    """Return the cores of each simulation."""
    return [os.sched_getaffinity(process.pid) for process in simulations()]


def test_nothing_is_pinned_by_default(make_aec: Make) -> None:
    env = make_aec()
    env.reset()
    assert cores() == [ALL]
    assert os.sched_getaffinity(0) == ALL


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_a_simulation_is_pinned_to_the_core_of_its_thread_until_close(
    make_aec: Make, launch: str
) -> None:
    env = make_aec(affinity="shared", launch=launch)
    for _ in range(2):
        env.reset()
        (core,) = os.sched_getaffinity(0)
        assert cores() == [{core}]
    other = make_aec(affinity="shared")
    other.reset()
    assert cores() == [{core}, {core}]
    with env.snapshot() as snapshot:
        env.restore(snapshot)
        assert all(each == {core} for each in cores())
    other.close()
    env.close()
    assert os.sched_getaffinity(0) == ALL


def test_simulations_are_spread_over_the_cores(make_aec: Make) -> None:
    envs = [make_aec(affinity="spread") for _ in range(2 * len(ALL))]
    for env in envs:
        env.reset()
    assert sorted(core for each in cores() for core in each) == sorted([*ALL, *ALL])
    assert os.sched_getaffinity(0) == ALL


def test_unknown_affinities_are_refused(make_aec: Make) -> None:
    with pytest.raises(errors.ParameterError, match="affinity='both' is not one of"):
        make_aec(affinity="both")
    with pytest.raises(errors.ParameterError, match="affinity cannot be set"):
        make_aec(affinity="shared", launch="attach")
