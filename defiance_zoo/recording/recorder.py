# SPDX-License-Identifier: GPL-2.0-only
"""Notes episodes as they are played."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from defiance_zoo.errors import ParameterError, SnapshotRefused
from defiance_zoo.recording.checking import project_version
from defiance_zoo.recording.facts import Outcome
from defiance_zoo.recording.folder import Record, find_captures, remove_captures
from defiance_zoo.recording.plain import to_plain
from defiance_zoo.recording.recording import RecordedRound, Recording, Told
from defiance_zoo.simulation import (
    AgentEnd,
    AgentStep,
    RngState,
    Round,
    Rounds,
    Scenario,
    not_for_forks,
)

CAPTURE = "pcap"
"""The parameter that says how names of captures begin."""


class _Told(NamedTuple):
    """A round as it came, and the actions that answered it."""

    time_ns: int
    asked: tuple[tuple[str, float, dict[str, Any]], ...]
    ended: tuple[tuple[str, float, dict[str, Any], bool], ...]
    actions: dict[str, Any]


@dataclass(frozen=True)
class Past:
    """An episode so far; it does not change."""

    recording: Recording | None = None
    rounds: tuple[_Told, ...] = ()
    capture: Path | None = None
    written: bool = True


class EpisodeRecorder:
    """Notes the rounds of one environment, and writes each episode when it is over.

    What is played after a return to a snapshot follows what was noted before the snapshot: a
    recording begins with the episode, and can be played from there.
    """

    def __init__(
        self, record: Record, scenario: Scenario, rounds: Rounds, max_cycles: int | None
    ) -> None:
        """Write nothing yet.

        Args:
            record: Where to, and what.
            scenario: Whose episodes.
            rounds: Whether agents of one instant are asked together.
            max_cycles: As of the environment.

        Raises:
            ParameterError: The folder cannot be made, or not be written to.
        """
        self._record = record.open(scenario.name)
        self._scenario, self._rounds, self._max_cycles = scenario, rounds, max_cycles
        self._past = Past()
        self._told: list[_Told] = []
        self._bind()

    def _bind(self) -> None:
        """Let go of what an episode leaves, also if nobody closes the environment."""
        self._capturing: list[Path] = []
        not_for_forks(self)
        weakref.finalize(self, _remove_all, self._capturing)

    def disown(self) -> None:
        """See `ProcessBound`; the process that plays the episode writes it."""
        self._past, self._told = Past(), []
        self._capturing.clear()

    def require_capture(self, declared: frozenset[str]) -> None:
        """Refuse to capture packets of a scenario that does not do it.

        Args:
            declared: Names of its parameters.

        Raises:
            ParameterError: It has none for it.
        """
        if self._record.pcap and CAPTURE not in declared:
            raise ParameterError(
                f"pcap=True: scenario {self._scenario.name!r} has no parameter {CAPTURE!r}"
            )

    # ------------------------------------------------------------------ playing

    def changes(self) -> dict[str, Any]:
        """Return parameters of the next episode that say where its packets are captured."""
        self.leave()
        if not self._record.pcap:
            return {}
        capture = self._record.begin_capture()
        self._past = Past(capture=capture)
        self._capturing.append(capture)
        return {CAPTURE: str(capture)}

    def begin(self, seed: int | None, rng: RngState, parameters: Mapping[str, Any]) -> None:
        """Note the beginning of an episode.

        Args:
            seed: As of `reset()`.
            rng: Of ns-3.
            parameters: All that the scenario declares, with the values in effect.
        """
        plain = {name: to_plain(value) for name, value in parameters.items() if name != CAPTURE}
        ns3 = self._scenario.declaration(parameters)
        versions = {"defiance-zoo": project_version(), "ns-3": ns3.ns3_version if ns3 else ""}
        recording = Recording(
            self._scenario.name,
            versions,
            plain,
            rng,
            seed=seed,
            interface=self._rounds,
            max_cycles=self._max_cycles,
        )
        self._past = replace(self._past, recording=recording, written=False)
        self._told = []

    def take(self, received: Round) -> None:
        """Note a round; the last one of an episode has it written."""
        self._told.append(
            _Told(
                received.time_ns,
                tuple(_note_step(each) for each in received.steps),
                tuple(_note_end(each) for each in received.ended),
                {},
            )
        )
        if received.over:
            self._write("ended")

    def decide(self, agent: str, action: Any) -> None:
        """Note the action of an agent of the last round; it may be replaced."""
        self._told[-1].actions[agent] = action

    def leave(self) -> None:
        """Have the episode end here; it is written if anybody has decided in it."""
        self._write("unfinished")

    def fail(self, error: BaseException | None) -> None:
        """Have the episode end with an error of its simulation.

        Args:
            error: What it is; others than exceptions are those of a user who interrupts.
        """
        failed = isinstance(error, Exception)
        self._write("failed" if failed else "unfinished", str(error) if failed else "")

    # ------------------------------------------------------------------ returning

    def past(self) -> Past:
        """Return the episode so far."""
        return replace(self._past, rounds=_keep(self._told))

    def stand_at(self, past: Past) -> None:
        """Go on from what an episode was; that it was left here is not written."""
        self._past = past
        self._told = list(_keep(past.rounds))

    def require_no_capture(self) -> None:
        """Refuse to copy a simulation whose packets are captured.

        Raises:
            SnapshotRefused: The copies would write to one file.
        """
        if self._past.capture is not None:
            raise SnapshotRefused("packets are captured, which copies of a simulation would mix")

    def branch(self) -> EpisodeRecorder:
        """Return another recorder, to the same folder."""
        other = EpisodeRecorder.__new__(EpisodeRecorder)
        vars(other).update(vars(self))
        other._bind()
        return other

    # ------------------------------------------------------------------ inside

    def _write(self, outcome: Outcome, failure: str = "") -> None:
        """Write the episode, if it was not written, and anybody has decided in it."""
        self._capturing.clear()
        past, self._past = self._past, Past()
        told, self._told = self._told, []
        if past.recording is None or past.written or not any(each.actions for each in told):
            remove_captures(past.capture)
            return
        recording = replace(
            past.recording,
            rounds=tuple(_finish(each) for each in told),
            outcome=outcome,
            failure=failure,
            captures=tuple(find_captures(past.capture)),
        )
        self._record.write(recording, past.capture)


def _remove_all(captures: list[Path]) -> None:
    for capture in captures:
        remove_captures(capture)


def _note_step(each: AgentStep) -> tuple[str, float, dict[str, Any]]:
    return each.agent, each.reward, dict(each.info)  # wrappers add to infos


def _note_end(each: AgentEnd) -> tuple[str, float, dict[str, Any], bool]:
    return each.agent, each.reward, dict(each.info), each.terminated


def _keep(told: Sequence[_Told]) -> tuple[_Told, ...]:
    """Return rounds that do not change with these: of the last one, actions may still come."""
    return (*told[:-1], *(each._replace(actions=dict(each.actions)) for each in told[-1:]))


def _finish(told: _Told) -> RecordedRound:
    """Return a round as JSON holds it; actions are not, where not all have decided."""
    asked = {agent: Told(reward, to_plain(info)) for agent, reward, info in told.asked}
    ended = {
        agent: Told(reward, to_plain(info), terminated)
        for agent, reward, info, terminated in told.ended
    }
    complete = told.actions.keys() == asked.keys()
    actions = {agent: to_plain(told.actions[agent]) for agent in asked} if complete else {}
    return RecordedRound(told.time_ns, asked, ended, actions)
