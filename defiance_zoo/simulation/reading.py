# SPDX-License-Identifier: GPL-2.0-only
"""Messages about agents, as events."""

from __future__ import annotations

from typing import Any

import numpy as np

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.codec import Buffer, decode_infos
from defiance_zoo.errors import MalformedMessage
from defiance_zoo.simulation.communication import read_communication
from defiance_zoo.simulation.events import Agent, AgentEnd, AgentSteps, Round
from defiance_zoo.simulation.layouts import Layout
from defiance_zoo.simulation.roster import Roster
from defiance_zoo.simulation.transfers import read_reports


def read_request(request: pb.StepRequest, frame: bytes, roster: Roster) -> tuple[Round, Layout]:
    """Return a request as a round, and how it is answered.

    Args:
        request: The request.
        frame: The whole message, by which those that look alike are known.
        roster: The agents so far; those that have joined are added.

    Raises:
        MalformedMessage: The request breaks a rule of the protocol.
    """
    joined = roster.introduce(request.joined)
    if not request.steps or not all(steps.agents for steps in request.steps):
        raise MalformedMessage("a step request of no agent")
    buffers = [_pull_observations(steps, roster) for steps in request.steps]
    layout = roster.layouts.of(request, frame)
    asked = tuple(
        AgentSteps(group, each, np.array(steps.rewards).tobytes(), _read_infos(steps))
        for group, each, steps in zip(layout.groups, buffers, request.steps, strict=True)
    )
    ended = tuple(_read_agent_end(end, request.sim_time_ns, roster) for end in request.ended)
    finished = read_reports(request)
    return Round(request.sim_time_ns, asked, joined, ended, finished, over=False), layout


def read_end(end: pb.EpisodeEnd, roster: Roster) -> Round:
    """Return the end of an episode as its last round.

    Raises:
        MalformedMessage: The message breaks a rule of the protocol.
    """
    joined = roster.introduce(end.joined)
    ended = tuple(_read_agent_end(each, end.sim_time_ns, roster) for each in end.ended)
    counted = read_communication(end.communication) if end.HasField("communication") else None
    return Round(end.sim_time_ns, (), joined, ended, read_reports(end), counted, over=True)


def _pull_observations(steps: pb.AgentSteps, roster: Roster) -> list[Buffer]:
    agents = [roster.agent(index) for index in steps.agents]
    if len(steps.rewards) != len(agents):
        raise MalformedMessage(f"{len(steps.rewards)} rewards of {len(agents)} agents")
    return _pull(agents[0], steps.observations, len(agents))


def _pull(agent: Agent, container: pb.DataContainer, rows: int) -> list[Buffer]:
    try:
        return agent.observations.pull(container, rows)
    except MalformedMessage as error:
        raise MalformedMessage(f"as observation of {agent.name} {error}") from error


def _read_agent_end(end: pb.AgentEnd, now_ns: int, roster: Roster) -> AgentEnd:
    agent = roster.agent(end.agent)
    if end.terminated == end.truncated:
        raise MalformedMessage(f"{agent.name} ended neither or both ways")
    observation = None
    if end.HasField("observation"):
        observation = agent.observations.single(_pull(agent, end.observation, 1))
    time_ns = end.sim_time_ns if end.HasField("sim_time_ns") else now_ns
    info = decode_infos(end.info)
    return AgentEnd(agent.name, observation, end.reward, end.terminated, info, time_ns)


def _read_infos(steps: pb.AgentSteps) -> dict[int, dict[str, Any]]:
    infos = {each.row: decode_infos(each.info) for each in steps.infos}
    if any(row >= len(steps.agents) for row in infos):
        raise MalformedMessage(f"infos of rows {sorted(infos)} of {len(steps.agents)}")
    return infos
