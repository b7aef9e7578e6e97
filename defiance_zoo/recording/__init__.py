# SPDX-License-Identifier: GPL-2.0-only
"""Episodes in files: written as they are played, read, and played again."""

from defiance_zoo.recording.folder import Record
from defiance_zoo.recording.reading import read_recording
from defiance_zoo.recording.recording import RecordedRound, Recording, Told
from defiance_zoo.recording.replaying import Player, replay

__all__ = [
    "Player",
    "Record",
    "RecordedRound",
    "Recording",
    "Told",
    "read_recording",
    "replay",
]
