# SPDX-License-Identifier: GPL-2.0-only
"""What is common to all that carries messages of simulations."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Protocol

from defiance_zoo.simulation.mailbox import Mailboxes
from defiance_zoo.simulation.process import SimulationProcess

Conversation = tuple[bytes, SimulationProcess | None]
"""A simulation's token and process."""


class AnyLink(Protocol):
    """What carries the messages of simulations, each known by the token that it was given."""

    address: str
    server_key: str
    shares_memory: bool

    def open(self, token: bytes) -> None:
        """Accept messages of the simulation that is given `token`."""

    def inherited(self, token: bytes) -> tuple[int, ...]:
        """Return the descriptors that it is to inherit."""

    def started(self, token: bytes, process: SimulationProcess | None) -> None:
        """Say that it has inherited them."""

    def forget(self, token: bytes) -> None:
        """Accept no more messages of it."""

    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        """Send a message; see `Link.send`."""

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        """Wait for the next message; see `Link.receive`."""

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        """Send a message and wait for the next one."""

    def mailboxes(self, token: bytes) -> Mailboxes | None:
        """Return the mailboxes of a simulation that has been answered, if there are any."""

    def batch(self) -> contextlib.AbstractContextManager[None]:
        """Several messages are sent inside; see `Link.batch`."""

    def gather(self, conversations: Sequence[Conversation], timeout_s: float) -> None:
        """Sleep until there is something to be received of each simulation; see `Link.gather`."""

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        """Wait until some of several simulations have something to be received; see `Link.wait`."""

    def close(self) -> None:
        """Close everything; may be called again."""


def address_variables(link: AnyLink, token: str) -> dict[str, str]:
    """Return the environment variables that tell a simulation where to connect."""
    variables = {"DEFIANCE_ENDPOINT": link.address, "DEFIANCE_TOKEN": token}
    if link.server_key:
        variables["DEFIANCE_CURVE_SERVER_KEY"] = link.server_key
    return variables
