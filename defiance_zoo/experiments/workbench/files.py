# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written completely or not at all, and JSON with finite numbers only."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.whole_files import (
    append,
    flush,
    overwrite,
    remove_incomplete,
    require_writable,
    write_all,
    write_whole,
    writing,
)

__all__ = [
    "append",
    "flush",
    "overwrite",
    "remove_incomplete",
    "require_writable",
    "to_json",
    "write_all",
    "write_json",
    "write_whole",
    "writing",
]


def to_json(value: Mapping[str, Any], indent: int | None = None) -> str:
    """Return JSON, in which numbers that are not finite are null."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False)


def write_json(path: Path, value: Mapping[str, Any], indent: int | None = 1) -> None:
    """Write a whole file of JSON; see `to_json()`."""
    write_whole(path, to_json(value, indent) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
