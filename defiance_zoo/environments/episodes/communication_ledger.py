# SPDX-License-Identifier: GPL-2.0-only
"""The last report of the traffic between RL applications in an episode."""

from __future__ import annotations

from defiance_zoo.bridge.simulation import CommunicationReport, Round, Simulation


class CommunicationLedger:
    """The last report of an episode.

    Attributes:
        report: The report; None before the first one.
    """

    def __init__(self, report: CommunicationReport | None = None) -> None:
        """Begin with a report, or without."""
        self.report = report

    def copy(self) -> CommunicationLedger:
        """Return another ledger with the same report."""
        return CommunicationLedger(self.report)

    def ask(self, simulation: Simulation | None) -> None:
        """Get a newer report from a simulation, if one waits.

        Raises:
            SimulationError: The simulation failed.
        """
        if simulation is not None and simulation.awaits_reply:
            self.report = simulation.communication_report()

    def note(self, received: Round) -> None:
        """Keep the report that comes with the end of an episode."""
        if received.communication is not None:
            self.report = received.communication
