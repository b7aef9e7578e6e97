# SPDX-License-Identifier: GPL-2.0-only
"""Agents that average their learned weights, over the links of `scenarios/learning.cc`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from policies import LEARNING, MS, act, policy

from defiance_zoo import errors
from defiance_zoo.experiments.learning import Federation

Make = Callable[..., Any]


@pytest.fixture
def link() -> str:
    """A fixed kind of link: these tests do not depend on it."""
    return "local"


def run_federation(env: Any, federation: Federation) -> dict[str, tuple[int, float]]:
    """Share once; return when each agent received an average, in ms, and its action."""
    for i, agent in enumerate(env.agents):
        federation.share(agent, policy(10 * i), samples=i + 1)
    got: dict[str, tuple[int, float]] = {}
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
        for agent, average in federation.averages().items():
            got[agent] = env.sim_time_ns // MS, float(average["action"][0])
    return got


MEAN = (1 * 0 + 2 * 10 + 3 * 20) / 6
AGENTS = ["agent_0", "agent_1", "agent_2"]


def test_agents_average_through_a_server(make_parallel: Make) -> None:
    """Each way takes 38 ms: sent at 10 ms, averaged at 50 ms, received at 90 ms."""
    env = make_parallel(LEARNING, agents=3)
    env.reset(seed=1)
    got = run_federation(env, Federation(env, AGENTS, server="server_0"))
    assert got == {agent: (90, pytest.approx(MEAN)) for agent in AGENTS}


def test_agents_average_without_a_server(make_parallel: Make) -> None:
    env = make_parallel(LEARNING, agents=3, servers=0)
    env.reset(seed=1)
    got = run_federation(env, Federation(env, AGENTS))
    assert got == {agent: (50, pytest.approx(MEAN)) for agent in AGENTS}


def test_a_quorum_does_not_wait_for_the_last_agent(make_parallel: Make) -> None:
    """agent_0 contributes nothing, and receives the average of the others."""
    env = make_parallel(LEARNING, agents=3, peers=False)
    env.reset(seed=1)
    federation = Federation(env, AGENTS, server="server_0", quorum=2)
    federation.share("agent_1", policy(4), samples=1)
    federation.share("agent_2", policy(8), samples=1)
    got = set()
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
        for agent, average in federation.averages().items():
            got.add((agent, act(average)))
            average["action"][:] = 99  # as training in place does
    assert got == {(agent, 6) for agent in AGENTS}
    with pytest.raises(errors.ParameterError, match="quorum=4"):
        Federation(env, AGENTS, quorum=4)
    with pytest.raises(errors.ParameterError, match="takes no part"):
        federation.share("agent_7", policy(1))
