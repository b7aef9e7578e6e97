# SPDX-License-Identifier: GPL-2.0-only
"""Warnings with the line of the user that called this package."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = f"{Path(__file__).resolve().parents[2]}/"


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn, with the innermost line outside of this package.

    Args:
        text: The warning.
        category: Its class.
    """
    depth, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, category, stacklevel=depth)
