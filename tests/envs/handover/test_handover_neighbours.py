# SPDX-License-Identifier: GPL-2.0-only
"""handover_v1: observations of neighbours, event reports, actions, and the policy `trend`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces

from defiance_zoo.envs import handover_v0, handover_v1
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import policy_makers

Arguments = dict[str, Any]
SHORT: Arguments = {"users": 1, "resource_blocks": 6, "demand": "100kbps", "speed": 60.0}
PERIODIC: Arguments = {"reports": "periodic", "hysteresis": 3.0, "time_to_trigger": "256ms"}

pytestmark = [
    # Before the first report there is nothing to observe.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # All users of an agent are in one action, a vector.
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = handover_v1.SPEC
    short: ClassVar[Arguments] = {**SHORT, "cells": 3, "report_interval": 120, "duration": "1s"}
    cycles = 5


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="one-user"),
        pytest.param({"placement": "central", "users": 2, "action_delay": "3ms"}, id="central"),
    ],
)
class TestOneAgent(Short, SingleAgentConformance):
    """One agent for all users, or for the only one."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"users": 2, "reward": "competitive", "placement": "local"}, id="users"),
        pytest.param(
            {"users": 2, "agents": "cell", "transport": "udp", "delay": "5ms", "loss": 0.1},
            id="cells-udp",
        ),
    ],
)
class TestSeveralAgents(Short, Conformance):
    """An agent for each user or each cell."""


def play(
    choose: Any = lambda _number, _info: 0, spec: Any = handover_v1.SPEC, **arguments: Any
) -> list[tuple[Any, ...]]:
    """Play an episode; return observation, info and reward of each decision of the first agent.

    Args:
        choose: A function from the number of a decision and its infos to the action.
        spec: The environment.
        arguments: Arguments of the environment.
    """
    env = spec.raw_env(link="local", **{**SHORT, **arguments})
    env.reset(seed=2)
    decisions: list[tuple[Any, ...]] = []
    for agent in env.agent_iter():
        observation, reward, ended, cut, info = env.last()
        action = None
        if not ended and not cut:
            action = choose(len(decisions), info)
            if agent == "agent_0":
                decisions.append((observation, info, reward))
            if np.isscalar(action) and isinstance(env.action_space(agent), spaces.MultiDiscrete):
                action = np.full(env.action_space(agent).shape, action)
        elif agent == "agent_0":
            decisions.append((observation, info, reward))
        env.step(action)
    env.close()
    return decisions


def test_spaces_do_not_depend_on_the_number_of_cells() -> None:
    for cells in (2, 4, 7):
        env = handover_v1.raw_env(cells=cells, users=3)
        assert env.observation_space("agent_0") == spaces.Box(-1, 1, (21,), np.float32)
        assert env.action_space("agent_0") == spaces.Discrete(4)
    central = handover_v1.raw_env(placement="central", users=3)
    assert central.observation_space("agent_0").shape == (63,)
    assert central.action_space("agent_0") == spaces.MultiDiscrete([4, 4, 4])


def expected_changes(reports: list[tuple[float, Any]], cell: int) -> list[float]:
    """Return the changes of a cell's RSRP by the card's formula, in 20 dB."""
    newest, rsrp = reports[-1]
    changes = []
    for period in (0.2, 1.0):
        older = [known for sent, known in reports if sent <= newest - period + 1e-9]
        changes.append((rsrp[cell] - (older[-1] if older else reports[0][1])[cell]) / 20)
    return changes


def test_an_observation_is_computed_from_reports() -> None:
    """In the same episode, agents that observe cells receive the reports."""
    given = {**PERIODIC, "interval": "40ms", "duration": "3s"}
    reports: list[tuple[float, Any]] = []
    compared = 0
    for (seen, info, _), (known, _, _) in zip(
        play(**given), play(**given, observation="cells"), strict=True
    ):
        if not known.any():
            assert not seen.any()
            assert info["neighbours"].tolist() == [-1, -1, -1]
            continue
        rsrp, rsrq, one_hot, stay = np.split(known, [4, 8, 12])
        rsrp = np.rint(97 * rsrp)
        sent = info["sim_time_ns"] / 1e9 - float(seen[5])
        if not reports or sent > reports[-1][0] + 1e-3:
            reports.append((sent, rsrp))
        serving = int(one_hot.argmax())
        ranked = sorted(set(range(4)) - {serving}, key=lambda cell: (-rsrp[cell], cell))
        assert info["neighbours"].tolist() == ranked
        expected = [known[serving], rsrq[serving], *expected_changes(reports, serving), stay[0]]
        assert seen[:5] == pytest.approx(expected, abs=1e-6)
        for cell, part in zip(ranked, seen[6:].reshape(3, 5), strict=True):
            margin = np.clip((rsrp[cell] - rsrp[serving]) / 20, -1, 1)
            changes = np.clip(expected_changes(reports, cell), -1, 1)
            assert part == pytest.approx([1, margin, *changes, 0], abs=1e-6)
            compared += bool(changes.any())
    assert compared > 50
    assert 10 <= len(reports) <= 13  # every 240 ms


