# SPDX-License-Identifier: GPL-2.0-only
"""Checks of whether a recording can be played here."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import InvalidRecording, OtherVersion
from defiance_zoo.recording.recording import Recording


def project_version() -> str:
    """Return the version of this project that is installed."""
    return importlib.metadata.version("defiance-zoo")


def require_this_version(versions: Mapping[str, Any]) -> None:
    """Refuse what was recorded with another version of this project.

    Raises:
        OtherVersion: It was.
    """
    made, here = versions.get("defiance-zoo"), project_version()
    if made != here:
        raise OtherVersion(f"was recorded with defiance-zoo {made}, and this is {here}")


def require_playable(recording: Recording) -> None:
    """Refuse what could not have been played.

    Raises:
        InvalidRecording: Somebody acts who was not asked, or a round in the middle has no actions.
    """
    if not recording.rounds:
        raise InvalidRecording("it has no rounds")
    last = len(recording.rounds) - 1
    for number, each in enumerate(recording.rounds):
        if each.actions.keys() != each.asked.keys() and (each.actions or number < last):
            raise InvalidRecording(
                f"in round {number} {sorted(each.asked)} are asked, and {sorted(each.actions)} act"
            )
