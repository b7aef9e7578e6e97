# SPDX-License-Identifier: GPL-2.0-only
"""Checks of whether a recording can be played here."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import InvalidRecording, OtherVersion
from defiance_zoo.recording.recording import Recording


def project_version() -> str:
    """Return the installed version of this project."""
    return importlib.metadata.version("defiance-zoo")


def require_this_version(versions: Mapping[str, Any]) -> None:
    """Refuse recordings of another version of this project.

    Raises:
        OtherVersion: The recording has another version.
    """
    made, here = versions.get("defiance-zoo"), project_version()
    if made != here:
        raise OtherVersion(f"was recorded with defiance-zoo {made}, but this is {here}")


def require_playable(recording: Recording) -> None:
    """Refuse recordings that could not have been played.

    Raises:
        InvalidRecording: An agent acts without being asked, or a round before the last one has no
            actions.
    """
    if not recording.rounds:
        raise InvalidRecording("it has no rounds")
    last = len(recording.rounds) - 1
    for number, each in enumerate(recording.rounds):
        if each.actions.keys() != each.asked.keys() and (each.actions or number < last):
            raise InvalidRecording(
                f"in round {number}, {sorted(each.asked)} must act, but {sorted(each.actions)} act"
            )
