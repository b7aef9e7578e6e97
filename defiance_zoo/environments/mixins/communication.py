# SPDX-License-Identifier: GPL-2.0-only
"""Reports of communication, the same in every interface."""

from __future__ import annotations

from defiance_zoo.bridge.simulation import CommunicationReport
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.environments.episodes.episodes import Episodes


class Communication:
    """Reports the traffic between RL applications."""

    _episodes: Episodes

    @exclusive
    def communication_report(self) -> CommunicationReport:
        """Return the traffic between RL applications since the beginning of the episode.

        It covers the time until the current decision, or until the end of the episode. After a
        failure of the simulation, it is the last returned report.

        Raises:
            NotCounted: The environment was made without `communication_report=True` and
                `communication_infos=True`.
            ResetNeeded: No episode was begun, or it broke off before anything was reported.
            SimulationError: The simulation failed.
        """
        return self._episodes.communication_report()
