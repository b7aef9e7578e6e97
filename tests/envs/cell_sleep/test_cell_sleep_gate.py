# SPDX-License-Identifier: GPL-2.0-only
"""cell_sleep_v0 and v1 against formulas, and against a search over all constant settings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from defiance_zoo.envs import cell_sleep_v0, cell_sleep_v1
from defiance_zoo.envs.cell_sleep.baselines import (
    PlanPolicy,
    Setting,
    list_settings,
    read_action,
)
from defiance_zoo.experiments.evaluation import NamedPolicy

SPEC = cell_sleep_v0.SPEC
Moment = tuple[float, Any, dict[str, Any]]


def play(
    settings: list[Setting], seed: int = 1, spec: Any = SPEC, **arguments: Any
) -> list[Moment]:
    """Play settings in turn, the last one to the end; return reward, observation and info."""
    env = spec.raw_env(link="local", **arguments)
    env.reset(seed=seed)
    moments = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        moments.append((reward, observation, info))
        setting = settings[min(len(moments), len(settings)) - 1]
        env.step(None if terminated or truncated else read_action(setting, info))
        assert agent == "agent_0"
    env.close()
    return moments


ALL, FIRST, OTHERS = (True, True, True), (True, False, False), (False, True, True)


def test_consumption_equals_the_earth_model() -> None:
    """6 (130 + 4.7 P load) W awake and 6 * 75 W asleep; a pico cell has its own constants."""
    for station, transceivers, idle, slope, asleep, power in (
        ("macro", 6, 130.0, 4.7, 75.0, 10**1.3),
        ("pico", 2, 6.8, 4.0, 4.3, 0.13),
    ):
        moments = play([ALL, FIRST], base_station=station, duration="3s", profile="peak")
        for _, _, info in (moments[1], moments[-1]):
            expected = [
                transceivers * (idle + slope * power * load if awake else asleep)
                for awake, load in zip(info["awake"], info["loads"], strict=True)
            ]
            assert info["consumed"] == pytest.approx(expected, rel=1e-3)
        assert list(moments[1][2]["awake"]) == [1, 1, 1]
        assert list(moments[-1][2]["awake"]) == [1, 0, 0]


@pytest.mark.parametrize("setting", [ALL, OTHERS])
def test_sinr_equals_friis_formula(setting: Setting) -> None:
    _, _, info = play([setting], path_loss_exponent=2.0, duration="2s", seed=3)[-1]
    cells, users = (np.reshape(info[key], (-1, 2)) for key in ("cells", "users"))
    wavelength = 299792458 / 2.12e9
    noise = 10 ** ((-174 + 9 + 10 * math.log10(6 * 180e3)) / 10)
    for user, serving, sinr in zip(users, info["serving"], info["sinrs"], strict=True):
        assert setting[serving]
        losses = 20 * np.log10(4 * math.pi * np.linalg.norm(cells - user, axis=1) / wavelength)
        powers = 10 ** ((np.array(info["powers"]) - losses) / 10)
        expected = powers[serving] / (powers.sum() - powers[serving] + noise)
        assert sinr == pytest.approx(10 * math.log10(expected), abs=1e-3)
    assert list(info["powers"]) == pytest.approx([43.0 if each else -70.0 for each in setting])


def compute_snrs(info: dict[str, Any]) -> Any:
    """Return the ratios of signal to noise in dB by path loss, shape (users, cells)."""
    cells, users = (np.reshape(info[key], (-1, 2)) for key in ("cells", "users"))
    distances = np.linalg.norm(users[:, None] - cells, axis=2)
    at_a_metre = 20 * math.log10(4 * math.pi * 2.12e9 / 299792458)
    noise = -174 + 9 + 10 * math.log10(6 * 180e3)
    return 43.0 - at_a_metre - 35 * np.log10(distances) - noise


def test_signals_equal_the_efficiencies_by_formula_also_of_sleeping_cells() -> None:
    """Reports are in whole dB, which change an efficiency by up to 0.06."""
    moments = play([ALL, FIRST], observation="signals", duration="3s", seed=3)
    gap = -math.log(5 * 5e-5) / 1.5
    snrs = 10 ** (compute_snrs(moments[0][2]) / 10)
    efficiencies = np.minimum(np.log2(1 + snrs / gap) / 5.55, 1.0)
    for _, observation, _ in (moments[0], moments[-1]):
        means = observation[8::10]
        assert means == pytest.approx(efficiencies.mean(axis=0), abs=0.06)
        best_others = [max(np.delete(means, cell)) for cell in range(3)]
        assert observation[9::10] == pytest.approx(means - best_others, abs=1e-6)
    assert list(moments[-1][2]["awake"]) == [1, 0, 0]


@pytest.mark.parametrize(("interval", "wake_time"), [("500ms", "1s"), ("200ms", "0s")])
def test_observed_signals_stay_while_cells_sleep_and_wake(interval: str, wake_time: str) -> None:
    """Reports are in whole dB; -20 dB: none yet.

    A user without neighbours to report has old reports: cell 2 fell asleep during the last one. The
    first report of a woken cell averages over the time before.
    """
    second, last, both = (False, True, False), (False, False, True), (False, True, True)
    settings = [ALL, ALL, *[second] * 4, *[both] * 4, *[last] * 4, *[ALL] * 4, second, ALL]
    given = {"interval": interval, "wake_time": wake_time, "duration": "8s"}
    seen = 0
    for _, observation, info in play(settings, seed=5001, spec=cell_sleep_v1.SPEC, **given):
        observed = 10 * np.reshape(observation, (3, -1))[:, 10:16]
        known = observed > -20
        assert observed[known] == pytest.approx(compute_snrs(info).T[known], abs=1.1)
        seen += known.sum()
    assert seen > 100


@pytest.mark.parametrize("setting", list_settings(3))
def test_predicted_rewards_equal_the_simulations(setting: Setting) -> None:
    """After users have found their cells, `plan` predicts the reward of an interval."""
    spec, given = cell_sleep_v1.SPEC, {"profile": "peak", "duration": "8s"}
    env = spec.raw_env(link="local", **given)
    policy = NamedPolicy("plan").make(spec, env, 1)
    env.close()
    assert isinstance(policy, PlanPolicy)
    moments = play([setting], seed=5001, spec=spec, **given)
    rewards = [reward for reward, _, _ in moments[-5:]]
    predict = policy.predict(moments[-1][1])
    assert predict(setting) == pytest.approx(np.mean(rewards), abs=0.1)


@pytest.mark.parametrize("wake_time", ["700ms", "1s"])
def test_a_cell_serves_after_its_wake_up_time(wake_time: str) -> None:
    """The cell sleeps from 0.6 s, and is ordered to wake at 1.4 s; decisions are 0.2 s apart."""
    settings = [ALL] * 2 + [FIRST] * 4 + [ALL]
    moments = play(settings, wake_time=wake_time, interval="200ms", duration="4s", profile="peak")
    ready = 1.4 + (0.7 if wake_time == "700ms" else 1.0)
    for _, observation, info in moments[3:]:
        time = info["sim_time_ns"] / 1e9
        state = 0.0 if time < 1.5 else 0.5 if time < ready else 1.0
        assert observation[8] == state  # of cell 1
        if time < ready:
            assert info["powers"][1] == -70.0
            assert 1 not in info["serving"]
        if 0.9 < time <= ready:
            assert info["loads"][1] == 0.0
    served = moments[-1][2]
    assert 1 in served["serving"]
    assert served["loads"][1] > 0.1


@pytest.mark.parametrize(
    ("profile", "awake"),
    [
        pytest.param("night", 1, marks=pytest.mark.thorough),
        pytest.param("peak", 3, marks=pytest.mark.thorough),
    ],
)
def test_the_best_constant_setting_equals_exhaustive_search(profile: str, awake: int) -> None:
    """The setting found in copies earns as much as the best of all settings, played separately."""
    given = {"profile": profile, "duration": "4s"}
    returns = {
        setting: sum(reward for reward, *_ in play([setting], seed=3, **given))
        for setting in list_settings(3)
    }
    best = max(returns, key=returns.__getitem__)
    assert sum(best) == awake
    env = SPEC.raw_env(link="local", **given)
    policy = NamedPolicy("best_constant").make(SPEC, env, 1)
    env.reset(seed=3)
    earned = 0.0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        earned += reward
        ended = terminated or truncated
        action = None if ended else policy.act(agent, observation, info)
        assert ended or tuple(action) == best
        env.step(action)
    env.close()
    assert earned == returns[best]


def returns_of(policy: str, spec: Any = SPEC, seed: int = 3, **arguments: Any) -> float:
    """Return the return of a policy on a day, all agents together."""
    env = spec.raw_env(link="local", **arguments)
    chooser = NamedPolicy(policy).make(spec, env, 1)
    env.reset(seed=seed)
    earned = 0.0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        earned += reward
        ended = terminated or truncated
        env.step(None if ended else chooser.act(agent, observation, info))
    env.close()
    return earned


@pytest.mark.thorough
def test_policies_that_follow_the_load_earn_more_than_all_awake() -> None:
    """On a day, with one agent; with an agent per cell, each policy earns the same per agent."""
    earned = {each: returns_of(each) for each in ("random", "constant", "hysteresis", "greedy")}
    assert sorted(earned, key=earned.__getitem__)[:2] == ["random", "constant"]
    assert returns_of("greedy", placement="local") / 3 == pytest.approx(earned["greedy"])


@pytest.mark.thorough
def test_a_day_of_moving_peaks_needs_more_than_one_setting() -> None:
    """The setting that is predicted best in each interval earns more than the best constant one.

    Not for every place of users: the leaderboard has the means over eight places.
    """
    earned = {
        each: returns_of(each, cell_sleep_v1.SPEC, seed=5002)
        for each in ("random", "most_efficient", "best_constant", "plan")
    }
    assert max(earned, key=earned.__getitem__) == "plan"
    assert min(earned, key=earned.__getitem__) == "random"
