# SPDX-License-Identifier: GPL-2.0-only
"""Infos: typed values that a scenario sends along with a step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec.tensors import decode_tensor
from defiance_zoo.errors import MalformedMessage


def decode_infos(entries: Iterable[pb.InfoEntry]) -> dict[str, Any]:
    """Return infos as floats, ints, strings and read-only arrays.

    Raises:
        MalformedMessage: An entry has no value, or a key is repeated.
    """
    infos: dict[str, Any] = {}
    for entry in entries:
        kind = entry.WhichOneof("value")
        if kind is None:
            raise MalformedMessage(f"info {entry.key!r} has no value")
        if entry.key in infos:
            raise MalformedMessage(f"info {entry.key!r} is sent twice")
        value = getattr(entry, kind)
        infos[entry.key] = decode_tensor(value) if kind == "tensor" else value
    return infos
