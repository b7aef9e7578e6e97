# SPDX-License-Identifier: GPL-2.0-only
"""Seeds reach ns-3, and a training repeats from its first seed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PLAIN_MAIN, script

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.simulation.seeding import RngState, Seeding, rng_seed
from defiance_zoo.errors import SeedIgnoredWarning

Make = Callable[..., Any]


def test_the_runs_after_a_seed_repeat() -> None:
    seeding = Seeding()
    first = seeding.episode(5)
    assert first == RngState(rng_seed(5), 1)
    assert [seeding.episode(None).run for _ in range(3)] == [2, 3, 4]
    assert seeding.episode(5) == first


def test_an_episode_is_reported_with_the_seed_that_was_given() -> None:
    seeding = Seeding()
    assert seeding.describe() == ""
    state = seeding.episode(None)
    assert seeding.describe() == f"seed {state.seed} and run 1 of ns-3"
    first = seeding.episode(5)
    assert seeding.describe() == "seed 5"
    seeding.episode(None)
    assert seeding.episode(None).run == 3
    assert seeding.describe() == "seed 5, 2 resets later"
    seeding.return_to(first, again=False)
    assert seeding.describe() == "seed 5"
    seeding.return_to(state, again=False)
    assert seeding.describe() == f"seed {state.seed} and run 1 of ns-3"


def test_sequences_without_a_seed_differ() -> None:
    assert Seeding().episode(None).seed != Seeding().episode(None).seed


def test_derived_seeds_are_valid_in_ns3_and_differ() -> None:
    seeds = [rng_seed(seed) for seed in range(1000)]
    assert all(1 <= seed <= 4294944442 for seed in seeds)
    assert len(set(seeds)) == 1000
    assert rng_seed(0) == 1357794883  # pinned: results published with a seed stay reproducible


def draws(env: Any, seeds: list[int | None]) -> list[float]:
    """Return the first random number that ns-3 draws in each episode."""
    numbers = []
    for seed in seeds:
        env.reset(seed=seed)
        numbers.append(float(env.observe("agent_0")[1]))
    return numbers


def test_a_scenario_without_seed_code_uses_the_seed_of_the_environment(make_aec: Make) -> None:
    sequence = [3, None, None, 4, 3, None]
    one = draws(make_aec(PLAIN_MAIN), sequence)
    assert one[4:] == one[:2]
    assert len(set(one[:4])) == 4
    assert draws(make_aec(PLAIN_MAIN), sequence) == one


def test_a_scenario_that_sets_its_own_seed_is_reported(make_aec: Make, tmp_path: Any) -> None:
    program = script(tmp_path / "own", f'exec "{PLAIN_MAIN.program}" "$@" --RngSeed=77')
    env = make_aec(Scenario("own", program, describes_itself=False))
    with pytest.warns(SeedIgnoredWarning, match="seed=77"):
        env.reset(seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.reset()  # without a seed


def test_global_values_set_by_the_caller_are_kept(
    make_aec: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = draws(make_aec(PLAIN_MAIN), [3])
    monkeypatch.setenv("NS_GLOBAL_VALUE", "RngSeed=9;SimulatorImplementationType=ns3::NoSuch")
    from defiance_zoo.errors import SimulationCrashed

    with pytest.raises(SimulationCrashed):  # ns-3 received the implementation type
        draws(make_aec(PLAIN_MAIN), [3])
    monkeypatch.setenv("NS_GLOBAL_VALUE", "RngSeed=9")
    assert draws(make_aec(PLAIN_MAIN), [3]) == reference  # and the environment's seed
