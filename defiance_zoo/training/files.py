# SPDX-License-Identifier: GPL-2.0-only
"""Files that are whole, or not there."""

from __future__ import annotations

import errno
import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.errors import ParameterError

_ASIDE = ".incomplete"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file aside, and put it in its place: nobody sees a part of it."""
    data = content.encode() if isinstance(content, str) else content
    handle, aside = tempfile.mkstemp(_ASIDE, f".{path.name}-", path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(aside).chmod(0o666 & ~mask)  # as any file; mkstemp's are private
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def flush(folder: Path) -> None:
    """Have the disk hold a folder and all in it before anything else is done."""
    for path in (folder, *folder.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def require_writable(path: Path) -> None:
    """See that `write_whole()` can write a file, before the work whose result it is to hold.

    Raises:
        ParameterError: It cannot.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.NamedTemporaryFile(suffix=_ASIDE, prefix=f".{path.name}-", dir=path.parent):
            pass
    except OSError as error:
        raise ParameterError(f"{path} cannot be written: {error.strerror}") from error


def remove_incomplete(folder: Path) -> None:
    """Delete what `write_whole()` left in a folder, at any depth, when its process was killed."""
    for path in folder.rglob(f".*{_ASIDE}"):
        path.unlink(missing_ok=True)


def to_json(value: Mapping[str, Any], indent: int | None = None) -> str:
    """Return JSON, in which numbers that are not finite are null."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
