# SPDX-License-Identifier: GPL-2.0-only
"""Failures and warnings that a simulation reports."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.messages.rounds import Round
from defiance_zoo.errors import (
    DeadWiringWarning,
    HostsUnavailable,
    InvalidObservation,
    InvalidPolicy,
    InvalidReward,
    NobodyDecided,
    ParameterError,
    RealTimeLost,
    ScenarioError,
    SimulationError,
    SimulationRefused,
)

_PACKAGE = f"{Path(__file__).resolve().parents[2]}/"
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
        return ScenarioError(f"the scenario has failed: {failure.message}")
    if failure.code == pb.Failure.CODE_HOSTS_UNAVAILABLE:
        return HostsUnavailable(failure.message)
    if failure.code == pb.Failure.CODE_REAL_TIME_LOST:
        return RealTimeLost(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_INVALID_POLICY:
        return InvalidPolicy(failure.message, last_words=last_words)
    return SimulationRefused(
        f"the simulation gave up ({_name(failure.code)}): {failure.message}", last_words=last_words
    )


def warn_of_dead_wiring(scenario: str, messages: Iterable[str]) -> None:
    """Warn of agents that lack a connection, once in this process.

    Args:
        scenario: Name of the scenario.
        messages: One for each agent that lacks a connection.

    Warns:
        DeadWiringWarning: For each message, with the line that called the package.
    """
    for message in messages:
        text = f"scenario {scenario!r}: {message.strip()}"
        if text not in _reported:
            _reported.add(text)
            warnings.warn(text, DeadWiringWarning, stacklevel=_depth())


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
    warnings.warn(
        f"no agent decided in an episode of {scenario!r}, which ended after {last.time_ns / 1e9:g} "
        f"s of simulated time: its return says nothing about a policy. {why}",
        NobodyDecided,
        stacklevel=_depth(),
    )


def _depth() -> int:
    """Return the stack level of the innermost caller outside of this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        depth, frame = depth + 1, frame.f_back
    return depth


def _name(code: int) -> str:
    """Return the kind of a failure in words; its number if it has no name."""
    if code not in pb.Failure.Code.values():
        return f"code {code}"
    name: str = pb.Failure.Code.Name(code)
    return name.removeprefix("CODE_").lower().replace("_", " ")
