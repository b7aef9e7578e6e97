# SPDX-License-Identifier: GPL-2.0-only
"""Transfers over the simulated network, the same in every interface."""

from __future__ import annotations

from collections.abc import Mapping

from defiance_zoo.bridge.simulation import Transfer
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.environments.episodes.episodes import Episodes


class Transfers:
    """Orders transfers over the simulated network, and reports their fate."""

    _episodes: Episodes

    @exclusive
    def transfer(
        self, sender: str, receiver: str, size_bytes: int, kind: str = "model_update"
    ) -> Transfer:
        """Send something over the simulated network.

        The transfer starts when the simulation continues, at the current simulated time, and
        competes with all other traffic. `transfers` reports its state.

        Args:
            sender: An agent, or a training server such as `server_0`.
            receiver: Another agent or training server.
            size_bytes: Its size, from 1 to 2**32 - 1.
            kind: Kind in infos and trace sources.

        Raises:
            InvalidTransfer: The size is not allowed, or both ends are the same.
            ResetNeeded: No episode is running.
        """
        return self._episodes.order(sender, receiver, size_bytes, kind)

    @property
    def transfers(self) -> Mapping[int, Transfer]:
        """The transfers of this episode by number, in their current state."""
        return self._episodes.transfers.by_number

    @property
    def episode(self) -> int:
        """Number of the current episode: the number of episodes begun so far."""
        return self._episodes.episode

    @property
    def sim_time_ns(self) -> int:
        """Simulated time in nanoseconds; 0 before the first decision."""
        return self._episodes.time_ns
