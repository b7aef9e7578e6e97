# SPDX-License-Identifier: GPL-2.0-only
"""States and actions that count as covered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import ParameterError


def coverage_key(info: Mapping[str, Any]) -> int:
    """Return a number for the colours of all replicas, whichever replica has which.

    Which of them can talk with each other does not count. Numbers are equal for equal multisets of
    colours, and else different but for one pair in 2^64.

    Raises:
        ParameterError: The info has no `colors`.
    """
    try:
        colors = info["colors"]  # in the order of slots, so equal multisets are equal texts
    except KeyError:
        raise ParameterError("coverage needs the info 'colors': infos='all'") from None
    return int.from_bytes(hashlib.blake2b(colors.encode(), digest_size=8).digest(), "big")
