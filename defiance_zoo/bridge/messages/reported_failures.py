# SPDX-License-Identifier: GPL-2.0-only
"""Failures and warnings that a simulation reports."""

from __future__ import annotations

from collections.abc import Iterable

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.messages.rounds import Round
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.errors import (
    DeadWiringWarning,
    HostsUnavailable,
    InvalidObservation,
    InvalidPolicy,
    InvalidReward,
    MissingUnitWarning,
    NobodyDecided,
    ParameterError,
    RealTimeLost,
    ScenarioError,
    SimulationError,
    SimulationRefused,
)

_MISSING_UNIT = "missing unit: "
"""Begins warnings of `WarnOfMissingUnit()`."""
_reported: set[str] = set()
"""Warnings that were given in this process."""


def read_failure(failure: pb.Failure, last_words: str) -> ParameterError | SimulationError:
    """Return a failure as an error.

    Args:
        failure: The simulation's error message.
        last_words: The end of the simulation's output.
    """
    if failure.code == pb.Failure.CODE_INVALID_PARAMETER:
        return ParameterError(failure.message)
    if failure.code == pb.Failure.CODE_INVALID_OBSERVATION:
        return InvalidObservation(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_INVALID_REWARD:
        return InvalidReward(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_SCENARIO:
        return ScenarioError(f"the scenario has failed: {failure.message.lstrip()}")
    if failure.code == pb.Failure.CODE_HOSTS_UNAVAILABLE:
        return HostsUnavailable(failure.message)
    if failure.code == pb.Failure.CODE_REAL_TIME_LOST:
        return RealTimeLost(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_INVALID_POLICY:
        return InvalidPolicy(failure.message, last_words=last_words)
    return SimulationRefused(
        f"the simulation gave up ({_name(failure.code)}): {failure.message}", last_words=last_words
    )


def warn_author(scenario: str, messages: Iterable[str]) -> None:
    """Warn the author of a scenario, once in this process for each message.

    Args:
        scenario: Name of the scenario.
        messages: The scenario's warnings.

    Warns:
        DeadWiringWarning: A connection or a route is missing.
        MissingUnitWarning: The scenario has a time or data rate without a unit.
    """
    for message in messages:
        text = f"scenario {scenario!r}: {message.strip()}"
        if text not in _reported:
            _reported.add(text)
            is_unit = message.startswith(_MISSING_UNIT)
            warn_caller(text, MissingUnitWarning if is_unit else DeadWiringWarning)


def warn_of_idleness(scenario: str, last: Round) -> None:
    """Warn that an episode has ended without any decision.

    Args:
        scenario: Name of the scenario.
        last: The end of the episode.

    Warns:
        NobodyDecided: With the line that called the package.
    """
    why = (
        "An agent terminated before it could decide."
        if any(end.terminated for end in last.ended)
        else "Are delays longer than the episode (plain numbers are seconds), is everything lost, "
        "or do nodes lack a route?"
    )
    warn_caller(
        f"no agent decided in an episode of {scenario!r}, which ended after {last.time_ns / 1e9:g} "
        f"s of simulated time: its return says nothing about a policy. {why}",
        NobodyDecided,
    )


def _name(code: int) -> str:
    """Return the kind of a failure in words; its number if it has no name."""
    if code not in pb.Failure.Code.values():
        return f"code {code}"
    name: str = pb.Failure.Code.Name(code)
    return name.removeprefix("CODE_").lower().replace("_", " ")
