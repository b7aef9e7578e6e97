# SPDX-License-Identifier: GPL-2.0-only
"""What a recorded episode is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from defiance_zoo.simulation import RngState, Rounds

FORMAT = 1
"""Version of the file format, which rises when older readers would misunderstand a file."""

Outcome = Literal["ended", "unfinished", "failed"]
"""The episode came to its end, it was left before that, or its simulation failed."""


@dataclass(frozen=True)
class Told:
    """What an agent is told in a round.

    Attributes:
        reward: Since its last decision.
        info: As JSON holds it.
        terminated: Of an agent that ends: whether the scenario ended it, or it was truncated.
    """

    reward: float
    info: Mapping[str, Any]
    terminated: bool | None = None


@dataclass(frozen=True)
class RecordedRound:
    """Agents are told something at an instant, and some of them decide.

    Attributes:
        time_ns: Simulated time in nanoseconds.
        asked: What those who decide are told, by name.
        ended: What those who end are told, by name.
        actions: What was decided, by name, as JSON holds it; empty: nothing, the record ends here.
    """

    time_ns: int
    asked: Mapping[str, Told]
    ended: Mapping[str, Told]
    actions: Mapping[str, Any]

    @property
    def told(self) -> Iterator[tuple[str, Told]]:
        """All that agents are told, by name."""
        yield from self.ended.items()
        yield from self.asked.items()


@dataclass(frozen=True)
class Recording:
    """An episode, with all that is needed to play it again.

    Attributes:
        environment: Its name, with its version.
        versions: Of what it was recorded with: `defiance-zoo`, `ns-3`.
        parameters: All of the scenario, with the values in effect.
        rng: Seed and run of ns-3.
        rounds: Of the episode; the actions of each are those that led to the next one.
        seed: As `reset()` took it, or None.
        interface: Whether agents of one instant were asked together.
        max_cycles: As the environment took it.
        outcome: How it came to an end.
        failure: How its simulation failed.
        captures: Ends of the names of files in which packets were captured: they begin as that of
            the recording.
    """

    environment: str
    versions: Mapping[str, str]
    parameters: Mapping[str, Any]
    rng: RngState
    rounds: tuple[RecordedRound, ...]
    seed: int | None = None
    interface: Rounds = "sequential"
    max_cycles: int | None = None
    outcome: Outcome = "ended"
    failure: str = ""
    captures: tuple[str, ...] = ()

    @property
    def decisions(self) -> list[Mapping[str, Any]]:
        """The actions of each round that was answered."""
        return [each.actions for each in self.rounds if each.actions]

    def infos(self) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        """Return the infos of all agents, each with the number of its round and the agent."""
        for number, each in enumerate(self.rounds):
            for agent, told in each.told:
                yield number, agent, told.info

    def to_json(self) -> str:
        """Return what `read_recording()` reads: a line for each round."""
        head = {
            "recording": FORMAT,
            "environment": self.environment,
            "versions": dict(self.versions),
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "rng": {"seed": self.rng.seed, "run": self.rng.run},
            "interface": self.interface,
            "max_cycles": self.max_cycles,
            "outcome": self.outcome,
            "failure": self.failure,
            "captures": list(self.captures),
        }
        lines = [f"{_write(key)}: {_write(value)}" for key, value in head.items()]
        rounds = ",\n".join(_write(_round_to_plain(each)) for each in self.rounds)
        return "{" + ",\n".join(lines) + ',\n"rounds": [\n' + rounds + "\n]}\n"


def _write(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _round_to_plain(each: RecordedRound) -> dict[str, Any]:
    asked = {a: {"reward": t.reward, "info": dict(t.info)} for a, t in each.asked.items()}
    ended = {
        agent: {"reward": told.reward, "terminated": told.terminated, "info": dict(told.info)}
        for agent, told in each.ended.items()
    }
    plain: dict[str, Any] = {"time_ns": each.time_ns, "asked": asked}
    return {**plain, "ended": ended, "actions": dict(each.actions)}
