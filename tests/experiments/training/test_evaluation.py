# SPDX-License-Identifier: GPL-2.0-only
"""Evaluation: confidence intervals, and the played episodes."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from conftest import simulations
from gymnasium import spaces

from defiance_zoo.command_line.commands.eval import print_evaluation
from defiance_zoo.environments import lookup
from defiance_zoo.errors import SimulationCrashed
from defiance_zoo.experiments.evaluation import (
    PlayedEpisode,
    RandomPolicy,
    baselines,
    open_env,
    play,
)
from defiance_zoo.experiments.training.evaluation import Result
from defiance_zoo.experiments.workbench.estimates import Estimate

SPEC = lookup("cart_pole_v0")


def test_the_interval_is_within_the_observed_values() -> None:
    """Student's t gave 497 ± 6 where 500 is the maximum, and negative waiting times."""
    for values in ([500.0, 500.0, 500.0, 488.0, 497.0], [0.0, 0.0, 0.0, 4.1]):
        estimate = Estimate.of(values)
        assert estimate.low is not None
        assert estimate.high is not None
        assert min(values) <= estimate.low < estimate.mean < estimate.high <= max(values)
        assert Estimate.of(values) == estimate


def test_the_interval_of_many_values_is_students() -> None:
    values = list(np.random.default_rng(1).normal(10, 2, 100))
    estimate = Estimate.of(values)
    half = 1.984 * float(np.std(values, ddof=1)) / 10  # 1.984 from a printed table of t
    assert estimate.low == pytest.approx(estimate.mean - half, abs=0.04)
    assert estimate.high == pytest.approx(estimate.mean + half, abs=0.04)


def test_the_interval_covers_the_mean_at_its_confidence_level() -> None:
    rng = np.random.default_rng(2)
    drawn = rng.normal(size=(300, 10))
    held = [e.low <= 0 <= e.high for e in map(Estimate.of, drawn.tolist())]  # type: ignore[operator]
    assert sum(held) / len(held) > 0.9


def test_the_interval_of_equal_values_is_empty_and_of_one_value_missing() -> None:
    assert Estimate.of([500.0] * 5) == Estimate(500.0, 500.0, 500.0, 5)
    assert Estimate.of([500.0]) == Estimate(500.0, None, None)


def test_the_interval_contains_the_mean_despite_rounding() -> None:
    """Means of resamples are rounded differently from the mean of the values."""
    draw = np.random.default_rng(3)
    for count in range(2, 13):
        for value in draw.uniform(size=100):
            alike = [float(value)] * count
            close = [float(np.nextafter(value, each % 2)) for each in range(count)]
            for values in (alike, close):
                estimate = Estimate.of(values)
                assert estimate.low is not None
                assert estimate.high is not None
                assert estimate.low <= estimate.mean <= estimate.high
                assert min(values) <= estimate.low
                assert estimate.high <= max(values)


def test_agents_that_join_in_some_episodes_are_averaged_over_those() -> None:
    episodes = [
        PlayedEpisode(1, {"a": 1.0}, 3, 0.1, 0.1),
        PlayedEpisode(2, {"a": 3.0, "b": 4.0}, 5, 0.1, 0.1),
    ]
    found = Result(episodes).to_json()
    assert found["returns"] == [1.0, 3.5]
    assert found["mean"] == 2.25
    assert found["decisions"] == [3, 5]
    assert {name: each["mean"] for name, each in found["agents"].items()} == {"a": 2.0, "b": 4.0}


def played(policy: str, **parameters: Any) -> list[tuple[int, dict[str, float], int, float]]:
    """Return the results of a baseline's episodes, without the duration."""
    with contextlib.closing(open_env(SPEC, parameters)) as env:
        chosen = baselines(SPEC, env, seed=5)[policy]
        return [
            (each.seed, each.returns, each.decisions, each.sim_time_s)
            for each in play(env, chosen, episodes=2, seed=5)
        ]


def test_the_same_seeds_play_the_same_episodes() -> None:
    first = played("random", carts=2, transport="udp")
    assert first == played("random", carts=2, transport="udp", link="zmq")
    (seed, returns, decisions, sim_time_s), other = first
    assert (seed, other[0]) == (5, 6)
    # A cart earns 1 for each sample that it survives; each push answers a sample.
    assert sum(returns.values()) == decisions
    assert sim_time_s == pytest.approx(0.02 * max(returns.values()), abs=0.02)
    assert returns != other[1]


class Killer:
    """A policy that kills the simulation at its third decision, a given number of times."""

    def __init__(self, kills: int) -> None:
        self._left, self._decisions = kills, 0

    def reset(self) -> None:
        self._decisions = 0

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        self._decisions += 1
        if self._decisions == 3 and self._left:
            self._left -= 1
            simulations()[0].kill()
        return self._decisions % 2


def test_an_episode_with_a_lost_simulation_is_played_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with contextlib.closing(open_env(SPEC, {})) as env:
        (expected,) = play(env, Killer(0), episodes=1, seed=5)
        (played,) = play(env, Killer(2), episodes=1, seed=5, attempts=3)
        assert played.failures == 2
        assert (played.returns, played.decisions) == (expected.returns, expected.decisions)
        with pytest.raises(SimulationCrashed):
            list(play(env, Killer(3), episodes=1, seed=5, attempts=3))
    results = {"killer": Result([played]).to_json(), "patient": Result([expected]).to_json()}
    shown = {"env": SPEC.name, "parameters": {}, "episodes": 1, "seed": 5, "interval": "95 %"}
    print_evaluation({**shown, "policies": results})
    *_, last, reason, _ = capsys.readouterr().out.splitlines()
    assert last == "killer: episodes were played again after failed simulations: 2"
    assert "SIGKILL" in reason


def test_the_result_contains_the_communication() -> None:
    parameters = {"transport": "udp", "duration": "1s", "communication_report": True}
    with contextlib.closing(open_env(SPEC, parameters)) as env:
        pole = baselines(SPEC, env, seed=5)["pole"]
        found = Result(list(play(env, pole, episodes=2, seed=5))).to_json()
    assert [each["sim_time_ns"] for each in found["communication"]] == [10**9] * 2
    sent = {row["kind"]: row["rx_messages"] for row in found["communication"][1]["flows"]}
    assert sent == {"observation": 50, "reward": 50, "action": 50}
    with contextlib.closing(open_env(SPEC, {"duration": "20ms"})) as env:
        assert "communication" not in Result(list(play(env, pole, episodes=1, seed=5))).to_json()


def test_the_baselines_of_an_environment_can_be_evaluated() -> None:
    ((_, returns, decisions, sim_time_s), _) = played("pole", transport="udp")
    assert (returns, decisions, sim_time_s) == ({"agent_0": 500.0}, 500, 10.0)


def test_the_random_policy_obeys_the_mask() -> None:
    policy = RandomPolicy(lambda _agent: spaces.Discrete(4), seed=1)
    mask = np.array([0, 1, 0, 1], np.int8)
    drawn = {int(policy.act("a", None, {"action_mask": mask})) for _ in range(100)}
    assert drawn == {1, 3}
    assert {int(policy.act("a", None, {})) for _ in range(100)} == {0, 1, 2, 3}


def test_the_random_policy_does_not_use_the_spaces_generator() -> None:
    space = spaces.Discrete(1000)
    space.seed(3)
    expected = [int(space.sample()) for _ in range(5)]
    space.seed(3)
    policy = RandomPolicy(lambda _agent: space, seed=1)
    for _ in range(5):
        policy.act("a", None, {})
    assert [int(space.sample()) for _ in range(5)] == expected
