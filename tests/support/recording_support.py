# SPDX-License-Identifier: GPL-2.0-only
"""Functions with which tests read recordings and replay them."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path

from partition_support import LIARS, follow, lie

from defiance_zoo.envs import partition_v0
from defiance_zoo.recording import Recording, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded


def read_all(folder: Path) -> list[Recording]:
    """Return all recordings of a folder that contains nothing else."""
    return [read_recording(each) for each in sorted(folder.iterdir())]


def play_again(recording: Recording) -> None:
    """Replay an episode in a separate environment."""
    with contextlib.closing(open_recorded(recording)) as episodes:
        replay(recording, episodes)


def record_violation(folder: Path) -> Path:
    """Return the folder of an episode that violates agreement, made in an empty folder."""
    env = partition_v0.TENDERMINT_SPEC.raw_env(record=folder, **LIARS)
    for _ in follow(env, lie()):
        pass
    env.close()
    (path,) = folder.iterdir()
    return path


def frames(path: Path) -> Iterator[bytes]:
    """Return the frames of a capture."""
    data = path.read_bytes()
    assert struct.unpack_from("<I", data)[0] in (0xA1B2C3D4, 0xA1B23C4D)
    position = 24
    while position < len(data):
        (length,) = struct.unpack_from("<I", data, position + 8)
        yield data[position + 16 : position + 16 + length]
        position += 16 + length
    assert position == len(data)
