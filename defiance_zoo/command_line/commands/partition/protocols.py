# SPDX-License-Identifier: GPL-2.0-only
"""Which environment tests a protocol, and what violates it."""

from __future__ import annotations

from typing import Any

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.recording import RecordedRound, Recording

PRESETS = ("tendermint",)


def find_protocol(name: str) -> tuple[EnvironmentSpec, dict[str, Any]]:
    """Return the environment that tests a protocol, and what chooses it there.

    Those that have a preset are in an environment of their own. Unknown ones are refused when the
    environment is made, which knows what there is.
    """
    from defiance_zoo.envs.partition import partition_v0

    if name in PRESETS:
        return partition_v0.TENDERMINT_SPEC, {}
    return partition_v0.SPEC, {"protocol": name}


def first_violation(recording: Recording) -> tuple[int, str] | None:
    """Return the step after which a guarantee was violated first, and how; None: never."""
    for number, _, info in recording.infos():
        if info.get("violations"):
            return number, str(info["violations"])
    return None


def is_violated(recording: Recording) -> bool:
    """Return whether a guarantee was violated."""
    return first_violation(recording) is not None


def violated(each: RecordedRound) -> set[str]:
    """Return the properties that are violated in a round."""
    lines = [
        line for _, told in each.told for line in str(told.info.get("violations", "")).splitlines()
    ]
    return {line.partition(":")[0] for line in lines}
