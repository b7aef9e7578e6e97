# SPDX-License-Identifier: GPL-2.0-only
"""Reading of the simulation's messages: requests, trajectories, ends and failures."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

import numpy as np

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import Buffer, ValueCodec, decode_infos
from defiance_zoo.bridge.messages.agent_roster import AgentRoster
from defiance_zoo.bridge.messages.communication_reports import read_communication
from defiance_zoo.bridge.messages.fragments import Trajectory
from defiance_zoo.bridge.messages.info_templates import read_infos
from defiance_zoo.bridge.messages.rounds import AgentEnd, AgentGroup, AgentSteps, Round
from defiance_zoo.bridge.messages.templates import RoundTemplate
from defiance_zoo.bridge.messages.transfer_reports import read_reports
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.errors import (
    DeadWiringWarning,
    HostsUnavailable,
    InvalidObservation,
    InvalidPolicy,
    InvalidReward,
    MalformedMessage,
    MissingUnitWarning,
    NobodyDecided,
    ParameterError,
    RealTimeLost,
    ScenarioError,
    SimulationError,
    SimulationRefused,
    UnseenException,
)


def read_request(
    request: pb.StepRequest, frame: bytes, roster: AgentRoster, since_ns: int, rounds: int = 0
) -> tuple[Round, RoundTemplate]:
    """Return a request as a round, and the template of its answer.

    `frame`: the whole message, by which messages of the same form are recognized. `roster`: the
    agents so far; joining agents are added, and ends are noted. `since_ns`: time of the previous
    message. `rounds`: rounds of the ordered fragment; 0 without a fragment.
    """
    _check_times(request, since_ns)
    trajectory = read_trajectory(request, roster, since_ns, rounds)
    joined = roster.introduce(request.joined)
    if not request.steps or not all(steps.agents for steps in request.steps):
        raise MalformedMessage("a step request without an agent")
    template = roster.templates.template(tuple([tuple(each.agents) for each in request.steps]))
    asked = tuple(map(_read_steps, template.groups, request.steps))
    ended = tuple(_read_agent_end(end, request.sim_time_ns, roster) for end in request.ended)
    roster.require_living(template)
    finished = read_reports(request)
    received = Round(request.sim_time_ns, asked, joined, ended, finished, over=False)
    if trajectory is None:
        roster.templates.learn(template, request, frame)
    else:
        received.trajectory = trajectory
    return received, template


def read_end(end: pb.EpisodeEnd, roster: AgentRoster, since_ns: int, rounds: int = 0) -> Round:
    """Return the end of an episode as its last round; arguments as for `read_request`."""
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
    """Return the parameters in effect, by name."""
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


def _read_steps(group: AgentGroup, steps: pb.AgentSteps) -> AgentSteps:
    count = len(group.names)
    if len(steps.rewards) != count:
        raise MalformedMessage(f"{len(steps.rewards)} rewards of {count} agents")
    buffers = _pull(group.names[0], group.observations, steps.observations, count)
    return AgentSteps(group, buffers, array("d", steps.rewards).tobytes(), read_infos(steps))


def _pull(name: str, codec: ValueCodec, container: pb.DataContainer, rows: int) -> list[Buffer]:
    try:
        return codec.pull(container, rows)
    except MalformedMessage as error:
        raise MalformedMessage(f"as observation of {name} {error}") from error


def _read_agent_end(end: pb.AgentEnd, now_ns: int, roster: AgentRoster) -> AgentEnd:
    agent = roster.end(end.agent)
    if end.terminated == end.truncated:
        raise MalformedMessage(f"{agent.name} must have ended by either termination or truncation")
    observation = None
    if end.HasField("observation"):
        buffers = _pull(agent.name, agent.observations, end.observation, 1)
        observation = agent.observations.single(buffers)
    time_ns = end.sim_time_ns if end.HasField("sim_time_ns") else now_ns
    info = decode_infos(end.info)
    return AgentEnd(agent.name, observation, end.reward, end.terminated, info, time_ns)


def read_trajectory(
    message: pb.StepRequest | pb.EpisodeEnd, roster: AgentRoster, since_ns: int, most: int
) -> Trajectory | None:
    """Return the decisions of a fragment; None if the message has none.

    `message`: the simulation's message; its new and ended agents are not in `roster` yet. `most`:
    maximum number of rounds of the fragment; 0 without a fragment.
    """
    played = message.trajectory if message.HasField("trajectory") else None
    if (played is not None) != (most > 0):
        raise MalformedMessage("a trajectory that was not ordered" if played else "no trajectory")
    if played is None:
        return None
    _check_rows(played, most)
    _check_played_times(played, since_ns, message.sim_time_ns)
    deciding = tuple(dict.fromkeys(played.agents))
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


def _check_played_times(played: pb.Trajectory, since_ns: int, now_ns: int) -> None:
    times = [since_ns, *played.times_ns, now_ns]
    if times != sorted(times):
        raise MalformedMessage(
            f"a trajectory with rounds at {list(played.times_ns)} ns, not between {since_ns} ns "
            f"and {now_ns} ns"
        )


_MISSING_UNIT = "missing unit: "
"""Begins warnings of `WarnOfMissingUnit()`."""
_KINDS: Mapping[str, type[Warning]] = {
    _MISSING_UNIT: MissingUnitWarning,
    "unseen exception: ": UnseenException,
}
"""Classes of warnings by their beginnings; others are of the class `DeadWiringWarning`."""
_reported: set[str] = set()
"""Warnings that were given in this process."""


def read_failure(failure: pb.Failure, last_words: str) -> ParameterError | SimulationError:
    """Return a failure as an error."""
    if failure.code == pb.Failure.CODE_INVALID_PARAMETER:
        return ParameterError(failure.message)
    if failure.code == pb.Failure.CODE_INVALID_OBSERVATION:
        return InvalidObservation(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_INVALID_REWARD:
        return InvalidReward(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_SCENARIO:
        reason = ""
        if "ns-3 has aborted" in failure.message:  # ns-3 writes the reason to its output
            reason = last_words.partition("defiance: ")[0]  # without a copy of the failure
        message = f"the scenario has failed: {failure.message.lstrip()}"
        return ScenarioError(message, last_words=reason)
    if failure.code == pb.Failure.CODE_HOSTS_UNAVAILABLE:
        return HostsUnavailable(failure.message)
    if failure.code == pb.Failure.CODE_REAL_TIME_LOST:
        return RealTimeLost(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_INVALID_POLICY:
        return InvalidPolicy(failure.message, last_words=last_words)
    return SimulationRefused(
        f"the simulation gave up ({_name(failure.code)}): {failure.message}", last_words=last_words
    )


def warn_author(scenario: str, messages: Iterable[str]) -> None:
    """Warn the author of a scenario, once in this process for each message.

    Warns:
        DeadWiringWarning: A connection or a route is missing.
        MissingUnitWarning: The scenario has a time or data rate without a unit.
        UnseenException: A task of a replica failed.
    """
    for message in messages:
        text = f"scenario {scenario!r}: {message.strip()}"
        if text not in _reported:
            _reported.add(text)
            kinds = (kind for begin, kind in _KINDS.items() if message.startswith(begin))
            warn_caller(text, next(kinds, DeadWiringWarning))


def warn_of_idleness(scenario: str, last: Round, reasons: Iterable[str]) -> None:
    """Warn that an episode has ended without any decision, and of the simulation's reasons.

    Warns:
        NobodyDecided: With the line that called the package.
    """
    known = [f"\n{each.rstrip()}" for each in reasons if not each.startswith(tuple(_KINDS))]
    why = "".join(known) or (
        "An agent terminated before it could decide."
        if any(end.terminated for end in last.ended)
        else "Are delays longer than the episode (plain numbers are seconds), is everything lost, "
        "or do nodes lack a route?"
    )
    warn_caller(
        f"no agent decided in an episode of {scenario!r}, which ended after {last.time_ns / 1e9:g} "
        f"s of simulated time: its return says nothing about a policy. {why}",
        NobodyDecided,
    )


def _name(code: int) -> str:
    """Return the kind of a failure in words; its number if it has no name."""
    if code not in pb.Failure.Code.values():
        return f"code {code}"
    name: str = pb.Failure.Code.Name(code)
    return name.removeprefix("CODE_").lower().replace("_", " ")
