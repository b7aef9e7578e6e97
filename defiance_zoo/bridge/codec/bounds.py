# SPDX-License-Identifier: GPL-2.0-only
"""Limits on the sizes in a simulation's messages, checked before memory is allocated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from defiance_zoo.errors import MalformedMessage

MAX_MESSAGE_BYTES = 2**31 - 1
"""Maximum length of a message, set by protobuf. In C++, `step-link.h` defines it."""

MAX_VALUE_BYTES = 2**28
"""Maximum size of a space's value: 256 MiB, as an environment makes several arrays of this size."""

MAX_AXES = 31
"""Maximum axes of an array: every NumPy has one more, for the rows of a stack."""

MAX_DEPTH = 30
"""Maximum depth of nested spaces: protobuf supports 100 levels, and each dict takes three."""


def require_shape(shape: Sequence[int], itemsize: int) -> int:
    """Return the number of bytes of an array.

    Args:
        shape: Lengths of its axes.
        itemsize: Bytes of an element.

    Raises:
        MalformedMessage: The array is larger than allowed.
    """
    if len(shape) > MAX_AXES:
        raise MalformedMessage(f"an array of {len(shape)} axes; at most {MAX_AXES} are allowed")
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
            f"values of {size} bytes; a space may have at most {MAX_VALUE_BYTES}"
        )


def require_integers(first: Any, count: Any) -> None:
    """Refuse ranges of integers that are empty or do not fit 64 bits.

    Args:
        first: The smallest integer of each range, an int64 or an array.
        count: Number of integers of each range, of the same type.

    Raises:
        MalformedMessage: A range is empty or too large.
    """
    if not np.all(np.asarray(count) >= 1):
        raise MalformedMessage(f"{count} integers; at least one is required")
    if np.any(first > np.iinfo(np.int64).max - (count - 1)):
        raise MalformedMessage(f"{count} integers from {first} on do not fit 64 bits")
