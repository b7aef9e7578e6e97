# SPDX-License-Identifier: GPL-2.0-only
"""Repeating an episode, and finding the first line of a replica that does not repeat."""

from __future__ import annotations

import contextlib
import linecache
import os
import tempfile
from itertools import pairwise, zip_longest
from pathlib import Path

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import ReplayDiverged
from defiance_zoo.recording import Recording, replay
from defiance_zoo.recording.replaying import is_in_real_time, open_recorded

_VARIABLE = "DEFIANCE_REPLICA_LINES"
"""The variable that `scenario/replicas/line_log.py` reads; that folder can be removed."""


def find_divergence(recording: Recording, spec: EnvironmentSpec) -> str:
    """Return how an episode differs when it is played again; empty if it is equal, or cannot be."""
    if is_in_real_time(recording):
        return ""
    try:
        _play(recording, spec)
    except ReplayDiverged as error:
        line = _find_line(recording, spec)
        return f"{error}{f'; the first line that does not repeat is {line}' if line else ''}"
    return ""


def _play(recording: Recording, spec: EnvironmentSpec, log: str = "") -> None:
    """Play an episode again, in another process, where objects have other addresses."""
    os.environ[_VARIABLE] = log  # fork servers have the variables with which they started
    try:
        with contextlib.closing(open_recorded(recording, spec)) as episodes:
            replay(recording, episodes)
    finally:
        del os.environ[_VARIABLE]


def _find_line(recording: Recording, spec: EnvironmentSpec) -> str:
    """Play an episode twice, and return the last line before its replicas differ."""
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder, "1"), Path(folder, "2")]
        for log in logs:
            with contextlib.suppress(ReplayDiverged):
                _play(recording, spec, str(log))
        if not all(log.exists() for log in logs):
            return ""  # a protocol in C++
        with logs[0].open() as one, logs[1].open() as other:
            for (before, _), (mine, its) in pairwise(zip_longest(one, other)):
                if mine != its and mine and its:
                    place, _, number = before.split(" ")[0].rpartition(":")
                    text = linecache.getline(place, int(number)).strip()
                    return f"{Path(place).name}:{number}: {text}"
    return ""
