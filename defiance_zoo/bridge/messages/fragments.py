# SPDX-License-Identifier: GPL-2.0-only
"""Fragments of an episode that a policy plays inside the simulation, and their trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import Buffer


@dataclass(frozen=True)
class Fragment:
    """A part of an episode that a policy plays inside the simulation.

    Attributes:
        policy: ONNX model that maps `observation` and `noise` to `action`; empty: the model of the
            previous fragment.
        noise: Noise for samples, float32 of shape (rounds, agents, numbers), with agents in the
            order of introduction. Its length is the maximum number of rounds.
        runtime: Path of ONNX Runtime's library, unless `DEFIANCE_ONNXRUNTIME` is set.
    """

    policy: bytes
    noise: NDArray[np.float32]
    runtime: str = ""

    def write(self, reply: pb.StepReply) -> None:
        """Write the fragment into a reply."""
        order = reply.fragment
        order.policy, order.runtime = self.policy, self.runtime
        order.rounds = len(self.noise)
        order.noise.dtype = pb.DTYPE_FLOAT32
        order.noise.shape.extend(self.noise.shape)
        order.noise.data = np.ascontiguousarray(self.noise, "<f4").tobytes()


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The decisions of a fragment, one row each, in the order of rounds.

    Attributes:
        times_ns: Simulated time of each round in nanoseconds, int64 of shape (rounds,).
        sizes: Number of agents that decided in each round, int64 of shape (rounds,).
        agents: Numbers of the agents that decided, int64 of shape (decisions,).
        names: Names of agents, by their numbers.
        observations: A stack of the agents' observations.
        rewards: Rewards since each agent's previous step, float64 of shape (decisions,).
        actions: A stack of the agents' actions.
        action_buffers: The buffers of the stack of actions.
    """

    times_ns: NDArray[np.int64]
    sizes: NDArray[np.int64]
    agents: NDArray[np.int64]
    names: tuple[str, ...]
    observations: Any
    rewards: NDArray[np.float64]
    actions: Any
    action_buffers: list[Buffer]

    def answers(self) -> list[list[bytes]]:
        """Return the answer to each round: the buffers of the stacked actions."""
        ends = np.cumsum(self.sizes)
        count = len(self.agents)
        answers = []
        for first, end in zip(ends - self.sizes, ends, strict=True):
            parts = [(data, len(data) // count) for data in self.action_buffers]
            answers.append([bytes(data[first * size : end * size]) for data, size in parts])
        return answers
