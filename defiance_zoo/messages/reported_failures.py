# SPDX-License-Identifier: GPL-2.0-only
"""What a simulation says that gives up."""

from __future__ import annotations

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.errors import (
    InvalidObservation,
    InvalidPolicy,
    InvalidReward,
    ParameterError,
    ScenarioError,
    SimulationError,
    SimulationRefused,
)


def read_failure(failure: pb.Failure, last_words: str) -> ParameterError | SimulationError:
    """Return a failure as an error.

    Args:
        failure: What the simulation said instead of its next message.
        last_words: What it has printed.
    """
    if failure.code == pb.Failure.CODE_INVALID_PARAMETER:
        return ParameterError(failure.message)
    if failure.code == pb.Failure.CODE_INVALID_OBSERVATION:
        return InvalidObservation(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_INVALID_REWARD:
        return InvalidReward(failure.message, last_words=last_words)
    if failure.code == pb.Failure.CODE_SCENARIO:
        return ScenarioError(f"the scenario has failed: {failure.message}")
    if failure.code == pb.Failure.CODE_INVALID_POLICY:
        return InvalidPolicy(failure.message, last_words=last_words)
    return SimulationRefused(
        f"the simulation gave up ({_name(failure.code)}): {failure.message}", last_words=last_words
    )


def _name(code: int) -> str:
    """Return what kind of failure it is, in words, or its number if it is of none."""
    if code not in pb.Failure.Code.values():
        return f"code {code}"
    name: str = pb.Failure.Code.Name(code)
    return name.removeprefix("CODE_").lower().replace("_", " ")
