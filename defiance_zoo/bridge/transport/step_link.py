# SPDX-License-Identifier: GPL-2.0-only
"""What is common to all that carries messages of simulations."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.process.simulation_process import SimulationProcess
from defiance_zoo.bridge.transport.batched_exchange import BatchedExchange

Conversation = tuple[bytes, SimulationProcess | None]
"""A simulation's token and process, which is None if it is not ours."""


class StepLink(Protocol):
    """Carries the messages of simulations, each known by the token that it was given."""

    @property
    def address(self) -> str:
        """Where simulations connect; nothing where they inherit what they need."""

    @property
    def server_key(self) -> str:
        """Public CURVE key for them, or an empty string."""

    def open(self, token: bytes) -> None:
        """Accept messages of the simulation that is given `token`; all others are dropped.

        Raises:
            OSError: No pipes or no memory could be had.
            TooFewDescriptors: There might be none for its connection.
        """

    def inherited(self, token: bytes) -> tuple[int, ...]:
        """Return the descriptors that it is to inherit."""

    def started(self, token: bytes, process: SimulationProcess | None) -> None:
        """Say that it has inherited them."""

    def forget(self, token: bytes) -> None:
        """Accept no more messages of it."""

    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        """Send a message to a simulation that has spoken before.

        Args:
            token: The simulation's.
            process: Its process, or None if it is not ours.
            message: What to send.

        Raises:
            SimulationCrashed: It is no longer connected.
        """

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        """Wait for the next message of a simulation.

        Args:
            token: The simulation's.
            process: Its process, or None if it is not ours.
            timeout_s: How long to wait, in seconds.

        Raises:
            MalformedMessage: It is longer than messages may be.
            SimulationCrashed: It ended, or its connection broke, without a further message.
            SimulationTimeout: It said nothing in time.
        """

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        """Send a message and wait for the next one; see `send` and `receive`."""

    def batch(self) -> contextlib.AbstractContextManager[None]:
        """Return what surrounds the sending of several messages, so that they may set out at once.

        Nothing is to be awaited inside.
        """

    def batched_exchange(
        self, observations: NDArray[Any], rewards: NDArray[np.float64], times: NDArray[np.int64]
    ) -> BatchedExchange | None:
        """Return what plays rounds of several simulations in one call, where that is possible.

        Args:
            observations: See `BatchedExchange`.
            rewards: See `BatchedExchange`.
            times: See `BatchedExchange`.
        """

    def gather(self, conversations: Sequence[Conversation], timeout_s: float) -> None:
        """Sleep until there is something to be received of each of several simulations.

        It may return before, and always does when one of them has ended.
        """

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        """Wait until some of several simulations have something to be received.

        Args:
            conversations: Of the simulations.
            timeout_s: How long to wait, in seconds.

        Returns:
            Places of those that have sent a message, or ended; none if the time is up.
        """

    def close(self) -> None:
        """Close everything; may be called again."""


def address_variables(link: StepLink, token: str) -> dict[str, str]:
    """Return the environment variables that tell a simulation where to connect."""
    variables = {"DEFIANCE_ENDPOINT": link.address, "DEFIANCE_TOKEN": token}
    if link.server_key:
        variables["DEFIANCE_CURVE_SERVER_KEY"] = link.server_key
    return variables
