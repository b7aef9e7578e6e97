# SPDX-License-Identifier: GPL-2.0-only
"""What RL applications have sent to each other in an episode: asked for, and kept at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from defiance_zoo.environments.transfers import TransferBook
from defiance_zoo.errors import NotCounted, ResetNeeded
from defiance_zoo.simulation import CommunicationReport, Round

if TYPE_CHECKING:
    from defiance_zoo.environments.episodes import Episodes


class CommunicationBook(TransferBook):
    """The side of `Episodes` that reports what was sent."""

    _STATE = (*TransferBook._STATE, "_communication")

    def __init__(self) -> None:
        """Know of nothing."""
        super().__init__()
        self._communication: CommunicationReport | None = None

    def communication_report(self) -> CommunicationReport:
        """Ask the simulation, if it waits; return the last answer, or that of the episode's end.

        Raises:
            NotCounted: Nobody counts.
            ResetNeeded: No episode is running, or was; or it broke off before anybody asked.
            SimulationError: The simulation failed; a further `begin()` starts a new one.
        """
        if not self._launcher.counts_communication:
            raise NotCounted(
                "nobody counts what is sent: make the environment with communication_report=True"
            )
        if self._simulation is not None and self._simulation.awaits_reply:
            try:
                self._communication = self._simulation.communication_report()
            except BaseException:
                self._break_off()
                raise
        if self._communication is None:
            self._require_open()
            raise ResetNeeded("there is nothing to report: call reset() first")
        return self._communication

    def _begin_book(self) -> None:
        super()._begin_book()
        self._communication = None

    def _note_communication(self, told: Round) -> None:
        """Keep what is told at the end of an episode."""
        if told.communication is not None:
            self._communication = told.communication


class Communication:
    """Reports of communication, the same in every interface."""

    _episodes: Episodes

    def communication_report(self) -> CommunicationReport:
        """Return what RL applications have sent to each other since the beginning of the episode.

        Until the current decision, or the end of the episode. After a failure of the simulation it
        is what was returned last.

        Raises:
            NotCounted: The environment was made without `communication_report=True` and
                `communication_infos=True`.
            ResetNeeded: No episode was begun, or it broke off before anything was reported.
            SimulationError: The simulation failed.
        """
        return self._episodes.communication_report()
