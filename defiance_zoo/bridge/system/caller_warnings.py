# SPDX-License-Identifier: GPL-2.0-only
"""The line of the user that called this package, and warnings with this line."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

_PACKAGE = __file__.rpartition("/bridge/")[0] + "/"


def find_caller(folder: str = _PACKAGE) -> tuple[int, FrameType]:
    """Return the innermost frame with code outside of a folder, and its distance from the caller.

    The distance is counted as by `stacklevel` of `warnings.warn()`.
    """
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
        depth, frame = depth + 1, frame.f_back
    return depth, frame


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn, with the innermost line outside of this package."""
    warnings.warn(text, category, stacklevel=find_caller()[0])
