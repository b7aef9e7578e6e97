# SPDX-License-Identifier: GPL-2.0-only
"""Where vector environments stand, to be saved, and to go on from in another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.simulation import CommunicationReport, RngState
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.environments.vector.base import VectorEnvBase
from defiance_zoo.environments.vector.batches import equal, read_row, write
from defiance_zoo.errors import ParameterError, ReplayDiverged, ResetNeeded, SimulationRefused


class VectorState(VectorEnvBase):
    """Saves where simulations stand, and returns there.

    Simulations are deterministic, so seeds and actions say where they stand; returning plays the
    running episodes once more, side by side.
    """

    _observations: Any
    _times: NDArray[np.int64]

    @exclusive
    def state_dict(self) -> dict[str, Any]:
        """Return where the simulations stand, in plain values that can be pickled.

        It grows with the decisions of the running episodes.

        Raises:
            ParameterError: The environment was not made with `resumable=True`, was never reset, or
                has actions that are not answered yet.
        """
        if not self._resumable:
            raise ParameterError("only an environment made with resumable=True has a state")
        if self._states.waiting or len(self._states.begun) < self.num_envs:
            raise ParameterError(
                "an environment has a state after its first reset, and between steps"
            )
        members = [self._state_of(member) for member in range(self.num_envs)]
        return {"simulations": members, "failures": self.failures, **self._shared_state()}

    @exclusive
    def communication_reports(self) -> list[CommunicationReport | None]:
        """Return what `communication_report()` of single environments does, for each simulation.

        Of one that computes, it is what was returned last; None if there is nothing to report.

        Raises:
            NotCounted: The environment was made without `communication_report=True` and
                `communication_infos=True`.
            ClosedEnvironment: It was closed.
            SimulationError: A simulation failed.
        """
        self._pool.require_open()
        reports: list[CommunicationReport | None] = []
        for episodes in self._pool.episodes:
            try:
                reports.append(episodes.communication_report())
            except ResetNeeded:
                reports.append(None)
        return reports

    @exclusive
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Return to where `state_dict()` was called, in an environment that was made alike.

        Args:
            state: What it returned.

        Raises:
            ParameterError: It is one of another number of simulations or agents; nothing changed.
            ReplayDiverged: A simulation did not get to where it stood; only `reset()` goes on.
            SimulationError: A simulation failed; only `reset()` goes on.
        """
        self._pool.require_open()
        members: Sequence[dict[str, Any]] = state["simulations"]
        if len(members) != self.num_envs:
            raise ParameterError(
                f"the state is one of {len(members)} simulations, not {self.num_envs}"
            )
        self._recall_shared_state(dict(state))
        self._states.clear()
        for member, each in enumerate(members):
            self._pool.episodes[member].slot.return_to(
                RngState(*each["rng"]), again=not each["ended"]
            )
        try:
            self._play_again({m: each for m, each in enumerate(members) if not each["ended"]})
        finally:
            self._states.begun.clear()
        for member, each in enumerate(members):
            self._played[member] = [list(action) for action in each["actions"]]
            self._options[member] = each["options"]
            self._times[member] = each["time_ns"]
            self._observations = write(self._observations, member, each["observation"])
        self._states.stand({member: each["ended"] for member, each in enumerate(members)})
        self.failures = state["failures"]

    # ------------------------------------------------------------------ of the environments

    def _shared_state(self) -> dict[str, Any]:
        """Return what is to be known beside each simulation's own state."""
        return {}

    def _recall_shared_state(self, state: dict[str, Any]) -> None:
        """Go back to what `_shared_state()` told; refuse what does not fit."""

    # ------------------------------------------------------------------ inside

    def _state_of(self, member: int) -> dict[str, Any]:
        rng = self._pool.episodes[member].slot.rng
        assert rng is not None  # an episode has begun
        return {
            "rng": (rng.seed, rng.run),
            "options": self._options[member],
            "actions": [list(action) for action in self._played[member]],
            "ended": member in self._states.ended,
            "time_ns": int(self._times[member]),
            "observation": read_row(self._observations, member),
        }

    def _play_again(self, running: dict[int, dict[str, Any]]) -> None:
        """Play episodes to where they stood, side by side."""
        for member, each in running.items():
            self._pool.episodes[member].launch(None, each["options"])
        for member in running:
            self._begin(member, {})
        rounds = max((len(each["actions"]) for each in running.values()), default=0)
        for number in range(rounds):
            due = {
                m: each["actions"] for m, each in running.items() if number < len(each["actions"])
            }
            for member, actions in due.items():
                self._repeat(member, actions[number])
            for member in due:
                self._see_again(member)
        for member, each in running.items():
            self._compare(member, each)

    def _repeat(self, member: int, action: list[bytes]) -> None:
        if not self._decides(member):
            raise ReplayDiverged(f"simulation {member} ended before the decision that it reached")
        self._pool.episodes[member].submit(list(action))

    def _see_again(self, member: int) -> None:
        try:
            received = self._pool.episodes[member].collect()
        except SimulationRefused as error:
            raise ReplayDiverged(
                f"simulation {member} did not ask for the actions that it had asked for: {error}"
            ) from error
        self._write(member, received, {})
        self._states.note_ended(member, over=received.over)

    def _compare(self, member: int, saved: dict[str, Any]) -> None:
        time_ns, observation = int(self._times[member]), read_row(self._observations, member)
        if time_ns != saved["time_ns"] or not equal(observation, saved["observation"]):
            raise ReplayDiverged(
                f"after {len(saved['actions'])} decisions, simulation {member} is at {time_ns} ns "
                f"and observes {observation}; it was at {saved['time_ns']} ns and had observed "
                f"{saved['observation']}"
            )
