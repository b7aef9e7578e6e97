# SPDX-License-Identifier: GPL-2.0-only
"""An explorer of the order of deliveries, in real protocols."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.actions import DELAYS
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.running import compare_explorers
from defiance_zoo.protocols.explorers import Schedule
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.rewards import properties
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SHORT: dict[str, Any] = {"election_ticks": 4, "heartbeat_ticks": 2}
PROTOCOLS = ROOT / "examples" / "protocols"
CANONICAL = ROOT / "defiance_zoo" / "_native" / "bin" / "partition_canonical"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param("partition_v0", {}, id="raft"),
        pytest.param("partition_tendermint_v0", {}, id="tendermint"),
        pytest.param("partition_v0", {"healing": "both"}, id="healing"),
        pytest.param(
            "partition_v0",
            {"protocol": "canonical_raft"},
            id="canonical_raft",
            marks=pytest.mark.skipif(not CANONICAL.exists(), reason="libraft-dev is missing"),
        ),
        pytest.param(str(PROTOCOLS / "raft.py"), {}, id="python"),
    ],
)
def test_only_the_order_of_deliveries_changes(name: str, arguments: dict[str, Any]) -> None:
    env = GymnasiumEnv(lookup(name), link="local", with_delays=True, **arguments)
    waiting = set()
    with closing(env):
        for visit in Schedule(1).explore(env, steps=60, seed=1):
            assert set(visit.info["partition"]) == {0}  # all replicas run in one block
            waiting.add(visit.info[DELAYS])
    assert len(waiting) > 2


def count_found(explorer: str) -> int:
    """Return for how many of four seeds an explorer finds R6 within 450 steps."""
    found = 0
    with closing(
        GymnasiumEnv(lookup("partition_v0"), link="local", bug="R6", with_delays=True, **SHORT)
    ) as env:
        for seed in range(1, 5):
            visits = make_explorer(explorer, seed, {}).explore(env, steps=450, seed=1000 * seed)
            found += any(properties(visit.info) for visit in visits)
    return found


def test_a_bug_of_overtaking_messages_is_found_sooner_than_with_all_faults() -> None:
    assert count_found("schedule") == 4
    assert max(count_found("random"), count_found("bonus_max")) <= 2


def test_a_system_without_delays_is_refused_before_cells_are_played(tmp_path: Path) -> None:
    described = {
        "systems": {"Raft": {}},
        "policies": {"Schedule": {"explorer": "schedule"}},
        "seeds": 1,
        "steps": 10,
    }
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(described))
    comparison = read_comparison(tmp_path / "mine.yaml")
    with pytest.raises(ParameterError, match=r"schedule delays messages, .*with_delays=True"):
        compare_explorers(comparison, tmp_path / "out", workers=1)
