# SPDX-License-Identifier: GPL-2.0-only
"""tcp_congestion_v0: flows with individual algorithms, and agents next to ns-3's algorithms."""

from __future__ import annotations

from typing import Any

import pytest

from defiance_zoo.envs import tcp_congestion_v0
from defiance_zoo.errors import ParameterError

GIVEN: dict[str, Any] = {"flows": 2, "duration": "2s", "start_jitter": 0}
KEEP, HALVE = 2, 0


def received(
    actions: dict[str, int], options: dict[str, Any] | None = None, **given: Any
) -> dict[str, int]:
    """Return the bytes that each flow's receiver has read by the end."""
    env = tcp_congestion_v0.parallel_env(link="local", **{**GIVEN, **given})
    env.reset(seed=1, options=options)
    while env.agents:
        *_, infos = env.step({agent: actions.get(agent, KEEP) for agent in env.agents})
    env.close()
    return {agent: info["received_bytes"] for agent, info in infos.items()}


def test_one_algorithm_per_flow_equals_one_for_all() -> None:
    together = received({}, algorithm="cubic")
    assert received({}, algorithm={"agent_0": "cubic", "agent_1": "cubic"}) == together
    assert min(together.values()) > 100_000


def test_an_agent_shares_the_link_with_an_algorithm_of_ns3() -> None:
    """The agent changes both throughputs; an agent of the other flow would change nothing."""
    given = {"algorithm": {"agent_1": "cubic"}}
    kept, halved = (received({"agent_0": action}, **given) for action in (KEEP, HALVE))
    assert halved["agent_0"] < kept["agent_0"] < kept["agent_1"] < halved["agent_1"]
    assert received({"agent_1": HALVE}, **given) == kept


def test_algorithms_may_be_options_of_an_episode() -> None:
    """Populations use these options to seat ns-3's algorithms."""
    env_given = received({}, algorithm={"agent_1": "bbr"})
    assert received({}, options={"algorithm": {"agent_1": "bbr"}}) == env_given
    assert received({}) != env_given


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"algorithm": {"agent_2": "cubic"}}, "algorithm names agent_2.*agent_0 to agent_1"),
        ({"algorithm": {"agent_1": "reno"}}, "algorithm.*reno"),
        (
            {"algorithm": {"agent_1": "bbr"}, "control": "per_ack"},
            "algorithm=bbr decides by itself",
        ),
        ({"algorithm": {"agent_0": "bbr"}, "placement": "central"}, "one agent for all flows"),
    ],
)
def test_contradictory_parameters_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        received({}, **given)
