# SPDX-License-Identifier: GPL-2.0-only
"""The state of an episode at a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from defiance_zoo.bridge.codec.generators import GeneratorState
from defiance_zoo.bridge.simulation import Agent
from defiance_zoo.environments.episodes.communication_ledger import CommunicationLedger
from defiance_zoo.environments.episodes.observer import RoundWatcher
from defiance_zoo.environments.episodes.progress import EpisodeProgress
from defiance_zoo.environments.episodes.transfer_ledger import TransferLedger


class SnapshotPoint(NamedTuple):
    """The state of an episode, beside its simulation.

    Attributes:
        episode: Its number.
        progress: Progress of the work.
        transfers: Transfers of this episode.
        communication: Traffic of the episode.
        generators: States of the random generators of the agents' spaces, by agent.
        past: The state of its observer, if there is one.
        watcher: The watcher of its rounds, if there is one.
    """

    episode: int
    progress: EpisodeProgress
    transfers: TransferLedger
    communication: CommunicationLedger
    generators: Mapping[str, list[GeneratorState]]
    past: Any = None
    watcher: RoundWatcher | None = None

    def copy(self, agents: dict[str, Agent]) -> SnapshotPoint:
        """Return an independent copy.

        Args:
            agents: Every agent by name, for `EpisodeProgress`.
        """
        return self._replace(
            progress=self.progress.copy(agents),
            transfers=self.transfers.copy(),
            communication=self.communication.copy(),
            watcher=self.watcher and self.watcher.copy(),
        )
