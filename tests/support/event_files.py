# SPDX-License-Identifier: GPL-2.0-only
"""Reading of TensorBoard's files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorboardX.proto.event_pb2 import Event


def read_values(folder: Path) -> Iterator[tuple[int, Any]]:
    """Yield each value in the only file of a folder, with its step."""
    (path,) = (each for each in folder.iterdir() if each.is_file())
    data = path.read_bytes()
    while data:
        (size,) = struct.unpack_from("<Q", data)
        event = Event.FromString(data[12 : 12 + size])  # between the checksums of size and event
        yield from ((event.step, value) for value in event.summary.value)
        data = data[12 + size + 4 :]


def scalars(folder: Path) -> dict[tuple[str, int], float]:
    """Return the scalars that TensorBoard shows, by name and step."""
    return {(value.tag, step): value.simple_value for step, value in read_values(folder)}
