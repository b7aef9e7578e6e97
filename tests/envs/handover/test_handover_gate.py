# SPDX-License-Identifier: GPL-2.0-only
"""A3-RSRP in Python hands users over at the same times and to the same cells as ns-3's."""

from __future__ import annotations

from typing import Any

import pytest

from defiance_zoo.envs import handover_v0, handover_v1
from defiance_zoo.experiments.evaluation import policy_makers

Arguments = dict[str, Any]
GIVEN: Arguments = {
    "cells": 4,
    "users": 3,
    "speed": 60.0,
    "resource_blocks": 6,
    "demand": "100kbps",
    "duration": "3s",
    "reports": "a3",
}


def handovers(policy: str, spec: Any = handover_v0.SPEC, **arguments: Any) -> list[float]:
    """Return the handovers in the log at the end of an episode: seconds, user, from, to."""
    env = spec.raw_env(link="local", **{**GIVEN, **arguments})
    maker = policy_makers(spec)[policy]
    player = maker.make(env, 0, maker.read_options({}))
    env.reset(seed=2)
    log: list[float] = []
    for agent in env.agent_iter():
        observation, _, ended, cut, info = env.last()
        log = max(log, info["handover_log"].tolist(), key=len)
        env.step(None if ended or cut else player.act(agent, observation, info))
    env.close()
    return log


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"hysteresis": 1.0}, id="users"),
        pytest.param(
            {"hysteresis": 0.0, "time_to_trigger": "0ms", "placement": "central"}, id="central"
        ),
        pytest.param({"hysteresis": 2.0, "agents": "cell"}, id="cells"),
    ],
)
def test_a3_in_python_equals_a3_of_ns3(arguments: Arguments) -> None:
    mine = handovers("a3_rsrp", **arguments)
    assert mine == handovers("stay", algorithm="a3_rsrp", **arguments)
    assert len(mine) >= 3 * 4


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"reports": "both"}, id="users"),
        pytest.param(
            {"reports": "both", "hysteresis": 2.0, "time_to_trigger": "256ms"}, id="slow-events"
        ),
        pytest.param({"reports": "both", "observation": "cells", "agents": "cell"}, id="cells"),
        pytest.param({"reports": "both", "placement": "central"}, id="central"),
    ],
)
def test_a3_in_python_equals_a3_of_ns3_with_additional_periodic_reports(
    arguments: Arguments,
) -> None:
    mine = handovers("a3_rsrp", handover_v1.SPEC, **arguments)
    assert mine == handovers("stay", handover_v1.SPEC, **arguments, algorithm="a3_rsrp")
    assert len(mine) >= 3 * 4
