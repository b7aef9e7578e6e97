# SPDX-License-Identifier: GPL-2.0-only
"""Episodes in files: recording, reading, replaying and shrinking."""

from defiance_zoo.recording.files.episode import AgentSteps, Episode
from defiance_zoo.recording.files.header import Header
from defiance_zoo.recording.options import Record
from defiance_zoo.recording.reading import find_episodes, read_episode, read_recording
from defiance_zoo.recording.recording import Outcome, RecordedRound, RecordedStep, Recording
from defiance_zoo.recording.replaying import open_recorded, replay
from defiance_zoo.recording.shrinking import ByValue, Effort, Reading, shrink

__all__ = [
    "AgentSteps",
    "ByValue",
    "Effort",
    "Episode",
    "Header",
    "Outcome",
    "Record",
    "Reading",
    "RecordedRound",
    "Recording",
    "RecordedStep",
    "find_episodes",
    "open_recorded",
    "read_episode",
    "read_recording",
    "replay",
    "shrink",
]
