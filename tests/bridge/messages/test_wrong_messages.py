# SPDX-License-Identifier: GPL-2.0-only
"""Messages that are well-formed but not allowed at their position in the episode."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from defiance_zoo import errors
from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import codec_for, encode_space
from defiance_zoo.bridge.messages.agent_roster import AgentCache
from defiance_zoo.bridge.simulation.simulation import Simulation
from defiance_zoo.bridge.transport.pipe_link import LENGTH, PipeLink

TOKEN = b"token"
SEEN = spaces.Box(0, 1, (2,), np.float32)
DONE = spaces.Discrete(2)


def spec(index: int, name: str) -> pb.AgentSpec:
    """Introduce an agent."""
    return pb.AgentSpec(
        index=index,
        agent=name,
        observation_space=encode_space(SEEN),
        action_space=encode_space(DONE),
    )


def steps(*agents: int) -> pb.AgentSteps:
    """Ask some agents together."""
    asked = pb.AgentSteps(agents=agents, rewards=[1.0] * len(agents))
    codec = codec_for(SEEN)
    values = [np.zeros(2, np.float32)] * len(agents)
    codec.push(asked.observations, iter(codec.flatten(values)), len(agents))
    return asked


def end(agent: int) -> pb.AgentEnd:
    """End an agent."""
    return pb.AgentEnd(agent=agent, terminated=True)


class Talk:
    """The messages of a simulation in an episode of two agents and four rounds, 10 ns apart."""

    def __init__(self) -> None:
        self.hello = pb.Hello(protocol=2, token=TOKEN.decode(), rng_seed=1, rng_run=1)
        self.hello.agents.extend([spec(0, "agent_0"), spec(1, "agent_1")])
        self.requests = [
            pb.StepRequest(sequence=n, sim_time_ns=10 * n, steps=[steps(0)]) for n in range(1, 5)
        ]
        self.end = pb.EpisodeEnd(sim_time_ns=50, ended=[end(0), end(1)])

    def play(self) -> None:
        """Let Python receive the message."""
        link = PipeLink(10.0)
        link.open(TOKEN)
        with contextlib.closing(link):
            self._say(link, pb.SimulationMessage(hello=self.hello))
            simulation = Simulation(link, TOKEN, None, timeout_s=10, agent_cache=AgentCache())
            simulation.greet()
            for request in self.requests:
                self._say(link, pb.SimulationMessage(step_request=request))
                reported = simulation.receive()
                simulation.step([bytes(8 * len(group.names)) for group in reported.groups])
            self._say(link, pb.SimulationMessage(episode_end=self.end))
            assert simulation.receive().over

    @staticmethod
    def _say(link: PipeLink, message: pb.SimulationMessage) -> None:
        frame = message.SerializeToString()
        os.write(link.inherited(TOKEN)[1], LENGTH.pack(len(frame)) + frame)


def test_a_correct_conversation_is_accepted() -> None:
    talk = Talk()
    talk.requests[1].joined.append(spec(2, "agent_2"))
    talk.requests[1].steps.append(steps(2, 1))
    talk.requests[2].ended.append(end(0))
    talk.requests[2].ended[0].sim_time_ns = 20
    talk.requests[2].transfers.add(number=1, outcome=pb.TRANSFER_OUTCOME_LOST, time_ns=30)
    talk.requests[2].steps[0].CopyFrom(steps(2))
    talk.requests[3].steps[0].CopyFrom(steps(2))
    talk.requests[3].sim_time_ns = 30
    talk.end.ended[0].agent = 2
    talk.play()


def wrong_dtype_of_info(talk: Talk) -> None:
    info = talk.requests[0].steps[0].infos.add().info.add(key="queue")
    info.tensor.dtype = 99  # type: ignore[assignment]
    info.tensor.shape.append(1)


def ask_after_the_end(talk: Talk) -> None:
    talk.requests[2].ended.append(end(0))
    talk.requests[2].steps[0].CopyFrom(steps(1))
    # The fourth request looks like the first two.


def report(talk: Talk, *numbers: int, time_ns: int = 10) -> None:
    for number in numbers:
        talk.requests[0].transfers.add(
            number=number, outcome=pb.TRANSFER_OUTCOME_DELIVERED, time_ns=time_ns
        )


def twice(messages: Any, name: str) -> None:
    messages.add(**{name: "word"})
    messages.add(**{name: "word"})


def end_at(talk: Talk, time_ns: int) -> None:
    talk.requests[1].ended.append(end(1))
    talk.requests[1].ended[0].sim_time_ns = time_ns
    talk.end.ended.pop()


def info_twice(talk: Talk) -> None:
    info = talk.requests[0].steps[0].infos.add(row=0).info
    info.add(key="word", real=1)
    info.add(key="word", text="2")


def set_time(request: int, time_ns: int) -> Callable[[Talk], None]:
    return lambda talk: setattr(talk.requests[request], "sim_time_ns", time_ns)


WRONG: dict[str, tuple[Callable[[Talk], Any], str]] = {
    "ended twice": (
        lambda talk: [talk.requests[i].ended.append(end(1)) for i in (1, 3)],
        "agent_1 ended twice",
    ),
    "ended twice at once": (
        lambda talk: talk.requests[1].ended.extend([end(1), end(1)]),
        "agent_1 ended twice",
    ),
    "ended twice at the end": (lambda talk: talk.end.ended.append(end(1)), "agent_1 ended twice"),
    "forgotten": (lambda talk: talk.end.ended.pop(), "the episode ended, but not agent_1"),
    "all forgotten": (lambda talk: talk.end.ClearField("ended"), "but not agent_0, agent_1"),
    "joined too late": (
        lambda talk: talk.end.joined.append(spec(2, "agent_2")),
        "but not agent_2",
    ),
    "asks at its end": (
        lambda talk: talk.requests[2].ended.append(end(0)),
        "agent_0 asks after its end",
    ),
    "asks after its end": (ask_after_the_end, "agent_0 asks after its end"),
    "asks twice": (
        lambda talk: talk.requests[1].steps[0].CopyFrom(steps(1, 0, 1)),
        "agent_1 asks twice in a round",
    ),
    "asks twice apart": (
        lambda talk: talk.requests[1].steps.extend([steps(1), steps(0)]),
        "agent_0 asks twice in a round",
    ),
    "goes back in time": (set_time(1, 9), "simulated time 9 ns after 10 ns"),
    "goes back in time as before": (set_time(2, 19), "simulated time 19 ns after 20 ns"),
    "begins before the beginning": (set_time(0, -1), "simulated time -1 ns after 0 ns"),
    "ends in the past": (
        lambda talk: setattr(talk.end, "sim_time_ns", 39),
        "simulated time 39 ns after 40 ns",
    ),
    "agent ends in the past": (lambda talk: end_at(talk, 9), "9 ns, not between 10 ns and 20 ns"),
    "agent ends in the future": (lambda talk: end_at(talk, 21), "21 ns, not between 10 ns and"),
    "transfer of the future": (lambda talk: report(talk, 1, time_ns=11), "happened at 11 ns"),
    "transfer twice": (lambda talk: report(talk, 7, 8, 7), r"transfers \[7, 8, 7\]"),
    "no name": (
        lambda talk: setattr(talk.hello.agents[1], "agent", ""),
        "agent number 1 has no name",
    ),
    "name twice": (
        lambda talk: setattr(talk.hello.agents[1], "agent", "agent_0"),
        "'agent_0' introduced out of order",
    ),
    "parameter twice": (lambda talk: twice(talk.hello.parameters, "name"), "'word', 'word'"),
    "info twice": (info_twice, "info 'word' is sent twice"),
    "infos of a row twice": (
        lambda talk: [talk.requests[0].steps[0].infos.add(row=0) for _ in range(2)],
        r"infos of rows \[0, 0\], one repeated",
    ),
    "unknown dtype": (
        lambda talk: setattr(talk.requests[0].steps[0].observations.box, "dtype", 99),
        "a box value of element type 99",
    ),
    "unknown dtype of an info": (wrong_dtype_of_info, "the protocol has no element type 99"),
    "unknown dtype of a space": (
        lambda talk: setattr(talk.hello.agents[0].observation_space.box, "dtype", 99),
        "the protocol has no element type 99",
    ),
    "large space": (
        lambda talk: talk.hello.agents[0].observation_space.box.shape.append(2**33),
        f"{2**36} bytes",
    ),
    "endless bounds": (
        lambda talk: setattr(
            talk.hello.agents[0].observation_space.box, "low", np.float32(math.nan).tobytes()
        ),
        "a box space that Gymnasium refuses",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_each_fault_is_an_error_of_the_protocol(case: str) -> None:
    spoil, words = WRONG[case]
    talk = Talk()
    spoil(talk)
    with pytest.raises(errors.MalformedMessage, match=words):
        talk.play()


def test_a_failure_of_unknown_kind_raises() -> None:
    link = PipeLink(10.0)
    link.open(TOKEN)
    with contextlib.closing(link):
        failure = pb.Failure(code=99, message="out of order")  # type: ignore[arg-type]
        Talk._say(link, pb.SimulationMessage(failure=failure))
        simulation = Simulation(link, TOKEN, None, timeout_s=10, agent_cache=AgentCache())
        with pytest.raises(errors.SimulationRefused, match=r"gave up \(code 99\): out of order"):
            simulation.greet()


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf])
def test_rewards_that_are_not_finite_are_refused(reward: float) -> None:
    talk = Talk()
    talk.requests[1].steps[0].rewards[0] = reward
    with pytest.raises(errors.InvalidReward, match=f"of agent 'agent_0' is {reward}, but must be"):
        talk.play()
    talk = Talk()
    talk.end.ended[1].reward = reward
    with pytest.raises(errors.InvalidReward, match=f"of agent 'agent_1' is {reward}, but must be"):
        talk.play()


def test_non_finite_rewards_are_found_in_requests_read_by_template() -> None:
    """Every few rounds, like values out of bounds: the simulation itself checks each reward."""
    talk = Talk()
    talk.requests = [
        pb.StepRequest(sequence=n, sim_time_ns=10, steps=[steps(0)]) for n in range(1, 80)
    ]
    for request in talk.requests[10:]:
        request.steps[0].rewards[0] = math.nan
    with pytest.raises(errors.InvalidReward, match="the reward of agent 'agent_0' is nan"):
        talk.play()


def test_rewards_after_the_end_of_an_agent_raise_with_its_name() -> None:
    talk = Talk()
    talk.end.late_rewards.add(agent=1, count=2, first_time_ns=20)
    with pytest.warns(errors.LateRewardWarning, match="agent_1 got rewards after the end"):
        talk.play()
    for wrong in (1, 7):
        talk.end.late_rewards.add(agent=wrong, count=2)
        with pytest.raises(errors.MalformedMessage):
            talk.play()
        del talk.end.late_rewards[1]