def test_event_reports_put_neighbours_first() -> None:
    """Also between periodic reports: events report the user when a neighbour is better."""
    decisions = play(duration="4s")[1:-1]
    events = [info["reported"][info["reported"] >= 0] for _, info, _ in decisions]
    for (seen, info, _), event in zip(decisions, events, strict=True):
        known, margins, _, _, flags = seen[6:].reshape(3, 5).T
        assert info["neighbours"][: len(event)].tolist() == event.tolist()
        assert flags.tolist() == [float(rank < len(event)) for rank in range(3)]
        assert known.tolist() == [1, 1, 1]
        assert (margins[: len(event)] >= 0).all()
        assert (np.diff(margins[len(event) :]) <= 0).all()
    assert any(len(event) for event in events)
    assert not all(len(event) for event in events)
    times = np.diff([info["sim_time_ns"] for _, info, _ in decisions]) / 1e6
    assert min(times) < 200 < max(times) < 241


def test_the_age_of_a_report_is_its_latency() -> None:
    ages = [seen[5] for seen, _, _ in play(duration="1s", delay="30ms")[1:-1]]
    assert ages == pytest.approx([0.03] * len(ages), abs=1e-3)
    assert len(ages) >= 3


@pytest.mark.parametrize("modes", [{}, {"placement": "central"}], ids=str)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_action_hands_over_to_the_neighbour_of_its_rank(modes: Arguments, rank: int) -> None:
    decisions = play(
        lambda number, _info: rank if number == 3 else 0,
        **modes,
        duration="1500ms",
        shadowing=0.0,
        speed=0.0,
        power=40.0,
    )
    _, info, _ = decisions[3]
    last = decisions[-1][1]
    assert last["handover_log"][1:].tolist() == [
        0,
        info["serving"][0],
        info["neighbours"][rank - 1],
    ]


def test_an_action_for_a_missing_neighbour_changes_nothing() -> None:
    for rank in (2, 3):
        decisions = play(lambda _number, _info, rank=rank: rank, cells=2, duration="1s")
        assert decisions[-1][1]["handover_count"] == 0
        assert not decisions[2][0][11:].any()


def test_version_1_is_version_0_with_other_defaults() -> None:
    given = {"reports": "both", "hysteresis": 0.0, "time_to_trigger": "0ms"}
    v0 = play(spec=handover_v0.SPEC, **given, observation="neighbours", duration="1s")
    v1 = play(duration="1s")
    assert len(v0) == len(v1) > 3
    for (one, _, earned), (other, _, also) in zip(v0, v1, strict=True):
        assert np.array_equal(one, other)
        assert earned == also


def test_a3_on_periodic_reports_is_equal_for_cells_and_neighbours() -> None:
    logs = []
    for observation in ("cells", "neighbours"):
        env = handover_v1.raw_env(
            link="local", **{**SHORT, **PERIODIC}, duration="4s", observation=observation
        )
        maker = policy_makers(handover_v1.SPEC)["a3_rsrp"]
        player = maker.make(env, 0, maker.read_options({"hysteresis": 1.5}))
        env.reset(seed=2)
        for agent in env.agent_iter():
            seen, _, ended, cut, info = env.last()
            env.step(None if ended or cut else player.act(agent, seen, info))
        env.close()
        logs.append(info["handover_log"].tolist())
    assert logs[0] == logs[1]
    assert len(logs[0]) >= 4


def test_trend_hands_over_before_a_neighbour_is_better() -> None:
    maker = policy_makers(handover_v1.SPEC)["trend"]
    env = handover_v1.raw_env()
    seen = np.zeros(21, np.float32)
    seen[6:8] = 1, -0.1  # a neighbour, 2 dB weaker,
    seen[[2, 8]] = -0.01, 0.04  # which gets 1 dB closer in 0.2 s
    for ahead, age, action in ((0.3, 0.0, 0), (0.5, 0.0, 1), (0.3, 0.1, 1)):
        seen[5] = age
        player = maker.make(env, 0, maker.read_options({"ahead": ahead}))
        assert player.act("agent_0", seen, {}) == action
    env.close()


def test_trend_prefers_a_neighbour_that_an_event_names() -> None:
    maker = policy_makers(handover_v1.SPEC)["trend"]
    env = handover_v1.raw_env()
    seen = np.zeros(21, np.float32)
    seen[[6, 11]] = 1  # two neighbours with the cell's RSRP
    for event, action in ((0.0, 0), (0.5, 2)):
        seen[15] = 1
        player = maker.make(env, 0, maker.read_options({"event": event}))
        assert player.act("agent_0", seen, {}) == action
        seen[15] = 0
        assert player.act("agent_0", seen, {}) == 0
    env.close()


def test_trend_refuses_observations_without_changes() -> None:
    maker = policy_makers(handover_v0.SPEC)["trend"]
    env = handover_v0.raw_env()
    with pytest.raises(ParameterError, match="give observation='neighbours'"):
        maker.make(env, 0, maker.read_options({}))
    env.close()


@pytest.mark.parametrize("options", [{"hysteresis": 16}, {"ahead": -1}, {"event": -1}])
def test_invalid_options_of_trend_are_refused(options: Arguments) -> None:
    with pytest.raises(ParameterError, match="must be from"):
        policy_makers(handover_v1.SPEC)["trend"].read_options(options)


def test_periodic_reports_alone_need_no_parameters_of_events() -> None:
    with pytest.raises(ParameterError, match="otherwise leave them at 3 and 256ms"):
        handover_v1.raw_env(reports="periodic").reset(seed=1)
