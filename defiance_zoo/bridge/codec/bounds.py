# SPDX-License-Identifier: GPL-2.0-only
"""Limits of the sizes in a simulation's messages, checked before memory is allocated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from defiance_zoo.errors import MalformedMessage

MAX_MESSAGE_BYTES = 2**31 - 1
"""Longest message that protobuf can carry. In C++, `step-link.h` defines it."""

MAX_VALUE_BYTES = 2**28
"""Largest value of a space: 256 MiB, as an environment makes several arrays of this size."""

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
        MalformedMessage: The array is larger than allowed.
    """
    if len(shape) > MAX_AXES:
        raise MalformedMessage(f"an array of {len(shape)} axes, where {MAX_AXES} are allowed")
    # An empty array is bounded as well: NumPy computes with the other lengths.
    require_size(math.prod(max(length, 1) for length in shape) * itemsize)
    return math.prod(shape) * itemsize


def require_size(size: int) -> None:
    """Refuse a value that is larger than allowed.

    Args:
        size: Size of the value, in bytes.

    Raises:
        MalformedMessage: The value is too large.
    """
    if size > MAX_VALUE_BYTES:
        raise MalformedMessage(
            f"values of {size} bytes, where a space may have {MAX_VALUE_BYTES} at most"
        )


def require_integers(first: Any, count: Any) -> None:
    """Refuse ranges of integers that are empty or do not fit 64 bits.

    Args:
        first: The smallest integer of each range, an int64 or an array.
        count: Number of integers of each range, likewise.

    Raises:
        MalformedMessage: A range is empty or too large.
    """
    if not np.all(np.asarray(count) >= 1):
        raise MalformedMessage(f"{count} integers where there is one at least")
    if np.any(first > np.iinfo(np.int64).max - (count - 1)):
        raise MalformedMessage(f"{count} integers from {first} on, which do not fit 64 bits")
