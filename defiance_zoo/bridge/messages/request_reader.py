# SPDX-License-Identifier: GPL-2.0-only
"""Parsing of step requests and ends of episodes."""

from __future__ import annotations

from array import array
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import Buffer, decode_infos
from defiance_zoo.bridge.messages.agent_roster import AgentRoster
from defiance_zoo.bridge.messages.communication_reports import read_communication
from defiance_zoo.bridge.messages.round_templates import RoundTemplate
from defiance_zoo.bridge.messages.rounds import Agent, AgentEnd, AgentSteps, Round
from defiance_zoo.bridge.messages.trajectory_reader import read_trajectory
from defiance_zoo.bridge.messages.transfer_reports import read_reports
from defiance_zoo.errors import MalformedMessage


def read_request(
    request: pb.StepRequest, frame: bytes, roster: AgentRoster, since_ns: int, rounds: int = 0
) -> tuple[Round, RoundTemplate]:
    """Return a request as a round, and the template of its answer.

    Args:
        request: The request.
        frame: The whole message, by which messages of the same form are recognized.
        roster: The agents so far; joining agents are added, and ends are noted.
        since_ns: Time of the previous message, in nanoseconds.
        rounds: Rounds of the ordered fragment; 0 without a fragment.

    Raises:
        MalformedMessage: The request breaks a rule of the protocol.
    """
    _check_times(request, since_ns)
    trajectory = read_trajectory(request, roster, since_ns, rounds)
    joined = roster.introduce(request.joined)
    if not request.steps or not all(steps.agents for steps in request.steps):
        raise MalformedMessage("a step request without an agent")
    buffers = [_pull_observations(steps, roster) for steps in request.steps]
    ended = tuple(_read_agent_end(end, request.sim_time_ns, roster) for end in request.ended)
    template = roster.templates.of(request)
    roster.require_living(template)
    asked = tuple(
        AgentSteps(group, each, array("d", steps.rewards).tobytes(), _read_infos(steps))
        for group, each, steps in zip(template.groups, buffers, request.steps, strict=True)
    )
    finished = read_reports(request)
    received = Round(request.sim_time_ns, asked, joined, ended, finished, over=False)
    if trajectory is None:
        roster.templates.learn(template, request, frame)
    else:
        received.trajectory = trajectory
    return received, template


def read_end(end: pb.EpisodeEnd, roster: AgentRoster, since_ns: int, rounds: int = 0) -> Round:
    """Return the end of an episode as its last round; arguments as for `read_request`.

    Raises:
        MalformedMessage: The message breaks a rule of the protocol.
    """
    _check_times(end, since_ns)
    trajectory = read_trajectory(end, roster, since_ns, rounds)
    joined = roster.introduce(end.joined)
    ended = tuple(_read_agent_end(each, end.sim_time_ns, roster) for each in end.ended)
    roster.require_ends()
    counted = read_communication(end.communication) if end.HasField("communication") else None
    last = Round(end.sim_time_ns, (), joined, ended, read_reports(end), counted, over=True)
    last.trajectory = trajectory
    last.late_rewards = _read_late_rewards(end, roster)
    return last


def _read_late_rewards(end: pb.EpisodeEnd, roster: AgentRoster) -> tuple[str, ...]:
    names = tuple(roster.agent(each.agent).name for each in end.late_rewards)
    if len(set(names)) < len(names) or not all(each.count for each in end.late_rewards):
        raise MalformedMessage(f"late rewards of {names}, of which one is repeated or has none")
    return names


def read_parameters(hello: pb.Hello) -> dict[str, str]:
    """Return the parameters in effect, by name.

    Raises:
        MalformedMessage: A parameter is reported twice.
    """
    parameters = {each.name: each.value for each in hello.parameters}
    if len(parameters) < len(hello.parameters):
        raise MalformedMessage(f"parameters {[e.name for e in hello.parameters]}, one twice")
    return parameters


def _check_times(message: pb.StepRequest | pb.EpisodeEnd, since_ns: int) -> None:
    """Refuse decreasing time, and reports of later times."""
    now_ns = message.sim_time_ns
    if now_ns < since_ns:
        raise MalformedMessage(f"simulated time {now_ns} ns after {since_ns} ns")
    received = [each.sim_time_ns for each in message.ended if each.HasField("sim_time_ns")]
    for time_ns in (*received, *(each.time_ns for each in message.transfers)):
        if not since_ns <= time_ns <= now_ns:
            raise MalformedMessage(
                f"something that happened at {time_ns} ns, not between {since_ns} ns and "
                f"{now_ns} ns"
            )


def _pull_observations(steps: pb.AgentSteps, roster: AgentRoster) -> list[Buffer]:
    agents = [roster.agent(index) for index in steps.agents]
    if len(steps.rewards) != len(agents):
        raise MalformedMessage(f"{len(steps.rewards)} rewards of {len(agents)} agents")
    return _pull(agents[0], steps.observations, len(agents))


def _pull(agent: Agent, container: pb.DataContainer, rows: int) -> list[Buffer]:
    try:
        return agent.observations.pull(container, rows)
    except MalformedMessage as error:
        raise MalformedMessage(f"as observation of {agent.name} {error}") from error


def _read_agent_end(end: pb.AgentEnd, now_ns: int, roster: AgentRoster) -> AgentEnd:
    agent = roster.end(end.agent)
    if end.terminated == end.truncated:
        raise MalformedMessage(f"{agent.name} must have ended by either termination or truncation")
    observation = None
    if end.HasField("observation"):
        observation = agent.observations.single(_pull(agent, end.observation, 1))
    time_ns = end.sim_time_ns if end.HasField("sim_time_ns") else now_ns
    info = decode_infos(end.info)
    return AgentEnd(agent.name, observation, end.reward, end.terminated, info, time_ns)


def _read_infos(steps: pb.AgentSteps) -> dict[int, dict[str, Any]]:
    infos = {each.row: decode_infos(each.info) for each in steps.infos}
    if len(infos) < len(steps.infos):
        raise MalformedMessage(f"infos of rows {[each.row for each in steps.infos]}, one repeated")
    if any(row >= len(steps.agents) for row in infos):
        raise MalformedMessage(
            f"infos of rows {sorted(infos)}, but there are {len(steps.agents)} rows"
        )
    return infos
