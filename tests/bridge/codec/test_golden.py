# SPDX-License-Identifier: GPL-2.0-only
"""The golden messages of golden/README.md, which the C++ tests check too."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from gymnasium import spaces

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import codec_for, decode_infos, decode_space, encode_space
from defiance_zoo.bridge.messages.agent_roster import AgentCache, AgentRoster
from defiance_zoo.bridge.messages.communication_reports import (
    CommunicationFlow,
    CommunicationLink,
    CommunicationPath,
    CommunicationReport,
    read_communication,
)
from defiance_zoo.bridge.messages.fragments import Fragment
from defiance_zoo.bridge.messages.request_reader import read_trajectory
from defiance_zoo.bridge.messages.transfer_reports import (
    Transfer,
    TransferReport,
    read_reports,
    write_orders,
)
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import MalformedMessage

GOLDEN = Path(__file__).resolve().parents[2] / "golden"

SPACE = spaces.Dict(
    {
        "binary": spaces.MultiBinary((2, 2)),
        "box": spaces.Box(
            np.array([[-1, -2, -3], [-4, -5, -6]], np.float32),
            np.array([[1, 2, 3], [4, 5, 600]], np.float32),
        ),
        "discrete": spaces.Discrete(5, start=-2),
        "multi": spaces.MultiDiscrete([3, 4], start=[0, -1]),
        "scalar": spaces.Box(-(2**63), 2**63 - 1, (), np.int64),
        "text": spaces.Text(8, min_length=1, charset="abcé"),
        "tuple": spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 255, (1,), np.uint8)]),
    }
)
VALUE: dict[str, Any] = {
    "binary": np.array([[1, 0], [0, 1]], np.int8),
    "box": np.array([[0.5, -1.5, 2.25], [3, -0.125, 100]], np.float32),
    "discrete": np.int64(-2),
    "multi": np.array([2, -1], np.int64),
    "scalar": np.array(-(2**63) + 1, np.int64),
    "text": "abé",
    "tuple": (np.int64(1), np.array([200], np.uint8)),
}
PARAMETERS = {
    "verbose": ("BOOLEAN", "false", "true"),
    "carts": ("INTEGER", "1", "3"),
    "loss": ("REAL", "0", "0.25"),
    "label": ("TEXT", "", "ü"),
    "delay": ("TIME", "1ms", "10ms"),
    "rate": ("DATA_RATE", "5Mbps", "100kbps"),
    "transport": ("TEXT", "udp", "tcp"),
}


def read(name: str, kind: Any) -> Any:
    """Parse a golden message, and check that writing it gives the same bytes."""
    wire = (GOLDEN / f"{name}.bin").read_bytes()
    message = kind.FromString(wire)
    assert message.SerializeToString(deterministic=True) == wire
    return message


def values(container: pb.DataContainer, space: spaces.Space[Any], rows: int = 1) -> list[Any]:
    """Decode a stack, and check that encoding its values again gives the same message."""
    codec = codec_for(space)
    decoded = codec.values(codec.assemble(iter(codec.pull(container, rows)), rows), rows)
    buffers = codec.flatten([codec.check(value) for value in decoded])
    again = pb.DataContainer()
    codec.push(again, iter(buffers), rows)
    assert again == container
    return decoded


def test_golden_hello_has_the_documented_contents() -> None:
    hello = read("hello", pb.SimulationMessage).hello
    assert (hello.protocol, hello.scenario, hello.ns3_version) == (2, "golden", "3.44")
    assert (hello.pid, hello.token) == (4711, "token-1")
    assert (hello.rng_seed, hello.rng_run) == (42, 7_000_000_000)
    one, two = hello.agents
    assert (one.index, one.agent, two.index, two.agent) == (0, "agent_0", 1, "agent_1")
    assert decode_space(one.observation_space) == SPACE
    assert decode_space(one.action_space) == spaces.Discrete(2)
    assert decode_space(two.observation_space) == spaces.Box(-np.inf, np.inf, (3,), np.float64)
    assert decode_space(two.action_space) == spaces.Box(-1, 1, (1,), np.float32)
    assert decode_space(encode_space(SPACE)) == SPACE
    for parameter, (name, (kind, _, effective)) in zip(
        hello.parameters, PARAMETERS.items(), strict=True
    ):
        assert parameter.name == name
        assert pb.ParameterType.Name(parameter.type) == f"PARAMETER_TYPE_{kind}"
        assert parameter.value == effective


def test_golden_step_request_has_the_documented_contents() -> None:
    request = read("step_request", pb.SimulationMessage).step_request
    assert (request.sequence, request.sim_time_ns) == (3, 1_500_000_000)
    (joined,) = request.joined
    assert (joined.index, joined.agent) == (2, "agent_2")
    assert decode_space(joined.observation_space) == spaces.Discrete(3)
    assert decode_space(joined.action_space) == spaces.Discrete(4, start=-1)
    (end,) = request.ended
    assert (end.agent, end.terminated, end.truncated, end.reward) == (1, True, False, -0.5)
    three = spaces.Box(-np.inf, np.inf, (3,), np.float64)
    (last,) = values(end.observation, three)
    assert last.tolist() == [1, 2, 3]
    assert decode_infos(end.info) == {"reason": "fell"}
    first, second = request.steps
    assert (first.agents, first.rewards) == ([0], [1.25])
    (seen,) = values(first.observations, SPACE)
    assert exact(seen) == exact(VALUE)
    (reported,) = first.infos
    infos = decode_infos(reported.info)
    queue = infos.pop("queue")
    assert (reported.row, infos) == (0, {"delay": 0.125, "hops": -3, "path": "a-b"})
    assert queue.dtype == np.uint16
    assert queue.tolist() == [7, 65535]
    assert (second.agents, second.rewards, len(second.infos)) == ([2, 4], [0, -1], 0)
    assert values(second.observations, spaces.Discrete(3), 2) == [2, 0]


def test_golden_step_reply_has_the_documented_contents() -> None:
    reply = read("step_reply", pb.PythonMessage).step_reply
    assert (reply.sequence, reply.command) == (3, pb.COMMAND_STEP)
    one, two, three = reply.actions
    assert values(one, spaces.Discrete(2)) == [1]
    boxes = values(two, spaces.Box(-1, 1, (1,), np.float32), 2)
    assert [each.tolist() for each in boxes] == [[0.75], [0.25]]
    assert [exact(each) for each in values(three, SPACE, 2)] == [exact(VALUE)] * 2


def test_golden_snapshot_reply_has_the_documented_contents() -> None:
    reply = read("snapshot_reply", pb.PythonMessage).step_reply
    assert (reply.sequence, reply.command) == (3, pb.COMMAND_SNAPSHOT)
    assert reply.snapshot_address == "/tmp/golden/snapshot"


def test_golden_transfer_reply_has_the_documented_contents() -> None:
    reply = read("transfer_reply", pb.PythonMessage).step_reply
    orders = [
        Transfer(7, "server_0", "agent_0", "model_update", 5_000_000, 0),
        Transfer(8, "agent_1", "server_0", "experience", 1, 0),
    ]
    written = pb.StepReply()
    write_orders(orders, written)
    assert written.transfers == reply.transfers


@pytest.mark.parametrize(
    ("name", "kind"), [("transfer_request", "step_request"), ("transfer_end", "episode_end")]
)
def test_golden_transfer_reports_has_the_documented_contents(name: str, kind: str) -> None:
    message = getattr(read(name, pb.SimulationMessage), kind)
    assert read_reports(message) == (
        TransferReport(7, "delivered", 1_250_000_000, ""),
        TransferReport(8, "lost", 1_300_000_000, "LOSS"),
        TransferReport(9, "refused", 1_400_000_000, "no channel"),
    )
    message.transfers[1].outcome = 17
    with pytest.raises(MalformedMessage, match="transfer 8 has outcome 17"):
        read_reports(message)


def test_golden_late_rewards_has_the_documented_contents() -> None:
    (late,) = read("late_reward_end", pb.SimulationMessage).episode_end.late_rewards
    assert (late.agent, late.count, late.first_time_ns) == (1, 3, 1_250_000_000)


def test_golden_fragment_has_the_documented_contents() -> None:
    reply = read("fragment_reply", pb.PythonMessage).step_reply
    noise = np.array([[[0.5, 1.5]], [[2.5, 3.5]]], np.float32)
    written = pb.StepReply(sequence=3, command=pb.COMMAND_PLAY)
    Fragment(b"a model", noise, "/tmp/golden/libonnxruntime.so").write(written)
    assert written == reply


def roster_of(count: int) -> AgentRoster:
    """Return so many agents that observe and act in numbers from 0 to 2."""
    space = encode_space(spaces.Discrete(3))
    roster = AgentRoster(AgentCache())
    for index in range(count):
        spec = pb.AgentSpec(index=index, agent=f"agent_{index}")
        spec.observation_space.CopyFrom(space)
        spec.action_space.CopyFrom(space)
        roster.introduce([spec])
    return roster


def test_golden_trajectory_has_the_documented_contents() -> None:
    request = read("trajectory_request", pb.SimulationMessage).step_request
    played = read_trajectory(request, roster_of(3), 0, 2)
    assert played is not None
    assert played.times_ns.tolist() == [1_000_000_000, 1_250_000_000]
    assert played.sizes.tolist() == [2, 1]
    assert played.agents.tolist() == [0, 2, 0]
    assert played.observations.tolist() == [0, 1, 2]
    assert played.rewards.tolist() == [0, 3, 0]
    assert played.actions.tolist() == [1, 0, 1]
    one, two = np.array([1, 0], np.int64).tobytes(), np.array([1], np.int64).tobytes()
    assert played.answers() == [[one], [two]]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda told: told.ClearField("agents"), "a trajectory of 0 decisions"),
        (lambda told: told.agents.append(0), "of 4 decisions with 3 rewards"),
        (lambda told: told.rewards.append(0), "of 3 decisions with 4 rewards"),
        (lambda told: told.sizes.append(1), "2 rounds \\(at most 2\\), sizes"),
        (lambda told: told.sizes.__setitem__(slice(None), [3, 0]), "sizes \\[3, 0\\]"),
        (lambda told: told.times_ns.__setitem__(0, 99), "rounds at \\[99, 1250000000\\] ns"),
        (lambda told: told.times_ns.__setitem__(1, 1_500_000_001), "100 ns and 1500000000 ns"),
        (lambda told: told.agents.__setitem__(1, 3), "agent number 3, which was never introduced"),
        (lambda told: told.actions.ClearField("discrete_stack"), "value where the space is"),
        (
            lambda told: told.actions.discrete_stack.shape.__setitem__(0, 2),
            "a malformed stack of 3",
        ),
        (lambda told: told.observations.ClearField("discrete_stack"), "value where the space is"),
    ],
)
def test_wrong_trajectories_are_refused(change: Any, fault: str) -> None:
    request = read("trajectory_request", pb.SimulationMessage).step_request
    change(request.trajectory)
    with pytest.raises(MalformedMessage, match=fault):
        read_trajectory(request, roster_of(3), 100, 2)


def test_a_trajectory_is_reported_in_the_round_it_is_due() -> None:
    request = read("trajectory_request", pb.SimulationMessage).step_request
    with pytest.raises(MalformedMessage, match="a trajectory that was not ordered"):
        read_trajectory(request, roster_of(3), 0, 0)
    with pytest.raises(MalformedMessage, match="2 rounds \\(at most 1\\)"):
        read_trajectory(request, roster_of(3), 0, 1)
    roster = roster_of(3)
    roster.end(2)
    with pytest.raises(MalformedMessage, match="agent_2 asks after its end"):
        read_trajectory(request, roster, 0, 2)
    request.ClearField("trajectory")
    with pytest.raises(MalformedMessage, match="no trajectory"):
        read_trajectory(request, roster_of(3), 0, 2)
    assert read_trajectory(request, roster_of(3), 0, 0) is None


COMMUNICATION = CommunicationReport(
    10_000_000_000,
    (
        CommunicationFlow(
            "observation_0",
            "agent_0",
            "observation",
            tx_messages=500,
            tx_payload_bytes=20000,
            tx_bytes=22000,
            rx_messages=450,
            rx_payload_bytes=18000,
            rx_bytes=19800,
            dropped_messages=3,
            dropped_bytes=132,
            mean_latency=0.0625,
            min_latency=0.001,
            max_latency=0.09,
            p50_latency=0.06,
            p95_latency=0.08,
            p99_latency=0.085,
        ),
    ),
    (CommunicationPath("observation_0", "agent_0", 510, 36280, 37300),),
    (
        CommunicationLink(
            "node_0/device_1",
            ("observation_0", "action_0"),
            data_rate_bps=10_000_000,
            frames=600,
            bytes=50000,
            rl_frames=510,
            rl_bytes=37300,
            busy_s=0.04,
            counted_s=10.0,
        ),
    ),
)


def test_golden_communication_has_the_documented_contents() -> None:
    reply = read("report_reply", pb.PythonMessage).step_reply
    assert (reply.sequence, reply.command) == (3, pb.COMMAND_REPORT)
    report = read("communication_report", pb.SimulationMessage).communication_report
    assert read_communication(report) == COMMUNICATION
    end = read("communication_end", pb.SimulationMessage).episode_end
    assert read_communication(end.communication) == COMMUNICATION
    assert COMMUNICATION.flows[0].missing_share == pytest.approx(0.1)
    assert COMMUNICATION.links[0].utilisation == 0.004
    assert COMMUNICATION.links[0].rl_share == pytest.approx(0.004 * 0.746)


def test_golden_resumed_has_the_documented_contents() -> None:
    resumed = read("resumed", pb.SimulationMessage).resumed
    assert (resumed.token, resumed.refusal) == ("token-2", "it has threads")


def test_golden_episode_end_has_the_documented_contents() -> None:
    end = read("episode_end", pb.SimulationMessage).episode_end
    assert end.sim_time_ns == 10_000_000_000
    assert [spec.agent for spec in end.joined] == ["agent_3"]
    first, second = end.ended
    assert (first.agent, first.terminated, first.truncated, first.reward) == (0, False, True, 2)
    assert [exact(each) for each in values(first.observation, SPACE)] == [exact(VALUE)]
    assert decode_infos(first.info) == {"steps": 500}
    assert (second.agent, second.truncated, second.HasField("observation")) == (3, True, False)


def test_golden_failure_has_the_documented_contents() -> None:
    failure = read("failure", pb.SimulationMessage).failure
    assert failure.code == pb.Failure.CODE_INVALID_PARAMETER
    assert failure.message == "carts is 99, but must be an integer from 1 to 16"
    assert dict(failure.details) == {"parameter": "carts"}


def test_golden_scenario_description_has_the_documented_contents() -> None:
    description = read("scenario_description", pb.ScenarioDescription)
    assert (description.protocol, description.scenario) == (2, "golden")
    assert description.forks
    assert {p.name: p.value for p in description.parameters} == {
        name: default for name, (_, default, _) in PARAMETERS.items()
    }
    carts = next(p for p in description.parameters if p.name == "carts")
    assert (carts.minimum, carts.maximum) == ("1", "16")
    assert not description.parameters[0].HasField("minimum")
    assert list(description.parameters[-1].choices) == ["simple", "udp", "tcp"]


@pytest.mark.parametrize("name", ["hello", "step_request", "episode_end", "failure", "resumed"])
def test_a_truncated_message_is_never_parsed_as_the_whole_message(name: str) -> None:
    wire = (GOLDEN / f"{name}.bin").read_bytes()
    whole = pb.SimulationMessage.FromString(wire)
    parsed = []
    for length in range(len(wire)):
        with contextlib.suppress(DecodeError):
            parsed.append(pb.SimulationMessage.FromString(wire[:length]))
    assert len(parsed) < len(wire) / 2  # some prefixes are messages, but none is this one
    assert whole not in parsed
