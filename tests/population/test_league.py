# SPDX-License-Identifier: GPL-2.0-only
"""Leagues: main agents and exploiters in turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_populations import RAY_WARNINGS, constants, grow, quick

from defiance_zoo.errors import ParameterError
from defiance_zoo.population import describe_population
from defiance_zoo.population.feasibility import check_words
from defiance_zoo.population.running.generations import plan
from defiance_zoo.population.running.run import read_population
from defiance_zoo.population.running.state import read_generations
from defiance_zoo.population.solvers.registry import Fallback

pytestmark = RAY_WARNINGS


@pytest.mark.long
def test_main_agents_and_exploiters_alternate(tmp_path: Path) -> None:
    config = quick(method="league", generations=4, initial={"player": constants(3)})
    grow(config, tmp_path)
    records = list(read_population(tmp_path).populations["player"])
    assert [each.kind for each in records[3:]] == ["main", "exploiter", "main", "exploiter"]
    # A main agent continues from the one before; an exploiter starts anew.
    assert [each.parent for each in records[3:]] == ["", "", "player-1", ""]
    _, first, second, third, fourth = read_generations(tmp_path)
    # Rock, paper and scissors: the last one is a main agent, and loses against rock only.
    assert first["answered"]["player"] == pytest.approx([0.586, 0, 0.414], abs=1e-3)
    assert second["answered"]["player"] == [0, 0, 0, 1]  # the main agent alone
    assert fourth["answered"]["player"] == [0, 0, 0, 0, 0, 1]
    met = third["answered"]["player"]
    assert sum(met) == pytest.approx(1)
    assert sum(each > 0 for each in met) > 1
    known = describe_population(tmp_path)
    assert [each["kind"] for each in known["policies"]][-1] == "exploiter"
    assert known["figures"]["nash_conv"] == pytest.approx(0, abs=1e-9)


def test_a_main_agent_plays_the_policies_that_beat_the_latest_main_agent(tmp_path: Path) -> None:
    """After an exploiter, a main agent plays the policies that beat the main agent before it."""
    config = quick(method="league", generations=2, initial={"player": constants(3)})
    grow(config, tmp_path)
    state = read_population(tmp_path)
    noted: list[Fallback] = []
    (task,) = plan(state, config, noted.append)
    assert not noted
    (names,) = state.members.values()
    cells = {name: state.table.get((name, "player-1")) for name in names}
    for name, share in zip(names, task.mixtures["player"], strict=True):
        cell = cells[name]
        assert cell is not None
        assert (share > 0) == (cell.scores[name].mean > 0)
    assert (task.kind, task.initialisation, task.parents) == ("main", "inherit_last", "main")


def test_exploiters_inherit_no_weights() -> None:
    config = quick(method="league", best_response={"initialisation": "inherit_last"})
    with pytest.raises(ParameterError, match="always starts from its latest main agent"):
        check_words(config)
