# SPDX-License-Identifier: GPL-2.0-only
"""The interface of links that carry messages of simulations."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.process.simulation_process import SimulationProcess
from defiance_zoo.bridge.transport.mailbox import BatchedExchange

Conversation = tuple[bytes, SimulationProcess | None]
"""A simulation's token and process; None if this process did not start it."""


class StepLink(ABC):
    """Carries the messages of simulations, which tokens identify.

    Attributes:
        address: The endpoint that simulations connect to; empty for links with inherited
            descriptors.
        server_key: The public CURVE key of the endpoint, or an empty string.
    """

    address = server_key = ""

    @abstractmethod
    def open(self, token: bytes) -> None:
        """Accept messages of the simulation with `token`; all others are dropped."""

    def inherited(self, token: bytes) -> tuple[int, ...]:
        """Return the descriptors that the simulation inherits; see `DEFIANCE_ENDPOINT`."""
        return ()

    def started(self, token: bytes, process: SimulationProcess | None) -> None:
        """Close this process's copies of the descriptors that the simulation has inherited."""

    @abstractmethod
    def forget(self, token: bytes) -> None:
        """Accept no more messages of the simulation."""

    @abstractmethod
    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        """Send a message to a simulation that has sent its first message.

        `process`: the process of the simulation; None if this process did not start it.
        """

    @abstractmethod
    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        """Wait for the next message of a simulation, at most `timeout_s` seconds; see `send`."""

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        """Send a message and wait for the next one; see `send` and `receive`."""
        self.send(token, process, message)
        return self.receive(token, process, timeout_s)

    def batch(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which several messages may be sent together.

        The caller must not wait for messages inside.
        """
        return contextlib.nullcontext()

    def batched_exchange(
        self, observations: NDArray[Any], rewards: NDArray[np.float64], times: NDArray[np.int64]
    ) -> BatchedExchange | None:
        """Return an object that plays rounds of several simulations in one call, or None."""
        return None

    def gather(self, conversations: Sequence[Conversation], timeout_s: float) -> None:
        """Wait until each of several simulations has sent a message.

        The method may return earlier, and always does so when a simulation has ended.
        """

    @abstractmethod
    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        """Wait until messages of some of several simulations have arrived.

        Return the places of simulations that have sent a message, or ended; none after `timeout_s`
        seconds.
        """

    @abstractmethod
    def close(self) -> None:
        """Close everything; may be called again."""


def address_variables(link: StepLink, token: str) -> dict[str, str]:
    """Return the environment variables for the connection of a simulation."""
    variables = {"DEFIANCE_ENDPOINT": link.address, "DEFIANCE_TOKEN": token}
    if link.server_key:
        variables["DEFIANCE_CURVE_SERVER_KEY"] = link.server_key
    return variables
