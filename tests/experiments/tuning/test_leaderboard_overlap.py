# SPDX-License-Identifier: GPL-2.0-only
"""Tunings on the seeds or the deployments of a leaderboard are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tunings import built

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.tuning import check
from defiance_zoo.registration import ENTRIES

DELAY = {"type": "categorical", "choices": ["10ms", "20ms"]}
LOSS = {"type": "float", "low": 0.1, "high": 0.3}
OTHER_LOSS = {"type": "float", "low": 0.21, "high": 0.3}
BOARD = """
env: cart_pole_v0
parameters: {{transport: udp}}
grid: {{delay: [20ms]}}
seed: {seed}
episodes: 5
policies: {{random: {{baseline: random}}}}
"""


def near_the_leaderboard(parameters: dict[str, Any], searched: dict[str, Any] | None = None) -> Any:
    """Return a tuning with parameters near those of the leaderboard of cart_pole_v0."""
    config = built(tuning={"space": {"parameters": searched or {}}})
    return config.model_copy(update={"parameters": {"transport": "udp", **parameters}})


@pytest.mark.parametrize(
    ("config", "deployment"),
    [
        (near_the_leaderboard({}), "no delay"),
        (near_the_leaderboard({"delay": "20ms"}), "20 ms"),
        (near_the_leaderboard({"delay": 0.02, "timeout": 30}), "20 ms"),
        (near_the_leaderboard({"delay": {"choice": ["1ms", "50ms"]}}), "50 ms"),
        (near_the_leaderboard({"delay": {"uniform": ["10ms", "30ms"]}}), "20 ms"),
        (near_the_leaderboard({}, {"delay": DELAY}), "20 ms"),
        (near_the_leaderboard({}, {"loss": LOSS}), "20 % lost"),
    ],
)
@pytest.mark.filterwarnings("ignore::defiance_zoo.errors.MissingUnitWarning")
def test_deployments_of_the_leaderboard_are_refused(config: Any, deployment: str) -> None:
    with pytest.raises(ParameterError, match=f"in the deployment '{deployment}' of the leaderb"):
        check(config)
    allowed = config.tuning.model_copy(update={"leaderboard_deployments": True})
    check(config.model_copy(update={"tuning": allowed}))


@pytest.mark.parametrize(
    "config",
    [
        near_the_leaderboard({"delay": "21ms"}),
        near_the_leaderboard({"duration": "1s"}),
        near_the_leaderboard({"delay": {"choice": ["1ms", "2ms"]}}),
        near_the_leaderboard({"delay": "20ms"}, {"loss": OTHER_LOSS}),
    ],
)
def test_other_deployments_are_allowed(config: Any) -> None:
    check(config)


@pytest.mark.parametrize("seed", [1_001_001, 1_000_996])
def test_seeds_of_the_leaderboard_are_refused(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "leaderboard.yaml").write_text(BOARD.format(seed=seed))
    spec = replace(lookup("cart_pole_v0"), leaderboard=tmp_path / "leaderboard.yaml")
    monkeypatch.setitem(ENTRIES, spec.name, spec)
    config = built(evaluation={"episodes": 2})
    with pytest.raises(ParameterError, match=r"evaluation\.seed=1000: .* choose another"):
        check(config)
    check(built(evaluation={"seed": 1006}))
