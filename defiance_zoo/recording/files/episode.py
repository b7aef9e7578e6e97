# SPDX-License-Identifier: GPL-2.0-only
"""A recorded episode in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.recording.files.header import Header
from defiance_zoo.recording.recording import Recording, require_playable, require_this_version


@dataclass(frozen=True)
class AgentSteps:
    """The steps of one agent: a row for each round in which it takes part.

    Attributes:
        rounds: Numbers of the rounds, int64, shape (rows,).
        times_ns: Simulated times in nanoseconds, int64, shape (rows,).
        rewards: float64, shape (rows,): the reward since the previous row.
        terminated: bool, shape (rows,).
        truncated: bool, shape (rows,).
        observed: bool, shape (rows,): whether the row has an observation.
        observations: Observations of these rows, in Gymnasium's batched form: an array with a row
            each, a tuple or dict of batches, or a tuple of texts.
        acted: bool, shape (rows,): whether the row has an action.
        actions: Actions of these rows, in the same form.
        infos: Infos as JSON texts, by row.
    """

    rounds: NDArray[np.int64]
    times_ns: NDArray[np.int64]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    observed: NDArray[np.bool_]
    observations: Any
    acted: NDArray[np.bool_]
    actions: Any
    infos: tuple[str, ...]


@dataclass(frozen=True)
class Episode:
    """A recorded episode.

    Tables are `pyarrow.Table`: `table["time_ns"].to_numpy()` is a column. Tables that the
    simulation did not write have no rows.

    Attributes:
        path: Folder of the episode.
        header: Facts of the start and the end of the episode.
        steps: A row for each agent of each round: `round`, `time_ns`, `agent`, observations and
            actions (in the columns of `header.agents`; null if missing), `reward`, `terminated`,
            `truncated`, `info` (a JSON text).
        messages: Messages of RL applications: `sent_ns`, `received_ns` (null: not received),
            `channel`, `bytes`, `outcome` (`received`, `lost` or `in flight`).
        links: Samples of devices: `time_ns`, `link`, `node`, `queue_packets`, `queue_bytes`,
            `sent_bytes`.
        positions: Positions of nodes that moved: `time_ns`, `node`, `x`, `y`, `z` (m).
        moves: Moves of applications between nodes: `time_ns`, `application`, `node`.
        events: `time_ns`, `kind`, `agent`, `text`.
        topology: Nodes, links, applications and channels, as the simulation wrote them, or None.
        communication: The communication report at the end, or None.
    """

    path: Path
    header: Header
    steps: Any
    messages: Any
    links: Any
    positions: Any
    moves: Any
    events: Any
    topology: Mapping[str, Any] | None
    communication: Mapping[str, Any] | None

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents, in the order in which they joined."""
        return tuple(self.header.agents)

    def of_agent(self, agent: str) -> AgentSteps:
        """Return the steps of one agent.

        Raises:
            KeyError: There is no agent of this name.
        """
        from pyarrow.compute import equal

        from defiance_zoo.recording.files.columns import to_stack

        names = self.header.agents[agent]
        rows = self.steps.filter(equal(self.steps["agent"], agent))
        observations, actions = rows[names.observation], rows[names.action]
        return AgentSteps(
            rounds=rows["round"].to_numpy(),
            times_ns=rows["time_ns"].to_numpy(),
            rewards=rows["reward"].to_numpy(),
            terminated=rows["terminated"].to_numpy(),
            truncated=rows["truncated"].to_numpy(),
            observed=observations.is_valid().to_numpy(),
            observations=to_stack(self.header.columns[names.observation], observations),
            acted=actions.is_valid().to_numpy(),
            actions=to_stack(self.header.columns[names.action], actions),
            infos=tuple(rows["info"].to_pylist()),
        )

    def recording(self) -> Recording:
        """Return the episode for a replay, with its observations.

        Raises:
            InvalidRecording: The episode has no rounds, infos that are not JSON, or a forbidden
                action.
            OtherVersion: The episode is of another version of this project.
        """
        from defiance_zoo.recording.files.steps import to_rounds

        require_this_version(self.header.versions)
        recording = self.header.to_recording(to_rounds(self.header, self.steps))
        require_playable(recording)
        return recording
