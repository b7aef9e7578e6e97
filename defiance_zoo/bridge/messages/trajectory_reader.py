# SPDX-License-Identifier: GPL-2.0-only
"""Reading of the simulation's report of a fragment that a policy has played."""

from __future__ import annotations

import numpy as np

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.messages.agent_roster import AgentRoster
from defiance_zoo.bridge.messages.fragments import Trajectory
from defiance_zoo.errors import MalformedMessage


def read_trajectory(
    message: pb.StepRequest | pb.EpisodeEnd, roster: AgentRoster, since_ns: int, most: int
) -> Trajectory | None:
    """Return the decisions of a fragment; None if the message has none.

    Args:
        message: The simulation's message; its new and ended agents are not in `roster` yet.
        roster: The agents so far.
        since_ns: Time of the previous message, in nanoseconds.
        most: Maximum number of rounds of the fragment; 0 without a fragment.

    Raises:
        MalformedMessage: The report contradicts itself or the order.
    """
    played = message.trajectory if message.HasField("trajectory") else None
    if (played is not None) != (most > 0):
        raise MalformedMessage("a trajectory that was not ordered" if played else "no trajectory")
    if played is None:
        return None
    _check_rows(played, most)
    _check_times(played, since_ns, message.sim_time_ns)
    deciding = tuple(dict.fromkeys(played.agents))
    for index in deciding:
        roster.agent(index)
    template = roster.templates.template((deciding,))
    roster.require_living(template)
    (group,) = template.groups
    count = len(played.agents)
    actions = group.actions.pull(played.actions, count)
    return Trajectory(
        np.array(played.times_ns, np.int64),
        np.array(played.sizes, np.int64),
        np.array(played.agents, np.int64),
        tuple(roster.agents),
        group.observations.assemble(
            iter(group.observations.pull(played.observations, count)), count
        ),
        np.array(played.rewards, np.float64),
        group.actions.assemble(iter(actions), count),
        actions,
    )


def _check_rows(played: pb.Trajectory, most: int) -> None:
    rounds, decisions = len(played.times_ns), len(played.agents)
    sizes = list(played.sizes)
    if not 1 <= rounds <= most or len(sizes) != rounds or min(sizes) < 1:
        raise MalformedMessage(f"a trajectory of {rounds} rounds (at most {most}), sizes {sizes}")
    if sum(sizes) != decisions or len(played.rewards) != decisions:
        raise MalformedMessage(
            f"a trajectory of {decisions} decisions with {len(played.rewards)} rewards, "
            f"in rounds of {sizes}"
        )


def _check_times(played: pb.Trajectory, since_ns: int, now_ns: int) -> None:
    times = [since_ns, *played.times_ns, now_ns]
    if times != sorted(times):
        raise MalformedMessage(
            f"a trajectory with rounds at {list(played.times_ns)} ns, not between {since_ns} ns "
            f"and {now_ns} ns"
        )
