# SPDX-License-Identifier: GPL-2.0-only
"""Limits of the sizes that a simulation may describe, checked before anything is allocated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from defiance_zoo.errors import MalformedMessage

MAX_MESSAGE_BYTES = 2**31 - 1
"""Longest message: what protobuf can carry. In C++ `step-link.h` has it."""

MAX_VALUE_BYTES = 2**28
"""Largest value of a space, of which an environment makes several arrays: 256 MiB."""

MAX_AXES = 31
"""Most axes of an array: every NumPy has one more, for the rows of a stack."""

MAX_DEPTH = 30
"""Largest depth of nested spaces: protobuf gives up at 100 levels, and each dict takes three."""


def require_shape(shape: Sequence[int], itemsize: int) -> int:
    """Return the number of bytes of an array.

    Args:
        shape: Lengths of its axes.
        itemsize: Bytes of an element.

    Raises:
        MalformedMessage: It is larger than arrays may be.
    """
    if len(shape) > MAX_AXES:
        raise MalformedMessage(f"an array of {len(shape)} axes, where {MAX_AXES} are allowed")
    # An empty array is bounded as well: NumPy computes with the other lengths.
    require_size(math.prod(max(length, 1) for length in shape) * itemsize)
    return math.prod(shape) * itemsize


def require_size(size: int) -> None:
    """Refuse a value that is larger than values may be.

    Args:
        size: Its size, in bytes.

    Raises:
        MalformedMessage: It is.
    """
    if size > MAX_VALUE_BYTES:
        raise MalformedMessage(
            f"values of {size} bytes, where a space may have {MAX_VALUE_BYTES} at most"
        )


def require_integers(first: Any, count: Any) -> None:
    """Refuse ranges of integers that are empty or do not fit 64 bits.

    Args:
        first: The smallest of each range, an int64 or an array of them.
        count: Number, likewise.

    Raises:
        MalformedMessage: A range is such.
    """
    if not np.all(np.asarray(count) >= 1):
        raise MalformedMessage(f"{count} integers where there is one at least")
    if np.any(first > np.iinfo(np.int64).max - (count - 1)):
        raise MalformedMessage(f"{count} integers from {first} on, which do not fit 64 bits")
