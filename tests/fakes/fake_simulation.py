# SPDX-License-Identifier: GPL-2.0-only
"""A peer that plays a script of protocol faults that real ns-3 cannot produce.

It is started like a scenario; `--fault=...` names the fault.
"""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path
from typing import Any

import zmq

_PACKAGE = types.ModuleType("defiance_zoo")  # without the rest, which takes most of the time
_PACKAGE.__path__ = [str(Path(__file__).parents[2] / "defiance_zoo")]
sys.modules["defiance_zoo"] = _PACKAGE

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb  # noqa: E402 (by the package above)

FAULTS = (
    "none",
    "wrong_version",
    "wrong_token",
    "truncated_frame",
    "garbage",
    "two_frames",
    "empty_frame",
    "request_before_hello",
    "hello_twice",
    "unknown_agent",
    "agent_out_of_turn",
    "wrong_sequence",
    "wrong_dtype",
    "wrong_shape",
    "wrong_kind",
    "short_data",
    "no_steps",
    "no_reward",
    "unknown_row",
    "ended_both_ways",
    "bad_space",
    "failure",
    "resumed_with_wrong_token",
    "asked_twice",
)


def describe() -> None:
    """Describe the single parameter."""
    description = pb.ScenarioDescription(protocol=2, scenario="fake", ns3_version="none")
    description.parameters.add(
        name="fault",
        type=pb.PARAMETER_TYPE_TEXT,
        help="What goes wrong.",
        value="none",
        choices=FAULTS,
    )
    sys.stdout.buffer.write(description.SerializeToString())


def hello(fault: str) -> pb.SimulationMessage:
    """Return the first message, with the fault if it belongs there."""
    message = pb.SimulationMessage()
    said = message.hello
    said.protocol = 1 if fault == "wrong_version" else 2
    said.scenario, said.ns3_version, said.pid = "fake", "none", os.getpid()
    said.token = "somebody else" if fault == "wrong_token" else os.environ["DEFIANCE_TOKEN"]
    values = dict(e.split("=") for e in os.environ["NS_GLOBAL_VALUE"].split(";"))
    said.rng_seed, said.rng_run = int(values["RngSeed"]), int(values["RngRun"])
    spec = said.agents.add(index=1 if fault == "agent_out_of_turn" else 0, agent="agent_0")
    box = spec.observation_space.box
    box.dtype = pb.DTYPE_UNSPECIFIED if fault == "bad_space" else pb.DTYPE_FLOAT32
    box.shape.append(2)
    box.low, box.high = b"\0" * 4, b"\0\0\x80\x3f"
    spec.action_space.discrete.n = 2
    return message


def request(fault: str, sequence: int) -> pb.SimulationMessage:
    """Return a step request, with the fault if it belongs there."""
    message = pb.SimulationMessage()
    asked = message.step_request
    asked.sequence = sequence + (5 if fault == "wrong_sequence" else 0)
    if fault == "no_steps":
        return message
    steps = asked.steps.add(agents=[3 if fault == "unknown_agent" else 0])
    steps.rewards.extend([] if fault == "no_reward" else [1.0])
    if fault == "unknown_row":
        steps.infos.add(row=1)
    if fault == "wrong_kind":
        steps.observations.text = "hello"
        return message
    tensor = steps.observations.box
    tensor.dtype = pb.DTYPE_FLOAT64 if fault == "wrong_dtype" else pb.DTYPE_FLOAT32
    tensor.shape.extend([1, 4 if fault == "wrong_shape" else 2])
    tensor.data = b"\0" * (7 if fault == "short_data" else 8)
    return message


def end(fault: str) -> pb.SimulationMessage:
    """Return the last message, with the fault if it belongs there."""
    message = pb.SimulationMessage()
    message.episode_end.ended.add(agent=0, terminated=True, truncated=fault == "ended_both_ways")
    return message


def resumed(fault: str, sequence: int) -> pb.SimulationMessage:
    """Return the answer to a snapshot request, although there is no snapshot."""
    message = pb.SimulationMessage()
    wrong = fault == "resumed_with_wrong_token"
    message.resumed.token = "somebody else" if wrong else os.environ["DEFIANCE_TOKEN"]
    return request("none", sequence) if fault == "asked_twice" else message


class Pipes:
    """A local link, used like a socket."""

    def __init__(self, endpoint: str) -> None:
        self._reader, self._writer = map(int, endpoint.removeprefix("fd:").split(","))

    def send(self, message: bytes) -> None:
        os.write(self._writer, len(message).to_bytes(8, sys.byteorder) + message)

    def send_multipart(self, frames: list[bytes]) -> None:
        self.send(b"".join(frames))

    def recv(self) -> bytes:
        length = int.from_bytes(os.read(self._reader, 8), sys.byteorder)
        return os.read(self._reader, length)


def connect(context: zmq.Context[Any], endpoint: str) -> Any:
    """Return the link to the endpoint."""
    if endpoint.startswith("fd:"):
        return Pipes(endpoint)
    socket = context.socket(zmq.DEALER)
    socket.setsockopt(zmq.IDENTITY, os.environ["DEFIANCE_TOKEN"].encode())
    socket.linger = 2000
    socket.connect(endpoint)
    return socket


def main() -> None:
    """Play the script."""
    if "--describe" in sys.argv:
        describe()
        return
    fault = next((a.partition("=")[2] for a in sys.argv if a.startswith("--fault=")), "none")
    context = zmq.Context()
    socket = connect(context, os.environ["DEFIANCE_ENDPOINT"])
    if fault != "request_before_hello":
        socket.send(hello(fault).SerializeToString())
    if fault == "hello_twice":
        socket.send(hello(fault).SerializeToString())
    for sequence in (1, 2, 3):
        frame = request(fault, sequence).SerializeToString()
        if fault == "truncated_frame":
            socket.send(frame[:-3])
        elif fault == "garbage":
            socket.send(b"\xff" * 40)
        elif fault == "empty_frame":
            socket.send(b"")
        elif fault == "two_frames":
            socket.send_multipart([frame, b"\xff"])
        elif fault == "failure":
            failure = pb.SimulationMessage()
            failure.failure.code = pb.Failure.CODE_WRONG_SEQUENCE
            failure.failure.message = "out of step"
            socket.send(failure.SerializeToString())
        else:
            socket.send(frame)
        reply = pb.PythonMessage.FromString(socket.recv())
        if reply.step_reply.command == pb.COMMAND_SNAPSHOT:
            socket.send(resumed(fault, sequence).SerializeToString())
            reply = pb.PythonMessage.FromString(socket.recv())
        if reply.WhichOneof("payload") == "failure":
            sys.exit(f"refused: {reply.failure.message}")
        if reply.step_reply.command == pb.COMMAND_STOP:
            return
    socket.send(end(fault).SerializeToString())
    context.destroy()


if __name__ == "__main__":
    main()
